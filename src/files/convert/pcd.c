#include "files/convert/pcd.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/log.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "files/convert/fields.h"
#include "files/image/image_file.h"

/* A control byte below 32 is followed by that many bytes and one more, to be copied. Of another one, the upper 3 bits
 * are a length, less 2, and 7 of them mean that the next byte is to be added; the lower 5 bits and the next byte are a
 * distance, less 1, backwards. */
bool shw_lzf_decompress(const uint8_t *from, size_t from_size, uint8_t *to, size_t to_size)
{
    const uint8_t *const from_end = from + from_size;
    size_t done = 0;

    while (from < from_end) {
        uint32_t control = *from++;
        if (control < 32) {
            size_t length = control + (size_t)1;
            if (length > (size_t)(from_end - from) || length > to_size - done)
                return false;
            memcpy(to + done, from, length);
            from += length;
            done += length;
        } else {
            size_t length = control >> 5, distance = (size_t)(control & 31) << 8;
            if ((size_t)(from_end - from) < (length == 7 ? 2u : 1u))
                return false;
            length += 2 + (length == 7 ? *from++ : 0u);
            distance += 1 + (size_t)*from++;
            if (distance > done || length > to_size - done)
                return false;
            for (; length > 0; length--, done++) /* it may overlap itself */
                to[done] = to[done - distance];
        }
    }
    return done == to_size;
}

/* The header of point clouds in PCL's format (.pcd). */

#define PCD_FIELDS_MAX 64u

enum pcd_data { PCD_ASCII, PCD_BINARY, PCD_COMPRESSED };

struct pcd_field {
    char name[32];
    uint32_t size;  /* of a value, in bytes: 1, 2, 4 or 8 */
    char type;      /* I, U or F */
    uint32_t count; /* of values */
    uint32_t first; /* of its values among those of the point */
    uint32_t place; /* of the first, in bytes, among those of the point */
};

struct pcd_header {
    struct pcd_field fields[PCD_FIELDS_MAX];
    uint32_t field_count;
    uint32_t value_count, point_size; /* of a point */
    uint32_t width, height;
    double viewpoint[7]; /* of the camera: x, y, z, and a quaternion w, x, y, z */
    enum pcd_data data;
    size_t size; /* of the header, in bytes */
};

#define BLANKS         " \t"
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
    struct pcd_header *header;
};

static enum shw_result fail_line(const struct reading *reading, const char *reason)
{
    return shw_fail(reading->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "cannot read %s: line %u: %s", reading->name,
                    reading->lines.number, reason);
}

static enum shw_result fail_header(const struct reading *reading, enum shw_result result, const char *reason)
{
    return shw_fail(reading->log, result, SHW_LOG_DATASET, "cannot read %s: %s", reading->name, reason);
}

/* The field of that name, or NULL. */
static const struct pcd_field *pcd_find(const struct pcd_header *header, const char *name)
{
    for (uint32_t i = 0; i < header->field_count; i++)
        if (strcmp(header->fields[i].name, name) == 0)
            return &header->fields[i];
    return NULL;
}

static enum shw_result read_fields(struct reading *reading, struct shw_field rest)
{
    struct pcd_header *header = reading->header;
    struct shw_field name;

    while (shw_field_next(&rest, BLANKS, &name)) {
        struct pcd_field *field = &header->fields[header->field_count];
        if (header->field_count == PCD_FIELDS_MAX)
            return fail_line(reading, "more than 64 fields");
        if (name.length >= sizeof field->name)
            return fail_line(reading, "the name of a field is too long");
        memcpy(field->name, name.start, name.length);
        field->name[name.length] = '\0';
        field->count = 1;
        if (strcmp(field->name, "_") != 0 && pcd_find(header, field->name) != NULL)
            return fail_line(reading, "two fields have one name");
        header->field_count++;
    }
    return header->field_count > 0 ? SHW_OK : fail_line(reading, "no field is named");
}

