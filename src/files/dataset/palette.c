#include "files/dataset/palette.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/class.h"
#include "base/file_bytes.h"
#include "base/log.h"
#include "files/dataset/forest_classes.h"
#include "files/io/file_kind.h"
#include "files/io/mark.h"

static uint32_t pack(const uint8_t colour[3])
{
    return (uint32_t)colour[0] << 16 | (uint32_t)colour[1] << 8 | colour[2];
}

static int compare_colours(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct shw_class *)a)->name, ((const struct shw_class *)b)->name);
}

/* Whether the entry after this one, by colour, has the same, and one of both is a class. */
static bool is_doubtful(const struct shw_palette *palette, uint32_t place)
{
    const struct shw_palette_entry *one = &palette->entries[(uint32_t)palette->by_colour[place]], *two;

    if (place + 1 == palette->entry_count)
        return false;
    two = &palette->entries[(uint32_t)palette->by_colour[place + 1]];
    return pack(one->colour) == pack(two->colour) && !(one->is_void && two->is_void);
}

static enum shw_result check_colours(const struct shw_palette *palette, const char *name, const struct shw_log *log)
{
    for (uint32_t i = 0; i < palette->entry_count; i++)
        if (is_doubtful(palette, i)) {
            const struct shw_palette_entry *one = &palette->entries[(uint32_t)palette->by_colour[i]];
            const struct shw_palette_entry *two = &palette->entries[(uint32_t)palette->by_colour[i + 1]];
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PALETTE,
                            "%s: \"%s\" and \"%s\" have the same colour (%u, %u, %u)", name, one->name, two->name,
                            one->colour[0], one->colour[1], one->colour[2]);
        }
    return SHW_OK;
}

static enum shw_result check_names(const struct shw_palette *palette, const char *name, const struct shw_log *log)
{
    struct shw_class *sorted = malloc(palette->class_count * sizeof *sorted);
    enum shw_result result = SHW_OK;

    if (sorted == NULL)
        return shw_fail_memory(log, name);
    memcpy(sorted, palette->classes, palette->class_count * sizeof *sorted);
    qsort(sorted, palette->class_count, sizeof *sorted, compare_names);
    for (uint32_t i = 0; i + 1 < palette->class_count && result == SHW_OK; i++)
        if (strcmp(sorted[i].name, sorted[i + 1].name) == 0)
            result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PALETTE, "%s: two classes have the name \"%s\"", name,
                              sorted[i].name);
    free(sorted);
    return result;
}

static enum shw_result copy_entries(const struct shw_palette_entry *entries, uint32_t entry_count,
                                    struct shw_palette *palette)
{
    palette->entries = calloc(entry_count, sizeof *palette->entries);
    palette->classes = calloc(entry_count, sizeof *palette->classes);
    palette->by_colour = malloc(entry_count * sizeof *palette->by_colour);
    if (palette->entries == NULL || palette->classes == NULL || palette->by_colour == NULL)
        return SHW_ERROR_MEMORY;
    palette->entry_count = entry_count;
    for (uint32_t i = 0; i < entry_count; i++) {
        struct shw_palette_entry *entry = &palette->entries[i];

        *entry = entries[i];
        entry->class_number = SHW_LABEL_VOID;
        entry->name = strdup(entries[i].name);
        if (entry->name == NULL)
            return SHW_ERROR_MEMORY;
        palette->by_colour[i] = (uint64_t)pack(entry->colour) << 32 | i;
        if (entry->is_void)
            continue;
        palette->classes[palette->class_count].name = entry->name;
        memcpy(palette->classes[palette->class_count].colour, entry->colour, 3);
        if (!entry->is_ignored)
            entry->class_number = (uint16_t)palette->class_count;
        palette->class_count++;
    }
    qsort(palette->by_colour, entry_count, sizeof *palette->by_colour, compare_colours);
    return SHW_OK;
}

