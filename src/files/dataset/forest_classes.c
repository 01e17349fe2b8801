#include "files/dataset/forest_classes.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/ktx2.h"
#include "base/log.h"
#include "files/dataset/examples.h"
#include "files/io/file_bytes.h"

#define CURFIL "curfil" /* of members of the training record */

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

/* Adds the colours that CURFIL was told to ignore, "R,G,B" one after the other. Forests are not trusted: what follows
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
