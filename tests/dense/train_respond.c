/* Responses of training samples: every way to compute them against sums over the channels' pixels. */
#include "testing/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels.h"
#include "dense/feature/mirror.h"
#include "dense/grow_cpu/responses.h"
#include "dense/split/split.h"
#include "dense/train/params.h"
#include "testing/examples.h"

struct fixture {
    struct testing_examples examples;
    struct shw_trainer_params params;
    struct shw_channel_list channels;
    struct shw_train_images images;
    struct shw_samples samples;
    int16_t *planes[2 * TESTING_EXAMPLES_MAX]; /* of images and mirror images */
};

static int16_t *make_planes(const struct fixture *fixture, uint32_t index)
{
    const struct testing_example *example = &fixture->examples.examples[index % fixture->images.base_count];
    struct shw_image image = {NULL, example->width, example->height, 0, SHW_PIXEL_RGB8};
    size_t pixels = (size_t)example->width * example->height;
    uint8_t *copy = malloc(3 * pixels);
    int16_t *planes = malloc(pixels * fixture->channels.channel_count * sizeof *planes);

    assert_non_null(copy);
    assert_non_null(planes);
    memcpy(copy, example->pixels, 3 * pixels);
    for (uint32_t y = 0; index >= fixture->images.base_count && y < example->height; y++)
        for (uint32_t x = 0; x < example->width; x++)
            memcpy(copy + 3 * ((size_t)y * example->width + x),
                   example->pixels + 3 * ((size_t)y * example->width + example->width - 1 - x), 3);
    image.pixels = copy;
    assert_int_equal(
        shw_channels_cpu(&fixture->channels, &(struct shw_channel_images){.of = {&image}}, NULL, planes, NULL), SHW_OK);
    free(copy);
    return planes;
}

/* What the kinds say that the mirror image's channels are. */
static int16_t *turn_planes(const struct fixture *fixture, uint32_t index)
{
    const struct shw_train_image *image = &fixture->images.images[index];
    size_t pixels = (size_t)image->width * image->height;
    int16_t *planes = malloc(pixels * fixture->channels.channel_count * sizeof *planes);

    assert_non_null(planes);
    for (uint32_t c = 0; c < fixture->channels.channel_count; c++)
        for (size_t p = 0; p < pixels; p++) {
            const int16_t *from = fixture->planes[index] + shw_mirror_partner(&fixture->channels, c) * pixels;
            size_t turned = p - p % image->width + image->width - 1 - p % image->width;
            planes[c * pixels + p] = fixture->channels.channels[c].mirrored == SHW_MIRRORED_FIXED     ? from[p]
                                     : fixture->channels.channels[c].mirrored == SHW_MIRRORED_NEGATED ? -from[turned]
                                                                                                      : from[turned];
        }
    return planes;
}

static void set_up(struct fixture *fixture, const struct shw_feature_type *feature, enum shw_mirroring mirror)
{
    struct testing_examples_params examples = {.seed = 21, .count = 3, .void_percent = 20};
    const struct shw_train_backend *backend;

    memset(fixture, 0, sizeof *fixture);
    testing_examples_make(&examples, &fixture->examples);
    fixture->params = (struct shw_trainer_params){.channels = "wide,orient:2",
                                                  .feature = feature,
                                                  .mirror = mirror,
                                                  .single_percent = 30,
                                                  .offset_max = 30,
                                                  .pixels_per_image = 150};
    assert_int_equal(
        shw_trainer_params_complete(&fixture->params, &fixture->examples.dataset, &fixture->channels, &backend),
        SHW_OK);
    assert_int_equal(shw_train_images_measure(&fixture->params, &fixture->examples.dataset, NULL, &fixture->images),
                     SHW_OK);
    assert_int_equal(shw_train_images_make_planes(&fixture->params, &fixture->examples.dataset, NULL,
                                                  fixture->images.base_count, NULL, &fixture->images),
                     SHW_OK);
    assert_int_equal(shw_samples_draw(&fixture->params, &fixture->examples.dataset, NULL, &fixture->images,
                                      shw_image_part_all(fixture->images.base_count), 0, &fixture->samples),
                     SHW_OK);
    for (uint32_t i = 0; i < fixture->images.count; i++)
        fixture->planes[i] = i >= fixture->images.base_count && mirror == SHW_MIRROR_PAIRED
                                 ? turn_planes(fixture, i - fixture->images.base_count)
                                 : make_planes(fixture, i);
}

