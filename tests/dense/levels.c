/* Forests of several levels: their files, what a level sees of the one below, folds, and what is refused. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/explain.h>

#include "dense/channels/posterior.h"
#include "dense/samples/sampling.h"
#include "dense/train/level_set.h"
#include "dense/train/params.h"
#include "testing/examples.h"
#include "testing/forest_seal.h"
#include "testing/labelling.h"
#include "testing/model_file.h"
#include "testing/random_forest.h"
#include "testing/training.h"

static struct testing_examples examples;

static int prepare(void **state)
{
    (void)state;
    testing_examples_make(&(struct testing_examples_params){.seed = 5, .count = 5, .void_percent = 10}, &examples);
    return 0;
}

static int end(void **state)
{
    (void)state;
    testing_examples_free(&examples);
    return 0;
}

/* Trained on the examples, with two folds. */
static struct shw_trainer_params training(uint32_t levels)
{
    struct shw_trainer_params params = testing_training;

    params.tree_count = 4;
    params.folds = 2;
    params.levels = levels;
    return params;
}

static struct shw_forest *train(struct shw_trainer_params params)
{
    struct shw_forest *forest = NULL;
    struct testing_log memory;

    params.log = testing_log(&memory);
    assert_int_equal(shw_train(&params, &examples.dataset, &forest), SHW_OK);
    assert_int_equal(memory.errors, 0);
    return forest;
}

static const struct shw_image *picture(uint32_t index)
{
    static struct shw_image image;

    image = (struct shw_image){.pixels = examples.examples[index].pixels,
                               .width = examples.examples[index].width,
                               .height = examples.examples[index].height,
                               .format = SHW_PIXEL_RGB8};
    return &image;
}

static void assert_same(const void *a, const void *b)
{
    const struct shw_forest_info *x = shw_forest_get_info(a), *y = shw_forest_get_info(b);

    assert_int_equal(x->levels, y->levels);
    assert_string_equal(x->channels, y->channels);
    assert_true(shw_forest_hash(a) == shw_forest_hash(b));
    assert_int_equal(shw_forest_get_reach(a), shw_forest_get_reach(b));
    assert_true((x->below == NULL) == (y->below == NULL));
    if (x->below != NULL)
        assert_same(x->below, y->below);
}

TESTING_CASE(files_hold_all_levels)
{
    struct shw_trainer_params params = training(3);
    struct model_file file = model_file_open(&model_forest, train(params));
    const struct shw_forest_info *info = shw_forest_get_info(file.model);

    assert_int_equal(info->levels, 3);
    assert_int_equal(shw_forest_get_info(info->below)->levels, 2);
    assert_null(shw_forest_get_info(shw_forest_get_info(info->below)->below)->below);
    assert_string_equal(info->channels, "rgb,posterior:0");
    assert_string_equal(shw_forest_get_input(file.model, 0), SHW_COLOUR);
    assert_null(shw_forest_get_input(file.model, 1));
    assert_non_null(strstr(model_file_metadata(&file), "\"version\":5"));
    model_file_check_again(&file, assert_same);
    model_file_close(&file);
    params = training(2);
    params.tree_count = 2;
    params.depth = 1;
    file = model_file_open(&model_forest, train(params));
    model_file_check_damage(&file);
    model_file_close(&file);
}

/* Where these bytes are for the `number`-th time, from 0. */
static uint8_t *find_bytes(const struct model_file *file, const char *text, uint32_t number)
{
    const size_t length = strlen(text);

    for (size_t at = 0; at + length <= file->size; at++)
        if (memcmp(file->bytes + at, text, length) == 0 && number-- == 0)
            return file->bytes + at;
    fail_msg("no '%s' in the file", text);
    return NULL;
}

