/* Sampling is even: whatever is to be equally likely is counted over many seeds, and the counts are compared with their
 * expectation by the chi-squared statistic. Seeds are fixed, so the statistics are the same on every machine. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dense/samples/sampling.h"
#include "dense/train/params.h"

#define CELLS_MAX  (1u << 12)
#define PIXELS_MAX 128u

/* Equal images of one row, with these labels. */
struct fixture {
    uint32_t width;
    uint16_t labels[PIXELS_MAX];
    struct shw_dataset dataset;
    struct shw_trainer_params params;
    struct shw_channel_list channels;
    struct shw_train_images images;
};

static enum shw_result read_row(void *user, uint32_t index, struct shw_labelled_image *example)
{
    static const uint8_t pixels[3 * PIXELS_MAX];
    const struct fixture *fixture = user;

    (void)index;
    *example = (struct shw_labelled_image){
        .name = "row", .image = {pixels, fixture->width, 1, 0, SHW_PIXEL_RGB8}, .labels = fixture->labels};
    return SHW_OK;
}

static void release_row(void *user, struct shw_labelled_image *example)
{
    (void)user;
    (void)example;
}

/* Images whose classes have so many pixels; mixed, so that neighbours differ in class, and some are void. */
static void set_up(struct fixture *fixture, uint32_t images, uint32_t classes, const uint32_t *sizes,
                   const struct shw_trainer_params *params)
{
    const struct shw_train_backend *backend;
    uint32_t left[PIXELS_MAX], total = 0;

    *fixture =
        (struct fixture){.dataset = {images, classes, NULL, false, fixture, read_row, release_row}, .params = *params};
    fixture->params.pixels_per_image = params->pixels_per_image > 0 ? params->pixels_per_image : SHW_PIXELS_ALL;
    for (uint32_t c = 0; c < classes; c++)
        total += left[c] = sizes[c];
    while (total > 0)
        for (uint32_t c = 0; c < classes; c++)
            if (left[c] > 0) {
                fixture->labels[fixture->width++] = (uint16_t)c;
                left[c]--;
                total--;
            }
    fixture->labels[fixture->width++] = SHW_LABEL_VOID;
    assert_in_range(fixture->width, 1, PIXELS_MAX);
    assert_int_equal(shw_trainer_params_complete(&fixture->params, &fixture->dataset, &fixture->channels, &backend),
                     SHW_OK);
    assert_int_equal(shw_train_images_measure(&fixture->params, &fixture->dataset, NULL, &fixture->images), SHW_OK);
}

static struct shw_samples draw(struct fixture *fixture, uint32_t seed, uint32_t tree)
{
    struct shw_samples samples;

    fixture->params.seed = seed;
    assert_int_equal(shw_samples_draw(&fixture->params, &fixture->dataset, NULL, &fixture->images,
                                      shw_image_part_all(fixture->images.base_count), tree, &samples),
                     SHW_OK);
    for (uint32_t s = 0; s < samples.count; s++)
        assert_int_equal(
            samples.label[s],
            fixture->labels[samples.image[s] < fixture->images.base_count ? samples.x[s]
                                                                          : fixture->width - 1u - samples.x[s]]);
    return samples;
}

/* The pixels drawn from an image, as bits. */
static uint32_t bits_of(const struct shw_samples *samples, uint32_t image)
{
    uint32_t bits = 0;

    for (uint32_t s = 0; s < samples->count; s++)
        if (samples->image[s] == image) {
            assert_int_equal(bits >> samples->x[s] & 1, 0);
            bits |= 1u << samples->x[s];
        }
    return bits;
}

/* The counts of `cells` equally likely outcomes have a mean squared deviation of 1 in units of its expectation, with a
 * standard deviation of sqrt(2 / df); four of them are allowed, to either side: counts that are too even are no random
 * counts either. */
