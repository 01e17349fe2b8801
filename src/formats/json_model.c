#include "formats/json_model.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "base/text.h"

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void pass_space(struct shw_json_skim *skim)
{
    while (skim->at < skim->end && is_space(*skim->at))
        skim->at++;
}

static bool pass(struct shw_json_skim *skim, char c)
{
    pass_space(skim);
    if (skim->at == skim->end || *skim->at != c)
        return false;
    skim->at++;
    return true;
}

/* After the string that begins at `at`; `end` if it is not closed. */
static const char *after_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        at += *at == '\\';
    return at < end ? at + 1 : end;
}

static const char *after_nested(const char *at, const char *end)
{
    size_t nesting = 0;

    while (at < end) {
        if (*at == '"') {
            at = after_string(at, end);
            continue;
        }
        nesting += *at == '{' || *at == '[';
        nesting -= *at == '}' || *at == ']';
        at++;
        if (nesting == 0)
            break;
    }
    return at;
}

static const char *after_word(const char *at, const char *end)
{
    while (at < end && !is_space(*at) && *at != ',' && *at != ']' && *at != '}' && *at != ':')
        at++;
    return at;
}

static bool pass_value(struct shw_json_skim *skim, struct shw_json_slice *value)
{
    pass_space(skim);
    value->text = skim->at;
    if (skim->at == skim->end)
        return false;
    if (*skim->at == '"')
        skim->at = after_string(skim->at, skim->end);
    else if (*skim->at == '{' || *skim->at == '[')
        skim->at = after_nested(skim->at, skim->end);
    else
        skim->at = after_word(skim->at, skim->end);
    value->size = (size_t)(skim->at - value->text);
    return value->size > 0;
}

bool shw_json_skim_begin(const struct shw_json_slice *value, char bracket, struct shw_json_skim *skim)
{
    *skim = (struct shw_json_skim){value->text, value->text + value->size, bracket, false};
    return pass(skim, bracket);
}

enum shw_json_step shw_json_skim_next(struct shw_json_skim *skim, struct shw_json_slice *name,
                                      struct shw_json_slice *value)
{
    struct shw_json_slice found;

    if (pass(skim, skim->bracket == '{' ? '}' : ']'))
        return SHW_JSON_END;
    if (skim->began && !pass(skim, ','))
        return SHW_JSON_WRONG;
    skim->began = true;
    if (skim->bracket == '{') {
        if (!pass_value(skim, &found) || found.size < 2 || found.text[0] != '"' || !pass(skim, ':'))
            return SHW_JSON_WRONG;
        if (name != NULL)
            *name = (struct shw_json_slice){found.text + 1, found.size - 2};
    }
    return pass_value(skim, value) ? SHW_JSON_VALUE : SHW_JSON_WRONG;
}

size_t shw_json_skim_count(const struct shw_json_slice *value, char bracket, size_t most)
{
    struct shw_json_skim skim;
    struct shw_json_slice passed;
    enum shw_json_step step;
    size_t count = 0;

    if (!shw_json_skim_begin(value, bracket, &skim))
        return SIZE_MAX;
    while ((step = shw_json_skim_next(&skim, NULL, &passed)) == SHW_JSON_VALUE && count <= most)
        count++;
    return step == SHW_JSON_WRONG ? SIZE_MAX : count;
}

bool shw_json_slice_is(const struct shw_json_slice *slice, const char *text)
{
    return slice->size == strlen(text) && memcmp(slice->text, text, slice->size) == 0;
}

#define NUMBER_TEXT_MAX 64u
#define REASON_MAX      512u

/* Values per byte of a packed model: a thousand trees of one leaf each have a few tens. */
#define PACKED_VALUES          ((size_t)1 << 21)
#define PACKED_VALUES_PER_BYTE 64u
#define UBJSON_VALUE           4u /* bytes: of numbers */

/* Bare words, and their replacements of the same length in JSON. */
static const struct {
    const char *word, *json;
    double number;
} words[] = {{"NaN", "\"\" ", NAN}, {"-Infinity", "-1.79e308", -INFINITY}, {"Infinity", "1.79e308", INFINITY}};

#define WORD_COUNT (sizeof words / sizeof *words)
#define HUGEST     1.78e308 /* numbers beyond it are infinite */

/* The place after a string whose opening quote is at `at`. */
static size_t pass_string(const uint8_t *text, size_t size, size_t at)
{
    for (at++; at < size && text[at] != '"'; at++)
        at += text[at] == '\\';
    return at < size ? at + 1 : size;
}

/* Whether the word stands at `at`, outside strings, and no letter follows. */
static bool has_word(const uint8_t *text, size_t size, size_t at, const char *word)
{
    size_t length = strlen(word);

    return size - at >= length && memcmp(text + at, word, length) == 0 &&
           (size - at == length || !isalnum(text[at + length]));
}

