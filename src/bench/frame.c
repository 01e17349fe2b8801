#include "bench/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "channels/channels.h"
#include "evaluate/evaluate_cpu.h"
#include "integrate/integral.h"

enum shw_result shw_bench_cpu_channels(void *user)
{
    struct shw_bench_frame *frame = user;

    return shw_channels_cpu(shw_forest_get_info(frame->forest)->channel_list,
                            &(struct shw_channel_images){{&frame->image}}, NULL, frame->channels, frame->bench->pool);
}

enum shw_result shw_bench_cpu_integrate(void *user)
{
    struct shw_bench_frame *frame = user;

    shw_integrate_cpu(frame->channels, frame->image.width, frame->image.height,
                      shw_bench_setting_channels(frame->setting), frame->integrals, frame->bench->pool);
    return SHW_OK;
}

enum shw_result shw_bench_cpu_evaluate(void *user)
{
    struct shw_bench_frame *frame = user;
    uint32_t width = frame->image.width, height = frame->image.height;
    const struct shw_evaluate_tile tile = {.forest = frame->forest,
                                           .integrals = frame->integrals,
                                           .width = width,
                                           .height = height,
                                           .image = {0, 0, (int32_t)width, (int32_t)height},
                                           .tile_width = width,
                                           .tile_height = height,
                                           .out = frame->labels,
                                           .out_width = width,
                                           .out_height = height};

    return shw_evaluate_cpu(&tile, frame->bench->pool);
}

enum shw_result shw_bench_cpu_whole(void *user)
{
    SHW_PROPAGATE(shw_bench_cpu_channels(user));
    SHW_PROPAGATE(shw_bench_cpu_integrate(user));
    return shw_bench_cpu_evaluate(user);
}

size_t shw_bench_label_bytes(const struct shw_bench_setting *setting)
{
    size_t element = setting->output <= SHW_OUTPUT_FOREST_LEAVES ? sizeof(uint32_t) : sizeof(uint16_t);

    return (size_t)setting->width * setting->height * shw_bench_setting_planes(setting) * element;
}

/* Memory for the requested output. */
static bool allocate_labels(const struct shw_bench_setting *setting, struct shw_labelling *labels)
{
    void *room = malloc(shw_bench_label_bytes(setting));

    switch (setting->output) {
    case SHW_OUTPUT_TREE_LEAF: labels->tree_leaf = room; break;
    case SHW_OUTPUT_FOREST_LEAVES: labels->forest_leaves = room; break;
    case SHW_OUTPUT_DISTRIBUTION: labels->distribution = room; break;
    default: labels->argmax = room; break;
    }
    return room != NULL;
}

const void *shw_bench_labels(const struct shw_bench_setting *setting, const struct shw_labelling *labels)
{
    switch (setting->output) {
    case SHW_OUTPUT_TREE_LEAF: return labels->tree_leaf;
    case SHW_OUTPUT_FOREST_LEAVES: return labels->forest_leaves;
    case SHW_OUTPUT_DISTRIBUTION: return labels->distribution;
    default: return labels->argmax;
    }
}

static void free_labels(struct shw_labelling *labels)
{
    free(labels->tree_leaf);
    free(labels->forest_leaves);
    free(labels->distribution);
    free(labels->argmax);
}

enum shw_result shw_bench_frame_create(struct shw_bench_frame *frame)
{
    const struct shw_bench_setting *setting = frame->setting;
    const struct shw_log *log = &frame->bench->log;
    uint32_t channels = shw_bench_setting_channels(setting);

    SHW_PROPAGATE(shw_bench_image(setting->width, setting->height, log, &frame->image));
    SHW_PROPAGATE(shw_bench_forest(&setting->forest, log, &frame->forest));
    frame->channels = malloc((size_t)setting->width * setting->height * channels * sizeof *frame->channels);
    frame->integrals = malloc(shw_integral_size(setting->width, setting->height) * channels * sizeof *frame->integrals);
    if (!allocate_labels(setting, &frame->labels) || !allocate_labels(setting, &frame->other) ||
        frame->channels == NULL || frame->integrals == NULL)
        return shw_fail_memory(log, "the result of cpu");
    SHW_PROPAGATE(shw_bench_cpu_whole(frame));
    if (frame->bench->device != NULL)
        SHW_PROPAGATE(shw_bench_source_create(frame->bench, &frame->image, &frame->source));
    return SHW_OK;
}

void shw_bench_frame_destroy(struct shw_bench_frame *frame)
{
    if (frame->bench->device != NULL)
        shw_bench_source_destroy(frame->bench, &frame->source);
    shw_forest_destroy(&frame->forest);
    free((void *)(uintptr_t)frame->image.pixels);
    free(frame->channels);
    free(frame->integrals);
    free_labels(&frame->labels);
    free_labels(&frame->other);
}

enum shw_result shw_bench_custom_stage(void *user)
{
    struct shw_bench_frame *frame = user;
    uint32_t width = frame->image.width, height = frame->image.height;
    const struct shw_tile whole = {.region = {width, height, 0, 0, width, height}, .width = width, .height = height};
    const struct shw_custom_host_frame given = {.frame = shw_custom_frame_of(&whole),
                                                .forest = shw_custom_forest_of(frame->forest),
                                                .threads = shw_thread_pool_size(frame->bench->pool),
                                                .image = frame->image,
                                                .channels = frame->channels,
                                                .integrals = frame->integrals,
                                                .out = frame->other,
                                                .log = frame->bench->log};

    return frame->custom->run(frame->custom->user, &given);
}

/* Bytes of the result of each stage. */
static void measure_results(const struct shw_bench_frame *frame, size_t sizes[SHW_STAGE_COUNT])
{
    size_t count = shw_bench_setting_channels(frame->setting);
    uint32_t width = frame->image.width, height = frame->image.height;

    sizes[SHW_STAGE_CHANNELS] = count * width * height * sizeof *frame->channels;
    sizes[SHW_STAGE_INTEGRATE] = count * shw_integral_size(width, height) * sizeof *frame->integrals;
    sizes[SHW_STAGE_EVALUATE] = shw_bench_label_bytes(frame->setting);
}

void shw_bench_custom_spoil(struct shw_bench_frame *frame)
{
    void *results[] = {frame->channels, frame->integrals,
                       (void *)(uintptr_t)shw_bench_labels(frame->setting, &frame->other)};
    size_t sizes[SHW_STAGE_COUNT];

    measure_results(frame, sizes);
    memset(results[frame->custom->stage], 0xa5, sizes[frame->custom->stage]);
}

enum shw_result shw_bench_custom_equals(struct shw_bench_frame *frame, bool *equal)
{
    static enum shw_result (*const functions[])(void *) = {shw_bench_cpu_channels, shw_bench_cpu_integrate,
                                                           shw_bench_cpu_evaluate};
    size_t sizes[SHW_STAGE_COUNT];
    const void *results[] = {frame->channels, frame->integrals, shw_bench_labels(frame->setting, &frame->other)};
    const void *expected[] = {frame->channels, frame->integrals, shw_bench_labels(frame->setting, &frame->labels)};
    int stage = (int)frame->custom->stage;
    enum shw_result result;
    void *kept;

    measure_results(frame, sizes);
    kept = malloc(sizes[stage]);
    if (kept == NULL)
        return shw_fail_memory(&frame->bench->log, "the result of a technique");
    memcpy(kept, results[stage], sizes[stage]);
    SHW_TRY(functions[stage](frame));
    *equal = memcmp(kept, expected[stage], sizes[stage]) == 0;

fail:
    free(kept);
    return result;
}
