#include "dense/target/target.h"

#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "shared/target.h"
#include "vulkan/formats.h"

/* By number. */
enum { TREE_LEAF, FOREST_LEAVES, DISTRIBUTION, ARGMAX, PROBABILITIES, OVERLAY };
_Static_assert(SHW_TARGET_TREE_LEAF == 1 << TREE_LEAF && SHW_TARGET_FOREST_LEAVES == 1 << FOREST_LEAVES &&
                   SHW_TARGET_DISTRIBUTION == 1 << DISTRIBUTION && SHW_TARGET_ARGMAX == 1 << ARGMAX &&
                   SHW_TARGET_PROBABILITIES == 1 << PROBABILITIES && SHW_TARGET_OVERLAY == 1 << OVERLAY &&
                   SHW_TARGETS == OVERLAY + 1,
               "flags and numbers of targets are the same list");

static const struct shw_target_traits traits[SHW_TARGETS] = {
    [TREE_LEAF] = {"tree_leaf", SHW_OUTPUT_TREE_LEAF, SHW_LEAVES, SHW_MAKE_NUMBERS, VK_FORMAT_R32_UINT},
    [FOREST_LEAVES] = {"forest_leaves", SHW_OUTPUT_FOREST_LEAVES, SHW_LEAVES, SHW_MAKE_NUMBERS, VK_FORMAT_R32_UINT},
    [DISTRIBUTION] = {"distribution", SHW_OUTPUT_DISTRIBUTION, SHW_DISTRIBUTION, SHW_MAKE_SHARE, VK_FORMAT_R16_UINT},
    [ARGMAX] = {"argmax", SHW_OUTPUT_ARGMAX, SHW_ARGMAX, SHW_MAKE_NUMBERS, VK_FORMAT_R16_UINT},
    [PROBABILITIES] = {"probabilities", SHW_OUTPUT_DISTRIBUTION, SHW_DISTRIBUTION, SHW_MAKE_SHARES,
                       VK_FORMAT_UNDEFINED},
    [OVERLAY] = {"overlay", SHW_OUTPUT_ARGMAX, SHW_ARGMAX, SHW_MAKE_OVERLAY, VK_FORMAT_UNDEFINED},
};

const struct shw_target_traits *shw_target_get(uint32_t target)
{
    return &traits[target];
}

VkFormat shw_target_format_of(const struct shw_target_formats *formats, uint32_t target)
{
    const VkFormat of[SHW_TARGETS] = {formats->tree_leaf, formats->forest_leaves, formats->distribution,
                                      formats->argmax,    formats->probabilities, formats->overlay};

    return of[target];
}

const struct shw_image_use *shw_target_use(const struct shw_label_targets *targets, uint32_t target)
{
    const struct shw_image_use *of[SHW_TARGETS] = {&targets->tree_leaf, &targets->forest_leaves, &targets->distribution,
                                                   &targets->argmax,    &targets->probabilities, &targets->overlay.use};

    return of[target];
}

const struct shw_buffer_use *shw_target_buffer(const struct shw_label_targets *targets, uint32_t target)
{
    const struct shw_label_buffers *buffers = &targets->buffers;
    const struct shw_buffer_use *of[SHW_TARGETS] = {&buffers->tree_leaf,     &buffers->forest_leaves,
                                                    &buffers->distribution,  &buffers->argmax,
                                                    &buffers->probabilities, &buffers->overlay};

    return of[target];
}

uint32_t shw_target_layers_of(uint32_t target, uint32_t trees, uint32_t classes)
{
    const uint32_t of[SHW_TARGETS] = {1, trees, classes, 1, (classes + SHW_TARGET_CLASSES - 1) / SHW_TARGET_CLASSES, 1};

    return of[target];
}

uint32_t shw_target_layers(uint32_t target, const struct shw_forest_info *info)
{
    return shw_target_layers_of(target, info->tree_count, info->class_count);
}

#define LEAVES   (SHW_TARGET_TREE_LEAF | SHW_TARGET_FOREST_LEAVES)
#define RESULTS  (LEAVES | SHW_TARGET_DISTRIBUTION | SHW_TARGET_ARGMAX)
#define NORMAL   (SHW_TARGET_DISTRIBUTION | SHW_TARGET_ARGMAX)
#define PICTURES (SHW_TARGET_PROBABILITIES | SHW_TARGET_OVERLAY)

