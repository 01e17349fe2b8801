#include "dense/input/inputs.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/image.h"
#include "base/log.h"
#include "dense/channels/pixels.h"
#include "dense/channels/plane_range.h"
#include "dense/channels/posterior.h"
#include "vulkan/commands.h"
#include "vulkan/formats.h"

/* What messages refer to. */
struct checking {
    const char *example; /* or NULL */
    const struct shw_log *log;
};

static enum shw_result refuse(const struct checking *checking, const char *name, const char *what)
{
    if (checking->example != NULL)
        return shw_fail(checking->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s: the input %s %s", checking->example,
                        name, what);
    return shw_fail(checking->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the input %s %s", name, what);
}

/* Puts the inputs in the list's order. Refuses duplicate and unknown names. */
static enum shw_result sort(const struct checking *checking, const struct shw_inputs *given,
                            const struct shw_channel_list *list, struct shw_chosen_inputs *chosen)
{
    *chosen = (struct shw_chosen_inputs){{NULL}};
    if (given->count > 0 && given->inputs == NULL)
        return refuse(checking, SHW_COLOUR, "is missing: `inputs` is NULL");
    for (uint32_t g = 0; g < given->count; g++) {
        const char *name = given->inputs[g].name != NULL ? given->inputs[g].name : SHW_COLOUR;
        uint32_t i = 0;
        while (i < list->input_count && strcmp(list->inputs[i], name) != 0)
            i++;
        if (i == list->input_count)
            return refuse(checking, name, "is not read by the forest");
        if (chosen->of[i] != NULL)
            return refuse(checking, name, "is given twice");
        chosen->of[i] = &given->inputs[g];
    }
    for (uint32_t i = 0; i < list->input_count; i++)
        if (chosen->of[i] == NULL && strcmp(list->inputs[i], SHW_PREVIOUS) != 0 &&
            !shw_posterior_is_name(list->inputs[i]))
            return refuse(checking, list->inputs[i], "is missing");
    return SHW_OK;
}

static enum shw_result check_size(const struct checking *checking, const char *name, uint32_t width, uint32_t height,
                                  uint32_t colour_width, uint32_t colour_height)
{
    char text[96];

    if (width == colour_width && height == colour_height)
        return SHW_OK;
    snprintf(text, sizeof text, "has %u x %u pixels, the colour image %u x %u", width, height, colour_width,
             colour_height);
    return refuse(checking, name, text);
}

/* In millimetres. */
static bool is_measured(const char *name)
{
    return strcmp(name, SHW_DEPTH) == 0 || strcmp(name, SHW_HEIGHT) == 0;
}

static enum shw_result check_unit(const struct checking *checking, const char *name, const struct shw_depth *depth)
{
    char text[128];

    if (depth->near_plane != 0 || depth->far_plane != 0)
        return refuse(checking, name, "has near and far planes, but its depth is linear");
    if (depth->unit >= 1e-6f && depth->unit <= 1e9f)
        return SHW_OK;
    snprintf(text, sizeof text, "needs the unit of its linear depth, 1e-6 to 1e9 millimetres, and has %g",
             (double)depth->unit);
    return refuse(checking, name, text);
}

static enum shw_result check_planes(const struct checking *checking, const char *name, const struct shw_depth *depth)
{
    char text[128];

    if (depth->unit != 0)
        return refuse(checking, name, "has a unit, but its depth is not linear");
    if (depth->near_plane >= 1 && depth->near_plane <= 65535 && depth->far_plane > depth->near_plane)
        return SHW_OK;
    snprintf(text, sizeof text,
             "needs its near plane at 1 to 65535 millimetres, and its far plane beyond; they are at %g and %g",
             (double)depth->near_plane, (double)depth->far_plane);
    return refuse(checking, name, text);
}

static enum shw_result check_range(const struct checking *checking, const char *name, const struct shw_depth *depth)
{
    char text[160];

    if (depth->unit != 0)
        return refuse(checking, name, "has a unit and a range");
    if (shw_plane_range_is_valid(depth->near_plane, depth->far_plane))
        return SHW_OK;
    snprintf(text, sizeof text, "needs a range whose lower end is below its upper one; they are %g and %g",
             (double)depth->near_plane, (double)depth->far_plane);
    return refuse(checking, name, text);
}

/* Without a struct shw_depth. */
static bool lacks_range(const struct shw_channel_list *list, uint32_t index, uint32_t bits)
{
    return bits > 16 && !shw_plane_range_is_stated(&list->ranges[index]);
}

static enum shw_result refuse_without_range(const struct checking *checking, const char *name)
{
    char text[256];

