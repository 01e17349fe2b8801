/* A custom proposer: candidates that follow what the tree has chosen so far.
 *
 * Of each node's candidates, the first half are those that the library draws. The others are variations of tests that
 * earlier rounds have chosen anywhere in the tree, the more often the more they gained: one rectangle is moved, made
 * smaller or larger by a few pixels. The bins of a variation divide the whole range of its responses, as usual, or, for
 * comparison, an interval around the threshold that was chosen (Sharp 2008, 4.5).
 *
 * What is proposed depends only on the round, so the forest is the same with every technique, with any number of
 * workers, and when training is resumed from a checkpoint.
 *
 * The program trains forests on synthetic images with and without the proposer, and prints the percentage of pixels of
 * other images that they label correctly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/shadewood.h>

enum { SIZE = 96, CLASSES = 4, IMAGES = 8, TESTS = 8, CANDIDATES = 24, REACH = 40, STEP = 4, INTERVAL = 600 };

/* --- The proposer --- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static int32_t between(uint32_t *state, int32_t low, int32_t high)
{
    return low + (int32_t)(next_random(state) % (uint32_t)(high - low + 1));
}

/* A test of the tree, with a probability proportional to its gain. */
static const struct shw_proposer_split *choose(const struct shw_proposer_round *round, uint32_t *state)
{
    uint64_t all = 0, at;
    uint32_t s = 0;

    for (uint32_t i = 0; i < round->split_count; i++)
        all += round->splits[i].gain >> 16;
    at = ((uint64_t)next_random(state) << 20 | next_random(state)) % (all + 1);
    while (s + 1 < round->split_count && at > round->splits[s].gain >> 16)
        at -= round->splits[s++].gain >> 16;
    return &round->splits[s];
}

/* Moves the sides of a span by a few pixels; it stays at least one pixel wide and within reach. */
static void vary_span(int16_t *begin, int16_t *end, uint32_t *state)
{
    const int32_t by = between(state, -STEP, STEP), grow = between(state, -1, 1) * between(state, 0, STEP);
    const int32_t low = *begin + by - grow, high = *end + by + grow;

    if (low < high && low >= -REACH && high <= REACH + 1) {
        *begin = (int16_t)low;
        *end = (int16_t)high;
    }
}

static struct shw_feature vary(const struct shw_feature *feature, uint32_t *state)
{
    struct shw_rectangle_difference difference = shw_rectangle_difference_unpack(feature);
    struct shw_rectangle *rectangle = &difference.rectangle[difference.single ? 0 : between(state, 0, 1)];

    vary_span(&rectangle->x0, &rectangle->x1, state);
    vary_span(&rectangle->y0, &rectangle->y1, state);
    return shw_rectangle_difference_pack(&difference);
}

static enum shw_result propose(void *user, const struct shw_proposer_round *round, struct shw_proposal *proposal)
{
    const bool with_intervals = *(const bool *)user;

    proposal->candidate_count = round->candidate_max;
    for (uint32_t set = 0; set < round->set_count; set++) {
        struct shw_candidate *candidates = &proposal->candidates[(size_t)set * round->candidate_max];
        uint32_t state = (uint32_t)round->seed + 7919 * round->tree + 104729 * round->nodes[set].number;

        for (uint32_t c = 0; c < round->candidate_max; c++) {
            const struct shw_proposer_split *split;
            if (!shw_proposer_draw(round, set, c, &candidates[c].feature)) {
                snprintf(proposal->why, sizeof proposal->why, "candidate %u cannot be drawn", c);
                return SHW_ERROR_ARGUMENT;
            }
            if (round->split_count == 0 || c < round->candidate_max / 2)
                continue;
            split = choose(round, &state);
            candidates[c].feature = vary(&split->feature, &state);
            candidates[c].low = with_intervals ? split->t0 - INTERVAL : 0;
            candidates[c].high = with_intervals ? split->t0 + INTERVAL : 0;
        }
    }
    return SHW_OK;
}

/* --- Images: a smooth random field with noise. The class of a pixel says at which of two places near it the field is
 * higher, for two pairs of places: a test is good only if it reads just there --- */

struct examples {
    uint8_t pixels[IMAGES + TESTS][SIZE * SIZE];
    uint16_t labels[IMAGES + TESTS][SIZE * SIZE];
};

static uint32_t scramble(uint32_t value)
{
    value = (value ^ value >> 16) * 0x7feb352du;
    value = (value ^ value >> 15) * 0x846ca68bu;
    return value ^ value >> 16;
}

/* At a point of a lattice: 0 to 255. */
static int32_t knot(uint32_t seed, int32_t x, int32_t y)
{
    return (int32_t)(scramble(scramble(seed * 0x9e3779b9u + (uint32_t)x) + (uint32_t)y) & 255);
}

