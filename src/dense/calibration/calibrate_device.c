/* Times of the stages on a device, and of transfers. */
#include <string.h>

#include <shadewood/label.h>

#include "base/log.h"
#include "dense/calibration/calibrate.h"
#include "vulkan/commands.h"

struct part;
typedef void record_function(struct part *part, VkCommandBuffer commands);

struct part {
    struct shw_calibrator *calibrator;
    struct shw_device *device;
    uint32_t frame, stage;        /* that are measured */
    struct shw_pipeline pipeline; /* all stages by the technique */
    struct shw_planes integrals;  /* in both forms, for hand-overs */
    record_function *record;      /* what is timed */
};

static const struct shw_calibrate_frame *frame_of(const struct part *part)
{
    return &part->calibrator->frames[part->frame];
}

static enum shw_result create(struct part *part, enum shw_technique technique)
{
    const struct shw_calibrate_frame *largest = &part->calibrator->frames[SHW_CALIBRATE_SIZES - 1];
    const struct shw_pipeline_params params = shw_calibrate_pipeline(part->calibrator, largest, technique);

    shw_pipeline_begin(&params, &part->pipeline);
    return shw_pipeline_prepare(&part->pipeline, false, largest->image.width, largest->image.height);
}

static enum shw_result create_hand_overs(struct part *part)
{
    const struct shw_calibrate_frame *largest = &part->calibrator->frames[SHW_CALIBRATE_SIZES - 1];

    SHW_PROPAGATE(shw_planes_create(part->device, VK_FORMAT_R32_UINT, largest->image.width + 1,
                                    largest->image.height + 1, largest->work.channel_count,
                                    SHW_PLANES_IMAGE | SHW_PLANES_BUFFER, "integral images", &part->integrals));
    return shw_pipeline_need_transfer(&part->pipeline, part->integrals.buffer.size, part->integrals.buffer.size);
}

/* Submits what `record` records, and waits. */
static enum shw_result submit(struct part *part, record_function *record)
{
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_submit_begin(part->device, &commands));
    record(part, commands);
    return shw_submit_wait(part->device, commands);
}

static struct shw_stage_frame whole(const struct part *part)
{
    const struct shw_tile tile = shw_tile_whole(frame_of(part)->image.width, frame_of(part)->image.height);

    return shw_pipeline_frame(&part->pipeline, &tile);
}

static void record_nothing(struct part *part, VkCommandBuffer commands)
{
    (void)part;
    (void)commands;
}

static void record_source(struct part *part, VkCommandBuffer commands)
{
    const struct shw_tile tile = shw_tile_whole(frame_of(part)->image.width, frame_of(part)->image.height);
    const struct shw_input colour = {.image = frame_of(part)->image};

    shw_pipeline_upload_sources(&part->pipeline, commands, &(struct shw_chosen_inputs){{&colour}}, &tile.region);
}

/* Transfers are measured with integral images. */
static size_t bytes_of(const struct part *part)
{
    return (size_t)shw_calibration_bytes(&frame_of(part)->work, SHW_STAGE_INTEGRATE);
}

static void record_upload(struct part *part, VkCommandBuffer commands)
{
    VkBufferCopy region = {.size = bytes_of(part)};

    memcpy(part->pipeline.upload.mapped, shw_pipeline_find(&frame_of(part)->cpu, SHW_INTEGRALS)->host, region.size);
    shw_buffer_barrier(part->device, commands, part->integrals.buffer.handle, shw_use_nothing, shw_use_copy_target);
    part->device->vk.CmdCopyBuffer(commands, part->pipeline.upload.handle, part->integrals.buffer.handle, 1, &region);
}

static void record_download(struct part *part, VkCommandBuffer commands)
{
    VkBufferCopy region = {.size = bytes_of(part)};

    shw_buffer_barrier(part->device, commands, part->integrals.buffer.handle, shw_use_copy_target, shw_use_copy_source);
    shw_buffer_barrier(part->device, commands, part->pipeline.readback.handle, shw_use_nothing, shw_use_copy_target);
    part->device->vk.CmdCopyBuffer(commands, part->integrals.buffer.handle, part->pipeline.readback.handle, 1, &region);
    shw_buffer_barrier(part->device, commands, part->pipeline.readback.handle, shw_use_copy_target, shw_use_host_read);
}

static void record_to_image(struct part *part, VkCommandBuffer commands)
{
    const struct shw_image *image = &frame_of(part)->image;
    const struct shw_planes *planes = &part->integrals;

    shw_image_barrier(part->device, commands, planes->image.handle, shw_use_nothing, shw_use_copy_target);
    shw_planes_copy_to_image(part->device, commands, planes, image->width + 1, image->height + 1);
    shw_image_barrier(part->device, commands, planes->image.handle, shw_use_copy_target, shw_use_copy_source);
}

static void record_to_buffer(struct part *part, VkCommandBuffer commands)
{
    const struct shw_image *image = &frame_of(part)->image;
    const struct shw_planes *planes = &part->integrals;

    shw_buffer_barrier(part->device, commands, planes->buffer.handle, shw_use_nothing, shw_use_copy_target);
    shw_planes_copy_to_buffer(part->device, commands, planes, image->width + 1, image->height + 1);
    shw_buffer_barrier(part->device, commands, planes->buffer.handle, shw_use_copy_target, shw_use_copy_source);
}