static enum shw_result make(const struct shw_palette_entry *entries, uint32_t entry_count, bool numbers,
                            const char *name, const struct shw_log *log, struct shw_palette *palette)
{
    struct shw_palette made = {0};
    enum shw_result result;

    if (entry_count == 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PALETTE, "%s: the palette is empty", name);
    if (entry_count > SHW_CLASSES_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_PALETTE, "%s: %u entries; at most %u are possible", name,
                        entry_count, SHW_CLASSES_MAX);
    result = copy_entries(entries, entry_count, &made);
    if (result != SHW_OK)
        shw_fail_memory(log, name);
    else if (made.class_count == 0)
        result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PALETTE,
                          "%s: all entries are void; at least one must be a class", name);
    else if (numbers || (result = check_colours(&made, name, log)) == SHW_OK)
        result = check_names(&made, name, log);
    if (result != SHW_OK)
        shw_palette_free(&made);
    else
        *palette = made;
    return result;
}

enum shw_result shw_palette_make(const struct shw_palette_entry *entries, uint32_t entry_count, const char *name,
                                 const struct shw_log *log, struct shw_palette *palette)
{
    return make(entries, entry_count, false, name, log, palette);
}

enum shw_result shw_palette_make_numbers(const struct shw_palette_entry *entries, uint32_t entry_count,
                                         const char *name, const struct shw_log *log, struct shw_palette *palette)
{
    return make(entries, entry_count, true, name, log, palette);
}

void shw_palette_free(struct shw_palette *palette)
{
    if (palette == NULL)
        return;
    for (uint32_t i = 0; i < palette->entry_count; i++)
        free(palette->entries[i].name);
    free(palette->entries);
    free(palette->classes);
    free(palette->by_colour);
    *palette = (struct shw_palette){0};
}

uint32_t shw_palette_find(const struct shw_palette *palette, const uint8_t colour[3])
{
    uint32_t low = 0, high = palette->entry_count, wanted = pack(colour), first;

    while (low < high) { /* the first one that is not before it */
        uint32_t middle = low + (high - low) / 2;

        if ((uint32_t)(palette->by_colour[middle] >> 32) < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    first = low;
    for (; low < palette->entry_count && (uint32_t)(palette->by_colour[low] >> 32) == wanted; low++)
        if (is_doubtful(palette, low))
            return UINT32_MAX;
    return low > first ? (uint32_t)palette->by_colour[first] : UINT32_MAX;
}

void shw_palette_void_colour(const struct shw_class *classes, uint32_t count, uint8_t colour[3])
{
    uint32_t c = 0;

    for (uint32_t candidate = 0; c < count || candidate == 0; candidate++) {
        colour[0] = (uint8_t)candidate;
        colour[1] = (uint8_t)(candidate >> 8);
        colour[2] = 0;
        for (c = 0; c < count && memcmp(classes[c].colour, colour, 3) != 0; c++)
            continue;
    }
}

void shw_palette_default_colour(uint32_t number, uint8_t colour[3])
{
    shw_class_colour(number, colour);
}

/* Returns the error in the entry, or NULL. The JSON value keeps the name. */
static const char *read_entry(const json_t *value, struct shw_palette_entry *entry)
{
    const json_t *name = json_object_get(value, "name");
    const json_t *colour = json_object_get(value, "colour");
    const json_t *is_void = json_object_get(value, "void");

    if (!json_is_object(value))
        return "is not an object";
    if (!json_is_string(name) || json_string_length(name) == 0)
        return "has no \"name\", a non-empty string";
    if (!json_is_array(colour) || json_array_size(colour) != 3)
        return "has no \"colour\", a list of three numbers: red, green, blue";
    for (size_t c = 0; c < 3; c++) {
        const json_t *sample = json_array_get(colour, c);

        if (!json_is_integer(sample) || json_integer_value(sample) < 0 || json_integer_value(sample) > 255)
            return "has a \"colour\" with values other than integers from 0 to 255";
        entry->colour[c] = (uint8_t)json_integer_value(sample);
    }
    if (is_void != NULL && !json_is_boolean(is_void))
        return "has a \"void\" that is neither true nor false";
    entry->is_void = json_is_true(is_void);
    if (!entry->is_void && (strlen(json_string_value(name)) < json_string_length(name) ||
                            shw_class_name_fault(json_string_value(name)) != NULL))
        return "has a \"name\" that is not 1 to 255 bytes of UTF-8 without control characters";
    /* shw_palette_make() copies it */
    entry->name = (char *)(uintptr_t)json_string_value(name);
    return NULL;
}

static enum shw_result read_classes(const json_t *classes, bool numbers, const char *name, const struct shw_log *log,
                                    struct shw_palette *palette)
{
    size_t count = json_array_size(classes);
    struct shw_palette_entry *entries;
    enum shw_result result = SHW_OK;

    if (!json_is_array(classes))
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PALETTE,
                        "%s: a palette must be an object with a list \"classes\"", name);
    if (count > SHW_CLASSES_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_PALETTE, "%s: %zu entries; at most %u are possible", name, count,
                        SHW_CLASSES_MAX);
    entries = calloc(count + 1, sizeof *entries);
    if (entries == NULL)
        return shw_fail_memory(log, name);
    for (size_t i = 0; i < count && result == SHW_OK; i++) {
        const char *wrong = read_entry(json_array_get(classes, i), &entries[i]);

        if (wrong != NULL)
            result =
                shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PALETTE, "%s: entry %zu of \"classes\" %s", name, i, wrong);
    }
    if (result == SHW_OK)
        result = numbers ? shw_palette_make_numbers(entries, (uint32_t)count, name, log, palette)
                         : shw_palette_make(entries, (uint32_t)count, name, log, palette);
    free(entries);
    return result;
}