static void replace_words(uint8_t *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t w = 0;
        if (text[at] == '"') {
            at = pass_string(text, size, at);
            continue;
        }
        while (w < WORD_COUNT && !has_word(text, size, at, words[w].word))
            w++;
        if (w < WORD_COUNT)
            memcpy(text + at, words[w].json, strlen(words[w].word));
        at += w < WORD_COUNT ? strlen(words[w].word) : 1;
    }
}

static bool has_bare_word(const uint8_t *text, size_t size)
{
    for (size_t at = 0; at < size; at += text[at] == '"' ? pass_string(text, size, at) - at : 1)
        if (text[at] == 'N' || text[at] == 'I')
            return true;
    return false;
}

/* At the root, outside strings and nested arrays and objects. */
bool shw_json_has_member(const uint8_t *bytes, size_t size, const char *member)
{
    const uint8_t *text = (const uint8_t *)shw_skip_byte_order_mark(bytes, &size);
    size_t length = strlen(member);
    unsigned nesting = 0;

    for (size_t at = 0; at < size;) {
        size_t end = text[at] == '"' ? pass_string(text, size, at) : at + 1;
        nesting += text[at] == '{' || text[at] == '[';
        nesting -= text[at] == '}' || text[at] == ']';
        if (nesting == 1 && end - at == length + 2 && memcmp(text + at + 1, member, length) == 0) {
            while (end < size && isspace(text[end]))
                end++;
            if (end < size && text[end] == ':')
                return true;
        }
        at = end;
    }
    return false;
}

/* Not fewer than the text has. */
static size_t count_values(const uint8_t *text, size_t size)
{
    size_t count = 1;

    for (size_t at = 0; at < size; at += text[at] == '"' ? pass_string(text, size, at) - at : 1)
        count += text[at] == ',' || text[at] == ':' || text[at] == '[' || text[at] == '{';
    return count;
}

size_t shw_json_count_values(const struct shw_json_slice *text)
{
    return count_values((const uint8_t *)text->text, text->size);
}

enum shw_result shw_json_check_packing(const uint8_t *bytes, size_t size, size_t packed, const char *name,
                                       const struct shw_log *log)
{
    const size_t most = PACKED_VALUES + PACKED_VALUES_PER_BYTE * packed;

    if (size <= most || (shw_ubjson_begins(bytes, size) ? size / UBJSON_VALUE : count_values(bytes, size)) <= most)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ,
                    "%s: %zu bytes unpack to more than %zu values: this is not a model", name, packed, most);
}

struct place {
    int line, column; /* from 1 */
};

static struct place find_place(const char *begin, const char *at)
{
    struct place place = {1, 1};

    for (; begin < at; begin++) {
        place.line += *begin == '\n';
        place.column = *begin == '\n' ? 1 : place.column + 1;
    }
    return place;
}

/* `original` is the text as it is in the file. */
static enum shw_result load(const char *text, size_t size, const char *begin, const char *original, const char *name,
                            const struct shw_log *log, json_t **root)
{
    json_error_t error;
    struct place place;

    *root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (*root != NULL)
        return SHW_OK;
    if (json_error_code(&error) == json_error_out_of_memory ||
        error.text[0] == '\0') /* some of its failures say nothing */
        return shw_fail_memory(log, name);
    place = find_place(begin, original);
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s, line %d, column %d: %s", name,
                    error.line + place.line - 1, error.column + (error.line == 1 ? place.column - 1 : 0), error.text);
}

enum shw_result shw_json_part_parse(const char *begin, const struct shw_json_slice *part, size_t most, const char *name,
                                    const struct shw_log *log, json_t **value)
{
    const uint8_t *text = (const uint8_t *)part->text;
    char *replaced;
    enum shw_result result;

    *value = NULL;
    if (count_values(text, part->size) > most)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "%s: the JSON has more than %zu values", name, most);
    if (!has_bare_word(text, part->size))
        return load(part->text, part->size, begin, part->text, name, log, value);
    replaced = malloc(part->size + 1);
    if (replaced == NULL)
        return shw_fail_memory(log, name);
    memcpy(replaced, part->text, part->size);
    replace_words((uint8_t *)replaced, part->size);
    result = load(replaced, part->size, begin, part->text, name, log, value);
    free(replaced);
    return result;
}

static enum shw_result parse_text(const uint8_t *bytes, size_t size, const char *name, const struct shw_log *log,
                                  json_t **root)
{
    const char *text = shw_skip_byte_order_mark(bytes, &size);

    return shw_json_part_parse(text, &(struct shw_json_slice){text, size}, SHW_JSON_VALUES_MAX, name, log, root);
}

