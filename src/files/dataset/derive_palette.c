#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/dataset/label_classes.h"

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
