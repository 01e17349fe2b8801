#include "files/convert/classes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/dataset.h>

#include "base/array.h"
#include "base/class.h"
#include "base/csv_read.h"
#include "base/file_bytes.h"
#include "base/log.h"

#define RULES_MAX 65535u
#define FIELDS    3u /* LABEL,CLASS,#rrggbb */

struct reading {
    struct shw_csv_reader csv;
    struct shw_class_rules *rules;
};

static enum shw_result fail_line(const struct reading *reading, const char *reason)
{
    return shw_fail(reading->csv.log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %u: %s", reading->csv.name,
                    reading->csv.line, reason);
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
        return shw_fail(reading->csv.log, SHW_ERROR_LIMIT, SHW_LOG_DATASET, "%s, line %u: there are too many classes",
                        reading->csv.name, reading->csv.line);
    copy = strdup(name);
    if (copy == NULL || !SHW_RESERVE(rules->classes, rules->class_capacity, rules->class_count + (size_t)1)) {
        free(copy);
        return shw_fail_memory(reading->csv.log, reading->csv.name);
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
        return fail_line(reading, "a colour must be written as #rrggbb");
    if (class->has_colour && memcmp(class->colour, colour, 3) != 0)
        return fail_line(reading, "the class has another colour in an earlier line");
    class->has_colour = true;
    memcpy(class->colour, colour, 3);
    return SHW_OK;
}

static enum shw_result add_rule(const struct reading *reading, const char *label, uint32_t number)
{
    struct shw_class_rules *rules = reading->rules;
    char *copy;

    if (rules->count == RULES_MAX)
        return shw_fail(reading->csv.log, SHW_ERROR_LIMIT, SHW_LOG_DATASET, "%s has more than %u lines",
                        reading->csv.name, RULES_MAX);
    copy = strdup(label);
    if (copy == NULL || !SHW_RESERVE(rules->rules, rules->capacity, rules->count + (size_t)1)) {
        free(copy);
        return shw_fail_memory(reading->csv.log, reading->csv.name);
    }
    rules->rules[rules->count++] = (struct shw_class_rule){.label = copy, .class_number = number};
    return SHW_OK;
}

static const char *field_of(const struct reading *reading, uint32_t field)
{
    return field < reading->csv.count ? reading->csv.fields[field] : "";
}

static enum shw_result read_row(const struct reading *reading)
{
    const char *label = field_of(reading, 0), *class = field_of(reading, 1);
    uint32_t number;

    if (label[0] == '\0')
        return fail_line(reading, "the label is missing");
    if (field_of(reading, FIELDS)[0] != '\0')
        return fail_line(reading, "there are too many fields: LABEL,CLASS,#rrggbb");
    if (strcmp(class, "void") == 0)
        class = "";
    if (class[0] != '\0' && !shw_class_name_is_valid(class))
        return fail_line(reading, "the name of the class is longer than 255 bytes or is not UTF-8");
    SHW_PROPAGATE(find_class(reading, class, &number));
    SHW_PROPAGATE(set_colour(reading, field_of(reading, 2), &reading->rules->classes[number]));
    return add_rule(reading, label, number);
}

static bool is_header(const struct reading *reading)
{
    return reading->csv.line == 1 && strcmp(field_of(reading, 0), "label") == 0 &&
           strcmp(field_of(reading, 1), "class") == 0 &&
           (reading->csv.count == 2 || (reading->csv.count == 3 && strcmp(field_of(reading, 2), "colour") == 0));
}

static enum shw_result read_rows(struct reading *reading)
{
    for (;;) {
        SHW_PROPAGATE(shw_csv_next(&reading->csv));
        if (reading->csv.count == 0)
            return SHW_OK;
        if (!is_header(reading) && (reading->csv.count > 1 || strcmp(reading->csv.fields[0], "#") != 0))
            SHW_PROPAGATE(read_row(reading));
    }
}

static int compare_rules(const void *a, const void *b)
{
    return strcmp(((const struct shw_class_rule *)a)->label, ((const struct shw_class_rule *)b)->label);
}

static enum shw_result check(const struct reading *reading)
{
    struct shw_class_rules *rules = reading->rules;

