/* Estimates of the time left: none is shown before it means something, whatever the machine's clock does. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "dense/grow/trainer.h"
#include "files/dataset/cascade_data.h"

/* Shown estimates are within a factor of the truth from then on. */
static void check(bool shown, double left, double truth, double factor, const char *what)
{
    if (shown && (left > factor * truth + 0.5 || left < truth / factor - 0.5))
        fail_msg("%s: %.1f s are left, it said %.1f s", what, truth, left);
}

/* A first estimate of 65 minutes, and then good ones. */
TESTING_CASE(test_first_estimates_are_not_shown)
{
    struct shw_time_left time = {0};
    double now;

    assert_false(shw_time_left_take(&time, 1000, 3900));
    assert_false(shw_time_left_take(&time, 1010, 600));
    assert_false(shw_time_left_take(&time, 1015, 200));
    for (now = 1016; now < 1120 && !shw_time_left_take(&time, now, 1120 - now); now++)
        ;
    assert_true(now > 1020 && now <= 1040);                /* the first ones are of the earlier half */
    assert_true(shw_time_left_take(&time, now + 1, 5000)); /* once, and for all */
}

/* Estimates of the earlier half are looked at, too, whether they were longer or shorter. */
TESTING_CASE(test_both_halves_agree)
{
    static const double wholes[][2] = {{100, 50}, {50, 100}};

    for (int i = 0; i < 2; i++) {
        struct shw_time_left time = {0};

        assert_false(shw_time_left_take(&time, 1000, wholes[i][0]));
        assert_false(shw_time_left_take(&time, 1001, wholes[i][0] - 1));
        assert_false(shw_time_left_take(&time, 1003, wholes[i][1] - 3));
        assert_true(shw_time_left_take(&time, 1006, wholes[i][1] - 6));
    }
}

/* Steady work is reported after three steps and a second, quick or slow. */
TESTING_CASE(test_steady_work)
{
    static const double steps[] = {0.001, 0.1, 1, 600};

    for (int s = 0; s < 4; s++) {
        struct shw_time_left time = {0};
        double step = steps[s], left = 0;
        int told = 0;

        for (int i = 1; i <= 5000; i++) {
            bool shown = shw_time_left_of(&time, 77 + i * step, i / 5000.0, &left);

            check(shown, left, (5000 - i) * step, 1.01, "steady work");
            told += shown;
            assert_true(!shown || (i > 3 && i * step >= 1)); /* the first call makes no estimate */
        }
        assert_true(told >= 5000 - (int)fmax(3, ceil(1.1 / step) + 1));
    }
}

/* What is done before the first part does not count, nor does what was read twice. */
TESTING_CASE(test_slow_beginnings)
{
    struct shw_time_left time = {0};
    double left, now = 0;

    for (int i = 1; i <= 100; i++) {
        now += i == 1 ? 60 : 0.5;
        for (int again = 0; again < 3; again++) {
            bool shown = shw_time_left_of(&time, now, i / 100.0, &left);

            check(shown, left, (100 - i) * 0.5, 1.01, "a slow beginning");
        }
    }
    assert_true(time.reported && time.estimates == 99);
    /* Another piece of work begins again, and what cannot be divided is never reported. */
    assert_false(shw_time_left_of(&time, now + 1, 0.5, &left));
    assert_false(shw_time_left_of(&time, now + 100, 0.5, &left));
    assert_false(shw_time_left_of(&time, now + 101, 0, &left));
    assert_false(time.reported);
}

/* Work whose parts differ by so much that nothing can be known. */
TESTING_CASE(test_unsteady_work)
{
    struct shw_time_left time = {0};
    double now = 0;

    for (int i = 0; i < 40; i++, now += pow(1.5, i))
        assert_false(shw_time_left_take(&time, now, i % 2 == 0 ? now + 10 : 5 * now + 50));
}

