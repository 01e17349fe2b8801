#include "files/dataset/forest_classes.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_bytes.h"
#include "base/ktx2.h"
#include "base/log.h"
#include "files/dataset/examples.h"

/* One number from 0 to 255 and the character `end` after it; NULL if there is something else. */
static const char *parse_sample(const char *text, char end, uint8_t *sample)
{
    size_t digits = strspn(text, "0123456789");
    long value = digits > 0 && digits <= 3 ? strtol(text, NULL, 10) : 256;

    if (value > 255 || text[digits] != end)
        return NULL;
    *sample = (uint8_t)value;
    return text + digits + (end != '\0');
}

static bool parse_colour(const char *text, uint8_t colour[3])
{
    if (text[0] == '#') {
        unsigned long value = strtoul(text + 1, NULL, 16);

        if (strlen(text) != 7 || strspn(text + 1, "0123456789abcdefABCDEF") != 6)
            return false;
        for (int c = 0; c < 3; c++)
            colour[c] = (uint8_t)(value >> (16 - 8 * c));
        return true;
    }
    for (int c = 0; c < 3 && text != NULL; c++)
        text = parse_sample(text, c < 2 ? ',' : '\0', &colour[c]);
    return text != NULL;
}

uint32_t shw_class_find(const struct shw_class *classes, uint32_t count, const char *text)
{
    uint8_t colour[3];

    for (uint32_t c = 0; c < count; c++)
        if (strcmp(classes[c].name, text) == 0)
            return c;
    for (uint32_t c = 0; parse_colour(text, colour) && c < count; c++)
        if (memcmp(classes[c].colour, colour, 3) == 0)
            return c;
    return UINT32_MAX;
}

void shw_class_list(const struct shw_class *classes, uint32_t count, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (uint32_t c = 0; c < count; c++) {
        const uint8_t *colour = classes[c].colour;
        char one[320];

        snprintf(one, sizeof one, "%s%s (#%02x%02x%02x)", c > 0 ? ", " : "", classes[c].name, colour[0], colour[1],
                 colour[2]);
        if (used + strlen(one) + sizeof " and 65535 more" > size) {
            snprintf(text + used, size - used, " and %u more", count - c);
            return;
        }
        used += (size_t)snprintf(text + used, size - used, "%s", one);
    }
}

/* The palette's entries as classes, void ones included; NULL if memory is exhausted. */
static struct shw_class *list_entries(const struct shw_palette *palette)
{
    struct shw_class *list = calloc(palette->entry_count, sizeof *list);

    for (uint32_t i = 0; list != NULL && i < palette->entry_count; i++) {
        list[i].name = palette->entries[i].name;
        memcpy(list[i].colour, palette->entries[i].colour, sizeof list[i].colour);
    }
    return list;
}

static bool has_class(const struct shw_forest_info *forest, const char *name)
{
    for (uint32_t c = 0; forest != NULL && c < forest->class_count; c++)
        if (strcmp(forest->classes[c].name, name) == 0)
            return true;
    return false;
}

static void ignore(const struct shw_ignored *ignored, struct shw_palette_entry *entry)
{
    if (entry->is_void) {
        entry->is_ignored =
            entry->is_ignored || ignored->forest != NULL; /* not one of its classes, whatever its colour */
        return;
    }
    entry->is_ignored = true;
    entry->is_void = !has_class(ignored->forest, entry->name);
}

static enum shw_result ignore_given(const struct shw_ignored *ignored, const struct shw_class *list, const char *name,
                                    const struct shw_log *log, const struct shw_palette *palette,
                                    struct shw_palette_entry *entries)
{
    char existing[768];

    for (uint32_t i = 0; i < ignored->count; i++) {
        uint32_t found = shw_class_find(list, palette->entry_count, ignored->given[i]);

        if (found == UINT32_MAX) {
            shw_class_list(palette->classes, palette->class_count, existing, sizeof existing);
            return shw_fail(
                log, SHW_ERROR_ARGUMENT, SHW_LOG_PALETTE,
                "%s: '%s' cannot be ignored, as it is neither the name nor the colour of a class: there are %s", name,
                ignored->given[i], existing);
        }
        ignore(ignored, &entries[found]);
    }
    return SHW_OK;
}

