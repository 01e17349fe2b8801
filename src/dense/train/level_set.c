#include "dense/train/level_set.h"

#include <jansson.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/channels/posterior.h"
#include "dense/forest/forest.h"
#include "dense/input/inputs.h"
#include "dense/samples/sampling.h"

struct shw_level_set {
    struct shw_dataset dataset;
    const struct shw_dataset *given; /* not used when it is destroyed */
    struct shw_image_part part;      /* which of all examples they are */
    const struct shw_channel_list *channels;
    struct shw_trainer_params params;
    uint32_t folds; /* 1: no tree has seen the examples, or all have */
    uint32_t fold_run;
    struct shw_forest **forests;     /* [fold]: the trees that have not seen the examples of the fold */
    struct shw_labeller **labellers; /* [fold]; NULL until they are needed */
    pthread_mutex_t mutex;           /* of the labellers */
    struct shw_posteriors *kept;     /* [example]; without pixels: it is labelled when it is read */
    uint64_t bytes;
};

struct handle {
    struct shw_labelled_image original;
    struct shw_posteriors own;
    struct shw_input inputs[SHW_INPUTS_MAX];
};

static json_int_t provenance_of(const struct shw_forest *forest, const char *name)
{
    json_t *training = json_loads(shw_forest_get_info(forest)->training, 0, NULL);
    const json_int_t value = json_integer_value(json_object_get(training, name));

    json_decref(training);
    return value;
}

/* The folds that a forest was trained with; 1: none. */
static uint32_t folds_of(const struct shw_forest *forest)
{
    const json_int_t folds = provenance_of(forest, "folds");

    return folds > 1 && folds <= shw_forest_get_info(forest)->tree_count ? (uint32_t)folds : 1;
}

/* The folds of a forest and of all levels below it, which must be of the same pictures. */
static enum shw_result find_folds(struct shw_level_set *set)
{
    const struct shw_log *log = &set->params.log;

    set->folds = set->fold_run = 1;
    for (const struct shw_forest *level = set->params.below; level != NULL; level = shw_forest_get_info(level)->below) {
        const uint32_t folds = folds_of(level), run = shw_max_u32((uint32_t)provenance_of(level, "fold_run"), 1);
        const json_int_t pictures = provenance_of(level, "images");
        if (folds == 1)
            continue;
        if (pictures != set->part.whole)
            return shw_fail(
                log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                "the level below was trained in folds of %lld pictures, but there are %u now, and it is not "
                "known which of them its trees have not seen",
                (long long)pictures, set->part.whole);
        if (set->folds > 1 && (folds != set->folds || run != set->fold_run))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                            "the levels below have different folds, %u of runs of %u and %u of runs of %u: train them "
                            "with the same",
                            folds, run, set->folds, set->fold_run);
        set->folds = folds;
        set->fold_run = run;
    }
    return SHW_OK;
}

/* The trees of a forest, and of the levels below it, that have not seen the examples of a fold. */
static enum shw_result take_fold(const struct shw_forest *forest, uint32_t fold, const struct shw_log *log,
                                 struct shw_forest **out)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const uint32_t folds = folds_of(forest), first = (uint32_t)provenance_of(forest, "first_tree");
    struct shw_forest_params params = {.info = *info, .log = *log};
    struct shw_tree *trees = calloc(info->tree_count, sizeof *trees);
    struct shw_forest *below = NULL;
    uint32_t count = 0;
    enum shw_result result = trees != NULL ? SHW_OK : shw_fail_memory(log, "the level below");

    if (result == SHW_OK && info->below != NULL)
        result = take_fold(info->below, fold, log, &below);
    for (uint32_t t = 0; t < info->tree_count && result == SHW_OK; t++)
        if ((first + t) % folds == fold % folds && !shw_forest_copy_tree(forest, t, &trees[count++]))
            result = shw_fail_memory(log, "the level below");
    params.info.tree_count = count;
    params.info.below = below;
    params.trees = trees;
    if (result == SHW_OK)
        result = shw_forest_create(&params, out);
    shw_forest_free_trees(trees, count);
    shw_forest_destroy(&below);
    return result;
}