static enum shw_result decode(const void *bytes, size_t size, bool numbers, const char *name, const struct shw_log *log,
                              struct shw_palette *palette)
{
    json_error_t error;
    const char *text = shw_skip_byte_order_mark(bytes, &size);
    json_t *root = json_loadb(text, size, 0, &error);
    enum shw_result result;

    if (root == NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PALETTE, "%s is not JSON: line %d, column %d: %s", name,
                        error.line, error.column, error.text);
    result = read_classes(json_object_get(root, "classes"), numbers, name, log, palette);
    json_decref(root);
    return result;
}

enum shw_result shw_palette_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                   struct shw_palette *palette)
{
    return decode(bytes, size, false, name, log, palette);
}

static enum shw_result read_file(const char *path, bool numbers, const struct shw_log *log, struct shw_palette *palette)
{
    struct shw_file_bytes bytes;
    enum shw_result result = shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, log, &bytes);

    if (result == SHW_OK)
        result = decode(bytes.bytes, bytes.size, numbers, path, log, palette);
    shw_file_bytes_free(&bytes);
    return result;
}

static enum shw_result read_forest(const char *path, const struct shw_log *log, struct shw_palette *palette)
{
    struct shw_forest_load_params params = {0};
    struct shw_forest *forest = NULL;
    enum shw_result result;

    if (log != NULL)
        params.log = *log;
    SHW_PROPAGATE(shw_forest_load(path, &params, &forest));
    result = shw_forest_palette_make(shw_forest_get_info(forest), path, log, palette);
    shw_forest_destroy(&forest);
    return result;
}

enum shw_result shw_palette_read(const char *path, const struct shw_log *log, struct shw_palette *palette)
{
    if (shw_is_forest_file(path))
        return read_forest(path, log, palette);
    return read_file(path, false, log, palette);
}

enum shw_result shw_palette_read_numbers(const char *path, const struct shw_log *log, struct shw_palette *palette)
{
    return read_file(path, true, log, palette);
}

