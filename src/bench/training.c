#include "bench/training.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "bench/data.h"
#include "bench/document.h"
#include "bench/timing.h"
#include "dense/grow_device/round.h"

/* Notes during the training of a forest. */
struct notes {
    struct shw_bench_trained *trained;
    double before, last; /* seconds: the end of the previous tree, of the previous round */
    double warming;      /* seconds not spent by the trainer */
    uint32_t tree;
};

static void end_tree(struct notes *notes)
{
    notes->trained->wall[notes->tree] = 1e3 * (notes->last - notes->before);
    notes->before = notes->last;
}

static bool note(void *user, const struct shw_train_progress *progress)
{
    struct notes *notes = user;
    struct shw_bench_trained *trained = notes->trained;
    struct shw_bench_round *round;

    if (progress->tree != notes->tree) {
        end_tree(notes);
        notes->tree = progress->tree;
        trained->round_count = 0;
    }
    if (trained->round_count < SHW_BENCH_ROUNDS_MAX) {
        round = &trained->rounds[trained->round_count++];
        *round = (struct shw_bench_round){
            .nodes = progress->open_nodes, .samples = progress->round_samples, .wall = 1e3 * progress->round_seconds};
        trained->pass_count = progress->pass_count;
        trained->pass_names = progress->pass_names;
        for (uint32_t i = 0; i < progress->pass_count && i < SHW_BENCH_PASSES_MAX; i++) {
            round->passes[i] = 1e3 * progress->pass_seconds[i];
            round->device += round->passes[i];
        }
        trained->device[notes->tree] += round->device;
    }
    notes->last = progress->seconds - notes->warming;
    return true;
}

static double resident_share(const struct shw_compute_images *images)
{
    double all = 0, there = 0;

    for (uint32_t c = 0; c < images->chunk_count; c++)
        all += (double)images->chunks[c].words * sizeof(uint32_t);
    for (uint32_t p = 0; p < images->place_count; p++)
        there += (double)images->places[p].buffer.size;
    return there < all ? there / all : 1;
}

enum shw_result shw_bench_train(struct shw_bench *bench, const struct shw_trainer_params *given,
                                const struct shw_dataset *dataset, struct shw_bench_trained *trained)
{
    struct shw_trainer_params params = *given;
    struct notes notes = {.trained = trained};
    const struct shw_train_compute *training;
    struct shw_trainer *trainer = NULL;
    struct shw_forest *forest = NULL;
    bool finished = false;
    enum shw_result result;

    *trained = (struct shw_bench_trained){.tree_count = params.tree_count};
    if (params.tree_count > SHW_BENCH_TREES_MAX)
        return shw_fail(&bench->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the bench trains at most %u trees",
                        SHW_BENCH_TREES_MAX);
    params.device = shw_technique_needs_device(params.technique) ? bench->device : NULL;
    params.progress = note;
    params.progress_user = &notes;
    params.log = bench->log;
    SHW_TRY(shw_trainer_create(&params, dataset, &trainer));
    SHW_TRY(shw_trainer_prepare(trainer));
    notes.warming = shw_bench_now();
    if (params.device != NULL)
        SHW_TRY(shw_bench_warm(bench));
    notes.warming = 1e-3 * (shw_bench_now() - notes.warming);
    while (!finished)
        SHW_TRY(shw_trainer_step(trainer, &finished));
    end_tree(&notes);
    if (params.device != NULL)
        shw_bench_was_busy(bench);
    SHW_TRY(shw_trainer_get_forest(trainer, &forest));
    trained->all = 1e3 * notes.last;
    trained->hash = shw_forest_hash(forest);
    for (uint32_t t = 0; t < params.tree_count; t++)
        trained->leaves += shw_forest_get_tree(forest, t).leaf_count;
    training = shw_compute_of(trainer);
    if (training != NULL)
        trained->resident = resident_share(&training->integrals);

fail:
    shw_forest_destroy(&forest);
    shw_trainer_destroy(&trainer);
    return result;
}

void shw_bench_tree_times(const struct shw_bench_trained *trained, struct shw_bench_times *times)
{
    uint32_t first = trained->tree_count > 1;

    *times = (struct shw_bench_times){.runs = trained->tree_count - first};
    for (uint32_t t = first; t < trained->tree_count; t++) {
        times->wall[t - first] = trained->wall[t];
        times->device[t - first] = trained->device[t];
    }
    if (trained->pass_count > 0)
        times->device_runs = times->runs;
}

void shw_bench_single_time(double wall, double device, struct shw_bench_times *times)
{
    *times = (struct shw_bench_times){.runs = 1, .device_runs = device > 0, .wall = {wall}, .device = {device}};
}

#define THREADED_SAMPLES 1000000u /* of the rounds by cpu */

/* A setting, and its size on a device that is a processor. */
struct setting {
    const char *name, *title;
    struct shw_trainer_params params;
    const struct shw_bench_published *published; /* a tree, or the forest if `whole` */
    bool whole;                                  /* the published time is that of all trees */
};

struct suite {
    struct shw_bench *bench;
    struct shw_dataset all, hundred;
    struct shw_bench_times times;
    struct shw_bench_trained trained;
};