/* What SIZE, TYPE and COUNT state of a field. */
static bool set_field(struct pcd_field *field, enum entry entry, const struct shw_field *text)
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
    struct pcd_header *header = reading->header;
    struct shw_field text;
    uint32_t count = 0;

    if (!reading->given[FIELDS])
        return fail_line(reading, "it must follow FIELDS");
    for (; shw_field_next(&rest, BLANKS, &text); count++) {
        if (count == header->field_count)
            return fail_line(reading, "there are more of them than FIELDS");
        if (!set_field(&header->fields[count], entry, &text))
            return fail_line(reading, entry == TYPE   ? "a type must be I, U or F"
                                      : entry == SIZE ? "a size must be 1, 2, 4 or 8"
                                                      : "a count must be from 1 to 4096");
    }
    return count == header->field_count ? SHW_OK : fail_line(reading, "there are fewer of them than FIELDS");
}

static enum shw_result read_number(struct reading *reading, struct shw_field rest, uint64_t high, uint64_t *number)
{
    struct shw_field text, more;

    if (!shw_field_next(&rest, BLANKS, &text) || shw_field_next(&rest, BLANKS, &more) ||
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
        bool found = shw_field_next(&rest, BLANKS, &text) && text.length < sizeof copy;

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

    if (shw_field_next(&rest, BLANKS, &text))
        for (int i = 0; i < 3; i++)
            if (shw_field_is(&text, names[i])) {
                reading->header->data = (enum pcd_data)i;
                return SHW_OK;
            }
    return fail_line(reading, "the data must be ascii, binary or binary_compressed");
}

static enum shw_result read_entry(struct reading *reading, enum entry entry, struct shw_field rest)
{
    if (reading->given[entry])
        return fail_line(reading, "it is given twice");
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
            return fail_header(reading, SHW_ERROR_FORMAT,
                               "it is not a point cloud, or its header has no end: a line DATA");
        if (!shw_field_next(&reading->lines.line, BLANKS, &word) || word.start[0] == '#')
            continue;
        entry = find_entry(&word);
        if (entry == ENTRY_COUNT)
            return fail_line(reading, "this is not a header line of a point cloud");
        SHW_PROPAGATE(read_entry(reading, entry, reading->lines.line));
    }
    return SHW_OK;
}

static enum shw_result place_fields(const struct reading *reading)
{
    struct pcd_header *header = reading->header;
    uint64_t size = 0, values = 0;

    for (uint32_t i = 0; i < header->field_count; i++) {
        struct pcd_field *field = &header->fields[i];
        field->first = (uint32_t)values;
        field->place = (uint32_t)size;
        values += field->count;
        size += (uint64_t)field->size * field->count;
        if (field->type == 'F' && field->size < 4)
            return fail_header(reading, SHW_ERROR_FORMAT, "a float must have 4 or 8 bytes");
    }
    if (size > POINT_SIZE_MAX)
        return fail_header(reading, SHW_ERROR_LIMIT, "a point has more than 4096 bytes");
    header->value_count = (uint32_t)values;
    header->point_size = (uint32_t)size;
    return SHW_OK;
}

static enum shw_result check(const struct reading *reading)
{
    static const enum entry needed[] = {FIELDS, SIZE, TYPE, WIDTH, HEIGHT};
    const struct pcd_header *header = reading->header;
    const uint64_t points = (uint64_t)header->width * header->height;

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!reading->given[needed[i]])
            return shw_fail(reading->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "cannot read %s: its header lacks the line %s", reading->name, entry_names[needed[i]]);
    if (header->width < 2 || header->height < 2)
        return fail_header(reading, SHW_ERROR_FORMAT,
                           "the cloud is not organised: its points do not form an image of at least 2 x 2 pixels");
    if (header->width > SHW_IMAGE_SIZE_MAX || header->height > SHW_IMAGE_SIZE_MAX || points > SHW_IMAGE_PIXELS_MAX)
        return fail_header(reading, SHW_ERROR_LIMIT, "it has more points than an image may have pixels");
    if (reading->given[POINTS] && reading->points != points)
        return fail_header(reading, SHW_ERROR_FORMAT, "POINTS is not WIDTH times HEIGHT");
    if (pcd_find(header, "z") == NULL)
        return fail_header(reading, SHW_ERROR_FORMAT, "its points have no field z");
    return SHW_OK;
}

