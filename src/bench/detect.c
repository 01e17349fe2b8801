#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/detect.h>

#include "base/log.h"
#include "bench/bench.h"
#include "bench/document.h"
#include "bench/resident.h"
#include "bench/setting.h"
#include "detection/detect/levels.h"
#include "files/image/image_file.h"
#include "shared/random.h"
#include "vulkan/commands.h"
#include "vulkan/memory.h"

/* After `stages` stages, `share` of the windows are left; in between the share falls with a power of the number of
 * stages. The first is {0, 1}. */
struct shw_bench_survival {
    uint32_t stages;
    double share;
};

struct shw_bench_cascade_params {
    uint32_t stages; /* with one tree each */
    uint32_t depth;  /* of complete trees */
    uint32_t window; /* width and height of windows */
    struct shw_cascade_planes planes;
    uint32_t levels_per_octave;
    const struct shw_bench_survival *curve; /* ends with that of all stages */
    uint32_t curve_count;
};

#define SEED                     15u
#define FRACTION_BITS            16u
#define LEAF_MAX                 (1u << 14)
#define THRESHOLD_MAX            1500u /* 2 % of the range of values */
#define MIPMAP_INDEX(p, l, x, y) ((size_t)((l)->y + (y)) * (p)->mipmap_width + (l)->x + (x))

struct window {
    size_t base; /* its first pixel in the mipmap image */
    int32_t score;
};

struct making {
    struct shw_bench *bench;
    const struct shw_bench_cascade_params *params;
    struct shw_cascade_info info;
    struct shw_cascade_stage *stages;
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
    uint64_t *survivors;
    uint32_t per_tree, draws;
    struct shw_detect_plan plan;
    struct shw_levels *levels;
    struct window *windows;
    int32_t *scores; /* of all windows, sorted */
};

static uint32_t below(struct making *making, uint32_t limit)
{
    return shw_random_below(shw_random(SEED, making->draws++, 0), limit);
}

static int32_t around_zero(struct making *making, uint32_t most)
{
    return (int32_t)below(making, 2 * most + 1) - (int32_t)most;
}

static void draw_tree(struct making *making, struct shw_cascade_node *nodes)
{
    uint32_t window = making->params->window, splits = making->per_tree / 2;

    for (uint32_t n = 0; n < making->per_tree; n++)
        if (n < splits)
            nodes[n] = (struct shw_cascade_node){.is_split = true,
                                                 .left = 2 * n + 1,
                                                 .x1 = (int16_t)below(making, window),
                                                 .y1 = (int16_t)below(making, window),
                                                 .x2 = (int16_t)below(making, window),
                                                 .y2 = (int16_t)below(making, window),
                                                 .threshold = around_zero(making, THRESHOLD_MAX)};
        else
            nodes[n] = (struct shw_cascade_node){.left = n, .value = around_zero(making, LEAF_MAX)};
}

static void draw_trees(struct making *making)
{
    for (uint32_t s = 0; s < making->params->stages; s++) {
        making->trees[s] = (struct shw_cascade_tree){s * making->per_tree, making->per_tree};
        making->stages[s] = (struct shw_cascade_stage){.first_tree = s, .tree_count = 1};
        draw_tree(making, &making->nodes[s * making->per_tree]);
    }
}

static enum shw_result create(struct making *making)
{
    const struct shw_bench_cascade_params *params = making->params;
    uint32_t stages = params->stages;

    making->per_tree = (2u << params->depth) - 1;
    making->stages = calloc(stages, sizeof *making->stages);
    making->trees = calloc(stages, sizeof *making->trees);
    making->nodes = calloc((size_t)stages * making->per_tree, sizeof *making->nodes);
    making->survivors = calloc(stages + 1u, sizeof *making->survivors);
    if (making->stages == NULL || making->trees == NULL || making->nodes == NULL || making->survivors == NULL)
        return shw_fail_memory(&making->bench->log, "a generated cascade");
    draw_trees(making);
    making->info = (struct shw_cascade_info){.kind = SHW_CASCADE_PIXELS,
                                             .name = "generated",
                                             .window_width = params->window,
                                             .window_height = params->window,
                                             .fraction_bits = FRACTION_BITS,
                                             .planes = params->planes,
                                             .levels_per_octave = params->levels_per_octave,
                                             .stage_count = stages,
                                             .tree_count = stages,
                                             .node_count = stages * making->per_tree,
                                             .stages = making->stages,
                                             .trees = making->trees,
                                             .nodes = making->nodes};
    return SHW_OK;
}

