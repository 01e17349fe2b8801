/* Times of the stages on a device, and of transfers. */
#include <string.h>

#include <shadewood/label.h>

#include "base/log.h"
#include "calibration/calibrate.h"
#include "channels/channels_stage.h"
#include "channels/source_pixels.h"
#include "evaluate/evaluate_stage.h"
#include "integrate/integrate_stage.h"
#include "vulkan/barrier.h"
#include "vulkan/submit.h"

#define BOTH_FORMS (SHW_PLANES_IMAGE | SHW_PLANES_BUFFER)

/* Inputs of stages are constant, in both forms: images ready for fragment shaders, buffers for compute shaders. */
struct part {
    struct shw_calibrator *calibrator;
    struct shw_device *device;
    uint32_t frame, filled;                        /* being measured; whose planes are the inputs, plus 1 */
    struct shw_planes channels, integrals;         /* inputs */
    struct shw_planes channels_out, integrals_out; /* outputs, also used to measure transfers */
    struct shw_buffer upload, readback;
    struct shw_vulkan_image source;
    VkImageView source_view;
    struct shw_channels_stage *channels_stage;
    struct shw_integrate_stage *integrate_stage;
    struct shw_evaluate_stage evaluate_stage;
};

static const struct shw_calibrate_frame *frame_of(const struct part *part)
{
    return &part->calibrator->frames[part->frame];
}

static enum shw_result create(struct part *part)
{
    struct shw_device *device = part->device;
    const struct shw_calibrate_frame *largest = &part->calibrator->frames[SHW_CALIBRATE_SIZES - 1];
    uint32_t width = largest->image.width, height = largest->image.height, count = largest->work.channel_count;

    SHW_PROPAGATE(
        shw_planes_create(device, VK_FORMAT_R16_SINT, width, height, count, BOTH_FORMS, "channels", &part->channels));
    SHW_PROPAGATE(shw_planes_create(device, VK_FORMAT_R16_SINT, width, height, count, BOTH_FORMS, "channels",
                                    &part->channels_out));
    SHW_PROPAGATE(shw_planes_create(device, VK_FORMAT_R32_UINT, width + 1, height + 1, count, BOTH_FORMS,
                                    "integral images", &part->integrals));
    SHW_PROPAGATE(shw_planes_create(device, VK_FORMAT_R32_UINT, width + 1, height + 1, count, BOTH_FORMS,
                                    "integral images", &part->integrals_out));
    SHW_PROPAGATE(shw_buffer_create(device, part->integrals.buffer.size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                    SHW_MEMORY_UPLOAD, "upload", &part->upload));
    SHW_PROPAGATE(shw_buffer_create(device, part->integrals.buffer.size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                    SHW_MEMORY_READBACK, "readback", &part->readback));
    SHW_PROPAGATE(shw_vulkan_image_create(device, shw_source_pixel_format(largest->image.format), width, height, 1,
                                          VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "source",
                                          &part->source));
    return shw_image_view_create(device, part->source.handle, part->source.format, 0, 1, false, &part->source_view);
}

static void destroy(struct part *part)
{
    struct shw_device *device = part->device;

    if (part->source_view != VK_NULL_HANDLE)
        device->vk.DestroyImageView(device->handle, part->source_view, device->allocator);
    shw_vulkan_image_destroy(device, &part->source);
    shw_buffer_destroy(device, &part->readback);
    shw_buffer_destroy(device, &part->upload);
    shw_planes_destroy(device, &part->integrals_out);
    shw_planes_destroy(device, &part->integrals);
    shw_planes_destroy(device, &part->channels_out);
    shw_planes_destroy(device, &part->channels);
}

