#define _GNU_SOURCE /* memmem */
/* Interrupted training: the same forest file as without, whatever is interrupted where; and checkpoints of other
 * trainings, or damaged. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>

#include "base/class.h"
#include "dense/train/checkpoint.h"
#include "testing/examples.h"
#include "testing/forest_seal.h"
#include "testing/training.h"

#define GENERATOR_1 EARLIER_CHECKPOINTS "/generator-1.ktx2"

static struct testing_examples examples;

static int make_examples(void **state)
{
    struct testing_examples_params params = {.seed = 31, .void_percent = 15};

    (void)state;
    testing_examples_make(&params, &examples);
    return 0;
}

static int free_examples(void **state)
{
    (void)state;
    testing_examples_free(&examples);
    return 0;
}

struct bytes {
    void *data;
    size_t size;
};

static struct shw_trainer *create(const struct shw_trainer_params *params, struct testing_log *memory)
{
    struct shw_trainer_params with_log = *params;
    struct shw_trainer *trainer;

    with_log.log = testing_log(memory);
    assert_int_equal(shw_trainer_create(&with_log, &examples.dataset, &trainer), SHW_OK);
    return trainer;
}

/* Runs at most so many rounds; returns how many there were. */
static uint32_t run(struct shw_trainer *trainer, uint32_t rounds)
{
    bool finished = false;
    uint32_t done = 0;

    for (; done < rounds && !finished; done++)
        assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
    return done;
}

/* The file of the finished forest. Ends the trainer. */
static struct bytes finish(struct shw_trainer *trainer)
{
    struct shw_forest *forest = NULL;
    struct bytes bytes;

    run(trainer, UINT32_MAX);
    assert_int_equal(shw_trainer_get_forest(trainer, &forest), SHW_OK);
    assert_int_equal(shw_forest_save_memory(forest, &bytes.data, &bytes.size), SHW_OK);
    shw_forest_destroy(&forest);
    shw_trainer_destroy(&trainer);
    return bytes;
}

static void assert_same(struct bytes expected, struct bytes bytes)
{
    assert_int_equal(expected.size, bytes.size);
    assert_memory_equal(expected.data, bytes.data, bytes.size);
    free(bytes.data);
}

/* Interrupts after so many rounds, and goes on with other threads. Returns whether there were so many. */
static bool interrupt(const struct shw_trainer_params *params, uint32_t rounds, struct bytes expected)
{
    const char *path = testing_path("checkpoint.ktx2");
    struct shw_trainer_params other = *params;
    struct testing_log memory;
    struct shw_trainer *trainer = create(params, &memory);
    bool all = run(trainer, rounds) == rounds;

    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    assert_same(expected, finish(trainer)); /* saving disturbs nothing */
    other.threads = 1 + rounds % 3;
    trainer = create(&other, &memory);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
    assert_int_equal(memory.errors, 0);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_ERROR_ARGUMENT);
    assert_same(expected, finish(trainer));
    return all;
}

TESTING_CASE(any_round_may_be_the_last)
{
    struct testing_log memory;
    struct bytes expected = finish(create(&testing_training, &memory));
    uint32_t rounds = 0;

    while (interrupt(&testing_training, rounds + 1, expected))
        rounds++;
    interrupt(&testing_training, 0, expected);
    assert_in_range(rounds, 8, 12); /* two trees, at most six rounds each */
    free(expected.data);
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, every_parameter_is_resumed)
{
    struct shw_trainer_params list[TESTING_VARIANTS_MAX];
    uint32_t count = testing_training_variants(list);

    for (uint32_t i = 0; i < count; i++) {
        struct testing_log memory;
        struct bytes expected = finish(create(&list[i], &memory));
        interrupt(&list[i], 3, expected);
        interrupt(&list[i], 8, expected);
        free(expected.data);
    }
}

