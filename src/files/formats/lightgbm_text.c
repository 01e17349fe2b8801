#include "files/formats/lightgbm_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

/* A list of numbers in one line. */
struct list {
    const struct shw_lightgbm_text *text;
    const char *key;
    const struct shw_lightgbm_value *value;
    const char *at, *end;
};

SHW_PRINTF(3, 4)
enum shw_result shw_lightgbm_refuse(const struct shw_lightgbm_text *text, uint32_t line, const char *format, ...)
{
    char place[48] = "", reason[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    if (text->tree >= 0)
        snprintf(place, sizeof place, ", tree %" PRId64, text->tree);
    return shw_fail(text->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s, line %u%s: %s", text->name, line, place,
                    reason);
}

static size_t line_length(const struct shw_lightgbm_text *text)
{
    const char *end = memchr(text->at, '\n', (size_t)(text->end - text->at));
    size_t length = (size_t)((end != NULL ? end : text->end) - text->at);

    return length > 0 && text->at[length - 1] == '\r' ? length - 1 : length;
}

static void skip_line(struct shw_lightgbm_text *text)
{
    const char *end = memchr(text->at, '\n', (size_t)(text->end - text->at));

    text->at = end != NULL ? end + 1 : text->end;
    text->line++;
}

bool shw_lightgbm_begins(const struct shw_lightgbm_text *text, const char *start)
{
    return strncmp(text->at, start, strlen(start)) == 0; /* a zero byte follows the text */
}

bool shw_lightgbm_take(struct shw_lightgbm_text *text, const char *start, struct shw_lightgbm_value *rest)
{
    const size_t length = strlen(start);

    if (!shw_lightgbm_begins(text, start))
        return false;
    *rest = (struct shw_lightgbm_value){text->at + length, line_length(text) - length, text->line};
    skip_line(text);
    return true;
}

void shw_lightgbm_skip_empty(struct shw_lightgbm_text *text)
{
    while (text->at < text->end && line_length(text) == 0)
        skip_line(text);
}

static enum shw_result read_line(struct shw_lightgbm_text *text, const char *const *keys, uint32_t count,
                                 struct shw_lightgbm_value *values)
{
    size_t length = line_length(text);
    const char *equals = memchr(text->at, '=', length);
    size_t key_length = equals != NULL ? (size_t)(equals - text->at) : length;
    size_t value_start = equals != NULL ? key_length + 1 : length;

    if (text->at + length == text->end)
        return shw_lightgbm_refuse(text, text->line, "the file ends within this line");
    for (uint32_t k = 0; k < count; k++) {
        if (strlen(keys[k]) != key_length || memcmp(text->at, keys[k], key_length) != 0)
            continue;
        if (values[k].text != NULL)
            return shw_lightgbm_refuse(text, text->line, "%s is there already in line %u", keys[k], values[k].line);
        values[k] = (struct shw_lightgbm_value){text->at + value_start, length - value_start, text->line};
    }
    skip_line(text);
    return SHW_OK;
}

enum shw_result shw_lightgbm_section(struct shw_lightgbm_text *text, const char *const *keys, uint32_t count,
                                     struct shw_lightgbm_value *values)
{
    memset(values, 0, count * sizeof *values);
    while (text->at < text->end && line_length(text) > 0 && !shw_lightgbm_begins(text, "Tree="))
        SHW_PROPAGATE(read_line(text, keys, count, values));
    return SHW_OK;
}

static struct list begin_list(const struct shw_lightgbm_text *text, const char *key,
                              const struct shw_lightgbm_value *value)
{
    return (struct list){text, key, value, value->text, value->text != NULL ? value->text + value->length : NULL};
}

static enum shw_result refuse_missing(const struct shw_lightgbm_text *text, const char *key)
{
    return shw_lightgbm_refuse(text, text->line, "%s is missing", key);
}

static void skip_blanks(struct list *list)
{
    while (list->at < list->end && *list->at == ' ')
        list->at++;
}

static enum shw_result refuse_number(const struct list *list, const char *what)
{
    size_t length = strcspn(list->at, " \r\n");

    return shw_lightgbm_refuse(list->text, list->value->line, "%s: \"%.*s\" is not %s", list->key,
                               (int)(length < 40 ? length : 40), list->at, what);
}

/* A number is followed by a blank or the end. What it begins with is looked at first, since the functions of the
 * standard library would skip the end of the line. */
static bool is_number(const struct list *list, const char *end)
{
    return end != list->at && end <= list->end && (end == list->end || *end == ' ');
}

static enum shw_result next_integer(struct list *list, int64_t low, int64_t high, int64_t *number)
{
    char range[64];
    long long value = 0;
    char *end = NULL;

