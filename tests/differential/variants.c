#include "variants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/cases.h"
#include "testing/exchange.h"
#include "vulkan/commands.h"
#include "vulkan/device.h"

static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};

#define NO_LIMITS                                                                                                      \
    {                                                                                                                  \
        SHW_BLEND_POINTS, UINT32_MAX, SHW_BLEND_BYTES, false                                                           \
    }

const struct variant plain_variant = {
    .technique = SHW_TECHNIQUE_CPU, .threads = 1, .simd = "none", .limits = NO_LIMITS};

struct variant random_variant(struct testing_random *random, enum shw_technique technique)
{
    static const uint64_t work[] = {1, 500, 20000, 300000, 0};
    static const char *const simd[] = {"none", "portable", "avx2", "avx512", NULL};
    struct variant variant = {.technique = technique,
                              .threads = 1 + testing_random_below(random, 3),
                              .simd = simd[testing_random_below(random, 5)],
                              .work_max = work[testing_random_below(random, 5)],
                              .limits = NO_LIMITS};

    if (random_chance(random, 80))
        variant.memory = (uint64_t)(100000 + testing_random_below(random, 100000)) << testing_random_below(random, 5);
    if (random_chance(random, 30))
        variant.range = 32768 + testing_random_below(random, 200000);
    if (random_chance(random, 40))
        variant.limits =
            (struct shw_blend_limits){50 + random_size(random, 5000), 64u << testing_random_below(random, 3),
                                      4096 + testing_random_below(random, 200000), false};
    variant.recorded = technique != SHW_TECHNIQUE_CPU && random_chance(random, 40);
    variant.renewed = random_chance(random, 30);
    variant.renewed_after = testing_random_below(random, 4);
    variant.renewed_from = random_chance(random, 70) ? technique : techniques[testing_random_below(random, 3)];
    return variant;
}

void describe_variant(const char *what, const struct variant *variant)
{
    testing_describe(" %s %s (threads %u, simd %s, memory %" PRIu64 ", work_max %" PRIu64
                     ", range %u, points %u, side %u, bytes %" PRIu64 "%s",
                     what, shw_technique_name(variant->technique), variant->threads,
                     variant->simd != NULL ? variant->simd : "all", variant->memory, variant->work_max, variant->range,
                     variant->limits.points, variant->limits.side, (uint64_t)variant->limits.bytes,
                     variant->recorded ? ", in slices" : "");
    if (variant->renewed)
        testing_describe(", renewed after %u rounds by %s", variant->renewed_after,
                         shw_technique_name(variant->renewed_from));
    testing_describe(");");
}

/* One trainer on its way. */
struct run {
    const struct training *training;
    const struct variant *variant;
    struct shw_trainer *trainer;
    struct testing_table *table; /* of workers; or NULL */
    struct shw_train_exchange exchange;
    pthread_t thread;
    uint32_t rounds_left; /* before it is cancelled */
    bool finished;
    struct outcome outcome;
};

static void remember(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct outcome *outcome = user;

    (void)level, (void)item;
    snprintf(outcome->message, sizeof outcome->message, "%s", text);
}

static enum shw_result gather(void *user, const uint32_t *mine, size_t word_count, uint32_t *all)
{
    struct run *run = user;

    return testing_table_gather(run->table, run->exchange.worker, mine, word_count, all);
}

static enum shw_result scatter(void *user, const uint32_t *mine, size_t word_count, uint32_t *parts)
{
    struct run *run = user;

    return testing_table_scatter(run->table, run->exchange.worker, mine, word_count, parts);
}

static bool count_rounds(void *user, const struct shw_train_progress *progress)
{
    struct run *run = user;

    (void)progress;
    return run->rounds_left == UINT32_MAX || run->rounds_left-- > 1;
}

static struct shw_trainer_params params_of(struct run *run, enum shw_technique technique)
{
    struct shw_trainer_params params = *run->training->params;

