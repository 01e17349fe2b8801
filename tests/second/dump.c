/* Trains forests on random images by random settings, and writes everything that leads to them and follows from them,
 * step by step, for another implementation to compare with: second.py. usage: dump FOLDER SEED CASES
 *
 * A case is a file of records: a line "NAME TYPE DIMENSION...", then the numbers in the machine's order. */
#include "testing/testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/explain.h>
#include <shadewood/splitter.h>

#include "dense/grow/trainer.h"
#include "dense/split/split.h"
#include "dense/train/workers.h"
#include "differential/random_set.h"
#include "testing/cases.h"

static void check(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "dump: %s\n", what);
    exit(1);
}

/* `type` is that of numpy: "u1", "i2", ... Rows of bytes need not be packed. */
static void write_record(FILE *file, const char *name, const char *type, uint32_t dimensions, const uint32_t *sizes,
                         const void *numbers)
{
    size_t size = (size_t)(type[1] - '0');

    fprintf(file, "%s %s", name, type);
    for (uint32_t i = 0; i < dimensions; i++) {
        fprintf(file, " %u", sizes[i]);
        size *= sizes[i];
    }
    putc('\n', file);
    check(fwrite(numbers, 1, size, file) == size, "cannot write");
}

#define WRITE(file, type, numbers, name, index, ...)                                                                   \
    do {                                                                                                               \
        const uint32_t sizes_[] = {__VA_ARGS__};                                                                       \
        char name_[64];                                                                                                \
        snprintf(name_, sizeof name_, "%.48s/%u", name, (uint32_t)(index));                                            \
        write_record(file, name_, type, sizeof sizes_ / sizeof *sizes_, sizes_, numbers);                              \
    } while (false)

static void write_text(FILE *file, const char *name, const char *text)
{
    write_record(file, name, "u1", 1, (const uint32_t[]){(uint32_t)strlen(text)}, text);
}

static void write_image(FILE *file, const char *name, uint32_t index, const struct shw_image *image)
{
    size_t pixel = shw_pixel_size(image->format), row = pixel * image->width;
    bool wide = image->format >= SHW_PIXEL_GREY16;
    uint8_t *packed = malloc(row * image->height);

    check(packed != NULL, "out of memory");
    for (uint32_t y = 0; y < image->height; y++)
        memcpy(packed + row * y,
               (const uint8_t *)image->pixels + y * (image->stride != 0 ? (size_t)image->stride : row), row);
    WRITE(file, wide ? "u2" : "u1", packed, name, index, image->height, image->width,
          (uint32_t)(wide ? pixel / 2 : pixel));
    free(packed);
}

static struct shw_trainer_params random_settings(struct testing_random *random, uint32_t classes, double *weights)
{
    static const char *const lists[] = {"rgb",
                                        "winn16",
                                        "winn17",
                                        "wide",
                                        "lab",
                                        "dt,rgb",
                                        "gauss:8,log:8,position",
                                        "dx:1,dy:1,abs-dx:8,abs-dy:8,log:1",
                                        "dx:8,dt-gradient,gauss:1,dt,dy:8",
                                        "lab,abs-log:1,abs-log:8,gauss:2,rgb",
                                        "dt-gradient,abs-dx:1,abs-dy:1",
                                        "hessian:1,tensor:2,deviation:3,opponent:4",
                                        "tensor:1,hessian:8,deviation:8,rgb,orient:2"};
    static const char *const depth_lists[] = {"depth",
                                              "depth,lab-linear",
                                              "depth,height,rgb",
                                              "depth,dt,height",
                                              "depth,constant-depth:9,height",
                                              "depth,log:2,position",
                                              "constant-depth:700,lab"}; /* last: types of pixels refuse it */
    bool few_bins = random_chance(random, 40);
    uint32_t types = 0;
    while (shw_feature_type_get(types) != NULL)
        types++;
    struct shw_trainer_params params = {
        .channels = lists[testing_random_below(random, sizeof lists / sizeof *lists)],
        .feature = shw_feature_type_get(testing_random_below(random, types)),
        .tree_count = 1 + testing_random_below(random, 3),
        .depth = 1 + testing_random_below(random, 5),
        .leaf_max = random_chance(random, 30) ? random_size(random, 12) : 0,
        .candidates = random_size(random, 40),
        .pool = (enum shw_candidate_pool)testing_random_below(random, 2),
        .thresholds = few_bins ? SHW_THRESHOLDS_RANDOM : SHW_THRESHOLDS_BEST,
        .bins = 1 + random_size(random, few_bins ? 9 : 255),
        .score = (enum shw_score)testing_random_below(random, 5),
        .offset_max = random_chance(random, 10) ? 16383 : random_size(random, 60),
        .single_percent = random_chance(random, 50) ? testing_random_below(random, 101) : 0,
        .pixels_per_image = random_chance(random, 30) ? SHW_PIXELS_ALL : random_size(random, 300),
        .sampling = (enum shw_pixel_sampling)testing_random_below(random, 3),
        .images_percent = random_chance(random, 50) ? 1 + testing_random_below(random, 100) : 100,
        .replacement = random_chance(random, 30),
        .samples_min = random_size(random, 12),
        .weighting = (enum shw_class_weighting)testing_random_below(random, 4),
        .prior = (enum shw_leaf_prior)testing_random_below(random, 2),
        .bias_percent = random_chance(random, 40) ? testing_random_below(random, 100) : 0,
        .same_samples = random_chance(random, 20),
        .combine = (enum shw_combine)testing_random_below(random, 3),
        .mirror = (enum shw_mirroring)testing_random_below(random, 3),
        .seed = testing_random_next(random),
        .threads = 1,
        .technique = SHW_TECHNIQUE_CPU};
    struct testing_random of_reach = {params.seed};

