/* What a calibration measures the stages with: timing, data, and the stages on the CPU and on the device. */
#include "dense/calibration/calibrate.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>

#include "base/log.h"
#include "dense/pipeline/choice.h"
#include "dense/pipeline/registry.h"
#include "shared/random.h"
#include "vulkan/commands.h"

#define RUNS         4
#define RUNS_MS      16.0 /* a job is not repeated after this time */
#define LARGE_MAX_MS 40.0 /* the large frame is skipped if it would take longer */

struct job {
    enum shw_result (*ready)(void *user); /* or NULL: preparation that is not measured */
    enum shw_result (*run)(void *user);
    void *user;
    uint32_t *frame;
    double units[SHW_CALIBRATE_SIZES];
    double before; /* milliseconds */
    bool large;    /* the large frame in any case */
};

bool shw_calibrate_goes_on(const struct shw_calibrator *calibrator, enum shw_technique technique)
{
    bool usual = technique == SHW_TECHNIQUE_CPU || (technique == SHW_TECHNIQUE_COMPUTE && !calibrator->is_cpu);

    return usual || shw_clock() + calibrator->longest < calibrator->end;
}

void shw_calibrate_step(struct shw_calibrator *calibrator, double begin)
{
    double seconds = shw_clock() - begin;

    calibrator->longest = seconds > calibrator->longest ? seconds : calibrator->longest;
}

bool shw_calibrate_is_missing(enum shw_result result)
{
    return result == SHW_ERROR_UNSUPPORTED || result == SHW_ERROR_LIMIT;
}

enum shw_result shw_calibrate_time(enum shw_result (*job)(void *user), void *user, double *ms)
{
    double begin = shw_clock(), last = begin;

    for (int i = 0; i < RUNS && (i == 0 || 1e3 * (last - begin) < RUNS_MS); i++) {
        double now;
        SHW_PROPAGATE(job(user));
        now = shw_clock();
        if (i == 0 || 1e3 * (now - last) < *ms)
            *ms = 1e3 * (now - last);
        last = now;
    }
    return SHW_OK;
}

/* Measures a job with the small frame, and with the large one if that is expected to be quick; `before` is the overhead
 * of every run. Sets *frame, from which the job reads the number of the frame. Errors: the job's. */
static enum shw_result measure_cost(const struct job *job, struct shw_cost *cost)
{
    double small, large, rate;

    *job->frame = 0;
    if (job->ready != NULL)
        SHW_PROPAGATE(job->ready(job->user));
    SHW_PROPAGATE(shw_calibrate_time(job->run, job->user, &small));
    small = small > job->before ? small - job->before : 0;
    rate = small / job->units[0];
    if (job->large || rate * job->units[1] < LARGE_MAX_MS) {
        *job->frame = 1;
        if (job->ready != NULL)
            SHW_PROPAGATE(job->ready(job->user));
        SHW_PROPAGATE(shw_calibrate_time(job->run, job->user, &large));
        large = large > job->before ? large - job->before : 0;
        rate = large > small ? (large - small) / (job->units[1] - job->units[0]) : large / job->units[1];
    }
    *cost = (struct shw_cost){.measured = true, .unit_ns = 1e6 * rate};
    cost->fixed_ms = small > rate * job->units[0] ? small - rate * job->units[0] : 0;
    return SHW_OK;
}

/* The data of a calibration. */

#define TREES    4u
#define DEPTH    8u
#define OFFSET   40u
#define SIDE     31u
#define CHANNELS 16u
#define PATCH    24u

#define WIDTH  512u
#define HEIGHT 384u

/* Smaller on a device that is a CPU. */
static const uint32_t sizes[2][SHW_CALIBRATE_SIZES][2] = {{{128, 96}, {WIDTH, HEIGHT}}, {{128, 96}, {256, 192}}};

/* Random number `draw` of object `number`: 0..bound-1. */
static uint32_t draw(uint32_t number, uint32_t draw, uint32_t bound)
{
    return shw_random_below(shw_random(0x5eedu, number, draw), bound);
}

static void random_rectangle(uint32_t number, struct shw_rectangle *rectangle)
{
    uint32_t width = 1 + draw(number, 0, SIDE), height = 1 + draw(number, 1, SIDE);

    rectangle->x0 = (int16_t)((int32_t)draw(number, 2, 2 * OFFSET + 2 - width) - (int32_t)OFFSET);
    rectangle->y0 = (int16_t)((int32_t)draw(number, 3, 2 * OFFSET + 2 - height) - (int32_t)OFFSET);
    rectangle->x1 = (int16_t)(rectangle->x0 + (int32_t)width);
    rectangle->y1 = (int16_t)(rectangle->y0 + (int32_t)height);
}

