#include "files/convert/scannet_names.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/class.h"
#include "base/log.h"
#include "files/convert/fields.h"
#include "files/io/file_bytes.h"

#define COLUMN_DEFAULT "nyu40class"
#define COLUMNS_MAX    1000u

/* A table being read. */
struct table {
    struct shw_lines lines;
    const char *name, *column;
    size_t id_place, name_place; /* of the columns */
    const struct shw_log *log;
};

/* The field at that place of a line; fields may be empty. False if there are fewer. */
static bool find_field(struct shw_field line, size_t place, struct shw_field *field)
{
    const char *end = line.start + line.length;

    for (;; place--) {
        const char *tab = line.start < end ? memchr(line.start, '\t', (size_t)(end - line.start)) : NULL;
        *field = (struct shw_field){line.start, (size_t)((tab != NULL ? tab : end) - line.start)};
        if (place == 0 || tab == NULL)
            return place == 0;
        line.start = tab + 1;
    }
}

static bool find_column(struct shw_field line, const char *name, size_t *place)
{
    struct shw_field field;

    for (*place = 0; *place < COLUMNS_MAX && find_field(line, *place, &field); ++*place)
        if (shw_field_is(&field, name))
            return true;
    return false;
}

static enum shw_result read_head(struct table *table)
{
    const char *missing = NULL;

    if (!shw_lines_next(&table->lines))
        return shw_fail(table->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is empty", table->name);
    if (!find_column(table->lines.line, "id", &table->id_place))
        missing = "id";
    else if (!find_column(table->lines.line, table->column, &table->name_place))
        missing = table->column;
    return missing == NULL ? SHW_OK
                           : shw_fail(table->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                                      "%s, line 1: there is no column \"%s\" between tabs", table->name, missing);
}

static enum shw_result read_row(const struct table *table, struct shw_label_names *names)
{
    const unsigned number = table->lines.number;
    struct shw_field id, name;
    uint64_t value;
    char *copy;

    if (!find_field(table->lines.line, table->id_place, &id) ||
        !find_field(table->lines.line, table->name_place, &name))
        return shw_fail(table->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %u: there are too few columns",
                        table->name, number);
    if (!shw_field_number(&id, 65535, &value))
        return shw_fail(table->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s, line %u: \"%.*s\" is not a label's number from 0 to 65535", table->name, number,
                        shw_field_shown(&id), id.start);
    copy = shw_field_copy(&name);
    if (copy == NULL || !SHW_RESERVE(names->list, names->capacity, names->count + (size_t)1)) {
        free(copy);
        return shw_fail_memory(table->log, table->name);
    }
    names->list[names->count++] = (struct shw_label_name){(uint32_t)value, copy};
    if (copy[0] != '\0' && (strlen(copy) != name.length || !shw_class_name_is_valid(copy)))
        return shw_fail(table->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s, line %u: \"%.*s\" cannot be the name of a class", table->name, number,
                        shw_field_shown(&name), copy);
    return SHW_OK;
}

enum shw_result shw_scannet_names_decode(const void *bytes, size_t size, const char *name, const char *column,
                                         const struct shw_log *log, struct shw_label_names *names)
{
    const char *text = shw_skip_byte_order_mark(bytes, &size);
    struct table table = {.lines = {.at = text, .end = text + size},
                          .name = name,
                          .column = column != NULL ? column : COLUMN_DEFAULT,
                          .log = log};
    enum shw_result result = read_head(&table);

    *names = (struct shw_label_names){0};
    while (result == SHW_OK && shw_lines_next(&table.lines))
        if (table.lines.line.length > 0)
            result = read_row(&table, names);
    if (result == SHW_OK && names->count == 0)
        result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s names no label", name);
    if (result == SHW_OK)
        result = shw_label_names_sort(names, name, log);
    if (result != SHW_OK)
        shw_label_names_free(names);
    return result;
}

enum shw_result shw_scannet_names_read(const char *path, const char *column, const struct shw_log *log,
                                       struct shw_label_names *names)
{
    struct shw_file_bytes bytes = {0};
    enum shw_result result = shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, log, &bytes);

    if (result == SHW_OK)
        result = shw_scannet_names_decode(bytes.bytes, bytes.size, path, column, log, names);
    shw_file_bytes_free(&bytes);
    return result;
}
