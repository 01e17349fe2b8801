#include "files/convert/pcd_header.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"
#include "files/convert/fields.h"
#include "files/image/image_file.h"

#define SPACE          " \t"
#define HEADER_MAX     ((size_t)1 << 16)
#define POINT_SIZE_MAX 4096u

/* What the lines of a header state, each once. */
enum entry { FIELDS, SIZE, TYPE, COUNT, WIDTH, HEIGHT, VIEWPOINT, POINTS, DATA, VERSION, ENTRY_COUNT };
static const char *const entry_names[ENTRY_COUNT] = {"FIELDS", "SIZE",      "TYPE",   "COUNT", "WIDTH",
                                                     "HEIGHT", "VIEWPOINT", "POINTS", "DATA",  "VERSION"};

struct reading {
    struct shw_lines lines;
    const char *name;
    const struct shw_log *log;
    bool given[ENTRY_COUNT];
    uint64_t points;
    struct shw_pcd_header *header;
};

static enum shw_result fail_line(const struct reading *reading, const char *reason)
{
    return shw_fail(reading->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "cannot read %s: line %u: %s", reading->name,
                    reading->lines.number, reason);
}

static enum shw_result fail(const struct reading *reading, enum shw_result result, const char *reason)
{
    return shw_fail(reading->log, result, SHW_LOG_DATASET, "cannot read %s: %s", reading->name, reason);
}

static enum shw_result read_fields(struct reading *reading, struct shw_field rest)
{
    struct shw_pcd_header *header = reading->header;
    struct shw_field name;

    while (shw_field_next(&rest, SPACE, &name)) {
        struct shw_pcd_field *field = &header->fields[header->field_count];
        if (header->field_count == SHW_PCD_FIELDS_MAX)
            return fail_line(reading, "more than 64 fields");
        if (name.length >= sizeof field->name)
            return fail_line(reading, "the name of a field is too long");
        memcpy(field->name, name.start, name.length);
        field->name[name.length] = '\0';
        field->count = 1;
        if (strcmp(field->name, "_") != 0 && shw_pcd_find(header, field->name) != NULL)
            return fail_line(reading, "two fields have one name");
        header->field_count++;
    }
    return header->field_count > 0 ? SHW_OK : fail_line(reading, "no field is named");
}

/* What SIZE, TYPE and COUNT state of a field. */
static bool set_field(struct shw_pcd_field *field, enum entry entry, const struct shw_field *text)
{
    uint64_t number;

    if (entry == TYPE) {
        field->type = text->start[0];
        return text->length == 1 && strchr("IUF", field->type) != NULL;
    }
    if (!shw_field_number(text, POINT_SIZE_MAX, &number) || number == 0)
        return false;
    if (entry == COUNT) {
        field->count = (uint32_t)number;
        return true;
    }
    field->size = (uint32_t)number;
    return number == 1 || number == 2 || number == 4 || number == 8;
}

static enum shw_result read_of_fields(struct reading *reading, enum entry entry, struct shw_field rest)
{
    struct shw_pcd_header *header = reading->header;
    struct shw_field text;
    uint32_t count = 0;

    if (!reading->given[FIELDS])
        return fail_line(reading, "FIELDS must be before it");
    for (; shw_field_next(&rest, SPACE, &text); count++) {
        if (count == header->field_count)
            return fail_line(reading, "there are more of them than FIELDS");
        if (!set_field(&header->fields[count], entry, &text))
            return fail_line(reading, entry == TYPE   ? "a type is I, U or F"
                                      : entry == SIZE ? "a size is 1, 2, 4 or 8"
                                                      : "a count is a number from 1 to 4096");
    }
    return count == header->field_count ? SHW_OK : fail_line(reading, "there are fewer of them than FIELDS");
}

static enum shw_result read_number(struct reading *reading, struct shw_field rest, uint64_t high, uint64_t *number)
{
    struct shw_field text, more;

    if (!shw_field_next(&rest, SPACE, &text) || shw_field_next(&rest, SPACE, &more) ||
        !shw_field_number(&text, high, number))
        return shw_fail(reading->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "cannot read %s: line %u: a whole number from 0 to %llu is needed", reading->name,
                        reading->lines.number, (unsigned long long)high);
    return SHW_OK;
}

static enum shw_result read_side(struct reading *reading, struct shw_field rest, uint32_t *side)
{
    uint64_t number = 0;
    enum shw_result result = read_number(reading, rest, UINT32_MAX, &number);

    *side = (uint32_t)number;
    return result;
}

static enum shw_result read_viewpoint(struct reading *reading, struct shw_field rest)
{
    for (int i = 0; i < 7; i++) {
        struct shw_field text;
        char copy[64], *end;
        bool found = shw_field_next(&rest, SPACE, &text) && text.length < sizeof copy;

        if (found) {
            memcpy(copy, text.start, text.length);
            copy[text.length] = '\0';
            reading->header->viewpoint[i] = strtod(copy, &end);
        }
        if (!found || *end != '\0')
            return fail_line(reading, "seven numbers are needed: a position and a quaternion");
    }
    return SHW_OK;
}

static enum shw_result read_data(struct reading *reading, struct shw_field rest)
{
    static const char *const names[] = {"ascii", "binary", "binary_compressed"};
    struct shw_field text;