static const struct shw_bench_published sharp_tree = {"Sharp 2008", "GeForce GTX 280", "5.1", 98000};

static const struct shw_bench_published sharp_round = {"Sharp 2008", "GeForce GTX 280", "5.1", 12300};

static const struct shw_bench_published curfil_forest = {"CURFIL 2013", "GeForce GTX Titan", "Table 1, MSRC-21",
                                                         204000};

static json_t *describe(const struct suite *suite, const struct setting *setting, const struct shw_dataset *dataset)
{
    const struct shw_trainer_params *params = &setting->params;
    json_t *described = json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "images", (int)dataset->count, "classes",
                                  (int)dataset->class_count, "trees", (int)params->tree_count, "depth",
                                  (int)params->depth, "candidates", (int)params->candidates, "bins", (int)params->bins);

    if (params->pixels_per_image != SHW_PIXELS_ALL)
        json_object_set_new(described, "pixels_per_image", json_integer(params->pixels_per_image));
    if (params->memory > 0)
        json_object_set_new(described, "memory_mib", json_integer((json_int_t)(params->memory >> 20)));
    if (suite->trained.leaves > 0)
        json_object_set_new(described, "all_leaves", json_integer((json_int_t)suite->trained.leaves));
    if (shw_technique_needs_device(params->technique) && suite->trained.resident > 0)
        json_object_set_new(described, "resident_share", json_real(suite->trained.resident));
    json_object_set_new(described, "data", json_string(suite->bench->options.data != NULL ? "given" : "scenes"));
    return described;
}

static enum shw_result add(struct suite *suite, const struct setting *setting, const struct shw_dataset *dataset,
                           const char *stage, const struct shw_bench_round *round, const char *skipped, int equals)
{
    char id[128], nodes[24] = "";
    struct shw_bench_row row = {.suite = "training",
                                .stage = stage,
                                .technique = shw_technique_name(setting->params.technique),
                                .title = setting->title,
                                .series = round != NULL ? "nodes" : NULL,
                                .id = id,
                                .setting = describe(suite, setting, dataset),
                                .times = skipped == NULL ? &suite->times : NULL,
                                .skipped = skipped,
                                .equals_cpu = equals};

    if (round != NULL) {
        snprintf(nodes, sizeof nodes, "/nodes-%u", round->nodes);
        json_object_set_new(row.setting, "nodes", json_integer(round->nodes));
        json_object_set_new(row.setting, "samples", json_integer((json_int_t)round->samples));
        row.work = (double)round->samples * setting->params.candidates;
        row.work_unit = "responses";
    }
    if (setting->published != NULL && setting->whole == (strcmp(stage, "forest") == 0)) {
        row.published = round != NULL ? &sharp_round : setting->published;
        row.published_count = 1;
    }
    snprintf(id, sizeof id, "training/%s/%s%s/%s", stage, setting->name, nodes, row.technique);
    return shw_bench_add(suite->bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

/* Rows of one training: a tree, its rounds, all trees. `reference`: the hash by cpu, or 0. */
static enum shw_result add_trained(struct suite *suite, const struct setting *setting,
                                   const struct shw_dataset *dataset, uint64_t reference)
{
    const struct shw_bench_trained *trained = &suite->trained;
    int equals = reference == 0 ? -1 : reference == trained->hash;

    shw_bench_tree_times(trained, &suite->times);
    SHW_PROPAGATE(add(suite, setting, dataset, "tree", NULL, NULL, equals));
    for (uint32_t r = 0; r < trained->round_count; r++) {
        const struct shw_bench_round *round = &trained->rounds[r];
        shw_bench_single_time(round->wall, round->device, &suite->times);
        /* deep trees have several rounds with the same number of nodes */
        if (r == 0 || round->nodes > trained->rounds[r - 1].nodes)
            SHW_PROPAGATE(add(suite, setting, dataset, "round", round, NULL, equals));
        else
            break;
    }
    shw_bench_single_time(trained->all, 0, &suite->times);
    return add(suite, setting, dataset, "forest", NULL, NULL, equals);
}

/* Trains with cpu for the hash, and with every requested technique. */
static enum shw_result time_setting(struct suite *suite, const struct setting *given, const struct shw_dataset *dataset,
                                    bool blend, uint64_t *reference)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};
    struct setting setting = *given;

    for (int t = 0; t < (blend ? 3 : 2); t++) {
        enum shw_result result;
        bool cpu = !shw_technique_needs_device(techniques[t]);
        if (cpu ? *reference != 0 : !shw_bench_wants(suite->bench, techniques[t]))
            continue;
        setting.params.technique = techniques[t];
        shw_bench_say(suite->bench, "training/%s/%s", setting.name, shw_technique_name(techniques[t]));
        result = shw_bench_train(suite->bench, &setting.params, dataset, &suite->trained);
        if (result != SHW_OK && !shw_bench_is_skip(result))
            return result;
        if (result != SHW_OK) {
            SHW_PROPAGATE(add(suite, &setting, dataset, "tree", NULL, suite->bench->message, -1));
            continue;
        }
        if (cpu)
            *reference = suite->trained.hash;
        if (shw_bench_wants(suite->bench, techniques[t]))
            SHW_PROPAGATE(add_trained(suite, &setting, dataset, *reference));
    }
    return SHW_OK;
}

