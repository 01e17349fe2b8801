#include "files/formats/number_table.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

struct scanner {
    const char *at, *end;
    const struct shw_log *log;
    uint32_t line;
    struct shw_number_table *table;
    uint32_t value_count, value_capacity, row_capacity;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct scanner *scanner)
{
    while (scanner->at < scanner->end && is_blank(*scanner->at))
        scanner->at++;
}

static bool at_end_of_line(const struct scanner *scanner)
{
    return scanner->at == scanner->end || *scanner->at == '\n';
}

static enum shw_result too_many(const struct scanner *scanner)
{
    return shw_fail(scanner->log, SHW_ERROR_LIMIT, SHW_LOG_CASCADE, "%s, line %u: more than %u numbers",
                    scanner->table->name, scanner->line, SHW_TABLE_VALUES_MAX);
}

/* Makes room for one more; memory doubles. */
static bool grow(void **items, size_t size, uint32_t count, uint32_t *capacity)
{
    void *larger;

    if (count < *capacity)
        return true;
    larger = realloc(*items, size * (*capacity * 2 + 64));
    if (larger == NULL)
        return false;
    *items = larger;
    *capacity = *capacity * 2 + 64;
    return true;
}

static enum shw_result add_value(struct scanner *scanner, double value)
{
    void *values = scanner->table->values;

    if (scanner->value_count == SHW_TABLE_VALUES_MAX)
        return too_many(scanner);
    if (!grow(&values, sizeof(double), scanner->value_count, &scanner->value_capacity))
        return shw_fail_memory(scanner->log, scanner->table->name);
    scanner->table->values = values;
    scanner->table->values[scanner->value_count++] = value;
    return SHW_OK;
}

/* The end of the rows is kept as the start of the next one. */
static enum shw_result begin_row(struct scanner *scanner)
{
    struct shw_number_table *table = scanner->table;
    void *starts = table->starts, *lines = table->lines;
    uint32_t capacity = scanner->row_capacity;
    bool grown = grow(&starts, sizeof(uint32_t), table->row_count + 1, &capacity);

    table->starts = starts;
    grown = grown && grow(&lines, sizeof(uint32_t), table->row_count + 1, &scanner->row_capacity);
    table->lines = lines;
    if (!grown)
        return shw_fail_memory(scanner->log, table->name);
    table->lines[table->row_count++] = scanner->line;
    return SHW_OK;
}

/* `what` is wrong with the rest of the field. */
static enum shw_result wrong_field(const struct scanner *scanner, const char *rest, const char *what)
{
    size_t length = strcspn(rest, ",\r\n");

    return shw_fail(scanner->log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "%s, line %u: \"%.*s\" %s", scanner->table->name,
                    scanner->line, (int)(length < 40 ? length : 40), rest, what);
}

static enum shw_result scan_field(struct scanner *scanner)
{
    const char *start;
    char *end;
    double value = NAN;

    skip_blanks(scanner);
    start = scanner->at;
    if (!at_end_of_line(scanner) && *start != ',') {
        value = shw_decimal_read(start, &end);
        if (end == start || !isfinite(value))
            return wrong_field(scanner, start, "is not a number");
        scanner->at = end;
        skip_blanks(scanner);
    }
    if (!at_end_of_line(scanner) && *scanner->at != ',')
        return wrong_field(scanner, scanner->at, "follows a number");
    return add_value(scanner, value);
}

static enum shw_result scan_row(struct scanner *scanner)
{
    SHW_PROPAGATE(begin_row(scanner));
    SHW_PROPAGATE(scan_field(scanner));
    while (!at_end_of_line(scanner)) {
        scanner->at++; /* a comma */
        SHW_PROPAGATE(scan_field(scanner));
    }
    scanner->table->starts[scanner->table->row_count] = scanner->value_count;
    return SHW_OK;
}

static enum shw_result scan_table(struct scanner *scanner)
{
    for (; scanner->at < scanner->end; scanner->at++, scanner->line++) {
        skip_blanks(scanner);
        if (scanner->at < scanner->end && *scanner->at == '#')
            while (!at_end_of_line(scanner))
                scanner->at++;
        if (!at_end_of_line(scanner))
            SHW_PROPAGATE(scan_row(scanner));
        if (scanner->at == scanner->end)
            break;
    }
    if (scanner->table->row_count == 0)
        return shw_fail(scanner->log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "%s: there are no rows", scanner->table->name);
    scanner->table->starts[0] = 0;
    return SHW_OK;
}

enum shw_result shw_number_table_parse(const char *text, size_t size, const char *name, const struct shw_log *log,
                                       struct shw_number_table *table)
{
    struct scanner scanner = {.at = text, .end = text + size, .log = log, .line = 1, .table = table};
    enum shw_result result;

    *table = (struct shw_number_table){.name = name};
    result = scan_table(&scanner);
    if (result != SHW_OK)
        shw_number_table_free(table);
    return result;
}

void shw_number_table_free(struct shw_number_table *table)
{
    free(table->starts);
    free(table->lines);
    free(table->values);
    *table = (struct shw_number_table){0};
}