/* Reads and checks the header: an organised cloud, of at least two rows, that has a field z. Errors: FORMAT, LIMIT.
 * `name` is for messages. */
static enum shw_result pcd_header_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                         struct pcd_header *header)
{
    const char *text = bytes;
    struct reading reading = {.lines = {.at = text, .end = text + (size < HEADER_MAX ? size : HEADER_MAX)},
                              .name = name,
                              .log = log,
                              .header = header};

    *header = (struct pcd_header){.viewpoint = {[3] = 1}};
    SHW_PROPAGATE(read_lines(&reading));
    SHW_PROPAGATE(check(&reading));
    SHW_PROPAGATE(place_fields(&reading));
    header->size = (size_t)(reading.lines.at - text);
    return SHW_OK;
}

#define SPACE     " \t\n\r"
#define FILE_MAX  (UINT64_C(1) << 32)
#define VALUE_MAX 64u /* characters */

/* A cloud being read. */
struct cloud {
    struct pcd_header header;
    const struct pcd_field *x, *y, *z, *colour, *label;
    const uint8_t *data; /* after the header */
    size_t size;
    const char *name;
    const struct shw_log *log;

    /* The depth of a point is axis[0] x + axis[1] y + axis[2] z + axis[3]. */
    double axis[4];
    bool turned; /* it is not z alone */
};

static enum shw_result fail(const struct cloud *cloud, enum shw_result result, const char *reason)
{
    return shw_fail(cloud->log, result, SHW_LOG_DATASET, "cannot read %s: %s", cloud->name, reason);
}

/* The camera looks along its own z axis, which the quaternion turns. */
static enum shw_result set_axis(struct cloud *cloud)
{
    const double *v = cloud->header.viewpoint;
    const double w = v[3], x = v[4], y = v[5], z = v[6], norm = w * w + x * x + y * y + z * z;
    const double axis[3] = {2 * (x * z + w * y), 2 * (y * z - w * x), w * w - x * x - y * y + z * z};

    if (!isfinite(norm) || norm < 1e-12 || !isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2]))
        return fail(cloud, SHW_ERROR_FORMAT, "VIEWPOINT is not a position and a rotation");
    for (int i = 0; i < 3; i++) {
        cloud->axis[i] = axis[i] / norm;
        cloud->axis[3] -= cloud->axis[i] * v[i];
    }
    cloud->turned = cloud->axis[0] != 0 || cloud->axis[1] != 0 || cloud->axis[2] != 1 || cloud->axis[3] != 0;
    return SHW_OK;
}

static enum shw_result find_fields(struct cloud *cloud)
{
    const struct pcd_header *header = &cloud->header;
    const struct pcd_field *const *coordinates[] = {&cloud->x, &cloud->y, &cloud->z};

    cloud->x = pcd_find(header, "x");
    cloud->y = pcd_find(header, "y");
    cloud->z = pcd_find(header, "z");
    cloud->label = pcd_find(header, "label");
    cloud->colour = pcd_find(header, "rgb");
    if (cloud->colour == NULL)
        cloud->colour = pcd_find(header, "rgba");
    for (int i = 0; i < 3; i++)
        if (*coordinates[i] != NULL && ((*coordinates[i])->type != 'F' || (*coordinates[i])->count != 1))
            return fail(cloud, SHW_ERROR_FORMAT, "x, y and z must be single floats");
    if (cloud->colour != NULL && (cloud->colour->size != 4 || cloud->colour->count != 1))
        return fail(cloud, SHW_ERROR_FORMAT, "rgb and rgba must be single values of 4 bytes");
    if (cloud->label != NULL && (cloud->label->type == 'F' || cloud->label->size > 4 || cloud->label->count != 1))
        return fail(cloud, SHW_ERROR_FORMAT, "label must be a single integer of 1, 2 or 4 bytes");
    SHW_PROPAGATE(set_axis(cloud));
    if (cloud->turned && (cloud->x == NULL || cloud->y == NULL))
        return fail(cloud, SHW_ERROR_FORMAT, "VIEWPOINT has a rotation or a position, but there is no x or y");
    return SHW_OK;
}