    if (shw_field_next(&rest, SPACE, &text))
        for (int i = 0; i < 3; i++)
            if (shw_field_is(&text, names[i])) {
                reading->header->data = (enum shw_pcd_data)i;
                return SHW_OK;
            }
    return fail_line(reading, "the data is ascii, binary or binary_compressed");
}

static enum shw_result read_entry(struct reading *reading, enum entry entry, struct shw_field rest)
{
    if (reading->given[entry])
        return fail_line(reading, "it is stated twice");
    reading->given[entry] = true;
    switch (entry) {
    case FIELDS: return read_fields(reading, rest);
    case SIZE:
    case TYPE:
    case COUNT: return read_of_fields(reading, entry, rest);
    case WIDTH: return read_side(reading, rest, &reading->header->width);
    case HEIGHT: return read_side(reading, rest, &reading->header->height);
    case VIEWPOINT: return read_viewpoint(reading, rest);
    case POINTS: return read_number(reading, rest, UINT64_MAX / 2, &reading->points);
    case DATA: return read_data(reading, rest);
    case VERSION:
    case ENTRY_COUNT: break;
    }
    return SHW_OK;
}

/* Old files call the fields COLUMNS. */
static enum entry find_entry(const struct shw_field *word)
{
    for (int i = 0; i < ENTRY_COUNT; i++)
        if (shw_field_is(word, entry_names[i]))
            return (enum entry)i;
    return shw_field_is(word, "COLUMNS") ? FIELDS : ENTRY_COUNT;
}

static enum shw_result read_lines(struct reading *reading)
{
    while (!reading->given[DATA]) {
        struct shw_field word;
        enum entry entry;

        if (!shw_lines_next(&reading->lines))
            return fail(reading, SHW_ERROR_FORMAT, "it is not a point cloud, or its header has no end: a line DATA");
        if (!shw_field_next(&reading->lines.line, SPACE, &word) || word.start[0] == '#')
            continue;
        entry = find_entry(&word);
        if (entry == ENTRY_COUNT)
            return fail_line(reading, "it is no line of the header of a point cloud");
        SHW_PROPAGATE(read_entry(reading, entry, reading->lines.line));
    }
    return SHW_OK;
}

static enum shw_result place_fields(const struct reading *reading)
{
    struct shw_pcd_header *header = reading->header;
    uint64_t size = 0, values = 0;

    for (uint32_t i = 0; i < header->field_count; i++) {
        struct shw_pcd_field *field = &header->fields[i];
        field->first = (uint32_t)values;
        field->place = (uint32_t)size;
        values += field->count;
        size += (uint64_t)field->size * field->count;
        if (field->type == 'F' && field->size < 4)
            return fail(reading, SHW_ERROR_FORMAT, "a float has 4 or 8 bytes");
    }
    if (size > POINT_SIZE_MAX)
        return fail(reading, SHW_ERROR_LIMIT, "a point has more than 4096 bytes");
    header->value_count = (uint32_t)values;
    header->point_size = (uint32_t)size;
    return SHW_OK;
}

static enum shw_result check(const struct reading *reading)
{
    static const enum entry needed[] = {FIELDS, SIZE, TYPE, WIDTH, HEIGHT};
    const struct shw_pcd_header *header = reading->header;
    const uint64_t points = (uint64_t)header->width * header->height;

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!reading->given[needed[i]])
            return shw_fail(reading->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "cannot read %s: its header has no line %s", reading->name, entry_names[needed[i]]);
    if (header->width < 2 || header->height < 2)
        return fail(reading, SHW_ERROR_FORMAT,
                    "the cloud is not organised: its points are no image with at least two columns and rows");
    if (header->width > SHW_IMAGE_SIZE_MAX || header->height > SHW_IMAGE_SIZE_MAX || points > SHW_IMAGE_PIXELS_MAX)
        return fail(reading, SHW_ERROR_LIMIT, "it has more points than an image may have pixels");
    if (reading->given[POINTS] && reading->points != points)
        return fail(reading, SHW_ERROR_FORMAT, "POINTS is not WIDTH times HEIGHT");
    if (shw_pcd_find(header, "z") == NULL)
        return fail(reading, SHW_ERROR_FORMAT, "its points have no field z");
    return SHW_OK;
}

enum shw_result shw_pcd_header_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                      struct shw_pcd_header *header)
{
    const char *text = bytes;
    struct reading reading = {.lines = {.at = text, .end = text + (size < HEADER_MAX ? size : HEADER_MAX)},
                              .name = name,
                              .log = log,
                              .header = header};

    *header = (struct shw_pcd_header){.viewpoint = {[3] = 1}};
    SHW_PROPAGATE(read_lines(&reading));
    SHW_PROPAGATE(check(&reading));
    SHW_PROPAGATE(place_fields(&reading));
    header->size = (size_t)(reading.lines.at - text);
    return SHW_OK;
}

const struct shw_pcd_field *shw_pcd_find(const struct shw_pcd_header *header, const char *name)
{
    for (uint32_t i = 0; i < header->field_count; i++)
        if (strcmp(header->fields[i].name, name) == 0)
            return &header->fields[i];
    return NULL;
}
