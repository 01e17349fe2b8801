/* Cascades that several workers train together, in threads of the test. */
#include "cascade_set.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "testing/device.h"
#include "testing/exchange.h"

struct worker {
    struct testing_table *table;
    struct shw_train_exchange exchange;
    struct shw_cascade_trainer_params params;
    const struct set *set;
    struct testing_log memory;
    pthread_t thread;
    uint32_t reads;                /* of images */
    uint32_t calls, calls_max;     /* of the exchange; calls_max: 0, or after how many it is interrupted */
    bool at_once;                  /* in the midst of a step, not when it has ended */
    const char *checkpoint, *save; /* where it begins, and what it writes when interrupted; or NULL */
    struct shw_cascade_trainer *trainer;
    enum shw_result result;
    struct bytes bytes; /* of the finished cascade */
};

static enum shw_result gather(void *user, const uint32_t *mine, size_t word_count, uint32_t *all)
{
    struct worker *worker = user;
    const enum shw_result result = testing_table_gather(worker->table, worker->exchange.worker, mine, word_count, all);

    if (++worker->calls == worker->calls_max) {
        shw_cascade_trainer_interrupt(worker->trainer);
        if (worker->at_once)
            return SHW_ERROR_CANCELLED; /* within a step */
    }
    return result == SHW_ERROR_IO ? SHW_ERROR_CANCELLED : result; /* another has left */
}

static enum shw_result read_image(void *user, uint32_t index, struct shw_cascade_image *image)
{
    struct worker *worker = user;

    __atomic_add_fetch(&worker->reads, 1, __ATOMIC_RELAXED);
    return worker->set->dataset.read((void *)(uintptr_t)worker->set, index, image);
}

static void *work(void *user)
{
    struct worker *worker = user;
    struct shw_cascade_dataset dataset = worker->set->dataset;
    bool finished = false;

    dataset.user = worker;
    dataset.read = read_image;
    worker->result = shw_cascade_trainer_create(&worker->params, &dataset, &worker->trainer);
    if (worker->result == SHW_OK && worker->checkpoint != NULL)
        worker->result = shw_cascade_trainer_load(worker->trainer, worker->checkpoint);
    while (worker->result == SHW_OK && !finished)
        worker->result = shw_cascade_trainer_step(worker->trainer, &finished);
    if (finished)
        worker->bytes = bytes_of(worker->trainer);
    if (worker->result == SHW_ERROR_CANCELLED && worker->save != NULL &&
        shw_cascade_trainer_save(worker->trainer, worker->save) != SHW_OK)
        worker->save = NULL; /* nothing was trained yet */
    shw_cascade_trainer_destroy(&worker->trainer);
    testing_table_leave(worker->table, finished);
    return NULL;
}

/* Worker w goes by technique w of the list, again and again. */
static void prepare(struct testing_table *table, struct worker *workers, uint32_t count,
                    const struct shw_cascade_trainer_params *params, const struct set *set,
                    const enum shw_technique *techniques, uint32_t technique_count)
{
    testing_table_open(table, count);
    for (uint32_t w = 0; w < count; w++) {
        workers[w] = (struct worker){.table = table, .params = *params, .set = set};
        workers[w].exchange =
            (struct shw_train_exchange){.worker = w, .worker_count = count, .user = &workers[w], .gather = gather};
        workers[w].params.exchange = &workers[w].exchange;
        workers[w].params.technique = techniques[w % technique_count];
        workers[w].params.device = workers[w].params.technique != SHW_TECHNIQUE_CPU ? testing_device() : NULL;
        workers[w].params.threads = 1 + w % 2;
        workers[w].params.log = testing_log(&workers[w].memory);
    }
}

static void run_workers(struct worker *workers, uint32_t count)
{
    for (uint32_t w = 0; w < count; w++)
        assert_int_equal(pthread_create(&workers[w].thread, NULL, work, &workers[w]), 0);
    for (uint32_t w = 0; w < count; w++)
        pthread_join(workers[w].thread, NULL);
    testing_table_close(workers[0].table);
}

static void expect_same(const struct worker *workers, uint32_t count, struct bytes alone)
{
    for (uint32_t w = 0; w < count; w++) {
        if (workers[w].result != SHW_OK)
            fail_msg("worker %u of %u: %s", w, count, workers[w].memory.last);
        assert_same(alone, workers[w].bytes);
    }
}

static struct bytes train_alone(const struct shw_cascade_trainer_params *params, const struct set *set)
{
    struct shw_cascade_trainer *trainer = begin(params, set);
    struct bytes bytes;

    step(trainer, UINT32_MAX);
    bytes = bytes_of(trainer);
    shw_cascade_trainer_destroy(&trainer);
    return bytes;
}

static const enum shw_technique cpu[] = {SHW_TECHNIQUE_CPU};
static const enum shw_technique mixed[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_BLEND};