static enum shw_result allocate(const struct cloud *cloud, struct shw_frame *frame)
{
    const size_t points = (size_t)cloud->header.width * cloud->header.height;

    *frame = (struct shw_frame){.width = cloud->header.width, .height = cloud->header.height};
    frame->depth = malloc(points * sizeof *frame->depth);
    if (cloud->colour != NULL)
        frame->colours = malloc(points * 3);
    if (cloud->label != NULL)
        frame->labels = malloc(points * sizeof *frame->labels);
    if (frame->depth == NULL || (cloud->colour != NULL && frame->colours == NULL) ||
        (cloud->label != NULL && frame->labels == NULL))
        return shw_fail_memory(cloud->log, cloud->name);
    return SHW_OK;
}

/* What is read of a point. */
struct point {
    double x, y, z;
    uint32_t colour; /* 0xAARRGGBB */
    int64_t label;
};

static enum shw_result store(const struct cloud *cloud, size_t index, const struct point *point,
                             struct shw_frame *frame)
{
    double depth = point->z;

    if (cloud->turned)
        depth = cloud->axis[0] * point->x + cloud->axis[1] * point->y + cloud->axis[2] * point->z + cloud->axis[3];
    frame->depth[index] = shw_millimetres_of_metres(depth);
    for (int c = 0; frame->colours != NULL && c < 3; c++)
        frame->colours[3 * index + (size_t)c] = (uint8_t)(point->colour >> (16 - 8 * c));
    if (frame->labels == NULL)
        return SHW_OK;
    frame->labels[index] = (uint32_t)point->label;
    if (point->label == -1 || point->label == UINT32_MAX)
        frame->labels[index] = SHW_VALUE_VOID;
    else if (point->label < 0 || point->label >= SHW_VALUE_COLOUR)
        return shw_fail(cloud->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET,
                        "cannot read %s: point %zu has label %lld; labels are numbers below %u", cloud->name, index,
                        (long long)point->label, SHW_VALUE_COLOUR);
    return SHW_OK;
}

/* Values as stored: little-endian. */
static uint32_t load_u32(const uint8_t *at, uint32_t size)
{
    uint32_t value = 0;

    for (uint32_t i = 0; i < size; i++)
        value |= (uint32_t)at[i] << 8 * i;
    return value;
}

static double load_float(const uint8_t *at, const struct pcd_field *field)
{
    union {
        uint32_t bits;
        float value;
    } narrow = {.bits = load_u32(at, 4)};
    union {
        uint64_t bits;
        double value;
    } wide = {.bits = narrow.bits};

    if (field->size == 4)
        return narrow.value;
    wide.bits |= (uint64_t)load_u32(at + 4, 4) << 32;
    return wide.value;
}

static int64_t load_label(const uint8_t *at, const struct pcd_field *field)
{
    const uint32_t value = load_u32(at, field->size), sign = UINT32_C(1) << (8 * field->size - 1);

    return field->type == 'I' && (value & sign) != 0 ? (int64_t)value - 2 * (int64_t)sign : (int64_t)value;
}

/* Where a point's value is: with the points one after the other, or each field with those of all points. */
static const uint8_t *find_value(const struct cloud *cloud, const uint8_t *data, const struct pcd_field *field,
                                 size_t index)
{
    const size_t points = (size_t)cloud->header.width * cloud->header.height;

    if (cloud->header.data == PCD_BINARY)
        return data + index * cloud->header.point_size + field->place;
    return data + field->place * points + index * field->size * field->count;
}