static enum shw_result list_windows(struct making *making)
{
    const struct shw_detect_plan *plan = &making->plan;
    size_t count = 0;

    making->windows = malloc((plan->window_count + 1) * sizeof *making->windows);
    making->scores = malloc((plan->window_count + 1) * sizeof *making->scores);
    if (making->windows == NULL || making->scores == NULL)
        return shw_fail_memory(&making->bench->log, "the windows of a generated cascade");
    for (uint32_t l = 0; l < plan->level_count; l++) {
        const struct shw_detect_level *level = &plan->levels[l];
        for (uint32_t r = 0; r < level->rows; r++)
            for (uint32_t c = 0; c < level->columns; c++) {
                uint32_t x = (uint32_t)plan->positions[level->first_column + c].at;
                uint32_t y = (uint32_t)plan->positions[level->first_row + r].at;
                making->windows[count++] = (struct window){.base = MIPMAP_INDEX(plan, level, x, y)};
            }
    }
    making->survivors[0] = count;
    return SHW_OK;
}

static enum shw_result make_levels(struct making *making, const struct shw_image *image)
{
    struct shw_scan scan = {0};
    struct shw_cascade *cascade = NULL;
    uint8_t *grey = malloc((size_t)image->width * image->height);
    enum shw_result result = SHW_OK;

    if (grey == NULL)
        return shw_fail_memory(&making->bench->log, "the windows of a generated cascade");
    SHW_TRY(shw_cascade_create(&making->info, &making->bench->log, &cascade));
    SHW_TRY(shw_scan_resolve(cascade, &making->bench->log, &scan));
    SHW_TRY(shw_detect_plan_make(cascade, &scan, image->width, image->height, &making->bench->log, &making->plan));
    SHW_TRY(shw_levels_create(&making->params->planes, &making->plan, &making->bench->log, &making->levels));
    shw_grey_make(image, grey, making->bench->pool);
    shw_levels_make(making->levels, grey, making->bench->pool);
    result = list_windows(making);

fail:
    shw_cascade_destroy(&cascade);
    free(grey);
    return result;
}

static int32_t respond(const struct making *making, const uint16_t *window, const struct shw_cascade_node *node)
{
    size_t stride = making->plan.mipmap_width;

    return (int32_t)window[(size_t)node->y1 * stride + (size_t)node->x1] -
           (int32_t)window[(size_t)node->y2 * stride + (size_t)node->x2];
}

static int32_t evaluate(const struct making *making, uint32_t tree, const uint16_t *window)
{
    const struct shw_cascade_node *nodes = &making->nodes[tree * making->per_tree];
    uint32_t n = 0;

    while (nodes[n].is_split)
        n = nodes[n].left + (respond(making, window, &nodes[n]) > nodes[n].threshold);
    return nodes[n].value;
}

static double share_after(const struct making *making, uint32_t stages)
{
    const struct shw_bench_survival *curve = making->params->curve;
    uint32_t i = 1;
    double part;

    while (i + 1 < making->params->curve_count && curve[i].stages < stages)
        i++;
    part =
        log((1.0 + stages) / (1.0 + curve[i - 1].stages)) / log((1.0 + curve[i].stages) / (1.0 + curve[i - 1].stages));
    return curve[i - 1].share * pow(curve[i].share / curve[i - 1].share, part);
}

static int by_falling_score(const void *a, const void *b)
{
    int32_t one = *(const int32_t *)a, two = *(const int32_t *)b;

    return (one < two) - (one > two);
}

/* Evaluates a stage for the windows that are left, and sets its threshold so that as many survive as the curve says, or
 * a few more of equal score. Returns how many do. */
static size_t cut(struct making *making, uint32_t stage, size_t count)
{
    const uint16_t *values = shw_levels_get(making->levels);
    size_t kept = 0, wanted = (size_t)(share_after(making, stage + 1) * (double)making->survivors[0] + 0.5);

    wanted = wanted < 1 ? 1 : wanted > count ? count : wanted;
    for (size_t w = 0; w < count; w++) {
        making->windows[w].score += evaluate(making, stage, values + making->windows[w].base);
        making->scores[w] = making->windows[w].score;
    }
    qsort(making->scores, count, sizeof *making->scores, by_falling_score);
    making->stages[stage].threshold = making->scores[wanted - 1];
    for (size_t w = 0; w < count; w++)
        if (making->windows[w].score >= making->stages[stage].threshold)
            making->windows[kept++] = making->windows[w];
    return kept;
}

