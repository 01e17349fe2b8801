/* Training by cpu within a limit of memory: the same forest at any limit, also where a checkpoint is continued with
 * another one, and no more memory than allowed. */
#include "testing/testing.h"

#include <malloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dense/grow/trainer.h"
#include "dense/samples/image_store.h"
#include "testing/examples.h"
#include "testing/sanitizers.h"
#include "testing/training.h"

#if TESTING_ADDRESS_SANITIZED || TESTING_THREAD_SANITIZED
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#define MANY_WITH_DEPTH "depth,gauss:1,gauss:2,gauss:4,log:1,log:2,log:4,log:8,dx:2,dx:4,dy:2,dy:4,position,lab"

static const struct testing_examples_params images = {
    .seed = 11, .count = 8, .width = 120, .height = 90, .void_percent = 10};

static struct shw_trainer_params settings(void)
{
    struct shw_trainer_params params = testing_training;

    params.technique = SHW_TECHNIQUE_CPU;
    params.channels = SHW_CHANNELS_WIDE;
    params.pixels_per_image = 300;
    params.candidates = 24;
    return params;
}

/* Prepares a trainer; NULL if the memory is too little. */
static struct shw_trainer *prepare(const struct shw_trainer_params *params, struct testing_examples *examples,
                                   struct testing_log *log)
{
    struct shw_trainer_params with_log = *params;
    struct shw_trainer *trainer = NULL;
    enum shw_result result;

    with_log.log = testing_log(log);
    with_log.log.level = SHW_LOG_ERROR;
    examples->dataset.user = examples;
    assert_int_equal(shw_trainer_create(&with_log, &examples->dataset, &trainer), SHW_OK);
    result = shw_trainer_prepare(trainer);
    if (result == SHW_OK)
        return trainer;
    assert_int_equal(result, SHW_ERROR_LIMIT);
    shw_trainer_destroy(&trainer);
    return NULL;
}

/* Whether training begins with so much memory, and, if `all`, keeps the planes of all images. */
static bool fits(struct shw_trainer_params params, uint64_t memory, struct testing_examples *examples, bool all)
{
    struct testing_log log;
    struct shw_trainer *trainer;
    bool good;

    params.memory = memory;
    trainer = prepare(&params, examples, &log);
    good = trainer != NULL && (!all || trainer->images.resident == trainer->images.base_count);
    shw_trainer_destroy(&trainer);
    return good;
}

/* The least memory that fits, to within an eighth. */
static uint64_t least_memory(const struct shw_trainer_params *params, struct testing_examples *examples, bool all)
{
    uint64_t too_little = 1 << 19, enough = 1 << 20;

    for (; !fits(*params, enough, examples, all); enough *= 2)
        too_little = enough;
    while (enough - too_little > too_little / 8) {
        uint64_t middle = too_little + (enough - too_little) / 2;
        *(fits(*params, middle, examples, all) ? &enough : &too_little) = middle;
    }
    return enough;
}

static uint64_t train(struct shw_trainer_params params, uint64_t memory, struct testing_examples *examples,
                      bool expect_all)
{
    struct testing_log log;
    struct shw_trainer *trainer;
    uint64_t hash;

    params.memory = memory;
    trainer = prepare(&params, examples, &log);
    if (trainer == NULL)
        fail_msg("%s", log.last);
    assert_true((trainer->images.resident == trainer->images.base_count) == expect_all);
    hash = testing_finish(trainer);
    assert_int_equal(examples->held, 0);
    return hash;
}

/* Everything in memory, next to nothing, and in between: one of three limits in turn, and all by `--slow`. */
static void same(const char *what, uint32_t number, const struct shw_trainer_params *params,
                 struct testing_examples *examples)
{
    uint64_t least = least_memory(params, examples, false), expected = train(*params, 0, examples, true);

    for (uint32_t i = testing_is_slow() ? 0 : number % 3; i < 3; i += testing_is_slow() ? 1 : 3) {
        uint64_t memory = least + i * (least / 4), hash = train(*params, memory, examples, false);
        if (hash != expected)
            fail_msg("%s %u with %llu bytes: %016llx instead of %016llx", what, number, (unsigned long long)memory,
                     (unsigned long long)hash, (unsigned long long)expected);
    }
}

