#include "files/tables/csv_header.h"

#include <stdlib.h>
#include <string.h>

#define NUMBERS_MIN      2u
#define NUMBERS_BARE_MIN 3u /* without a text beside them */
#define NUMBER_DIGITS    6u

static bool has_truth_name(const struct shw_csv_row *row)
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

/* Whether the field is the number as programs count columns: without sign, point or zeros before it. */
static bool is_count(const struct shw_csv_field *field, uint32_t number)
{
    char digits[NUMBER_DIGITS + 1] = "";

    if (field->length > NUMBER_DIGITS || (field->length > 1 && *field->text == '0'))
        return false;
    memcpy(digits, field->text, field->length);
    return strspn(digits, "0123456789") == field->length && strtoul(digits, NULL, 10) == number;
}

/* The numbers of a record that are 0, 1, 2 and so on, or 1, 2, 3 and so on; 0 if they are not, or if there are fields
 * but these, texts and empty ones. */
static uint32_t count_numbering(const struct shw_csv_row *row)
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

/* What the other records say of the first. */
struct evidence {
    bool recurs;   /* a text of it is there again, in its column */
    bool repeats;  /* a text of the second is, which lies below one of the first */
    bool number;   /* a number lies below one of its texts */
    bool fraction; /* a number with a point lies below one of its numbers */
    bool differs;  /* the second has another number below one of its numbers */
};

static void compare_field(const struct shw_csv_row rows[2], uint32_t column, const struct shw_csv_field *field,
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

static void compare_record(const struct shw_csv_row rows[2], char delimiter, const char *at, bool is_second,
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
static struct evidence compare_records(const struct shw_csv_buffer *buffer, const struct shw_csv_row rows[2])
{
    const char *at = buffer->text + buffer->begin, *end = buffer->text + buffer->end;
    struct evidence evidence = {.recurs = false};
    uint64_t lines = 0;

    for (uint32_t r = 0;; r++) {
        const char *record = shw_csv_find_record(buffer, at, &lines);

        at = record != NULL ? shw_csv_record_end(buffer, record, end) : NULL;
        if (at == NULL)
            return evidence;
        if (r > 0)
            compare_record(rows, buffer->delimiter, record, r == 1, &evidence);
    }
}

/* Whether numbers are the names of columns, as pandas writes them if there are no others. */
static bool is_numbered(const struct shw_csv *csv, const struct shw_csv_row rows[2])
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

/* Whether no field is a number, and one is a name above numbers, or one that the others lack. */
static bool is_named(const struct shw_csv_row rows[2])
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

bool shw_csv_is_header(const struct shw_csv *csv, const struct shw_csv_row rows[2])
{
    if (csv->params->header != SHW_TABLE_HEADER_AUTO)
        return csv->params->header == SHW_TABLE_HEADER_YES;
    return has_truth_name(&rows[0]) || is_named(rows) || is_numbered(csv, rows);
}