    if (random_chance(&of_reach, 30))
        params.offset_min = 1 + testing_random_below(&of_reach, params.offset_max);
    if (random_chance(&of_reach, 30))
        params.shapes = 1 + testing_random_below(&of_reach, random_chance(&of_reach, 80) ? 6 : SHW_SHAPES_MAX);
    if (params.feature->reads_depth)
        params.channels =
            depth_lists[testing_random_below(random, (uint32_t)(sizeof depth_lists / sizeof *depth_lists) -
                                                         (params.feature->reads == SHW_FEATURE_READS_CHANNELS))];
    if (params.mirror == SHW_MIRROR_PAIRED && strstr(params.channels, "orient") != NULL) /* is refused */
        params.mirror = SHW_MIRROR_IMAGES;
    params.size_max = params.offset_max == 16383 ? 32767 : random_size(random, 2 * params.offset_max + 1);
    for (uint32_t c = 0; c < classes; c++)
        weights[c] = 0.25 * random_size(random, random_chance(random, 50) ? 8000000 : 40);
    if (params.weighting == SHW_WEIGHTING_GIVEN)
        params.class_weights = weights;
    params.ferns = random_chance(random, 25);
    return params;
}

/* A training whose best tests are seen by the exchange of its only worker, with their scores; then one whose splitter
 * makes the same choices, and sees all histograms. */
struct witness {
    FILE *file;
    struct shw_trainer *trainer;
    uint32_t round, rounds; /* of all trees */
    struct {
        uint32_t *words;
        size_t count;
    } best[3 * SHW_DEPTH_MAX];
    const struct shw_splitter_round *now;
    struct shw_splitter_choice *choices;
};

enum { HEAD_WORDS = SHW_WORKER_HEAD_WORDS, BEST_WORDS = SHW_WORKER_SPLIT_WORDS };

static enum shw_result gather(void *user, const uint32_t *mine, size_t count, uint32_t *all)
{
    struct witness *witness = user;
    uint32_t *words = malloc(count * sizeof *words);

    check(words != NULL && witness->rounds < 3 * SHW_DEPTH_MAX, "out of memory");
    memcpy(all, mine, count * sizeof *all);
    memcpy(words, mine + HEAD_WORDS, (count - HEAD_WORDS) * sizeof *words);
    witness->best[witness->rounds].words = words;
    witness->best[witness->rounds].count = (count - HEAD_WORDS) / BEST_WORDS;
    WRITE(witness->file, "u4", words, "best", witness->rounds, (uint32_t)(count - HEAD_WORDS) / BEST_WORDS, BEST_WORDS);
    witness->rounds++;
    return SHW_OK;
}

static enum shw_result begin_round(void *user, const struct shw_splitter_round *round)
{
    struct witness *witness = user;
    uint32_t *nodes = malloc((size_t)round->node_count * sizeof *nodes);

