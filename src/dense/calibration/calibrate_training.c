/* Times of training rounds. */
#include <stdlib.h>
#include <string.h>

#include <shadewood/train.h>

#include "base/log.h"
#include "dense/calibration/calibrate.h"

#define IMAGES          4u
#define CLASSES         16u
#define PIXELS_FEW      500u
#define CANDIDATES_FEW  60u
#define CANDIDATES_MANY 1000u /* and all pixels, so that a device is fully used */

/* Pieces of the image, as large as the small frame, below each other. */
struct set {
    struct shw_dataset dataset;
    const struct shw_calibrator *calibrator;
    uint16_t *labels; /* piece by piece */
};

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    static const char *const names[IMAGES] = {"0", "1", "2", "3"};
    const struct set *set = user;
    const struct shw_image *piece = &set->calibrator->frames[0].image;

    *example = (struct shw_labelled_image){
        .name = names[index], .image = *piece, .labels = set->labels + (size_t)index * piece->width * piece->height};
    example->image.pixels = set->calibrator->pixels + index * piece->height * piece->stride;
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    (void)user;
    (void)example;
}

static enum shw_result make_set(const struct shw_calibrator *calibrator, struct set *set)
{
    const struct shw_image *piece = &calibrator->frames[0].image;
    size_t width = piece->stride / 3, rows = IMAGES * (size_t)piece->height;

    *set = (struct set){.calibrator = calibrator, .labels = malloc(rows * piece->width * sizeof *set->labels)};
    if (set->labels == NULL)
        return shw_fail_memory(&calibrator->log, "a calibration");
    for (size_t y = 0; y < rows; y++)
        memcpy(set->labels + y * piece->width, calibrator->labels + y * width, piece->width * sizeof *set->labels);
    set->dataset = (struct shw_dataset){
        .count = IMAGES, .class_count = CLASSES, .user = set, .read = read_example, .release = release_example};
    return SHW_OK;
}

struct rounds {
    uint32_t candidates;
    double ns; /* per response, in the fastest round; 0: none yet */
};

/* Rounds with one open node also draw the tree's samples. */
static bool note(void *user, const struct shw_train_progress *progress)
{
    struct rounds *rounds = user;
    double ns = 1e9 * progress->round_seconds / ((double)progress->round_samples * rounds->candidates);

    if (progress->depth > 0 && (rounds->ns == 0 || ns < rounds->ns))
        rounds->ns = ns;
    return true;
}

static enum shw_result train(struct shw_calibrator *calibrator, const struct set *set, enum shw_technique technique,
                             bool few)
{
    struct rounds rounds = {.candidates = few ? CANDIDATES_FEW : CANDIDATES_MANY};
    struct shw_trainer_params params = {.tree_count = 2,
                                        .depth = 2,
                                        .candidates = rounds.candidates,
                                        .offset_max = 40,
                                        .pixels_per_image = few ? PIXELS_FEW : SHW_PIXELS_ALL,
                                        .device = technique != SHW_TECHNIQUE_CPU ? calibrator->device : NULL,
                                        .technique = technique,
                                        .threads = shw_thread_pool_size(calibrator->pool),
                                        .progress = note,
                                        .progress_user = &rounds,
                                        .log = calibrator->log};
    struct shw_forest *forest = NULL;
    double begin = shw_clock();
    enum shw_result result = shw_train(&params, &set->dataset, &forest);

    if (result == SHW_OK)
        calibrator->result->training_ns[technique] = rounds.ns;
    shw_forest_destroy(&forest);
    shw_calibrate_step(calibrator, begin);
    return shw_calibrate_is_missing(result) ? SHW_OK : result;
}

enum shw_result shw_calibrate_training(struct shw_calibrator *calibrator, enum shw_technique technique)
{
    bool few = technique == SHW_TECHNIQUE_CPU || calibrator->is_cpu;
    struct shw_device_description description;
    struct set set;
    enum shw_result result;

    shw_device_describe(calibrator->device, &description);
    if (technique == SHW_TECHNIQUE_BLEND && (!description.has_graphics || !description.blends_r32_sfloat))
        return SHW_OK;
    result = make_set(calibrator, &set);
    if (result == SHW_OK)
        result = train(calibrator, &set, technique, few);
    free(set.labels);
    return result;
}