static void assert_even(const char *what, const uint32_t *counts, uint32_t cells)
{
    double total = 0, sum = 0, df = cells - 1.0, bound = 4 * sqrt(2 / df);

    for (uint32_t i = 0; i < cells; i++)
        total += counts[i];
    for (uint32_t i = 0; i < cells; i++)
        sum += (counts[i] - total / cells) * (counts[i] - total / cells) / (total / cells);
    print_message("%s: chi-squared / df = %.3f, df = %.0f\n", what, sum / df, df);
    if (fabs(sum / df - 1) > bound)
        fail_msg("%s: chi-squared / df is %.3f; 1 +- %.3f is even", what, sum / df, bound);
}

/* Counts by bits become counts of the sets of `chosen` of `size` elements, all of which must be of that size. */
static void assert_sets_even(const char *what, const uint32_t *counts, uint32_t size, uint32_t chosen)
{
    uint32_t sets[CELLS_MAX], cells = 0;

    for (uint32_t bits = 0; bits < 1u << size; bits++) {
        if ((uint32_t)__builtin_popcount(bits) == chosen)
            sets[cells++] = counts[bits];
        else
            assert_int_equal(counts[bits], 0);
    }
    assert_even(what, sets, cells);
}

TESTING_CASE(every_set_of_pixels_is_equally_likely)
{
    static const struct {
        uint32_t size, chosen;
        const char *what;
    } cases[] = {{2, 1, "1 of 2 pixels"},  {3, 2, "2 of 3 pixels"},   {4, 2, "2 of 4 pixels"},
                 {7, 3, "3 of 7 pixels"},  {10, 3, "3 of 10 pixels"}, {11, 10, "10 of 11 pixels"},
                 {12, 6, "6 of 12 pixels"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shw_trainer_params params = {.pixels_per_image = cases[i].chosen};
        uint32_t counts[CELLS_MAX] = {0};
        struct fixture fixture;

        set_up(&fixture, 1, 1, &cases[i].size, &params);
        for (uint32_t seed = 0; seed < 24000; seed++) {
            struct shw_samples samples = draw(&fixture, seed, 0);
            counts[bits_of(&samples, 0)]++;
            shw_samples_free(&samples);
        }
        assert_sets_even(cases[i].what, counts, cases[i].size, cases[i].chosen);
        shw_train_images_free(&fixture.images);
    }
}

TESTING_CASE(every_set_of_images_is_equally_likely)
{
    static const struct {
        uint32_t size, percent, chosen;
        const char *what;
    } cases[] = {{2, 50, 1, "1 of 2 images"},
                 {3, 34, 2, "2 of 3 images"},
                 {10, 30, 3, "3 of 10 images"},
                 {10, 81, 9, "9 of 10 images"}};
    const uint32_t one = 1;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shw_trainer_params params = {.images_percent = cases[i].percent};
        uint32_t counts[CELLS_MAX] = {0};
        struct fixture fixture;

        set_up(&fixture, cases[i].size, 1, &one, &params);
        for (uint32_t seed = 0; seed < 24000; seed++) {
            struct shw_samples samples = draw(&fixture, seed, 0);
            uint32_t bits = 0;
            assert_int_equal(samples.count, cases[i].chosen);
            for (uint32_t s = 0; s < samples.count; s++)
                bits |= 1u << samples.image[s];
            counts[bits]++;
            shw_samples_free(&samples);
        }
        assert_sets_even(cases[i].what, counts, cases[i].size, cases[i].chosen);
        shw_train_images_free(&fixture.images);
    }
}

