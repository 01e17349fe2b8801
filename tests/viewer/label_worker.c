/* Asynchronous labelling: the same labels, whatever comes and goes meanwhile. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "label/label_worker.h"
#include "testing/labelling.h"
#include "testing/random_forest.h"

enum { WIDTH = 40, HEIGHT = 30 };

/* Pixels of a job. */
struct held {
    uint8_t *pixels;
    size_t size;
    atomic_bool released;
};

static struct view_shared_forest *make_forest(uint64_t seed, const char *set, uint32_t classes, uint32_t trees)
{
    struct random_forest_params params = {
        .seed = seed, .channels = set, .classes = classes, .trees = trees, .depth = 5, .split_percent = 80};
    struct view_shared_forest *forest = view_shared_forest_create(random_forest(&params), true, 0);

    assert_non_null(forest);
    return forest;
}

/* The worker says when it no longer needs the pixels. */
static void release(void *held)
{
    struct held *pixels = held;

    memset(pixels->pixels, 0, pixels->size);
    free(pixels->pixels);
    atomic_store(&pixels->released, true);
}

static struct view_label_job job_of(struct view_shared_forest *forest, struct shw_image image, bool planes)
{
    static struct shw_input colour;

    colour.image = image;
    return (struct view_label_job){.forest = forest,
                                   .inputs = {1, &colour},
                                   .techniques = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_CPU},
                                   .planes = planes ? shw_forest_get_info(forest->forest)->class_count : 0};
}

/* Takes what the worker has made of the image by the forest. */
static void check_results(struct view_label_worker *worker, const struct shw_forest *forest,
                          const struct shw_image *image, bool planes)
{
    struct shw_labeller_params cpu = {.forest = forest, .threads = 1};
    struct testing_labelling expected = testing_label(&cpu, image), got = expected;
    size_t pixels = (size_t)image->width * image->height;
    const uint16_t *results;
    double milliseconds = -1.0;

    view_label_worker_wait(worker);
    assert_true(view_label_worker_done(worker));
    assert_int_equal(view_label_worker_take(worker, &results, &milliseconds), SHW_OK);
    assert_true(milliseconds >= 0.0);
    got.out.argmax = (uint16_t *)(uintptr_t)results;
    got.out.distribution = (uint16_t *)(uintptr_t)(results + pixels);
    testing_labelling_same("async", SHW_OUTPUT_ARGMAX | (planes ? SHW_OUTPUT_DISTRIBUTION : 0u), &got, &expected);
    testing_labelling_free(&expected);
}

/* Sizes, forests, channel sets and outputs change from job to job; the forest's share is given back while it works, and
 * the pixels when it has worked. */
TESTING_CASE(jobs_follow_each_other)
{
    static const struct {
        const char *set;
        uint32_t classes, trees, width, height;
        bool planes;
    } jobs[] = {{SHW_CHANNELS_LAB, 3, 2, WIDTH, HEIGHT, true}, {SHW_CHANNELS_LAB, 5, 4, WIDTH, HEIGHT, true},
                {SHW_CHANNELS_LAB, 2, 1, 17, 60, true},        {SHW_CHANNELS_RGB, 5, 3, 17, 60, false},
                {SHW_CHANNELS_RGB, 4, 3, 64, 3, true},         {SHW_CHANNELS_WINN16, 9, 2, WIDTH, HEIGHT, true}};
    const struct shw_log none = {0};
    struct view_label_worker *worker = NULL;
    struct testing_random random = {4};

    assert_int_equal(view_label_worker_create(&none, &worker), SHW_OK);
    for (uint32_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        struct view_shared_forest *forest = make_forest(j, jobs[j].set, jobs[j].classes, jobs[j].trees), *kept;
        struct shw_image image = testing_image(&random, jobs[j].width, jobs[j].height, SHW_PIXEL_RGB8, 5), copy = image;
        struct view_label_job job = job_of(forest, image, jobs[j].planes);
        size_t size = image.stride * image.height;
        struct held held = {(uint8_t *)(uintptr_t)image.pixels, size, false};
        copy.pixels = malloc(size);
        assert_non_null(copy.pixels);
        memcpy((void *)(uintptr_t)copy.pixels, image.pixels, size);
        job.release = release;
        job.held = &held;
        assert_int_equal(view_label_worker_begin(worker, &job), SHW_OK);
        kept = view_shared_forest_share(forest);
        view_shared_forest_release(&forest);
        check_results(worker, kept->forest, &copy, jobs[j].planes);
        assert_true(atomic_load(&held.released));
        view_shared_forest_release(&kept);
        free((void *)(uintptr_t)copy.pixels);
    }
    view_label_worker_destroy(&worker);
    assert_null(worker);
}