    check(nodes != NULL, "out of memory");
    for (uint32_t n = 0; n < round->node_count; n++)
        nodes[n] = round->nodes[n].number;
    WRITE(witness->file, "u4", nodes, "round", witness->round, round->node_count);
    WRITE(witness->file, "u4", round->nodes[0].weights, "weights", witness->round, round->nodes[0].class_count);
    free(nodes);
    witness->choices = calloc(round->node_count, sizeof *witness->choices);
    check(witness->choices != NULL && witness->round < witness->rounds &&
              witness->best[witness->round].count == round->node_count,
          "a splitter sees other rounds");
    return SHW_OK;
}

/* The bins between which a test divides. */
static void choose(struct witness *witness, const struct shw_splitter_piece *piece, uint32_t thresholds)
{
    const uint32_t *best = witness->best[witness->round].words + (size_t)BEST_WORDS * piece->node;
    struct shw_splitter_choice *choice = &witness->choices[piece->node];
    int32_t t0 = (int32_t)best[2], t1 = (int32_t)best[3];
    const int32_t *values = piece->thresholds;

    if (best[0] == 0 || best[1] < piece->candidate_begin || best[1] >= piece->candidate_begin + piece->candidate_count)
        return;
    values += (size_t)(best[1] - piece->candidate_begin) * thresholds;
    *choice = (struct shw_splitter_choice){true, best[1], 0, thresholds};
    while (t0 != INT32_MIN && values[choice->bin_first++] != t0)
        check(choice->bin_first < thresholds, "t0 is no threshold");
    for (uint32_t i = thresholds; t1 != INT32_MAX && i-- > 0;)
        if (values[i] == t1)
            choice->bin_last = i;
}

static const char *place(char name[64], const char *kind, const struct witness *witness,
                         const struct shw_splitter_piece *piece)
{
    snprintf(name, 64, "%s/%u/%u", kind, witness->round, piece->node);
    return name;
}

static enum shw_result histograms(void *user, const struct shw_splitter_round *round,
                                  const struct shw_splitter_piece *pieces, uint32_t piece_count)
{
    struct witness *witness = user;
    const struct shw_trainer_params *params = &witness->trainer->params;
    uint32_t key = shw_draw_key(params->seed, round->tree, SHW_DRAW_CANDIDATES);

    for (uint32_t p = 0; p < piece_count; p++) {
        const struct shw_splitter_piece *piece = &pieces[p];
        const struct shw_splitter_node *node = &round->nodes[piece->node];
        uint32_t pool = params->pool == SHW_POOL_NODE ? node->number : round->depth, count = piece->candidate_count;
        uint32_t *features = malloc((size_t)count * 5 * sizeof *features);
        char name[64];

        check(features != NULL, "out of memory");
        for (uint32_t i = 0; i < count; i++) {
            struct shw_feature feature =
                shw_candidate_draw(params, &witness->trainer->channels, key, pool, piece->candidate_begin + i);
            memcpy(features + 5 * (size_t)i, feature.words, 5 * sizeof *features);
        }
        WRITE(witness->file, "u4", features, place(name, "features", witness, piece), piece->candidate_begin, count, 5);
        WRITE(witness->file, "u1", piece->usable, place(name, "usable", witness, piece), piece->candidate_begin, count);
        WRITE(witness->file, "i4", piece->thresholds, place(name, "thresholds", witness, piece), piece->candidate_begin,
              count, round->bin_count - 1);
        WRITE(witness->file, "u4", piece->histogram, place(name, "histogram", witness, piece), piece->candidate_begin,
              count, round->bin_count + round->undefined_bins, node->class_count);
        choose(witness, piece, round->bin_count - 1);
        free(features);
    }
    return SHW_OK;
}

static enum shw_result end_round(void *user, const struct shw_splitter_round *round,
                                 struct shw_splitter_choice *choices)
{
    struct witness *witness = user;

    memcpy(choices, witness->choices, round->node_count * sizeof *choices);
    free(witness->choices);
    witness->round++;
    return SHW_OK;
}

static struct shw_forest *finish(struct shw_trainer *trainer)
{
    struct shw_forest *forest = NULL;
    bool finished = false;

    while (!finished)
        check(shw_trainer_step(trainer, &finished) == SHW_OK, "a training round failed");
    check(shw_trainer_get_forest(trainer, &forest) == SHW_OK, "no forest");
    return forest;
}

