#include "dense/train/out_of_bag.h"

#include <stdlib.h>

#include "dense/feature/evaluate_cpu.h"
#include "dense/forest/forest.h"
#include "dense/samples/sampling.h"

/* Pixels of all pictures, of each picture, and sums: about this many at most. */
#define PIXELS_MAX     (1u << 17)
#define OF_PICTURE_MAX 400u
#define OF_PICTURE_MIN 16u
#define SUMS_MAX       (1u << 26)

enum shw_result shw_out_of_bag_check(const struct shw_trainer_params *params, const struct shw_dataset *dataset)
{
    if (!params->out_of_bag)
        return SHW_OK;
    if (dataset->picture_count > 0)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "out-of-bag pixels need whole images, not parts of pictures");
    if (params->images_percent == 100 && !params->replacement)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "every tree is trained on all images, so none are out of bag: draw fewer, or with replacement");
    if (params->images_percent < 100 && params->same_samples)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                        "all trees have the same images: those out of bag say nothing of the forest");
    return SHW_OK;
}

/* The pixels of a picture form a grid. */
struct grid {
    uint32_t step, first, columns, rows;
};

static struct grid grid_of(const struct shw_train_image *image, uint32_t most)
{
    struct grid grid = {.step = 1};
    uint32_t least = image->width < image->height ? image->width : image->height;

    while (grid.step < least && (uint64_t)(image->width / grid.step) * (image->height / grid.step) > most)
        grid.step++;
    grid.first = grid.step / 2;
    grid.columns = (image->width - grid.first - 1) / grid.step + 1;
    grid.rows = (image->height - grid.first - 1) / grid.step + 1;
    return grid;
}

static uint32_t most_of_picture(const struct shw_trainer *trainer)
{
    uint64_t classes = trainer->dataset->class_count, all = PIXELS_MAX;
    uint32_t most;

    if (all * classes > SUMS_MAX)
        all = SUMS_MAX / classes;
    most = (uint32_t)(all / shw_trainer_whole(trainer)->picture_count);
    return most > OF_PICTURE_MAX ? OF_PICTURE_MAX : most < OF_PICTURE_MIN ? OF_PICTURE_MIN : most;
}

static enum shw_result read_labels(const struct shw_trainer *trainer, uint32_t picture, const struct grid *grid,
                                   uint16_t *labels)
{
    struct shw_labelled_image example;

    SHW_PROPAGATE(shw_train_image_read(&trainer->params, trainer->dataset, picture, &example));
    for (uint32_t y = 0; y < grid->rows; y++)
        for (uint32_t x = 0; x < grid->columns; x++)
            labels[(size_t)y * grid->columns + x] =
                example.labels[(size_t)(grid->first + y * grid->step) * example.image.width + grid->first +
                               x * grid->step];
    trainer->dataset->release(trainer->dataset->user, &example);
    return SHW_OK;
}

static enum shw_result begin(struct shw_trainer *trainer)
{
    const struct shw_train_images *images = &trainer->images;
    struct shw_out_of_bag *bag = trainer->out_of_bag = calloc(1, sizeof *bag);
    uint32_t trees = trainer->params.tree_count, most = most_of_picture(trainer);

    if (bag == NULL)
        return shw_fail_memory(&trainer->params.log, "out-of-bag pixels");
    bag->classes = trainer->dataset->class_count;
    bag->ends = calloc(images->picture_count, sizeof *bag->ends);
    bag->pixels = calloc(trees, sizeof *bag->pixels);
    bag->correct = calloc(trees, sizeof *bag->correct);
    if (bag->ends == NULL || bag->pixels == NULL || bag->correct == NULL)
        return shw_fail_memory(&trainer->params.log, "out-of-bag pixels");
    for (uint32_t p = 0; p < images->picture_count; p++) {
        struct grid grid = grid_of(&images->images[p], most);

        bag->ends[p] = bag->count += grid.columns * grid.rows;
    }
    bag->labels = malloc(bag->count * sizeof *bag->labels);
    bag->asked = calloc(bag->count, sizeof *bag->asked);
    bag->sums = calloc((size_t)bag->count * bag->classes, sizeof *bag->sums);
    if (bag->labels == NULL || bag->asked == NULL || bag->sums == NULL)
        return shw_fail_memory(&trainer->params.log, "out-of-bag pixels");
    for (uint32_t p = 0; p < images->picture_count; p++) {
        struct grid grid = grid_of(&images->images[p], most);

        SHW_PROPAGATE(read_labels(trainer, p, &grid, bag->labels + (p > 0 ? bag->ends[p - 1] : 0)));
    }
    return SHW_OK;
}

/* Trees that are asked together. */
struct asking {
    struct shw_trainer *trainer;
    struct shw_out_of_bag *bag;
    struct shw_forest *forest; /* of these trees */
    uint32_t first, count;     /* numbers of the trees in the training */
    uint8_t *drawn;            /* [tree][picture] */
    uint32_t *found;           /* [tree][pixel of a picture] */
};