/* What a forest was trained without. Forests are not trusted: what is no list of names is skipped. */
static void ignore_recorded(const struct shw_ignored *ignored, const struct shw_class *list, uint32_t count,
                            const struct shw_log *log, struct shw_palette_entry *entries)
{
    json_t *record = ignored->forest != NULL ? json_loads(ignored->forest->training, 0, NULL) : NULL;
    const json_t *names = json_object_get(record, SHW_IGNORED_KEY);

    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        uint32_t found = name != NULL ? shw_class_find(list, count, name) : UINT32_MAX;

        if (found == UINT32_MAX || entries[found].is_void)
            continue;
        ignore(ignored, &entries[found]);
        shw_log_message(log, SHW_LOG_INFO, SHW_LOG_PALETTE, "pixels of %s are void, as when the forest was trained",
                        name);
    }
    json_decref(record);
}

static enum shw_result remake(const struct shw_palette_entry *entries, const char *name, const struct shw_log *log,
                              struct shw_palette *palette)
{
    struct shw_palette made;
    uint32_t left = 0;

    for (uint32_t i = 0; i < palette->entry_count; i++)
        left += !entries[i].is_void;
    if (left == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_PALETTE, "%s: all classes are ignored", name);
    SHW_PROPAGATE(shw_palette_make(entries, palette->entry_count, name, log, &made));
    shw_palette_free(palette);
    *palette = made;
    return SHW_OK;
}

enum shw_result shw_ignored_apply(const struct shw_ignored *ignored, const char *name, const struct shw_log *log,
                                  struct shw_palette *palette)
{
    struct shw_palette_entry *entries;
    struct shw_class *list;
    enum shw_result result = SHW_OK;

    if (ignored->count == 0 && ignored->forest == NULL)
        return SHW_OK;
    entries = malloc(palette->entry_count * sizeof *entries);
    list = list_entries(palette);
    if (entries == NULL || list == NULL)
        SHW_TRY(shw_fail_memory(log, name));
    memcpy(entries, palette->entries, palette->entry_count * sizeof *entries);
    SHW_TRY(ignore_given(ignored, list, name, log, palette, entries));
    ignore_recorded(ignored, list, palette->entry_count, log, entries);
    SHW_TRY(remake(entries, name, log, palette));

fail:
    free(entries);
    free(list);
    return result;
}

json_t *shw_ignored_pack(const struct shw_palette *palette)
{
    json_t *names = json_array();

    for (uint32_t i = 0; names != NULL && i < palette->entry_count; i++)
        if (palette->entries[i].is_ignored &&
            json_array_append_new(names, json_string(palette->entries[i].name)) != 0) {
            json_decref(names);
            return NULL;
        }
    return names;
}

#define CURFIL "curfil" /* of members of the provenance */

bool shw_is_forest_file(const char *path)
{
    struct shw_file_bytes start = {0};
    bool is_forest = shw_is_file(path) &&
                     shw_file_bytes_read_start(path, SHW_KTX2_START_SIZE, NULL, &start) == SHW_OK &&
                     start.size == SHW_KTX2_START_SIZE && shw_ktx2_file_size(start.bytes) != 0;

    shw_file_bytes_free(&start);
    return is_forest;
}

static bool has_colour(const struct shw_palette_entry *entries, uint32_t count, const uint8_t colour[3])
{
    for (uint32_t i = 0; i < count; i++)
        if (memcmp(entries[i].colour, colour, 3) == 0)
            return true;
    return false;
}

/* Adds the colours that CURFIL was to ignore, "R,G,B" one after the other. Forests are not trusted: what follows
 * something else is left out. */
static uint32_t add_ignored(const char *text, struct shw_palette_entry *entries, uint32_t count, uint32_t most)
{
    static char name[] = "ignored"; /* only read */
    unsigned r, g, b;
    int length = 0;

    while (count < most && text != NULL && sscanf(text, " %u , %u , %u%n", &r, &g, &b, &length) == 3 && r <= 255 &&
           g <= 255 && b <= 255) {
        const uint8_t colour[3] = {(uint8_t)r, (uint8_t)g, (uint8_t)b};
        if (!has_colour(entries, count, colour)) {
            entries[count] = (struct shw_palette_entry){.name = name, .is_void = true};
            memcpy(entries[count++].colour, colour, 3);
        }
        text += length;
        text += strspn(text, " ;,|\t\n");
    }
    return count;
}

