#include "files/dataset/label_classes.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"

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
