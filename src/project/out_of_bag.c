#include "project/out_of_bag.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>

#include "base/log.h"
#include "shared/random.h"

bool shw_out_of_bag_draw(const struct shw_training_set *set, uint32_t tree, bool *in_bag)
{
    uint32_t *strokes = malloc((set->stroke_count + 1u) * sizeof *strokes);
    uint32_t key = shw_random((uint32_t)set->training.seed, (uint32_t)(set->training.seed >> 32), tree);

    if (strokes == NULL)
        return false;
    memset(in_bag, 0, set->stroke_count * sizeof *in_bag);
    for (uint32_t c = 0; c < set->class_count; c++) {
        uint32_t count = 0;

        for (uint32_t s = 0; s < set->stroke_count; s++)
            if (set->stroke_labels[s] == c)
                strokes[count++] = s;
        for (uint32_t i = 0; i < count; i++)
            in_bag[strokes[shw_random_below(shw_random(key, c, i), count)]] = true;
    }
    free(strokes);
    return true;
}

/* The labels outside one tree's bag, and the votes of all trees so far. */
struct measure {
    const struct shw_training_set *set;
    bool (*go_on)(void *user);
    void *user;
    bool *in_bag;
    uint16_t *labels;      /* of consecutive pictures, void where the stroke is not in the bag */
    size_t *first_pixel;   /* of each picture in `labels` */
    size_t *first_painted; /* of each picture, among the pixels that are painted */
    uint32_t *sums;        /* per painted pixel and class */
    uint32_t *votes;       /* per painted pixel: trees */
    uint16_t *distribution;
};

static enum shw_result read_bag(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct measure *measure = user;
    enum shw_result result = measure->set->dataset.read(measure->set->dataset.user, index, example);

    if (result == SHW_OK)
        example->labels = measure->labels + measure->first_pixel[index];
    return result;
}

static void release_bag(void *user, struct shw_labelled_image *example)
{
    (void)user;
    (void)example;
}

static bool go_on(void *user, const struct shw_train_progress *progress)
{
    const struct measure *measure = user;

    (void)progress;
    return measure->go_on == NULL || measure->go_on(measure->user);
}

static size_t pixels_of(const struct shw_taught_picture *picture)
{
    return (size_t)picture->width * picture->height;
}

static void release(struct measure *measure)
{
    free(measure->in_bag);
    free(measure->labels);
    free(measure->first_pixel);
    free(measure->first_painted);
    free(measure->sums);
    free(measure->votes);
    free(measure->distribution);
}

static bool prepare(struct measure *measure)
{
    const struct shw_training_set *set = measure->set;
    size_t pixels = 0, painted = 0, most = 0;

    measure->first_pixel = malloc(set->picture_count * sizeof *measure->first_pixel);
    measure->first_painted = malloc(set->picture_count * sizeof *measure->first_painted);
    for (uint32_t i = 0; measure->first_pixel != NULL && measure->first_painted != NULL && i < set->picture_count;
         i++) {
        size_t here = pixels_of(&set->pictures[i]);

        measure->first_pixel[i] = pixels;
        measure->first_painted[i] = painted;
        pixels += here;
        most = here > most ? here : most;
        for (size_t p = 0; p < here; p++)
            painted += set->pictures[i].labels[p] != SHW_LABEL_VOID;
    }
    measure->in_bag = calloc(set->stroke_count + 1u, sizeof *measure->in_bag);
    measure->labels = malloc(pixels * sizeof *measure->labels);
    measure->sums = calloc(painted * set->class_count, sizeof *measure->sums);
    measure->votes = calloc(painted, sizeof *measure->votes);
    measure->distribution = malloc(most * set->class_count * sizeof *measure->distribution);
    return measure->first_pixel != NULL && measure->first_painted != NULL && measure->in_bag != NULL &&
           measure->labels != NULL && measure->sums != NULL && measure->votes != NULL && measure->distribution != NULL;
}

/* Adds a tree's votes for the pixels of a picture that are not in its bag. */
static void add_votes(struct measure *measure, uint32_t index)
{
    const struct shw_taught_picture *picture = &measure->set->pictures[index];
    size_t pixels = pixels_of(picture), painted = measure->first_painted[index];
    uint32_t classes = measure->set->class_count;

    for (size_t p = 0; p < pixels; p++) {
        if (picture->labels[p] == SHW_LABEL_VOID)
            continue;
        if (!measure->in_bag[picture->owners[p] - 1]) {
            measure->votes[painted]++;
            for (uint32_t c = 0; c < classes; c++)
                measure->sums[painted * classes + c] += measure->distribution[c * pixels + p];
        }
        painted++;
    }
}