TESTING_CASE(every_variant_fits)
{
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    struct testing_examples examples;
    uint32_t count = testing_training_variants(list);

    testing_examples_make(&images, &examples);
    for (uint32_t i = 0; i < count; i += testing_is_slow() ? 1 : 7) {
        struct shw_trainer_params params = list[i];
        params.channels = params.feature != NULL && params.feature->reads_depth ? MANY_WITH_DEPTH : SHW_CHANNELS_WIDE;
        params.technique = SHW_TECHNIQUE_CPU;
        params.tree_count = 1;
        params.folds = 0;
        params.pixels_per_image = params.pixels_per_image == SHW_PIXELS_ALL ? 2000 : params.pixels_per_image;
        params.threads = 1 + i % 4;
        examples.dataset.single_threaded = i % 5 == 4;
        same("variant", i, &params, &examples);
    }
    testing_examples_free(&examples);
}

/* Large nodes, more candidates than an item holds, one image with more samples than there is room for at a time; images
 * drawn more than once, with mirror images; the frame before. */
TESTING_CASE(large_rounds_fit)
{
    struct testing_examples_params few = {.seed = 12, .count = 7, .width = 100, .height = 80};
    struct shw_trainer_params params = settings();
    struct testing_examples examples;

    testing_examples_make(&few, &examples);
    params.tree_count = 1;
    params.depth = 2;
    params.candidates = 400;
    params.bins = 40;
    params.pixels_per_image = SHW_PIXELS_ALL;
    same("all pixels, threads", params.threads, &params, &examples);
    params.depth = 4;
    params.candidates = 30;
    params.channels = "dt-gradient,gauss:1,dt,log:2,dx:4,dy:4";
    params.mirror = params.replacement = true;
    for (params.threads = 1; params.threads <= 3; params.threads++) {
        params.thresholds = params.threads == 2 ? SHW_THRESHOLDS_RANDOM : SHW_THRESHOLDS_BEST;
        params.mirror = params.threads == 3 ? SHW_MIRROR_PAIRED : SHW_MIRROR_IMAGES;
        same("motion, threads", params.threads, &params, &examples);
    }
    testing_examples_free(&examples);
}

static uint64_t in_parts(struct shw_trainer_params params, struct testing_examples *examples, uint32_t rounds,
                         uint64_t first, uint64_t second)
{
    const char *path = testing_path("checkpoint.ktx2");
    struct testing_log log;
    struct shw_trainer *trainer;
    bool finished = false;

    params.memory = first;
    trainer = prepare(&params, examples, &log);
    assert_non_null(trainer);
    for (uint32_t r = 0; r < rounds; r++)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    shw_trainer_destroy(&trainer);
    params.memory = second;
    trainer = prepare(&params, examples, &log);
    assert_non_null(trainer);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
    return testing_finish(trainer);
}

TESTING_CASE(checkpoints_continue_with_another_limit)
{
    struct shw_trainer_params params = settings();
    struct testing_examples examples;
    uint64_t least, expected;

    params.mirror = true;
    testing_examples_make(&images, &examples);
    least = least_memory(&params, &examples, false);
    expected = train(params, 0, &examples, true);
    for (uint32_t r = 0; r < 5; r += 4) {
        assert_true(in_parts(params, &examples, r, least, 0) == expected);
        assert_true(in_parts(params, &examples, r + 1, 0, least) == expected);
        assert_true(in_parts(params, &examples, r + 2, least, least * 5 / 4) == expected);
    }
    testing_examples_free(&examples);
}