enum shw_result shw_json_model_parse(const uint8_t *bytes, size_t size, const char *name, const struct shw_log *log,
                                     json_t **root)
{
    if (shw_ubjson_begins(bytes, size))
        SHW_PROPAGATE(shw_ubjson_parse(bytes, size, name, log, root));
    else
        SHW_PROPAGATE(parse_text(bytes, size, name, log, root));
    if (json_is_object(*root))
        return SHW_OK;
    json_decref(*root);
    *root = NULL;
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s: the JSON is not an object", name);
}

double shw_json_number(const json_t *value)
{
    const char *text = json_string_value(value);

    for (size_t w = 0; text != NULL && w < WORD_COUNT; w++)
        if (strcmp(text, words[w].word) == 0)
            return words[w].number;
    if (json_is_boolean(value))
        return json_is_true(value);
    if (!json_is_number(value))
        return NAN;
    return fabs(json_number_value(value)) < HUGEST ? json_number_value(value)
                                                   : copysign(INFINITY, json_number_value(value));
}

float shw_json_float(const json_t *value)
{
    return (float)shw_json_number(value);
}

enum shw_result shw_json_refuse(const struct shw_json_part *part, const char *format, ...)
{
    char reason[REASON_MAX];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return shw_fail(part->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s%s%s: %s", part->file,
                    part->what != NULL ? ", " : "", part->what != NULL ? part->what : "", reason);
}

enum shw_result shw_json_refuse_text(const struct shw_json_part *part, const char *begin, const char *at)
{
    const struct place place = find_place(begin, at);

    return shw_fail(part->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s, line %d, column %d: this is not JSON",
                    part->file, place.line, place.column);
}

enum shw_result shw_json_get_object(const struct shw_json_part *part, const char *member, struct shw_json_part *inner)
{
    *inner = *part;
    inner->object = json_object_get(part->object, member);
    return json_is_object(inner->object) ? SHW_OK : shw_json_refuse(part, "there is no object \"%s\"", member);
}

enum shw_result shw_json_get_array(const struct shw_json_part *part, const char *member, const json_t **array)
{
    *array = json_object_get(part->object, member);
    return json_is_array(*array) ? SHW_OK : shw_json_refuse(part, "there is no array \"%s\"", member);
}

enum shw_result shw_json_get_array_of(const struct shw_json_part *part, const char *member, size_t count,
                                      const json_t **array)
{
    SHW_PROPAGATE(shw_json_get_array(part, member, array));
    return json_array_size(*array) == count ? SHW_OK
                                            : shw_json_refuse(part, "the array \"%s\" has %zu elements instead of %zu",
                                                              member, json_array_size(*array), count);
}

/* A text that is a number; NaN otherwise. */
static double number_of_text(const char *text)
{
    char *end = NULL;
    double number = strlen(text) < NUMBER_TEXT_MAX ? shw_decimal_read(text, &end) : NAN;

    return end != NULL && end != text && *end == '\0' ? number : NAN;
}

static bool to_whole(const json_t *value, int64_t least, int64_t most, int64_t *whole)
{
    double number = json_is_string(value) ? number_of_text(json_string_value(value)) : shw_json_number(value);

    if (!(number >= (double)least && number <= (double)most && number == floor(number)))
        return false;
    *whole = (int64_t)number;
    return true;
}

enum shw_result shw_json_get_whole(const struct shw_json_part *part, const char *member, int64_t least, int64_t most,
                                   int64_t *number)
{
    const json_t *value = json_object_get(part->object, member);

    return value == NULL || to_whole(value, least, most, number)
               ? SHW_OK
               : shw_json_refuse(part, "\"%s\" is not a whole number from %lld to %lld", member, (long long)least,
                                 (long long)most);
}

enum shw_result shw_json_get_element(const struct shw_json_part *part, const char *member, const json_t *array,
                                     size_t index, int64_t least, int64_t most, int64_t *number)
{
    return to_whole(json_array_get(array, index), least, most, number)
               ? SHW_OK
               : shw_json_refuse(part, "element %zu of \"%s\" is not a whole number from %lld to %lld", index, member,
                                 (long long)least, (long long)most);
}

size_t shw_json_count_negative(const json_t *array)
{
    size_t count = 0;

    for (size_t i = 0; i < json_array_size(array); i++)
        count += shw_json_number(json_array_get(array, i)) < 0;
    return count;
}

enum shw_result shw_json_get_names(const struct shw_json_part *part, const char *member, size_t count,
                                   const char *const **names)
{
    const json_t *array;
    const char **list;

    SHW_PROPAGATE(shw_json_get_array_of(part, member, count, &array));
    list = calloc(count + 1, sizeof *list);
    if (list == NULL)
        return shw_fail_memory(part->log, part->file);
    for (size_t i = 0; i < count; i++) {
        list[i] = json_string_value(json_array_get(array, i));
        if (list[i] == NULL) {
            free(list);
            return shw_json_refuse(part, "element %zu of \"%s\" is not a text", i, member);
        }
    }
    *names = list;
    return SHW_OK;
}