static void record_stage(struct part *part, VkCommandBuffer commands)
{
    struct shw_recording recording = shw_recording_whole(part->device, commands);
    const struct shw_stage_frame frame = whole(part);

    shw_pipeline_record(&part->pipeline, &recording, 0, part->stage, &frame);
}

/* The source, and the stages before. */
static void record_inputs(struct part *part, VkCommandBuffer commands)
{
    struct shw_recording recording = shw_recording_whole(part->device, commands);
    const struct shw_stage_frame frame = whole(part);

    record_source(part, commands);
    for (uint32_t s = 0; s < part->stage; s++) {
        shw_pipeline_record(&part->pipeline, &recording, 0, s, &frame);
        shw_pipeline_transition(&part->pipeline, &recording, 0, s, &frame);
    }
}

/* The jobs that are timed: what part->record records. */
static enum shw_result run(void *user)
{
    struct part *part = user;

    SHW_PROPAGATE(submit(part, part->record));
    if (part->record == record_download)
        memcpy(part->pipeline.upload.mapped, part->pipeline.readback.mapped, bytes_of(part));
    return SHW_OK;
}

static enum shw_result run_inputs(void *user)
{
    return submit(user, record_inputs);
}

static double submission_ms(const struct part *part)
{
    return part->calibrator->result->hand_overs[SHW_HAND_OVER_SUBMISSION].fixed_ms;
}

static enum shw_result measure_stage(struct part *part, enum shw_technique technique)
{
    enum shw_stage stage = part->pipeline.stages[part->stage].stage;
    struct shw_calibrate_job job = {
        .ready = run_inputs, .run = run, .user = part, .frame = &part->frame, .before = submission_ms(part)};
    double begin = shw_clock();

    for (uint32_t i = 0; i < SHW_CALIBRATE_SIZES; i++)
        job.units[i] = shw_calibration_units(&part->calibrator->frames[i].work, stage);
    part->frame = 0;
    part->record = record_stage;
    SHW_PROPAGATE(run_inputs(part));
    SHW_PROPAGATE(run(part)); /* also uploads the forest and triggers deferred compilation by the driver */
    SHW_PROPAGATE(shw_calibrate_cost(&job, &part->calibrator->result->stages[stage][technique]));
    shw_calibrate_step(part->calibrator, begin);
    return SHW_OK;
}

static enum shw_result measure_hand_overs(struct part *part)
{
    static record_function *const records[SHW_HAND_OVER_COUNT] = {[SHW_HAND_OVER_SOURCE] = record_source,
                                                                  [SHW_HAND_OVER_UPLOAD] = record_upload,
                                                                  [SHW_HAND_OVER_DOWNLOAD] = record_download,
                                                                  [SHW_HAND_OVER_TO_IMAGE] = record_to_image,
                                                                  [SHW_HAND_OVER_TO_BUFFER] = record_to_buffer};
    struct shw_cost *costs = part->calibrator->result->hand_overs;
    double begin = shw_clock();
    enum shw_result result;

    SHW_TRY(create_hand_overs(part));
    part->record = record_nothing;
    SHW_TRY(run(part));
    SHW_TRY(shw_calibrate_time(run, part, &costs[SHW_HAND_OVER_SUBMISSION].fixed_ms));
    costs[SHW_HAND_OVER_SUBMISSION].measured = true;
    for (uint32_t h = SHW_HAND_OVER_SOURCE; h < SHW_HAND_OVER_COUNT; h++) {
        struct shw_calibrate_job job = {.run = run, .user = part, .frame = &part->frame, .before = submission_ms(part)};
        part->record = records[h];
        for (uint32_t i = 0; i < SHW_CALIBRATE_SIZES; i++) {
            const struct shw_calibration_work *work = &part->calibrator->frames[i].work;
            job.units[i] = h == SHW_HAND_OVER_SOURCE ? (double)work->width * work->height
                                                     : shw_calibration_bytes(work, SHW_STAGE_INTEGRATE);
        }
        SHW_TRY(shw_calibrate_cost(&job, &costs[h]));
    }

fail:
    shw_planes_destroy(part->device, &part->integrals);
    shw_calibrate_step(part->calibrator, begin);
    return result;
}

enum shw_result shw_calibrate_device(struct shw_calibrator *calibrator, enum shw_technique technique)
{
    struct part part = {.calibrator = calibrator, .device = calibrator->device};
    enum shw_result result;

    SHW_TRY(create(&part, technique));
    if (technique == SHW_TECHNIQUE_COMPUTE)
        SHW_TRY(measure_hand_overs(&part));
    for (; part.stage < part.pipeline.stage_count && shw_calibrate_goes_on(calibrator, technique); part.stage++)
        SHW_TRY(measure_stage(&part, technique));

fail:
    shw_pipeline_end(&part.pipeline);
    return shw_calibrate_is_missing(result) ? SHW_OK : result;
}