/* Damage behind right checksums, in the entry of the level below, in that level and in the one above it. */
TESTING_CASE(damage_of_levels_is_reported)
{
    static const struct {
        const char *from, *to;
        uint32_t number; /* of several places */
        enum shw_result result;
        enum shw_log_item item;
        const char *words;
    } cases[] = {
        {"shadewood.below", "shadewood.belox", 0, SHW_ERROR_FORMAT, SHW_LOG_FOREST_CONTAINER, "shadewood.checksum"},
        {"shadewood.checksum", "shadewood.checksun", 0, SHW_ERROR_FORMAT, SHW_LOG_FOREST_CONTAINER, "checksum"},
        {"KTX 20", "KTX 30", 1, SHW_ERROR_FORMAT, SHW_LOG_FOREST_CONTAINER, "not a KTX2 file"},
        {"\"version\":2", "\"version\":7", 0, SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION, "use a newer one"},
        {"\"version\":5", "\"version\":7", 0, SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION, "use a newer one"},
        {"\"classes\"", "\"klasses\"", 0, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, "classes"},
        {"\"classes\"", "\"klasses\"", 1, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, "classes"},
        {"posterior:0", "posterior:3", 0, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, "posterior:0 to posterior:0"},
        {"posterior:0", "deviation:1", 0, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, "none is of the kind posterior"},
    };
    const struct random_forest_params small = {.seed = 3, .classes = 3, .depth = 3};
    struct random_forest_params above = {.seed = 5, .channels = "rgb,posterior:0", .classes = 3, .depth = 3};
    struct shw_tree *trees = random_trees(&above);
    struct shw_forest *below = random_forest(&small);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct shw_forest_params params = {
            .info = {.channels = above.channels, .class_count = 3, .tree_count = 1, .below = below}, .trees = trees};
        struct shw_forest *forest = NULL;
        struct model_file file;
        assert_int_equal(shw_forest_create(&params, &forest), SHW_OK);
        file = model_file_open(&model_forest, forest);
        memcpy(find_bytes(&file, cases[i].from, cases[i].number), cases[i].to, strlen(cases[i].from));
        testing_forest_seal(file.bytes, file.size);
        model_file_refuse(&file, file.size, cases[i].result, cases[i].item, cases[i].words);
        model_file_close(&file);
    }
    random_trees_free(trees, 1);
    shw_forest_destroy(&below);
}

/* The level below outlives its owner, and belongs to the hash. */
TESTING_CASE(levels_are_held)
{
    const struct random_forest_params small = {.seed = 3, .classes = 4, .depth = 3},
                                      other = {.seed = 4, .classes = 4, .depth = 3};
    struct random_forest_params above = {
        .seed = 5, .channels = "rgb,posterior:0,posterior:1", .classes = 3, .depth = 3};
    struct shw_tree *trees = random_trees(&above);
    struct shw_forest *below[2] = {random_forest(&small), random_forest(&other)}, *forests[2] = {NULL};
    uint64_t hash;

    for (uint32_t i = 0; i < 2; i++) {
        const struct shw_forest_params params = {
            .info = {.channels = above.channels, .class_count = 3, .tree_count = 1, .below = below[i]}, .trees = trees};
        assert_int_equal(shw_forest_create(&params, &forests[i]), SHW_OK);
        hash = shw_forest_hash(below[i]);
        shw_forest_destroy(&below[i]);
        assert_true(shw_forest_hash(shw_forest_get_info(forests[i])->below) == hash);
    }
    assert_true(shw_forest_hash(forests[0]) != shw_forest_hash(forests[1]));
    random_trees_free(trees, 1);
    for (uint32_t i = 0; i < 2; i++)
        shw_forest_destroy(&forests[i]);
}

static void refuse_forest(const char *channels, const struct shw_forest *below, enum shw_result result,
                          const char *words)
{
    const struct shw_node leaf = {.is_split = false};
    const uint16_t distribution[] = {65535, 0};
    const struct shw_tree tree = {.nodes = &leaf, .node_count = 1, .distributions = distribution};
    struct testing_log memory;
    struct shw_forest_params params = {
        .info = {.channels = channels, .class_count = 2, .tree_count = 1, .below = below},
        .trees = &tree,
        .log = testing_log(&memory)};
    struct shw_forest *forest = NULL;

    assert_int_equal(shw_forest_create(&params, &forest), result);
    assert_null(forest);
    assert_int_equal(memory.errors, 1);
    if (strstr(memory.last, words) == NULL)
        fail_msg("'%s' is not in: %s", words, memory.last);
}