/* The next labelling may begin before anybody has looked at what the last one made. */
TESTING_CASE(results_stay_while_the_next_come)
{
    struct view_shared_forest *forest = make_forest(4, SHW_CHANNELS_LAB, 5, 3);
    struct testing_random random = {8};
    const struct shw_log none = {0};
    struct view_label_worker *worker = NULL;
    const uint16_t *last = NULL, *results;
    uint16_t *copy = NULL;
    size_t size = 0;
    double milliseconds;

    assert_int_equal(view_label_worker_create(&none, &worker), SHW_OK);
    for (uint32_t turn = 0; turn < 6; turn++) {
        struct shw_image image = testing_image(&random, WIDTH + 9 * (turn / 2), HEIGHT, SHW_PIXEL_RGB8, 0);
        struct view_label_job job = job_of(forest, image, true);
        assert_int_equal(view_label_worker_begin(worker, &job), SHW_OK);
        view_label_worker_wait(worker);
        if (last != NULL)
            assert_memory_equal(last, copy, size);
        assert_int_equal(view_label_worker_take(worker, &results, &milliseconds), SHW_OK);
        last = results;
        size = (size_t)image.width * image.height * (1 + 5) * sizeof *results;
        free(copy);
        copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, results, size);
        free((void *)(uintptr_t)image.pixels);
    }
    free(copy);
    view_label_worker_destroy(&worker);
    view_shared_forest_release(&forest);
}

TESTING_CASE(failures_are_told_and_pass)
{
    struct view_shared_forest *forest = make_forest(1, SHW_CHANNELS_RGB, 3, 2);
    struct testing_random random = {5};
    struct shw_image image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_GREY16, 0);
    struct view_label_job job = job_of(forest, image, true), bad = job;
    struct view_label_worker *worker = NULL;
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    const uint16_t *results;
    double milliseconds;

    assert_int_equal(view_label_worker_create(&log, &worker), SHW_OK);
    bad.techniques[0] = SHW_TECHNIQUE_BLEND;
    bad.device = 1000;
    assert_int_equal(view_label_worker_begin(worker, &bad), SHW_OK);
    view_label_worker_wait(worker);
    assert_int_not_equal(view_label_worker_take(worker, &results, &milliseconds), SHW_OK);
    assert_int_equal(memory.errors, 1);
    assert_int_equal(view_label_worker_begin(worker, &job), SHW_OK);
    check_results(worker, forest->forest, &image, true);
    view_label_worker_destroy(&worker);
    view_shared_forest_release(&forest);
    free((void *)(uintptr_t)image.pixels);
}

static void count_release(void *held)
{
    atomic_fetch_add((atomic_int *)held, 1);
}

/* Whether a job is about to begin, has just begun or is long done: its pixels are released once. */
TESTING_CASE(the_worker_ends_at_any_time)
{
    struct view_shared_forest *forest = make_forest(2, SHW_CHANNELS_WINN16, 3, 4);
    struct testing_random random = {6};
    struct shw_image image = testing_image(&random, 200, 150, SHW_PIXEL_RGB8, 0);
    struct view_label_job job = job_of(forest, image, true);
    const struct shw_log none = {0};

    job.release = count_release;
    for (int i = 0; i < 4; i++) {
        struct view_label_worker *worker = NULL;
        atomic_int released = 0;
        job.held = &released;
        assert_int_equal(view_label_worker_create(&none, &worker), SHW_OK);
        if (i > 0)
            assert_int_equal(view_label_worker_begin(worker, &job), SHW_OK);
        if (i > 1)
            view_label_worker_done(worker);
        if (i > 2)
            view_label_worker_wait(worker);
        view_label_worker_destroy(&worker);
        assert_int_equal(atomic_load(&released), i > 0);
    }
    view_label_worker_destroy(&(struct view_label_worker *){NULL});
    view_shared_forest_release(&forest);
    free((void *)(uintptr_t)image.pixels);
}

/* The program's own, whatever else the machine does. */
static double processor_seconds(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void sleep_for(double seconds)
{
    struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(fmod(seconds, 1.0) * 1e9)};

    nanosleep(&time, NULL);
}

/* Its end does not wait for a long labelling that is under way. */
TESTING_CASE(the_end_comes_soon)
{
    struct view_shared_forest *forest = make_forest(3, SHW_CHANNELS_WINN16, 200, 8);
    struct testing_random random = {7};
    struct shw_image image = testing_image(&random, 400, 300, SHW_PIXEL_RGB8, 0);
    struct view_label_job job = job_of(forest, image, true);
    const struct shw_log none = {0};
    double whole = 0.0, best = INFINITY;

    for (int i = 0; i < 20 && !(best < whole / 2.0); i++) {
        struct view_label_worker *worker = NULL;
        double began = processor_seconds();
        assert_int_equal(view_label_worker_create(&none, &worker), SHW_OK);
        assert_int_equal(view_label_worker_begin(worker, &job), SHW_OK);
        if (i == 0)
            view_label_worker_wait(worker);
        else
            sleep_for(whole / 8.0 / (1 + i / 4)); /* so that it is under way */
        view_label_worker_destroy(&worker);
        if (i == 0)
            whole = processor_seconds() - began;
        else
            best = fmin(best, processor_seconds() - began);
    }
    if (best >= whole / 2.0)
        fail_msg("%.3f s of processor time, of %.3f s that all of it takes", best, whole);
    view_shared_forest_release(&forest);
    free((void *)(uintptr_t)image.pixels);
}

