#include "files/dataset/palette.h"

#include <stdlib.h>
#include <string.h>

#include "base/class.h"
#include "base/log.h"

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
