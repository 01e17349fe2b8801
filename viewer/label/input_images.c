#include "label/input_images.h"

#include "base/log.h"
#include "dense/channels/pixels.h"
#include "dense/input/inputs.h"
#include "label/labels.h"

void view_input_images_destroy(const struct view_gpu *gpu, struct view_input_images *images)
{
    for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++)
        view_image_destroy(gpu, &images->images[i]);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &images->staging[s]);
    *images = (struct view_input_images){.count = 0};
}

/* Makes images and buffers anew. */
static enum shw_result create(const struct view_gpu *gpu, VkFormat format, VkExtent2D extent,
                              struct view_input_images *images)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

    for (uint32_t i = images->first; i < images->count; i++) {
        view_image_destroy(gpu, &images->images[i]);
        SHW_PROPAGATE(view_image_create(gpu, format, extent, 0, usage, &images->images[i]));
    }
    for (uint32_t s = 0; s < VIEW_SLOTS; s++) {
        view_buffer_destroy(gpu, &images->staging[s]);
        SHW_PROPAGATE(view_buffer_create(gpu, images->count * images->size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false,
                                         &images->staging[s]));
    }
    return SHW_OK;
}

enum shw_result view_input_images_fit(const struct view_gpu *gpu, struct view_frames *frames,
                                      const struct view_picture *picture, const struct shw_channel_list *list,
                                      const struct view_shown *shown, struct view_input_images *images)
{
    const struct shw_inputs given = view_picture_inputs(picture, list, images->inputs);
    const VkExtent2D extent = {picture->image.width, picture->image.height};
    struct shw_chosen_inputs chosen;
    bool fits = true;
    VkFormat format;

    SHW_PROPAGATE(shw_inputs_choose(&given, list, &gpu->log, &chosen));
    images->wide = shw_inputs_are_wide(&chosen, list->input_count);
    images->size = (VkDeviceSize)extent.width * extent.height * (images->wide ? 8 : 4);
    images->count = given.count;
    images->inputs[0].use = view_labels_source(view_shown_source(shown));
    format = shw_source_format(images->wide);
    images->first = images->inputs[0].use.format == format ? 1 : 0;
    images->upload = images->first < images->count;
    for (uint32_t i = images->first; i < images->count; i++)
        fits = fits && images->images[i].format == format && images->images[i].extent.width == extent.width &&
               images->images[i].extent.height == extent.height &&
               images->staging[0].size >= given.count * images->size;
    if (!fits) {
        SHW_PROPAGATE(view_frames_wait(gpu, frames));
        SHW_PROPAGATE(create(gpu, format, extent, images));
    }
    for (uint32_t i = images->first; i < images->count; i++)
        images->inputs[i].use = view_labels_source(&images->images[i]);
    return SHW_OK;
}

void view_input_images_upload(struct view_input_images *images, VkCommandBuffer commands, uint32_t slot)
{
    const struct view_buffer *staging = &images->staging[slot];

    for (uint32_t i = images->first; i < images->count; i++) {
        const struct shw_input *input = &images->inputs[i];
        const struct shw_region whole = {.width = input->image.width, .height = input->image.height};
        shw_source_input_expand(input, input->name, &whole, false, images->wide,
                                (char *)staging->mapped + i * images->size);
        view_image_copy(commands, &images->images[i], staging->handle, i * images->size);
    }
    images->upload = false;
}