/* Parts one after the other, each complete before the next is. */
TESTING_CASE(parts_become_ready_one_by_one)
{
    static const struct shw_part parts[] = {{30, 20, 10, 10, 1}, {1, 2, 13, 9, 3}, {0, 0, 1, 1, 9}, {0, 0, 40, 30, 1}};
    enum { PARTS = sizeof parts / sizeof *parts };
    struct view_shared_forest *forest = make_forest(5, SHW_CHANNELS_LAB, 4, 3);
    struct testing_random random = {9};
    struct shw_image image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 0);
    struct view_label_job job = job_of(forest, image, true);
    struct shw_labeller_params cpu = {.forest = forest->forest, .threads = 1};
    struct testing_labelling whole = testing_label(&cpu, &image);
    const struct shw_log none = {0};
    struct view_label_worker *worker = NULL;
    const uint16_t *results;
    double milliseconds;

    job.parts = parts;
    job.part_count = PARTS;
    job.memory = 1 << 16;
    assert_int_equal(view_label_worker_create(&none, &worker), SHW_OK);
    assert_int_equal(view_label_worker_begin(worker, &job), SHW_OK);
    for (uint32_t ready = 0, checked = 0; checked < PARTS;) {
        ready = view_label_worker_ready(worker);
        for (; checked < ready; checked++) {
            const struct shw_part *part = &parts[checked];
            const uint16_t *labels = view_label_worker_part(worker, checked);
            for (uint32_t j = 0; j < part->height; j++)
                for (uint32_t i = 0; i < part->width; i++) {
                    size_t at = (part->y + (size_t)part->step * j) * WIDTH + part->x + (size_t)part->step * i;
                    size_t in = (size_t)j * part->width + i, plane = (size_t)part->width * part->height;
                    assert_int_equal(labels[in], whole.out.argmax[at]);
                    assert_int_equal(labels[2 * plane + in], whole.out.distribution[(size_t)WIDTH * HEIGHT + at]);
                }
        }
    }
    view_label_worker_wait(worker);
    assert_int_equal(view_label_worker_take(worker, &results, &milliseconds), SHW_OK);
    assert_ptr_equal(results, view_label_worker_part(worker, 0));
    view_label_worker_destroy(&worker);
    testing_labelling_free(&whole);
    view_shared_forest_release(&forest);
    free((void *)(uintptr_t)image.pixels);
}

/* A job that is stopped says so, or is complete; the next one is as if nothing had been. */
TESTING_CASE(jobs_can_be_stopped)
{
    struct view_shared_forest *forest = make_forest(6, SHW_CHANNELS_WINN16, 6, 4);
    struct testing_random random = {10};
    struct shw_image image = testing_image(&random, 300, 200, SHW_PIXEL_RGB8, 0), small = image;
    struct view_label_job job = job_of(forest, image, true);
    const struct shw_log none = {0};
    struct view_label_worker *worker = NULL;

    small.width = WIDTH;
    small.height = HEIGHT;
    assert_int_equal(view_label_worker_create(&none, &worker), SHW_OK);
    view_label_worker_stop(worker); /* nothing is in progress */
    for (int i = 0; i < 6; i++) {
        const uint16_t *results;
        double milliseconds;
        enum shw_result result;
        struct view_label_job next;
        job = job_of(forest, image, true);
        assert_int_equal(view_label_worker_begin(worker, &job), SHW_OK);
        if (i % 2 == 1)
            sleep_for(0.001 * i);
        view_label_worker_stop(worker);
        view_label_worker_wait(worker);
        result = view_label_worker_take(worker, &results, &milliseconds);
        assert_true(result == SHW_OK || result == SHW_ERROR_CANCELLED);
        next = job_of(forest, small, true);
        assert_int_equal(view_label_worker_begin(worker, &next), SHW_OK);
        check_results(worker, forest->forest, &small, true);
    }
    view_label_worker_destroy(&worker);
    view_shared_forest_release(&forest);
    free((void *)(uintptr_t)image.pixels);
}

/* A labeller is kept for forests of which each has its own copy of the same channels, as those that are trained have.
 */
TESTING_CASE(forests_of_the_same_channels_are_alike)
{
    struct view_shared_forest *one = make_forest(1, "rgb", 3, 2), *other = make_forest(2, "rgb", 5, 4),
                              *lab = make_forest(1, "lab", 3, 2);

    assert_ptr_not_equal(shw_forest_get_info(one->forest)->channels, shw_forest_get_info(other->forest)->channels);
    assert_true(view_shared_forest_is_alike(one, one));
    assert_true(view_shared_forest_is_alike(one, other));
    assert_false(view_shared_forest_is_alike(one, lab));
    view_shared_forest_release(&one);
    view_shared_forest_release(&other);
    view_shared_forest_release(&lab);
}