static enum shw_result fill_planes(struct part *part, const struct shw_planes *planes, void *host, uint32_t width,
                                   uint32_t height)
{
    const struct shw_device *device = part->device;
    VkBufferCopy region = {.size = planes->buffer.size};
    VkCommandBuffer commands;

    shw_planes_move(planes, part->upload.mapped, host, width, height, true);
    SHW_PROPAGATE(shw_submit_begin(part->device, &commands));
    shw_buffer_barrier(device, commands, planes->buffer.handle, shw_use_nothing, shw_use_copy_target);
    device->vk.CmdCopyBuffer(commands, part->upload.handle, planes->buffer.handle, 1, &region);
    shw_buffer_barrier(device, commands, planes->buffer.handle, shw_use_copy_target, shw_use_copy_source);
    shw_image_barrier(device, commands, planes->image.handle, shw_use_nothing, shw_use_copy_target);
    shw_planes_copy_to_image(device, commands, planes, width, height);
    shw_image_barrier(device, commands, planes->image.handle, shw_use_copy_target, shw_use_fragment_sampled);
    shw_buffer_barrier(device, commands, planes->buffer.handle, shw_use_copy_source, shw_use_compute_read);
    return shw_submit_wait(part->device, commands);
}

/* Uploads the planes of the current frame as inputs. */
static enum shw_result fill(void *user)
{
    struct part *part = user;
    const struct shw_calibrate_frame *frame = frame_of(part);
    uint32_t width = frame->image.width, height = frame->image.height;

    if (part->filled == part->frame + 1)
        return SHW_OK;
    SHW_PROPAGATE(fill_planes(part, &part->channels, frame->channels, width, height));
    SHW_PROPAGATE(fill_planes(part, &part->integrals, frame->integrals, width + 1, height + 1));
    part->filled = part->frame + 1;
    return SHW_OK;
}

/* Submits what `record` records, and waits. */
static enum shw_result submit(struct part *part, void (*record)(struct part *part, VkCommandBuffer commands))
{
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_submit_begin(part->device, &commands));
    record(part, commands);
    return shw_submit_wait(part->device, commands);
}

static struct shw_region whole(const struct part *part)
{
    const struct shw_image *image = &frame_of(part)->image;

    return (struct shw_region){image->width, image->height, 0, 0, image->width, image->height};
}

static void record_nothing(struct part *part, VkCommandBuffer commands)
{
    (void)part;
    (void)commands;
}

static void record_source(struct part *part, VkCommandBuffer commands)
{
    const struct shw_image *image = &frame_of(part)->image;
    struct shw_region region = whole(part);
    VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                              .imageExtent = {image->width, image->height, 1}};

    shw_source_pixels_expand(image, &region, false, part->upload.mapped);
    shw_image_barrier(part->device, commands, part->source.handle, shw_use_nothing, shw_use_copy_target);
    part->device->vk.CmdCopyBufferToImage(commands, part->upload.handle, part->source.handle,
                                          VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    shw_image_barrier(part->device, commands, part->source.handle, shw_use_copy_target, shw_use_fragment_sampled);
}

/* Transfers are measured with integral images. */
static size_t bytes_of(const struct part *part)
{
    return (size_t)shw_calibration_bytes(&frame_of(part)->work, SHW_STAGE_INTEGRATE);
}

static void record_upload(struct part *part, VkCommandBuffer commands)
{
    VkBufferCopy region = {.size = bytes_of(part)};

    memcpy(part->upload.mapped, frame_of(part)->integrals, region.size);
    shw_buffer_barrier(part->device, commands, part->integrals_out.buffer.handle, shw_use_nothing, shw_use_copy_target);
    part->device->vk.CmdCopyBuffer(commands, part->upload.handle, part->integrals_out.buffer.handle, 1, &region);
}

static void record_download(struct part *part, VkCommandBuffer commands)
{
    VkBufferCopy region = {.size = bytes_of(part)};

    shw_buffer_barrier(part->device, commands, part->integrals_out.buffer.handle, shw_use_copy_target,
                       shw_use_copy_source);
    shw_buffer_barrier(part->device, commands, part->readback.handle, shw_use_nothing, shw_use_copy_target);
    part->device->vk.CmdCopyBuffer(commands, part->integrals_out.buffer.handle, part->readback.handle, 1, &region);
    shw_buffer_barrier(part->device, commands, part->readback.handle, shw_use_copy_target, shw_use_host_read);
}