/* A complete tree: its nodes in breadth-first order are a heap. */
static void fill_tree(uint32_t tree, struct shw_node *nodes, uint16_t *distributions)
{
    uint32_t splits = (1u << DEPTH) - 1;

    for (uint32_t n = 0; n < 2 * splits + 1; n++) {
        uint32_t number = (tree << 16 | n) * 4;
        struct shw_rectangle_difference difference = {0};
        if (n >= splits) {
            nodes[n] = (struct shw_node){.left = n, .leaf = n - splits};
            continue;
        }
        nodes[n] = (struct shw_node){.is_split = true, .left = 2 * n + 1, .t1 = INT32_MAX};
        for (uint32_t r = 0; r < 2; r++) {
            random_rectangle(number + r, &difference.rectangle[r]);
            difference.channel[r] = (uint16_t)draw(number + 2, r, CHANNELS);
        }
        nodes[n].feature = shw_rectangle_difference_pack(&difference);
        nodes[n].t0 = (int32_t)draw(number + 3, 0, 64) - 32;
    }
    for (uint32_t leaf = 0; leaf < splits + 1; leaf++) {
        uint16_t *distribution = distributions + leaf * SHW_CALIBRATE_CLASSES;
        uint32_t left = UINT16_MAX;
        for (uint32_t c = 0; c < SHW_CALIBRATE_CLASSES; c++) {
            uint32_t share = c + 1 < SHW_CALIBRATE_CLASSES ? draw(tree << 16 | leaf, 4 + c, left + 1) : left;
            distribution[c] = (uint16_t)share;
            left -= share;
        }
    }
}

static enum shw_result make_forest(struct shw_calibrator *calibrator)
{
    uint32_t splits = (1u << DEPTH) - 1;
    struct shw_node *nodes = calloc((size_t)TREES * (2 * splits + 1), sizeof *nodes);
    uint16_t *distributions = calloc((size_t)TREES * (splits + 1) * SHW_CALIBRATE_CLASSES, sizeof *distributions);
    struct shw_tree trees[TREES];
    struct shw_forest_params params = {
        .info = {.channels = SHW_CHANNELS_WINN16, .class_count = SHW_CALIBRATE_CLASSES, .tree_count = TREES},
        .trees = trees,
        .log = calibrator->log};
    enum shw_result result;

    if (nodes == NULL || distributions == NULL) {
        result = shw_fail_memory(&calibrator->log, "a calibration");
        goto fail;
    }
    for (uint32_t t = 0; t < TREES; t++) {
        trees[t] = (struct shw_tree){.nodes = nodes + t * (2 * splits + 1),
                                     .node_count = 2 * splits + 1,
                                     .distributions = distributions + t * (splits + 1) * SHW_CALIBRATE_CLASSES};
        fill_tree(t, nodes + t * (2 * splits + 1), distributions + t * (splits + 1) * SHW_CALIBRATE_CLASSES);
    }
    result = shw_forest_create(&params, &calibrator->forest);

fail:
    free(nodes);
    free(distributions);
    return result;
}

/* Patches with noise; the colour of a patch is its class. */
static void fill_image(struct shw_calibrator *calibrator)
{
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            uint32_t class = draw(x / PATCH, y / PATCH, SHW_CALIBRATE_CLASSES), noise = shw_random(0xda7au, x, y);
            uint8_t *pixel = calibrator->pixels + 3 * ((size_t)y * WIDTH + x);
            for (uint32_t c = 0; c < 3; c++)
                pixel[c] = (uint8_t)(draw(class, 100 + c, 224) + (noise >> 8 * c & 31));
            calibrator->labels[(size_t)y * WIDTH + x] = (uint16_t) class;
        }
}

static struct shw_pipeline_params pipeline_of(const struct shw_calibrator *calibrator,
                                              const struct shw_calibrate_frame *frame, enum shw_technique technique)
{
    struct shw_pipeline_params params = {.device = calibrator->device,
                                         .forest = calibrator->forest,
                                         .outputs = frame->work.outputs,
                                         .keeps_planes = true,
                                         .pool = calibrator->pool,
                                         .keeps_integrals = true,
                                         .log = calibrator->log};

    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        params.techniques[s] = shw_registry_find((enum shw_stage)s, technique);
    return params;
}

enum shw_result shw_calibrate_make_work(struct shw_calibrator *calibrator)
{
    struct shw_pipeline_params params;

