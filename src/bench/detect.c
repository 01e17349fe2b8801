/* Detection: the measurements of Jurak 2015, Tables 6.2 to 6.4 and B.1, with a generated cascade of the size of his and
 * windows that survive about as in his Figure 5.5; and a given cascade. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/cascades.h"
#include "bench/content.h"
#include "bench/report.h"
#include "bench/resident.h"
#include "files/image/image_file.h"
#include "vulkan/commands.h"
#include "vulkan/memory.h"

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

/* A row: a technique in one of its variants. */
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
                                               .way = variant->variant,
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