TESTING_CASE(levels_that_do_not_fit_are_refused)
{
    const struct random_forest_params seven = {.classes = 7}, changes = {.classes = 3, .channels = "rgb,dt"};
    struct shw_forest *below = random_forest(&seven), *moving = random_forest(&changes), *tower = random_forest(&seven);

    refuse_forest("rgb,posterior:0", NULL, SHW_ERROR_FORMAT, "needs a level below");
    refuse_forest("rgb", below, SHW_ERROR_FORMAT, "none is of the kind posterior");
    refuse_forest("rgb,posterior:0,posterior:1", below, SHW_ERROR_FORMAT, "has 7 classes and needs 3");
    refuse_forest("rgb,posterior:0,posterior:1,posterior:3", below, SHW_ERROR_FORMAT, "posterior:0 to posterior:2");
    refuse_forest("rgb,posterior:0", moving, SHW_ERROR_FORMAT, "the input previous");
    for (uint32_t level = 2; level <= SHW_LEVELS_MAX; level++) {
        const struct shw_node leaf = {.is_split = false};
        const uint16_t distribution[7] = {65535};
        const struct shw_tree tree = {.nodes = &leaf, .node_count = 1, .distributions = distribution};
        const struct shw_forest_params params = {.info = {.channels = "posterior:2,posterior:1,rgb,posterior:0",
                                                          .class_count = 7,
                                                          .tree_count = 1,
                                                          .below = tower},
                                                 .trees = &tree};
        struct shw_forest *higher = NULL;
        assert_int_equal(shw_forest_create(&params, &higher), SHW_OK);
        shw_forest_destroy(&tower);
        tower = higher;
    }
    assert_int_equal(shw_forest_get_info(tower)->levels, SHW_LEVELS_MAX);
    refuse_forest("rgb,posterior:0,posterior:1,posterior:2", tower, SHW_ERROR_LIMIT, "more than 8 levels");
    shw_forest_destroy(&below);
    shw_forest_destroy(&moving);
    shw_forest_destroy(&tower);
}

/* What the level above reads is the level below's distribution, in 255ths, times 16; and an explanation agrees with the
 * label. */
TESTING_CASE(channels_are_what_the_level_below_says)
{
    struct shw_forest *forest = train(training(2));
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const struct shw_image *image = picture(1);
    const size_t pixels = (size_t)image->width * image->height;
    struct shw_labeller_params params = {.forest = info->below, .outputs = SHW_OUTPUT_DISTRIBUTION, .threads = 2};
    struct testing_labelling below = testing_label(&params, image), all;
    struct shw_channel_reader *reader = NULL;
    struct shw_explanation *explanation = NULL;
    int16_t *values = malloc(pixels * sizeof *values);
    struct testing_log memory;

    params.forest = forest;
    params.outputs = 0;
    all = testing_label(&params, image);
    assert_int_equal(shw_channel_reader_create(&(struct shw_channel_reader_params){.inputs = SHW_COLOUR_IMAGE(*image),
                                                                                   .channels = info->channels,
                                                                                   .threads = 1,
                                                                                   .below = info->below},
                                               &reader),
                     SHW_OK);
    for (uint32_t c = 0; c < 3; c++) {
        assert_int_equal(shw_channel_reader_get_channel(reader, 3 + c, values), SHW_OK);
        for (size_t i = 0; i < pixels; i++) {
            const uint32_t share = below.out.distribution[c * pixels + i];
            assert_int_equal(values[i], 16 * (uint32_t)(255.0 * share / 65535 + 0.5));
        }
    }
    for (uint32_t i = 0; i < pixels; i += 37) {
        assert_int_equal(shw_explain(forest, reader, i % image->width, i / image->width, &explanation), SHW_OK);
        assert_int_equal(explanation->argmax, all.out.argmax[i]);
        for (uint32_t c = 0; c < 3; c++)
            assert_int_equal(explanation->distribution[c], all.out.distribution[c * pixels + i]);
        for (uint32_t t = 0; t < info->tree_count; t++)
            assert_int_equal(explanation->trees[t].leaf, all.out.forest_leaves[t * pixels + i]);
        shw_explanation_free(&explanation);
    }
    shw_channel_reader_destroy(&reader);
    assert_int_equal(shw_channel_reader_create(&(struct shw_channel_reader_params){.inputs = SHW_COLOUR_IMAGE(*image),
                                                                                   .channels = info->channels,
                                                                                   .log = testing_log(&memory)},
                                               &reader),
                     SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "level below"));
    testing_labelling_free(&below);
    testing_labelling_free(&all);
    free(values);
    shw_forest_destroy(&forest);
}

