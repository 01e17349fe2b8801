#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "detection/detect/detector.h"
#include "detection/detect/levels.h"
#include "detection/detect/plan.h"

#define WINDOWS_PER_BAND 2048u

struct cpu {
    struct shw_detector_params params;
    const struct shw_detect_kind *kind;
    void *walker;
    struct shw_thread_pool *pool;
    struct shw_detect_plan plans[2]; /* what belongs to the old size refers to its plan until it is freed */
    struct shw_detect_plan *plan;    /* the one of the size at hand */
    uint8_t *grey;
    struct shw_detect_band *bands;
    uint32_t band_count, band_capacity;
    struct shw_detect_tally *tallies; /* per thread */
    uint64_t *survivors;              /* over all runs */
    uint32_t survivor_count;
};

/* All kinds have it. */
static enum shw_result check(const struct shw_detector_params *params, const struct shw_log *log)
{
    (void)params;
    (void)log;
    return SHW_OK;
}

static void destroy(void *state)
{
    struct cpu *cpu = state;

    if (cpu == NULL)
        return;
    if (cpu->tallies != NULL)
        for (uint32_t t = 0; t < shw_thread_pool_size(cpu->pool); t++) {
            free(cpu->tallies[t].survivors);
            free(cpu->tallies[t].items);
        }
    free(cpu->tallies);
    free(cpu->survivors);
    free(cpu->bands);
    free(cpu->grey);
    if (cpu->walker != NULL)
        cpu->kind->destroy(cpu->walker);
    shw_detect_plan_free(&cpu->plans[0]);
    shw_detect_plan_free(&cpu->plans[1]);
    shw_thread_pool_destroy(&cpu->pool);
    free(cpu);
}

static enum shw_result make_tallies(struct cpu *cpu, const struct shw_cascade_info *info)
{
    uint32_t threads = shw_thread_pool_size(cpu->pool);
    bool made;

    cpu->survivor_count = info->stage_count + 1;
    cpu->survivors = calloc(cpu->survivor_count, sizeof *cpu->survivors);
    cpu->tallies = calloc(threads, sizeof *cpu->tallies);
    made = cpu->survivors != NULL && cpu->tallies != NULL;
    for (uint32_t t = 0; made && t < threads; t++) {
        cpu->tallies[t].score_base = info->score_base;
        cpu->tallies[t].survivors = calloc(cpu->survivor_count, sizeof *cpu->survivors);
        made = cpu->tallies[t].survivors != NULL;
    }
    return made ? SHW_OK : shw_fail_memory(&cpu->params.log, "a detector");
}

/* Adds the level's rows at an angle, in bands of at most WINDOWS_PER_BAND windows or one row. */
static bool add_bands(struct cpu *cpu, const struct shw_detect_level *level, uint32_t angle)
{
    struct shw_detect_range rows = shw_detect_level_rows(level, angle);
    uint32_t columns = shw_detect_level_columns(level, angle).count;
    uint32_t height = columns > 0 ? shw_max_u32(1, WINDOWS_PER_BAND / columns) : 0;

    for (uint32_t row = 0; columns > 0 && row < rows.count; row += height) {
        if (!SHW_RESERVE(cpu->bands, cpu->band_capacity, (size_t)cpu->band_count + 1))
            return false;
        cpu->bands[cpu->band_count++] =
            (struct shw_detect_band){level, angle, rows.first + row, shw_min_u32(height, rows.count - row)};
    }
    return true;
}

static enum shw_result make_bands(struct cpu *cpu)
{
    const struct shw_scan *scan = &cpu->params.scan;

    cpu->band_count = 0;
    for (uint32_t a = 0; a < scan->angle_count; a++)
        for (uint32_t l = 0; l < cpu->plan->level_count; l++)
            if (!add_bands(cpu, &cpu->plan->levels[l], scan->angles[a]))
                return shw_fail_memory(&cpu->params.log, "a detector");
    return SHW_OK;
}

/* Makes the planes and the bands for the plan. On failure there is no walker. */
static enum shw_result follow_plan(struct cpu *cpu)
{
    enum shw_result result = cpu->kind->resize(cpu->walker, cpu->plan, &cpu->params.log);

    if (result == SHW_OK)
        result = make_bands(cpu);
    for (uint32_t t = 0; t < shw_thread_pool_size(cpu->pool); t++)
        cpu->tallies[t].plan = cpu->plan;
    if (result != SHW_OK) {
        cpu->kind->destroy(cpu->walker);
        cpu->walker = NULL;
    }
    return result;
}

/* Allocates what images of another size need. */
static enum shw_result resize(struct cpu *cpu, uint32_t width, uint32_t height)
{
    const struct shw_detector_params *params = &cpu->params;
    struct shw_detect_plan *old = cpu->plan, *next = &cpu->plans[old == cpu->plans];
    enum shw_result result = SHW_OK;
    uint8_t *grey;