/* Three of five with replacement: 125 ordered draws, of which the samples show the number of each. */
TESTING_CASE(drawing_with_replacement_is_even)
{
    const struct shw_trainer_params params = {.images_percent = 60, .replacement = true};
    const uint32_t one = 1;
    uint32_t single[10] = {0}, pair[20] = {0}, triple[5] = {0}, kinds[3] = {0};
    struct fixture fixture;

    set_up(&fixture, 5, 1, &one, &params);
    for (uint32_t seed = 0; seed < 30000; seed++) {
        struct shw_samples samples = draw(&fixture, seed, 0);
        uint32_t a = samples.image[0], b = samples.image[1], c = samples.image[2];

        assert_int_equal(samples.count, 3);
        assert_true(a <= b && b <= c);
        if (a == c) {
            triple[a]++;
            kinds[0]++;
        } else if (a == b || b == c) {
            uint32_t twice = b, once = a == b ? c : a;
            pair[4 * twice + once - (once > twice)]++;
            kinds[1]++;
        } else {
            uint32_t without_a = 0, left = 31u & ~(1u << a | 1u << b | 1u << c);
            for (uint32_t i = 0; i < 5; i++) /* number of the pair that is left out */
                for (uint32_t j = i + 1; j < 5; j++, without_a++)
                    single[without_a] += left == (1u << i | 1u << j);
            kinds[2]++;
        }
        shw_samples_free(&samples);
    }
    assert_even("three different images", single, 10);
    assert_even("two equal images", pair, 20);
    assert_even("three equal images", triple, 5);
    assert_in_range(kinds[0], 1200 - 140, 1200 + 140); /* 5 of 125; four standard deviations */
    assert_in_range(kinds[1], 14400 - 350, 14400 + 350);
    shw_train_images_free(&fixture.images);
}

/* Ten of a hundred: each pixel and each pair. The pixels of one set are not independent, so the expectation of the
 * statistic is that of drawing without replacement. */
TESTING_CASE(pixels_and_pairs_of_larger_images_are_even)
{
    enum { SIZE = 100, CHOSEN = 10, SEEDS = 20000 };
    static uint32_t single[SIZE], pair[SIZE][SIZE];
    const struct shw_trainer_params params = {.pixels_per_image = CHOSEN};
    const uint32_t size = SIZE;
    double sum = 0, pair_sum = 0, expected = (double)SEEDS * CHOSEN / SIZE,
           pair_expected = expected * (CHOSEN - 1) / (SIZE - 1), pairs = SIZE * (SIZE - 1) / 2;
    struct fixture fixture;

    set_up(&fixture, 1, 1, &size, &params);
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct shw_samples samples = draw(&fixture, seed, 0);
        assert_int_equal(samples.count, CHOSEN);
        for (uint32_t s = 0; s < samples.count; s++) {
            single[samples.x[s]]++;
            for (uint32_t t = 0; t < s; t++)
                pair[samples.x[t]][samples.x[s]]++;
        }
        shw_samples_free(&samples);
    }
    for (uint32_t i = 0; i < SIZE; i++) {
        sum += pow(single[i] - expected, 2) / expected;
        for (uint32_t j = i + 1; j < SIZE; j++)
            pair_sum += pow(pair[i][j] - pair_expected, 2) / pair_expected;
    }
    sum /= SIZE - CHOSEN;
    pair_sum /= pairs - CHOSEN * (CHOSEN - 1) / 2.0;
    print_message("10 of 100: pixels %.3f, pairs %.3f\n", sum, pair_sum);
    assert_true(fabs(sum - 1) < 4 * sqrt(2.0 / SIZE));
    assert_true(fabs(pair_sum - 1) < 4 * sqrt(2.0 / pairs));
    shw_train_images_free(&fixture.images);
}

