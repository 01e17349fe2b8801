#include "bench/trained.h"

#include "base/log.h"
#include "bench/timing.h"
#include "bench/warm.h"
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