    calibrator->pixels = malloc((size_t)3 * WIDTH * HEIGHT);
    calibrator->labels = malloc((size_t)WIDTH * HEIGHT * sizeof *calibrator->labels);
    if (calibrator->pixels == NULL || calibrator->labels == NULL)
        return shw_fail_memory(&calibrator->log, "a calibration");
    SHW_PROPAGATE(make_forest(calibrator));
    fill_image(calibrator);
    for (uint32_t s = 0; s < SHW_CALIBRATE_SIZES; s++) {
        struct shw_calibrate_frame *frame = &calibrator->frames[s];
        uint32_t width = sizes[calibrator->is_cpu][s][0], height = sizes[calibrator->is_cpu][s][1];
        frame->work = shw_calibration_work_of(calibrator->forest, SHW_OUTPUT_ARGMAX);
        frame->work.width = width;
        frame->work.height = height;
        frame->image = (struct shw_image){.pixels = calibrator->pixels,
                                          .width = width,
                                          .height = height,
                                          .stride = (size_t)3 * WIDTH,
                                          .format = SHW_PIXEL_RGB8};
        params = pipeline_of(calibrator, frame, SHW_TECHNIQUE_CPU);
        shw_pipeline_begin(&params, &frame->cpu);
        SHW_PROPAGATE(shw_pipeline_host_planes(&frame->cpu, width, height));
    }
    return SHW_OK;
}

void shw_calibrate_free_work(struct shw_calibrator *calibrator)
{
    for (uint32_t s = 0; s < SHW_CALIBRATE_SIZES; s++)
        shw_pipeline_end(&calibrator->frames[s].cpu);
    shw_forest_destroy(&calibrator->forest);
    free(calibrator->pixels);
    free(calibrator->labels);
}

/* The stages on the CPU. */

struct cpu {
    struct shw_calibrator *calibrator;
    uint32_t frame, stage;
    uint16_t *argmax;
};

static enum shw_result run_stage(void *user)
{
    const struct cpu *cpu = user;
    struct shw_calibrate_frame *frame = &cpu->calibrator->frames[cpu->frame];
    const struct shw_tile tile = shw_tile_whole(frame->image.width, frame->image.height);
    const struct shw_labelling out = {.argmax = cpu->argmax};
    const struct shw_input colour = {.image = frame->image};
    const struct shw_chosen_inputs inputs = {{&colour}};

    return shw_pipeline_run_host(&frame->cpu, cpu->stage, &tile, &inputs, &out);
}

enum shw_result shw_calibrate_cpu(struct shw_calibrator *calibrator)
{
    const struct shw_pipeline *pipeline = &calibrator->frames[0].cpu;
    const struct shw_image *largest = &calibrator->frames[SHW_CALIBRATE_SIZES - 1].image;
    struct cpu cpu = {.calibrator = calibrator,
                      .argmax = malloc((size_t)largest->width * largest->height * sizeof(uint16_t))};
    double begin = shw_clock();
    enum shw_result result = cpu.argmax != NULL ? SHW_OK : shw_fail_memory(&calibrator->log, "a calibration");

    for (; cpu.stage < pipeline->stage_count && result == SHW_OK; cpu.stage++) {
        enum shw_stage stage = pipeline->stages[cpu.stage].stage;
        struct job job = {.run = run_stage, .user = &cpu, .frame = &cpu.frame, .large = true};
        for (uint32_t i = 0; i < SHW_CALIBRATE_SIZES; i++)
            job.units[i] = shw_calibration_units(&calibrator->frames[i].work, stage);
        result = measure_cost(&job, &calibrator->result->stages[stage][SHW_TECHNIQUE_CPU]);
    }
    free(cpu.argmax);
    shw_calibrate_step(calibrator, begin);
    return result;
}

/* Times of the stages on a device, and of transfers. */

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
    const struct shw_pipeline_params params = pipeline_of(part->calibrator, largest, technique);

    shw_pipeline_begin(&params, &part->pipeline);
    return shw_pipeline_prepare(&part->pipeline, NULL, largest->image.width, largest->image.height, SHW_PIPELINE_ALONE);
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

    shw_pipeline_upload_sources(&part->pipeline, commands, &(struct shw_chosen_inputs){{&colour}}, &tile.region,
                                SHW_PIPELINE_ALONE);
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
    struct job job = {
        .ready = run_inputs, .run = run, .user = part, .frame = &part->frame, .before = submission_ms(part)};
    double begin = shw_clock();

    for (uint32_t i = 0; i < SHW_CALIBRATE_SIZES; i++)
        job.units[i] = shw_calibration_units(&part->calibrator->frames[i].work, stage);
    part->frame = 0;
    part->record = record_stage;
    SHW_PROPAGATE(run_inputs(part));
    SHW_PROPAGATE(run(part)); /* also uploads the forest and triggers deferred compilation by the driver */
    SHW_PROPAGATE(measure_cost(&job, &part->calibrator->result->stages[stage][technique]));
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
        struct job job = {.run = run, .user = part, .frame = &part->frame, .before = submission_ms(part)};
        part->record = records[h];
        for (uint32_t i = 0; i < SHW_CALIBRATE_SIZES; i++) {
            const struct shw_calibration_work *work = &part->calibrator->frames[i].work;
            job.units[i] = h == SHW_HAND_OVER_SOURCE ? (double)work->width * work->height
                                                     : shw_calibration_bytes(work, SHW_STAGE_INTEGRATE);
        }
        SHW_TRY(measure_cost(&job, &costs[h]));
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
