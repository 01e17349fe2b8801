/* Training of cascades: boosting against plain arithmetic, thresholds, mining, and checkpoints. */
#include "cascade_set.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detection/boost/trainer.h"
#include "detection/detect/levels.h"

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, test_fixed)
{
    struct testing_random random = {1};

    for (uint32_t x = 0; x < 3000000; x += 977) {
        double is = shw_boost_exp(x), exact = exp(-(double)x / 65536.0) * 2147483648.0;
        assert_true(fabs(is - exact) < exact * 0x1p-24 + 1);
    }
    assert_int_equal(shw_boost_exp(UINT32_MAX), 0);
    for (int i = 0; i < 3000; i++) {
        uint64_t a = 1 + (testing_random_next(&random) >> (32 + testing_random_below(&random, 32)));
        uint64_t b = 1 + (testing_random_next(&random) >> (32 + testing_random_below(&random, 32)));
        uint64_t x = testing_random_next(&random) >> testing_random_below(&random, 64);
        uint64_t root = shw_boost_root(x);
        assert_true(fabs(shw_boost_half_log(a, b) - log((double)a / (double)b) / 2 * 65536) < 1);
        assert_int_equal(shw_boost_half_log(a, b), -shw_boost_half_log(b, a));
        assert_true(root * root <= x && (root == UINT32_MAX || (root + 1) * (root + 1) > x));
    }
}

/* Samples whose responses have few values, so that the thresholds that are tried are all that there are. */
enum { SIDE = 3, POINTS = SIDE * SIDE, SAMPLES = 400, LEVELS = 3 };

struct tiny {
    uint16_t patches[SAMPLES * POINTS];
    uint8_t classes[SAMPLES];
    int32_t scores[SAMPLES];
    bool left_out[SAMPLES];
    uint32_t weights[SAMPLES];
    uint16_t leaves[SAMPLES];
};

static void make_tiny(struct testing_random *random, struct tiny *tiny)
{
    for (uint32_t i = 0; i < SAMPLES; i++) {
        tiny->classes[i] = i < SAMPLES / 2;
        tiny->left_out[i] = testing_random_below(random, 20) == 0;
        tiny->scores[i] = testing_random_range(random, -150000, 150000);
        for (uint32_t p = 0; p < POINTS; p++)
            tiny->patches[i * POINTS + p] = (uint16_t)(1000 * testing_random_below(random, LEVELS));
        if (tiny->classes[i] && testing_random_below(random, 3) > 0) /* something to learn */
            tiny->patches[i * POINTS + 4] = 2000;
        if (tiny->classes[i] && testing_random_below(random, 3) > 0)
            tiny->patches[i * POINTS + 7] = 0;
    }
    shw_boosting_weigh(tiny->scores, tiny->left_out, SAMPLES / 2, false, tiny->weights + SAMPLES / 2);
    shw_boosting_weigh(tiny->scores, tiny->left_out, SAMPLES / 2, true, tiny->weights);
    shw_boosting_weigh(tiny->scores + SAMPLES / 2, tiny->left_out + SAMPLES / 2, SAMPLES / 2, false,
                       tiny->weights + SAMPLES / 2);
}

static void check_weights(const struct tiny *tiny)
{
    for (uint32_t class = 0; class < 2; class ++) {
        double sum = 0, total = 0;
        for (uint32_t i = 0; i < SAMPLES; i++)
            if (tiny->classes[i] == class && !tiny->left_out[i])
                sum += exp((class == 1 ? -1 : 1) * tiny->scores[i] / 65536.0);
        for (uint32_t i = 0; i < SAMPLES; i++) {
            double exact = exp((class == 1 ? -1 : 1) * tiny->scores[i] / 65536.0) / sum * 0x1p23;
            if (tiny->classes[i] != class)
                continue;
            total += tiny->weights[i];
            if (tiny->left_out[i])
                assert_int_equal(tiny->weights[i], 0);
            else
                assert_true(fabs(tiny->weights[i] - exact) < 2 + exact * 1e-6);
        }
        assert_true(total < 0x1p23 && total > 0x1p23 - SAMPLES - 2);
    }
}