static void tear_down(struct fixture *fixture)
{
    for (uint32_t i = 0; i < fixture->images.count; i++)
        free(fixture->planes[i]);
    shw_samples_free(&fixture->samples);
    shw_train_images_free(&fixture->images);
    testing_examples_free(&fixture->examples);
}

static int32_t clamp(int32_t value, int32_t low, int32_t high)
{
    return value < low ? low : value > high ? high : value;
}

static int32_t plain_side(const struct fixture *fixture, uint32_t sample,
                          const struct shw_rectangle_difference *feature, int side)
{
    const struct shw_train_image *image = &fixture->images.images[fixture->samples.image[sample]];
    const int16_t *plane =
        fixture->planes[fixture->samples.image[sample]] + (size_t)feature->channel[side] * image->width * image->height;
    int32_t width = (int32_t)image->width, height = (int32_t)image->height;
    int32_t x = fixture->samples.x[sample], y = fixture->samples.y[sample], sum = 0;
    int32_t x0 = clamp(x + feature->rectangle[side].x0, 0, width - 1),
            y0 = clamp(y + feature->rectangle[side].y0, 0, height - 1);
    int32_t x1 = clamp(x + feature->rectangle[side].x1, x0 + 1, width),
            y1 = clamp(y + feature->rectangle[side].y1, y0 + 1, height);

    for (int32_t v = y0; v < y1; v++)
        for (int32_t u = x0; u < x1; u++)
            sum += plane[v * width + u];
    return fixture->params.feature == &shw_feature_mean_difference ? sum / ((x1 - x0) * (y1 - y0)) : sum;
}

static int32_t plain_response(const struct fixture *fixture, uint32_t sample, const struct shw_feature *feature)
{
    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(feature);

    return plain_side(fixture, sample, &difference, 0) -
           (difference.single ? 0 : plain_side(fixture, sample, &difference, 1));
}

static const void *planes_of(const struct fixture *fixture, uint32_t image)
{
    return (const char *)fixture->images.planes +
           fixture->images.images[image].planes * shw_feature_element(fixture->params.feature);
}

static void begin(struct shw_image_block *block, const struct fixture *fixture, uint32_t image)
{
    shw_image_block_begin(block, &fixture->images.images[image]);
    shw_image_block_turn(block, &fixture->images, image);
}

/* Samples of one image, one rectangle at a time and all together. */
static void check_sides(const struct fixture *fixture, const struct shw_respond *respond)
{
    static struct shw_image_block block;

    for (uint32_t c = 0; c < 40; c++) {
        struct shw_feature feature = shw_candidate_draw(&fixture->params, &fixture->channels, 6, 1, c);
        struct shw_feature_side sides[2];
        uint32_t side_count = respond->sides(&feature, sides), first = 0, count;
        assert_int_equal(side_count, shw_rectangle_difference_unpack(&feature).single ? 1 : 2);
        for (; first < fixture->samples.count; first += count) {
            int32_t responses[SHW_BLOCK] = {0};
            uint32_t image = fixture->samples.image[first];
            for (count = 1; first + count < fixture->samples.count && fixture->samples.image[first + count] == image;
                 count++)
                ;
            begin(&block, fixture, image);
            shw_image_block_add(&block, &fixture->samples, first, count, 8);
            for (uint32_t s = side_count; s-- > 0;)
                respond->side(planes_of(fixture, image), &block, 8, SHW_LANES_UP(count), &sides[s], responses);
            for (uint32_t i = 0; i < count; i++)
                assert_int_equal(responses[i], plain_response(fixture, first + i, &feature));
            if (respond->run == NULL)
                continue;
            respond->run(planes_of(fixture, image), &block, 8, count, &feature, responses);
            for (uint32_t i = 0; i < count; i++)
                assert_int_equal(responses[i], plain_response(fixture, first + i, &feature));
        }
    }
}