static void destroy(struct making *making)
{
    shw_levels_destroy(&making->levels);
    shw_detect_plan_free(&making->plan);
    free(making->stages);
    free(making->trees);
    free(making->nodes);
    free(making->survivors);
    free(making->windows);
    free(making->scores);
}

/* A cascade of the kind pixels whose windows, on all levels of the image, survive as the curve says; the record of
 * survivors is set. Errors: MEMORY, LIMIT, ARGUMENT. */
static enum shw_result shw_bench_cascade(struct shw_bench *bench, const struct shw_bench_cascade_params *params,
                                         const struct shw_image *image, struct shw_cascade **cascade)
{
    struct making making = {.bench = bench, .params = params};
    enum shw_result result;
    size_t count;

    SHW_TRY(create(&making));
    SHW_TRY(make_levels(&making, image));
    count = making.survivors[0];
    for (uint32_t s = 0; s < params->stages && count > 0; s++) {
        count = cut(&making, s, count);
        making.survivors[s + 1] = count;
    }
    making.info.survivors = making.survivors;
    result = shw_cascade_create(&making.info, &bench->log, cascade);

fail:
    destroy(&making);
    return result;
}

#define CAPACITY 65536u

/* His detector: 2048 stages of a tree with three tests, windows of 20 x 20 pixels. Figure 5.5 has no numbers; the text
 * says that less than 20 % are left within the first few stages, and that regrouping after 11, 154 and 600 is best. */
static const struct shw_bench_survival survival[] = {{0, 1}, {11, 0.15}, {154, 0.015}, {600, 0.003}, {2048, 0.0005}};

static const struct shw_bench_cascade_params jurak = {.stages = 2048,
                                                      .depth = 2,
                                                      .window = 20,
                                                      .planes = {.shrink = 4, .blur_before = true, .blur_after = true},
                                                      .levels_per_octave = 4,
                                                      .curve = survival,
                                                      .curve_count = sizeof survival / sizeof *survival};

static const uint32_t regroup[] = {11, 154, 600};

static const struct size {
    uint32_t width, height;
} sizes[] = {{1280, 720}, {1920, 1080}, {3840, 2160}}, small_sizes[] = {{320, 180}};

/* A row: one variant of a technique. */
struct variant {
    const char *name, *title;
    enum shw_technique technique;
    enum shw_detect_variant variant;
    uint32_t regroup_count; /* of the stages above; 0: chosen by the detector */
    uint32_t published;     /* index below, plus one; 0: nothing */
};

static const struct variant variants[] = {
    {"cpu", "detection", SHW_TECHNIQUE_CPU, SHW_DETECT_BEST, 0, 0},
    {"global", "trees in global memory", SHW_TECHNIQUE_COMPUTE, SHW_DETECT_GLOBAL, 0, 1},
    {"shared", "trees in shared memory", SHW_TECHNIQUE_COMPUTE, SHW_DETECT_SHARED, 0, 2},
    {"mipmap", "all levels in one image", SHW_TECHNIQUE_COMPUTE, SHW_DETECT_MIPMAP, 0, 3},
    {"regroup", "survivors regrouped after 11, 154 and 600 stages", SHW_TECHNIQUE_COMPUTE, SHW_DETECT_REGROUP, 3, 4},
    {"compute", "the fastest variant", SHW_TECHNIQUE_COMPUTE, SHW_DETECT_BEST, 0, 4},
    {"fragment", "detection", SHW_TECHNIQUE_FRAGMENT, SHW_DETECT_BEST, 0, 0}};

#define JURAK(table, titan, gtx780, radeon)                                                                            \
    {                                                                                                                  \
        {"Jurak", "GeForce GTX Titan X", table, titan}, {"Jurak", "GeForce GTX 780 Ti", table, gtx780},                \
            {"Jurak", "Radeon HD 7970 GHz", table, radeon},                                                            \
    }

/* For 1920 x 1080, without the preparation of levels, which took 1.9 ms on the GTX 780 Ti (Table B.2). */
static const struct shw_bench_published published[4][3] = {JURAK("Table 6.2, without preparation", 44.7, 44.5, 49.0),
                                                           JURAK("Table 6.2, without preparation", 18.8, 27.2, 47.5),
                                                           JURAK("Table 6.3, without preparation", 4.93, 10.69, 14.27),
                                                           JURAK("Table 6.4, without preparation", 2.68, 4.73, 6.48)};