/* Two each of classes of 3, 5 and 60 pixels: the classes' sets are even, and independent of each other. */
TESTING_CASE(tiny_classes_are_even)
{
    static const uint32_t sizes[] = {3, 5, 60};
    const struct shw_trainer_params params = {.pixels_per_image = 6, .sampling = SHW_SAMPLING_BALANCED};
    uint32_t cells[3 * 10] = {0}, large[60 * 59 / 2] = {0};
    struct fixture fixture;

    set_up(&fixture, 1, 3, sizes, &params);
    for (uint32_t seed = 0; seed < 30000; seed++) {
        struct shw_samples samples = draw(&fixture, seed, 0);
        uint32_t bits[2] = {0}, of_large[2], numbers[3] = {0}, of_class[3] = {0}, set = 0;

        assert_int_equal(samples.count, 6);
        for (uint32_t x = 0, s = 0; x < fixture.width && s < 6; x++) {
            uint32_t class = fixture.labels[x];
            if (samples.x[s] == x) {
                assert_in_range(of_class[class], 0, 1);
                if (class < 2)
                    bits[class] |= 1u << numbers[class];
                else
                    of_large[of_class[class]] = numbers[class];
                of_class[class]++;
                s++;
            }
            if (class < 3)
                numbers[class]++;
        }
        for (uint32_t c = 0; c < 3; c++)
            assert_int_equal(of_class[c], 2);
        large[of_large[1] * (of_large[1] - 1) / 2 + of_large[0]]++;
        for (uint32_t i = 0; i < 5; i++)
            for (uint32_t j = i + 1; j < 5; j++, set++)
                if (bits[1] == (1u << i | 1u << j))
                    cells[10 * (uint32_t)__builtin_ctz(~bits[0]) + set]++;
        shw_samples_free(&samples);
    }
    assert_even("2 of 3 pixels of a class and 2 of 5 of another", cells, 30);
    assert_even("2 of 60 pixels of a class", large, 60 * 59 / 2);
    shw_train_images_free(&fixture.images);
}

/* What the classes' shares leave over goes to any of the classes that have pixels left, not to the first ones. */
TESTING_CASE(the_remainder_is_even)
{
    static const uint32_t sizes[] = {4, 1, 9, 4, 4, 5};
    const struct shw_trainer_params params = {.pixels_per_image = 8, .sampling = SHW_SAMPLING_BALANCED};
    uint32_t counts[1u << 6] = {0}, sets[10], cells = 0;
    struct fixture fixture;

    set_up(&fixture, 1, 6, sizes, &params);
    for (uint32_t seed = 0; seed < 20000; seed++) {
        struct shw_samples samples = draw(&fixture, seed, 0);
        uint32_t of_class[6] = {0}, more = 0;

        for (uint32_t s = 0; s < samples.count; s++)
            of_class[samples.label[s]]++;
        for (uint32_t c = 0; c < 6; c++) {
            assert_in_range(of_class[c], 1, c == 1 ? 1 : 2);
            more |= (uint32_t)(of_class[c] == 2) << c;
        }
        counts[more]++;
        shw_samples_free(&samples);
    }
    for (uint32_t bits = 0; bits < 1u << 6; bits++) {
        if (__builtin_popcount(bits) == 2 && (bits & 2u) == 0)
            sets[cells++] = counts[bits];
        else
            assert_int_equal(counts[bits], 0);
    }
    assert_int_equal(cells, 10);
    assert_even("2 of 5 classes that get one pixel more", sets, 10);
    shw_train_images_free(&fixture.images);
}

TESTING_CASE(images_mirrors_and_trees_are_independent)
{
    const struct shw_trainer_params params = {.pixels_per_image = 1, .mirror = true};
    const uint32_t size = 5;
    uint32_t images[25] = {0}, mirrors[25] = {0}, trees[25] = {0};
    struct fixture fixture;

    set_up(&fixture, 2, 1, &size, &params);
    for (uint32_t seed = 0; seed < 10000; seed++) {
        struct shw_samples first = draw(&fixture, seed, 0), second = draw(&fixture, seed, 1);
        uint32_t at[4], again;

        assert_int_equal(first.count, 4); /* image 0, its mirror image, image 1, its mirror image */
        for (uint32_t s = 0; s < 4; s++) {
            assert_int_equal(first.image[s], (s >> 1) + 2 * (s & 1));
            at[s] = first.x[s] - (s & 1);
        }
        again = second.x[0];
        images[5 * at[0] + at[2]]++;
        mirrors[5 * at[0] + at[1]]++;
        trees[5 * at[0] + again]++;
        shw_samples_free(&first);
        shw_samples_free(&second);
    }
    assert_even("two images", images, 25);
    assert_even("an image and its mirror image", mirrors, 25);
    assert_even("two trees", trees, 25);
    shw_train_images_free(&fixture.images);
}