static json_t *pack_palette(const struct shw_palette *palette)
{
    json_t *classes = json_array();

    for (uint32_t i = 0; i < palette->entry_count && classes != NULL; i++) {
        const struct shw_palette_entry *entry = &palette->entries[i];
        json_t *packed = json_pack("{s:s, s:[i,i,i], s:b}", "name", entry->name, "colour", entry->colour[0],
                                   entry->colour[1], entry->colour[2], "void", (int)entry->is_void);

        if (json_array_append_new(classes, packed) != 0) {
            json_decref(classes);
            classes = NULL;
        }
    }
    return classes != NULL ? json_pack("{s:o}", "classes", classes) : NULL;
}

enum shw_result shw_palette_write(const char *path, const struct shw_palette *palette, const struct shw_log *log)
{
    json_t *root = pack_palette(palette);
    char *text = root != NULL && shw_mark_json(root, shw_file_palette.name) ? json_dumps(root, JSON_INDENT(1)) : NULL;
    enum shw_result result =
        text != NULL ? shw_atomic_file_write(path, text, strlen(text), log) : shw_fail_memory(log, path);

    free(text);
    json_decref(root);
    return result;
}

/* A label image with more colours than this is probably a photograph. */
#define COLOURS_MAX 256

struct census {
    bool has_indices, has_colours;
    bool seen[SHW_CLASSES_MAX]; /* indices */
    uint32_t colours[COLOURS_MAX + 1];
    uint32_t colour_count;
};

static void count_indices(struct census *census, const struct shw_label_file *file)
{
    census->has_indices = true;
    for (size_t i = 0; i < (size_t)file->width * file->height; i++)
        if (file->indices[i] != SHW_LABEL_VOID)
            census->seen[file->indices[i]] = true;
}

/* The position of the colour, or its insertion point. */
static uint32_t place_of(const struct census *census, uint32_t colour)
{
    uint32_t low = 0, high = census->colour_count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (census->colours[middle] < colour)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Stops when there are too many. */
static void count_colours(struct census *census, const struct shw_label_file *file)
{
    uint32_t last = UINT32_MAX;

    census->has_colours = true;
    for (size_t i = 0; i < (size_t)file->width * file->height && census->colour_count <= COLOURS_MAX; i++) {
        const uint8_t *rgb = file->colours + 3 * i;
        uint32_t colour = (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
        uint32_t place;

        if (colour == last)
            continue;
        last = colour;
        place = place_of(census, colour);
        if (place < census->colour_count && census->colours[place] == colour)
            continue;
        memmove(&census->colours[place + 1], &census->colours[place],
                (census->colour_count - place) * sizeof *census->colours);
        census->colours[place] = colour;
        census->colour_count++;
    }
}

/* Values that do not occur become void, so that the classes are numbered without gaps. */
static uint32_t entries_of_indices(const struct census *census, struct shw_palette_entry *entries, char (*names)[32])
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < SHW_CLASSES_MAX; i++) {
        entries[i] = (struct shw_palette_entry){.name = names[i], .is_void = !census->seen[i]};
        snprintf(names[i], sizeof names[i], census->seen[i] ? "class %u" : "unused %u", i);
        if (!census->seen[i])
            continue;
        shw_palette_default_colour(i, entries[i].colour);
        count = i + 1;
    }
    return count;
}

static uint32_t entries_of_colours(const struct census *census, struct shw_palette_entry *entries, char (*names)[32])
{
    for (uint32_t i = 0; i < census->colour_count; i++) {
        uint32_t colour = census->colours[i];

        entries[i] =
            (struct shw_palette_entry){.name = names[i],
                                       .colour = {(uint8_t)(colour >> 16), (uint8_t)(colour >> 8), (uint8_t)colour},
                                       .is_void = colour == 0};
        snprintf(names[i], sizeof names[i], "#%06x", colour);
    }
    return census->colour_count;
}

static bool has_class(const struct shw_palette_entry *entries, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!entries[i].is_void)
            return true;
    return false;
}