static enum shw_result read_binary(const struct cloud *cloud, const uint8_t *data, struct shw_frame *frame)
{
    const size_t points = (size_t)cloud->header.width * cloud->header.height;

    SHW_PROPAGATE(allocate(cloud, frame));
    for (size_t i = 0; i < points; i++) {
        struct point point = {.z = load_float(find_value(cloud, data, cloud->z, i), cloud->z)};
        if (cloud->turned) {
            point.x = load_float(find_value(cloud, data, cloud->x, i), cloud->x);
            point.y = load_float(find_value(cloud, data, cloud->y, i), cloud->y);
        }
        if (cloud->colour != NULL)
            point.colour = load_u32(find_value(cloud, data, cloud->colour, i), 4);
        if (cloud->label != NULL)
            point.label = load_label(find_value(cloud, data, cloud->label, i), cloud->label);
        SHW_PROPAGATE(store(cloud, i, &point, frame));
    }
    return SHW_OK;
}

static enum shw_result check_length(const struct cloud *cloud, uint64_t needed)
{
    return cloud->size >= needed
               ? SHW_OK
               : shw_fail(cloud->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                          "cannot read %s: it is truncated: %zu bytes after the header, of at least %llu", cloud->name,
                          cloud->size, (unsigned long long)needed);
}

static enum shw_result read_compressed(const struct cloud *cloud, struct shw_frame *frame)
{
    const uint64_t whole = (uint64_t)cloud->header.width * cloud->header.height * cloud->header.point_size;
    uint32_t packed, unpacked;
    uint8_t *data;
    enum shw_result result;

    SHW_PROPAGATE(check_length(cloud, 8));
    packed = load_u32(cloud->data, 4);
    unpacked = load_u32(cloud->data + 4, 4);
    SHW_PROPAGATE(check_length(cloud, UINT64_C(8) + packed));
    if (unpacked != whole)
        return fail(cloud, SHW_ERROR_FORMAT, "its compressed data has the wrong size for its points");
    if (whole > (uint64_t)packed * SHW_LZF_RATIO_MAX)
        return fail(cloud, SHW_ERROR_FORMAT, "its compressed data is too short for its points");
    data = malloc((size_t)whole);
    if (data == NULL)
        return shw_fail_memory(cloud->log, cloud->name);
    result = shw_lzf_decompress(cloud->data + 8, packed, data, (size_t)whole)
                 ? read_binary(cloud, data, frame)
                 : fail(cloud, SHW_ERROR_FORMAT, "its compressed data is damaged");
    free(data);
    return result;
}

/* A value of a text; false if it is none of the field's type. */
static bool parse_float(const struct shw_field *text, double *value)
{
    char copy[VALUE_MAX], *end;

    if (text->length >= sizeof copy)
        return false;
    memcpy(copy, text->start, text->length);
    copy[text->length] = '\0';
    *value = strtod(copy, &end);
    return end != copy && *end == '\0';
}

static bool parse_integer(const struct shw_field *text, int64_t *value)
{
    const bool negative = text->length > 0 && text->start[0] == '-';
    const struct shw_field digits = {text->start + negative, text->length - negative};
    uint64_t number;

    if (!shw_field_number(&digits, UINT32_MAX, &number))
        return false;
    *value = negative ? -(int64_t)number : (int64_t)number;
    return true;
}

/* A float has the bits of the colour. No such float is written as a whole number other than 0, so a whole number is the
 * colour itself, as some programs write it in float fields. */
static bool parse_colour(const struct shw_field *text, char type, uint32_t *colour)
{
    union {
        float value;
        uint32_t bits;
    } number;
    double value;
    int64_t integer;

    if (parse_integer(text, &integer)) {
        *colour = (uint32_t)integer;
        return true;
    }
    if (type != 'F' || !parse_float(text, &value))
        return false;
    number.value = (float)value;
    *colour = isnan(value) ? 0 : number.bits;
    return true;
}