    snprintf(
        text, sizeof text,
        "has samples of more than 16 bits, and no range says what they mean: range:%s=LOW..HIGH among the channels",
        name);
    return refuse(checking, name, text);
}

/* For planes that the list names, which store that many bits. */
static enum shw_result check_plane(const struct checking *checking, const struct shw_channel_list *list, uint32_t index,
                                   const struct shw_depth *depth, uint32_t bits)
{
    const char *name = list->inputs[index];

    if (depth->kind == SHW_DEPTH_RANGE)
        return check_range(checking, name, depth);
    if (depth->kind != SHW_DEPTH_MILLIMETRES)
        return refuse(checking, name, "is read as grey, and its struct shw_depth is for depth");
    return lacks_range(list, index, bits) ? refuse_without_range(checking, name) : SHW_OK;
}

/* For inputs that store that many bits. */
static enum shw_result check_depth(const struct checking *checking, const char *name, const struct shw_depth *depth,
                                   uint32_t bits)
{
    char text[128];

    if (!shw_source_is_plane(name) && bits > 16)
        return refuse(checking, name, "has samples of more than 16 bits, as only depth and planes can");
    if (!shw_source_is_plane(name) && depth->kind != SHW_DEPTH_MILLIMETRES)
        return refuse(checking, name, "has a struct shw_depth, which is for depth and planes");
    if (depth->kind != SHW_DEPTH_MILLIMETRES && bits < 16)
        return refuse(checking, name, "has 8 bits, which a struct shw_depth cannot convert");
    switch (depth->kind) {
    case SHW_DEPTH_MILLIMETRES:
        if (bits > 16)
            return refuse(checking, name,
                          "does not store millimetres: its struct shw_depth must give a unit or planes");
        if (depth->unit != 0 || depth->near_plane != 0 || depth->far_plane != 0)
            return refuse(checking, name, "has a unit or planes, but its kind is SHW_DEPTH_MILLIMETRES");
        return SHW_OK;
    case SHW_DEPTH_LINEAR: return check_unit(checking, name, depth);
    case SHW_DEPTH_PERSPECTIVE:
    case SHW_DEPTH_REVERSED: return check_planes(checking, name, depth);
    case SHW_DEPTH_RANGE: return check_range(checking, name, depth);
    }
    snprintf(text, sizeof text, "has a depth of kind %d, which does not exist", (int)depth->kind);
    return refuse(checking, name, text);
}

static enum shw_result check_scaling(const struct checking *checking, const struct shw_channel_list *list,
                                     uint32_t index, const struct shw_depth *depth, uint32_t bits)
{
    const char *name = list->inputs[index];

    if (shw_channel_list_names(list, index))
        return check_plane(checking, list, index, depth, bits);
    if (list->is_plane[index] && depth->kind == SHW_DEPTH_MILLIMETRES && bits > 16)
        return lacks_range(list, index, bits) ? refuse_without_range(checking, name) : SHW_OK;
    return check_depth(checking, name, depth, bits);
}

/* Compared with the colour image. */
static enum shw_result check_bits(const struct checking *checking, const char *name, uint32_t bits,
                                  uint32_t colour_bits)
{
    if (strcmp(name, SHW_PREVIOUS) == 0 && bits != colour_bits)
        return refuse(checking, name, "must have the same bit depth as the colour image");
    if (is_measured(name) && bits < 16)
        return refuse(checking, name, "must have 16 bits, in millimetres, or more with a struct shw_depth");
    return SHW_OK;
}

static uint32_t bits_of(enum shw_pixel_format format)
{
    return shw_pixel_is_deep(format) ? 32 : shw_pixel_is_wide(format) ? 16 : 8;
}

bool shw_input_is_depth(const struct shw_input *input)
{
    const struct checking silent = {NULL, NULL};
    enum shw_pixel_format format = input->image.format;

    return shw_image_check(&input->image, NULL) == SHW_OK && shw_pixel_is_grey(format) && shw_pixel_is_wide(format) &&
           check_depth(&silent, SHW_DEPTH, &input->depth, bits_of(format)) == SHW_OK;
}

/* And of colours nothing. */
static bool reads_depth_alone(const struct shw_channel_list *list)
{
    for (uint32_t i = 0; i < list->entry_count; i++)
        if (strcmp(list->inputs[list->entries[i].input], SHW_DEPTH) != 0)
            return false;
    return list->entry_count > 0;
}

uint32_t shw_inputs_add_depth(struct shw_input *inputs, uint32_t count, const struct shw_channel_list *list)
{
    if (!reads_depth_alone(list) || inputs[0].image.format != SHW_PIXEL_GREY16 ||
        shw_inputs_find(&(struct shw_inputs){count, inputs}, SHW_DEPTH) != NULL)
        return count;
    inputs[count] = (struct shw_input){.name = SHW_DEPTH, .image = inputs[0].image};
    return count + 1;
}

static enum shw_result check_images(const struct checking *checking, const struct shw_channel_list *list, bool partial,
                                    const struct shw_chosen_inputs *chosen)
{
    const struct shw_image *colour = &chosen->of[0]->image;

    for (uint32_t i = 0; i < list->input_count; i++) {
        const struct shw_input *input = chosen->of[chosen->of[i] != NULL ? i : 0];
        const struct shw_image *image = &input->image;
        const char *name = list->inputs[i];
        bool reports = image == colour && checking->example == NULL;
        const struct shw_log *log = reports ? checking->log : NULL;
        if ((partial ? shw_image_check_partial(image, log) : shw_image_check(image, log)) != SHW_OK)
            return reports ? SHW_ERROR_ARGUMENT
                           : refuse(checking, name, "is not an image of 1 to 65535 pixels in width and height");
        SHW_PROPAGATE(
            check_scaling(checking, list, input == chosen->of[0] ? 0 : i, &input->depth, bits_of(image->format)));
        if (image == colour)
            continue;
        SHW_PROPAGATE(check_size(checking, name, image->width, image->height, colour->width, colour->height));
        if (shw_source_is_plane(name) && !shw_pixel_is_grey(image->format))
            return refuse(checking, name, "must be grey");
        SHW_PROPAGATE(check_bits(checking, name, bits_of(image->format), bits_of(colour->format)));
    }
    return SHW_OK;
}

enum shw_result shw_inputs_choose(const struct shw_inputs *given, const struct shw_channel_list *list,
                                  const struct shw_log *log, struct shw_chosen_inputs *chosen)
{
    const struct checking checking = {NULL, log};

    SHW_PROPAGATE(sort(&checking, given, list, chosen));
    return check_images(&checking, list, false, chosen);
}

enum shw_result shw_inputs_choose_partial(const struct shw_inputs *given, const struct shw_channel_list *list,
                                          const struct shw_log *log, struct shw_chosen_inputs *chosen)
{
    const struct checking checking = {NULL, log};

    SHW_PROPAGATE(sort(&checking, given, list, chosen));
    return check_images(&checking, list, true, chosen);
}

enum shw_result shw_inputs_choose_example(const struct shw_labelled_image *example, const struct shw_channel_list *list,
                                          const struct shw_log *log, struct shw_input inputs[SHW_INPUTS_MAX],
                                          struct shw_chosen_inputs *chosen)
{
    const struct checking checking = {example->name, log};
    const struct shw_inputs given = shw_example_inputs(example, list, inputs);