/* Between four knots, seven pixels apart. */
static int32_t field(uint32_t seed, int32_t x, int32_t y)
{
    const int32_t i = (x + 700) / 7, j = (y + 700) / 7, u = (x + 700) % 7, v = (y + 700) % 7;

    return ((knot(seed, i, j) * (7 - u) + knot(seed, i + 1, j) * u) * (7 - v) +
            (knot(seed, i, j + 1) * (7 - u) + knot(seed, i + 1, j + 1) * u) * v) /
           49;
}

static void paint(uint32_t seed, uint8_t *pixels, uint16_t *labels)
{
    for (int32_t y = 0; y < SIZE; y++)
        for (int32_t x = 0; x < SIZE; x++) {
            const int32_t noise = (int32_t)(scramble(seed + 977 * (uint32_t)(y * SIZE + x)) % 41) - 20;
            const int32_t value = field(seed, x, y) + noise;
            const int first = field(seed, x + 17, y - 9) > field(seed, x - 13, y + 6);
            const int second = field(seed, x - 21, y - 14) > field(seed, x + 8, y + 19);
            pixels[y * SIZE + x] = (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
            /* far from the border: what is there cannot be read outside the image */
            labels[y * SIZE + x] =
                x < 21 || y < 14 || x >= SIZE - 17 || y >= SIZE - 19 ? SHW_LABEL_VOID : (uint16_t)(first + 2 * second);
        }
}

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    struct examples *examples = user;

    *example = (struct shw_labelled_image){.name = "painted",
                                           .image = {examples->pixels[index], SIZE, SIZE, 0, SHW_PIXEL_GREY8},
                                           .labels = examples->labels[index]};
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    (void)user;
    (void)example;
}

static void print_message(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)user;
    (void)level;
    (void)item;
    fprintf(stderr, "%s\n", text);
}

/* Percentage of correctly labelled pixels of the images that were not trained on; negative on failure. */
static double judge(const struct shw_forest *forest, const struct examples *examples)
{
    static uint16_t found[SIZE * SIZE];
    struct shw_labeller_params params = {
        .forest = forest, .outputs = SHW_OUTPUT_ARGMAX, .log = {.function = print_message}};
    struct shw_labeller *labeller = NULL;
    enum shw_result result = shw_labeller_create(&params, &labeller);
    uint32_t right = 0, all = 0;

    for (int i = IMAGES; i < IMAGES + TESTS && result == SHW_OK; i++) {
        struct shw_image image = {examples->pixels[i], SIZE, SIZE, 0, SHW_PIXEL_GREY8};
        struct shw_labelling labelling = {.argmax = found};
        result = shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &labelling);
        for (int p = 0; p < SIZE * SIZE; p++) {
            all += examples->labels[i][p] != SHW_LABEL_VOID;
            right += found[p] == examples->labels[i][p];
        }
    }
    shw_labeller_destroy(&labeller);
    return result == SHW_OK ? 100.0 * right / all : -1;
}

static double train(const struct shw_proposer *proposer, uint32_t candidates, uint64_t seed, struct examples *examples)
{
    const struct shw_dataset dataset = {
        .count = IMAGES, .class_count = CLASSES, .user = examples, .read = read_example, .release = release_example};
    const struct shw_trainer_params params = {.tree_count = 4,
                                              .depth = 9,
                                              .candidates = candidates,
                                              .offset_max = REACH,
                                              .size_max = 15,
                                              .pixels_per_image = 600,
                                              .seed = seed,
                                              .proposer = proposer,
                                              .log = {.function = print_message}};
    struct shw_forest *forest = NULL;
    double right = -1;

    if (shw_train(&params, &dataset, &forest) == SHW_OK)
        right = judge(forest, examples);
    shw_forest_destroy(&forest);
    return right;
}

int main(void)
{
    static struct examples examples;
    bool without = false, with = true, good = true;
    const struct shw_proposer proposers[] = {{.name = "variations", .user = &without, .propose = propose},
                                             {.name = "variations in intervals", .user = &with, .propose = propose}};

    for (uint32_t i = 0; i < IMAGES + TESTS; i++)
        paint(i, examples.pixels[i], examples.labels[i]);
    printf("percent of the pixels labelled right:     drawn   half varied   varied in intervals\n");
    for (uint32_t candidates = CANDIDATES; candidates <= 4 * CANDIDATES; candidates *= 2)
        for (uint64_t seed = 0; seed < 3; seed++) {
            const double drawn = train(NULL, candidates, seed, &examples);
            const double varied = train(&proposers[0], candidates, seed, &examples);
            const double narrow = train(&proposers[1], candidates, seed, &examples);
            printf("%4u candidates of a node, seed %llu:       %5.1f  %12.1f  %20.1f\n", candidates,
                   (unsigned long long)seed, drawn, varied, narrow);
            good = good && drawn >= 0 && varied > drawn && narrow >= 0;
        }
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