    if (rules->count == 0)
        return shw_fail(reading->csv.log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s lists no label", reading->csv.name);
    qsort(rules->rules, rules->count, sizeof *rules->rules, compare_rules);
    for (uint32_t i = 1; i < rules->count; i++)
        if (compare_rules(&rules->rules[i - 1], &rules->rules[i]) == 0)
            return shw_fail(reading->csv.log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s lists the label \"%s\" twice",
                            reading->csv.name, rules->rules[i].label);
    return SHW_OK;
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

enum shw_result shw_class_rules_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                       struct shw_class_rules *rules)
{
    struct reading reading = {.csv = {.name = name,
                                      .log = log,
                                      .item = SHW_LOG_DATASET,
                                      .comment = "# ",
                                      .fields_max = FIELDS,
                                      .keeps_blanks = true},
                              .rules = rules};
    enum shw_result result = shw_csv_begin(&reading.csv, bytes, size);

    *rules = (struct shw_class_rules){.name = name};
    if (result == SHW_OK)
        result = read_rows(&reading);
    shw_csv_end(&reading.csv);
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

/* The rule for a label, or NULL. */
static struct shw_class_rule *class_rules_find(const struct shw_class_rules *rules, const char *label)
{
    const struct shw_class_rule wanted = {.label = (char *)(uintptr_t)label}; /* only read */

    return rules->count > 0 ? bsearch(&wanted, rules->rules, rules->count, sizeof wanted, compare_rules) : NULL;
}

#define VALUES (2 * SHW_VALUE_COLOUR) /* numbers and colours */

/* How a number or a colour is written in rules. */
static void print_value(uint32_t value, char text[16])
{
    if (value >= SHW_VALUE_COLOUR)
        snprintf(text, 16, "#%06x", value - SHW_VALUE_COLOUR);
    else
        snprintf(text, 16, "%u", value);
}

static enum shw_result name_values(const uint8_t *bits, const char *path, const struct shw_log *log,
                                   struct shw_label_names *names)
{
    for (uint32_t value = 0; value < VALUES; value++) {
        char number[16], *name;

        if ((bits[value / 8] & 1u << value % 8) == 0)
            continue;
        if (names->count == SHW_CLASSES_MAX - 1)
            return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_DATASET, "%s has more than %u different labels", path,
                            SHW_CLASSES_MAX - 1);
        print_value(value, number);
        name = malloc(32);
        if (name == NULL || !SHW_RESERVE(names->list, names->capacity, names->count + (size_t)1)) {
            free(name);
            return shw_fail_memory(log, path);
        }
        snprintf(name, 32, "%s%s", number[0] == '#' ? "" : "class ", number);
        names->list[names->count++] = (struct shw_label_name){value, name};
    }
    return SHW_OK;
}

enum shw_result shw_label_names_find(const struct shw_source_kind *kind, void *source, uint32_t every, const char *path,
                                     const struct shw_log *log,
                                     void (*progress)(void *user, uint32_t done, uint32_t count), void *user,
                                     struct shw_label_names *names)
{
    uint8_t *bits = calloc(VALUES / 8, 1);
    const uint32_t count = kind->count(source);
    enum shw_result result = bits != NULL ? SHW_OK : shw_fail_memory(log, path);

    *names = (struct shw_label_names){0};
    for (uint32_t i = 0; i < count && result == SHW_OK; i += every) {
        struct shw_frame frame = {0};
        if (progress != NULL)
            progress(user, i, count);
        result = kind->read(source, i, true, &frame);
        for (size_t p = 0; frame.labels != NULL && p < (size_t)frame.width * frame.height; p++)
            if (frame.labels[p] < VALUES)
                bits[frame.labels[p] / 8] |= (uint8_t)(1u << frame.labels[p] % 8);
        shw_frame_free(&frame);
    }
    if (result == SHW_OK)
        result = name_values(bits, path, log, names);
    free(bits);
    if (result != SHW_OK)
        shw_label_names_free(names);
    return result;
}

/* Classes being made. */
struct making {
    const struct shw_label_names *names;
    const struct shw_void_values *voids;
    struct shw_class_rules *rules;
    struct shw_palette_entry *entries; /* the names are borrowed */
    uint32_t count, capacity;
    bool *has_colour; /* of the entries */
    uint32_t unruled; /* labels without a rule, the first of which is: */
    uint32_t unruled_at;
};

static bool is_void(const struct making *making, const struct shw_label_name *label)
{
    for (uint32_t i = 0; i < making->voids->count; i++)
        if (making->voids->list[i] == label->value)
            return true;
    return label->value == SHW_VALUE_COLOUR || label->name[0] == '\0' || strcmp(label->name, "void") == 0;
}

static struct shw_class_rule *find_rule(const struct making *making, const struct shw_label_name *label)
{
    struct shw_class_rule *rule = class_rules_find(making->rules, label->name);
    char number[16];

