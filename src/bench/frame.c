#include "bench/frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/pipeline/registry.h"

static enum shw_result run_cpu(struct shw_bench_frame *frame, enum shw_stage stage, const struct shw_labelling *out)
{
    const struct shw_tile whole = shw_tile_whole(frame->setting->width, frame->setting->height);
    const struct shw_chosen_inputs inputs = {{&frame->inputs[0], frame->all.count > 1 ? &frame->inputs[1] : NULL}};
    uint32_t index = shw_pipeline_index(&frame->cpu, stage);

    if (index == frame->cpu.stage_count) /* this forest does not need it */
        return SHW_OK;
    return shw_pipeline_run_host(&frame->cpu, index, &whole, &inputs, out);
}

enum shw_result shw_bench_cpu_channels(void *user)
{
    struct shw_bench_frame *frame = user;

    return run_cpu(frame, SHW_STAGE_CHANNELS, &frame->labels);
}

enum shw_result shw_bench_cpu_integrate(void *user)
{
    struct shw_bench_frame *frame = user;

    return run_cpu(frame, SHW_STAGE_INTEGRATE, &frame->labels);
}

enum shw_result shw_bench_cpu_evaluate(void *user)
{
    struct shw_bench_frame *frame = user;

    return run_cpu(frame, SHW_STAGE_EVALUATE, &frame->labels);
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

/* The setting's content, or random content: the forest, and the inputs that it reads. */
static enum shw_result make_content(struct shw_bench_frame *frame)
{
    const struct shw_bench_setting *setting = frame->setting;
    const struct shw_log *log = &frame->bench->log;

    frame->inputs[0].name = SHW_COLOUR;
    frame->all = (struct shw_inputs){1, frame->inputs};
    if (setting->trained != NULL) {
        frame->inputs[0].image = setting->trained->image;
        frame->forest = setting->trained->forest;
        return SHW_OK;
    }
    SHW_PROPAGATE(shw_bench_image(setting->width, setting->height, log, &frame->inputs[0].image));
    SHW_PROPAGATE(shw_bench_forest(&setting->forest, log, &frame->forest));
    if (shw_forest_get_input(frame->forest, 1) == NULL)
        return SHW_OK;
    frame->inputs[1].name = SHW_DEPTH;
    frame->all.count = 2;
    return shw_bench_depth(setting->width, setting->height, setting->forest.fill > SHW_FILL_NONE, log,
                           &frame->inputs[1].image);
}

enum shw_result shw_bench_frame_create(struct shw_bench_frame *frame)
{
    const struct shw_bench_setting *setting = frame->setting;
    const struct shw_log *log = &frame->bench->log;
    struct shw_pipeline_params params = {.outputs = setting->output, .pool = frame->bench->pool, .log = *log};

    SHW_PROPAGATE(make_content(frame));
    if (!allocate_labels(setting, &frame->labels) || !allocate_labels(setting, &frame->other))
        return shw_fail_memory(log, "the result of cpu");
    params.forest = frame->forest;
    params.fill = shw_forest_get_info(frame->forest)->fill;
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        params.techniques[s] = shw_registry_find((enum shw_stage)s, SHW_TECHNIQUE_CPU);
    shw_pipeline_begin(&params, &frame->cpu);
    SHW_PROPAGATE(shw_pipeline_host_planes(&frame->cpu, setting->width, setting->height));
    SHW_PROPAGATE(shw_bench_cpu_whole(frame));
    for (uint32_t i = 0; i < frame->all.count && frame->bench->device != NULL; i++)
        SHW_PROPAGATE(shw_bench_source_create(frame->bench, &frame->inputs[i], &frame->sources[i]));
    return SHW_OK;
}

void shw_bench_frame_destroy(struct shw_bench_frame *frame)
{
    for (uint32_t i = 0; i < SHW_BENCH_INPUTS_MAX; i++) {
        if (frame->bench->device != NULL)
            shw_bench_source_destroy(frame->bench, &frame->sources[i]);
        if (frame->setting->trained == NULL)
            free((void *)(uintptr_t)frame->inputs[i].image.pixels);
    }
    if (frame->setting->trained == NULL)
        shw_forest_destroy(&frame->forest);
    shw_pipeline_end(&frame->cpu);
    free_labels(&frame->labels);
    free_labels(&frame->other);
}

const void *shw_bench_frame_result(const struct shw_bench_frame *frame, enum shw_stage stage)
{
    uint32_t index = shw_pipeline_index(&frame->cpu, stage);

    return stage == SHW_STAGE_EVALUATE ? shw_bench_labels(frame->setting, &frame->labels)
                                       : frame->cpu.planes[index].host;
}

/* Where the caller's technique writes, and how many bytes. */
static void *custom_result(const struct shw_bench_frame *frame, size_t *size)
{
    enum shw_stage stage = frame->custom->stage;
    uint32_t index = shw_pipeline_index(&frame->cpu, stage);

    *size = stage == SHW_STAGE_EVALUATE ? shw_bench_label_bytes(frame->setting) : frame->cpu.planes[index].host_size;
    return stage == SHW_STAGE_EVALUATE ? (void *)(uintptr_t)shw_bench_labels(frame->setting, &frame->other)
                                       : frame->cpu.planes[index].host;
}

enum shw_result shw_bench_custom_stage(void *user)
{
    struct shw_bench_frame *frame = user;
    struct shw_pipeline_stage *stage = &frame->cpu.stages[shw_pipeline_index(&frame->cpu, frame->custom->stage)];
    const struct shw_stage_technique *ours = stage->technique;
    enum shw_result result;

    stage->technique = frame->custom;
    result = run_cpu(frame, frame->custom->stage, &frame->other);
    stage->technique = ours;
    return result;
}

void shw_bench_custom_spoil(struct shw_bench_frame *frame)
{
    size_t size;
    void *result = custom_result(frame, &size);

    memset(result, 0xa5, size);
}

enum shw_result shw_bench_custom_equals(struct shw_bench_frame *frame, bool *equal)
{
    enum shw_result result;
    size_t size;
    const void *made = custom_result(frame, &size);
    void *kept = malloc(size);

    if (kept == NULL)
        return shw_fail_memory(&frame->bench->log, "the result of a technique");
    memcpy(kept, made, size);
    SHW_TRY(run_cpu(frame, frame->custom->stage, &frame->labels));
    *equal = memcmp(kept, shw_bench_frame_result(frame, frame->custom->stage), size) == 0;

fail:
    free(kept);
    return result;
}