/* Forests say which generator drew their samples; so do the hashes by which workers recognise each other, which are
 * made from the same record. */
/* What is reserved for samples is enough for every tree, and not much more: memory is divided by it. */
TESTING_CASE(the_most_samples_are_known)
{
    const uint32_t sizes[] = {9, 3}, images = 30;
    struct fixture fixture;

    for (uint32_t i = 0; i < 64; i++) {
        const struct shw_trainer_params params = {.pixels_per_image = i % 2 == 0 ? 0 : 5,
                                                  .images_percent = i / 2 % 2 == 0 ? 100 : 7,
                                                  .replacement = i / 4 % 2 == 1,
                                                  .mirror = i / 8 % 2 == 1,
                                                  .tree_count = 1};
        uint64_t most, each = i % 2 == 0 ? 12 : 5, drawn = i / 2 % 2 == 0 ? images : 3;
        set_up(&fixture, images, 2, sizes, &params);
        most = shw_samples_most(&fixture.params, &fixture.images, shw_image_part_all(fixture.images.base_count));
        for (uint32_t tree = 0; tree < 20; tree++) {
            struct shw_samples samples = draw(&fixture, i, tree);
            assert_true(samples.count <= most);
            shw_samples_free(&samples);
        }
        assert_true(most <= (2 * drawn + 2) * each);
        shw_train_images_free(&fixture.images);
    }
}

/* One large image among small ones may be drawn every time. */
TESTING_CASE(a_large_image_may_be_drawn_again)
{
    struct shw_train_image list[20] = {{0}};
    struct shw_train_picture pictures[20];
    struct shw_train_images images = {
        .images = list, .count = 20, .base_count = 20, .pictures = pictures, .picture_count = 20};
    struct shw_trainer_params params = {.pixels_per_image = SHW_PIXELS_ALL, .images_percent = 100};

    for (uint32_t i = 0; i < 20; i++)
        pictures[i] = (struct shw_train_picture){i, i + 1, i == 7 ? 160000 : 4};
    assert_int_equal(shw_samples_most(&params, &images, shw_image_part_all(images.base_count)), 160000 + 19 * 4);
    params.replacement = true;
    assert_true(shw_samples_most(&params, &images, shw_image_part_all(images.base_count)) >= 20 * 160000);
    params.images_percent = 5;
    assert_in_range(shw_samples_most(&params, &images, shw_image_part_all(images.base_count)), 160000, 2 * 160000);
}

TESTING_CASE(the_record_names_the_generator)
{
    const struct shw_trainer_params params = {.tree_count = 1, .depth = 1};
    struct shw_forest *forest = NULL;
    const uint32_t size = 2;
    struct fixture fixture;
    char member[32];

    set_up(&fixture, 1, 1, &size, &params);
    assert_int_equal(shw_train(&params, &fixture.dataset, &forest), SHW_OK);
    snprintf(member, sizeof member, "\"generator\":%d,", SHW_GENERATOR);
    assert_non_null(strstr(shw_forest_get_info(forest)->training, member));
    shw_forest_destroy(&forest);
    shw_train_images_free(&fixture.images);
}

/* Images of one row whose labels differ. */
struct rows {
    uint32_t width, count, classes;
    uint16_t labels[8][PIXELS_MAX];
};

static enum shw_result read_one(void *user, uint32_t index, struct shw_labelled_image *example)
{
    static const uint8_t pixels[3 * PIXELS_MAX];
    const struct rows *rows = user;

    *example = (struct shw_labelled_image){
        .name = "row", .image = {pixels, rows->width, 1, 0, SHW_PIXEL_RGB8}, .labels = rows->labels[index]};
    return SHW_OK;
}

/* Rows whose images have very different shares of each class, and some none of it. */
static void make_rows(struct rows *rows)
{
    struct testing_random random = {71};

    *rows = (struct rows){.width = 60, .count = 8, .classes = 4};
    for (uint32_t i = 0; i < rows->count; i++)
        for (uint32_t x = 0; x < rows->width; x++) {
            uint32_t r = testing_random_below(&random, 100);
            rows->labels[i][x] = (uint16_t)(r < 20             ? SHW_LABEL_VOID
                                            : r < 20 + 9 * i   ? 0
                                            : i < 2 && r >= 95 ? 1 /* rare: only in two images */
                                            : i % 3 == 1       ? 2
                                                               : 3);
        }
}

