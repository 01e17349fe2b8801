#include "import/import_values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

/* An order of values: numbers before colours. */
static uint32_t order_of(const struct view_import_value *value)
{
    const uint8_t *c = value->colour;

    return value->is_colour ? 0x10000u + ((uint32_t)c[0] << 16 | (uint32_t)c[1] << 8 | c[2]) : value->number;
}

/* The first place whose value is not before this one. */
static uint32_t place_of(const struct view_import_values *values, uint32_t order)
{
    uint32_t low = 0, high = values->count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (order_of(&values->list[middle]) < order)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The value that is the same; NULL if there is none. */
static struct view_import_value *view_import_values_find(const struct view_import_values *values,
                                                         const struct view_import_value *value)
{
    uint32_t order = order_of(value), place = place_of(values, order);

    return place < values->count && order_of(&values->list[place]) == order ? &values->list[place] : NULL;
}

/* The entry of a value, made if it is missing. NULL if memory is exhausted. */
static struct view_import_value *need(struct view_import_values *values, const struct view_import_value *value)
{
    struct view_import_value *found = view_import_values_find(values, value), *grown;
    uint32_t place;

    if (found != NULL)
        return found;
    grown = realloc(values->list, (values->count + (size_t)1) * sizeof *grown);
    if (grown == NULL)
        return NULL;
    values->list = grown;
    place = place_of(values, order_of(value));
    memmove(grown + place + 1, grown + place, (values->count - place) * sizeof *grown);
    grown[place] = *value;
    grown[place].class_name = NULL;
    values->count++;
    return &grown[place];
}

static struct view_import_value value_at(const struct shw_label_file *file, size_t i)
{
    struct view_import_value value = {.is_colour = file->indices == NULL};

    if (value.is_colour)
        memcpy(value.colour, file->colours + 3 * i, 3);
    else
        value.number = file->indices[i];
    return value;
}

/* The values of one file. */
static enum shw_result collect(struct view_import_values *values, const struct shw_label_file *file, const char *name,
                               const struct shw_log *log)
{
    struct view_import_value *last = NULL;

    for (size_t i = 0; i < (size_t)file->width * file->height; i++) {
        const struct view_import_value value = value_at(file, i);
        if (last == NULL || order_of(last) != order_of(&value)) {
            last = need(values, &value);
            if (last == NULL)
                return shw_fail_memory(log, name);
            if (values->count > VIEW_IMPORT_VALUES_MAX)
                return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_LABEL_COLOUR,
                                "%s has more than %u different values: it is neither a mask nor a label image", name,
                                VIEW_IMPORT_VALUES_MAX);
        }
        last->pixels++;
    }
    return SHW_OK;
}

enum shw_result view_import_values_add(struct view_import_values *values, const struct shw_label_file *file,
                                       const char *name, const struct shw_log *log)
{
    struct view_import_values own = {.list = NULL};
    enum shw_result result = collect(&own, file, name, log);

    for (uint32_t i = 0; i < own.count && result == SHW_OK; i++) {
        struct view_import_value *value = need(values, &own.list[i]);
        if (value == NULL) {
            result = shw_fail_memory(log, name);
        } else if (values->count > VIEW_IMPORT_VALUES_MAX) {
            result = shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_LABEL_COLOUR,
                              "%s: with the files before it, there are more than %u different values", name,
                              VIEW_IMPORT_VALUES_MAX);
        } else {
            value->pixels += value->file != NULL ? own.list[i].pixels : 0;
            value->file = value->file != NULL ? value->file : name;
        }
    }
    view_import_values_free(&own);
    return result;
}

bool view_import_value_parse(const char *text, struct view_import_value *value)
{
    unsigned long number;
    char *end;

    *value = (struct view_import_value){.is_colour = text[0] == '#'};
    if (value->is_colour && (strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6))
        return false;
    number = strtoul(value->is_colour ? text + 1 : text, &end, value->is_colour ? 16 : 10);
    value->number = (uint16_t)number;
    for (int k = 0; k < 3; k++)
        value->colour[k] = (uint8_t)(number >> (16 - 8 * k));
    return end != text && *end == '\0' && text[0] != '-' && text[0] != '+' &&
           (value->is_colour || number <= UINT16_MAX);
}