    print_value(label->value, number);
    if (rule == NULL)
        rule = class_rules_find(making->rules, number);
    return rule != NULL ? rule : class_rules_find(making->rules, "*");
}

/* The entry of the class of that name; without rules, added if there is none. */
static uint32_t find_entry(struct making *making, const struct shw_label_name *label)
{
    for (uint32_t e = 1; e < making->count; e++)
        if (strcmp(making->entries[e].name, label->name) == 0)
            return e;
    making->entries[making->count].name = label->name;
    if (label->value >= SHW_VALUE_COLOUR) {
        making->has_colour[making->count] = true;
        for (int c = 0; c < 3; c++)
            making->entries[making->count].colour[c] = (uint8_t)(label->value >> (16 - 8 * c));
    }
    return making->count++;
}

/* The entries of the rules' classes, which have their order; void is none of them. */
static void add_rule_classes(struct making *making, uint32_t *entry_of)
{
    for (uint32_t c = 0; c < making->rules->class_count; c++) {
        const struct shw_rule_class *class = &making->rules->classes[c];

        entry_of[c] = 0;
        if (class->name[0] == '\0') {
            making->has_colour[0] = class->has_colour;
            memcpy(making->entries[0].colour, class->colour, 3);
            continue;
        }
        entry_of[c] = making->count;
        making->entries[making->count].name = class->name;
        making->has_colour[making->count] = class->has_colour;
        memcpy(making->entries[making->count++].colour, class->colour, 3);
    }
}

static uint32_t entry_of_label(struct making *making, uint32_t index, const uint32_t *entry_of)
{
    const struct shw_label_name *label = &making->names->list[index];
    struct shw_class_rule *rule = making->rules != NULL ? find_rule(making, label) : NULL;

    if (rule != NULL)
        rule->used = true;
    if (rule != NULL && strcmp(rule->label, "*") != 0)
        return entry_of[rule->class_number];
    if (is_void(making, label))
        return 0;
    if (rule != NULL)
        return entry_of[rule->class_number];
    if (making->rules == NULL)
        return find_entry(making, label);
    if (making->unruled++ == 0)
        making->unruled_at = index;
    return 0;
}

static bool is_taken(const struct making *making, const uint8_t colour[3])
{
    for (uint32_t e = 0; e < making->count; e++)
        if (making->has_colour[e] && memcmp(making->entries[e].colour, colour, 3) == 0)
            return true;
    return false;
}

/* Classes that have no colour get the default ones that are free; void gets black, or another one that is free. */
static void complete_colours(struct making *making)
{
    uint32_t next = 0;

    if (!making->has_colour[0] && is_taken(making, making->entries[0].colour))
        do
            shw_palette_default_colour(next++, making->entries[0].colour);
        while (is_taken(making, making->entries[0].colour));
    making->has_colour[0] = true;
    next = 0;
    for (uint32_t e = 1; e < making->count; e++)
        if (!making->has_colour[e]) {
            do
                shw_palette_default_colour(next++, making->entries[e].colour);
            while (is_taken(making, making->entries[e].colour));
        }
}

static void tell_missing(const struct making *making, bool known, const char *path, const struct shw_log *log)
{
    uint32_t unused = 0, first = 0;

    for (uint32_t i = making->rules->count; known && i-- > 0;)
        if (!making->rules->rules[i].used && strcmp(making->rules->rules[i].label, "*") != 0) {
            unused++;
            first = i;
        }
    if (making->unruled > 0)
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s has no line for %u of %u labels of %s, such as \"%s\": they become void",
                        making->rules->name, making->unruled, making->names->count, path,
                        making->names->list[making->unruled_at].name);
    if (unused > 0)
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s lists %u labels that %s does not know, such as \"%s\"", making->rules->name, unused, path,
                        making->rules->rules[first].label);
}