/* One level of a tree with cpu: the second round; the first also reads the images. */
static enum shw_result time_threads(struct suite *suite, uint32_t threads)
{
    bool quick = suite->bench->options.quick;
    uint32_t samples = quick ? THREADED_SAMPLES / 10 : THREADED_SAMPLES;
    struct setting setting = {.name = threads == 1 ? "one-thread" : "all-threads",
                              .title = "one level of one tree",
                              .params = {.technique = SHW_TECHNIQUE_CPU,
                                         .channels = SHW_CHANNELS_WINN16,
                                         .tree_count = 1,
                                         .depth = 2,
                                         .candidates = 500,
                                         .bins = 32,
                                         .pixels_per_image = samples / suite->hundred.count,
                                         .threads = threads}};

    shw_bench_say(suite->bench, "training/round/%s/cpu", setting.name);
    SHW_PROPAGATE(shw_bench_train(suite->bench, &setting.params, &suite->hundred, &suite->trained));
    if (suite->trained.round_count > 1) {
        const struct shw_bench_round *round = &suite->trained.rounds[1];
        shw_bench_single_time(round->wall, 0, &suite->times);
        SHW_PROPAGATE(add(suite, &setting, &suite->hundred, "round", round, NULL, 1));
    }
    return SHW_OK;
}

static enum shw_result time_all(struct suite *suite)
{
    static const uint64_t memory[] = {1024, 768, 640, 544}; /* MiB */
    bool small = shw_bench_is_small(suite->bench);
    struct setting sharp = {.name = "sharp-3-bins",
                            .title = "Sharp's setting, 3 bins",
                            .published = small ? NULL : &sharp_tree,
                            .params = {.channels = SHW_CHANNELS_WINN16,
                                       .tree_count = 2, /* the second with images on the device */
                                       .depth = small ? 4 : 8,
                                       .leaf_max = 256,
                                       .candidates = 100,
                                       .pool = SHW_POOL_ROUND,
                                       .thresholds = SHW_THRESHOLDS_RANDOM,
                                       .bins = 3,
                                       .pixels_per_image = small ? 200 : SHW_PIXELS_ALL}};
    struct setting curfil = {.name = "curfil",
                             .title = "CURFIL's setting",
                             .published = small ? NULL : &curfil_forest,
                             .whole = true,
                             .params = {.channels = SHW_CHANNELS_WINN16,
                                        .tree_count = small ? 2 : 10,
                                        .depth = small ? 10 : 25,
                                        .candidates = small ? 100 : 500,
                                        .bins = 21,
                                        .pixels_per_image = small ? 200 : 453,
                                        .samples_min = 19}};
    uint64_t hash = 0;

    SHW_PROPAGATE(time_threads(suite, 1));
    if (shw_thread_pool_size(suite->bench->pool) > 1)
        SHW_PROPAGATE(time_threads(suite, shw_thread_pool_size(suite->bench->pool)));
    SHW_PROPAGATE(time_setting(suite, &sharp, &suite->hundred, !suite->bench->options.quick || small, &hash));
    sharp.name = "sharp-32-bins";
    sharp.title = "Sharp's setting, 32 bins";
    sharp.params.thresholds = SHW_THRESHOLDS_BEST;
    sharp.params.bins = 32;
    hash = 0;
    SHW_PROPAGATE(time_setting(suite, &sharp, &suite->hundred, false, &hash));
    if (!small) {
        sharp.name = "sharp-500-candidates";
        sharp.title = "Sharp's setting, 32 bins, 500 candidates";
        sharp.params.candidates = 500;
        sharp.published = NULL;
        hash = 0;
        SHW_PROPAGATE(time_setting(suite, &sharp, &suite->hundred, false, &hash));
    }
    for (int i = 0; i < 4 && !suite->bench->options.quick; i++) {
        char name[48];
        sharp.params.memory = memory[i] << 20;
        snprintf(name, sizeof name, "sharp-500-candidates-%llu-MiB", (unsigned long long)memory[i]);
        sharp.name = name;
        sharp.title = "the same with less memory";
        SHW_PROPAGATE(time_setting(suite, &sharp, &suite->hundred, false, &hash));
    }
    hash = 0;
    return time_setting(suite, &curfil, &suite->all, false, &hash);
}

enum shw_result shw_bench_training(struct shw_bench *bench)
{
    struct suite *suite = calloc(1, sizeof *suite);
    enum shw_result result;

    if (suite == NULL)
        return shw_fail_memory(&bench->log, "a suite of the bench");
    suite->bench = bench;
    SHW_TRY(shw_bench_data_open(bench, &suite->all));
    suite->hundred = suite->all;
    suite->hundred.count = suite->all.count < 100 ? suite->all.count : 100;
    SHW_TRY(time_all(suite));

fail:
    shw_bench_data_close(bench, &suite->all);
    free(suite);
    return result;
}
