#include "files/convert/class_rules.h"

#include <stdlib.h>

#include <shadewood/dataset.h>

#include "base/array.h"
#include "base/class.h"
#include "base/log.h"
#include "files/convert/fields.h"
#include "files/io/file_bytes.h"

#define RULES_MAX 65535u

struct reading {
    struct shw_lines lines;
    const char *name;
    const struct shw_log *log;
    struct shw_class_rules *rules;
};

static enum shw_result fail_line(const struct reading *reading, const char *reason)
{
    return shw_fail(reading->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %u: %s", reading->name,
                    reading->lines.number, reason);
}

/* Removes a field in quotation marks from the line into `to`, which is as long as the line. False if it does not end.
 */
static bool take_quoted(struct shw_field *line, char *to, size_t *length)
{
    for (*length = 0, line->start++, line->length--; line->length > 0; line->start++, line->length--) {
        if (line->start[0] == '"' && (line->length == 1 || line->start[1] != '"')) {
            line->start++;
            line->length--;
            return line->length == 0 || line->start[0] == ',';
        }
        if (line->start[0] == '"') {
            line->start++;
            line->length--;
        }
        to[(*length)++] = line->start[0];
    }
    return false;
}

/* Removes the next field and the comma after it from the line. *text is to be freed. */
static enum shw_result take_field(const struct reading *reading, struct shw_field *line, char **text)
{
    char *to = malloc(line->length + 1);
    size_t length = 0;

    *text = to;
    if (to == NULL)
        return shw_fail_memory(reading->log, reading->name);
    if (line->length > 0 && line->start[0] == '"') {
        if (!take_quoted(line, to, &length))
            return fail_line(reading, "a quotation mark is missing");
    } else {
        while (line->length > 0 && line->start[0] != ',') {
            to[length++] = line->start[0];
            line->start++;
            line->length--;
        }
    }
    to[length] = '\0';
    if (line->length > 0) {
        line->start++;
        line->length--;
    }
    return memchr(to, '\0', length) == NULL ? SHW_OK : fail_line(reading, "this is not a list of labels and classes");
}

/* The class of that name, added if there is none. */
static enum shw_result find_class(const struct reading *reading, const char *name, uint32_t *number)
{
    struct shw_class_rules *rules = reading->rules;
    char *copy;

    for (*number = 0; *number < rules->class_count; ++*number)
        if (strcmp(rules->classes[*number].name, name) == 0)
            return SHW_OK;
    if (rules->class_count == SHW_CLASSES_MAX - 1)
        return shw_fail(reading->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET, "%s, line %u: there are too many classes",
                        reading->name, reading->lines.number);
    copy = strdup(name);
    if (copy == NULL || !SHW_RESERVE(rules->classes, rules->class_capacity, rules->class_count + (size_t)1)) {
        free(copy);
        return shw_fail_memory(reading->log, reading->name);
    }
    rules->classes[rules->class_count++] = (struct shw_rule_class){.name = copy};
    return SHW_OK;
}