/* The planes of a picture; *made are to be freed, unless they are in memory anyway. */
static enum shw_result get_planes(const struct shw_trainer *trainer, uint32_t picture, const void **planes, void **made)
{
    const struct shw_train_images *images = &trainer->images;
    size_t bytes = shw_train_image_bytes(images, picture), place = images->images[picture].planes;

    *made = NULL;
    if (images->planes != NULL && picture < images->resident && place != SHW_NO_PLANES) {
        *planes = (const char *)images->planes + place * (bytes / shw_train_image_elements(images, picture));
        return SHW_OK;
    }
    *planes = *made = malloc(bytes);
    if (*made == NULL)
        return shw_fail_memory(&trainer->params.log, "a training image");
    return shw_train_image_make_planes(&trainer->params, trainer->dataset, images, picture, trainer->pool, *made);
}

static enum shw_result find_leaves(const struct asking *asking, uint32_t picture, const struct grid *grid)
{
    const struct shw_train_image *image = &asking->trainer->images.images[picture];
    struct shw_evaluate_tile tile = {.forest = asking->forest,
                                     .width = image->width,
                                     .height = image->height,
                                     .image = {0, 0, (int32_t)image->width, (int32_t)image->height},
                                     .x = grid->first,
                                     .y = grid->first,
                                     .tile_width = (grid->columns - 1) * grid->step + 1,
                                     .tile_height = (grid->rows - 1) * grid->step + 1,
                                     .step = grid->step,
                                     .out = {.forest_leaves = asking->found},
                                     .out_width = grid->columns,
                                     .out_height = grid->rows};
    void *made;
    enum shw_result result = get_planes(asking->trainer, picture, &tile.planes, &made);

    if (result == SHW_OK)
        result = shw_evaluate_cpu(&tile, asking->trainer->pool) == SHW_OK
                     ? SHW_OK
                     : shw_fail_memory(&asking->trainer->params.log, "a leaf image");
    free(made);
    return result;
}

static bool is_right(const struct shw_out_of_bag *bag, uint32_t pixel)
{
    const uint32_t *sums = bag->sums + (size_t)pixel * bag->classes;
    uint32_t best = 0;

    for (uint32_t c = 1; c < bag->classes; c++)
        if (sums[c] > sums[best])
            best = c;
    return best == bag->labels[pixel];
}

/* Adds what a tree says of the pixels of a picture on which it was not trained. */
static void add_leaves(const struct asking *asking, uint32_t tree, uint32_t begin, uint32_t end)
{
    struct shw_out_of_bag *bag = asking->bag;
    const uint32_t *found = asking->found + (size_t)tree * (end - begin);

    for (uint32_t i = begin; i < end; i++) {
        const uint16_t *values;

        if (bag->labels[i] == SHW_LABEL_VOID || found[i - begin] == UINT32_MAX)
            continue;
        values = shw_forest_get_values(asking->forest, tree, found[i - begin]);
        bag->asked[i]++;
        for (uint32_t c = 0; c < bag->classes; c++)
            bag->sums[(size_t)i * bag->classes + c] += values[c];
    }
}

static enum shw_result ask_about(const struct asking *asking, uint32_t picture)
{
    struct shw_out_of_bag *bag = asking->bag;
    const struct grid grid = grid_of(&asking->trainer->images.images[picture], most_of_picture(asking->trainer));
    uint32_t begin = picture > 0 ? bag->ends[picture - 1] : 0, end = bag->ends[picture], pictures;
    bool any = false;

    pictures = asking->trainer->images.picture_count;
    SHW_PROPAGATE(shw_trainer_check_interruption(asking->trainer));
    for (uint32_t t = 0; t < asking->count; t++)
        any = any || asking->drawn[(size_t)t * pictures + picture] == 0;
    if (any)
        SHW_PROPAGATE(find_leaves(asking, picture, &grid));
    for (uint32_t t = 0; t < asking->count; t++) {
        if (asking->drawn[(size_t)t * pictures + picture] == 0)
            add_leaves(asking, t, begin, end);
        for (uint32_t i = begin; i < end; i++)
            if (bag->asked[i] > 0) {
                bag->pixels[asking->first + t]++;
                bag->correct[asking->first + t] += is_right(bag, i);
            }
    }
    return SHW_OK;
}