/* Whether the picture has a stroke that is not in the bag. */
static bool has_unseen(const struct measure *measure, uint32_t index)
{
    const struct shw_taught_picture *picture = &measure->set->pictures[index];

    for (size_t p = 0; p < pixels_of(picture); p++)
        if (picture->owners[p] > 0 && !measure->in_bag[picture->owners[p] - 1])
            return true;
    return false;
}

static enum shw_result label_pictures(struct measure *measure, const struct shw_forest *forest, uint32_t threads)
{
    const struct shw_training_set *set = measure->set;
    struct shw_labeller_params params = {.forest = forest,
                                         .outputs = SHW_OUTPUT_DISTRIBUTION,
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU,
                                         .evaluate = SHW_TECHNIQUE_CPU,
                                         .threads = threads,
                                         .log = set->log};
    struct shw_labeller *labeller = NULL;
    enum shw_result result = shw_labeller_create(&params, &labeller);

    for (uint32_t i = 0; result == SHW_OK && i < set->picture_count; i++) {
        struct shw_labelled_image example;

        if (!has_unseen(measure, i))
            continue;
        SHW_TRY(set->dataset.read(set->dataset.user, i, &example));
        result = shw_labeller_run(labeller, SHW_COLOUR_IMAGE(example.image),
                                  &(struct shw_labelling){.distribution = measure->distribution});
        set->dataset.release(set->dataset.user, &example);
        if (result == SHW_OK)
            add_votes(measure, i);
    }

fail:
    shw_labeller_destroy(&labeller);
    return result;
}

static void fill_bag(struct measure *measure)
{
    for (uint32_t i = 0; i < measure->set->picture_count; i++) {
        const struct shw_taught_picture *picture = &measure->set->pictures[i];
        uint16_t *labels = measure->labels + measure->first_pixel[i];

        for (size_t p = 0; p < pixels_of(picture); p++)
            labels[p] =
                picture->owners[p] > 0 && measure->in_bag[picture->owners[p] - 1] ? picture->labels[p] : SHW_LABEL_VOID;
    }
}

static enum shw_result grow(struct measure *measure, uint32_t tree, uint32_t threads)
{
    struct shw_trainer_params params = shw_training_set_params(measure->set);
    struct shw_dataset bag = measure->set->dataset;
    struct shw_forest *forest = NULL;
    enum shw_result result;

    params.tree_count = 1;
    params.seed += tree;
    params.technique = SHW_TECHNIQUE_CPU;
    params.threads = threads;
    params.progress = go_on;
    params.progress_user = measure;
    params.log = measure->set->log;
    bag.user = measure;
    bag.read = read_bag;
    bag.release = release_bag;
    if (!shw_out_of_bag_draw(measure->set, tree, measure->in_bag))
        return shw_fail_memory(&measure->set->log, "bags");
    fill_bag(measure);
    SHW_TRY(shw_train(&params, &bag, &forest));
    result = label_pictures(measure, forest, threads);

fail:
    shw_forest_destroy(&forest);
    return result;
}

static void judge(const struct measure *measure, struct shw_out_of_bag *classes)
{
    uint32_t count = measure->set->class_count;
    size_t painted = 0;

    memset(classes, 0, count * sizeof *classes);
    for (uint32_t i = 0; i < measure->set->picture_count; i++) {
        const struct shw_taught_picture *picture = &measure->set->pictures[i];

        for (size_t p = 0; p < pixels_of(picture); p++) {
            const uint32_t *sums = measure->sums + painted * count;
            uint32_t best = 0;

            if (picture->labels[p] == SHW_LABEL_VOID)
                continue;
            for (uint32_t c = 1; c < count; c++)
                best = sums[c] > sums[best] ? c : best;
            classes[picture->labels[p]].labelled += measure->votes[painted] > 0;
            classes[picture->labels[p]].right += measure->votes[painted] > 0 && best == picture->labels[p];
            painted++;
        }
    }
}

enum shw_result shw_out_of_bag_measure(const struct shw_training_set *set, uint32_t threads, bool (*ask)(void *user),
                                       void *user, struct shw_out_of_bag *classes)
{
    struct measure measure = {.set = set, .go_on = ask, .user = user};
    uint32_t trees = set->training.tree_count > 0 ? set->training.tree_count : 8;
    enum shw_result result = prepare(&measure) ? SHW_OK : shw_fail_memory(&set->log, "bags");

    for (uint32_t t = 0; t < trees && result == SHW_OK; t++)
        result = grow(&measure, t, threads);
    if (result == SHW_OK)
        judge(&measure, classes);
    release(&measure);
    return result;
}
