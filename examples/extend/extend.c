/* Uses a custom feature type, channel kind and technique: trains a forest with every back end, labels an image with
 * every technique, and explains a pixel. Ends with an error if any results differ. */
#include <stdio.h>
#include <stdlib.h>

#include "extend.h"

enum { WIDTH = 75, HEIGHT = 50, PIXELS = WIDTH * HEIGHT, IMAGES = 4, CLASSES = 3, TREES = 3, CHANNELS = 5 };
enum { MESSAGE_SIZE = 256 };

#define CHANNEL_LIST "edge:2,rgb"

static const struct shw_channel_kinds kinds = {{&edge}};

static const enum shw_technique labelling[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};
static const enum shw_technique training[] = {SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_BLEND};

static void fail(const char *what)
{
    fprintf(stderr, "failed: %s\n", what);
    exit(EXIT_FAILURE);
}

#define CHECK(condition)                                                                                               \
    if (!(condition))                                                                                                  \
    fail(#condition)

/* Stores the message in `user` if an error is expected. */
static void print_message(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)level;
    (void)item;
    if (user != NULL)
        snprintf(user, MESSAGE_SIZE, "%s", text);
    else
        fprintf(stderr, "%s\n", text);
}

static const struct shw_log printing = {.function = print_message};

/* --- Images: a disc and a bar on a background, with noise --- */

struct examples {
    uint8_t pixels[IMAGES][3 * PIXELS];
    uint16_t labels[IMAGES][PIXELS];
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void paint(uint32_t seed, uint8_t *pixels, uint16_t *labels)
{
    int x0 = 20 + (int)(next_random(&seed) % 35), y0 = 15 + (int)(next_random(&seed) % 20);
    int bar = (int)(next_random(&seed) % 65);

    for (int p = 0; p < PIXELS; p++) {
        int x = p % WIDTH, y = p / WIDTH;
        int label = (x - x0) * (x - x0) + (y - y0) * (y - y0) < 100 ? 1 : x >= bar && x < bar + 8 ? 2 : 0;
        labels[p] = (uint16_t)label;
        for (int c = 0; c < 3; c++)
            pixels[3 * p + c] = (uint8_t)(40 + 50 * (label == 1 + c / 2) + (int)(next_random(&seed) % 60));
    }
}

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    struct examples *examples = user;

    *example = (struct shw_labelled_image){.name = "painted",
                                           .image = {examples->pixels[index], WIDTH, HEIGHT, 0, SHW_PIXEL_RGB8},
                                           .labels = examples->labels[index]};
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    (void)user;
    (void)example;
}

/* --- The channel kind --- */

/* Unknown and incomplete kinds are refused with a message that names them. */
static void read_channels(void)
{
    char message[MESSAGE_SIZE] = "";
    const struct shw_log log = {.function = print_message, .user = message};
    struct shw_channel_kind no_bound = edge;
    const struct shw_channel_kinds incomplete = {{&no_bound}};
    struct shw_channel_list list;

    CHECK(shw_channel_list_parse(CHANNEL_LIST, NULL, &log, &list) == SHW_ERROR_ARGUMENT);
    CHECK(strstr(message, "there is no channel kind 'edge'") != NULL);
    no_bound.get_info = NULL;
    CHECK(shw_channel_list_parse(CHANNEL_LIST, &incomplete, &log, &list) == SHW_ERROR_ARGUMENT);
    CHECK(strstr(message, "the channel kind edge has no bound") != NULL);
    CHECK(shw_channel_list_parse(CHANNEL_LIST, &kinds, &printing, &list) == SHW_OK);
    CHECK(list.channel_count == CHANNELS && list.radius == 2 && strcmp(list.channels[1].name, "abs-edge-2") == 0);
}

/* --- Training --- */

static struct shw_forest *train(const struct shw_dataset *dataset, struct shw_device *device)
{
    struct shw_trainer_params params = {.channels = CHANNEL_LIST,
                                        .kinds = kinds,
                                        .feature = &sparse_sum,
                                        .tree_count = TREES,
                                        .depth = 6,
                                        .candidates = 40,
                                        .offset_max = 12,
                                        .device = device,
                                        .log = printing};
    struct shw_forest *forest = NULL, *other = NULL;

    for (int t = 0; t < 3; t++) {
        params.technique = training[t];
        CHECK(shw_train(&params, dataset, t == 0 ? &forest : &other) == SHW_OK);
        CHECK(t == 0 || shw_forest_hash(other) == shw_forest_hash(forest));
        shw_forest_destroy(&other);
    }
    CHECK(shw_forest_get_tree(forest, 0).leaf_count > 4);
    printf("the forest is the same by cpu, compute and blend\n");
    return forest;
}

/* Loading the file requires the feature type and the channel kind; without the type, loading fails with a message that
 * names it. */
static struct shw_forest *save_and_load(struct shw_forest *forest)
{
    static const struct shw_feature_type *const types[] = {&sparse_sum};
    char message[MESSAGE_SIZE] = "";
    const struct shw_forest_load_params without = {.log = {.function = print_message, .user = message}};
    const struct shw_forest_load_params with = {.features = types, .feature_count = 1, .kinds = kinds, .log = printing};
    struct shw_forest *again = NULL;
    void *bytes = NULL;
    size_t size;