/* False if the images drawn for a tree have no labelled pixel. */
static bool all_trees_have_samples(const struct shw_trainer *trainer)
{
    bool good = true;

    for (uint32_t t = 0; good && t < trainer->params.tree_count; t++) {
        struct shw_samples samples;
        good = shw_samples_draw(&trainer->params, trainer->dataset, trainer->pool, &trainer->images,
                                shw_trainer_part(trainer), t, &samples) == SHW_OK;
        shw_samples_free(&samples);
    }
    return good;
}

static void write_samples(FILE *file, struct shw_trainer *trainer)
{
    for (uint32_t t = 0; t < trainer->params.tree_count; t++) {
        struct shw_samples samples;
        uint32_t *rows;

        check(shw_samples_draw(&trainer->params, trainer->dataset, trainer->pool, &trainer->images,
                               shw_trainer_part(trainer), t, &samples) == SHW_OK,
              "no samples");
        rows = malloc((size_t)samples.count * 4 * sizeof *rows);
        check(rows != NULL, "out of memory");
        for (uint32_t s = 0; s < samples.count; s++)
            memcpy(rows + 4 * (size_t)s,
                   (const uint32_t[]){samples.image[s], samples.x[s], samples.y[s], samples.label[s]},
                   4 * sizeof *rows);
        WRITE(file, "u4", rows, "samples", t, samples.count, 4);
        free(rows);
        shw_samples_free(&samples);
    }
}

/* The tests on the paths of some pixels: rows of x, y, tree, node, response. */
static void write_responses(FILE *file, uint32_t index, const struct shw_forest *forest,
                            struct shw_channel_reader *reader, const struct shw_image *image)
{
    int32_t rows[4096][5];
    uint32_t count = 0;

    for (uint32_t i = 0; i < 40; i++) {
        uint32_t x = i * 7919 % image->width, y = i * 104729 % image->height;
        struct shw_explanation *explanation = NULL;

        check(shw_explain(forest, reader, x, y, &explanation) == SHW_OK, "no explanation");
        for (uint32_t t = 0; t < explanation->tree_count; t++)
            for (uint32_t n = 0; n < explanation->trees[t].test_count && count < 4096; n++, count++) {
                const struct shw_explained_test *test = &explanation->trees[t].tests[n];
                rows[count][0] = (int32_t)x;
                rows[count][1] = (int32_t)y;
                rows[count][2] = (int32_t)t;
                rows[count][3] = (int32_t)test->node;
                rows[count][4] = test->response;
            }
        shw_explanation_free(&explanation);
    }
    WRITE(file, "i4", rows, "responses", index, count, 5);
}

static void write_labels(FILE *file, uint32_t index, const struct shw_forest *forest, struct shw_labeller *labeller,
                         const struct random_set *set)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_input inputs[SHW_INPUTS_MAX];
    struct shw_labelled_image example;
    uint32_t width = set->images[index].width, height = set->images[index].height;
    uint32_t channels = info->channel_list->channel_count;
    size_t pixels = (size_t)width * height, corners = (size_t)(width + 1) * (height + 1);
    struct shw_labelling out = {.forest_leaves = malloc(info->tree_count * pixels * sizeof(uint32_t)),
                                .distribution = malloc(info->class_count * pixels * sizeof(uint16_t)),
                                .argmax = malloc(pixels * sizeof(uint16_t))};
    int16_t *planes = malloc(channels * pixels * sizeof *planes);
    uint32_t *integrals = malloc(channels * corners * sizeof *integrals);
    struct shw_channel_reader_params params = {.channels = info->channels, .threads = 1};
    struct shw_channel_reader *reader = NULL;
    static const char *const others[] = {SHW_PREVIOUS, SHW_DEPTH, SHW_HEIGHT};
    struct shw_inputs given;

    check(set->dataset.read(set->dataset.user, index, &example) == SHW_OK, "no example");
    given = shw_example_inputs(&example, info->channel_list, inputs);
    write_image(file, "image", index, &example.image);
    WRITE(file, "u2", example.labels, "labels", index, height, width);
    for (uint32_t i = 0; i < 3; i++) {
        const struct shw_input *input = shw_inputs_find(&example.inputs, others[i]);
        if (input != NULL)
            write_image(file, others[i], index, &input->image);
    }
    params.inputs = &given;
    check(shw_channel_reader_create(&params, &reader) == SHW_OK, "no channels");
    for (uint32_t c = 0; c < channels; c++)
        check(shw_channel_reader_get_channel(reader, c, planes + c * pixels) == SHW_OK &&
                  shw_channel_reader_get_integral(reader, c, integrals + c * corners) == SHW_OK,
              "no channel");
    check(shw_labeller_run(labeller, &given, &out) == SHW_OK, "no labels");
    WRITE(file, "i2", planes, "channels", index, channels, height, width);
    WRITE(file, "u4", integrals, "integrals", index, channels, height + 1, width + 1);
    WRITE(file, "u4", out.forest_leaves, "leaves", index, info->tree_count, height, width);
    WRITE(file, "u2", out.distribution, "distribution", index, info->class_count, height, width);
    WRITE(file, "u2", out.argmax, "argmax", index, height, width);
    write_responses(file, index, forest, reader, &example.image);
    set->dataset.release(set->dataset.user, &example);
    shw_channel_reader_destroy(&reader);
    free(out.forest_leaves);
    free(out.distribution);
    free(out.argmax);
    free(planes);
    free(integrals);
}