#define FORMAT(name, bytes, targets, results, planes, codes, is_swapped)                                               \
    {                                                                                                                  \
        {VK_FORMAT_##name, #name, bytes, targets, results}, VK_FORMAT_##planes, SHW_CODES_##codes, is_swapped          \
    }

static const struct shw_target_storing storings[] = {
    FORMAT(R8_UINT, 1, RESULTS, 0, R8_UINT, 8, false),
    FORMAT(R8_UNORM, 1, NORMAL, 0, R8_UINT, 8, false),
    FORMAT(R16_UINT, 2, RESULTS, NORMAL, R16_UINT, 16, false),
    FORMAT(R16_UNORM, 2, NORMAL, NORMAL, R16_UINT, 16, false),
    FORMAT(R32_UINT, 4, RESULTS, LEAVES, R32_UINT, 32, false),
    FORMAT(R8G8B8A8_UNORM, 4, PICTURES, 0, R8G8B8A8_UINT, 8, false),
    FORMAT(R8G8B8A8_SRGB, 4, SHW_TARGET_OVERLAY, 0, R8G8B8A8_UINT, 8, false),
    FORMAT(B8G8R8A8_UNORM, 4, SHW_TARGET_OVERLAY, 0, R8G8B8A8_UINT, 8, true),
    FORMAT(B8G8R8A8_SRGB, 4, SHW_TARGET_OVERLAY, 0, R8G8B8A8_UINT, 8, true),
    FORMAT(A8B8G8R8_UNORM_PACK32, 4, SHW_TARGET_OVERLAY, 0, R8G8B8A8_UINT, 8, false),
    FORMAT(A8B8G8R8_SRGB_PACK32, 4, SHW_TARGET_OVERLAY, 0, R8G8B8A8_UINT, 8, false),
    FORMAT(R16G16B16A16_UNORM, 8, PICTURES, 0, R16G16B16A16_UINT, 16, false),
    FORMAT(R16G16B16A16_SFLOAT, 8, PICTURES, 0, R16G16B16A16_UINT, HALF, false),
};

#define COUNT (sizeof storings / sizeof *storings)

const struct shw_target_format *shw_target_format_get(uint32_t index)
{
    return index < COUNT ? &storings[index].format : NULL;
}

const struct shw_target_storing *shw_target_storing_of(uint32_t target, VkFormat format)
{
    for (size_t i = 0; i < COUNT; i++)
        if (storings[i].format.format == format && (storings[i].format.targets >> target & 1) != 0)
            return &storings[i];
    return NULL;
}

/* The formats that it can have, as a sentence's end: "it has R8_UINT, R8_UNORM or R16_UINT". */
struct target_text {
    char text[256];
};

static struct target_text formats_text(uint32_t target)
{
    struct target_text text = {"it has "};
    uint32_t left = 0;

    for (size_t i = 0; i < COUNT; i++)
        left += storings[i].format.targets >> target & 1;
    for (size_t i = 0; i < COUNT; i++)
        if ((storings[i].format.targets >> target & 1) != 0) {
            const size_t used = strlen(text.text);
            left--;
            snprintf(text.text + used, sizeof text.text - used, "%s%s", storings[i].format.name,
                     left > 1    ? ", "
                     : left == 1 ? " or "
                                 : "");
        }
    return text;
}

/* How many numbers a result has: those of classes, or of the leaves of the tree that has the most. */
static uint64_t numbers_of(uint32_t target, const struct shw_forest *forest)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    uint64_t most = 0;

    if (strcmp(traits[target].results, SHW_LEAVES) != 0)
        return info->class_count;
    for (uint32_t t = 0; t < info->tree_count; t++)
        most = shw_max_u64(most, shw_forest_get_tree(forest, t).leaf_count);
    return most;
}

enum shw_result shw_target_check_format(uint32_t target, VkFormat format, const struct shw_log *log)
{
    if (shw_target_storing_of(target, format) != NULL)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s cannot have %s: %s", traits[target].name,
                    shw_vk_format_text(format).text, formats_text(target).text);
}