TESTING_CASE(renewed_trainings_fit)
{
    struct shw_trainer_params params = settings();
    struct testing_examples examples;
    struct testing_log log;
    struct shw_trainer *trainer;
    uint64_t least, expected[2];
    bool finished = false;

    testing_examples_make(&images, &examples);
    params.threads = 3;
    least = least_memory(&params, &examples, false);
    for (uint32_t i = 0; i < 2; i++) {
        params.seed = i;
        expected[i] = train(params, 0, &examples, true);
    }
    params.memory = least;
    trainer = prepare(&params, &examples, &log);
    assert_non_null(trainer);
    for (uint32_t i = 0; i < 8; i++) {
        params.seed = i % 2;
        params.threads = 1 + i % 3;
        params.memory = i % 4 == 3 ? 0 : least;
        params.log = testing_log(&log);
        assert_int_equal(shw_trainer_renew(trainer, &params, &examples.dataset), SHW_OK);
        if (i % 4 == 1) { /* the first image cannot be read at first */
            examples.fail_with = SHW_ERROR_IO;
            examples.fail_at = 0;
            assert_int_equal(shw_trainer_step(trainer, &finished), SHW_ERROR_IO);
            examples.fail_with = SHW_OK;
            assert_int_equal(shw_trainer_renew(trainer, &params, &examples.dataset), SHW_OK);
        }
        if (i % 3 == 2)
            for (uint32_t r = 0; r < i; r++)
                assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        else
            while (!finished)
                assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        if (finished) {
            struct shw_forest *forest = NULL;
            assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_OK);
            assert_true(shw_forest_hash(forest) == expected[i % 2]);
            shw_forest_destroy(&forest);
        }
        finished = false;
    }
    shw_trainer_destroy(&trainer);
    assert_int_equal(examples.held, 0);
    testing_examples_free(&examples);
}

TESTING_CASE(too_little_is_refused)
{
    struct shw_trainer_params params = settings();
    struct testing_examples examples;
    struct testing_log log;

    testing_examples_make(&images, &examples);
    params.memory = 1 << 20;
    assert_null(prepare(&params, &examples, &log));
    assert_non_null(strstr(log.last, "training with cpu needs at least "));
    assert_non_null(
        strstr(log.last, "1 MiB may be used: draw fewer pixels per image, use fewer threads, or allow more"));
    testing_examples_free(&examples);
}

/* A failure to read an image in a later pass ends training with that failure. */
TESTING_CASE(failures_in_later_passes_are_reported)
{
    struct shw_trainer_params params = settings();
    struct testing_examples examples;
    struct testing_log log;
    struct shw_trainer *trainer;
    enum shw_result result = SHW_OK;
    bool finished = false;

    testing_examples_make(&images, &examples);
    params.mirror = true;
    params.memory = least_memory(&params, &examples, false);
    trainer = prepare(&params, &examples, &log);
    assert_non_null(trainer);
    assert_true(shw_image_store_count(trainer->store) < examples.dataset.count);
    assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    examples.fail_with = SHW_ERROR_IO;
    for (examples.fail_at = examples.dataset.count; examples.fail_at-- > 0 && result == SHW_OK && !finished;)
        result = shw_trainer_step(trainer, &finished);
    assert_int_equal(result, SHW_ERROR_IO);
    shw_trainer_destroy(&trainer);
    assert_int_equal(examples.held, 0);
    examples.fail_with = SHW_OK;
    testing_examples_free(&examples);
}

/* One of several trainings by the same trainer. */
struct training {
    struct shw_trainer_params params;
    struct testing_examples *examples;
    uint64_t expected; /* hash */
};

/* Limits the memory for data to what this process has, `allowed`, and what threads' stacks take. */
static void confine(uint32_t threads, uint64_t allowed)
{
    unsigned long long kib = 0;
    struct rlimit limit, stack;
    char line[256];
    FILE *file = fopen("/proc/self/status", "r");

    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        sscanf(line, "VmData: %llu", &kib);
    if (file != NULL)
        fclose(file);
    getrlimit(RLIMIT_STACK, &stack);
    limit.rlim_cur = limit.rlim_max = (kib << 10) + threads * stack.rlim_cur + allowed;
    setrlimit(RLIMIT_DATA, &limit);
}

/* Trains in a process of its own that cannot have more than `allowed` bytes. Returns 0, 2 if a training failed, 3 if a
 * forest is another one. */