    if (cpu->walker != NULL && old->width == width && old->height == height)
        return SHW_OK;
    if (cpu->walker == NULL)
        SHW_PROPAGATE(cpu->kind->create(params->cascade, &params->scan, &params->log, &cpu->walker));
    grey = malloc((size_t)width * height);
    if (grey == NULL)
        return shw_fail_memory(&params->log, "a grey image");
    SHW_TRY(shw_detect_plan_make(params->cascade, &params->scan, width, height, &params->log, next));
    free(cpu->grey);
    cpu->grey = grey;
    cpu->plan = next;
    result = follow_plan(cpu);
    shw_detect_plan_free(old);
    return result;

fail:
    free(grey);
    return result;
}

static enum shw_result create(const struct shw_detector_params *params, void **state)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(params->cascade);
    struct cpu *cpu = calloc(1, sizeof *cpu);
    enum shw_result result = SHW_OK;

    if (cpu == NULL)
        return shw_fail_memory(&params->log, "a detector");
    cpu->params = *params;
    cpu->kind = shw_detect_kind_get(info->kind);
    cpu->plan = cpu->plans;
    if (shw_thread_pool_create(params->threads, &cpu->pool) != SHW_OK) {
        result = shw_fail_memory(&params->log, "threads");
        goto fail;
    }
    SHW_TRY(make_tallies(cpu, info));
    SHW_TRY(cpu->kind->create(params->cascade, &params->scan, &params->log, &cpu->walker));
    if (params->width > 0)
        SHW_TRY(resize(cpu, params->width, params->height));
    *state = cpu;
    return SHW_OK;

fail:
    destroy(cpu);
    return result;
}

static void walk_band(void *user, uint32_t index, uint32_t thread)
{
    struct cpu *cpu = user;

    cpu->kind->walk(cpu->walker, &cpu->bands[index], &cpu->tallies[thread]);
}

/* Moves what the threads have found and counted. */
static enum shw_result gather(struct cpu *cpu, struct shw_detections *found)
{
    uint64_t count = 0;
    bool failed = false;

    for (uint32_t t = 0; t < shw_thread_pool_size(cpu->pool); t++) {
        struct shw_detect_tally *tally = &cpu->tallies[t];
        count += tally->count;
        failed |= tally->failed;
        for (uint32_t s = 0; s < cpu->survivor_count; s++)
            cpu->survivors[s] += tally->survivors[s];
    }
    if (count > UINT32_MAX)
        return shw_fail(&cpu->params.log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT, "more than 2^32 windows were found");
    found->items = count > 0 ? malloc(count * sizeof *found->items) : NULL;
    if (failed || (count > 0 && found->items == NULL))
        return shw_fail_memory(&cpu->params.log, "what was found");
    for (uint32_t t = 0; t < shw_thread_pool_size(cpu->pool); t++) {
        const struct shw_detect_tally *tally = &cpu->tallies[t];
        if (tally->count > 0)
            memcpy(found->items + found->count, tally->items, tally->count * sizeof *tally->items);
        found->count += tally->count;
    }
    return SHW_OK;
}

static enum shw_result run(void *state, const struct shw_image *image, struct shw_detections *found)
{
    struct cpu *cpu = state;

    SHW_PROPAGATE(resize(cpu, image->width, image->height));
    for (uint32_t t = 0; t < shw_thread_pool_size(cpu->pool); t++) {
        cpu->tallies[t].count = 0;
        cpu->tallies[t].failed = false;
        memset(cpu->tallies[t].survivors, 0, cpu->survivor_count * sizeof *cpu->survivors);
    }
    shw_grey_make(image, cpu->grey, cpu->pool);
    cpu->kind->prepare(cpu->walker, cpu->grey, cpu->pool);
    shw_thread_pool_run(cpu->pool, cpu->band_count, walk_band, cpu);
    return gather(cpu, found);
}

/* What is left of planes and windows is passed over. */
static void interrupt(void *state)
{
    const struct cpu *cpu = state;

    shw_thread_pool_stop(cpu->pool);
}

static void get_survivors(const void *state, uint64_t *survivors)
{
    const struct cpu *cpu = state;

    memcpy(survivors, cpu->survivors, cpu->survivor_count * sizeof *survivors);
}

const struct shw_detect_technique shw_detect_cpu = {.id = SHW_TECHNIQUE_CPU,
                                                    .check = check,
                                                    .create = create,
                                                    .destroy = destroy,
                                                    .run = run,
                                                    .interrupt = interrupt,
                                                    .get_survivors = get_survivors};