/* Tree t does not depend on pictures of its fold, and on all others. */
static void does_not_see_the_fold(uint32_t run)
{
    struct shw_trainer_params params = training(1);
    struct shw_forest *before, *after;
    struct testing_example *changed = &examples.examples[3];
    const size_t bytes = (size_t)changed->width * changed->height * sizeof *changed->labels;
    uint16_t *labels = malloc(bytes);

    params.fold_run = run;
    before = train(params);
    memcpy(labels, changed->labels, bytes);
    for (size_t i = 0; i < bytes / sizeof *labels; i++)
        changed->labels[i] = (uint16_t)(labels[i] == SHW_LABEL_VOID ? SHW_LABEL_VOID : (labels[i] + 1u) % 3);
    after = train(params);
    memcpy(changed->labels, labels, bytes);
    for (uint32_t t = 0; t < 4; t++) {
        const struct shw_tree_info a = shw_forest_get_tree(before, t), b = shw_forest_get_tree(after, t);
        bool same = a.node_count == b.node_count && a.leaf_count == b.leaf_count;
        for (uint32_t l = 0; same && l < a.leaf_count; l++)
            same = memcmp(shw_forest_get_distribution(before, t, l), shw_forest_get_distribution(after, t, l),
                          3 * sizeof(uint16_t)) == 0;
        assert_int_equal(same, t % 2 == 3 / run % 2);
    }
    free(labels);
    shw_forest_destroy(&before);
    shw_forest_destroy(&after);
}

TESTING_CASE(folds_are_not_seen)
{
    does_not_see_the_fold(1);
    does_not_see_the_fold(3);
    does_not_see_the_fold(4);
}

TESTING_CASE(levels_with_different_folds_are_refused)
{
    struct shw_trainer_params params = training(1);
    struct shw_forest *lowest = train(params), *middle, *none = NULL;
    struct shw_dataset fewer = examples.dataset;
    struct testing_log memory;

    params.below = lowest;
    params.folds = 4;
    middle = train(params);
    params.below = middle;
    params.folds = 0;
    params.log = testing_log(&memory);
    assert_int_equal(shw_train(&params, &examples.dataset, &none), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "different folds"));
    params.below = lowest;
    fewer.count--;
    assert_int_equal(shw_train(&params, &fewer, &none), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "in folds of 5 pictures, but there are 4"));
    shw_forest_destroy(&middle);
    shw_forest_destroy(&lowest);
}

/* The forest of the trees of a fold. */
static struct shw_forest *take_trees(const struct shw_forest *forest, uint32_t fold, uint32_t folds)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_tree trees[8];
    struct shw_forest_params params = {.info = *info, .trees = trees};
    struct shw_forest *taken = NULL;
    uint32_t count = 0;

    for (uint32_t t = fold; t < info->tree_count; t += folds) {
        const struct shw_tree_info tree = shw_forest_get_tree(forest, t);
        struct shw_node *nodes = malloc(tree.node_count * sizeof *nodes);
        uint16_t *distributions = malloc(tree.leaf_count * info->class_count * sizeof *distributions);
        for (uint32_t n = 0; n < tree.node_count; n++)
            nodes[n] = shw_forest_get_node(forest, t, n);
        for (uint32_t l = 0; l < tree.leaf_count; l++)
            memcpy(distributions + l * info->class_count, shw_forest_get_distribution(forest, t, l),
                   info->class_count * sizeof *distributions);
        trees[count++] = (struct shw_tree){nodes, tree.node_count, distributions, tree.leaf_count};
    }
    params.info.tree_count = count;
    assert_int_equal(shw_forest_create(&params, &taken), SHW_OK);
    for (uint32_t t = 0; t < count; t++) {
        free((void *)(uintptr_t)trees[t].nodes);
        free((void *)(uintptr_t)trees[t].distributions);
    }
    return taken;
}