enum shw_result shw_forest_palette_make(const struct shw_forest_info *forest, const char *name,
                                        const struct shw_log *log, struct shw_palette *palette)
{
    static char void_name[] = "void"; /* only read */
    struct shw_palette_entry *entries = calloc(SHW_CLASSES_MAX, sizeof *entries);
    json_t *record = json_loads(forest->training, 0, NULL);
    uint32_t count = forest->class_count;
    enum shw_result result;

    if (entries == NULL) {
        json_decref(record);
        return shw_fail_memory(log, name);
    }
    for (uint32_t c = 0; c < count; c++) {
        entries[c].name = (char *)(uintptr_t)forest->classes[c].name; /* shw_palette_make() copies it */
        memcpy(entries[c].colour, forest->classes[c].colour, 3);
    }
    if (count < SHW_CLASSES_MAX) {
        entries[count] = (struct shw_palette_entry){.name = void_name, .is_void = true};
        shw_palette_void_colour(forest->classes, forest->class_count, entries[count].colour);
        count = add_ignored(json_string_value(json_object_get(json_object_get(record, CURFIL), "ignoredColors")),
                            entries, count + 1, SHW_CLASSES_MAX);
    }
    result = shw_palette_make_numbers(entries, count, name, log, palette);
    json_decref(record);
    free(entries);
    return result;
}

static bool is_called_after_colour(const char *name, const uint8_t colour[3])
{
    char own[8];

    snprintf(own, sizeof own, "#%02x%02x%02x", colour[0], colour[1], colour[2]);
    return strcmp(name, own) == 0;
}

static bool are_called_after_colours(const struct shw_class *classes, uint32_t count)
{
    for (uint32_t c = 0; c < count; c++)
        if (!is_called_after_colour(classes[c].name, classes[c].colour))
            return false;
    return true;
}

static bool is_of_curfil(const struct shw_forest_info *forest)
{
    json_t *record = json_loads(forest->training, 0, NULL);
    const char *from = json_string_value(json_object_get(record, "imported_from"));
    bool is = from != NULL && strcmp(from, CURFIL) == 0;

    json_decref(record);
    return is;
}

/* The class of each entry in the forest, whose palette is `of_forest`; SHW_LABEL_VOID of void ones. False: a class has
 * none of its own there. */
static bool find_classes(const struct shw_palette *of_forest, const struct shw_palette *palette, uint16_t *numbers,
                         bool *taken)
{
    const uint32_t void_entry = of_forest->class_count;

    for (uint32_t i = 0; i < palette->entry_count; i++) {
        const struct shw_palette_entry *entry = &palette->entries[i];
        uint32_t found = shw_palette_find(of_forest, entry->colour);

        numbers[i] = SHW_LABEL_VOID;
        if (entry->is_void && (entry->is_ignored || !is_called_after_colour(entry->name, entry->colour)))
            continue;
        if (found < void_entry) {
            if (taken[found])
                return false;
            taken[found] = true;
            numbers[i] = (uint16_t)found;
        } else if (!entry->is_void && (found == void_entry || found == UINT32_MAX)) {
            return false;
        }
    }
    return true;
}

static void number(struct shw_palette *palette, const uint16_t *numbers)
{
    for (uint32_t i = 0; i < palette->entry_count; i++) {
        struct shw_palette_entry *entry = &palette->entries[i];

        entry->is_void = numbers[i] == SHW_LABEL_VOID;
        entry->class_number = entry->is_ignored ? SHW_LABEL_VOID : numbers[i];
    }
}

enum shw_result shw_forest_classes_adopt(const struct shw_forest_info *forest, bool from_file,
                                         const struct shw_log *log, struct shw_palette *palette)
{
    const bool by_data = are_called_after_colours(palette->classes, palette->class_count);
    struct shw_palette of_forest = {0};
    uint16_t *numbers = NULL;
    bool *taken = NULL;
    struct shw_class *classes = NULL;
    enum shw_result result = SHW_OK;

    if (!(from_file || by_data) ||
        !(by_data || are_called_after_colours(forest->classes, forest->class_count) || is_of_curfil(forest)))
        return SHW_OK;
    if (shw_forest_palette_make(forest, "the forest", NULL, &of_forest) != SHW_OK)
        return SHW_OK; /* its classes have equal names */
    numbers = calloc(palette->entry_count, sizeof *numbers);
    taken = calloc(forest->class_count, sizeof *taken);
    classes = calloc(forest->class_count, sizeof *classes);
    if (numbers == NULL || taken == NULL || classes == NULL)
        SHW_TRY(shw_fail_memory(log, "the classes of a data set"));
    if (find_classes(&of_forest, palette, numbers, taken)) {
        number(palette, numbers);
        memcpy(classes, forest->classes, forest->class_count * sizeof *classes);
        free(palette->classes);
        palette->classes = classes;
        palette->class_count = forest->class_count;
        classes = NULL;
        shw_log_message(log, SHW_LOG_INFO, SHW_LOG_PALETTE, "classes are those of the forest that have their colours");
    }

fail:
    shw_palette_free(&of_forest);
    free(numbers);
    free(taken);
    free(classes);
    return result;
}
