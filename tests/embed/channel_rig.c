#include "channel_rig.h"

#include <stdlib.h>

#include "vulkan/commands.h"

void channel_rig_open(struct scene *scene, const struct shw_channel_list *list, enum shw_planes_form form,
                      uint32_t width, uint32_t height, struct channel_rig *rig)
{
    *rig = (struct channel_rig){.scene = scene, .list = list, .form = form, .width = width, .height = height};
    assert_int_equal(list->input_count, 2);
    assert_int_equal(shw_planes_create(scene->device, VK_FORMAT_R16_SINT, width, height, list->channel_count,
                                       SHW_PLANES_IMAGE | SHW_PLANES_BUFFER, "channels", &rig->planes),
                     SHW_OK);
    assert_int_equal(shw_buffer_create(scene->device, rig->planes.buffer.size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       SHW_MEMORY_READBACK, "channels back", &rig->back),
                     SHW_OK);
    assert_int_equal(shw_channels_stage_create(scene->device, list, form, &rig->planes, 1, &rig->stage), SHW_OK);
}

void channel_rig_close(struct channel_rig *rig)
{
    shw_channels_stage_destroy(rig->scene->device, &rig->stage);
    shw_buffer_destroy(rig->scene->device, &rig->back);
    shw_planes_destroy(rig->scene->device, &rig->planes);
}

static void record_channels(struct channel_rig *rig, VkCommandBuffer commands, const struct shw_image_use parts[2],
                            const struct shw_depth *depth)
{
    const struct shw_device *device = rig->scene->device;
    const struct shw_region region = {rig->width, rig->height, 0, 0, rig->width, rig->height};
    const struct shw_use ready = rig->form == SHW_PLANES_IMAGE ? shw_use_fragment_sampled : shw_use_compute_sampled;
    const struct shw_channel_source views[SHW_INPUTS_MAX] = {
        {.view = parts[0].view, .format = parts[0].format},
        {.view = parts[1].view, .format = parts[1].format, .depth = *depth}};
    struct shw_recording recording = shw_recording_whole(device, commands);

    for (uint32_t i = 0; i < 2; i++)
        shw_part_barrier(device, commands, &parts[i], shw_use_before(&parts[i]), ready);
    shw_channels_stage_record(rig->stage, &recording, 0, views, &region);
    for (uint32_t i = 0; i < 2; i++)
        shw_part_barrier(device, commands, &parts[i], ready,
                         (struct shw_use){VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_TRANSFER_BIT, 0});
}

static void record_copy_back(struct channel_rig *rig, VkCommandBuffer commands)
{
    const struct shw_device *device = rig->scene->device;
    const struct shw_planes *planes = &rig->planes;
    bool image = rig->form == SHW_PLANES_IMAGE;

    if (image) {
        shw_image_barrier(device, commands, planes->image.handle, shw_use_attachment, shw_use_copy_source);
        shw_buffer_barrier(device, commands, planes->buffer.handle, shw_use_nothing, shw_use_copy_target);
        shw_planes_copy_to_buffer(device, commands, planes, rig->width, rig->height);
    }
    shw_buffer_barrier(device, commands, planes->buffer.handle, image ? shw_use_copy_target : shw_use_compute_write,
                       shw_use_copy_source);
    rig->scene->engine.vk.CmdCopyBuffer(commands, planes->buffer.handle, rig->back.handle, 1,
                                        &(VkBufferCopy){.size = planes->buffer.size});
    shw_buffer_barrier(device, commands, rig->back.handle, shw_use_copy_target, shw_use_host_read);
}

int16_t *channel_rig_run(struct channel_rig *rig, const struct shw_image_use parts[2], const struct shw_depth *depth)
{
    struct engine *engine = &rig->scene->engine;
    int16_t *channels = malloc(sizeof *channels * rig->list->channel_count * rig->width * rig->height);
    struct engine_frame frame;

    assert_non_null(channels);
    engine_begin(engine, &frame);
    record_channels(rig, frame.commands, parts, depth);
    record_copy_back(rig, frame.commands);
    engine_submit(engine, &frame);
    engine_wait(engine, &frame);
    shw_planes_move(&rig->planes, rig->back.mapped, channels, rig->width, rig->height, false);
    return channels;
}