static bool parse_colour(const char *text, uint8_t colour[3])
{
    unsigned long value;

    if (text[0] != '#' || strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
        return false;
    value = strtoul(text + 1, NULL, 16);
    for (int c = 0; c < 3; c++)
        colour[c] = (uint8_t)(value >> (16 - 8 * c));
    return true;
}

static enum shw_result set_colour(const struct reading *reading, const char *text, struct shw_rule_class *class)
{
    uint8_t colour[3];

    if (text[0] == '\0')
        return SHW_OK;
    if (!parse_colour(text, colour))
        return fail_line(reading, "a colour is written as #rrggbb");
    if (class->has_colour && memcmp(class->colour, colour, 3) != 0)
        return fail_line(reading, "the class has another colour in a line before it");
    class->has_colour = true;
    memcpy(class->colour, colour, 3);
    return SHW_OK;
}

/* Adds a rule; takes ownership of the label if *label becomes NULL. */
static enum shw_result add_rule(const struct reading *reading, char **label, uint32_t number)
{
    struct shw_class_rules *rules = reading->rules;

    if (rules->count == RULES_MAX)
        return shw_fail(reading->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET, "%s has more than %u lines", reading->name,
                        RULES_MAX);
    if (!SHW_RESERVE(rules->rules, rules->capacity, rules->count + (size_t)1))
        return shw_fail_memory(reading->log, reading->name);
    rules->rules[rules->count++] = (struct shw_class_rule){.label = *label, .class_number = number};
    *label = NULL;
    return SHW_OK;
}

static enum shw_result read_row(const struct reading *reading)
{
    struct shw_field line = reading->lines.line;
    char *label = NULL, *class = NULL, *colour = NULL;
    uint32_t number;
    enum shw_result result;

    SHW_TRY(take_field(reading, &line, &label));
    if (label[0] == '\0')
        SHW_TRY(fail_line(reading, "the label is missing"));
    SHW_TRY(take_field(reading, &line, &class));
    SHW_TRY(take_field(reading, &line, &colour));
    if (line.length > 0)
        SHW_TRY(fail_line(reading, "there are too many fields: LABEL,CLASS,#rrggbb"));
    if (strcmp(class, "void") == 0)
        class[0] = '\0';
    if (class[0] != '\0' && !shw_class_name_is_valid(class))
        SHW_TRY(fail_line(reading, "the name of the class is longer than 255 bytes or is not UTF-8"));
    SHW_TRY(find_class(reading, class, &number));
    SHW_TRY(set_colour(reading, colour, &reading->rules->classes[number]));
    SHW_TRY(add_rule(reading, &label, number));
fail:
    free(label);
    free(class);
    free(colour);
    return result;
}

static bool is_ignored(const struct shw_lines *lines)
{
    const struct shw_field *line = &lines->line;

    return line->length == 0 || shw_field_is(line, "#") || (line->length > 1 && memcmp(line->start, "# ", 2) == 0) ||
           (lines->number == 1 && (shw_field_is(line, "label,class") || shw_field_is(line, "label,class,colour")));
}

static int compare_rules(const void *a, const void *b)
{
    return strcmp(((const struct shw_class_rule *)a)->label, ((const struct shw_class_rule *)b)->label);
}

static enum shw_result check(const struct reading *reading)
{
    struct shw_class_rules *rules = reading->rules;

    if (rules->count == 0)
        return shw_fail(reading->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s lists no label", reading->name);
    qsort(rules->rules, rules->count, sizeof *rules->rules, compare_rules);
    for (uint32_t i = 1; i < rules->count; i++)
        if (compare_rules(&rules->rules[i - 1], &rules->rules[i]) == 0)
            return shw_fail(reading->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s lists the label \"%s\" twice",
                            reading->name, rules->rules[i].label);
    return SHW_OK;
}

enum shw_result shw_class_rules_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                       struct shw_class_rules *rules)
{
    const char *text = shw_skip_byte_order_mark(bytes, &size);
    struct reading reading = {.lines = {.at = text, .end = text + size}, .name = name, .log = log, .rules = rules};
    enum shw_result result = SHW_OK;

    *rules = (struct shw_class_rules){.name = name};
    while (result == SHW_OK && shw_lines_next(&reading.lines))
        if (!is_ignored(&reading.lines))
            result = read_row(&reading);
    if (result == SHW_OK)
        result = check(&reading);
    if (result != SHW_OK)
        shw_class_rules_free(rules);
    return result;
}

enum shw_result shw_class_rules_read(const char *path, const struct shw_log *log, struct shw_class_rules *rules)
{
    struct shw_file_bytes bytes = {0};
    enum shw_result result = shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, log, &bytes);

    if (result == SHW_OK)
        result = shw_class_rules_decode(bytes.bytes, bytes.size, path, log, rules);
    shw_file_bytes_free(&bytes);
    return result;
}

struct shw_class_rule *shw_class_rules_find(const struct shw_class_rules *rules, const char *label)
{
    const struct shw_class_rule wanted = {.label = (char *)(uintptr_t)label}; /* only read */

    return rules->count > 0 ? bsearch(&wanted, rules->rules, rules->count, sizeof wanted, compare_rules) : NULL;
}

void shw_class_rules_free(struct shw_class_rules *rules)
{
    for (uint32_t i = 0; i < rules->count; i++)
        free(rules->rules[i].label);
    for (uint32_t i = 0; i < rules->class_count; i++)
        free(rules->classes[i].name);
    free(rules->rules);
    free(rules->classes);
    *rules = (struct shw_class_rules){0};
}