/* What an example of the level above has as inputs, kept or not, is what the trees say that have not seen it. */
TESTING_CASE(training_asks_trees_that_have_not_seen_the_picture)
{
    struct shw_trainer_params params = training(1);
    struct shw_forest *below = train(params);
    const atomic_bool no = false;
    struct shw_channel_list list;
    struct shw_level_set *sets[2] = {NULL};

    params.below = below;
    assert_int_equal(shw_channel_list_parse("rgb,posterior:0", NULL, NULL, &list), SHW_OK);
    for (uint32_t s = 0; s < 2; s++) {
        assert_int_equal(shw_level_set_create(&examples.dataset, shw_image_part_all(examples.dataset.count), &params,
                                              &list, &sets[s]),
                         SHW_OK);
        assert_int_equal(shw_level_set_fill(sets[s], s == 0 ? UINT64_MAX : 2500, &no), SHW_OK);
    }
    assert_true(shw_level_set_bytes(sets[0]) > 2500 && shw_level_set_bytes(sets[1]) <= 2500 &&
                shw_level_set_bytes(sets[1]) > 0);
    for (uint32_t i = 0; i < examples.dataset.count; i++) {
        struct shw_forest *unseeing = take_trees(below, i % 2, 2);
        const struct shw_labeller_params of = {.forest = unseeing, .outputs = SHW_OUTPUT_DISTRIBUTION, .threads = 1};
        struct testing_labelling said = testing_label(&of, picture(i));
        const size_t pixels = (size_t)said.width * said.height;
        for (uint32_t s = 0; s < 2; s++) {
            const struct shw_dataset *dataset = shw_level_set_dataset(sets[s]);
            struct shw_labelled_image example;
            const struct shw_input *input;
            assert_int_equal(dataset->read(dataset->user, i, &example), SHW_OK);
            input = shw_inputs_find(&example.inputs, "posterior-0");
            assert_non_null(input);
            for (size_t p = 0; p < pixels; p++)
                for (uint32_t c = 0; c < 3; c++)
                    assert_int_equal(((const uint8_t *)input->image.pixels)[3 * p + c],
                                     (uint32_t)(255.0 * said.out.distribution[c * pixels + p] / 65535 + 0.5));
            dataset->release(dataset->user, &example);
        }
        testing_labelling_free(&said);
        shw_forest_destroy(&unseeing);
    }
    for (uint32_t s = 0; s < 2; s++)
        shw_level_set_destroy(&sets[s]);
    shw_forest_destroy(&below);
}

static struct shw_trainer *begin(struct shw_trainer_params params, struct testing_log *memory)
{
    struct shw_trainer *trainer = NULL;

    params.log = testing_log(memory);
    assert_int_equal(shw_trainer_create(&params, &examples.dataset, &trainer), SHW_OK);
    return trainer;
}

TESTING_CASE(levels_are_resumed)
{
    const char *path = testing_path("level.ktx2");
    struct shw_trainer_params params = training(1), above = training(1), other = training(1);
    struct shw_forest *below = train(params), *checkpoint = NULL, *another;
    struct testing_log memory;
    struct shw_trainer *trainer;
    uint64_t expected;
    bool finished;

    other.seed++;
    another = train(other);
    above.folds = 0;
    above.below = below;
    expected = testing_finish(begin(above, &memory));
    for (uint32_t rounds = 0; rounds < 9; rounds += 4) {
        trainer = begin(above, &memory);
        for (uint32_t r = 0; r < rounds; r++)
            assert_int_equal(shw_trainer_step(trainer, &finished), SHW_OK);
        assert_int_equal(shw_trainer_save(trainer, path), SHW_OK);
        shw_trainer_destroy(&trainer);
        trainer = begin(above, &memory);
        assert_int_equal(shw_trainer_load(trainer, path), SHW_OK);
        assert_true(testing_finish(trainer) == expected);
        assert_int_equal(memory.errors, 0);
    }
    assert_int_equal(shw_forest_load(path, NULL, &checkpoint), SHW_OK);
    assert_int_equal(shw_forest_get_info(checkpoint)->levels, 2);
    assert_true(shw_forest_hash(shw_forest_get_info(checkpoint)->below) == shw_forest_hash(below));
    trainer = begin(params, &memory);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "it is of level 2, but this training is of level 1"));
    shw_trainer_destroy(&trainer);
    above.below = another;
    trainer = begin(above, &memory);
    assert_int_equal(shw_trainer_load(trainer, path), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "another level below"));
    shw_trainer_destroy(&trainer);
    shw_forest_destroy(&checkpoint);
    shw_forest_destroy(&another);
    shw_forest_destroy(&below);
}

static void refuse_training(struct shw_trainer_params params, bool by_trainer, const char *words)
{
    struct shw_forest *forest = NULL;
    struct shw_trainer *trainer = NULL;
    struct testing_log memory;

    params.log = testing_log(&memory);
    assert_int_equal(by_trainer ? shw_trainer_create(&params, &examples.dataset, &trainer)
                                : shw_train(&params, &examples.dataset, &forest),
                     SHW_ERROR_ARGUMENT);
    assert_int_equal(memory.errors, 1);
    if (strstr(memory.last, words) == NULL)
        fail_msg("'%s' is not in: %s", words, memory.last);
}