/* An interruption after each round, again and again. */
TESTING_CASE(resumed_again_and_again)
{
    const char *path = testing_path("again.ktx2");
    struct testing_log memory;
    struct shw_trainer *trainer = create(&testing_training, &memory);
    struct bytes expected = finish(trainer);
    uint32_t rounds;

    trainer = create(&testing_training, &memory);
    do {
        rounds = run(trainer, 1);
        assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
        shw_trainer_destroy(&trainer);
        trainer = create(&testing_training, &memory);
        assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
    } while (!trainer->finished);
    assert_int_equal(rounds, 1);
    assert_same(expected, finish(trainer));
    free(expected.data);
}

static bool stop(void *user, const struct shw_train_progress *progress)
{
    (void)user;
    return progress->tree != 1 || progress->depth != 1;
}

TESTING_CASE(a_cancelled_trainer_is_saved)
{
    const char *path = testing_path("cancelled.ktx2");
    struct shw_trainer_params params = testing_training;
    struct testing_log memory;
    struct bytes expected = finish(create(&params, &memory));
    struct shw_trainer *trainer;
    bool finished = false;
    enum shw_result result;

    params.progress = stop;
    trainer = create(&params, &memory);
    do
        result = shw_trainer_step(trainer, &finished);
    while (result == SHW_OK);
    assert_int_equal(result, SHW_ERROR_CANCELLED);
    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    shw_trainer_destroy(&trainer);
    trainer = create(&testing_training, &memory);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
    assert_int_equal(run(trainer, 1), 1);
    assert_int_equal(trainer->builder.depth, 3);
    assert_same(expected, finish(trainer));
    free(expected.data);
}

/* A checkpoint of the usual training after some rounds. */
static const char *save(uint32_t rounds)
{
    const char *path = testing_path("other.ktx2");
    struct testing_log memory;
    struct shw_trainer *trainer = create(&testing_training, &memory);

    run(trainer, rounds);
    assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
    shw_trainer_destroy(&trainer);
    return path;
}

/* It must be refused, with one message that has these words, and the trainer must be able to begin anew. */
static void refuse(const struct shw_trainer_params *params, const char *path, enum shw_result result, const char *words)
{
    struct testing_log memory;
    struct shw_trainer *trainer = create(params, &memory);

    assert_int_equal(shw_trainer_load(trainer, path), result);
    assert_int_equal(memory.errors, 1);
    if (strstr(memory.last, words) == NULL)
        fail_msg("'%s' is not in: %s", words, memory.last);
    assert_int_equal(run(trainer, 2), 2);
    assert_int_equal(trainer->builder.depth, 2);
    shw_trainer_destroy(&trainer);
    assert_int_equal(examples.held, 0);
}

TESTING_CASE(other_parameters_are_refused)
{
    static const double weights[] = {1, 20, 401};
    const char *path = save(8), *given = testing_path("given.ktx2");
    struct shw_trainer_params list[TESTING_VARIANTS_MAX], params;
    uint32_t count = testing_training_variants(list);
    struct testing_log memory;
    struct shw_trainer *trainer;

    for (uint32_t i = 1; i < count; i++)
        refuse(&list[i], path, SHW_ERROR_ARGUMENT, "this training was begun with");
    params = testing_training;
    params.candidates = 17;
    refuse(&params, path, SHW_ERROR_ARGUMENT, "candidates was 16 and is now 17");
    params = testing_training;
    params.notes = "{\"by\":\"a test\"}";
    refuse(&params, path, SHW_ERROR_ARGUMENT, "by was not set and is now \"a test\"");

    trainer = create(&list[count - 1], &memory);
    assert_int_equal(shw_trainer_save(trainer, given), SHW_OK);
    shw_trainer_destroy(&trainer);
    list[count - 1].class_weights = weights;
    refuse(&list[count - 1], given, SHW_ERROR_ARGUMENT, "class_weights");
    refuse(&testing_training, given, SHW_ERROR_ARGUMENT, "weighting was \"given\" and is now \"none\"");
}