/* One sample, all features. */
static void check_features(const struct fixture *fixture, const struct shw_respond *respond)
{
    enum { FEATURES = 53 };
    static struct shw_image_block block;
    struct shw_feature features[FEATURES];
    uint32_t words[5][FEATURES + 7] = {{0}};
    struct shw_feature_lanes lanes;

    for (uint32_t c = 0; c < FEATURES; c++) {
        features[c] = shw_candidate_draw(&fixture->params, &fixture->channels, 7, 2, c);
        for (int w = 0; w < 5; w++)
            words[w][c] = features[c].words[w];
    }
    for (int w = 0; w < 5; w++)
        lanes.words[w] = words[w];
    for (uint32_t s = 0; s < fixture->samples.count; s += 3) {
        int32_t responses[FEATURES + 7];
        uint32_t image = fixture->samples.image[s];
        begin(&block, fixture, image);
        shw_image_block_add(&block, &fixture->samples, s, 1, 0);
        respond->features(planes_of(fixture, image), &block, 0, &lanes, FEATURES, responses);
        for (uint32_t c = 0; c < FEATURES; c++)
            assert_int_equal(responses[c], plain_response(fixture, s, &features[c]));
    }
}

static void check_all(const struct shw_feature_type *feature)
{
    for (int mirror = (int)SHW_MIRROR_IMAGES; mirror <= (int)SHW_MIRROR_PAIRED; mirror++) {
        struct fixture fixture;
        const struct shw_respond *respond[2];

        set_up(&fixture, feature, (enum shw_mirroring)mirror);
        respond[0] = &feature->code->respond;
        respond[1] = shw_respond_choose(feature, shw_train_image_elements(&fixture.images, 0), shw_simd_level());
        for (int i = 0; i < 2; i++) {
            check_sides(&fixture, respond[i]);
            check_features(&fixture, respond[i]);
        }
        tear_down(&fixture);
    }
}

TESTING_CASE(sums_are_exact)
{
    check_all(&shw_feature_sum_difference);
}

TESTING_CASE(means_are_exact)
{
    check_all(&shw_feature_mean_difference);
}

TESTING_CASE(pixels_are_exact)
{
    check_all(&shw_feature_pixel_difference);
}

/* An all-white or all-black image makes sums as large as they may become. */
TESTING_CASE(largest_sums_divide_exactly)
{
    enum { SIZE = 512 };
    uint32_t *integrals = malloc((size_t)(SIZE + 1) * (SIZE + 1) * sizeof *integrals);
    static struct shw_image_block block;
    struct shw_train_image image = {.width = SIZE, .height = SIZE, .more = 1};
    const struct shw_respond *respond[2] = {&shw_feature_mean_difference.code->respond,
                                            shw_respond_choose(&shw_feature_mean_difference, 1, shw_simd_level())};

    assert_non_null(integrals);
    for (int32_t value = -4095; value <= 4095; value += 8190 / 7) {
        for (uint32_t y = 0; y <= SIZE; y++)
            for (uint32_t x = 0; x <= SIZE; x++)
                integrals[y * (SIZE + 1) + x] =
                    (uint32_t)value * x * y + (y == SIZE && x == SIZE); /* one more in the last pixel */
        shw_image_block_begin(&block, &image);
        for (int32_t i = 0; i < 8; i++)
            block.x[i] = block.y[i] = 200 + i;
        for (int which = 0; which < 2; which++)
            for (int32_t edge = 1; edge <= SIZE; edge += 73) {
                struct shw_feature_side side = {
                    0,
                    0,
                    {0xfe00fe00 /* -512, -512 */, (uint32_t)(edge == SIZE ? 512 : edge - 200) % 65536 * 0x10001u}};
                int32_t responses[8] = {0};
                respond[which]->side(integrals, &block, 0, 8, &side, responses);
                for (int32_t i = 0; i < 8; i++) {
                    int32_t end = edge == SIZE ? SIZE : clamp(edge + i, 1, SIZE), area = end * end;
                    assert_int_equal(responses[i], (value * area + (end == SIZE)) / area);
                }
            }
    }
    free(integrals);
}

