/* How workers that train one forest together share the candidates: by how fast they were. */
#include "testing/testing.h"

#include <stdlib.h>

#include "dense/grow/proposal.h"
#include "dense/grow/trainer.h"

#define WORKERS_MAX 40u

static void prepare(struct shw_trainer *trainer, struct shw_train_exchange *exchange, uint32_t workers,
                    uint32_t candidates)
{
    *exchange = (struct shw_train_exchange){.worker_count = workers};
    *trainer = (struct shw_trainer){.params = {.exchange = exchange, .candidates = candidates}};
    trainer->round_candidates = candidates;
}

static uint32_t size_of(const struct shw_trainer *trainer, uint32_t worker)
{
    return shw_candidates_share(trainer, worker + 1) - shw_candidates_share(trainer, worker);
}

/* All candidates are counted, each by one worker, and no worker has none. */
static void check_whole(const struct shw_trainer *trainer)
{
    uint32_t workers = trainer->params.exchange->worker_count;

    assert_int_equal(shw_candidates_share(trainer, 0), 0);
    assert_int_equal(shw_candidates_share(trainer, workers), trainer->round_candidates);
    for (uint32_t w = 0; w < workers; w++) {
        assert_true(shw_candidates_share(trainer, w) < shw_candidates_share(trainer, w + 1));
        assert_true(size_of(trainer, w) >= 1);
    }
}

TESTING_CASE(at_first_all_have_the_same)
{
    struct shw_train_exchange exchange;
    struct shw_trainer trainer;

    for (uint32_t workers = 1; workers <= WORKERS_MAX; workers++)
        for (uint32_t candidates = workers; candidates < 5 * workers; candidates++) {
            prepare(&trainer, &exchange, workers, candidates);
            check_whole(&trainer);
            for (uint32_t w = 0; w <= workers; w++)
                assert_int_equal(shw_candidates_share(&trainer, w), candidates * w / workers);
        }
}

/* Workers with given speeds: after some rounds all take about as long. */
TESTING_CASE(shares_become_as_large_as_workers_are_fast)
{
    static const double speeds[] = {1, 10, 2.5, 40}; /* candidates per millisecond */
    struct shw_train_exchange exchange;
    struct shw_trainer trainer;

    prepare(&trainer, &exchange, 4, 5350);
    for (uint32_t round = 0; round < 12; round++) {
        uint32_t microseconds[4];
        for (uint32_t w = 0; w < 4; w++)
            microseconds[w] = (uint32_t)(size_of(&trainer, w) / speeds[w] * 1000);
        assert_true(shw_candidates_measure(&trainer, microseconds));
        check_whole(&trainer);
    }
    for (uint32_t w = 0; w < 4; w++) { /* 53.5 candidates per millisecond in all, 100 milliseconds */
        const double wanted = speeds[w] * 100, got = size_of(&trainer, w);
        if (got < 0.97 * wanted - 2 || got > 1.03 * wanted + 2)
            fail_msg("worker %u has %g candidates, not about %g", w, got, wanted);
    }
    free(trainer.rates);
}

/* A worker that was held up once gets its share back. */
TESTING_CASE(a_slow_round_is_forgotten)
{
    struct shw_train_exchange exchange;
    struct shw_trainer trainer;

    prepare(&trainer, &exchange, 2, 1000);
    assert_true(shw_candidates_measure(&trainer, (const uint32_t[]){5000, UINT32_MAX}));
    assert_true(size_of(&trainer, 1) < 340);
    for (uint32_t round = 0; round < 12; round++)
        assert_true(
            shw_candidates_measure(&trainer, (const uint32_t[]){10 * size_of(&trainer, 0), 10 * size_of(&trainer, 1)}));
    assert_true(size_of(&trainer, 1) > 480 && size_of(&trainer, 1) <= 500);
    free(trainer.rates);
}

/* What takes no time says nothing. */
TESTING_CASE(short_rounds_do_not_count)
{
    struct shw_train_exchange exchange;
    struct shw_trainer trainer;

    prepare(&trainer, &exchange, 2, 100);
    assert_true(shw_candidates_measure(&trainer, (const uint32_t[]){1, 1999}));
    assert_null(trainer.rates);
    assert_int_equal(size_of(&trainer, 0), 50);
}

TESTING_CASE(random_times_leave_all_with_something)
{
    struct testing_random random = {7};

    for (uint32_t i = 0; i < 300; i++) {
        uint32_t workers = 1 + testing_random_below(&random, WORKERS_MAX), microseconds[WORKERS_MAX];
        uint32_t most = 1 + testing_random_below(&random, i % 2 == 0 ? 60 : (1u << 20) - WORKERS_MAX);
        struct shw_train_exchange exchange;
        struct shw_trainer trainer;

        prepare(&trainer, &exchange, workers, workers + most - 1);
        for (uint32_t round = 0; round < 8; round++) {
            for (uint32_t w = 0; w < workers; w++)
                microseconds[w] = testing_random_below(&random, 2) == 0 ? testing_random_below(&random, 3)
                                                                        : (uint32_t)testing_random_next(&random);
            assert_true(shw_candidates_measure(&trainer, microseconds));
            check_whole(&trainer);
            trainer.round_candidates = workers + testing_random_below(&random, most); /* as a proposer may want */
            check_whole(&trainer);
        }
        free(trainer.rates);
    }
}