TESTING_CASE(other_data_is_refused)
{
    const char *path = save(3);
    static const struct shw_class classes[] = {
        {"class 0", {0, 0, 0}}, {"class 1", {67, 151, 29}}, {"sky", {134, 46, 58}}};
    struct testing_example *example = &examples.examples[3];
    uint16_t label = example->labels[70];
    uint32_t other = 71;

    example->pixels[100]++;
    refuse(&testing_training, path, SHW_ERROR_ARGUMENT, "other images or labels");
    example->pixels[100]--;
    while (example->labels[other] == label)
        other++;
    example->labels[70] = example->labels[other]; /* the same number of pixels of each class */
    example->labels[other] = label;
    refuse(&testing_training, path, SHW_ERROR_ARGUMENT, "other images or labels");
    example->labels[other] = example->labels[70];
    example->labels[70] = (uint16_t)(label == 0);
    refuse(&testing_training, path, SHW_ERROR_ARGUMENT, "class_pixels");
    example->labels[70] = label;
    examples.dataset.count--;
    refuse(&testing_training, path, SHW_ERROR_ARGUMENT, "images was 4 and is now 3");
    examples.dataset.count++;
    examples.dataset.class_count++;
    refuse(&testing_training, path, SHW_ERROR_ARGUMENT, "the number of classes was 3 and is now 4");
    examples.dataset.class_count--;
    examples.dataset.classes = classes;
    refuse(&testing_training, path, SHW_ERROR_ARGUMENT, "class 2 and is now sky");
    examples.dataset.classes = NULL;
}

/* Data sets without a palette had other default colours from the ninth class on. */
TESTING_CASE(earlier_default_colours_are_resumed)
{
    static const struct shw_class earlier[] = {{"one", {213, 94, 0}}, {"two", {192, 0, 0}}, {"three", {64, 128, 0}}};
    struct shw_class classes[3], wrong[3];
    const char *path;
    struct testing_log memory;
    struct shw_trainer *trainer;
    struct bytes expected;

    memcpy(classes, earlier, sizeof classes);
    shw_class_colour(8, classes[1].colour);
    shw_class_colour(9, classes[2].colour);
    memcpy(wrong, classes, sizeof wrong);
    shw_class_colour(10, wrong[2].colour);
    examples.dataset.classes = earlier;
    path = save(3);
    examples.dataset.classes = wrong;
    refuse(&testing_training, path, SHW_ERROR_ARGUMENT, "the colour of class three was different");
    examples.dataset.classes = classes;
    trainer = create(&testing_training, &memory);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
    expected = finish(create(&testing_training, &memory));
    assert_same(expected, finish(trainer));
    free(expected.data);
    examples.dataset.classes = NULL;
}

TESTING_CASE(other_files_are_refused)
{
    const char *path = testing_path("forest.ktx2");
    struct testing_log memory;
    struct bytes bytes = finish(create(&testing_training, &memory));
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes.data, 1, bytes.size, file), bytes.size);
    assert_int_equal(fclose(file), 0);
    free(bytes.data);
    refuse(&testing_training, path, SHW_ERROR_FORMAT, "this is a finished forest");
    refuse(&testing_training, testing_path("missing.ktx2"), SHW_ERROR_IO, "missing.ktx2");
}

/* No byte may be missing or another. One trainer serves all attempts: a failure leaves it as it was. */
TESTING_CASE(damage_is_seen)
{
    static uint8_t bytes[1 << 20], copy[1 << 20];
    FILE *file = fopen(save(8), "rb");
    size_t size;
    struct testing_log memory;
    struct shw_trainer *trainer = create(&testing_training, &memory);
    struct shw_forest *forest = NULL;

    assert_non_null(file);
    size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_in_range(size, 100, sizeof bytes - 1);
    for (size_t i = 0; i < size; i++) {
        memcpy(copy, bytes, size);
        copy[i] ^= (uint8_t)(1u << i % 8);
        if (shw_forest_load_memory(copy, size, "flipped", NULL, &forest) == SHW_OK ||
            shw_forest_load_memory(bytes, i, "cut", NULL, &forest) == SHW_OK)
            fail_msg("byte %zu may be wrong or the end", i);
    }
    assert_int_equal(shw_forest_load_memory(bytes, size, "whole", NULL, &forest), SHW_OK);
    assert_int_equal(shw_checkpoint_take(trainer, forest, "whole"), SHW_OK);
    shw_forest_destroy(&forest);
    shw_trainer_destroy(&trainer);
}