struct detection {
    struct shw_bench *bench;
    const char *what; /* in ids: "generated", or the given cascade's name */
    struct shw_image image;
    struct shw_cascade *cascade;
    struct shw_bench_source source;
    struct shw_buffer target;
    struct shw_detector *detector;
    struct shw_detections expected, found; /* by cpu, and by the row's technique */
    uint64_t windows;
    struct shw_bench_times times;
};

static enum shw_result make_detector(struct detection *detection, const struct variant *variant)
{
    const struct shw_detector_params params = {.cascade = detection->cascade,
                                               .device = detection->bench->device,
                                               .technique = variant->technique,
                                               .variant = variant->variant,
                                               .regroup = variant->regroup_count > 0 ? regroup : NULL,
                                               .regroup_count = variant->regroup_count,
                                               .width = detection->image.width,
                                               .height = detection->image.height,
                                               .log = detection->bench->log};

    SHW_PROPAGATE(shw_detector_create(&params, &detection->detector));
    detection->windows =
        shw_detector_count_windows(detection->detector, detection->image.width, detection->image.height);
    return SHW_OK;
}

static void record(void *user, VkCommandBuffer commands)
{
    const struct detection *detection = user;
    const VkPipelineStageFlags anywhere = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const struct shw_image_use image = {
        .image = detection->source.image.handle,
        .view = detection->source.view,
        .format = detection->source.image.format,
        .extent = {detection->image.width, detection->image.height},
        .before = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, anywhere, VK_ACCESS_SHADER_READ_BIT},
        .after = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, anywhere, VK_ACCESS_SHADER_READ_BIT}};
    const struct shw_detect_target target = {.buffer = detection->target.handle,
                                             .capacity = CAPACITY,
                                             .before_stage = anywhere,
                                             .before_access = VK_ACCESS_SHADER_WRITE_BIT,
                                             .after_stage = anywhere,
                                             .after_access = VK_ACCESS_SHADER_WRITE_BIT};

    shw_detector_record(detection->detector, commands, 0, &image, &target);
}

static enum shw_result run(void *user)
{
    struct detection *detection = user;

    free(detection->found.items);
    detection->found = (struct shw_detections){0};
    return shw_detector_run(detection->detector, &detection->image, &detection->found);
}

static bool is_equal(const struct shw_detections *a, const struct shw_detections *b)
{
    return a->count == b->count && (a->count == 0 || memcmp(a->items, b->items, a->count * sizeof *a->items) == 0);
}

static enum shw_result add(struct detection *detection, const struct variant *variant, const char *skipped, int equals)
{
    char id[128];
    bool has_published = variant->published > 0 && detection->image.width == 1920 && detection->image.height == 1080 &&
                         strcmp(detection->what, "generated") == 0;
    const struct shw_bench_row row = {
        .suite = "detect",
        .stage = "scan",
        .technique = variant->name,
        .title = variant->title,
        .id = id,
        .setting = json_pack(
            "{s:s, s:i, s:i, s:I, s:i, s:i}", "cascade", detection->what, "width", (int)detection->image.width,
            "height", (int)detection->image.height, "windows", (json_int_t)detection->windows, "stages",
            (int)shw_cascade_get_info(detection->cascade)->stage_count, "found", (int)detection->expected.count),
        .times = skipped == NULL ? &detection->times : NULL,
        .skipped = skipped,
        .unit = "images",
        .work = (double)detection->windows,
        .work_unit = "windows",
        .equals_cpu = equals,
        .published = has_published ? published[variant->published - 1] : NULL,
        .published_count = has_published ? 3 : 0};