static double loss_of(enum shw_boosting boosting, const double sums[2])
{
    if (boosting == SHW_BOOSTING_REAL)
        return sqrt(sums[0] * sums[1]);
    return sums[0] + sums[1] > 0 ? sums[0] * sums[1] / (sums[0] + sums[1]) : 0;
}

static int32_t response_of(const struct tiny *tiny, uint32_t sample, uint32_t first, uint32_t second)
{
    return (int32_t)tiny->patches[sample * POINTS + first] - (int32_t)tiny->patches[sample * POINTS + second];
}

/* The loss after a split of the samples that are `there`. */
static double split_loss(const struct tiny *tiny, enum shw_boosting boosting, const bool *there, uint32_t first,
                         uint32_t second, int32_t threshold)
{
    double sums[2][2] = {{0}};

    for (uint32_t i = 0; i < SAMPLES; i++)
        if (there[i])
            sums[response_of(tiny, i, first, second) > threshold][tiny->classes[i]] += tiny->weights[i];
    return loss_of(boosting, sums[0]) + loss_of(boosting, sums[1]);
}

static double best_loss(const struct tiny *tiny, enum shw_boosting boosting, const bool *there)
{
    double best = INFINITY;

    for (uint32_t first = 0; first < POINTS; first++)
        for (uint32_t second = 0; second < POINTS; second++)
            for (int32_t threshold = -1000 * LEVELS; threshold < 1000 * LEVELS; threshold += 1000)
                best = fmin(best, split_loss(tiny, boosting, there, first, second, threshold));
    return best;
}

static void check_node(const struct tiny *tiny, enum shw_boosting boosting, const struct shw_boosted_tree *tree,
                       uint32_t n, const bool *there)
{
    const struct shw_cascade_node *node = &tree->nodes[n];
    double sums[2] = {0}, exact;
    bool right[2][SAMPLES] = {{false}};

    for (uint32_t i = 0; i < SAMPLES; i++)
        sums[tiny->classes[i]] += there[i] ? tiny->weights[i] : 0;
    if (!node->is_split) {
        exact = boosting == SHW_BOOSTING_REAL ? log((sums[1] + 4096) / (sums[0] + 4096)) / 2
                                              : (sums[1] - sums[0]) / (sums[1] + sums[0] + 8192);
        assert_true(fabs(node->value - exact * 65536) < 1);
        for (uint32_t i = 0; i < SAMPLES; i++)
            if (there[i]) {
                assert_int_equal(tiny->leaves[i], n);
                assert_int_equal(shw_boosted_tree_value(tree->nodes, tiny->patches + i * POINTS, SIDE), node->value);
            }
        return;
    }
    for (uint32_t i = 0; i < SAMPLES; i++)
        if (there[i])
            right[response_of(tiny, i, (uint32_t)(node->y1 * SIDE + node->x1), (uint32_t)(node->y2 * SIDE + node->x2)) >
                  node->threshold][i] = true;
    exact = best_loss(tiny, boosting, there);
    assert_true(split_loss(tiny, boosting, there, (uint32_t)(node->y1 * SIDE + node->x1),
                           (uint32_t)(node->y2 * SIDE + node->x2), node->threshold) <= exact * (1 + 1e-6) + 1);
    assert_true(exact < loss_of(boosting, sums));
    check_node(tiny, boosting, tree, node->left, right[0]);
    check_node(tiny, boosting, tree, node->left + 1, right[1]);
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, test_tree)
{
    struct testing_random random = {2};
    struct tiny *tiny = malloc(sizeof *tiny);
    const struct shw_boost_params params = {.width = SIDE, .height = SIDE, .technique = SHW_TECHNIQUE_CPU};
    uint32_t places[SAMPLES];

    for (uint32_t i = 0; i < SAMPLES; i++)
        places[i] = i;
    for (uint32_t c = 0; c < 6; c++) {
        const struct shw_boosting_choice choice = {.seed = c,
                                                   .boosting = (enum shw_boosting)(c % 2),
                                                   .width = SIDE,
                                                   .height = SIDE,
                                                   .depth = 1 + c / 2,
                                                   .candidates = 1500,
                                                   .thresholds = 31};
        const struct shw_boost_workers alone = {.exchange = NULL};
        struct shw_boosting_samples samples = {tiny->patches, tiny->classes, tiny->weights, SAMPLES};
        struct shw_boosted_tree tree;
        struct shw_boost *boost;
        bool all[SAMPLES];
        make_tiny(&random, tiny);
        check_weights(tiny);
        assert_int_equal(shw_boost_create(&params, &boost), SHW_OK);
        assert_int_equal(shw_boost_put(boost, places, SAMPLES, tiny->patches), SHW_OK);
        assert_int_equal(shw_boosting_grow(&choice, boost, NULL, &alone, c, &samples, &tree, tiny->leaves), SHW_OK);
        assert_true(tree.node_count > 1);
        memset(all, true, sizeof all);
        check_node(tiny, choice.boosting, &tree, 0, all);
        shw_boost_destroy(&boost);
    }
    free(tiny);
}