/* The hash of the forest in a file, and whether it says what its tests gained. */
static uint64_t read_hash(const struct bytes *bytes, bool *gained)
{
    struct shw_forest *forest = NULL;
    uint64_t hash;

    assert_int_equal(shw_forest_load_memory(bytes->data, bytes->size, "finished", NULL, &forest), SHW_OK);
    hash = shw_forest_hash(forest);
    *gained = strstr(shw_forest_get_info(forest)->training, "\"gains\"") != NULL;
    shw_forest_destroy(&forest);
    return hash;
}

/* Those that stand in the fuzz corpus, and must remain good for it. What their finished trees gained is not known. */
TESTING_CASE(earlier_checkpoints_are_read)
{
    static const char *const names[] = {"root", "first-tree", "second-tree", "complete"};
    struct testing_log memory;
    struct bytes expected = finish(create(&testing_training, &memory));
    bool gained;
    const uint64_t hash = read_hash(&expected, &gained);

    assert_true(gained);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct bytes bytes;
        struct shw_trainer *trainer = create(&testing_training, &memory);
        char path[512];
        snprintf(path, sizeof path, "%s/%s.ktx2", EARLIER_CHECKPOINTS, names[i]);
        assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
        bytes = finish(trainer);
        if (i < 2) {
            assert_same(expected, bytes);
            continue;
        }
        assert_true(read_hash(&bytes, &gained) == hash);
        assert_false(gained);
        free(bytes.data);
    }
    free(expected.data);
}

/* Replaces a part of a checkpoint's record by one of the same length. */
static const char *rewrite(const char *path, const char *then, const char *now)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "r+b");
    uint8_t *member;
    size_t size;

    assert_non_null(file);
    size = fread(bytes, 1, sizeof bytes, file);
    member = memmem(bytes, size, then, strlen(then));
    assert_non_null(member);
    assert_int_equal(strlen(then), strlen(now));
    memcpy(member, now, strlen(now));
    assert_true(testing_forest_seal(bytes, size));
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* Other versions of the random generator draw other samples, so their trainings cannot be continued. */
TESTING_CASE(other_generators_are_refused)
{
    refuse(&testing_training, GENERATOR_1, SHW_ERROR_VERSION, "with version 1 of the random generator");
    refuse(&testing_training, rewrite(save(8), "\"generator\":2", "\"generator\":3"), SHW_ERROR_VERSION,
           "with version 3 of the random generator, and this program has version 2");
    refuse(&testing_training, rewrite(save(8), "\"generator\":2", "\"generator\":0"), SHW_ERROR_FORMAT,
           "metadata is not valid");
}

/* As forests they are as good as ever: labels are those of the program that wrote the file. */
TESTING_CASE(forests_of_other_generators_label)
{
    const struct testing_example *example = &examples.examples[1];
    const struct shw_image image = {example->pixels, example->width, example->height, 0, SHW_PIXEL_RGB8};
    const size_t pixels = (size_t)example->width * example->height;
    uint16_t *distribution = malloc(3 * pixels * sizeof *distribution);
    uint32_t *leaves = malloc(2 * pixels * sizeof *leaves);
    struct shw_labeller_params params = {.outputs = SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_DISTRIBUTION};
    struct shw_labeller *labeller = NULL;
    struct shw_forest *forest = NULL;

    assert_non_null(distribution);
    assert_non_null(leaves);
    assert_int_equal(shw_forest_load(GENERATOR_1, NULL, &forest), SHW_OK);
    assert_null(strstr(shw_forest_get_info(forest)->training, "generator"));
    params.forest = forest;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image),
                                      &(struct shw_labelling){.forest_leaves = leaves, .distribution = distribution}),
                     SHW_OK);
    assert_int_equal(testing_hash(leaves, 2 * pixels * sizeof *leaves), 0x55014fef3308f337);
    assert_int_equal(testing_hash(distribution, 3 * pixels * sizeof *distribution), 0x318d69b51411ee98);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
    free(leaves);
    free(distribution);
}

TESTING_FIXTURE(make_examples, free_examples)
