#include "testing/workers.h"

#include "testing/device.h"

static enum shw_result gather(void *user, const uint32_t *mine, size_t word_count, uint32_t *all)
{
    struct testing_worker *worker = user;

    worker->rounds++;
    return testing_table_gather(worker->table, worker->exchange.worker, mine, word_count, all);
}

static enum shw_result scatter(void *user, const uint32_t *mine, size_t word_count, uint32_t *parts)
{
    struct testing_worker *worker = user;

    return testing_table_scatter(worker->table, worker->exchange.worker, mine, word_count, parts);
}

static void *work(void *user)
{
    struct testing_worker *worker = user;
    struct shw_dataset dataset = worker->examples->dataset;
    struct shw_trainer *trainer = NULL;
    struct shw_forest *forest = NULL;
    bool finished = false;

    dataset.user = (void *)(uintptr_t)worker->examples;
    worker->result = shw_trainer_create(&worker->params, &dataset, &trainer);
    if (worker->result == SHW_OK && worker->checkpoint != NULL)
        worker->result = shw_trainer_load(trainer, worker->checkpoint);
    while (worker->result == SHW_OK && !finished && (worker->rounds_max == 0 || worker->rounds < worker->rounds_max)) {
        worker->result = shw_trainer_step(trainer, &finished);
        if (worker->steps_max > 0 && --worker->steps_max == 0)
            break;
    }
    if (worker->result == SHW_OK && worker->save != NULL)
        worker->result = shw_trainer_save(trainer, worker->save);
    if (finished) {
        shw_trainer_get_forest(trainer, &forest);
        worker->hash = shw_forest_hash(forest);
        shw_forest_destroy(&forest);
    }
    shw_trainer_destroy(&trainer);
    testing_table_leave(worker->table, finished);
    return NULL;
}

void testing_workers_prepare(struct testing_table *table, struct testing_worker *workers, uint32_t count,
                             const struct shw_trainer_params *params, const struct testing_examples *examples,
                             const enum shw_technique *techniques, uint32_t technique_count,
                             enum shw_train_division divide)
{
    testing_table_open(table, count);
    for (uint32_t w = 0; w < count; w++) {
        workers[w] = (struct testing_worker){.table = table, .params = *params, .examples = examples};
        workers[w].exchange = (struct shw_train_exchange){.worker = w,
                                                          .worker_count = count,
                                                          .user = &workers[w],
                                                          .gather = gather,
                                                          .divide = divide,
                                                          .scatter = scatter};
        workers[w].params.exchange = &workers[w].exchange;
        workers[w].params.technique = techniques[w % technique_count];
        workers[w].params.device = workers[w].params.technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
        workers[w].params.log = testing_log(&workers[w].memory);
    }
}

void testing_workers_run(struct testing_worker *workers, uint32_t count)
{
    for (uint32_t w = 0; w < count; w++)
        assert_int_equal(pthread_create(&workers[w].thread, NULL, work, &workers[w]), 0);
    for (uint32_t w = 0; w < count; w++)
        pthread_join(workers[w].thread, NULL);
    testing_table_close(workers[0].table);
}

void testing_workers_expect(const char *what, uint32_t number, const struct testing_worker *workers, uint32_t count,
                            uint64_t hash)
{
    for (uint32_t w = 0; w < count; w++)
        if (workers[w].result != SHW_OK || workers[w].hash != hash)
            fail_msg("%s %u, %s divided: one worker gives the forest %016llx, worker %u of %u by %s %016llx: %s", what,
                     number, workers[w].exchange.divide == SHW_DIVIDE_IMAGES ? "images" : "candidates",
                     (unsigned long long)hash, w, count, shw_technique_name(workers[w].params.technique),
                     (unsigned long long)workers[w].hash, workers[w].memory.last);
}