    params.technique = technique;
    params.device = technique != SHW_TECHNIQUE_CPU ? run->training->device : NULL;
    params.threads = run->variant->threads;
    params.memory = run->variant->memory;
    params.work_max = run->variant->work_max;
    params.progress = count_rounds;
    params.progress_user = run;
    params.log = (struct shw_log){.function = remember, .user = &run->outcome, .level = SHW_LOG_ERROR};
    if (run->table != NULL)
        params.exchange = &run->exchange;
    return params;
}

/* Something else, that is given up. Errors for want of memory are left to the training that counts. */
static void train_before(struct run *run)
{
    struct shw_trainer_params params = params_of(run, run->variant->renewed_from);
    bool finished = false;

    params.exchange = NULL;
    params.progress = NULL;
    params.seed++;
    params.mirror = run->variant->renewed_after % 2 == 1;
    params.pixels_per_image = 50;
    if (shw_trainer_create(&params, run->training->dataset, &run->trainer) != SHW_OK)
        return;
    run->trainer->blend_limits = &run->variant->limits;
    for (uint32_t r = 0; r < run->variant->renewed_after && !finished; r++)
        if (shw_trainer_step(run->trainer, &finished) != SHW_OK)
            return;
}

static void begin(struct run *run)
{
    struct shw_trainer_params params = params_of(run, run->variant->technique);

    if (run->variant->renewed)
        train_before(run);
    run->outcome.result = run->trainer != NULL ? shw_trainer_renew(run->trainer, &params, run->training->dataset)
                                               : shw_trainer_create(&params, run->training->dataset, &run->trainer);
    if (run->trainer != NULL)
        run->trainer->blend_limits = &run->variant->limits;
}

static enum shw_result do_slice(struct run *run)
{
    struct shw_device *device = run->training->device;
    struct shw_train_progress progress;
    VkCommandBuffer commands;
    enum shw_result result;

    shw_trainer_get_progress(run->trainer, &progress);
    run->finished = progress.tree == progress.tree_count; /* as loaded: there is nothing left to record */
    if (run->finished)
        return SHW_OK;
    result = shw_submit_begin(device, &commands);
    if (result != SHW_OK)
        return result;
    result = shw_trainer_record(run->trainer, commands);
    if (result != SHW_OK) {
        shw_submit_abandon(device, commands);
        return result;
    }
    result = shw_submit_wait(device, commands);
    return result == SHW_OK ? shw_trainer_complete(run->trainer, &run->finished) : result;
}

/* So many rounds or, in slices, slices. */
static void go_on(struct run *run, uint32_t steps)
{
    bool recorded = run->variant->recorded;

    while (run->outcome.result == SHW_OK && !run->finished && steps-- > 0)
        run->outcome.result = recorded ? do_slice(run) : shw_trainer_step(run->trainer, &run->finished);
}

static void take_forest(struct run *run)
{
    struct shw_forest *forest = NULL;
    void *bytes = NULL;
    size_t size = 0;

    if (run->outcome.result == SHW_OK)
        run->outcome.result = shw_trainer_get_forest(run->trainer, &forest);
    if (run->outcome.result == SHW_OK)
        run->outcome.result = shw_forest_save_memory(forest, &bytes, &size);
    if (run->outcome.result == SHW_OK)
        run->outcome.hash = testing_hash(bytes, size);
    free(bytes);
    shw_forest_destroy(&forest);
}

static void choose_simd(const struct variant *variant)
{
    if (variant->simd == NULL)
        unsetenv("SHADEWOOD_SIMD");
    else
        setenv("SHADEWOOD_SIMD", variant->simd, 1);
}

/* To the checkpoint. */
static void save_part(struct run *run, const char *path)
{
    const struct training *training = run->training;
    bool cancelled = training->handing_over == HAND_OVER_CANCELLED && training->steps > 0;

    if (cancelled)
        run->rounds_left = training->steps;
    /* a round's slices are as many as they are: the checkpoint is that of the round's beginning */
    go_on(run, cancelled ? UINT32_MAX : training->steps);
    if (cancelled && run->outcome.result == SHW_ERROR_CANCELLED)
        run->outcome.result = SHW_OK;
    if (run->outcome.result == SHW_OK)
        run->outcome.result = shw_trainer_save(run->trainer, path);
}

