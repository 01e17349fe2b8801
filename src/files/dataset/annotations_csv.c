#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/dataset/annotations_build.h"
#include "files/io/csv_read.h"

#define FIELDS 6u
#define HEADER "image,x,y,width,height[,label]"

static const char *const names[FIELDS] = {"image", "x", "y", "width", "height", "label"};

static enum shw_result wrong(const struct shw_annotation_builder *builder, const struct shw_csv_reader *row,
                             const char *what)
{
    return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %u: %s", builder->name, row->line, what);
}

static bool is_heading(const struct shw_csv_reader *row)
{
    if (row->count < 5)
        return false;
    for (uint32_t i = 0; i < row->count; i++)
        if (strcmp(row->fields[i], names[i]) != 0)
            return false;
    return true;
}

static bool is_number(const char *field)
{
    char *end;

    strtod(field, &end);
    return end > field && *end == '\0';
}

/* Whether a record has names where rectangles have numbers, or is not divided by commas. */
static bool is_other_heading(const struct shw_csv_reader *row)
{
    uint32_t separators = 0;

    for (const char *at = row->fields[0]; row->count == 1 && *at != '\0'; at++)
        separators += *at == ';' || *at == '\t';
    for (uint32_t i = 1; i < row->count; i++)
        if (row->fields[i][0] == '\0' || is_number(row->fields[i]))
            return false;
    return row->count > 1 || separators >= 4;
}

static bool has_rectangle(const struct shw_csv_reader *row)
{
    for (uint32_t i = 1; i < row->count; i++)
        if (row->fields[i][0] != '\0')
            return true;
    return false;
}

static enum shw_result read_rectangle(const struct shw_annotation_builder *builder, const struct shw_csv_reader *row,
                                      struct shw_annotated_object *object)
{
    double box[4];
    const char *why;

    if (row->count < 5)
        return wrong(builder, row, "fewer than five fields: the columns are " HEADER);
    for (uint32_t i = 0; i < 4; i++) {
        char *end;

        box[i] = strtod(row->fields[i + 1], &end);
        if (end == row->fields[i + 1] || *end != '\0')
            return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s, line %u: %s is \"%.40s\", not a number", builder->name, row->line, names[i + 1],
                            row->fields[i + 1]);
    }
    why = shw_annotation_round(box, object);
    return why == NULL ? SHW_OK
                       : shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %u %s", builder->name,
                                  row->line, why);
}

static enum shw_result read_row(struct shw_annotation_builder *builder, const struct shw_csv_reader *row)
{
    struct shw_annotated_object object = {.label = SHW_NO_OBJECT_LABEL, .line = row->line};
    uint32_t image;

    if (row->fields[0][0] == '\0')
        return wrong(builder, row, "the name of the image is missing");
    SHW_PROPAGATE(shw_annotation_image(builder, row->fields[0], strlen(row->fields[0]), &image));
    if (!has_rectangle(row))
        return SHW_OK;
    SHW_PROPAGATE(read_rectangle(builder, row, &object));
    if (row->count > 5 && row->fields[5][0] != '\0')
        SHW_PROPAGATE(shw_annotation_label(builder, row->fields[5], strlen(row->fields[5]), &object.label));
    return shw_annotation_add(builder, image, &object);
}

static enum shw_result read_rows(struct shw_annotation_builder *builder, struct shw_csv_reader *row)
{
    for (bool first = true;; first = false) {
        SHW_PROPAGATE(shw_csv_next(row));
        if (row->count == 0)
            return SHW_OK;
        if (row->count > FIELDS)
            return wrong(builder, row, "more than six fields: the columns are " HEADER);
        if (first && is_heading(row))
            continue;
        if (first && is_other_heading(row))
            return wrong(builder, row,
                         "the columns are not those of " HEADER ", separated by commas and in this order, of which the "
                         "file may have a header");
        SHW_PROPAGATE(read_row(builder, row));
    }
}

enum shw_result shw_annotations_csv(struct shw_annotation_builder *builder, const char *text, size_t size)
{
    struct shw_csv_reader reader = {.name = builder->name,
                                    .log = builder->log,
                                    .item = SHW_LOG_DATASET,
                                    .comment = "#",
                                    .fields_max = FIELDS,
                                    .keeps_blanks = true};
    enum shw_result result = shw_csv_begin(&reader, text, size);

    if (result == SHW_OK)
        result = read_rows(builder, &reader);
    shw_csv_end(&reader);
    return result;
}