/* Finds out which pictures each tree was trained on. */
static bool recall_draws(const struct asking *asking)
{
    const struct shw_trainer_params *params = &asking->trainer->params;
    const struct shw_image_part part = shw_trainer_part(asking->trainer);
    uint32_t pictures = asking->trainer->images.picture_count;

    for (uint32_t t = 0; t < asking->count; t++) {
        uint32_t number = params->same_samples ? 0 : params->first_tree + asking->first + t, count;
        uint32_t *drawn = shw_draw_pictures(params, part.whole, number, &count);

        if (drawn == NULL)
            return false;
        for (uint32_t i = 0; i < count; i++)
            if (drawn[i] >= part.first && drawn[i] - part.first < part.count)
                asking->drawn[(size_t)t * pictures + drawn[i] - part.first] = 1;
        free(drawn);
    }
    return true;
}

static bool make_room(struct asking *asking)
{
    const struct shw_out_of_bag *bag = asking->bag;
    uint32_t most = 0, pictures = asking->trainer->images.picture_count;

    for (uint32_t p = 0, begin = 0; p < pictures; begin = bag->ends[p++])
        most = bag->ends[p] - begin > most ? bag->ends[p] - begin : most;
    asking->drawn = calloc((size_t)asking->count * pictures, 1);
    asking->found = malloc((size_t)asking->count * most * sizeof *asking->found);
    return asking->drawn != NULL && asking->found != NULL && recall_draws(asking);
}

static enum shw_result make_forest(struct asking *asking)
{
    const struct shw_trainer *trainer = asking->trainer;
    const struct shw_forest_params params = {.info = {.channels = trainer->params.channels,
                                                      .kinds = trainer->params.kinds,
                                                      .feature = trainer->params.feature,
                                                      .class_count = trainer->dataset->class_count,
                                                      .tree_count = asking->count,
                                                      .combine = trainer->params.combine},
                                             .trees = trainer->trees + asking->first,
                                             .log = trainer->params.log};

    return shw_forest_create(&params, &asking->forest);
}

/* Adds up the pixels of all workers that divide the images: those of one tree are fewer than 2^32. */
static enum shw_result add_workers(const struct asking *asking)
{
    const uint32_t count = 2 * asking->count;
    struct shw_out_of_bag *bag = asking->bag;
    uint32_t *words;
    enum shw_result result;

    if (asking->trainer->division == NULL)
        return SHW_OK;
    words = malloc(2 * (size_t)count * sizeof *words);
    if (words == NULL)
        return shw_fail_memory(&asking->trainer->params.log, "out-of-bag pixels");
    for (uint32_t t = 0; t < asking->count; t++) {
        words[2 * t] = (uint32_t)bag->pixels[asking->first + t];
        words[2 * t + 1] = (uint32_t)bag->correct[asking->first + t];
    }
    result = shw_division_sum(asking->trainer, words, count, words + count, NULL);
    for (uint32_t t = 0; t < asking->count && result == SHW_OK; t++) {
        bag->pixels[asking->first + t] = words[count + 2 * t];
        bag->correct[asking->first + t] = words[count + 2 * t + 1];
    }
    free(words);
    return result;
}

enum shw_result shw_out_of_bag_add(struct shw_trainer *trainer)
{
    struct asking asking = {.trainer = trainer};
    enum shw_result result = SHW_OK;

    if (!trainer->params.out_of_bag)
        return SHW_OK;
    if (trainer->out_of_bag == NULL)
        SHW_PROPAGATE(begin(trainer));
    asking.bag = trainer->out_of_bag;
    asking.first = asking.bag->tree_count;
    asking.count = trainer->tree_count - asking.first;
    if (asking.count == 0)
        return SHW_OK;
    SHW_TRY(make_room(&asking) ? SHW_OK : shw_fail_memory(&trainer->params.log, "out-of-bag pixels"));
    SHW_TRY(make_forest(&asking));
    for (uint32_t p = 0; p < trainer->images.picture_count; p++)
        SHW_TRY(ask_about(&asking, p));
    SHW_TRY(add_workers(&asking));
    asking.bag->tree_count = trainer->tree_count;
    trainer->out_of_bag_pixels = asking.bag->pixels[trainer->tree_count - 1];
    trainer->out_of_bag_correct = asking.bag->correct[trainer->tree_count - 1];

fail:
    shw_forest_destroy(&asking.forest);
    free(asking.drawn);
    free(asking.found);
    return result;
}

static json_t *pack_counts(const uint64_t *counts, uint32_t count)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(array, json_integer((json_int_t)counts[i]));
    return array;
}

json_t *shw_out_of_bag_pack(const struct shw_out_of_bag *bag)
{
    return json_pack("{s:o, s:o}", "correct", pack_counts(bag->correct, bag->tree_count), "pixels",
                     pack_counts(bag->pixels, bag->tree_count));
}

void shw_out_of_bag_free(struct shw_out_of_bag **handle)
{
    struct shw_out_of_bag *bag = *handle;

    if (bag == NULL)
        return;
    free(bag->labels);
    free(bag->ends);
    free(bag->sums);
    free(bag->asked);
    free(bag->pixels);
    free(bag->correct);
    free(bag);
    *handle = NULL;
}