struct class_uniform {
    struct rows rows;
    struct shw_dataset dataset;
    struct shw_trainer_params params;
    struct shw_channel_list channels;
    struct shw_train_images images;
    uint64_t sizes[4]; /* of the classes */
};

static void open_rows(struct class_uniform *set, const struct shw_trainer_params *params)
{
    const struct shw_train_backend *backend;

    make_rows(&set->rows);
    set->dataset = (struct shw_dataset){.count = set->rows.count,
                                        .class_count = set->rows.classes,
                                        .user = &set->rows,
                                        .read = read_one,
                                        .release = release_row};
    set->params = *params;
    set->params.sampling = SHW_SAMPLING_CLASS_UNIFORM;
    memset(set->sizes, 0, sizeof set->sizes);
    for (uint32_t i = 0; i < set->rows.count; i++)
        for (uint32_t x = 0; x < set->rows.width; x++)
            if (set->rows.labels[i][x] != SHW_LABEL_VOID)
                set->sizes[set->rows.labels[i][x]]++;
    assert_int_equal(shw_trainer_params_complete(&set->params, &set->dataset, &set->channels, &backend), SHW_OK);
    assert_int_equal(shw_train_images_measure(&set->params, &set->dataset, NULL, &set->images), SHW_OK);
}

/* The number of samples is that of the other kinds of sampling; every class has its even share of it, and every pixel
 * of a class in any image is equally likely. */
TESTING_CASE(class_uniform_sampling_is_even_over_all_images)
{
    enum { EACH = 12, SEEDS = 20000 };
    static uint32_t drawn[8][PIXELS_MAX];
    struct class_uniform set;
    uint32_t total = 0, level = 0, left;

    open_rows(&set, &(struct shw_trainer_params){.pixels_per_image = EACH});
    assert_in_range(set.sizes[1], 2, 8);
    for (uint32_t i = 0; i < 8; i++)
        total += set.images.pictures[i].labelled_count < EACH ? set.images.pictures[i].labelled_count : EACH;
    for (uint32_t sum = 0; sum <= total; level++) /* the plain way: raise it until they are too many */
        for (uint32_t c = sum = 0; c < 4; c++)
            sum += set.sizes[c] < level + 1 ? (uint32_t)set.sizes[c] : level + 1;
    level--;
    left = total - (uint32_t)set.sizes[1] - 3 * level;
    for (uint32_t seed = 0; seed < SEEDS; seed++) {
        struct shw_samples samples;
        uint32_t of_class[4] = {0}, more = 0;

        set.params.seed = seed;
        assert_int_equal(shw_samples_draw(&set.params, &set.dataset, NULL, &set.images,
                                          shw_image_part_all(set.images.base_count), 0, &samples),
                         SHW_OK);
        assert_int_equal(samples.count, total);
        for (uint32_t s = 0; s < samples.count; s++) {
            assert_int_equal(samples.label[s], set.rows.labels[samples.image[s]][samples.x[s]]);
            assert_true(s == 0 || samples.image[s] > samples.image[s - 1] || samples.x[s] > samples.x[s - 1]);
            of_class[samples.label[s]]++;
            drawn[samples.image[s]][samples.x[s]]++;
        }
        assert_int_equal(of_class[1], set.sizes[1]);
        for (uint32_t c = 0; c < 4; c++)
            if (c != 1) {
                assert_in_range(of_class[c], level, level + 1);
                more += of_class[c] - level;
            }
        assert_int_equal(more, left);
        shw_samples_free(&samples);
    }
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t x = 0; x < set.rows.width; x++) {
            uint16_t label = set.rows.labels[i][x];
            double p = label == SHW_LABEL_VOID ? 0 : label == 1 ? 1 : (level + left / 3.0) / (double)set.sizes[label];
            assert_true(fabs(drawn[i][x] - p * SEEDS) <= 5 * sqrt(SEEDS * p * (1 - p)));
        }
    shw_train_images_free(&set.images);
}

