#include "formats/json_model.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define NESTING_MAX 64u
#define KEY_MAX     65535u
#define DIGITS_MAX  400u /* of numbers that are written as text */

struct parsing {
    const uint8_t *bytes;
    size_t size, at;
    unsigned nesting;
    uint32_t count; /* of values */
    const char *name;
    const struct shw_log *log;
};

#define BAD_VALUE(parsing, format, ...)                                                                                \
    shw_fail((parsing)->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s, byte %zu: " format, (parsing)->name,            \
             (parsing)->at, __VA_ARGS__)

static enum shw_result parse_value(struct parsing *parsing, uint8_t marker, json_t **value);

/* The bytes of numbers and characters; 0 for other types. */
static size_t size_of(uint8_t marker)
{
    switch (marker) {
    case 'i':
    case 'U':
    case 'C': return 1;
    case 'I': return 2;
    case 'l':
    case 'd': return 4;
    case 'L':
    case 'D': return 8;
    default: return 0;
    }
}

static size_t bytes_left(const struct parsing *parsing)
{
    return parsing->size - parsing->at;
}

static enum shw_result need(const struct parsing *parsing, uint64_t count)
{
    return count <= bytes_left(parsing)
               ? SHW_OK
               : BAD_VALUE(parsing, "the file ends within a value, which has %llu bytes or more; %zu are left",
                           (unsigned long long)count, bytes_left(parsing));
}

static enum shw_result get_byte(struct parsing *parsing, uint8_t *byte)
{
    SHW_PROPAGATE(need(parsing, 1));
    *byte = parsing->bytes[parsing->at++];
    return SHW_OK;
}

/* The next byte that is no "no-op". */
static enum shw_result get_marker(struct parsing *parsing, uint8_t *marker)
{
    do
        SHW_PROPAGATE(get_byte(parsing, marker));
    while (*marker == 'N');
    return SHW_OK;
}

static bool next_is(const struct parsing *parsing, uint8_t byte)
{
    return parsing->at < parsing->size && parsing->bytes[parsing->at] == byte;
}

/* `size` bytes, the highest first; the sign is not extended. */
static enum shw_result get_bits(struct parsing *parsing, size_t size, uint64_t *bits)
{
    SHW_PROPAGATE(need(parsing, size));
    *bits = 0;
    for (size_t i = 0; i < size; i++)
        *bits = *bits << 8 | parsing->bytes[parsing->at++];
    return SHW_OK;
}

static enum shw_result get_integer(struct parsing *parsing, uint8_t marker, int64_t *integer)
{
    uint64_t bits;

    SHW_PROPAGATE(get_bits(parsing, size_of(marker), &bits));
    switch (marker) {
    case 'i': *integer = (int8_t)bits; break;
    case 'I': *integer = (int16_t)bits; break;
    case 'l': *integer = (int32_t)bits; break;
    default: *integer = (int64_t)bits; break;
    }
    return SHW_OK;
}

static bool is_integer(uint8_t marker)
{
    return marker != 0 && strchr("iUIlL", marker) != NULL;
}

/* A size: an integer of any type. */
static enum shw_result get_count(struct parsing *parsing, uint64_t *count)
{
    uint8_t marker;
    int64_t integer;

    SHW_PROPAGATE(get_byte(parsing, &marker));
    if (!is_integer(marker))
        return BAD_VALUE(parsing, "a size is needed, but its type is 0x%02x", marker);
    SHW_PROPAGATE(get_integer(parsing, marker, &integer));
    if (integer < 0)
        return BAD_VALUE(parsing, "a size is %lld", (long long)integer);
    *count = (uint64_t)integer;
    return SHW_OK;
}

static enum shw_result check_memory(const struct parsing *parsing, const json_t *value)
{
    return value != NULL ? SHW_OK : shw_fail_memory(parsing->log, parsing->name);
}

static enum shw_result make_real(const struct parsing *parsing, double number, json_t **value)
{
    if (isnan(number))
        *value = json_null();
    else
        *value = json_real(isinf(number) ? copysign(DBL_MAX, number) : number);
    return check_memory(parsing, *value);
}

static enum shw_result parse_real(struct parsing *parsing, uint8_t marker, json_t **value)
{
    uint64_t bits;
    uint32_t half;
    float single;
    double number;

    SHW_PROPAGATE(get_bits(parsing, size_of(marker), &bits));
    half = (uint32_t)bits;
    memcpy(&single, &half, sizeof single);
    memcpy(&number, &bits, sizeof number);
    return make_real(parsing, marker == 'd' ? single : number, value);
}

static enum shw_result parse_integer(struct parsing *parsing, uint8_t marker, json_t **value)
{
    int64_t integer;

    SHW_PROPAGATE(get_integer(parsing, marker, &integer));
    *value = json_integer(integer);
    return check_memory(parsing, *value);
}

static enum shw_result make_string(const struct parsing *parsing, const uint8_t *text, size_t size, json_t **value)
{
    *value = json_stringn((const char *)text, size);
    return *value != NULL ? SHW_OK : BAD_VALUE(parsing, "%s", "a string is not UTF-8");
}

/* Finds the text of a string, and skips it. */
static enum shw_result get_text(struct parsing *parsing, const uint8_t **text, size_t *size)
{
    uint64_t count = 0;

    SHW_PROPAGATE(get_count(parsing, &count));
    SHW_PROPAGATE(need(parsing, count));
    *text = parsing->bytes + parsing->at;
    *size = (size_t)count;
    parsing->at += *size;
    return SHW_OK;
}

static enum shw_result parse_string(struct parsing *parsing, json_t **value)
{
    const uint8_t *text;
    size_t size;

    SHW_PROPAGATE(get_text(parsing, &text, &size));
    return make_string(parsing, text, size, value);
}

/* A number of high precision: the text of a number in JSON. */
static enum shw_result parse_digits(struct parsing *parsing, json_t **value)
{
    const uint8_t *text;
    size_t size;

    SHW_PROPAGATE(get_text(parsing, &text, &size));
    *value = size <= DIGITS_MAX ? json_loadb((const char *)text, size, JSON_DECODE_ANY | JSON_DECODE_INT_AS_REAL, NULL)
                                : NULL;
    if (json_is_number(*value))
        return SHW_OK;
    json_decref(*value);
    *value = NULL;
    return BAD_VALUE(parsing, "%s", "a number written as text is not a number");
}

static enum shw_result parse_character(struct parsing *parsing, json_t **value)
{
    uint8_t character;

    SHW_PROPAGATE(get_byte(parsing, &character));
    return make_string(parsing, &character, 1, value);
}

/* The beginning of an array or object. */
struct extent {
    uint8_t type; /* of all values, or 0 */
    bool counted;
    uint64_t count;
};

/* Checks that the values can be as many as announced: each takes at least a byte, except those of types without bytes.
 */
static enum shw_result check_extent(const struct parsing *parsing, const struct extent *extent)
{
    size_t size = size_of(extent->type);

    if (extent->type != 0 && size == 0 && strchr("SH[{", extent->type) == NULL)
        return BAD_VALUE(parsing, "an array or object of values of the type 0x%02x is not supported", extent->type);
    if (extent->counted && extent->count > bytes_left(parsing) / (size > 0 ? size : 1))
        return BAD_VALUE(parsing, "an array or object of %llu values is larger than the rest of the file, %zu bytes",
                         (unsigned long long)extent->count, bytes_left(parsing));
    return SHW_OK;
}

static enum shw_result get_extent(struct parsing *parsing, struct extent *extent)
{
    *extent = (struct extent){0};
    if (next_is(parsing, '$')) {
        parsing->at++;
        SHW_PROPAGATE(get_byte(parsing, &extent->type));
        if (extent->type == 0)
            return BAD_VALUE(parsing, "%s", "0x00 is not a type of UBJSON");
        if (!next_is(parsing, '#'))
            return BAD_VALUE(parsing, "%s", "an array or object has a type of values, but no number of them");
    }
    if (next_is(parsing, '#')) {
        parsing->at++;
        extent->counted = true;
        SHW_PROPAGATE(get_count(parsing, &extent->count));
    }
    return check_extent(parsing, extent);
}

/* Whether another value follows, the `number`-th from 0; otherwise skips the end. */
static enum shw_result get_next(struct parsing *parsing, const struct extent *extent, uint64_t number, uint8_t end,
                                bool *follows)
{
    if (extent->counted) {
        *follows = number < extent->count;
        return SHW_OK;
    }
    while (next_is(parsing, 'N'))
        parsing->at++;
    *follows = !next_is(parsing, end);
    parsing->at += !*follows;
    return SHW_OK;
}

/* A value of an array or object. */
static enum shw_result parse_member(struct parsing *parsing, const struct extent *extent, json_t **value)
{
    uint8_t marker = extent->type;

    if (marker == 0)
        SHW_PROPAGATE(get_marker(parsing, &marker));
    return parse_value(parsing, marker, value);
}

static enum shw_result parse_array(struct parsing *parsing, json_t *array)
{
    struct extent extent;
    bool follows;

    SHW_PROPAGATE(get_extent(parsing, &extent));
    SHW_PROPAGATE(get_next(parsing, &extent, 0, ']', &follows));
    for (uint64_t n = 1; follows; n++) {
        json_t *value = NULL;
        SHW_PROPAGATE(parse_member(parsing, &extent, &value));
        if (json_array_append_new(array, value) != 0)
            return shw_fail_memory(parsing->log, parsing->name);
        SHW_PROPAGATE(get_next(parsing, &extent, n, ']', &follows));
    }
    return SHW_OK;
}

/* A key ends with a zero byte then; *key is to be freed. */
static enum shw_result parse_key(struct parsing *parsing, char **key)
{
    const uint8_t *text;
    size_t size;

    SHW_PROPAGATE(get_text(parsing, &text, &size));
    if (size > KEY_MAX || memchr(text, 0, size) != NULL)
        return BAD_VALUE(parsing, "the name of a member has a zero byte or more than %u bytes", KEY_MAX);
    *key = strndup((const char *)text, size);
    return *key != NULL ? SHW_OK : shw_fail_memory(parsing->log, parsing->name);
}

static enum shw_result add_member(struct parsing *parsing, const struct extent *extent, const char *key, json_t *object)
{
    json_t *value = NULL;

    if (json_object_get(object, key) != NULL)
        return BAD_VALUE(parsing, "there is a second member \"%s\"", key);
    SHW_PROPAGATE(parse_member(parsing, extent, &value));
    return json_object_set_new(object, key, value) == 0
               ? SHW_OK
               : BAD_VALUE(parsing, "the name of a member is not UTF-8, or memory is exhausted%s", "");
}

static enum shw_result parse_object(struct parsing *parsing, json_t *object)
{
    struct extent extent;
    bool follows;

    SHW_PROPAGATE(get_extent(parsing, &extent));
    SHW_PROPAGATE(get_next(parsing, &extent, 0, '}', &follows));
    for (uint64_t n = 1; follows; n++) {
        char *key = NULL;
        enum shw_result result;
        SHW_PROPAGATE(parse_key(parsing, &key));
        result = add_member(parsing, &extent, key, object);
        free(key);
        SHW_PROPAGATE(result);
        SHW_PROPAGATE(get_next(parsing, &extent, n, '}', &follows));
    }
    return SHW_OK;
}

static enum shw_result parse_container(struct parsing *parsing, uint8_t marker, json_t **value)
{
    enum shw_result result;

    if (parsing->nesting == NESTING_MAX)
        return BAD_VALUE(parsing, "values are nested more than %u deep", NESTING_MAX);
    *value = marker == '[' ? json_array() : json_object();
    SHW_PROPAGATE(check_memory(parsing, *value));
    parsing->nesting++;
    result = marker == '[' ? parse_array(parsing, *value) : parse_object(parsing, *value);
    parsing->nesting--;
    if (result == SHW_OK)
        return SHW_OK;
    json_decref(*value);
    *value = NULL;
    return result;
}

static enum shw_result parse_value(struct parsing *parsing, uint8_t marker, json_t **value)
{
    if (parsing->count++ == SHW_JSON_VALUES_MAX)
        return shw_fail(parsing->log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "%s, byte %zu: more than %u values",
                        parsing->name, parsing->at, SHW_JSON_VALUES_MAX);
    if (is_integer(marker))
        return parse_integer(parsing, marker, value);
    switch (marker) {
    case 'd':
    case 'D': return parse_real(parsing, marker, value);
    case 'S': return parse_string(parsing, value);
    case '[':
    case '{': return parse_container(parsing, marker, value);
    case 'Z': *value = json_null(); return SHW_OK;
    case 'T': *value = json_true(); return SHW_OK;
    case 'F': *value = json_false(); return SHW_OK;
    case 'C': return parse_character(parsing, value);
    case 'H': return parse_digits(parsing, value);
    default: return BAD_VALUE(parsing, "0x%02x is not a type of UBJSON", marker);
    }
}

bool shw_ubjson_begins(const uint8_t *bytes, size_t size)
{
    return size >= 2 && bytes[0] == '{' && bytes[1] != 0 && strchr("iUIlL$#N", bytes[1]) != NULL;
}

enum shw_result shw_ubjson_parse(const uint8_t *bytes, size_t size, const char *name, const struct shw_log *log,
                                 json_t **value)
{
    struct parsing parsing = {.bytes = bytes, .size = size, .name = name, .log = log};
    uint8_t marker;

    *value = NULL;
    SHW_PROPAGATE(get_marker(&parsing, &marker));
    SHW_PROPAGATE(parse_value(&parsing, marker, value));
    while (next_is(&parsing, 'N'))
        parsing.at++;
    if (parsing.at == size)
        return SHW_OK;
    json_decref(*value);
    *value = NULL;
    return BAD_VALUE(&parsing, "%zu bytes follow the value", size - parsing.at);
}