    snprintf(id, sizeof id, "detect/%s/%ux%u/%s", detection->what, detection->image.width, detection->image.height,
             variant->name);
    return shw_bench_add(detection->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

static enum shw_result time_variant(struct detection *detection, const struct variant *variant)
{
    bool is_host = shw_technique_is_host(variant->technique);
    const struct shw_bench_work work = {
        .record = is_host ? NULL : record, .run = is_host ? run : NULL, .user = detection};
    enum shw_result result;

    shw_bench_say(detection->bench, "detect/%s/%ux%u/%s", detection->what, detection->image.width,
                  detection->image.height, variant->name);
    SHW_TRY(make_detector(detection, variant));
    SHW_TRY(run(detection));
    SHW_TRY(shw_bench_time(detection->bench, &work, &detection->times));
    SHW_TRY(add(detection, variant, NULL, is_equal(&detection->expected, &detection->found)));

fail:
    shw_detector_destroy(&detection->detector);
    return shw_bench_is_skip(result) ? add(detection, variant, detection->bench->message, -1) : result;
}

/* What all others are compared with. */
static enum shw_result expect(struct detection *detection)
{
    enum shw_result result;

    SHW_TRY(make_detector(detection, &variants[0]));
    SHW_TRY(run(detection));
    detection->expected = detection->found;
    detection->found = (struct shw_detections){0};

fail:
    shw_detector_destroy(&detection->detector);
    return result;
}

static enum shw_result put_on_device(struct detection *detection)
{
    const struct shw_input input = {.image = detection->image};

    SHW_PROPAGATE(shw_bench_source_create(detection->bench, &input, &detection->source));
    return shw_buffer_create(detection->bench->device, 16 + (VkDeviceSize)CAPACITY * sizeof(struct shw_detection),
                             VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_DEVICE,
                             "detections", &detection->target);
}

/* Times all techniques with the cascade and the image that are set; destroys the cascade. */
static enum shw_result time_cascade(struct detection *detection)
{
    struct shw_bench *bench = detection->bench;
    enum shw_result result;

    SHW_TRY(expect(detection));
    if (bench->device != NULL)
        SHW_TRY(put_on_device(detection));
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
        if (shw_bench_wants(bench, variants[v].technique))
            SHW_TRY(time_variant(detection, &variants[v]));

fail:
    if (bench->device != NULL) {
        shw_bench_source_destroy(bench, &detection->source);
        shw_buffer_destroy(bench->device, &detection->target);
    }
    free(detection->expected.items);
    free(detection->found.items);
    detection->expected = detection->found = (struct shw_detections){0};
    shw_cascade_destroy(&detection->cascade);
    return result;
}

static enum shw_result time_generated(struct detection *detection)
{
    detection->what = "generated";
    SHW_PROPAGATE(shw_bench_cascade(detection->bench, &jurak, &detection->image, &detection->cascade));
    return time_cascade(detection);
}

static enum shw_result time_given(struct detection *detection)
{
    struct shw_bench *bench = detection->bench;

    if (bench->options.cascade == NULL)
        return SHW_OK;
    SHW_PROPAGATE(shw_cascade_load(bench->options.cascade, &bench->log, &detection->cascade));
    detection->what = shw_cascade_get_info(detection->cascade)->name;
    return time_cascade(detection);
}

static void free_image(struct shw_image *image)
{
    free((void *)(uintptr_t)image->pixels);
    *image = (struct shw_image){0};
}

static enum shw_result time_size(struct detection *detection, uint32_t width, uint32_t height)
{
    enum shw_result result;

    SHW_TRY(shw_bench_image(width, height, &detection->bench->log, &detection->image));
    SHW_TRY(time_generated(detection));
    SHW_TRY(time_given(detection));

fail:
    free_image(&detection->image);
    return result;
}

static enum shw_result time_photograph(struct detection *detection, const char *path)
{
    struct shw_image_file file;
    enum shw_result result;

    SHW_PROPAGATE(shw_image_file_read(path, NULL, &detection->bench->log, &file));
    detection->image = file.image;
    SHW_TRY(time_generated(detection));
    SHW_TRY(time_given(detection));

fail:
    free_image(&detection->image);
    return result;
}

enum shw_result shw_bench_detect(struct shw_bench *bench)
{
    struct detection *detection = calloc(1, sizeof *detection);
    bool is_small = shw_bench_is_small(bench);
    const struct size *used = is_small ? small_sizes : sizes;
    size_t count = is_small ? sizeof small_sizes / sizeof *small_sizes : sizeof sizes / sizeof *sizes;
    enum shw_result result = SHW_OK;

    if (detection == NULL)
        return shw_fail_memory(&bench->log, "a suite of the bench");
    detection->bench = bench;
    if (bench->options.image != NULL)
        result = time_photograph(detection, bench->options.image);
    else if (bench->options.width > 0)
        result = time_size(detection, bench->options.width, bench->options.height);
    else
        for (size_t s = 0; s < count && result == SHW_OK; s++)
            result = time_size(detection, used[s].width, used[s].height);
    free(detection);
    return result;
}