static void record_to_image(struct part *part, VkCommandBuffer commands)
{
    const struct shw_image *image = &frame_of(part)->image;
    const struct shw_planes *planes = &part->integrals_out;

    shw_image_barrier(part->device, commands, planes->image.handle, shw_use_nothing, shw_use_copy_target);
    shw_planes_copy_to_image(part->device, commands, planes, image->width + 1, image->height + 1);
    shw_image_barrier(part->device, commands, planes->image.handle, shw_use_copy_target, shw_use_copy_source);
}

static void record_to_buffer(struct part *part, VkCommandBuffer commands)
{
    const struct shw_image *image = &frame_of(part)->image;
    const struct shw_planes *planes = &part->integrals_out;

    shw_buffer_barrier(part->device, commands, planes->buffer.handle, shw_use_nothing, shw_use_copy_target);
    shw_planes_copy_to_buffer(part->device, commands, planes, image->width + 1, image->height + 1);
    shw_buffer_barrier(part->device, commands, planes->buffer.handle, shw_use_copy_target, shw_use_copy_source);
}

static void record_channels(struct part *part, VkCommandBuffer commands)
{
    struct shw_recording recording = shw_recording_whole(part->device, commands);
    struct shw_region region = whole(part);

    shw_channels_stage_record(
        part->channels_stage, &recording, 0,
        (const struct shw_channel_source[SHW_INPUT_ROLES]){{part->source_view, part->source.format, 0, 0}}, &region);
}

static void record_integrate(struct part *part, VkCommandBuffer commands)
{
    struct shw_recording recording = shw_recording_whole(part->device, commands);
    const struct shw_image *image = &frame_of(part)->image;

    shw_integrate_stage_record(part->integrate_stage, &recording, 0, image->width, image->height);
}

static void record_evaluate(struct part *part, VkCommandBuffer commands)
{
    struct shw_recording recording = shw_recording_whole(part->device, commands);
    const struct shw_image *image = &frame_of(part)->image;
    struct shw_tile tile = {.region = whole(part), .width = image->width, .height = image->height};

    shw_evaluate_stage_record(&part->evaluate_stage, &recording, 0, &tile);
}

/* The jobs that are timed. */
static enum shw_result run_submission(void *user)
{
    return submit(user, record_nothing);
}

static enum shw_result run_source(void *user)
{
    return submit(user, record_source);
}

static enum shw_result run_upload(void *user)
{
    return submit(user, record_upload);
}

static enum shw_result run_download(void *user)
{
    struct part *part = user;
    enum shw_result result = submit(part, record_download);

    if (result == SHW_OK)
        memcpy(part->upload.mapped, part->readback.mapped, bytes_of(part));
    return result;
}

static enum shw_result run_to_image(void *user)
{
    return submit(user, record_to_image);
}

static enum shw_result run_to_buffer(void *user)
{
    return submit(user, record_to_buffer);
}

static enum shw_result run_channels(void *user)
{
    return submit(user, record_channels);
}

static enum shw_result run_integrate(void *user)
{
    return submit(user, record_integrate);
}

static enum shw_result run_evaluate(void *user)
{
    return submit(user, record_evaluate);
}

static enum shw_result create_stage(struct part *part, enum shw_stage stage, enum shw_technique technique)
{
    const struct shw_calibrate_frame *largest = &part->calibrator->frames[SHW_CALIBRATE_SIZES - 1];
    const struct shw_forest *forest = part->calibrator->forest;

    if (stage == SHW_STAGE_CHANNELS)
        return shw_channels_stage_create(part->device, shw_forest_get_info(forest)->channel_list, technique,
                                         &part->channels_out, 1, &part->channels_stage);
    if (stage == SHW_STAGE_INTEGRATE)
        return shw_integrate_stage_create(part->device, technique, &part->channels, &part->integrals_out, 1,
                                          &part->integrate_stage);
    return shw_evaluate_stage_create(part->device, forest, technique, largest->work.outputs, NULL, &part->integrals, 1,
                                     largest->image.width, largest->image.height, &part->evaluate_stage);
}