/* Images drawn again, mirrored, or all of their pixels: no pixel of a place is drawn twice, and none is missing. */
TESTING_CASE(class_uniform_sampling_draws_what_there_is)
{
    for (uint32_t kind = 0; kind < 4; kind++) {
        const struct shw_trainer_params params = {.pixels_per_image = kind == 3 ? SHW_PIXELS_ALL : 25,
                                                  .replacement = kind >= 1,
                                                  .images_percent = kind == 2 ? 60 : 100,
                                                  .mirror = kind >= 2};
        struct class_uniform set;
        struct shw_samples samples;

        open_rows(&set, &params);
        for (uint32_t seed = 0; seed < 50; seed++) {
            uint32_t places = 0;
            set.params.seed = seed;
            assert_int_equal(shw_samples_draw(&set.params, &set.dataset, NULL, &set.images,
                                              shw_image_part_all(set.images.base_count), 0, &samples),
                             SHW_OK);
            assert_true(samples.count <=
                        shw_samples_most(&set.params, &set.images, shw_image_part_all(set.images.base_count)));
            for (uint32_t s = 0; s < samples.count; s++) {
                uint32_t image = samples.image[s] % 8, x = samples.x[s];
                bool mirrored = samples.image[s] >= 8;
                assert_int_equal(samples.label[s], set.rows.labels[image][mirrored ? set.rows.width - 1 - x : x]);
                places += s == 0 || samples.image[s] != samples.image[s - 1] || x <= samples.x[s - 1];
            }
            assert_in_range(places, 1, kind == 2 ? 2 * 5 : kind == 3 ? 2 * 8 : 8);
            shw_samples_free(&samples);
        }
        shw_train_images_free(&set.images);
    }
}

/* All trees have the samples of the first one, which are those that it has otherwise. */
TESTING_CASE(trees_can_have_the_same_samples)
{
    const uint32_t sizes[] = {20, 30};
    const struct shw_trainer_params params = {
        .pixels_per_image = 7, .images_percent = 50, .sampling = SHW_SAMPLING_BALANCED};
    struct fixture fixture;

    set_up(&fixture, 6, 2, sizes, &params);
    for (uint32_t same = 0; same < 2; same++) {
        struct shw_samples first = draw(&fixture, 5, 0);
        bool equal;
        fixture.params.same_samples = same == 1;
        for (uint32_t tree = 0; tree < 3; tree++) {
            struct shw_samples other = draw(&fixture, 5, tree);
            assert_int_equal(other.count, first.count);
            equal = memcmp(first.image, other.image, first.count * sizeof *first.image) == 0 &&
                    memcmp(first.x, other.x, first.count * sizeof *first.x) == 0;
            assert_int_equal(equal, same == 1 || tree == 0);
            shw_samples_free(&other);
        }
        shw_samples_free(&first);
    }
    shw_train_images_free(&fixture.images);
}

static void assert_pairs(const struct shw_samples *alone, const struct shw_samples *paired,
                         const struct shw_train_images *images)
{
    uint32_t next = 0, pairs = 0;

    assert_int_equal(paired->count, 2 * alone->count);
    for (uint32_t s = 0; s < paired->count; s++) {
        uint32_t twin = s;
        if (paired->image[s] >= images->base_count)
            continue;
        assert_int_equal(paired->image[s], alone->image[next]);
        assert_int_equal(paired->x[s], alone->x[next]);
        assert_int_equal(paired->y[s], alone->y[next]);
        assert_int_equal(paired->label[s], alone->label[next++]);
        while (++twin < paired->count)
            if (paired->image[twin] == paired->image[s] + images->base_count && paired->y[twin] == paired->y[s] &&
                paired->x[twin] == images->images[paired->image[s]].width - 1 - paired->x[s]) {
                assert_int_equal(paired->label[twin], paired->label[s]);
                pairs++;
                break;
            }
    }
    assert_int_equal(pairs, alone->count);
    for (uint32_t s = 1; s < paired->count; s++) /* twins are in the order of the mirror image's pixels */
        if (paired->image[s] == paired->image[s - 1] && paired->y[s] == paired->y[s - 1])
            assert_true(paired->x[s] > paired->x[s - 1]);
}

