#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "base/text.h"
#include "files/tables/csv.h"
#include "files/tables/number.h"

static bool is_word(const struct shw_csv_field *field, const char *word)
{
    return strlen(word) == field->length && strncasecmp(field->text, word, field->length) == 0;
}

static bool is_missing(const struct shw_csv_field *field)
{
    return field->length == 0 || is_word(field, "?") || is_word(field, "NA") || is_word(field, "NaN") ||
           is_word(field, "null") || is_word(field, "N/A");
}

static bool is_infinite(const struct shw_csv_field *field, float *value)
{
    struct shw_csv_field rest = *field;
    const bool sign = field->length > 0 && (*field->text == '-' || *field->text == '+');

    rest.text += sign;
    rest.length -= sign;
    *value = sign && *field->text == '-' ? -INFINITY : INFINITY;
    return is_word(&rest, "inf") || is_word(&rest, "infinity");
}

enum shw_csv_field_kind shw_csv_field_number(const struct shw_csv_field *field, float *value)
{
    if (field->length > 0 && shw_number_read(field->text, value) == field->text + field->length)
        return SHW_CSV_NUMBER;
    if (is_infinite(field, value))
        return SHW_CSV_NUMBER;
    *value = NAN;
    return is_missing(field) ? SHW_CSV_MISSING : SHW_CSV_TEXT;
}

/* The digits of a whole number without an exponent, and with only zeros after a point: "7" for "+007.0". NULL if it is
 * not one. */
static const char *whole_digits(const char *name, size_t *length)
{
    const char *from = name + (*name == '-' || *name == '+'), *end = from + strspn(from, "0123456789"), *rest = end;

    if (end == from)
        return NULL;
    if (*rest == '.')
        rest += 1 + strspn(rest + 1, "0");
    while (end - from > 1 && *from == '0')
        from++;
    *length = (size_t)(end - from);
    return *rest == '\0' ? from : NULL;
}

/* Normalises the name of a class that is a number, in place. Whole numbers keep all their digits. */
static size_t name_number(char name[SHW_CLASS_NAME_BYTES_MAX + 1])
{
    size_t length = 0;
    const char *digits = whole_digits(name, &length);
    const bool negative = *name == '-' && digits != NULL && *digits != '0';

    if (digits == NULL)
        return shw_class_name_of_number(strtod(name, NULL), name);
    memmove(name + negative, digits, length);
    name[negative + length] = '\0';
    return negative + length;
}

size_t shw_csv_field_class(const struct shw_csv_field *field, char name[SHW_CLASS_NAME_BYTES_MAX + 1])
{
    const size_t length = shw_csv_field_text(field, SHW_CLASS_NAME_BYTES_MAX, name);
    float number;

    if (length > SHW_CLASS_NAME_BYTES_MAX || length == 0)
        return length;
    if (strcmp(name, "?") == 0 || strcasecmp(name, "nan") == 0)
        return 0;
    if (shw_number_read(name, &number) == name + length)
        return name_number(name);
    return length;
}

/* Whether the first record of a text names its columns. */

/* A record, divided into fields. */
struct csv_row {
    struct shw_csv_field *fields;
    enum shw_csv_field_kind *kinds;
    uint32_t count; /* 0: there is none */
    uint64_t line;
};

#define NUMBERS_MIN      2u
#define NUMBERS_BARE_MIN 3u /* without text among them */
#define NUMBER_DIGITS    6u

static bool has_truth_name(const struct csv_row *row)
{
    bool found = false;

    for (uint32_t i = 0; i < row->count && !found; i++)
        if (row->kinds[i] == SHW_CSV_TEXT && row->fields[i].length < 8) {
            char *name = shw_csv_field_copy(&row->fields[i]);
            found = name != NULL && shw_is_truth_name(name);
            free(name);
        }
    return found;
}

