/* A frame from an engine's point of view: an imported device; labelling recorded into the engine's command buffer; its
 * own submission; two frames in flight. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/log.h"
#include "bench/engine.h"
#include "bench/report.h"
#include "bench/setting.h"
#include "dense/channels/pixels.h"
#include "vulkan/commands.h"
#include "vulkan/memory.h"

#define FRAMES_MAX 600u
#define WARM_UP    4u

/* The resources of a frame in flight, besides its commands. */
struct frame_images {
    struct shw_vulkan_image source, target;
    VkImageView view; /* of the source, 2D */
    struct shw_buffer upload, readback;
};

struct embed {
    struct shw_bench *bench;
    struct shw_bench_setting setting;
    enum shw_technique technique;
    struct shw_engine engine;
    struct shw_image image;
    struct shw_forest *forest;
    struct shw_labeller *labeller;
    struct frame_images frames[SHW_ENGINE_FRAMES];
    uint16_t *expected; /* by cpu */
    struct shw_bench_times record, frame;
};

static const VkPipelineStageFlags anywhere = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

static enum shw_result create_images(struct embed *embed, struct frame_images *images)
{
    struct shw_device *device = embed->engine.device;
    uint32_t width = embed->setting.width, height = embed->setting.height;
    const struct shw_region whole = {width, height, 0, 0, width, height};
    const VkImageUsageFlags copied = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    VkFormat format = shw_source_format(shw_pixel_is_wide(embed->image.format));

    SHW_PROPAGATE(shw_vulkan_image_create(device, format, width, height, 1, VK_IMAGE_USAGE_SAMPLED_BIT | copied,
                                          "engine source", &images->source));
    SHW_PROPAGATE(shw_image_view_create(device, images->source.handle, format, 0, 1, false, &images->view));
    SHW_PROPAGATE(shw_vulkan_image_create(device, VK_FORMAT_R16_UINT, width, height, 1,
                                          VK_IMAGE_USAGE_SAMPLED_BIT | copied, "engine target", &images->target));
    SHW_PROPAGATE(shw_buffer_create(device, (VkDeviceSize)width * height * 4, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                    SHW_MEMORY_UPLOAD, "engine upload", &images->upload));
    SHW_PROPAGATE(shw_buffer_create(device, (VkDeviceSize)width * height * 2, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                    SHW_MEMORY_READBACK, "engine readback", &images->readback));
    shw_source_pixels_expand(&embed->image, &whole, images->upload.mapped);
    return SHW_OK;
}

/* Uploads the source once: what an engine renders stays on the device. */
static enum shw_result fill_source(struct embed *embed, uint32_t slot)
{
    struct shw_engine *engine = &embed->engine;
    const struct frame_images *images = &embed->frames[slot];
    const struct shw_use sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, anywhere, VK_ACCESS_SHADER_READ_BIT};
    VkCommandBuffer commands = engine->frames[slot].commands;
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {embed->setting.width, embed->setting.height, 1}};

    SHW_PROPAGATE(shw_engine_begin(engine, &engine->frames[slot]));
    shw_image_barrier(engine->device, commands, images->source.handle, shw_use_nothing, shw_use_copy_target);
    engine->vk.CmdCopyBufferToImage(commands, images->upload.handle, images->source.handle,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    shw_image_barrier(engine->device, commands, images->source.handle, shw_use_copy_target, sampled);
    return shw_engine_submit(engine, &engine->frames[slot]);
}

/* One frame; *record: milliseconds of recording. */
static enum shw_result run_frame(struct embed *embed, uint32_t slot, double *record)
{
    struct shw_engine *engine = &embed->engine;
    struct shw_engine_frame *frame = &engine->frames[slot];
    const struct frame_images *images = &embed->frames[slot];
    VkExtent2D extent = {embed->setting.width, embed->setting.height};
    const struct shw_image_use source = {
        .image = images->source.handle,
        .view = images->view,
        .format = images->source.format,
        .extent = extent,
        .before = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, anywhere, VK_ACCESS_SHADER_READ_BIT},
        .after = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, anywhere, VK_ACCESS_SHADER_READ_BIT}};
    const struct shw_label_targets targets = {
        .argmax = {.image = images->target.handle,
                   .view = images->target.view,
                   .format = VK_FORMAT_R16_UINT,
                   .extent = extent,
                   .before = {VK_IMAGE_LAYOUT_UNDEFINED, anywhere, 0},
                   .after = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, anywhere, VK_ACCESS_SHADER_READ_BIT}}};
    double start;

    SHW_PROPAGATE(shw_engine_begin(engine, frame));
    shw_engine_mark(engine, frame, 0);
    start = shw_bench_now();
    SHW_PROPAGATE(shw_labeller_record(embed->labeller, frame->commands, slot, SHW_COLOUR_USE(source), &targets));
    *record = shw_bench_now() - start;
    shw_engine_mark(engine, frame, 1);
    return shw_engine_submit(engine, frame);
}