static int train_confined(const struct training *trainings, uint32_t count, uint64_t allowed)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        struct shw_trainer *trainer = NULL;
        confine(trainings[0].params.threads, allowed);
        for (uint32_t t = 0; t < count; t++) {
            const struct training *training = &trainings[t];
            struct shw_forest *forest = NULL;
            bool finished = false;
            enum shw_result result = trainer == NULL
                                         ? shw_trainer_create(&training->params, &training->examples->dataset, &trainer)
                                         : shw_trainer_renew(trainer, &training->params, &training->examples->dataset);
            while (result == SHW_OK && !finished)
                result = shw_trainer_step(trainer, &finished);
            if (result != SHW_OK || shw_trainer_get_forest(trainer, &forest) != SHW_OK)
                _exit(2);
            if (shw_forest_hash(forest) != training->expected)
                _exit(3);
            shw_forest_destroy(&forest);
        }
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TESTING_CASE(no_more_is_allocated)
{
    struct testing_examples_params examples_params = {
        .seed = 13, .count = 8, .width = 260, .height = 200, .equal = true};
    struct shw_trainer_params params = settings();
    struct testing_examples examples;
    uint64_t expected, slack = (uint64_t)1 << 20, too_little = (uint64_t)56 << 20, free_already;

    if (SANITIZED) /* sanitizers map memory of their own; the other builds run this */
        return;
    testing_examples_make(&examples_params, &examples);
    examples.dataset.user = &examples;
    params.tree_count = 2;
    params.depth = 3;
    params.mirror = true;
    params.pixels_per_image = 5000;
    expected = train(params, 0, &examples, true);
    params.memory = least_memory(&params, &examples, false);
    for (uint32_t i = 0; i < 3; i++, params.memory += params.memory / 2)
        assert_int_equal(train_confined(&(struct training){params, &examples, expected}, 1, params.memory + slack), 0);
    params.memory = 0;                             /* the planes of all images take 86 MiB */
    free_already = (uint64_t)mallinfo2().fordblks; /* by what ran before; its child has that beyond any limit */
    too_little -= free_already < too_little ? free_already : too_little;
    assert_int_equal(train_confined(&(struct training){params, &examples, expected}, 1, too_little), 2);
    testing_examples_free(&examples);
}

/* A trainer whose planes are nearly all of the memory trains on other images, on more, with other channels, with other
 * planes of the same images, and on the same images again: the planes that it has go before others are made. */
TESTING_CASE(renewing_takes_no_more)
{
    struct testing_examples_params examples_params = {
        .seed = 13, .count = 8, .width = 260, .height = 200, .equal = true};
    struct testing_examples examples[3];
    struct shw_trainer_params params = settings();
    struct training trainings[8];
    uint64_t memory, slack = (uint64_t)1 << 20;

    if (SANITIZED)
        return;
    mallopt(M_MMAP_THRESHOLD, 64 << 10); /* what is freed is given back, so that the limit counts what is in use */
    malloc_trim(0);
    params.tree_count = 1;
    params.depth = 2;
    params.pixels_per_image = 500;
    for (uint32_t e = 0; e < 3; e++) {
        examples_params.seed++;
        examples_params.count = e < 2 ? 7 : 8;
        testing_examples_make(&examples_params, &examples[e]);
        examples[e].dataset.user = &examples[e];
    }
    params.mirror = true;
    memory = least_memory(&params, &examples[0], true); /* the planes take 173 MiB */
    for (uint32_t t = 0; t < 8; t++) {
        trainings[t] = (struct training){params, &examples[t % 4 == 1 ? 1 : t % 4 == 3 ? 2 : 0], 0};
        if (t == 4 || t == 5)
            trainings[t].params.channels = "dt-gradient,gauss:1,dt,log:2,dx:4,dy:4,gauss:2,gauss:4,log:1,log:4";
        trainings[t].params.mirror = t == 6 ? SHW_MIRROR_NONE : t == 2 ? SHW_MIRROR_PAIRED : SHW_MIRROR_IMAGES;
        trainings[t].params.memory = 0;
        trainings[t].expected = train(trainings[t].params, 0, trainings[t].examples, true);
        trainings[t].params.memory = memory;
    }
    for (uint32_t t = 0; t < 8; t += testing_is_slow() ? 1 : 3) { /* after the first one, which leaves its planes */
        struct training two[2] = {trainings[0], trainings[t]};
        if (train_confined(two, 2, memory + slack) != 0)
            fail_msg("training %u after training 0", t);
    }
    assert_int_equal(train_confined(trainings, 8, memory + slack), 0);
    for (uint32_t e = 0; e < 3; e++)
        testing_examples_free(&examples[e]);
}