/* The negative entropy of these counts, in bits of all of them. */
static double purity(const uint32_t *counts, uint32_t classes)
{
    double all = 0, sum = 0;

    for (uint32_t c = 0; c < classes; c++) {
        all += counts[c];
        sum += counts[c] > 0 ? counts[c] * log2(counts[c]) : 0;
    }
    return all > 0 ? sum - all * log2(all) : 0;
}

/* The best gain of any candidate and threshold at the root, by trying all of them; *chosen: that of the given test. */
static double search_root(const struct fixture *fixture, const struct shw_node *given, double *chosen)
{
    enum { CLASSES = 3 };
    uint32_t key = shw_draw_key(fixture->params.seed, 0, SHW_DRAW_CANDIDATES), count = fixture->samples.count;
    double best = 0;

    *chosen = -1;
    for (uint32_t c = 0; c < fixture->params.candidates; c++) {
        struct shw_feature feature = shw_candidate_draw(&fixture->params, &fixture->channels, key, 0, c);
        int32_t responses[64], low = INT32_MAX, high = INT32_MIN;
        for (uint32_t s = 0; s < count; s++) {
            responses[s] = plain_response(fixture, s, &feature);
            low = responses[s] < low ? responses[s] : low;
            high = responses[s] > high ? responses[s] : high;
        }
        for (uint32_t k = 1; k < fixture->params.bins; k++) {
            int64_t range = (int64_t)high - low, bins = fixture->params.bins;
            int64_t threshold = low + (range * k + bins - 1) / bins;
            uint32_t counts[3][CLASSES] = {{0}}, right = 0;
            double gain;
            for (uint32_t s = 0; s < count; s++) {
                counts[responses[s] >= threshold][fixture->samples.label[s]]++;
                counts[2][fixture->samples.label[s]]++;
                right += responses[s] >= threshold;
            }
            if (right < fixture->params.samples_min || count - right < fixture->params.samples_min)
                continue;
            gain = purity(counts[0], CLASSES) + purity(counts[1], CLASSES) - purity(counts[2], CLASSES);
            best = gain > best ? gain : best;
            if (given->t0 == threshold && memcmp(&given->feature, &feature, sizeof feature) == 0)
                *chosen = gain;
        }
    }
    return best;
}

/* The whole way from images to a split, for as few samples as thresholds are made from: then no draw of thresholds
 * matters. */
TESTING_CASE(root_split_is_the_best_there_is)
{
    for (uint32_t seed = 0; seed < 8; seed++) {
        struct fixture fixture;
        struct shw_forest *forest = NULL;
        struct shw_node root;
        double best, chosen;
        set_up(&fixture, seed % 2 == 0 ? &shw_feature_mean_difference : &shw_feature_sum_difference,
               seed % 4 < 2 ? SHW_MIRROR_IMAGES : SHW_MIRROR_PAIRED);
        fixture.params.seed = seed;
        fixture.params.tree_count = fixture.params.depth = 1;
        fixture.params.pixels_per_image = 10;
        fixture.params.candidates = 500;
        fixture.params.samples_min = 4;
        shw_samples_free(&fixture.samples);
        assert_int_equal(shw_samples_draw(&fixture.params, &fixture.examples.dataset, NULL, &fixture.images,
                                          shw_image_part_all(fixture.images.base_count), 0, &fixture.samples),
                         SHW_OK);
        assert_true(fixture.samples.count == 60);
        assert_int_equal(shw_train(&fixture.params, &fixture.examples.dataset, &forest), SHW_OK);
        root = shw_forest_get_node(forest, 0, 0);
        assert_true(root.is_split);
        assert_int_equal(root.t1, INT32_MAX);
        best = search_root(&fixture, &root, &chosen);
        assert_true(chosen > 0 && chosen >= best - 1e-4);
        shw_forest_destroy(&forest);
        tear_down(&fixture);
    }
}