static enum shw_result check(const struct census *census, const char *name, const struct shw_log *log)
{
    if (census->has_indices && census->has_colours)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s: some label images have indices and some have colours; use a palette, or force one kind",
                        name);
    if (census->colour_count > COLOURS_MAX)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s: the label images have more than %d colours, so a palette is needed", name, COLOURS_MAX);
    return SHW_OK;
}

enum shw_result shw_palette_derive(uint32_t count,
                                   enum shw_result (*read)(void *user, uint32_t index, struct shw_label_file *file),
                                   void *user, const char *name, const struct shw_log *log, struct shw_palette *palette)
{
    struct census *census = calloc(1, sizeof *census);
    struct shw_palette_entry *entries = calloc(SHW_CLASSES_MAX, sizeof *entries);
    char(*names)[32] = calloc(SHW_CLASSES_MAX, sizeof *names);
    bool allocated = census != NULL && entries != NULL && names != NULL;
    enum shw_result result = allocated ? SHW_OK : shw_fail_memory(log, "a palette");

    for (uint32_t i = 0; i < count && result == SHW_OK; i++) {
        struct shw_label_file file = {0};

        result = read(user, i, &file);
        if (result == SHW_OK && file.indices != NULL)
            count_indices(census, &file);
        else if (result == SHW_OK)
            count_colours(census, &file);
        shw_label_file_free(&file);
        if (result == SHW_OK)
            result = check(census, name, log);
    }
    if (result == SHW_OK) {
        uint32_t entry_count = census->has_colours ? entries_of_colours(census, entries, names)
                                                   : entries_of_indices(census, entries, names);

        result = has_class(entries, entry_count)
                     ? shw_palette_make(entries, entry_count, name, log, palette)
                     : shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                                "%s: all pixels of all label images are void: there is nothing to learn", name);
    }
    free(names);
    free(entries);
    free(census);
    return result;
}

static enum shw_result map_indices(const struct shw_label_file *file, const char *name,
                                   const struct shw_palette *palette, const struct shw_log *log, uint16_t *classes)
{
    for (size_t i = 0; i < (size_t)file->width * file->height; i++) {
        uint16_t index = file->indices[i];

        if (index == SHW_LABEL_VOID)
            classes[i] = SHW_LABEL_VOID;
        else if (index < palette->entry_count)
            classes[i] = palette->entries[index].class_number;
        else
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_LABEL_COLOUR,
                            "%s: the label %u of pixel (%zu, %zu) is not in the palette, which has %u entries", name,
                            index, i % file->width, i / file->width, palette->entry_count);
    }
    return SHW_OK;
}

static enum shw_result map_colours(const struct shw_label_file *file, const char *name,
                                   const struct shw_palette *palette, const struct shw_log *log, uint16_t *classes)
{
    const uint8_t *last = NULL;

    for (size_t i = 0; i < (size_t)file->width * file->height; i++) {
        const uint8_t *colour = file->colours + 3 * i;
        uint32_t position;

        if (last != NULL && memcmp(colour, last, 3) == 0) {
            classes[i] = classes[i - 1];
            continue;
        }
        position = shw_palette_find(palette, colour);
        if (position == UINT32_MAX)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_LABEL_COLOUR,
                            "%s: the colour (%u, %u, %u) of pixel (%zu, %zu) is not in the palette", name, colour[0],
                            colour[1], colour[2], i % file->width, i / file->width);
        classes[i] = palette->entries[position].class_number;
        last = colour;
    }
    return SHW_OK;
}

enum shw_result shw_labels_to_classes(const struct shw_label_file *file, const char *name,
                                      const struct shw_palette *palette, const struct shw_log *log, uint16_t **classes)
{
    uint16_t *mapped = malloc((size_t)file->width * file->height * sizeof *mapped);
    enum shw_result result;

    if (mapped == NULL)
        return shw_fail_memory(log, name);
    result = file->indices != NULL ? map_indices(file, name, palette, log, mapped)
                                   : map_colours(file, name, palette, log, mapped);
    if (result != SHW_OK)
        free(mapped);
    else
        *classes = mapped;
    return result;
}
