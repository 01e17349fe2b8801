/* A custom splitter.
 *
 * Shadewood draws candidates and counts histograms; the splitter chooses the test of each node by "one against the
 * rest": it maximises the difference between the fraction of one class that goes right and the fraction of all other
 * classes that goes right. (As a function of the threshold, this difference is the Kolmogorov-Smirnov distance of the
 * two distributions of responses.)
 *
 * The program trains a small forest on synthetic images and prints the percentage of correctly labelled pixels of
 * another image. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/shadewood.h>

enum { SIZE = 64, CLASSES = 3, IMAGES = 6 };

/* --- The splitter --- */

struct best {
    double difference;
    struct shw_splitter_choice choice;
};

struct one_against_rest {
    struct best *best; /* per node of the round */
};

static enum shw_result begin_round(void *user, const struct shw_splitter_round *round)
{
    struct one_against_rest *splitter = user;

    free(splitter->best);
    splitter->best = calloc(round->node_count, sizeof *splitter->best);
    return splitter->best != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

/* The largest difference between any class and the rest when `right` samples of each go right; negative if a side has
 * too few samples. */
static double measure(const struct shw_splitter_round *round, const struct shw_splitter_node *node,
                      const uint32_t *right)
{
    double all = 0, all_right = 0, largest = 0;
    uint32_t samples = 0;

    for (uint32_t c = 0; c < node->class_count; c++) {
        all += (double)node->counts[c] * node->weights[c];
        all_right += (double)right[c] * node->weights[c];
        samples += right[c];
    }
    if (samples < round->samples_min || node->samples - samples < round->samples_min)
        return -1;
    for (uint32_t c = 0; c < node->class_count; c++) {
        double own = (double)node->counts[c] * node->weights[c], own_right = (double)right[c] * node->weights[c];
        double difference = all > own ? own_right / own - (all_right - own_right) / (all - own) : 0;
        difference = difference < 0 ? -difference : difference;
        largest = difference > largest ? difference : largest;
    }
    return largest;
}

/* All ranges of bins of one candidate. */
static void try_candidate(const struct shw_splitter_round *round, const struct shw_splitter_piece *piece, uint32_t c,
                          struct best *best)
{
    const struct shw_splitter_node *node = &round->nodes[piece->node];
    const uint32_t *histogram =
        piece->histogram + (size_t)c * (round->bin_count + round->undefined_bins) * node->class_count;
    uint32_t right[CLASSES];

    for (uint32_t first = 0; first < round->bin_count; first++) {
        memset(right, 0, sizeof right);
        if (round->undefined_bins > 0)
            memcpy(right, histogram + round->bin_count * node->class_count, node->class_count * sizeof *right);
        for (uint32_t last = first; last < round->bin_count; last++) {
            double difference;
            for (uint32_t k = 0; k < node->class_count; k++)
                right[k] += histogram[last * node->class_count + k];
            if (first == 0 && last + 1 == round->bin_count)
                continue;
            difference = measure(round, node, right);
            if (difference > best->difference)
                *best = (struct best){difference, {true, piece->candidate_begin + c, first, last}};
        }
    }
}

static enum shw_result histograms(void *user, const struct shw_splitter_round *round,
                                  const struct shw_splitter_piece *pieces, uint32_t piece_count)
{
    struct one_against_rest *splitter = user;

    for (uint32_t p = 0; p < piece_count; p++)
        for (uint32_t c = 0; c < pieces[p].candidate_count; c++)
            if (pieces[p].usable[c] != 0)
                try_candidate(round, &pieces[p], c, &splitter->best[pieces[p].node]);
    return SHW_OK;
}

static enum shw_result end_round(void *user, const struct shw_splitter_round *round,
                                 struct shw_splitter_choice *choices)
{
    const struct one_against_rest *splitter = user;

    for (uint32_t n = 0; n < round->node_count; n++)
        choices[n] = splitter->best[n].choice;
    return SHW_OK;
}

/* --- Images: a disc (class 1) and a square (class 2) on a background (class 0), with strong noise --- */

struct examples {
    uint8_t pixels[IMAGES][SIZE * SIZE];
    uint16_t labels[IMAGES][SIZE * SIZE];
};

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void paint(uint32_t seed, uint8_t *pixels, uint16_t *labels)
{
    int radius = 8 + (int)(next_random(&seed) % 6), x0 = 18 + (int)(next_random(&seed) % 28), y0 = 16;
    int side = 14 + (int)(next_random(&seed) % 10), x1 = (int)(next_random(&seed) % 36), y1 = 36;

    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++) {
            int in_disc = (x - x0) * (x - x0) + (y - y0) * (y - y0) < radius * radius;
            int in_square = x >= x1 && x < x1 + side && y >= y1 && y < y1 + side;
            int brightness = in_disc ? 150 : in_square ? 100 : 50;
            labels[y * SIZE + x] = (uint16_t)(in_disc ? 1 : in_square ? 2 : 0);
            pixels[y * SIZE + x] = (uint8_t)(brightness + (int)(next_random(&seed) % 100));
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

/* Percentage of correctly labelled pixels of an unseen image; negative on failure. */
static double judge(const struct shw_forest *forest)
{
    static uint8_t pixels[SIZE * SIZE];
    static uint16_t labels[SIZE * SIZE], found[SIZE * SIZE];
    struct shw_labeller_params params = {
        .forest = forest, .outputs = SHW_OUTPUT_ARGMAX, .log = {.function = print_message}};
    struct shw_labeller *labeller = NULL;
    struct shw_image image = {pixels, SIZE, SIZE, 0, SHW_PIXEL_GREY8};
    struct shw_labelling labelling = {.argmax = found};
    double right = 0;

    paint(99, pixels, labels);
    if (shw_labeller_create(&params, &labeller) != SHW_OK ||
        shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &labelling) != SHW_OK)
        right = -SIZE * SIZE;
    for (int p = 0; p < SIZE * SIZE; p++)
        right += found[p] == labels[p];
    shw_labeller_destroy(&labeller);
    return 100 * right / (SIZE * SIZE);
}

int main(void)
{
    static struct examples examples;
    struct one_against_rest state = {0};
    const struct shw_splitter splitter = {.name = "one against the rest",
                                          .user = &state,
                                          .begin_round = begin_round,
                                          .histograms = histograms,
                                          .end_round = end_round};
    const struct shw_dataset dataset = {
        .count = IMAGES, .class_count = CLASSES, .user = &examples, .read = read_example, .release = release_example};
    struct shw_trainer_params params = {.tree_count = 4,
                                        .depth = 6,
                                        .candidates = 50,
                                        .thresholds = SHW_THRESHOLDS_RANDOM,
                                        .offset_max = 8,
                                        .splitter = &splitter,
                                        .log = {.function = print_message}};
    struct shw_forest *forest = NULL;
    double right = -1;

    for (uint32_t i = 0; i < IMAGES; i++)
        paint(i, examples.pixels[i], examples.labels[i]);
    if (shw_train(&params, &dataset, &forest) == SHW_OK)
        right = judge(forest);
    printf("%.1f percent of the pixels are labelled right\n", right);
    shw_forest_destroy(&forest);
    free(state.best);
    return right > 90 ? EXIT_SUCCESS : EXIT_FAILURE;
}