/* The score that a cascade gives to a patch; INT32_MIN if it is rejected. */
static int32_t plain_score(const struct shw_cascade_info *info, const uint16_t *patch)
{
    int32_t score = 0;

    for (uint32_t s = 0; s < info->stage_count; s++) {
        const struct shw_cascade_node *nodes = info->nodes + info->trees[info->stages[s].first_tree].first_node;
        uint32_t n = 0;
        assert_int_equal(info->stages[s].tree_count, 1);
        while (nodes[n].is_split) {
            const struct shw_cascade_node *node = &nodes[n];
            int32_t width = (int32_t)info->window_width;
            n = node->left +
                (patch[node->y1 * width + node->x1] - patch[node->y2 * width + node->x2] > node->threshold);
        }
        score += nodes[n].value;
        if (score < info->stages[s].threshold)
            return INT32_MIN;
    }
    return score;
}

/* The cascade, and the numbers that the trainer gives with it: no more objects are lost than is allowed, and those that
 * it counts are those that the cascade rejects. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, test_thresholds)
{
    struct set *set = make_set();
    struct shw_cascade_trainer_params params = usual_params();

    for (uint32_t c = 0; c < 3; c++) {
        struct shw_cascade_trainer *trainer;
        struct shw_cascade_progress progress;
        struct shw_cascade *cascade;
        uint32_t lost = 0, survivors = 0;
        params.boosting = c == 1 ? SHW_BOOSTING_GENTLE : SHW_BOOSTING_REAL;
        params.loss_permille = c == 2 ? 1 : 100;
        trainer = begin(&params, set);
        step(trainer, UINT32_MAX);
        assert_int_equal(shw_cascade_trainer_get_cascade(trainer, &cascade), SHW_OK);
        shw_cascade_trainer_get_progress(trainer, &progress);
        assert_true(progress.objects_calibrating >= OBJECTS * 4 * 3 / 10);
        for (uint32_t i = 0; i < trainer->calibration.count; i++)
            lost += plain_score(shw_cascade_get_info(cascade),
                                trainer->calibration.patches + (size_t)i * trainer->points) == INT32_MIN;
        assert_int_equal(lost, progress.objects_lost);
        assert_true(lost <= trainer->calibration.count * params.loss_permille / 1000);
        for (uint32_t i = 0; i < trainer->object_samples; i++)
            survivors += plain_score(shw_cascade_get_info(cascade),
                                     trainer->samples.patches + (size_t)i * trainer->points) != INT32_MIN;
        assert_int_equal(survivors, progress.objects);
        assert_true(progress.round > 1);
        assert_true(progress.windows_passed * 4 < progress.windows_scanned);
        shw_cascade_destroy(&cascade);
        shw_cascade_trainer_destroy(&trainer);
    }
    free(set);
}

TESTING_CASE(test_same_bytes)
{
    struct set *set = make_set();
    struct shw_cascade_trainer_params params = usual_params();
    struct shw_cascade_trainer *trainer = begin(&params, set);
    const char *path = testing_path("checkpoint");
    struct bytes expected;

    step(trainer, UINT32_MAX);
    expected = bytes_of(trainer);
    shw_cascade_trainer_destroy(&trainer);
    params.threads = 3;
    trainer = begin(&params, set);
    step(trainer, UINT32_MAX);
    assert_same(expected, bytes_of(trainer));
    shw_cascade_trainer_destroy(&trainer);
    for (uint32_t after = 1; after < params.stage_count; after += TESTING_SANITIZED ? 12 : 2) {
        trainer = begin(&params, set);
        step(trainer, after);
        assert_int_equal(shw_cascade_trainer_save(trainer, path), SHW_OK);
        shw_cascade_trainer_destroy(&trainer);
        trainer = begin(&params, set);
        assert_int_equal(shw_cascade_trainer_load(trainer, path), SHW_OK);
        step(trainer, UINT32_MAX);
        assert_same(expected, bytes_of(trainer));
        shw_cascade_trainer_destroy(&trainer);
    }
    free(expected.bytes);
    free(set);
}

static void expect_other(struct set *set, const struct shw_cascade_trainer_params *params, const char *path,
                         enum shw_result expected, const char *part)
{
    struct testing_log memory;
    struct shw_cascade_trainer_params with_log = *params;
    struct shw_cascade_trainer *trainer;

    with_log.log = testing_log(&memory);
    trainer = begin(&with_log, set);
    assert_int_equal(shw_cascade_trainer_load(trainer, path), expected);
    assert_int_equal(memory.count[SHW_LOG_CHECKPOINT], 1);
    if (strstr(memory.last, part) == NULL)
        fail_msg("%s", memory.last);
    shw_cascade_trainer_destroy(&trainer);
}

TESTING_CASE(test_checkpoint_refused)
{
    struct set *set = make_set();
    struct shw_cascade_trainer_params params = usual_params();
    struct shw_cascade_trainer *trainer;
    struct shw_cascade *cascade;
    const char *path = testing_path("checkpoint"), *finished = testing_path("finished");

    params.stage_count = 4;
    trainer = begin(&params, set);
    step(trainer, 2);
    assert_int_equal(shw_cascade_trainer_save(trainer, path), SHW_OK);
    assert_int_equal(shw_cascade_trainer_get_cascade(trainer, &cascade), SHW_OK);
    assert_int_equal(shw_cascade_save(cascade, finished, NULL), SHW_OK);
    shw_cascade_destroy(&cascade);
    shw_cascade_trainer_destroy(&trainer);
    expect_other(set, &params, finished, SHW_ERROR_FORMAT, "a finished cascade");
    params.seed++;
    expect_other(set, &params, path, SHW_ERROR_ARGUMENT, "seed was \"5\" and is now \"6\"");
    params.seed--;
    params.window_width = 9;
    expect_other(set, &params, path, SHW_ERROR_ARGUMENT, "a window of 8 x 8, not 9 x 8");
    params.window_width = 8;
    params.planes.blur_after = true;
    expect_other(set, &params, path, SHW_ERROR_ARGUMENT, "other planes");
    params.planes.blur_after = false;
    set->pixels[IMAGES - 1][7] ^= 1;
    expect_other(set, &params, path, SHW_ERROR_ARGUMENT, "data was");
    free(set);
}

/* Mining keeps exactly what the detector finds, except at objects, and the patches are what the detector reads. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, test_mining)
{
    struct set *set = make_set();
    struct shw_cascade_trainer_params params = usual_params();
    struct shw_cascade_trainer *trainer;
    struct shw_cascade *cascade;
    struct shw_mining mining;
    struct shw_mined mined;
    struct shw_detector *detector;
    uint64_t windows = 0, found_count = 0;
    int64_t found_sum = 0, mined_sum = 0;

    params.stage_count = 2;
    params.planes.blur_after = true;
    trainer = begin(&params, set);
    step(trainer, UINT32_MAX);
    assert_int_equal(shw_cascade_trainer_get_cascade(trainer, &cascade), SHW_OK);
    mining = (struct shw_mining){.images = &trainer->images,
                                 .cascade = cascade,
                                 .count = 100000,
                                 .round = 9,
                                 .pool = trainer->pool,
                                 .workers = &trainer->workers,
                                 .stop = &trainer->stop};
    assert_int_equal(shw_mine(&mining, &mined), SHW_OK);
    for (uint32_t i = 0; i < IMAGES; i++) {
        const struct shw_detector_params detection = {.cascade = cascade, .technique = SHW_TECHNIQUE_CPU, .threads = 1};
        const struct shw_image image = {
            .pixels = set->pixels[i], .width = set->sizes[i][0], .height = set->sizes[i][1], .format = SHW_PIXEL_GREY8};
        struct shw_detections found;
        if (!set->backgrounds[i])
            continue;
        assert_int_equal(shw_detector_create(&detection, &detector), SHW_OK);
        assert_int_equal(shw_detector_run(detector, &image, &found), SHW_OK);
        windows += shw_detector_count_windows(detector, image.width, image.height);
        for (uint32_t f = 0; f < found.count; f++) {
            bool at_object = false;
            for (uint32_t o = 0; o < OBJECTS; o++) {
                const struct shw_cascade_object *object = &set->objects[o];
                const struct shw_detection *window = &found.items[f];
                double across = fmin(object->x + (double)object->width, window->x + (double)window->width) -
                                fmax(object->x, window->x);
                double down = fmin(object->y + (double)object->height, window->y + (double)window->height) -
                              fmax(object->y, window->y);
                double common = fmax(across, 0) * fmax(down, 0);
                double all = (double)object->width * object->height + (double)window->width * window->height - common;
                at_object = at_object || (object->image == i && common > 0.3 * all);
            }
            found_count += !at_object;
            found_sum += at_object ? 0 : found.items[f].score;
        }
        free(found.items);
        shw_detector_destroy(&detector);
    }
    assert_int_equal(mined.scanned, windows);
    assert_int_equal(mined.passed, found_count);
    assert_int_equal(mined.count, found_count);
    assert_true(found_count > 20);
    for (uint32_t i = 0; i < mined.count; i++) {
        assert_int_equal(plain_score(shw_cascade_get_info(cascade), mined.patches + (size_t)i * trainer->points),
                         mined.scores[i]);
        mined_sum += mined.scores[i];
    }
    assert_true(mined_sum == found_sum);
    shw_mined_free(&mined);
    shw_cascade_destroy(&cascade);
    shw_cascade_trainer_destroy(&trainer);
    free(set);
}

/* The first copy of an object that fits a window of the finest level is what the detector reads there. */
TESTING_CASE(test_patches)
{
    static const struct shw_cascade_planes planes[] = {{.shrink = 1, .octaves = true},
                                                       {.shrink = 1, .blur_before = true},
                                                       {.shrink = 2, .blur_after = true, .octaves = true},
                                                       {.shrink = 3, .blur_before = true, .blur_after = true}};
    struct testing_random random = {4};
    uint8_t grey[40 * 36];

    for (uint32_t p = 0; p < sizeof grey; p++)
        grey[p] = (uint8_t)testing_random_next(&random);
    for (uint32_t c = 0; c < sizeof planes / sizeof *planes; c++) {
        static const struct shw_cascade_node leaf = {0};
        static const struct shw_cascade_tree tree = {0, 1};
        static const struct shw_cascade_stage stage = {0, 1, 0};
        const struct shw_cascade_info info = {.kind = SHW_CASCADE_PIXELS,
                                              .window_width = 7,
                                              .window_height = 6,
                                              .planes = planes[c],
                                              .levels_per_octave = 3,
                                              .stage_count = 1,
                                              .tree_count = 1,
                                              .node_count = 1,
                                              .stages = &stage,
                                              .trees = &tree,
                                              .nodes = &leaf};
        const struct shw_object_patches patches = {.width = 7, .height = 6, .planes = planes[c]};
        uint32_t by = planes[c].shrink, x = by, y = 2; /* with a ring around it that is inside */
        const struct shw_cascade_object object = {
            .x = (int32_t)(x * by), .y = (int32_t)(y * by), .width = 7 * by, .height = 6 * by};
        struct shw_detect_plan plan = {0};
        struct shw_scan scan = {0};
        struct shw_cascade *cascade;
        struct shw_levels *levels;
        struct shw_object_source source;
        uint16_t patch[7 * 6];
        assert_int_equal(shw_cascade_create(&info, NULL, &cascade), SHW_OK);
        assert_int_equal(shw_scan_resolve(cascade, NULL, &scan), SHW_OK);
        assert_int_equal(shw_detect_plan_make(cascade, &scan, 40, 36, NULL, &plan), SHW_OK);
        assert_int_equal(shw_levels_create(&planes[c], &plan, NULL, &levels), SHW_OK);
        shw_levels_make(levels, grey, NULL);
        assert_int_equal(shw_object_sources_cut(&patches, grey, 40, 36, &object, 1, NULL, &source), SHW_OK);
        assert_true(shw_object_patch_make(&patches, &source, 0, 0, patch));
        for (uint32_t j = 0; j < 6; j++)
            assert_memory_equal(patch + (size_t)j * 7,
                                shw_levels_get(levels) + (size_t)(plan.levels[0].y + y + j) * plan.mipmap_width +
                                    plan.levels[0].x + x,
                                7 * sizeof *patch);
        shw_object_source_free(&source);
        shw_levels_destroy(&levels);
        shw_detect_plan_free(&plan);
        shw_cascade_destroy(&cascade);
    }
}