    SHW_PROPAGATE(sort(&checking, &given, list, chosen));
    return check_images(&checking, list, false, chosen);
}

enum shw_result shw_use_check(const struct shw_device *device, const struct shw_image_use *use, const char *name,
                              const struct shw_log *log)
{
    SHW_PROPAGATE(shw_sides_check(device, shw_use_before(use), shw_use_after(use), name, log));
    if (use->after.layout == VK_IMAGE_LAYOUT_UNDEFINED || use->after.layout == VK_IMAGE_LAYOUT_PREINITIALIZED)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: %s is not possible after use", name,
                        use->after.layout == VK_IMAGE_LAYOUT_UNDEFINED ? "VK_IMAGE_LAYOUT_UNDEFINED"
                                                                       : "VK_IMAGE_LAYOUT_PREINITIALIZED");
    return SHW_OK;
}

static enum shw_result refuse_format(const struct checking *checking, const char *name, VkFormat format)
{
    char text[160];

    snprintf(text, sizeof text, "has the unsupported format %s (shw_source_format_get() lists the supported ones)",
             shw_vk_format_text(format).text);
    return refuse(checking, name, text);
}

enum shw_result shw_inputs_choose_uses(const struct shw_device *device, const struct shw_inputs *given,
                                       const struct shw_channel_list *list, const struct shw_log *log,
                                       struct shw_chosen_inputs *chosen)
{
    const struct checking checking = {NULL, log};
    const struct shw_image_use *colour;