enum shw_result shw_target_check_output(uint32_t target, uint32_t outputs, const struct shw_log *log)
{
    if ((outputs & traits[target].output) != 0)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "%s is given, but the labeller was not created for that output", traits[target].name);
}

enum shw_result shw_target_check_forest(uint32_t target, VkFormat format, const struct shw_forest *forest,
                                        const struct shw_log *log)
{
    const struct shw_target_storing *storing = shw_target_storing_of(target, format);
    const uint64_t bits = 8ull * storing->format.bytes;

    if (traits[target].made_from != SHW_MAKE_NUMBERS || bits >= 32 || shw_target_is_result(target, storing) ||
        numbers_of(target, forest) < 1ull << bits)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "%s in %s has numbers below %llu, and the forest has %llu: use a format of more bits",
                    traits[target].name, storing->format.name, (1ull << bits) - 1,
                    (unsigned long long)numbers_of(target, forest));
}

enum shw_result shw_target_check_formats(const struct shw_target_formats *formats, uint32_t outputs,
                                         const struct shw_forest *forest, const struct shw_log *log)
{
    for (uint32_t t = 0; t < SHW_TARGETS; t++) {
        const VkFormat format = shw_target_format_of(formats, t);
        if (format == VK_FORMAT_UNDEFINED)
            continue;
        SHW_PROPAGATE(shw_target_check_format(t, format, log));
        if ((outputs & traits[t].output) == 0)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "a format of %s is given, but not the output that it is made from", traits[t].name);
        SHW_PROPAGATE(shw_target_check_forest(t, format, forest, log));
    }
    return SHW_OK;
}

bool shw_target_is_made(const struct shw_target_formats *formats, uint32_t target, VkFormat format)
{
    const struct shw_target_storing *made = shw_target_storing_of(target, shw_target_format_of(formats, target));
    const struct shw_target_storing *asked = shw_target_storing_of(target, format);

    return made != NULL && asked != NULL && !shw_target_is_result(target, made) &&
           !shw_target_is_result(target, asked) && made->planes == asked->planes;
}

bool shw_target_wanted(const struct shw_target_formats *formats)
{
    for (uint32_t t = 0; t < SHW_TARGETS; t++)
        if (shw_target_is_made(formats, t, shw_target_format_of(formats, t)))
            return true;
    return false;
}

struct shw_target_bytes shw_target_bytes(const struct shw_target_formats *formats, uint32_t trees, uint32_t classes)
{
    struct shw_target_bytes bytes = {0};

    for (uint32_t t = 0; t < SHW_TARGETS; t++) {
        const VkFormat format = shw_target_format_of(formats, t);
        if (shw_target_is_made(formats, t, format)) {
            const uint64_t of =
                (uint64_t)shw_target_storing_of(t, format)->format.bytes * shw_target_layers_of(t, trees, classes);
            bytes.total += of;
            bytes.widest = shw_max_u64(bytes.widest, of);
        }
    }
    return bytes;
}

struct shw_overlay_style shw_overlay_style_of(const struct shw_overlay_target *target)
{
    return (struct shw_overlay_style){target->opacity, target->by_probability, target->paints};
}

#define OPACITY 60u /* percent, where the caller says nothing */

struct shw_class_paint shw_overlay_paint(const struct shw_overlay_style *style, const struct shw_forest_info *info,
                                         uint32_t number)
{
    const uint8_t *colour = info->classes[number].colour;

    if (style->paints != NULL)
        return style->paints[number];
    return (struct shw_class_paint){.colour = {colour[0], colour[1], colour[2]},
                                    .opacity = (uint8_t)(style->opacity > 0 ? style->opacity : OPACITY)};
}

enum shw_result shw_overlay_check(const struct shw_overlay_style *style, const struct shw_forest_info *info,
                                  uint32_t outputs, const struct shw_log *log)
{
    uint32_t most = style->opacity;

    for (uint32_t c = 0; style->paints != NULL && c < info->class_count; c++)
        most = shw_max_u32(most, style->paints[c].opacity);
    if (most > 100)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "overlay: an opacity is at most 100 percent");
    if (style->by_probability && (outputs & SHW_OUTPUT_DISTRIBUTION) == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "overlay: opacity by probability needs SHW_OUTPUT_DISTRIBUTION");
    return SHW_OK;
}