static void expect_refused(struct shw_cascade_trainer_params params, const struct set *set, const char *part)
{
    struct testing_log memory;
    struct shw_cascade_trainer *trainer = NULL;

    params.log = testing_log(&memory);
    assert_int_equal(shw_cascade_trainer_create(&params, &set->dataset, &trainer), SHW_ERROR_ARGUMENT);
    assert_null(trainer);
    if (strstr(memory.last, part) == NULL)
        fail_msg("%s", memory.last);
}

TESTING_CASE(test_refused)
{
    struct set *set = make_set();
    struct shw_cascade_trainer_params params = usual_params();
    struct shw_cascade_trainer *trainer;
    bool finished;

    params.depth = 9;
    expect_refused(params, set, "depth is 9; it can be 1 to 8");
    params = usual_params();
    params.variation = (struct shw_cascade_variation){0};
    expect_refused(params, set, "without any variation");
    params = usual_params();
    params.notes = "[]";
    expect_refused(params, set, "the notes must be a JSON object");
    params = usual_params();
    set->objects[3].image = IMAGES;
    expect_refused(params, set, "object 3 is in image 14");
    set->objects[3].image = 0;
    set->objects[4].width = 0;
    expect_refused(params, set, "object 4");
    set->objects[4].width = 1;
    params.window_width = params.window_height = 40; /* no object is nearly as large */
    trainer = begin(&params, set);
    assert_int_equal(shw_cascade_trainer_step(trainer, &finished), SHW_ERROR_FORMAT);
    shw_cascade_trainer_destroy(&trainer);
    params = usual_params();
    trainer = begin(&params, set);
    shw_cascade_trainer_interrupt(trainer);
    assert_int_equal(shw_cascade_trainer_step(trainer, &finished), SHW_ERROR_CANCELLED);
    assert_int_equal(shw_cascade_trainer_save(trainer, testing_path("none")), SHW_ERROR_ARGUMENT);
    shw_cascade_trainer_destroy(&trainer);
    free(set);
}