void view_import_value_print(const struct view_import_value *value, char text[16])
{
    if (value->is_colour)
        snprintf(text, 16, "#%02x%02x%02x", value->colour[0], value->colour[1], value->colour[2]);
    else
        snprintf(text, 16, "%u", value->number);
}

static enum shw_result set_meaning(struct view_import_value *value, const char *class_name, bool proposed)
{
    char *copy = strdup(class_name);

    free(value->class_name);
    value->class_name = copy;
    value->proposed = proposed;
    return copy != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

enum shw_result view_import_values_choose(struct view_import_values *values, const struct view_import_value *value,
                                          const char *class_name)
{
    struct view_import_value *entry = need(values, value);

    if (entry == NULL)
        return SHW_ERROR_MEMORY;
    entry->chosen = true;
    return set_meaning(entry, class_name, false);
}

/* Whether there are two values, one of them 0. */
static bool view_import_values_are_mask(const struct view_import_values *values)
{
    const struct view_import_value *first = values->list;

    return values->count == 2 &&
           (first->is_colour ? first->colour[0] + first->colour[1] + first->colour[2] == 0 : first->number == 0);
}

/* The number of classes of that number or colour; *found: the first one. */
static uint32_t find_classes(const struct shw_project *project, const struct view_import_value *value,
                             const struct shw_project_class **found)
{
    uint32_t count = shw_project_get_class_count(project), alike = 0;

    for (uint32_t c = 0; c < count; c++) {
        const struct shw_project_class *class = shw_project_get_class(project, c);
        if (value->is_colour ? memcmp(class->colour, value->colour, 3) != 0 : c != value->number)
            continue;
        *found = alike == 0 ? class : *found;
        alike++;
    }
    return alike;
}

static bool is_void(const struct shw_project *project, const struct view_import_value *value)
{
    static const uint8_t black[3];

    return value->is_colour ? memcmp(value->colour, black, 3) == 0
                            : value->number == shw_project_get_class_count(project) || value->number == SHW_LABEL_VOID;
}

/* What a value is called in the project; NULL: no class or several are that. */
static const char *name_in_project(const struct shw_project *project, const struct view_import_value *value)
{
    const struct shw_project_class *class;
    uint32_t count = find_classes(project, value, &class);

    if (count == 0)
        return is_void(project, value) ? "" : NULL;
    return count == 1 ? class->name : NULL;
}

/* The entry of a number or colour; NULL if there is none. */
static const struct shw_palette_entry *find_entry(const struct shw_palette *list, const struct view_import_value *value)
{
    uint32_t place = value->is_colour ? shw_palette_find(list, value->colour) : value->number;

    return place < list->entry_count ? &list->entries[place] : NULL;
}

/* What a value is called: the name of a class, or "" for nothing; NULL: that is not known. */
static const char *name_of(const struct view_import_rules *rules, const struct view_import_value *value)
{
    const struct shw_palette_entry *entry;

    if (rules->list->entry_count == 0)
        return name_in_project(rules->project, value);
    if (!value->is_colour && value->number == SHW_LABEL_VOID)
        return "";
    entry = find_entry(rules->list, value);
    return entry == NULL ? NULL : entry->is_void ? "" : entry->name;
}

static bool has_class(const struct shw_project *project, const char *name)
{
    for (uint32_t c = 0; c < shw_project_get_class_count(project); c++)
        if (strcmp(shw_project_get_class(project, c)->name, name) == 0)
            return true;
    return false;
}

/* As the list says. Otherwise 0 is nothing; of a mask, the other value is the class. Other values are the class of that
 * number, or new ones. */
static enum shw_result propose(struct view_import_value *value, const struct view_import_rules *rules, bool mask)
{
    const char *known = name_of(rules, value);
    char name[40], text[16];