TESTING_CASE(trainings_that_make_no_sense_are_refused)
{
    struct shw_trainer_params params = training(2);
    struct shw_forest *below = train(training(1));

    refuse_training(params, true, "a trainer trains one level");
    params.levels = SHW_LEVELS_MAX + 1;
    refuse_training(params, false, "9 levels");
    params.levels = 2;
    params.below = below;
    refuse_training(params, false, "above another");
    params = training(1);
    params.channels = "rgb,posterior:0";
    refuse_training(params, true, "are added");
    params = training(1);
    params.below_offset_max = 8;
    refuse_training(params, true, "for several levels");
    params = training(1);
    params.folds = 5;
    refuse_training(params, true, "5 folds of 4 trees and 5 pictures");
    params.folds = 1;
    refuse_training(params, true, "1 folds");
    params.folds = 2;
    params.fold_run = 5;
    refuse_training(params, true, "5 pictures make fewer than 2 folds of runs of 5");
    params.fold_run = 0;
    params.same_samples = true;
    refuse_training(params, true, "same samples");
    shw_forest_destroy(&below);
}

static void has_reach(const struct shw_trainer_params *params, const struct shw_forest *below, uint32_t offset,
                      uint32_t size, uint32_t least)
{
    const struct shw_trainer_params of_level = shw_level_params(params, below);

    assert_int_equal(of_level.offset_max, offset);
    assert_int_equal(of_level.size_max, size);
    assert_int_equal(of_level.offset_min, least);
    assert_int_equal(of_level.below_offset_max, 0);
    assert_int_equal(of_level.below_size_max, 0);
}

TESTING_CASE(lower_levels_look_near_and_the_uppermost_far)
{
    struct shw_trainer_params params = {.levels = 2};
    struct shw_forest *below = train(training(1));

    has_reach(&params, NULL, 20, 21, 0);
    has_reach(&params, below, 200, 160, 0);
    params.offset_max = 60;
    params.offset_min = 30;
    has_reach(&params, NULL, 20, 21, 20);
    has_reach(&params, below, 60, 121, 30);
    params.offset_max = 8;
    params.offset_min = 1;
    has_reach(&params, NULL, 8, 17, 1);
    has_reach(&params, below, 8, 17, 1);
    params.offset_max = 100;
    params.size_max = 9;
    has_reach(&params, NULL, 20, 9, 1);
    params.below_offset_max = 40;
    params.below_size_max = 33;
    has_reach(&params, NULL, 40, 33, 1);
    has_reach(&params, below, 100, 9, 1);
    params.levels = 3;
    has_reach(&params, below, 40, 33, 1);
    shw_forest_destroy(&below);
}

/* Found before the first level is trained. */
TESTING_CASE(classes_that_do_not_fit_are_refused_at_once)
{
    const struct testing_examples_params params = {.seed = 6, .classes = 31};
    struct shw_trainer_params of = training(2);
    struct testing_examples many;
    struct shw_forest *forest = NULL;
    struct testing_log memory;

    testing_examples_make(&params, &many);
    of.log = testing_log(&memory);
    many.fail_at = 0;
    many.fail_with = SHW_ERROR_IO;
    assert_int_equal(shw_train(&of, &many.dataset, &forest), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "31 classes"));
    testing_examples_free(&many);
}

/* The examples as parts of larger pictures. */
static enum shw_result read_part(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct testing_examples *of = user;

    assert_int_equal(of->dataset.read(of->dataset.user, index, example), SHW_OK);
    example->part = (struct shw_picture_part){index, 1, 0, example->image.width + 1, example->image.height};
    return SHW_OK;
}

static void release_part(void *user, struct shw_labelled_image *example)
{
    const struct testing_examples *of = user;

    of->dataset.release(of->dataset.user, example);
}

TESTING_CASE(parts_of_pictures_are_refused_and_filling_can_be_stopped)
{
    struct shw_forest *below = train(training(1)), *forest = NULL;
    struct shw_trainer_params params = training(1);
    struct shw_dataset parts = examples.dataset;
    const atomic_bool stopped = true;
    struct shw_channel_list list;
    struct shw_level_set *set = NULL;
    struct testing_log memory;

    params.below = below;
    params.log = testing_log(&memory);
    parts.user = &examples;
    parts.read = read_part;
    parts.release = release_part;
    assert_int_equal(shw_train(&params, &parts, &forest), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "is a part of a picture"));
    assert_int_equal(shw_channel_list_parse("rgb,posterior:0", NULL, NULL, &list), SHW_OK);
    assert_int_equal(
        shw_level_set_create(&examples.dataset, shw_image_part_all(examples.dataset.count), &params, &list, &set),
        SHW_OK);
    assert_int_equal(shw_level_set_fill(set, UINT64_MAX, &stopped), SHW_ERROR_CANCELLED);
    shw_level_set_destroy(&set);
    shw_forest_destroy(&below);
}

TESTING_FIXTURE(prepare, end)