    if (list->at < list->end && strchr("-0123456789", *list->at) != NULL)
        value = strtoll(list->at, &end, 10); /* saturates */
    if (end == NULL || !is_number(list, end) || value < low || value > high) {
        snprintf(range, sizeof range, "a whole number in %" PRId64 "..%" PRId64, low, high);
        return refuse_number(list, range);
    }
    list->at = end;
    *number = value;
    return SHW_OK;
}

static enum shw_result next_real(struct list *list, double *number)
{
    char *end = NULL;

    if (list->at < list->end && strchr("+-.0123456789iI", *list->at) != NULL)
        *number = shw_decimal_read(list->at, &end);
    if (end == NULL || !is_number(list, end) || isnan(*number))
        return refuse_number(list, "a number");
    list->at = end;
    return SHW_OK;
}

/* Each number takes a character, and a blank before the next one: memory stays in proportion to the file. */
static enum shw_result check_length(const struct list *list, uint32_t count)
{
    if (count > ((size_t)(list->end - list->at) + 1) / 2)
        return shw_lightgbm_refuse(list->text, list->value->line, "%s has fewer than %u numbers", list->key, count);
    return SHW_OK;
}

/* Before each number of a list but the first. */
static enum shw_result expect_more(struct list *list, uint32_t read, uint32_t count)
{
    skip_blanks(list);
    if (list->at == list->end)
        return shw_lightgbm_refuse(list->text, list->value->line, "%s has %u numbers; there must be %u", list->key,
                                   read, count);
    return SHW_OK;
}

static enum shw_result end_list(struct list *list, uint32_t count)
{
    skip_blanks(list);
    if (list->at != list->end)
        return shw_lightgbm_refuse(list->text, list->value->line, "%s has more than %u numbers", list->key, count);
    return SHW_OK;
}

enum shw_result shw_lightgbm_integer(const struct shw_lightgbm_text *text, const char *key,
                                     const struct shw_lightgbm_value *value, int64_t low, int64_t high, int64_t *number)
{
    struct list list = begin_list(text, key, value);

    if (value->text == NULL)
        return refuse_missing(text, key);
    SHW_PROPAGATE(next_integer(&list, low, high, number));
    return end_list(&list, 1);
}

static enum shw_result read_integers(struct list *list, uint32_t count, int64_t low, int64_t high, int64_t *numbers)
{
    for (uint32_t i = 0; i < count; i++) {
        SHW_PROPAGATE(expect_more(list, i, count));
        SHW_PROPAGATE(next_integer(list, low, high, &numbers[i]));
    }
    return end_list(list, count);
}

static enum shw_result read_reals(struct list *list, uint32_t count, double *numbers)
{
    for (uint32_t i = 0; i < count; i++) {
        SHW_PROPAGATE(expect_more(list, i, count));
        SHW_PROPAGATE(next_real(list, &numbers[i]));
    }
    return end_list(list, count);
}

enum shw_result shw_lightgbm_integers(const struct shw_lightgbm_text *text, const char *key,
                                      const struct shw_lightgbm_value *value, uint32_t count, int64_t low, int64_t high,
                                      int64_t **numbers)
{
    struct list list = begin_list(text, key, value);
    enum shw_result result;

    if (value->text == NULL)
        return refuse_missing(text, key);
    SHW_PROPAGATE(check_length(&list, count));
    *numbers = calloc((size_t)count + 1, sizeof **numbers);
    if (*numbers == NULL)
        return shw_fail_memory(text->log, text->name);
    result = read_integers(&list, count, low, high, *numbers);
    if (result != SHW_OK) {
        free(*numbers);
        *numbers = NULL;
    }
    return result;
}

enum shw_result shw_lightgbm_reals(const struct shw_lightgbm_text *text, const char *key,
                                   const struct shw_lightgbm_value *value, uint32_t count, double **numbers)
{
    struct list list = begin_list(text, key, value);
    enum shw_result result;

    if (value->text == NULL)
        return refuse_missing(text, key);
    SHW_PROPAGATE(check_length(&list, count));
    *numbers = calloc((size_t)count + 1, sizeof **numbers);
    if (*numbers == NULL)
        return shw_fail_memory(text->log, text->name);
    result = read_reals(&list, count, *numbers);
    if (result != SHW_OK) {
        free(*numbers);
        *numbers = NULL;
    }
    return result;
}