TESTING_CASE(any_number_trains_the_same_cascade)
{
    struct set *set = make_set();
    struct shw_cascade_trainer_params params = usual_params();
    struct testing_table table;
    struct worker workers[TESTING_WORKERS_MAX];

    params.stage_count = TESTING_SANITIZED ? 6 : 14;
    for (uint32_t held_out = 0; held_out < 2; held_out++) {
        struct bytes alone;

        params.hold_out_percent = 20 * held_out;
        params.candidates = held_out == 0 ? 60 : TESTING_WORKERS_MAX; /* one of each worker */
        alone = train_alone(&params, set);
        for (uint32_t count = 1; count <= TESTING_WORKERS_MAX; count++) {
            uint32_t reads = 0;

            prepare(&table, workers, count, &params, set, cpu, 1);
            run_workers(workers, count);
            expect_same(workers, count, alone);
            for (uint32_t w = 0; w < count; w++)
                reads += workers[w].reads;
            assert_int_equal(reads, IMAGES + count); /* each by one, and one of the next worker's by each */
        }
        free(alone.bytes);
    }
    free(set);
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, techniques_are_mixed)
{
    struct set *set = make_set();
    struct shw_cascade_trainer_params params = usual_params();
    struct testing_table table;
    struct worker workers[3];
    struct bytes alone;

    params.stage_count = 5;
    alone = train_alone(&params, set);
    prepare(&table, workers, 3, &params, set, mixed, 3);
    run_workers(workers, 3);
    expect_same(workers, 3, alone);
    free(alone.bytes);
    free(set);
}

/* One is interrupted after some exchange, wherever that is; the checkpoint of any of them is continued by another
 * number. */
TESTING_CASE(interrupted_workers_continue_in_another_number)
{
    struct set *set = make_set();
    struct shw_cascade_trainer_params params = usual_params();
    const uint32_t every = TESTING_SANITIZED ? 23 : 5;
    const struct bytes alone = train_alone(&params, set);
    uint32_t resumed = 0, calls = 1;

    for (uint32_t after = 4;; after += every) {
        struct testing_table table;
        struct worker workers[TESTING_WORKERS_MAX];
        const char *path = testing_path("checkpoint");
        const uint32_t count = 2 + after % 3, saver = after % count, next = 1 + after % 4;

        prepare(&table, workers, count, &params, set, cpu, 1);
        workers[after / 2 % count].calls_max = after;
        workers[after / 2 % count].at_once = after % 2 == 0;
        workers[saver].save = path;
        run_workers(workers, count);
        calls = workers[0].calls;
        if (workers[0].result == SHW_OK) { /* it had finished */
            expect_same(workers, count, alone);
            break;
        }
        for (uint32_t w = 0; w < count; w++)
            assert_int_equal(workers[w].result, SHW_ERROR_CANCELLED);
        if (workers[saver].save == NULL)
            continue;
        prepare(&table, workers, next, &params, set, cpu, 1);
        for (uint32_t w = 0; w < next; w++)
            workers[w].checkpoint = path;
        run_workers(workers, next);
        expect_same(workers, next, alone);
        resumed++;
    }
    assert_true(resumed > (TESTING_SANITIZED ? 1u : 5u) && calls > 40);
    free(alone.bytes);
    free(set);
}

static void expect_failure(struct worker *workers, uint32_t count, uint32_t told, const char *part)
{
    run_workers(workers, count);
    for (uint32_t w = 0; w < count; w++)
        assert_int_not_equal(workers[w].result, SHW_OK);
    assert_int_equal(workers[told].result, SHW_ERROR_ARGUMENT);
    if (strstr(workers[told].memory.last, part) == NULL)
        fail_msg("%s", workers[told].memory.last);
}

TESTING_CASE(others_than_the_same_are_noticed)
{
    struct set *set = make_set(), *other = make_set();
    struct shw_cascade_trainer_params params = usual_params();
    struct testing_table table;
    struct worker workers[3];

    prepare(&table, workers, 3, &params, set, cpu, 1);
    workers[1].params.seed++;
    expect_failure(workers, 3, 2, "worker 1 trains another cascade, with other parameters");
    other->objects[3].x++;
    prepare(&table, workers, 3, &params, set, cpu, 1);
    workers[2].set = other;
    expect_failure(workers, 3, 0, "worker 2 trains another cascade, with other objects");
    other->objects[3].x--;
    other->pixels[1][7] ^= 1; /* image 1 is worker 1's, and worker 0 looks at it */
    prepare(&table, workers, 3, &params, set, cpu, 1);
    workers[1].set = other;
    expect_failure(workers, 3, 0, "image 1 is not the same as that of worker 1");
    free(other);
    free(set);
}

static void expect_refused(const struct shw_train_exchange *exchange, const char *part)
{
    struct set *set = make_set();
    struct shw_cascade_trainer_params params = usual_params();
    struct testing_log memory;
    struct shw_cascade_trainer *trainer = NULL;

    params.exchange = exchange;
    params.log = testing_log(&memory);
    assert_int_equal(shw_cascade_trainer_create(&params, &set->dataset, &trainer), SHW_ERROR_ARGUMENT);
    assert_null(trainer);
    if (strstr(memory.last, part) == NULL)
        fail_msg("%s", memory.last);
    free(set);
}

TESTING_CASE(wrong_exchanges_are_refused)
{
    struct shw_train_exchange exchange = {.worker = 0, .worker_count = 2};

    expect_refused(&exchange, "gather");
    exchange.gather = gather;
    exchange.worker = 2;
    expect_refused(&exchange, "worker 2 of 2");
    exchange.worker = 0;
    exchange.worker_count = 61;
    expect_refused(&exchange, "61 workers divide 60 candidates");
    exchange.worker_count = 2;
    exchange.divide = SHW_DIVIDE_IMAGES;
    expect_refused(&exchange, "divide the candidates of cascades");
}

TESTING_FIXTURE(NULL, testing_device_teardown)