static bool parse_value(const struct cloud *cloud, uint32_t place, const struct shw_field *text, struct point *point)
{
    if (place == cloud->z->first)
        return parse_float(text, &point->z);
    if (cloud->turned && place == cloud->x->first)
        return parse_float(text, &point->x);
    if (cloud->turned && place == cloud->y->first)
        return parse_float(text, &point->y);
    if (cloud->colour != NULL && place == cloud->colour->first)
        return parse_colour(text, cloud->colour->type, &point->colour);
    if (cloud->label != NULL && place == cloud->label->first)
        return parse_integer(text, &point->label);
    return true;
}

static enum shw_result read_ascii(const struct cloud *cloud, struct shw_frame *frame)
{
    const size_t points = (size_t)cloud->header.width * cloud->header.height;
    struct shw_field rest = {(const char *)cloud->data, cloud->size}, text;

    SHW_PROPAGATE(check_length(cloud, (uint64_t)points * cloud->header.value_count * 2 - 1));
    SHW_PROPAGATE(allocate(cloud, frame));
    for (size_t i = 0; i < points; i++) {
        struct point point = {0};
        for (uint32_t place = 0; place < cloud->header.value_count; place++) {
            if (!shw_field_next(&rest, SPACE, &text))
                return shw_fail(cloud->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                                "cannot read %s: it is truncated: %zu points of %zu", cloud->name, i, points);
            if (!parse_value(cloud, place, &text, &point))
                return shw_fail(cloud->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                                "cannot read %s: point %zu: \"%.*s\" is not a value of its field", cloud->name, i,
                                shw_field_shown(&text), text.start);
        }
        SHW_PROPAGATE(store(cloud, i, &point, frame));
    }
    return SHW_OK;
}

static enum shw_result read_points(const struct cloud *cloud, struct shw_frame *frame)
{
    const uint64_t whole = (uint64_t)cloud->header.width * cloud->header.height * cloud->header.point_size;

    switch (cloud->header.data) {
    case PCD_ASCII: return read_ascii(cloud, frame);
    case PCD_COMPRESSED: return read_compressed(cloud, frame);
    case PCD_BINARY: break;
    }
    SHW_PROPAGATE(check_length(cloud, whole));
    return read_binary(cloud, cloud->data, frame);
}

enum shw_result shw_pcd_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                               struct shw_frame *frame)
{
    struct cloud cloud = {.name = name, .log = log};
    enum shw_result result;

    *frame = (struct shw_frame){0};
    SHW_PROPAGATE(pcd_header_decode(bytes, size, name, log, &cloud.header));
    SHW_PROPAGATE(find_fields(&cloud));
    cloud.data = (const uint8_t *)bytes + cloud.header.size;
    cloud.size = size - cloud.header.size;
    result = read_points(&cloud, frame);
    if (result == SHW_OK && frame->colours == NULL) {
        frame->colours = shw_colours_of_depth(frame->depth, (size_t)frame->width * frame->height);
        if (frame->colours == NULL)
            result = shw_fail_memory(log, name);
    }
    if (result != SHW_OK)
        shw_frame_free(frame);
    return result;
}

enum shw_result shw_pcd_read(const char *path, const struct shw_log *log, struct shw_frame *frame)
{
    struct shw_file_bytes bytes = {0};
    enum shw_result result = shw_file_bytes_read(path, FILE_MAX, log, &bytes);

    if (result == SHW_OK)
        result = shw_pcd_decode(bytes.bytes, bytes.size, path, log, frame);
    shw_file_bytes_free(&bytes);
    return result;
}

enum shw_result shw_pcd_has_labels(const char *path, const struct shw_log *log, bool *has)
{
    struct shw_file_bytes bytes = {0};
    struct pcd_header header;
    enum shw_result result = shw_file_bytes_read_start(path, HEADER_MAX, log, &bytes);

    if (result == SHW_OK)
        result = pcd_header_decode(bytes.bytes, bytes.size, path, log, &header);
    if (result == SHW_OK)
        *has = pcd_find(&header, "label") != NULL;
    shw_file_bytes_free(&bytes);
    return result;
}