static void write_forest(FILE *file, const struct shw_forest *forest)
{
    void *bytes;
    size_t size;

    check(shw_forest_save_memory(forest, &bytes, &size) == SHW_OK, "no forest file");
    write_record(file, "forest", "u1", 1, (const uint32_t[]){(uint32_t)size}, bytes);
    free(bytes);
}

static void write_all_labels(FILE *file, const struct shw_forest *forest, const struct random_set *set)
{
    struct shw_labeller_params params = {.forest = forest,
                                         .threads = 1,
                                         .outputs =
                                             SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX};
    struct shw_labeller *labeller = NULL;

    check(shw_labeller_create(&params, &labeller) == SHW_OK, "no labeller");
    for (uint32_t i = 0; i < set->dataset.count; i++)
        write_labels(file, i, forest, labeller, set);
    shw_labeller_destroy(&labeller);
}

/* False if the images drawn have no labelled pixel. */
static bool write_case(FILE *file, uint64_t seed)
{
    struct testing_random random = {seed};
    struct random_set set;
    struct witness witness = {.file = file};
    const struct shw_train_exchange exchange = {.worker_count = 1, .user = &witness, .gather = gather};
    const struct shw_splitter splitter = {"witness", &witness, begin_round, histograms, end_round};
    double weights[256];
    struct shw_trainer_params params;
    struct shw_trainer *trainer;
    struct shw_forest *forest, *same = NULL;
    bool good;

    random_set_make(&random, &set);
    params = random_settings(&random, set.dataset.class_count, weights);
    params.exchange = &exchange;
    check(shw_trainer_create(&params, &set.dataset, &trainer) == SHW_OK, "no trainer");
    good = shw_trainer_prepare(trainer) == SHW_OK && all_trees_have_samples(trainer);
    if (good) {
        write_samples(file, trainer);
        forest = finish(trainer);
        shw_trainer_destroy(&trainer);
        if (!params.ferns) {
            params.exchange = NULL;
            params.score = SHW_SCORE_INFORMATION_GAIN;
            params.splitter = &splitter;
            check(shw_trainer_create(&params, &set.dataset, &trainer) == SHW_OK, "no trainer");
            witness.trainer = trainer;
            same = finish(trainer);
            check(shw_forest_hash(same) == shw_forest_hash(forest), "the splitter made another forest");
        }
        write_forest(file, forest);
        write_text(file, "feature", params.feature->name);
        if (params.class_weights != NULL)
            WRITE(file, "f8", weights, "given", 0, set.dataset.class_count);
        write_all_labels(file, forest, &set);
        shw_forest_destroy(&same);
        shw_forest_destroy(&forest);
    }
    for (uint32_t r = 0; r < witness.rounds; r++)
        free(witness.best[r].words);
    shw_trainer_destroy(&trainer);
    random_set_free(&set);
    return good;
}

int main(int argc, char **argv)
{
    uint64_t seed = argc == 4 ? strtoull(argv[2], NULL, 10) : 0;
    uint32_t cases = argc == 4 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;

    check(cases > 0, "usage: dump FOLDER SEED CASES");
    for (; cases > 0; seed++) {
        char path[4096];
        FILE *file;

        snprintf(path, sizeof path, "%s/%" PRIu64, argv[1], seed);
        file = fopen(path, "wb");
        check(file != NULL, "cannot create a file");
        if (write_case(file, seed))
            cases--;
        else
            remove(path);
        check(fclose(file) == 0, "cannot write");
    }
    return 0;
}
