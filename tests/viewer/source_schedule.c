/* The order of what a source shows, against a plain list, for steps and seeks that come at any moment of the
 * reading. */
#include "testing/testing.h"

#include <stdlib.h>

#include "source/schedule.h"

#define FRAMES       12
#define EXPECTED_MAX 4096

/* The thread and its file: what it is doing now, and which picture it would read next. */
struct reading {
    struct view_schedule schedule;
    struct view_work work; /* NONE: nothing is begun */
    int position;
    unsigned given_up; /* readings whose result would have been discarded */
};

static struct view_arrival arrival_of(int frame)
{
    struct view_arrival arrival = {0};

    if (frame >= FRAMES)
        return arrival;
    arrival.picture = calloc(1, sizeof *arrival.picture);
    assert_non_null(arrival.picture);
    arrival.ticks = 10 * frame + 100;
    arrival.seconds = frame;
    return arrival;
}

static int clamp(int frame)
{
    return frame < 0 ? 0 : frame >= FRAMES ? FRAMES - 1 : frame;
}

/* Begins a piece of work, or ends the one begun. False if there is nothing to do. */
static bool turn(struct reading *reading)
{
    struct view_arrival arrival;
    int frame = reading->position;

    if (reading->work.kind == VIEW_WORK_NONE) {
        reading->work = view_schedule_work(&reading->schedule);
        return reading->work.kind != VIEW_WORK_NONE;
    }
    if (reading->work.kind == VIEW_WORK_NEXT && reading->work.after)
        frame = (int)((reading->work.ticks - 100) / 10) + 1;
    else if (reading->work.kind == VIEW_WORK_SEEK)
        frame = clamp((int)reading->work.seconds);
    else if (reading->work.kind == VIEW_WORK_BACK)
        frame = clamp((int)((reading->work.ticks - 100 + 9) / 10) - 1);
    if (view_schedule_is_void(&reading->schedule)) {
        reading->given_up++;
        arrival = arrival_of(FRAMES);
    } else {
        arrival = arrival_of(frame);
        reading->position = frame + 1;
    }
    view_schedule_done(&reading->schedule, &reading->work, &arrival);
    reading->work.kind = VIEW_WORK_NONE;
    return true;
}

struct expectation {
    int frames[EXPECTED_MAX];
    int first, count; /* of frames that must still come */
    int current;      /* where the last of them will be */
};

static void expect(struct expectation *expected, int frame)
{
    assert_true(expected->count < EXPECTED_MAX);
    expected->frames[expected->count++] = expected->current = frame;
}

static bool poll(struct reading *reading, struct expectation *expected)
{
    struct view_arrival arrival;

    if (!view_schedule_take(&reading->schedule, 0.0, &arrival))
        return false;
    assert_true(expected->first < expected->count);
    assert_int_equal(arrival.ticks, 10 * expected->frames[expected->first++] + 100);
    view_picture_free(arrival.picture);
    return true;
}

static void settle(struct reading *reading, struct expectation *expected)
{
    while (turn(reading) || poll(reading, expected))
        ;
    assert_int_equal(expected->first, expected->count);
    assert_false(view_schedule_pending(&reading->schedule));
    assert_int_equal(view_schedule_at_end(&reading->schedule), expected->current == FRAMES - 1);
    expected->first = expected->count = 0;
}

static void command(struct testing_random *random, struct reading *reading, struct expectation *expected)
{
    uint32_t what = testing_random_below(random, 11);

    if (what == 10 && reading->schedule.shown) { /* an earlier picture turns out to be still shown */
        const int frame = (int)testing_random_below(random, FRAMES);

        if (reading->schedule.shown_ticks == 10 * frame + 100)
            return;
        view_schedule_return(&reading->schedule, 10 * frame + 100, frame);
        expected->count = expected->first; /* what was asked for is forgotten */
        expected->current = frame;
    } else if (what == 0) {
        int frame = testing_random_range(random, -2, FRAMES + 2);

        view_schedule_seek(&reading->schedule, frame);
        expected->count = expected->first; /* what was asked for before is forgotten */
        expect(expected, clamp(frame));
    } else if (what < 5) {
        if (view_schedule_step(&reading->schedule, true))
            expect(expected, clamp(expected->current - 1));
    } else if (view_schedule_step(&reading->schedule, false) && expected->current < FRAMES - 1) {
        expect(expected, expected->current + 1);
    }
}

TESTING_CASE(test_order)
{
    static struct expectation expected;
    unsigned given_up = 0;

    for (unsigned round = 0; round < 400; round++) {
        struct testing_random random = {round};
        struct reading reading = {0};

        expected = (struct expectation){0};
        view_schedule_begin(&reading.schedule, false, 1 + round % VIEW_SCHEDULE_RING);
        expect(&expected, 0);
        for (int i = 0; i < 300; i++) {
            uint32_t what = testing_random_below(&random, 8);

            if (what < 3)
                command(&random, &reading, &expected);
            else if (what < 6)
                turn(&reading);
            else
                poll(&reading, &expected);
            if (testing_random_below(&random, 60) == 0)
                settle(&reading, &expected);
        }
        settle(&reading, &expected);
        view_schedule_clear(&reading.schedule);
        given_up += reading.given_up;
    }
    assert_true(given_up > 1000);
}