static void destroy_stages(struct part *part)
{
    shw_channels_stage_destroy(part->device, &part->channels_stage);
    shw_integrate_stage_destroy(part->device, &part->integrate_stage);
    shw_evaluate_stage_destroy(&part->evaluate_stage);
}

static double submission_ms(const struct part *part)
{
    return part->calibrator->result->hand_overs[SHW_HAND_OVER_SUBMISSION].fixed_ms;
}

static enum shw_result measure_stage(struct part *part, enum shw_stage stage, enum shw_technique technique)
{
    static enum shw_result (*const runs[SHW_STAGE_COUNT])(void *user) = {run_channels, run_integrate, run_evaluate};
    struct shw_calibrate_job job = {
        .ready = fill, .run = runs[stage], .user = part, .frame = &part->frame, .before = submission_ms(part)};
    double begin = shw_clock();
    enum shw_result result;

    for (uint32_t i = 0; i < SHW_CALIBRATE_SIZES; i++)
        job.units[i] = shw_calibration_units(&part->calibrator->frames[i].work, stage);
    SHW_TRY(create_stage(part, stage, technique));
    part->frame = 0;
    SHW_TRY(fill(part));
    SHW_TRY(
        runs[stage](part)); /* the first run also uploads the forest and triggers deferred compilation by the driver */
    SHW_TRY(shw_calibrate_cost(&job, &part->calibrator->result->stages[stage][technique]));

fail:
    destroy_stages(part);
    shw_calibrate_step(part->calibrator, begin);
    return shw_calibrate_is_missing(result) ? SHW_OK : result;
}

static enum shw_result measure_hand_overs(struct part *part)
{
    static enum shw_result (*const runs[SHW_HAND_OVER_COUNT])(void *user) = {[SHW_HAND_OVER_SOURCE] = run_source,
                                                                             [SHW_HAND_OVER_UPLOAD] = run_upload,
                                                                             [SHW_HAND_OVER_DOWNLOAD] = run_download,
                                                                             [SHW_HAND_OVER_TO_IMAGE] = run_to_image,
                                                                             [SHW_HAND_OVER_TO_BUFFER] = run_to_buffer};
    struct shw_cost *costs = part->calibrator->result->hand_overs;
    double begin = shw_clock();
    enum shw_result result;

    SHW_TRY(run_submission(part));
    SHW_TRY(shw_calibrate_time(run_submission, part, &costs[SHW_HAND_OVER_SUBMISSION].fixed_ms));
    costs[SHW_HAND_OVER_SUBMISSION].measured = true;
    for (uint32_t h = SHW_HAND_OVER_SOURCE; h < SHW_HAND_OVER_COUNT; h++) {
        struct shw_calibrate_job job = {
            .run = runs[h], .user = part, .frame = &part->frame, .before = submission_ms(part)};
        for (uint32_t i = 0; i < SHW_CALIBRATE_SIZES; i++) {
            const struct shw_calibration_work *work = &part->calibrator->frames[i].work;
            job.units[i] = h == SHW_HAND_OVER_SOURCE ? (double)work->width * work->height
                                                     : shw_calibration_bytes(work, SHW_STAGE_INTEGRATE);
        }
        SHW_TRY(shw_calibrate_cost(&job, &costs[h]));
    }

fail:
    shw_calibrate_step(part->calibrator, begin);
    return result;
}

enum shw_result shw_calibrate_device(struct shw_calibrator *calibrator, enum shw_technique technique)
{
    struct part part = {.calibrator = calibrator, .device = calibrator->device};
    double begin = shw_clock();
    enum shw_result result;

    SHW_TRY(create(&part));
    shw_calibrate_step(calibrator, begin);
    if (technique == SHW_TECHNIQUE_COMPUTE)
        SHW_TRY(measure_hand_overs(&part));
    else
        SHW_TRY(run_source(&part));
    for (int s = 0; s < (int)SHW_STAGE_COUNT && shw_calibrate_goes_on(calibrator, technique); s++)
        SHW_TRY(measure_stage(&part, (enum shw_stage)s, technique));

fail:
    destroy(&part);
    return result;
}