/* Frame after frame, two in flight: the wall-clock time of a frame is that since the previous frame. */
static enum shw_result run_frames(struct embed *embed)
{
    struct shw_engine *engine = &embed->engine;
    uint32_t most = embed->bench->options.runs * 4 < FRAMES_MAX ? embed->bench->options.runs * 4 : FRAMES_MAX, slot = 0;
    double record, begun = 0, before = 0, now;

    for (uint32_t f = 0; f < most + WARM_UP; f++) {
        struct shw_bench_times *frame = &embed->frame;
        slot = f % SHW_ENGINE_FRAMES;
        if (f >= WARM_UP) { /* of two frames ago */
            SHW_PROPAGATE(shw_engine_wait(engine, &engine->frames[slot]));
            SHW_PROPAGATE(shw_engine_elapsed(engine, &engine->frames[slot], &frame->device[frame->runs]));
            now = shw_bench_now();
            begun = f == WARM_UP ? now : begun;
            frame->wall[frame->runs] = now - before;
            before = now;
            if (f > WARM_UP)
                frame->runs++;
            if (frame->runs >= SHW_BENCH_RUNS_LEAST && now - begun > 1e3 * embed->bench->options.seconds)
                break;
        }
        SHW_PROPAGATE(run_frame(embed, slot, &record));
        if (f >= WARM_UP)
            embed->record.wall[embed->record.runs++] = record;
    }
    embed->frame.device_runs = engine->timestamp_bits > 0 ? embed->frame.runs : 0;
    for (uint32_t f = 0; f < SHW_ENGINE_FRAMES; f++)
        SHW_PROPAGATE(shw_engine_wait(engine, &engine->frames[f]));
    return SHW_OK;
}

/* Whether the last target of every slot equals the result of cpu. */
static enum shw_result check(struct embed *embed, bool *equal)
{
    struct shw_engine *engine = &embed->engine;
    const struct shw_use sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, anywhere, VK_ACCESS_SHADER_READ_BIT};
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {embed->setting.width, embed->setting.height, 1}};
    size_t bytes = (size_t)embed->setting.width * embed->setting.height * sizeof(uint16_t);

    *equal = true;
    for (uint32_t slot = 0; slot < SHW_ENGINE_FRAMES; slot++) {
        const struct frame_images *images = &embed->frames[slot];
        VkCommandBuffer commands = engine->frames[slot].commands;
        SHW_PROPAGATE(shw_engine_begin(engine, &engine->frames[slot]));
        shw_image_barrier(engine->device, commands, images->target.handle, sampled, shw_use_copy_source);
        engine->vk.CmdCopyImageToBuffer(commands, images->target.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                        images->readback.handle, 1, &copy);
        shw_buffer_barrier(engine->device, commands, images->readback.handle, shw_use_copy_target, shw_use_host_read);
        SHW_PROPAGATE(shw_engine_submit(engine, &engine->frames[slot]));
        SHW_PROPAGATE(shw_engine_wait(engine, &engine->frames[slot]));
        *equal = *equal && memcmp(images->readback.mapped, embed->expected, bytes) == 0;
    }
    return SHW_OK;
}

