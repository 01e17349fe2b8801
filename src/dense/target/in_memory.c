/* Targets in memory, from results there. */
#include <string.h>

#include "base/image.h"
#include "base/integers.h"
#include "dense/channels/pixels.h"
#include "dense/target/target.h"
#include "shared/target.h"

/* The results that a target is made from. */
static const uint16_t *classes_of(const struct shw_target_memory *memory, uint32_t row)
{
    return memory->results.argmax + (size_t)row * memory->width;
}

static const uint16_t *probabilities_of(const struct shw_target_memory *memory, uint32_t class, uint32_t row)
{
    return memory->results.distribution + ((size_t) class * memory->height + row) * memory->width;
}

static const uint32_t *leaves_of(const struct shw_target_memory *memory, uint32_t layer, uint32_t row)
{
    if (shw_target_get(memory->target)->output == SHW_OUTPUT_TREE_LEAF)
        return memory->results.tree_leaf + (size_t)row * memory->width;
    return memory->results.forest_leaves + ((size_t)layer * memory->height + row) * memory->width;
}

/* Stores a component, of the lower `bytes` bytes of a word. */
static void store(char *texels, size_t index, uint32_t code, uint32_t bytes)
{
    const uint8_t byte = (uint8_t)code;
    const uint16_t half = (uint16_t)code;

    if (bytes == 1)
        memcpy(texels + index, &byte, 1);
    else if (bytes == 2)
        memcpy(texels + 2 * index, &half, 2);
    else
        memcpy(texels + 4 * index, &code, 4);
}

static void make_numbers(const struct shw_target_memory *memory, uint32_t layer, uint32_t row, char *texels)
{
    const uint32_t bytes = memory->storing->format.bytes, codes = memory->storing->codes;

    if (shw_target_get(memory->target)->output == SHW_OUTPUT_ARGMAX) {
        const uint16_t *classes = classes_of(memory, row);
        for (uint32_t x = 0; x < memory->width; x++)
            store(texels, x, shw_number_code(classes[x], SHW_LABEL_VOID, codes), bytes);
    } else {
        const uint32_t *leaves = leaves_of(memory, layer, row);
        for (uint32_t x = 0; x < memory->width; x++)
            store(texels, x, shw_number_code(leaves[x], SHW_LEAF_NONE, codes), bytes);
    }
}

static void make_share(const struct shw_target_memory *memory, uint32_t layer, uint32_t row, char *texels)
{
    const uint16_t *shares = probabilities_of(memory, layer, row);
    const uint32_t bytes = memory->storing->format.bytes, codes = memory->storing->codes;

    for (uint32_t x = 0; x < memory->width; x++)
        store(texels, x, shw_share_code(shares[x], codes), bytes);
}

static void make_shares(const struct shw_target_memory *memory, uint32_t layer, uint32_t row, char *texels)
{
    const uint32_t bytes = memory->storing->format.bytes / SHW_TARGET_CLASSES;

    for (uint32_t c = 0; c < SHW_TARGET_CLASSES; c++) {
        const uint32_t class = SHW_TARGET_CLASSES * layer + c;
        const uint16_t *shares = class < memory->info->class_count ? probabilities_of(memory, class, row) : NULL;
        for (uint32_t x = 0; x < memory->width; x++)
            store(texels, SHW_TARGET_CLASSES * (size_t)x + c,
                  shares != NULL ? shw_share_code(shares[x], memory->storing->codes) : 0, bytes);
    }
}

#define PICTURE_PIXELS 64u /* whose colours are read at once */

/* The colours of `count` results from `x` on, of which consecutive ones are consecutive pixels. */
static void read_picture(const struct shw_target_memory *memory, uint32_t x, uint32_t row, uint32_t count,
                         uint32_t picture[PICTURE_PIXELS][3])
{
    const struct shw_region region = {.width = count,
                                      .height = 1,
                                      .x = memory->part.x + memory->part.step * x,
                                      .y = memory->part.y + memory->part.step * row};
    uint16_t wide[4 * PICTURE_PIXELS];
    uint8_t narrow[4 * PICTURE_PIXELS];
    const bool is_wide = shw_pixel_is_wide(memory->image->format);

    shw_source_pixels_expand(memory->image, &region, is_wide ? (void *)wide : narrow);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < 3; c++)
            picture[i][c] = shw_overlay_picture(is_wide ? wide[4 * i + c] : narrow[4 * i + c], is_wide,
                                                memory->storing->codes != SHW_CODES_8);
}

static uint32_t weight_of(const struct shw_target_memory *memory, uint32_t class, uint32_t x, uint32_t row,
                          uint32_t opacity)
{
    return shw_overlay_weight(opacity,
                              memory->style.by_probability ? probabilities_of(memory, class, row)[x] : UINT16_MAX);
}

static void make_overlay(const struct shw_target_memory *memory, uint32_t row, char *texels)
{
    const uint32_t bytes = memory->storing->format.bytes / 4, codes = memory->storing->codes;
    const uint32_t scale = codes == SHW_CODES_8 ? 1 : 257;
    const uint32_t opaque = codes == SHW_CODES_8 ? UINT8_MAX : shw_share_code(UINT16_MAX, codes);
    const uint32_t most = memory->part.step == 1 ? PICTURE_PIXELS : 1;
    const uint16_t *classes = classes_of(memory, row);
    uint32_t picture[PICTURE_PIXELS][3];

    for (uint32_t x = 0; x < memory->width; x++) {
        uint32_t *pixel = picture[x % most], weight = 0;
        struct shw_class_paint paint = {.opacity = 0};

        if (x % most == 0)
            read_picture(memory, x, row, shw_min_u32(most, memory->width - x), picture);
        if (classes[x] != SHW_LABEL_VOID) {
            paint = shw_overlay_paint(&memory->style, memory->info, classes[x]);
            weight = weight_of(memory, classes[x], x, row, paint.opacity);
        }
        for (uint32_t c = 0; c < 3; c++) {
            const uint32_t code = shw_overlay_mix(pixel[c], scale * paint.colour[c], weight);
            store(texels, 4 * (size_t)x + (memory->storing->is_swapped ? 2 - c : c),
                  codes == SHW_CODES_HALF ? shw_half_of_16(code) : code, bytes);
        }
        store(texels, 4 * (size_t)x + 3, opaque, bytes);
    }
}

void shw_target_memory_make(const struct shw_target_memory *memory, uint32_t row)
{
    const uint32_t layers = shw_target_layers(memory->target, memory->info);

    for (uint32_t layer = 0; layer < layers; layer++) {
        char *texels = memory->texels + layer * memory->plane_stride + row * memory->row_stride;

        switch (shw_target_get(memory->target)->made_from) {
        case SHW_MAKE_NUMBERS: make_numbers(memory, layer, row, texels); break;
        case SHW_MAKE_SHARE: make_share(memory, layer, row, texels); break;
        case SHW_MAKE_SHARES: make_shares(memory, layer, row, texels); break;
        default: make_overlay(memory, row, texels); break;
        }
    }
}