/* Paired flipping draws what is drawn without it, and adds the twin of each sample. */
TESTING_CASE(pairs_are_the_samples_and_their_twins)
{
    for (uint32_t kind = 0; kind < 12; kind++) {
        const struct shw_trainer_params params = {.pixels_per_image = kind % 4 == 3 ? SHW_PIXELS_ALL : 25,
                                                  .sampling = (enum shw_pixel_sampling)(kind % 3),
                                                  .images_percent = kind % 4 == 1 ? 60 : 100};
        struct class_uniform set;

        open_rows(&set, &params);
        set.params.sampling = params.sampling;
        for (uint32_t seed = 0; seed < 10; seed++) {
            struct shw_samples alone, paired;
            set.params.seed = seed;
            assert_int_equal(shw_samples_draw(&set.params, &set.dataset, NULL, &set.images,
                                              shw_image_part_all(set.images.base_count), 0, &alone),
                             SHW_OK);
            set.images.paired = true;
            assert_int_equal(shw_samples_draw(&set.params, &set.dataset, NULL, &set.images,
                                              shw_image_part_all(set.images.base_count), 0, &paired),
                             SHW_OK);
            set.images.paired = false;
            assert_pairs(&alone, &paired, &set.images);
            shw_samples_free(&alone);
            shw_samples_free(&paired);
        }
        shw_train_images_free(&set.images);
    }
}

/* In steps of any size, and in the memory of more samples or of fewer, the same samples are drawn. */
TESTING_CASE(steps_draw_the_same)
{
    struct shw_samples kept = {0};

    for (uint32_t kind = 0; kind < 24; kind++) {
        const struct shw_trainer_params params = {.pixels_per_image = kind % 4 == 3 ? SHW_PIXELS_ALL : 5 + 10 * kind,
                                                  .sampling = (enum shw_pixel_sampling)(kind % 3),
                                                  .images_percent = kind % 4 == 1 ? 60 : 100};
        struct shw_drawing *drawing;
        struct shw_drawing_task task;
        struct class_uniform set;
        struct shw_samples at_once;
        uint32_t steps = 1;

        open_rows(&set, &params);
        set.params.sampling = params.sampling;
        set.images.paired = kind % 5 == 4;
        task = (struct shw_drawing_task){
            &set.params, &set.dataset, NULL, &set.images, shw_image_part_all(set.images.base_count), kind};
        assert_int_equal(shw_samples_draw(&set.params, &set.dataset, NULL, &set.images, task.part, kind, &at_once),
                         SHW_OK);
        assert_int_equal(shw_drawing_begin(&task, &kept, &drawing), SHW_OK);
        assert_null(kept.image);
        while (kind != 7 && shw_drawing_step(drawing, 1 + kind % 3) && (kind != 8 || steps < 2))
            steps++;
        assert_true(kind == 7 || steps > 1);
        assert_int_equal(shw_drawing_end(&drawing, &kept), SHW_OK);
        assert_null(drawing);
        assert_int_equal(kept.count, at_once.count);
        assert_memory_equal(kept.image, at_once.image, kept.count * sizeof *kept.image);
        assert_memory_equal(kept.x, at_once.x, kept.count * sizeof *kept.x);
        assert_memory_equal(kept.y, at_once.y, kept.count * sizeof *kept.y);
        assert_memory_equal(kept.label, at_once.label, kept.count * sizeof *kept.label);
        shw_samples_free(&at_once);
        set.images.paired = false;
        shw_train_images_free(&set.images);
    }
    shw_samples_free(&kept);
}