static enum shw_result add(struct embed *embed, const char *stage, const char *title,
                           const struct shw_bench_times *times, const char *unit, const char *skipped, int equals)
{
    char id[160], name[96];
    const struct shw_bench_row row = {.suite = "embed",
                                      .stage = stage,
                                      .technique = shw_technique_name(embed->technique),
                                      .title = title,
                                      .id = id,
                                      .setting = shw_bench_setting_describe(&embed->setting, SHW_BENCH_STAGE_WHOLE),
                                      .times = skipped == NULL ? times : NULL,
                                      .skipped = skipped,
                                      .unit = unit,
                                      .equals_cpu = equals};

    shw_bench_setting_name(&embed->setting, SHW_BENCH_STAGE_WHOLE, name, sizeof name);
    snprintf(id, sizeof id, "embed/%s/%s/%s", stage, name, row.technique);
    json_object_set_new(row.setting, "frames_in_flight", json_integer(SHW_ENGINE_FRAMES));
    return shw_bench_add(embed->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

static double mean(const double *values, uint32_t count)
{
    double sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}

static enum shw_result create(struct embed *embed)
{
    const struct shw_labeller_params params = {.forest = embed->forest,
                                               .device = embed->engine.device,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .channels = embed->technique,
                                               .integrate = embed->technique,
                                               .evaluate = embed->technique,
                                               .width = embed->setting.width,
                                               .height = embed->setting.height,
                                               .slots = SHW_ENGINE_FRAMES,
                                               .log = embed->bench->log};

    SHW_PROPAGATE(shw_labeller_create(&params, &embed->labeller));
    for (uint32_t f = 0; f < SHW_ENGINE_FRAMES; f++) {
        SHW_PROPAGATE(create_images(embed, &embed->frames[f]));
        SHW_PROPAGATE(fill_source(embed, f));
    }
    return SHW_OK;
}

static void destroy(struct embed *embed)
{
    struct shw_engine *engine = &embed->engine;

    if (engine->handle != VK_NULL_HANDLE)
        engine->vk.DeviceWaitIdle(engine->handle);
    shw_labeller_destroy(&embed->labeller);
    for (uint32_t f = 0; f < SHW_ENGINE_FRAMES && engine->device != NULL; f++) {
        struct frame_images *images = &embed->frames[f];
        if (images->view != VK_NULL_HANDLE)
            engine->vk.DestroyImageView(engine->handle, images->view, NULL);
        shw_vulkan_image_destroy(engine->device, &images->source);
        shw_vulkan_image_destroy(engine->device, &images->target);
        shw_buffer_destroy(engine->device, &images->upload);
        shw_buffer_destroy(engine->device, &images->readback);
        images->view = VK_NULL_HANDLE;
    }
}

static enum shw_result time_technique(struct embed *embed, enum shw_technique technique)
{
    static const char frame[] = "a frame, two in flight", recording[] = "recording a frame, on the host";
    bool equal = false;
    enum shw_result result;

    embed->technique = technique;
    embed->record.runs = embed->frame.runs = embed->frame.device_runs = 0;
    shw_bench_say(embed->bench, "embed/%s", shw_technique_name(technique));
    SHW_TRY(create(embed));
    SHW_TRY(run_frames(embed));
    SHW_TRY(check(embed, &equal));
    embed->frame.in_flight = SHW_ENGINE_FRAMES;
    embed->frame.back_to_back = mean(embed->frame.wall, embed->frame.runs);
    embed->frame.back_to_back_device = embed->frame.device_runs > 0 ? mean(embed->frame.device, embed->frame.runs) : 0;
    SHW_TRY(add(embed, "frame", frame, &embed->frame, "frames", NULL, equal));
    SHW_TRY(add(embed, "record", recording, &embed->record, NULL, NULL, equal));

fail:
    destroy(embed);
    return shw_bench_is_skip(result) ? add(embed, "frame", frame, NULL, NULL, embed->bench->message, -1) : result;
}

/* The result of cpu for the image. */
static enum shw_result expect(struct embed *embed)
{
    const struct shw_labeller_params params = {.forest = embed->forest,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .channels = SHW_TECHNIQUE_CPU,
                                               .integrate = SHW_TECHNIQUE_CPU,
                                               .evaluate = SHW_TECHNIQUE_CPU,
                                               .log = embed->bench->log};
    struct shw_labeller *labeller = NULL;
    struct shw_labelling out;
    enum shw_result result;

    embed->expected = malloc((size_t)embed->setting.width * embed->setting.height * sizeof *embed->expected);
    if (embed->expected == NULL)
        return shw_fail_memory(&embed->bench->log, "the result of cpu");
    out = (struct shw_labelling){.argmax = embed->expected};
    SHW_TRY(shw_labeller_create(&params, &labeller));
    SHW_TRY(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(embed->image), &out));

fail:
    shw_labeller_destroy(&labeller);
    return result;
}

enum shw_result shw_bench_embed(struct shw_bench *bench)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT};
    struct embed *embed = bench->device != NULL ? calloc(1, sizeof *embed) : NULL;
    enum shw_result result;

    if (bench->device == NULL) /* cpu cannot be recorded */
        return SHW_OK;
    if (embed == NULL)
        return shw_fail_memory(&bench->log, "a suite of the bench");
    embed->bench = bench;
    embed->setting = shw_bench_base();
    if (bench->options.width > 0 || shw_bench_is_small(bench)) {
        embed->setting.width = bench->options.width > 0 ? bench->options.width : 320;
        embed->setting.height = bench->options.width > 0 ? bench->options.height : 240;
    }
    SHW_TRY(shw_bench_image(embed->setting.width, embed->setting.height, &bench->log, &embed->image));
    SHW_TRY(shw_bench_forest(&embed->setting.forest, &bench->log, &embed->forest));
    SHW_TRY(expect(embed));
    SHW_TRY(shw_engine_open(bench->device_index, &bench->log, &embed->engine));
    for (size_t t = 0; t < sizeof techniques / sizeof *techniques; t++)
        if (shw_bench_wants(bench, techniques[t]))
            SHW_TRY(time_technique(embed, techniques[t]));

fail:
    shw_engine_close(&embed->engine);
    shw_forest_destroy(&embed->forest);
    free((void *)(uintptr_t)embed->image.pixels);
    free(embed->expected);
    free(embed);
    return result;
}