static int compare_values(const void *a, const void *b)
{
    uint32_t x = ((const struct shw_class_of_value *)a)->value, y = ((const struct shw_class_of_value *)b)->value;

    return (x > y) - (x < y);
}

static const struct shw_class_of_value *find_value(const struct shw_converted_classes *classes, uint32_t value)
{
    static const struct shw_class_of_value unlabelled = {SHW_VALUE_VOID, 0};
    const struct shw_class_of_value wanted = {.value = value};

    return value == SHW_VALUE_VOID ? &unlabelled
                                   : bsearch(&wanted, classes->values, classes->count, sizeof wanted, compare_values);
}

/* Void numbers need no names. */
static void add_void_values(const struct making *making, struct shw_converted_classes *classes)
{
    for (uint32_t i = 0; i < making->voids->count; i++)
        if (find_value(classes, making->voids->list[i]) == NULL) {
            classes->values[classes->count++] = (struct shw_class_of_value){making->voids->list[i], 0};
            qsort(classes->values, classes->count, sizeof *classes->values, compare_values);
        }
}

static enum shw_result make(struct making *making, uint32_t *entry_of, const char *path, const struct shw_log *log,
                            struct shw_converted_classes *classes)
{
    static char void_name[] = "void";
    const uint32_t count = making->names->count;

    making->entries[0] = (struct shw_palette_entry){.name = void_name, .is_void = true};
    making->count = 1;
    if (making->rules != NULL)
        add_rule_classes(making, entry_of);
    for (uint32_t i = 0; i < count; i++)
        classes->values[i] =
            (struct shw_class_of_value){making->names->list[i].value, entry_of_label(making, i, entry_of)};
    classes->count = count;
    add_void_values(making, classes);
    complete_colours(making);
    return shw_palette_make(making->entries, making->count, making->rules != NULL ? making->rules->name : path, log,
                            &classes->palette);
}

void shw_converted_classes_free(struct shw_converted_classes *classes)
{
    shw_palette_free(&classes->palette);
    free(classes->values);
    *classes = (struct shw_converted_classes){0};
}

enum shw_result shw_converted_classes_make(const struct shw_label_names *names, bool known,
                                           const struct shw_void_values *voids, struct shw_class_rules *rules,
                                           const char *path, const struct shw_log *log,
                                           struct shw_converted_classes *classes)
{
    const size_t most = (rules != NULL ? (size_t)rules->class_count : (size_t)names->count) + 1;
    struct making making = {.names = names, .voids = voids, .rules = rules};
    uint32_t *entry_of = malloc(most * sizeof *entry_of);
    enum shw_result result;

    *classes = (struct shw_converted_classes){
        .values = malloc((names->count + (size_t)voids->count + 1) * sizeof *classes->values)};
    making.entries = calloc(most, sizeof *making.entries);
    making.has_colour = calloc(most, sizeof *making.has_colour);
    if (entry_of == NULL || classes->values == NULL || making.entries == NULL || making.has_colour == NULL)
        result = shw_fail_memory(log, path);
    else
        result = make(&making, entry_of, path, log, classes);
    if (result == SHW_OK && rules != NULL)
        tell_missing(&making, known, path, log);
    free(entry_of);
    free(making.entries);
    free(making.has_colour);
    if (result != SHW_OK)
        shw_converted_classes_free(classes);
    return result;
}

enum shw_result shw_converted_classes_paint(const struct shw_converted_classes *classes, const struct shw_frame *frame,
                                            const char *name, const struct shw_log *log, uint8_t **colours)
{
    const size_t pixels = (size_t)frame->width * frame->height;
    const struct shw_class_of_value *last = NULL;
    uint8_t *painted = malloc(3 * pixels);

    *colours = painted;
    if (painted == NULL)
        return shw_fail_memory(log, name);
    for (size_t i = 0; i < pixels; i++) {
        if (last == NULL || last->value != frame->labels[i])
            last = find_value(classes, frame->labels[i]);
        if (last == NULL) {
            char number[16];
            print_value(frame->labels[i], number);
            free(painted);
            *colours = NULL;
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s: pixel (%zu, %zu) has label %s, for which there is no name", name, i % frame->width,
                            i / frame->width, number);
        }
        memcpy(painted + 3 * i, classes->palette.entries[last->entry].colour, 3);
    }
    return SHW_OK;
}