static struct outcome train_one_by_one(const struct training *training)
{
    const char *path = testing_path("checkpoint.ktx2");
    struct outcome outcome = {.result = SHW_OK};

    for (uint32_t w = 0; w < training->variant_count && outcome.result == SHW_OK; w++) {
        struct run run = {.training = training, .variant = &training->variants[w], .rounds_left = UINT32_MAX};
        choose_simd(run.variant);
        begin(&run);
        if (run.outcome.result == SHW_OK && w > 0)
            run.outcome.result = shw_trainer_load(run.trainer, path);
        if (run.outcome.result == SHW_OK && w + 1 < training->variant_count)
            save_part(&run, path);
        go_on(&run, w + 1 < training->variant_count ? 0 : UINT32_MAX);
        if (w + 1 == training->variant_count)
            take_forest(&run);
        shw_trainer_destroy(&run.trainer);
        outcome = run.outcome;
    }
    return outcome;
}

static void *work(void *user)
{
    struct run *run = user;

    begin(run);
    go_on(run, UINT32_MAX);
    testing_table_leave(run->table, run->finished);
    return NULL;
}

/* The result of the worker that failed first, and not because another did; all of them must have the same forest. */
static struct outcome train_together(const struct training *training)
{
    struct run runs[TESTING_WORKERS_MAX];
    struct testing_table table;
    struct outcome outcome;

    testing_table_open(&table, training->variant_count);
    choose_simd(&training->variants[0]);
    for (uint32_t w = 0; w < training->variant_count; w++) {
        runs[w] = (struct run){.training = training,
                               .variant = &training->variants[w],
                               .table = &table,
                               .rounds_left = UINT32_MAX,
                               .exchange = {.worker = w,
                                            .worker_count = training->variant_count,
                                            .user = &runs[w],
                                            .gather = gather,
                                            .divide = training->divide,
                                            .scatter = scatter}};
        assert_int_equal(pthread_create(&runs[w].thread, NULL, work, &runs[w]), 0);
    }
    for (uint32_t w = 0; w < training->variant_count; w++) {
        pthread_join(runs[w].thread, NULL);
        take_forest(&runs[w]);
        shw_trainer_destroy(&runs[w].trainer);
    }
    testing_table_close(&table);
    outcome = runs[0].outcome;
    for (uint32_t w = 1; w < training->variant_count; w++) {
        if (outcome.result == SHW_OK && runs[w].outcome.result == SHW_OK && runs[w].outcome.hash != outcome.hash)
            fail_msg("worker %u has another forest than worker 0", w);
        if (outcome.result == SHW_OK || outcome.result == SHW_ERROR_IO)
            outcome = runs[w].outcome;
    }
    return outcome;
}

/* More memory where that is what is missing, else larger buffers, too. */
static void widen(struct variant *variant, bool memory_only)
{
    variant->memory += variant->memory / 4;
    if (!memory_only)
        variant->range += variant->range / 4;
}

static uint32_t range_of(const struct training *training)
{
    uint32_t range = UINT32_MAX;

    for (uint32_t w = 0; w < training->variant_count; w++)
        if (training->variants[w].range > 0 && training->variants[w].range < range)
            range = training->variants[w].range;
    return range;
}

struct outcome train_by(struct training *training)
{
    uint32_t *range = &training->device->properties.limits.maxStorageBufferRange, kept = *range;
    struct outcome outcome = {.result = SHW_ERROR_LIMIT};

    for (int tries = 0; outcome.result == SHW_ERROR_LIMIT && tries < 60; tries++) {
        uint32_t wanted = range_of(training);
        bool memory_only;
        *range = wanted < kept ? wanted : kept;
        outcome = training->together ? train_together(training) : train_one_by_one(training);
        *range = kept;
        memory_only = strstr(outcome.message, "MiB of device memory") != NULL;
        for (uint32_t w = 0; w < training->variant_count; w++)
            widen(&training->variants[w], memory_only);
    }
    return outcome;
}