TESTING_CASE(test_too_many_steps)
{
    struct reading reading = {0};
    struct expectation expected = {0};
    int taken = 0;

    view_schedule_begin(&reading.schedule, false, 2);
    expect(&expected, 0);
    while (view_schedule_step(&reading.schedule, true)) {
        expect(&expected, 0);
        taken++;
    }
    assert_int_equal(taken, VIEW_SCHEDULE_COMMANDS - 1);
    settle(&reading, &expected);
    view_schedule_clear(&reading.schedule);
}

/* A camera that is looked at seldom shows its newest picture; one asked for by a step stays. */
TESTING_CASE(test_camera)
{
    struct reading reading = {0};
    struct view_arrival arrival;

    view_schedule_begin(&reading.schedule, true, VIEW_SCHEDULE_RING);
    for (int i = 0; i < 2 * 5; i++)
        assert_true(turn(&reading));
    assert_true(view_schedule_take(&reading.schedule, 0.0, &arrival)); /* the first one is always asked for */
    assert_int_equal(arrival.ticks, 100);
    view_picture_free(arrival.picture);
    assert_true(view_schedule_take(&reading.schedule, 0.0, &arrival));
    assert_int_equal(arrival.ticks, 140);
    view_picture_free(arrival.picture);
    assert_false(view_schedule_take(&reading.schedule, 0.0, &arrival));
    assert_true(view_schedule_step(&reading.schedule, false));
    for (int i = 0; i < 2 * 3; i++)
        assert_true(turn(&reading));
    assert_true(view_schedule_take(&reading.schedule, 0.0, &arrival));
    assert_int_equal(arrival.ticks, 150);
    view_picture_free(arrival.picture);
    assert_false(view_schedule_take(&reading.schedule, 0.0, &arrival)); /* the step has paused it */
    view_schedule_clear(&reading.schedule);
}

/* The last picture that is due; with every_picture each of them. */
TESTING_CASE(test_due)
{
    for (int every = 0; every < 2; every++) {
        struct reading reading = {0};
        struct view_arrival arrival;

        view_schedule_begin(&reading.schedule, false, VIEW_SCHEDULE_RING);
        reading.schedule.every_picture = every != 0;
        turn(&reading), turn(&reading);
        assert_true(view_schedule_take(&reading.schedule, 50.0, &arrival));
        view_picture_free(arrival.picture);
        while (turn(&reading))
            ;
        view_schedule_play(&reading.schedule);
        assert_false(view_schedule_take(&reading.schedule, 60.0, &arrival));
        assert_false(view_schedule_take(&reading.schedule, 60.9, &arrival));
        assert_true(view_schedule_take(&reading.schedule, 63.5, &arrival)); /* 1, 2 and 3 are due */
        assert_int_equal(arrival.ticks, every ? 110 : 130);
        view_picture_free(arrival.picture);
        assert_int_equal(view_schedule_take(&reading.schedule, 63.5, &arrival), every);
        if (every) {
            assert_int_equal(arrival.ticks, 120);
            view_picture_free(arrival.picture);
        }
        view_schedule_clear(&reading.schedule);
    }
}

static void check_take(struct reading *reading, double now, int frame)
{
    struct view_arrival arrival;

    assert_true(view_schedule_take(&reading->schedule, now, &arrival));
    assert_int_equal(arrival.ticks, 10 * frame + 100);
    view_picture_free(arrival.picture);
}

/* However long reading takes, a picture comes at its time, or at once if that has passed; others do not hurry then. */
TESTING_CASE(test_slow_reading)
{
    for (int every = 0; every < 2; every++) {
        struct reading reading = {0};
        struct view_arrival arrival;

        view_schedule_begin(&reading.schedule, false, 1);
        reading.schedule.every_picture = every != 0;
        turn(&reading), turn(&reading);
        view_schedule_play(&reading.schedule);
        check_take(&reading, 60.0, 0);
        turn(&reading); /* begins to read */
        for (int i = 0; i < 4; i++)
            assert_false(view_schedule_take(&reading.schedule, 60.0 + 0.125 * i, &arrival));
        turn(&reading);
        assert_false(view_schedule_take(&reading.schedule, 60.875, &arrival));
        check_take(&reading, 61.0, 1);
        turn(&reading);
        assert_false(view_schedule_take(&reading.schedule, 65.5, &arrival));
        turn(&reading);
        check_take(&reading, 65.5, 2);
        turn(&reading), turn(&reading);
        assert_false(view_schedule_take(&reading.schedule, 66.25, &arrival));
        check_take(&reading, 66.5, 3);
        view_schedule_clear(&reading.schedule);
    }
}
