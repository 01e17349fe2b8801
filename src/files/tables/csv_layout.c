/* How a table in text is laid out: its delimiter, its header and its columns, which its first records say. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/class.h"
#include "base/log.h"
#include "base/text.h"
#include "files/tables/csv_header.h"

static const char delimiters[] = ",;\t"; /* the first of equals */

static void free_row(struct shw_csv_row *row)
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
static bool has_bare_returns(const struct shw_csv_buffer *buffer)
{
    const char *at = buffer->text + buffer->begin, *end = buffer->text + buffer->end;
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    const char *last = newline != NULL ? newline : end, *mark = memchr(at, '\r', (size_t)(last - at));

    return mark != NULL && mark + 1 < last && (newline == NULL || newline + 1 == end);
}

static enum shw_result check_encoding(struct shw_csv *csv)
{
    struct shw_csv_buffer *buffer = &csv->buffer;
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
static char recognise_delimiter(const struct shw_csv_buffer *buffer)
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
    struct shw_csv_buffer *buffer = &csv->buffer;

    buffer->marks = "#;";
    buffer->delimiter = csv->params->delimiter != 0 ? csv->params->delimiter : recognise_delimiter(buffer);
    if (buffer->delimiter == ';')
        buffer->marks = "#";
}

/* Whether the buffer has two whole records, or all that there are. */
static bool has_two_records(const struct shw_csv_buffer *buffer)
{
    const char *at = buffer->text + buffer->begin, *end = buffer->text + buffer->end;
    uint64_t lines = 0;

    if (buffer->at_end)
        return true;
    for (int i = 0; i < 2; i++) {
        at = shw_csv_find_record(buffer, at, &lines);
        at = at != NULL ? shw_csv_record_end(buffer, at, end) : NULL;
        if (at == NULL)
            return false;
    }
    return true;
}

/* Divides a record into fields. */
static enum shw_result read_row(const struct shw_csv *csv, const char *at, struct shw_csv_row *row)
{
    uint32_t capacity = 0;

    for (;; at++) {
        struct shw_csv_field field;
        float value;

        if (!shw_csv_field_read(at, csv->buffer.delimiter, &field))
            return fail_format(csv, row->line, "something follows closing quotation marks");
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

/* The column that a header with one name fewer leaves out: that of classes. */
static enum shw_result find_unnamed(const struct shw_csv *csv, const struct shw_csv_row *header,
                                    const struct shw_csv_row *row, uint32_t *unnamed)
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

static enum shw_result take_names(struct shw_csv *csv, const struct shw_csv_row *header, uint32_t unnamed)
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

/* What the first record says of the column that classes usually have. */
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

static enum shw_result take_columns(struct shw_csv *csv, const struct shw_csv_row *header,
                                    const struct shw_csv_row *row)
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

/* The first two records; those that are not there have no fields. Then passes over the header. */
static enum shw_result read_first_rows(struct shw_csv *csv, struct shw_csv_row rows[2])
{
    struct shw_csv_buffer *buffer = &csv->buffer;
    const char *at = buffer->text + buffer->begin, *end = buffer->text + buffer->end, *after_first = at;
    uint64_t lines = 0, lines_after_first = 0;
    bool header;

    for (int i = 0; i < 2; i++) {
        const char *record = shw_csv_find_record(buffer, at, &lines);

        if (record == NULL)
            break;
        at = shw_csv_record_end(buffer, record, end);
        rows[i].line = lines + 1;
        if (at == NULL)
            return fail_format(csv, lines + 1, "quotation marks are not closed");
        SHW_PROPAGATE(read_row(csv, record, &rows[i]));
        for (const char *c = record; c < at; c++)
            lines += *c == '\n';
        after_first = i == 0 ? at : after_first;
        lines_after_first = i == 0 ? lines : lines_after_first;
    }
    if (rows[0].count == 0)
        return shw_fail(&csv->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has no records", csv->name);
    header = shw_csv_is_header(csv, rows);
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
    struct shw_csv_row rows[2] = {{.count = 0}, {.count = 0}};
    enum shw_result result;

    SHW_PROPAGATE(shw_csv_buffer_fill(&csv->buffer));
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