/* With the mutex held. By the device only while it is not training. */
static enum shw_result find_labeller(struct shw_level_set *set, uint32_t fold, struct shw_labeller **labeller)
{
    const struct shw_labeller_params params = {.forest = set->forests[fold],
                                               .outputs = SHW_OUTPUT_DISTRIBUTION,
                                               .channels = SHW_TECHNIQUE_CPU,
                                               .integrate = SHW_TECHNIQUE_CPU,
                                               .evaluate = SHW_TECHNIQUE_CPU,
                                               .threads = set->params.threads,
                                               .log = set->params.log};

    if (set->labellers[fold] == NULL)
        SHW_PROPAGATE(shw_labeller_create(&params, &set->labellers[fold]));
    *labeller = set->labellers[fold];
    return SHW_OK;
}

static enum shw_result label(struct shw_level_set *set, uint32_t index, const struct shw_labelled_image *example,
                             struct shw_posteriors *posteriors)
{
    const struct shw_image *image = &example->image;
    const uint32_t fold = shw_fold_of(set->part.first + index, set->fold_run, set->folds);
    const struct shw_forest *forest = set->forests[fold];
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_input read[SHW_INPUTS_MAX];
    struct shw_chosen_inputs chosen;
    struct shw_inputs inputs;
    struct shw_labeller *labeller;
    uint16_t *distribution = NULL;
    enum shw_result result;

    if (example->part.full_width != 0)
        return shw_fail(&set->params.log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s is a part of a picture: a level above another is trained on whole ones", example->name);
    SHW_PROPAGATE(shw_inputs_choose_example(example, set->channels, &set->params.log, read, &chosen));
    inputs = shw_example_inputs(example, info->channel_list, read);
    distribution = malloc((size_t)info->class_count * image->width * image->height * sizeof *distribution);
    if (distribution == NULL)
        return shw_fail_memory(&set->params.log, "what the level below says");
    pthread_mutex_lock(&set->mutex);
    result = find_labeller(set, fold, &labeller);
    if (result == SHW_OK)
        result = shw_labeller_run(labeller, &inputs, &(struct shw_labelling){.distribution = distribution});
    pthread_mutex_unlock(&set->mutex);
    if (result == SHW_OK && shw_posteriors_make(distribution, info->class_count,
                                                (struct shw_rect){0, 0, (int32_t)image->width, (int32_t)image->height},
                                                image->width, image->height, posteriors) != SHW_OK)
        result = shw_fail_memory(&set->params.log, "what the level below says");
    free(distribution);
    return result;
}

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    struct shw_level_set *set = user;
    struct handle *handle = calloc(1, sizeof *handle);
    const struct shw_posteriors *posteriors = &set->kept[index];
    struct shw_inputs inputs;
    enum shw_result result;

    if (handle == NULL)
        return shw_fail_memory(&set->params.log, "a training image");
    result = set->given->read(set->given->user, index, &handle->original);
    if (result != SHW_OK) {
        free(handle);
        return result;
    }
    if (posteriors->pixels == NULL) {
        result = label(set, index, &handle->original, &handle->own);
        posteriors = &handle->own;
    }
    if (result != SHW_OK) {
        set->given->release(set->given->user, &handle->original);
        free(handle);
        return result;
    }
    *example = handle->original;
    inputs = shw_example_inputs(&handle->original, set->channels, handle->inputs); /* the colour image first */
    memcpy(handle->inputs + inputs.count, posteriors->inputs, posteriors->count * sizeof *posteriors->inputs);
    example->inputs = (struct shw_inputs){inputs.count - 1 + posteriors->count, handle->inputs + 1};
    example->handle = handle;
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    const struct shw_level_set *set = user;
    struct handle *handle = example->handle;