static bool is_same_text(const struct shw_csv_field *a, const struct shw_csv_field *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

/* Whether the field is the number as programs count columns: without sign, point or leading zeros. */
static bool is_count(const struct shw_csv_field *field, uint32_t number)
{
    char digits[NUMBER_DIGITS + 1] = "";

    if (field->length > NUMBER_DIGITS || (field->length > 1 && *field->text == '0'))
        return false;
    memcpy(digits, field->text, field->length);
    return strspn(digits, "0123456789") == field->length && strtoul(digits, NULL, 10) == number;
}

/* How many numbers a record has that count from 0 or from 1; 0 if they do not, or if there are other fields than these,
 * texts and empty ones. */
static uint32_t count_numbering(const struct csv_row *row)
{
    uint32_t count = 0, from = 0;

    for (uint32_t i = 0; i < row->count; i++) {
        const struct shw_csv_field *field = &row->fields[i];

        if (row->kinds[i] == SHW_CSV_MISSING && field->length > 0)
            return 0;
        if (row->kinds[i] != SHW_CSV_NUMBER)
            continue;
        from = count == 0 && is_count(field, 1) ? 1 : from;
        if (!is_count(field, from + count))
            return 0;
        count++;
    }
    return count;
}

/* What the other records say about the first. */
struct evidence {
    bool recurs;   /* a text of it is there again, in its column */
    bool repeats;  /* a text of the second is, which lies below one of the first */
    bool number;   /* a number lies below one of its texts */
    bool fraction; /* a number with a point lies below one of its numbers */
    bool differs;  /* the second has another number below one of its numbers */
};

static void compare_field(const struct csv_row rows[2], uint32_t column, const struct shw_csv_field *field,
                          bool is_second, struct evidence *evidence)
{
    const struct shw_csv_field *above = &rows[0].fields[column], *second = &rows[1].fields[column];

    if (rows[0].kinds[column] == SHW_CSV_TEXT) {
        evidence->recurs = evidence->recurs || is_same_text(field, above);
        evidence->repeats = evidence->repeats || (!is_second && is_same_text(field, second));
        evidence->number = evidence->number || (is_second && rows[1].kinds[column] == SHW_CSV_NUMBER);
    } else if (rows[0].kinds[column] == SHW_CSV_NUMBER) {
        evidence->fraction = evidence->fraction || memchr(field->text, '.', field->length) != NULL;
        evidence->differs = evidence->differs || (is_second && !is_same_text(field, above));
    }
}

static void compare_record(const struct csv_row rows[2], char delimiter, const char *at, bool is_second,
                           struct evidence *evidence)
{
    for (uint32_t column = 0; column < rows[0].count; column++) {
        struct shw_csv_field field;

        if (!shw_csv_field_read(at, delimiter, &field))
            return;
        compare_field(rows, column, &field, is_second, evidence);
        if (*field.end != delimiter)
            return;
        at = field.end + 1;
    }
}

/* Compares all records that the buffer has now. */
static struct evidence compare_records(const struct shw_text_buffer *buffer, const struct csv_row rows[2])
{
    const char *at = buffer->text + buffer->begin, *end = buffer->text + buffer->end;
    struct evidence evidence = {.recurs = false};
    uint64_t lines = 0;

    for (uint32_t r = 0;; r++) {
        const char *record = shw_csv_find_record(buffer, at, &lines);

        at = record != NULL ? shw_csv_buffer_record_end(buffer, record, end) : NULL;
        if (at == NULL)
            return evidence;
        if (r > 0)
            compare_record(rows, buffer->delimiter, record, r == 1, &evidence);
    }
}

/* Whether numbers are the names of columns, as pandas writes them if there are no others. */
static bool is_numbered(const struct shw_csv *csv, const struct csv_row rows[2])
{
    const uint32_t count = count_numbering(&rows[0]);
    struct evidence evidence;
    bool has_text = false;

    if (count < NUMBERS_MIN || rows[0].count != rows[1].count)
        return false;
    for (uint32_t i = 0; i < rows[0].count; i++)
        has_text = has_text || rows[0].kinds[i] == SHW_CSV_TEXT;
    evidence = compare_records(&csv->buffer, rows);
    if (!evidence.differs || evidence.recurs)
        return false;
    return has_text ? evidence.number || evidence.repeats : count >= NUMBERS_BARE_MIN && evidence.fraction;
}

/* Whether no field is a number and one is a name above numbers, or one that the others lack. */
static bool is_named(const struct csv_row rows[2])
{
    uint32_t texts = 0;
    bool differs = false;

    for (uint32_t i = 0; i < rows[0].count; i++) {
        if (rows[0].kinds[i] == SHW_CSV_NUMBER)
            return false;
        if (rows[0].kinds[i] != SHW_CSV_TEXT)
            continue;
        texts++;
        differs = differs || (i < rows[1].count && rows[1].kinds[i] != SHW_CSV_TEXT);
    }
    if (rows[1].count == 0)
        return texts > 1;
    return differs || (rows[1].count > 1 && rows[0].count + 1 == rows[1].count);
}

/* By the rules of docs/records-command.md. `rows`: the first two records of the buffer. */
static bool csv_is_header(const struct shw_csv *csv, const struct csv_row rows[2])
{
    if (csv->params->header != SHW_TABLE_HEADER_AUTO)
        return csv->params->header == SHW_TABLE_HEADER_YES;
    return has_truth_name(&rows[0]) || is_named(rows) || is_numbered(csv, rows);
}

static const char delimiters[] = ",;\t"; /* the first of equals */

static void free_row(struct csv_row *row)
{
    free(row->fields);
    free(row->kinds);
}

static enum shw_result fail_format(const struct shw_csv *csv, uint64_t line, const char *what)
{
    return shw_fail(&csv->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %llu: %s", csv->name,
                    (unsigned long long)line, what);
}

/* Whether lines end as on early Macs. A newline at the end may have been added to the text. */
static bool has_bare_returns(const struct shw_text_buffer *buffer)
{
    const char *at = buffer->text + buffer->begin, *end = buffer->text + buffer->end;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *last = newline != NULL ? newline : end, *mark = memchr(at, '\r', (size_t)(last - at));

    return mark != NULL && mark + 1 < last && (newline == NULL || newline + 1 == end);
}

static enum shw_result check_encoding(struct shw_csv *csv)
{
    struct shw_text_buffer *buffer = &csv->buffer;
    const char *text = buffer->text;

    if (buffer->end >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        buffer->begin = 3;
    else if (buffer->end >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
        return fail_format(csv, 1, "the text is UTF-16: save it as UTF-8");
    if (has_bare_returns(buffer))
        return fail_format(csv, 1, "lines end with CR alone: make them end with LF, as tr '\\r' '\\n' does");
    return SHW_OK;
}

/* The delimiter that divides the first record into the most fields. */
static char recognise_delimiter(const struct shw_text_buffer *buffer)
{
    uint64_t lines = 0;
    const char *record = shw_csv_find_record(buffer, buffer->text + buffer->begin, &lines);
    uint32_t counts[sizeof delimiters] = {0};
    size_t best = 0;
    bool quoted = false;

    for (const char *at = record; at != NULL && *at != '\0' && (quoted || *at != '\n'); at++) {
        const char *delimiter = strchr(delimiters, *at);
        quoted = quoted != (*at == '"');
        if (delimiter != NULL && !quoted)
            counts[delimiter - delimiters]++;
    }
    for (size_t d = 1; delimiters[d] != '\0'; d++)
        if (counts[d] > counts[best])
            best = d;
    return delimiters[best];
}

/* Lines that begin with ; are comments unless fields end with it. */
static void take_delimiter(struct shw_csv *csv)
{
    struct shw_text_buffer *buffer = &csv->buffer;

    buffer->marks = "#;";
    buffer->delimiter = csv->params->delimiter != 0 ? csv->params->delimiter : recognise_delimiter(buffer);
    if (buffer->delimiter == ';')
        buffer->marks = "#";
}

/* Whether the buffer has two whole records, or all that there are. */
static bool has_two_records(const struct shw_text_buffer *buffer)
{
    const char *at = buffer->text + buffer->begin, *end = buffer->text + buffer->end;
    uint64_t lines = 0;

    if (buffer->at_end)
        return true;
    for (int i = 0; i < 2; i++) {
        at = shw_csv_find_record(buffer, at, &lines);
        at = at != NULL ? shw_csv_buffer_record_end(buffer, at, end) : NULL;
        if (at == NULL)
            return false;
    }
    return true;
}

/* Divides a record into fields. */
static enum shw_result read_row(const struct shw_csv *csv, const char *at, struct csv_row *row)
{
    uint32_t capacity = 0;

    for (;; at++) {
        struct shw_csv_field field;
        float value;

        if (!shw_csv_field_read(at, csv->buffer.delimiter, &field))
            return fail_format(csv, row->line, "text after a closing quotation mark");
        if (row->count == SHW_COLUMNS_MAX)
            return shw_fail(&csv->params->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET, "%s, line %llu: more than %u fields",
                            csv->name, (unsigned long long)row->line, SHW_COLUMNS_MAX);
        if (row->count == capacity) {
            struct shw_csv_field *fields = realloc(row->fields, (2 * capacity + 16) * sizeof *fields);
            enum shw_csv_field_kind *kinds;

            row->fields = fields != NULL ? fields : row->fields;
            kinds = fields != NULL ? realloc(row->kinds, (2 * capacity + 16) * sizeof *kinds) : NULL;
            if (kinds == NULL)
                return shw_fail_memory(&csv->params->log, csv->name);
            row->kinds = kinds;
            capacity = 2 * capacity + 16;
        }
        row->kinds[row->count] = shw_csv_field_number(&field, &value);
        row->fields[row->count++] = field;
        at = field.end;
        if (*at != csv->buffer.delimiter)
            return SHW_OK;
    }
}

/* The column that a header with one name too few leaves out: that of classes. */
static enum shw_result find_unnamed(const struct shw_csv *csv, const struct csv_row *header, const struct csv_row *row,
                                    uint32_t *unnamed)
{
    const char *given = csv->params->class_column;
    uint32_t texts = 0;

    *unnamed = SHW_COLUMN_NONE;
    if (header->count == row->count)
        return SHW_OK;
    if (header->count + 1 != row->count)
        return shw_fail(&csv->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s, line %llu: %s, while the header has %s", csv->name, (unsigned long long)row->line,
                        shw_counted(row->count, "field", "fields").text,
                        shw_counted(header->count, "name", "names").text);
    if (given != NULL && *given >= '1' && *given <= '9' && strtoul(given, NULL, 10) <= row->count) {
        *unnamed = (uint32_t)strtoul(given, NULL, 10) - 1;
        return SHW_OK;
    }
    for (uint32_t i = 0; i < row->count; i++)
        if (row->kinds[i] == SHW_CSV_TEXT) {
            texts++;
            *unnamed = i;
        }
    if (texts != 1)
        return fail_format(csv, header->line,
                           "the header has one name fewer than records have fields: which column has the classes? "
                           "--target NUMBER");
    return SHW_OK;
}

static bool has_zero_byte(const struct shw_csv_field *field)
{
    return memchr(field->text, '\0', field->length) != NULL;
}

static enum shw_result take_names(struct shw_csv *csv, const struct csv_row *header, uint32_t unnamed)
{
    struct shw_table_columns *columns = &csv->columns;
    uint32_t from = 0;

    columns->names = calloc(columns->count + (size_t)1, sizeof *columns->names);
    if (columns->names == NULL)
        return shw_fail_memory(&csv->params->log, csv->name);
    columns->line = header->line;
    for (uint32_t c = 0; c < columns->count; c++) {
        if (c != unnamed && has_zero_byte(&header->fields[from]))
            return shw_fail(&csv->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s, line %llu, column %u: the name has a zero byte", csv->name,
                            (unsigned long long)header->line, c + 1);
        columns->names[c] = c == unnamed ? calloc(1, 1) : shw_csv_field_copy(&header->fields[from++]);
        if (columns->names[c] == NULL)
            return shw_fail_memory(&csv->params->log, csv->name);
    }
    return SHW_OK;
}

/* What the first record says about the column that usually has the classes. */
static void take_last(struct shw_csv *csv, const struct shw_csv_field *field, enum shw_csv_field_kind kind)
{
    char name[SHW_CLASS_NAME_BYTES_MAX + 1];
    const size_t length = shw_csv_field_class(field, name);
    float value = 0;

    csv->columns.last_is_known = csv->params->classes != NULL && length > 0 && length <= SHW_CLASS_NAME_BYTES_MAX &&
                                 shw_name_set_find(csv->params->classes, name, length) != SHW_NO_NAME;
    if (kind == SHW_CSV_NUMBER && shw_csv_field_number(field, &value) == SHW_CSV_NUMBER)
        csv->columns.last_has_fraction = value != floorf(value);
}

static enum shw_result take_columns(struct shw_csv *csv, const struct csv_row *header, const struct csv_row *row)
{
    struct shw_table_columns *columns = &csv->columns;
    uint32_t unnamed = SHW_COLUMN_NONE;

    columns->count = row->count > 0 ? row->count : header->count;
    if (header != NULL && row->count > 0)
        SHW_PROPAGATE(find_unnamed(csv, header, row, &unnamed));
    if (header != NULL)
        SHW_PROPAGATE(take_names(csv, header, unnamed));
    columns->is_text = calloc(columns->count + (size_t)1, sizeof *columns->is_text);
    if (columns->is_text == NULL)
        return shw_fail_memory(&csv->params->log, csv->name);
    for (uint32_t c = 0; c < row->count; c++)
        columns->is_text[c] = row->kinds[c] == SHW_CSV_TEXT;
    if (row->count > 0)
        take_last(csv, &row->fields[row->count - 1], row->kinds[row->count - 1]);
    return SHW_OK;
}

/* Reads the first two records, which have no fields if they are missing, and skips the header. */
static enum shw_result read_first_rows(struct shw_csv *csv, struct csv_row rows[2])
{
    struct shw_text_buffer *buffer = &csv->buffer;
    const char *at = buffer->text + buffer->begin, *end = buffer->text + buffer->end, *after_first = at;
    uint64_t lines = 0, lines_after_first = 0;
    bool header;

    for (int i = 0; i < 2; i++) {
        const char *record = shw_csv_find_record(buffer, at, &lines);

        if (record == NULL)
            break;
        at = shw_csv_buffer_record_end(buffer, record, end);
        rows[i].line = lines + 1;
        if (at == NULL)
            return fail_format(csv, lines + 1, "a quotation mark is not closed");
        SHW_PROPAGATE(read_row(csv, record, &rows[i]));
        for (const char *c = record; c < at; c++)
            lines += *c == '\n';
        after_first = i == 0 ? at : after_first;
        lines_after_first = i == 0 ? lines : lines_after_first;
    }
    if (rows[0].count == 0)
        return shw_fail(&csv->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has no records", csv->name);
    header = csv_is_header(csv, rows);
    SHW_PROPAGATE(take_columns(csv, header ? &rows[0] : NULL, header ? &rows[1] : &rows[0]));
    if (!header && csv->params->header == SHW_TABLE_HEADER_AUTO)
        csv->columns.doubtful_line = rows[0].line;
    if (header) {
        buffer->begin = (size_t)(after_first - buffer->text);
        buffer->lines = lines_after_first;
    }
    return SHW_OK;
}

enum shw_result shw_csv_find_layout(struct shw_csv *csv)
{
    struct csv_row rows[2] = {{.count = 0}, {.count = 0}};
    enum shw_result result;

    SHW_PROPAGATE(shw_text_buffer_fill(&csv->buffer));
    SHW_PROPAGATE(check_encoding(csv));
    take_delimiter(csv);
    while (!has_two_records(&csv->buffer)) {
        SHW_PROPAGATE(shw_csv_buffer_grow(&csv->buffer));
        take_delimiter(csv);
    }
    result = read_first_rows(csv, rows);
    free_row(&rows[0]);
    free_row(&rows[1]);
    return result == SHW_OK ? shw_table_columns_choose(&csv->columns, csv->name, csv->params) : result;
}
