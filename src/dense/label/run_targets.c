/* Labels an image in memory in the formats of targets: the results that they are made from are labelled in bands of
 * rows, and converted. */
#include <stdlib.h>

#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/label/labeller.h"

enum { RESULTS = 4, RESULT_ALIGNMENT = 64 };

struct run_targets {
    struct shw_labeller *labeller;
    const struct shw_inputs *inputs;
    const struct shw_image *image; /* the colour image */
    const struct shw_memory_targets *given;
    struct shw_part part;
    uint32_t count;
    struct shw_target_memory targets[SHW_TARGETS]; /* those that are wanted, without results */
    struct shw_labelling results;                  /* of a band */
};

static const struct shw_memory_use *use_of(const struct shw_memory_targets *targets, uint32_t target)
{
    const struct shw_memory_use *of[SHW_TARGETS] = {&targets->tree_leaf,     &targets->forest_leaves,
                                                    &targets->distribution,  &targets->argmax,
                                                    &targets->probabilities, &targets->overlay};

    return of[target];
}

/* Strides are such that nothing that is calculated from them overflows. */
static enum shw_result check_strides(const struct run_targets *run, const struct shw_target_memory *memory)
{
    const struct shw_log *log = &run->labeller->params.log;
    const char *name = shw_target_get(memory->target)->name;
    const uint32_t element = memory->storing->format.bytes;
    const uint32_t layers = shw_target_layers(memory->target, memory->info);
    const uint64_t row = (uint64_t)memory->width * element;

    if (memory->row_stride < row || memory->plane_stride / memory->height < row ||
        memory->plane_stride - row < (memory->height - 1) * memory->row_stride)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: the strides are too small for %u x %u elements of %u bytes", name, memory->width,
                        memory->height, element);
    if (memory->plane_stride > PTRDIFF_MAX / layers)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: %u planes that are %zu bytes apart exceed all memory", name, layers, memory->plane_stride);
    return SHW_OK;
}

static enum shw_result take_target(struct run_targets *run, uint32_t target)
{
    const struct shw_memory_use *use = use_of(run->given, target);
    const struct shw_labeller *labeller = run->labeller;
    const struct shw_log *log = &labeller->params.log;
    const VkFormat format = use->format != VK_FORMAT_UNDEFINED ? use->format : shw_target_get(target)->format;
    struct shw_target_memory *memory = &run->targets[run->count];

    SHW_PROPAGATE(shw_target_check_output(target, labeller->params.outputs, log));
    SHW_PROPAGATE(shw_target_check_format(target, format, log));
    SHW_PROPAGATE(shw_target_check_forest(target, format, labeller->params.forest, log));
    *memory = (struct shw_target_memory){
        .target = target,
        .storing = shw_target_storing_of(target, format),
        .info = labeller->pipeline.info,
        .width = run->part.width,
        .height = run->part.height,
        .texels = use->elements,
        .row_stride = use->row_stride,
        .plane_stride = use->plane_stride,
        .style = {run->given->opacity, run->given->by_probability, run->given->paints},
        .image = run->image,
        .part = run->part,
    };
    if (memory->row_stride == 0)
        memory->row_stride = (size_t)memory->width * memory->storing->format.bytes;
    if (memory->row_stride > PTRDIFF_MAX / memory->height)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: %u rows that are %zu bytes apart exceed all memory", shw_target_get(target)->name,
                        memory->height, memory->row_stride);
    if (memory->plane_stride == 0 || shw_target_layers(target, memory->info) == 1)
        memory->plane_stride = memory->row_stride * memory->height;
    run->count++;
    return check_strides(run, memory);
}

/* What a target or an input has of the caller's memory: rows of `bytes` bytes. */
struct area {
    const char *name;
    uintptr_t first;
    size_t bytes, row_stride, plane_stride;
    uint32_t rows, planes;
};

static struct area area_of_target(const struct shw_target_memory *memory)
{
    return (struct area){shw_target_get(memory->target)->name,
                         (uintptr_t)memory->texels,
                         (size_t)memory->width * memory->storing->format.bytes,
                         memory->row_stride,
                         memory->plane_stride,
                         memory->height,
                         shw_target_layers(memory->target, memory->info)};
}

static struct area area_of_input(const char *name, const struct shw_image *image)
{
    return (struct area){name,
                         (uintptr_t)image->pixels,
                         image->width * shw_pixel_size(image->format),
                         shw_image_stride(image),
                         0,
                         image->height,
                         1};
}

/* The first byte behind it. */
static uintptr_t end_of(const struct area *area)
{
    return area->first + (area->planes - 1) * area->plane_stride + (area->rows - 1) * area->row_stride + area->bytes;
}

static bool are_apart(const struct area *one, const struct area *other)
{
    return one->first >= end_of(other) || other->first >= end_of(one);
}

static struct area plane_of(const struct area *area, uint32_t plane)
{
    struct area alone = *area;

    alone.first += plane * area->plane_stride;
    alone.planes = 1;
    return alone;
}