    SHW_PROPAGATE(sort(&checking, given, list, chosen));
    colour = &chosen->of[0]->use;
    for (uint32_t i = 0; i < list->input_count; i++) {
        const struct shw_input *input = chosen->of[chosen->of[i] != NULL ? i : 0];
        const struct shw_image_use *use = &input->use;
        const struct shw_source_format *format = shw_source_format_find(use->format);
        const char *name = list->inputs[i];
        if (format == NULL)
            return refuse_format(&checking, name, use->format);
        if (use->before.layout == VK_IMAGE_LAYOUT_UNDEFINED)
            return refuse(&checking, name, "is in VK_IMAGE_LAYOUT_UNDEFINED and has no contents");
        if (use->layers > 1)
            return refuse(&checking, name, "has several layers; its view must show one, as a 2D image");
        if (shw_part_layers(use).aspectMask != format->aspect)
            return refuse(&checking, name, "has an aspect that its format does not have");
        SHW_PROPAGATE(check_scaling(&checking, list, input == chosen->of[0] ? 0 : i, &input->depth, format->bits));
        SHW_PROPAGATE(shw_use_check(device, use, name, log));
        if (use == colour)
            continue;
        SHW_PROPAGATE(check_size(&checking, name, use->extent.width, use->extent.height, colour->extent.width,
                                 colour->extent.height));
        SHW_PROPAGATE(check_bits(&checking, name, format->bits, shw_source_format_find(colour->format)->bits));
    }
    return SHW_OK;
}

bool shw_plane_is_wide(const struct shw_channel_list *list, uint32_t index, const struct shw_input *input)
{
    return shw_pixel_is_wide(input->image.format) ||
           shw_input_scaling(list, index, input).kind != SHW_DEPTH_MILLIMETRES;
}

struct shw_depth shw_input_scaling(const struct shw_channel_list *list, uint32_t index, const struct shw_input *input)
{
    const struct shw_plane_range *range = &list->ranges[index];

    if (!shw_plane_range_is_stated(range) || input->depth.kind != SHW_DEPTH_MILLIMETRES)
        return input->depth;
    return (struct shw_depth){SHW_DEPTH_RANGE, .near_plane = range->low, .far_plane = range->high};
}

struct shw_channel_images shw_inputs_images(const struct shw_channel_list *list, const struct shw_chosen_inputs *chosen)
{
    struct shw_channel_images images = {0};

    for (uint32_t i = 0; i < list->input_count; i++)
        if (chosen->of[i] != NULL) {
            images.of[i] = &chosen->of[i]->image;
            images.depth[i] = shw_input_scaling(list, i, chosen->of[i]);
        }
    return images;
}

bool shw_channels_read(const struct shw_channel_list *list, const char *name)
{
    for (uint32_t i = 0; i < list->input_count; i++)
        if (strcmp(list->inputs[i], name) == 0)
            return true;
    return false;
}

struct shw_inputs shw_example_inputs(const struct shw_labelled_image *example, const struct shw_channel_list *list,
                                     struct shw_input inputs[SHW_INPUTS_MAX])
{
    uint32_t count = 1;

    inputs[0] = (struct shw_input){.image = example->image};
    for (uint32_t i = 1; i < list->input_count; i++) {
        const struct shw_input *input = shw_inputs_find(&example->inputs, list->inputs[i]);
        if (input != NULL)
            inputs[count++] = *input;
    }
    return (struct shw_inputs){count, inputs};
}

bool shw_inputs_are_wide(const struct shw_channel_list *list, const struct shw_chosen_inputs *chosen)
{
    bool wide = false;

    for (uint32_t i = 0; i < list->input_count; i++)
        wide = wide || (chosen->of[i] != NULL && shw_plane_is_wide(list, i, chosen->of[i]));
    return wide;
}
