#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/dataset/annotations_build.h"

#define FIELDS 6u
#define HEADER "image,x,y,width,height[,label]"

static const char *const names[FIELDS] = {"image", "x", "y", "width", "height", "label"};

/* A line, whose fields lie in the text, unquoted in place. */
struct row {
    unsigned line; /* from 1 */
    uint32_t count;
    char *fields[FIELDS];
};

static enum shw_result wrong(const struct shw_annotation_builder *builder, const struct row *row, const char *what)
{
    return shw_fail(builder->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %u: %s", builder->name, row->line, what);
}

/* Takes the quotation marks from a field that begins with one; *end becomes what follows it. False if there is no
 * closing one. */
static bool unquote(char *field, char **end)
{
    char *to = field;

    for (char *from = field + 1; *from != '\0'; from++) {
        if (*from != '"') {
            *to++ = *from;
            continue;
        }
        if (from[1] == '"') {
            *to++ = *from++;
            continue;
        }
        *end = from + 1;
        *to = '\0';
        return true;
    }
    return false;
}

/* Splits a line, which may not hold another. Returns what is wrong, or NULL. */
static const char *split(char *line, struct row *row)
{
    row->count = 0;
    for (;;) {
        char *end = line;

        if (row->count == FIELDS)
            return "more than six fields: the columns are " HEADER;
        row->fields[row->count++] = line;
        if (*line != '"')
            end = line + strcspn(line, ",");
        else if (!unquote(line, &end))
            return "a quotation mark that is not closed on the line";
        if (*end == '\0') /* unquote() has ended it before if it was quoted */
            return NULL;
        if (*end != ',')
            return "text after a closing quotation mark";
        *end = '\0';
        line = end + 1;
    }
}

static bool is_heading(const struct row *row)
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
static bool is_other_heading(const struct row *row)
{
    uint32_t separators = 0;

    for (const char *at = row->fields[0]; row->count == 1 && *at != '\0'; at++)
        separators += *at == ';' || *at == '\t';
    for (uint32_t i = 1; i < row->count; i++)
        if (row->fields[i][0] == '\0' || is_number(row->fields[i]))
            return false;
    return row->count > 1 || separators >= 4;
}

static bool has_rectangle(const struct row *row)
{
    for (uint32_t i = 1; i < row->count; i++)
        if (row->fields[i][0] != '\0')
            return true;
    return false;
}

static enum shw_result read_rectangle(const struct shw_annotation_builder *builder, const struct row *row,
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

static enum shw_result read_row(struct shw_annotation_builder *builder, const struct row *row)
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

enum shw_result shw_annotations_csv(struct shw_annotation_builder *builder, const char *text, size_t size)
{
    char *copy = malloc(size + 1), *line = copy;
    struct row row = {0};
    bool first = true;
    enum shw_result result = SHW_OK;

    if (copy == NULL)
        return shw_fail_memory(builder->log, builder->name);
    memcpy(copy, text, size);
    copy[size] = '\0';
    while (line < copy + size && result == SHW_OK) {
        char *end = line + strcspn(line, "\n"), *next = end + 1;
        const char *why;

        row.line++;
        if (*end == '\0' && end < copy + size) {
            result = wrong(builder, &row, "this is not a text");
            break;
        }
        if (end > line && end[-1] == '\r')
            end--;
        *end = '\0';
        if (*line != '\0' && *line != '#') {
            why = split(line, &row);
            if (why != NULL)
                result = wrong(builder, &row, why);
            else if (first && is_other_heading(&row) && !is_heading(&row))
                result = wrong(builder, &row,
                               "the columns are not those of " HEADER ", separated by commas and in this order, of "
                               "which the file may have a header");
            else if (!first || !is_heading(&row))
                result = read_row(builder, &row);
            first = false;
        }
        line = next;
    }
    free(copy);
    return result;
}