/* Of single planes, which may lie side by side. */
static bool planes_share_bytes(const struct area *one, const struct area *other)
{
    for (uint32_t r = 0; r < one->rows && !are_apart(one, other); r++) {
        const uintptr_t row = one->first + r * one->row_stride;
        /* the first row of the other that ends behind the beginning of this one */
        const uintptr_t next =
            row < other->first + other->bytes ? 0 : (row - other->first - other->bytes) / other->row_stride + 1;
        if (next < other->rows && other->first + next * other->row_stride < row + one->bytes)
            return true;
    }
    return false;
}

static bool share_bytes(const struct area *one, const struct area *other)
{
    for (uint32_t p = 0; p < one->planes && !are_apart(one, other); p++)
        for (uint32_t q = 0; q < other->planes; q++) {
            const struct area plane = plane_of(one, p), other_plane = plane_of(other, q);
            if (planes_share_bytes(&plane, &other_plane))
                return true;
        }
    return false;
}

static enum shw_result check_apart(const struct shw_labeller *labeller, const struct area *one,
                                   const struct area *other)
{
    if (!share_bytes(one, other))
        return SHW_OK;
    return shw_fail(&labeller->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s and %s share bytes", one->name,
                    other->name);
}

static enum shw_result check_targets_apart(const struct run_targets *run)
{
    for (uint32_t a = 0; a < run->count; a++)
        for (uint32_t b = a + 1; b < run->count; b++) {
            const struct area one = area_of_target(&run->targets[a]), other = area_of_target(&run->targets[b]);
            SHW_PROPAGATE(check_apart(run->labeller, &one, &other));
        }
    return SHW_OK;
}

/* Bands that follow read the inputs again. */
static enum shw_result check_apart_from_inputs(const struct run_targets *run, const struct shw_labeller *level)
{
    const struct shw_channel_list *list = level->pipeline.info->channel_list;
    struct shw_chosen_inputs chosen;

    SHW_PROPAGATE(shw_inputs_choose(run->inputs, list, &level->params.log, &chosen));
    for (uint32_t i = 0; i < list->input_count; i++)
        for (uint32_t t = 0; t < run->count && chosen.of[i] != NULL; t++) {
            const struct area target = area_of_target(&run->targets[t]),
                              input = area_of_input(list->inputs[i], &chosen.of[i]->image);
            SHW_PROPAGATE(check_apart(level, &target, &input));
        }
    return SHW_OK;
}

static enum shw_result take_targets(struct run_targets *run)
{
    const struct shw_labeller *labeller = run->labeller;
    const struct shw_log *log = &labeller->params.log;

    for (uint32_t t = 0; t < SHW_TARGETS; t++)
        if (use_of(run->given, t)->elements != NULL)
            SHW_PROPAGATE(take_target(run, t));
    if (run->count == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "no target is wanted: one needs `elements`");
    if (run->given->overlay.elements != NULL)
        SHW_PROPAGATE(shw_overlay_check(&run->targets[run->count - 1].style, labeller->pipeline.info,
                                        labeller->params.outputs, log)); /* the overlay is the last */
    SHW_PROPAGATE(check_targets_apart(run));
    for (; labeller != NULL; labeller = labeller->below)
        SHW_PROPAGATE(check_apart_from_inputs(run, labeller));
    return SHW_OK;
}

/* Results. */

/* Their planes and elements, by the bits of enum shw_output. */
static struct shw_result_kind {
    uint32_t planes, element;
} result_kind(const struct shw_forest_info *info, uint32_t result)
{
    const struct shw_result_kind kinds[RESULTS] = {{1, 4}, {info->tree_count, 4}, {info->class_count, 2}, {1, 2}};

    return kinds[result];
}

/* Flags of enum shw_output. */
static uint32_t needed_results(const struct run_targets *run)
{
    uint32_t needed = 0;

    for (uint32_t t = 0; t < run->count; t++)
        needed |= shw_target_get(run->targets[t].target)->output;
    if (run->given->overlay.elements != NULL && run->given->by_probability)
        needed |= SHW_OUTPUT_DISTRIBUTION;
    return needed;
}

/* The target whose texels are the result, without padding, so that it needs no other place; NULL: there is none. */
static const struct shw_target_memory *target_of_result(const struct run_targets *run, uint32_t result)
{
    for (uint32_t t = 0; t < run->count; t++) {
        const struct shw_target_memory *memory = &run->targets[t];
        const uint32_t element = memory->storing->format.bytes;
        if (shw_target_get(memory->target)->output == 1u << result &&
            shw_target_is_result(memory->target, memory->storing) && (uintptr_t)memory->texels % element == 0 &&
            memory->row_stride == (size_t)memory->width * element &&
            memory->plane_stride == memory->row_stride * memory->height)
            return memory;
    }
    return NULL;
}

/* Bytes of a pixel of results that have no place; `whole`: those of the whole part may be targets. */
static uint64_t pixel_bytes(const struct run_targets *run, bool whole)
{
    uint64_t bytes = 0;

    for (uint32_t r = 0; r < RESULTS; r++)
        if ((needed_results(run) >> r & 1) != 0 && !(whole && target_of_result(run, r) != NULL)) {
            const struct shw_result_kind kind = result_kind(run->labeller->pipeline.info, r);
            bytes += (uint64_t)kind.planes * kind.element;
        }
    return bytes;
}