    if (rules->list->entry_count > 0 && known != NULL)
        return set_meaning(value, known, true);
    if (order_of(value) == 0 || order_of(value) == 0x10000u)
        return set_meaning(value, "", true);
    if (mask)
        return set_meaning(value, rules->class_name, true);
    view_import_value_print(value, text);
    snprintf(name, sizeof name, "value %s", text);
    return set_meaning(value, known != NULL && known[0] != '\0' ? known : name, true);
}

/* Whether all values have names, or have been chosen, and nobody has to be asked. A mask of 0 and 1 may be meant
 * otherwise, and new classes are not made without a question where it can be asked. */
static bool are_known(const struct view_import_values *values, const struct view_import_rules *rules)
{
    const bool sure = rules->ours && rules->list->entry_count > 0;
    bool known = !rules->asks || sure || !view_import_values_are_mask(values);

    for (uint32_t i = 0; i < values->count && known; i++) {
        const struct view_import_value *value = &values->list[i];
        const char *name = name_of(rules, value);
        if (view_import_values_find(rules->chosen, value) == NULL)
            known = name != NULL && (!rules->asks || name[0] == '\0' || has_class(rules->project, name));
    }
    return known;
}

/* Whether the list has all values: otherwise it is of other files. */
static bool covers(const struct shw_palette *list, const struct view_import_values *values)
{
    for (uint32_t i = 0; i < values->count; i++)
        if (find_entry(list, &values->list[i]) == NULL &&
            (values->list[i].is_colour || values->list[i].number != SHW_LABEL_VOID))
            return false;
    return true;
}

enum shw_result view_import_values_interpret(struct view_import_values *values, const struct view_import_rules *given)
{
    static const struct shw_palette none;
    struct view_import_rules of = *given;
    const struct view_import_rules *rules = &of;
    bool known, mask = view_import_values_are_mask(values);

    if (rules->unsure || !covers(of.list, values))
        of.list = &none;
    known = !rules->unsure && are_known(values, rules);
    for (uint32_t i = 0; i < values->count; i++) {
        struct view_import_value *value = &values->list[i];
        const struct view_import_value *chosen = view_import_values_find(rules->chosen, value);
        if (chosen != NULL)
            SHW_PROPAGATE(set_meaning(value, chosen->class_name, false));
        else if (known)
            SHW_PROPAGATE(set_meaning(value, name_of(rules, value), false));
        else
            SHW_PROPAGATE(propose(value, rules, mask));
    }
    return SHW_OK;
}

bool view_import_values_are_open(const struct view_import_values *values)
{
    for (uint32_t i = 0; i < values->count; i++)
        if (values->list[i].proposed)
            return true;
    return false;
}

enum shw_result view_import_values_apply(const struct view_import_values *values, const struct shw_label_file *file,
                                         const uint16_t *numbers, const char *name, const struct shw_log *log,
                                         uint16_t **labels)
{
    size_t pixels = (size_t)file->width * file->height;
    uint16_t *made = malloc(pixels * sizeof *made);
    const struct view_import_value *last = NULL;

    if (made == NULL)
        return shw_fail_memory(log, name);
    for (size_t i = 0; i < pixels; i++) {
        const struct view_import_value value = value_at(file, i);
        if (last == NULL || order_of(last) != order_of(&value))
            last = view_import_values_find(values, &value);
        if (last == NULL) {
            free(made);
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_LABEL_COLOUR, "%s was changed while it was imported", name);
        }
        made[i] = numbers[last - values->list];
    }
    *labels = made;
    return SHW_OK;
}

void view_import_values_free(struct view_import_values *values)
{
    for (uint32_t i = 0; i < values->count; i++)
        free(values->list[i].class_name);
    free(values->list);
    *values = (struct view_import_values){.list = NULL};
}