    set->given->release(set->given->user, &handle->original);
    shw_posteriors_free(&handle->own);
    free(handle);
}

enum shw_result shw_level_set_create(const struct shw_dataset *given, struct shw_image_part part,
                                     const struct shw_trainer_params *params, const struct shw_channel_list *channels,
                                     struct shw_level_set **out)
{
    struct shw_level_set *set = calloc(1, sizeof *set);
    enum shw_result result;

    if (set == NULL)
        return shw_fail_memory(&params->log, "the training set");
    *set = (struct shw_level_set){
        .dataset = *given, .given = given, .part = part, .channels = channels, .params = *params};
    set->dataset.user = set;
    set->dataset.read = read_example;
    set->dataset.release = release_example;
    set->dataset.in_memory = false;
    pthread_mutex_init(&set->mutex, NULL);
    result = find_folds(set);
    set->forests = calloc(set->folds, sizeof(struct shw_forest *));
    set->labellers = calloc(set->folds, sizeof(struct shw_labeller *));
    set->kept = calloc(given->count, sizeof *set->kept);
    if (result == SHW_OK && (set->forests == NULL || set->labellers == NULL || set->kept == NULL))
        result = shw_fail_memory(&params->log, "the training set");
    for (uint32_t f = 0; f < set->folds && result == SHW_OK; f++)
        result = take_fold(params->below, f, &params->log, &set->forests[f]);
    if (result == SHW_OK)
        *out = set;
    else
        shw_level_set_destroy(&set);
    return result;
}

enum shw_result shw_level_set_fill(struct shw_level_set *set, uint64_t bytes, const atomic_bool *interrupted)
{
    const uint32_t count = set->given->count;
    const uint64_t pixel = shw_posterior_bytes(shw_forest_get_info(set->params.below)->class_count);
    bool fits = true;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < count && fits && result == SHW_OK; i++) {
        struct shw_labelled_image example;
        if (atomic_load_explicit(interrupted, memory_order_relaxed))
            return shw_fail(&set->params.log, SHW_ERROR_CANCELLED, SHW_LOG_PROGRESS, "training was stopped");
        SHW_PROPAGATE(set->given->read(set->given->user, i, &example));
        const uint64_t size = pixel * example.image.width * example.image.height;
        fits = set->bytes + size <= bytes;
        if (fits && set->kept[i].pixels == NULL) {
            result = label(set, i, &example, &set->kept[i]);
            set->bytes += result == SHW_OK ? size : 0;
        }
        set->given->release(set->given->user, &example);
    }
    if (result == SHW_OK)
        shw_log_message(&set->params.log, SHW_LOG_INFO, SHW_LOG_DEVICE_INFO,
                        "%s images labelled by the level below, %llu MiB", fits ? "all" : "the first",
                        (unsigned long long)set->bytes >> 20);
    return result;
}

uint64_t shw_level_set_bytes(const struct shw_level_set *set)
{
    return set->bytes;
}

const struct shw_dataset *shw_level_set_dataset(const struct shw_level_set *set)
{
    return &set->dataset;
}

void shw_level_set_destroy(struct shw_level_set **handle)
{
    struct shw_level_set *set = handle != NULL ? *handle : NULL;

    if (set == NULL)
        return;
    for (uint32_t f = 0; f < set->folds; f++) {
        if (set->labellers != NULL)
            shw_labeller_destroy(&set->labellers[f]);
        if (set->forests != NULL)
            shw_forest_destroy(&set->forests[f]);
    }
    for (uint32_t i = 0; set->kept != NULL && i < set->dataset.count; i++)
        shw_posteriors_free(&set->kept[i]);
    pthread_mutex_destroy(&set->mutex);
    free(set->labellers);
    free(set->forests);
    free(set->kept);
    free(set);
    *handle = NULL;
}