/* The rows of a band. */
static uint32_t band_rows(const struct run_targets *run)
{
    const uint64_t memory = shw_pipeline_host_bytes(&run->labeller->pipeline);
    const uint64_t whole = pixel_bytes(run, true) * run->part.width;
    const uint64_t rows = memory / (pixel_bytes(run, false) * run->part.width);

    if (whole * run->part.height <= memory)
        return run->part.height;
    return (uint32_t)shw_min_u64(shw_max_u64(rows, 1), run->part.height);
}

/* Makes the labeller's memory for results at least this large. */
static enum shw_result reserve_results(struct shw_labeller *labeller, size_t bytes)
{
    if (bytes <= labeller->results_bytes)
        return SHW_OK;
    free(labeller->results); /* before, so that both are not there at once */
    labeller->results = malloc(bytes);
    labeller->results_bytes = labeller->results != NULL ? bytes : 0;
    return labeller->results != NULL ? SHW_OK : shw_fail_memory(&labeller->params.log, "results for targets");
}

/* Results in targets or in memory for a band. */
static enum shw_result place_results(struct run_targets *run, uint32_t rows)
{
    const struct shw_target_memory *targets[RESULTS] = {NULL};
    size_t offsets[RESULTS], bytes = 0;
    void *places[RESULTS] = {NULL};

    for (uint32_t r = 0; r < RESULTS; r++) {
        const struct shw_result_kind kind = result_kind(run->labeller->pipeline.info, r);
        targets[r] = rows == run->part.height ? target_of_result(run, r) : NULL;
        offsets[r] = bytes;
        if ((needed_results(run) >> r & 1) != 0 && targets[r] == NULL)
            bytes += shw_align_up((size_t)kind.planes * kind.element * run->part.width * rows, RESULT_ALIGNMENT);
    }
    SHW_PROPAGATE(reserve_results(run->labeller, bytes));
    for (uint32_t r = 0; r < RESULTS; r++)
        if ((needed_results(run) >> r & 1) != 0)
            places[r] = targets[r] != NULL ? targets[r]->texels : (char *)run->labeller->results + offsets[r];
    run->results = (struct shw_labelling){places[0], places[1], places[2], places[3]};
    return SHW_OK;
}

/* Conversion. */

static bool is_in_place(const struct shw_target_memory *memory)
{
    const struct shw_labelling *results = &memory->results;

    return memory->texels == (const char *)results->tree_leaf ||
           memory->texels == (const char *)results->forest_leaves ||
           memory->texels == (const char *)results->distribution || memory->texels == (const char *)results->argmax;
}

static void convert_row(void *user, uint32_t row, uint32_t thread)
{
    (void)thread;
    shw_target_memory_make(user, row);
}

/* A band: `rows` results from row `first` of the part on. */
static enum shw_result run_band(struct run_targets *run, uint32_t first, uint32_t rows)
{
    struct shw_labeller *labeller = run->labeller;
    struct shw_part band = run->part;

    band.y += first * band.step;
    band.height = rows;
    SHW_PROPAGATE(shw_labeller_run_part(labeller, run->inputs, &band, &run->results));
    for (uint32_t t = 0; t < run->count; t++) {
        struct shw_target_memory memory = run->targets[t];
        memory.results = run->results;
        memory.part = band;
        memory.height = rows;
        memory.texels += first * memory.row_stride;
        if (!is_in_place(&memory))
            shw_thread_pool_run(labeller->pool, rows, convert_row, &memory);
    }
    return shw_pipeline_check_interruption(&labeller->pipeline);
}

static enum shw_result run_bands(struct run_targets *run)
{
    const uint32_t rows = band_rows(run);
    enum shw_result result = place_results(run, rows);

    for (uint32_t y = 0; y < run->part.height && result == SHW_OK; y += rows)
        result = run_band(run, y, shw_min_u32(rows, run->part.height - y));
    return result;
}

enum shw_result shw_labeller_run_targets(struct shw_labeller *labeller, const struct shw_inputs *inputs,
                                         const struct shw_memory_targets *targets)
{
    SHW_REFUSE_NULL(NULL, labeller);
    SHW_REFUSE_NULL(&labeller->params.log, inputs);
    SHW_REFUSE_NULL(&labeller->params.log, targets);

    const struct shw_log *log = &labeller->params.log;
    struct run_targets run = {.labeller = labeller, .inputs = inputs, .given = targets};
    struct shw_chosen_inputs chosen;

    SHW_PROPAGATE(shw_inputs_choose(inputs, labeller->pipeline.info->channel_list, log, &chosen));
    run.image = &chosen.of[0]->image;
    run.part = shw_part_or_whole(&targets->part, run.image->width, run.image->height);
    SHW_PROPAGATE(shw_part_check(&run.part, run.image->width, run.image->height, log));
    SHW_PROPAGATE(take_targets(&run));
    return run_bands(&run);
}