    CHECK(shw_forest_save_memory(forest, &bytes, &size) == SHW_OK);
    CHECK(shw_forest_load_memory(bytes, size, "forest", &without, &again) == SHW_ERROR_FORMAT);
    CHECK(strstr(message, "there is no feature type 'sparse-sum'") != NULL);
    CHECK(shw_forest_load_memory(bytes, size, "forest", &with, &again) == SHW_OK);
    CHECK(shw_forest_hash(again) == shw_forest_hash(forest));
    free(bytes);
    shw_forest_destroy(&forest);
    return again;
}

/* --- Labelling --- */

struct labels {
    uint32_t leaves[TREES * PIXELS];
    uint16_t distribution[CLASSES * PIXELS], argmax[PIXELS];
};

static void label(struct shw_labeller_params params, const struct shw_image *image, struct labels *labels)
{
    const struct shw_labelling out = {
        .forest_leaves = labels->leaves, .distribution = labels->distribution, .argmax = labels->argmax};
    struct shw_labeller *labeller = NULL;

    params.outputs = SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX;
    params.log = printing;
    CHECK(shw_labeller_create(&params, &labeller) == SHW_OK);
    CHECK(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(*image), &out) == SHW_OK);
    shw_labeller_destroy(&labeller);
}

/* Compares the built-in techniques for all three stages, and then with the custom one for the middle stage, which also
 * checks the planes of the custom channel kind. */
static void compare_techniques(const struct shw_forest *forest, struct shw_device *device,
                               const struct shw_image *image, struct labels *labels)
{
    static struct labels other;
    static int16_t planes[3][CHANNELS * PIXELS];
    uint32_t edges = 0;

    for (int t = 0; t < 3; t++) {
        struct shw_stage_technique own = row_sums(planes[t]);
        struct shw_labeller_params params = {.forest = forest,
                                             .device = device,
                                             .channels = labelling[t],
                                             .integrate = labelling[t],
                                             .evaluate = labelling[t]};
        label(params, image, t == 0 ? labels : &other);
        CHECK(t == 0 || memcmp(labels, &other, sizeof other) == 0);
        params.integrate = SHW_TECHNIQUE_CUSTOM;
        params.custom[SHW_STAGE_INTEGRATE] = &own;
        label(params, image, &other);
        CHECK(memcmp(labels, &other, sizeof other) == 0);
        CHECK(memcmp(planes[t], planes[0], sizeof planes[0]) == 0);
    }
    for (int p = 0; p < PIXELS; p++)
        edges += planes[0][p] != 0;
    CHECK(edges > PIXELS / 2);
    printf("labels and channels are the same by cpu, fragment and compute, with row-sums in the middle, too\n");
}

/* --- Explaining --- */

static void explain(const struct shw_forest *forest, const struct shw_image *image, const struct labels *labels)
{
    const struct shw_channel_reader_params params = {
        .inputs = SHW_COLOUR_IMAGE(*image), .channels = CHANNEL_LIST, .kinds = kinds, .log = printing};
    struct shw_channel_reader *reader = NULL;
    uint32_t undefined = 0; /* at the roots */

    CHECK(shw_channel_reader_create(&params, &reader) == SHW_OK);
    for (uint32_t p = 0; p < PIXELS; p++) {
        struct shw_explanation *explanation = NULL;
        CHECK(shw_explain(forest, reader, p % WIDTH, p / WIDTH, &explanation) == SHW_OK);
        for (uint32_t t = 0; t < TREES; t++) {
            CHECK(explanation->trees[t].leaf == labels->leaves[t * PIXELS + p]);
            for (uint32_t n = 0; n < explanation->trees[t].test_count; n++) {
                const struct shw_explained_test *test = &explanation->trees[t].tests[n];
                CHECK(test->undefined == ((p % WIDTH + p / WIDTH + test->split.feature.words[0]) % 3 == 0));
                CHECK(!test->undefined || test->right);
                undefined += n == 0 && test->undefined;
            }
        }
        shw_explanation_free(&explanation);
    }
    shw_channel_reader_destroy(&reader);
    CHECK(undefined == TREES * PIXELS / 3);
    printf("at the roots, %u of %d responses are undefined\n", undefined, TREES * PIXELS);
}

int main(void)
{
    static struct examples examples;
    static struct labels labels;
    const struct shw_dataset dataset = {
        .count = IMAGES, .class_count = CLASSES, .user = &examples, .read = read_example, .release = release_example};
    const struct shw_device_create_params device_params = {.log = printing};
    const struct shw_image image = {examples.pixels[0], WIDTH, HEIGHT, 0, SHW_PIXEL_RGB8};
    struct shw_device *device = NULL;
    struct shw_forest *forest;

    for (uint32_t i = 0; i < IMAGES; i++)
        paint(i, examples.pixels[i], examples.labels[i]);
    read_channels();
    CHECK(shw_device_create(&device_params, &device) == SHW_OK);
    forest = save_and_load(train(&dataset, device));
    compare_techniques(forest, device, &image, &labels);
    explain(forest, &image, &labels);
    shw_forest_destroy(&forest);
    shw_device_destroy(&device);
    return EXIT_SUCCESS;
}