/* A training whose rounds take so long: that of the device, which compiles shaders for ten seconds. */
struct training {
    struct shw_trainer trainer;
    struct shw_train_backend backend;
    struct shw_open_node open[1];
    struct shw_node nodes[1];
    struct shw_tree trees[64];
    struct shw_time_left time;
    double now, end, fraction;
    int shown;
};

static bool watch(void *user, const struct shw_train_progress *progress)
{
    struct training *training = user;
    const bool shown = shw_time_left_take(&training->time, training->now, progress->seconds_left);

    assert_true(progress->fraction > training->fraction && progress->fraction <= 1);
    training->fraction = progress->fraction;
    check(shown, progress->seconds_left, training->end - training->now, 2, "a training");
    training->shown += shown;
    return true;
}

/* Seconds of a round; `once`: of the first one, beyond what the others take. */
static double seconds_of(uint32_t tree, uint32_t depth, double once)
{
    return 0.2 + 0.05 * depth + 0.01 * (tree * 7 % 5) + (tree == 0 && depth == 0 ? once : 0);
}

static void run_training(struct training *training, uint32_t trees, uint32_t depth, double once)
{
    struct shw_trainer *trainer = &training->trainer;

    *training = (struct training){.trainer = {.params = {.tree_count = trees, .depth = depth}}};
    trainer->params.progress = watch;
    trainer->params.progress_user = training;
    trainer->backend = &training->backend;
    trainer->builder.open = training->open;
    trainer->trees = training->trees;
    for (uint32_t t = 0; t < trees; t++)
        for (uint32_t d = 0; d < depth; d++)
            training->end += seconds_of(t, d, once);
    for (uint32_t t = 0; t < trees; t++)
        for (uint32_t d = 0; d < depth; d++) {
            const struct shw_round round = {.tree = t,
                                            .depth = d,
                                            .open_nodes = 1,
                                            .samples = 10000 - 300 * d,
                                            .tree_samples = 10000,
                                            .seconds = seconds_of(t, d, once)};
            const bool ends = d + 1 == depth;

            training->now += round.seconds;
            trainer->builder.nodes = ends ? NULL : training->nodes;
            trainer->builder.open_count = ends ? 0 : 1;
            trainer->builder.depth = d + 1;
            training->open[0].all = 10000 - 300 * (d + 1);
            trainer->tree_count = t + ends;
            assert_true(shw_progress_report(trainer, &round));
        }
    assert_true(training->fraction == 1);
}

TESTING_CASE(test_trainings)
{
    static struct training training;

    for (int once = 0; once <= 1000; once = once * 10 + 10) {
        run_training(&training, 6, 10, once);
        assert_true(training.shown >= 50); /* of 60 */
        run_training(&training, 1, 12, once);
        assert_true(training.shown >= 7);
        run_training(&training, 64, 1, once);
        assert_true(training.shown >= 58);
    }
}

/* Mining takes most of the time, and longer each time; 65 minutes would be the first estimate by stages. */
TESTING_CASE(test_cascades)
{
    struct shw_cascade_progress progress = {.stage_count = 256};
    struct shw_cascade_pace pace = {0};
    struct shw_time_left time = {0};
    double end = 256 * 0.1 + 9 * 15 + 36 * 2;
    int shown = 0;

    for (uint32_t s = 0; s < 256; s++) {
        double left;
        bool told;

        progress.seconds += 0.1;
        if (s % 32 == 0)
            progress.seconds += 15 + 2 * progress.round++;
        progress.stages = s + 1;
        if (s == 255)
            progress.seconds = end;
        left = shw_cascade_pace_take(&pace, &progress, 32);
        told = shw_time_left_take(&time, progress.seconds, left);
        assert_true((left > 0) == (s < 255));
        if (s == 0)
            assert_true(left < 400);
        check(told, left, end - progress.seconds, 1.7, "a cascade");
        shown += told;
    }
    assert_true(shown >= 220);
}
