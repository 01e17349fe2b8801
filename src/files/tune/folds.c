#include "files/tune/folds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/log.h"
#include "dense/input/inputs.h"
#include "dense/smooth/smooth.h"

const char *const shw_fold_kinds[] = {"auto", "images", "folders", "runs", NULL};

/* An image while folds are dealt. */
struct card {
    uint64_t order; /* at random, equal within a group */
    uint32_t example;
    uint32_t group;
};

static uint64_t draw(const char *text, size_t length, uint64_t seed)
{
    return XXH3_64bits_withSeed(text, length, seed);
}

static size_t folder_length(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash != NULL ? (size_t)(slash - name) : 0;
}

static int compare_cards(const void *a, const void *b)
{
    const struct card *x = a, *y = b;

    if (x->order != y->order)
        return x->order > y->order ? 1 : -1;
    return x->example > y->example ? 1 : -(x->example < y->example);
}

static int compare_examples(const void *a, const void *b)
{
    const struct card *x = a, *y = b;

    return x->example > y->example ? 1 : -(x->example < y->example);
}

/* Orders the cards by folders at random, and numbers these. Returns how many there are; 1 if an image has none. */
static uint32_t group_by_folders(struct card *cards, uint32_t count, const char *(*name)(void *user, uint32_t index),
                                 void *user, uint64_t seed)
{
    uint32_t groups = 0;

    for (uint32_t i = 0; i < count; i++) {
        const char *text = name(user, cards[i].example);
        const size_t length = folder_length(text);

        if (length == 0)
            return 1;
        cards[i].order = draw(text, length, seed);
    }
    qsort(cards, count, sizeof *cards, compare_cards);
    for (uint32_t i = 0; i < count; i++) {
        groups += i == 0 || cards[i].order != cards[i - 1].order;
        cards[i].group = groups - 1;
    }
    return groups;
}

static void shuffle(struct card *cards, uint32_t count, const char *(*name)(void *user, uint32_t index), void *user,
                    uint64_t seed)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *text = name(user, cards[i].example);
        cards[i].order = draw(text, strlen(text), seed);
    }
    qsort(cards, count, sizeof *cards, compare_cards);
    for (uint32_t i = 0; i < count; i++)
        cards[i].group = i;
}

/* Groups the first `used` cards for the folds. Returns the number of groups. */
static uint32_t group(struct card *cards, uint32_t used, const char *(*name)(void *user, uint32_t index), void *user,
                      enum shw_fold_kind kind, uint32_t count, uint64_t seed)
{
    uint32_t folders = 0;

    if (kind == SHW_FOLD_RUNS) {
        qsort(cards, used, sizeof *cards, compare_examples);
        for (uint32_t i = 0; i < used; i++)
            cards[i].group = (uint32_t)((uint64_t)i * count / used);
        return used;
    }
    if (kind != SHW_FOLD_IMAGES)
        folders = group_by_folders(cards, used, name, user, seed);
    if (kind == SHW_FOLD_FOLDERS || folders >= count)
        return folders;
    shuffle(cards, used, name, user, seed + 1);
    return used;
}

enum shw_result shw_folds_make(const struct shw_dataset *dataset, const char *(*name)(void *user, uint32_t index),
                               void *user, enum shw_fold_kind kind, uint32_t count, uint32_t sample, uint64_t seed,
                               const struct shw_log *log, struct shw_folds *folds)
{
    const uint32_t used = sample > 0 && sample < dataset->count ? sample : dataset->count;
    struct card *cards = calloc(dataset->count + 1u, sizeof *cards);
    uint32_t groups = 0;

    *folds = (struct shw_folds){.dataset = dataset,
                                .count = count,
                                .examples = calloc(used + 1u, sizeof *folds->examples),
                                .of = calloc(used + 1u, sizeof *folds->of),
                                .example_count = used};
    if (cards != NULL && folds->examples != NULL && folds->of != NULL) {
        for (uint32_t i = 0; i < dataset->count; i++)
            cards[i].example = i;
        shuffle(cards, dataset->count, name, user, seed);
        groups = group(cards, used, name, user, kind, count, seed);
        for (uint32_t i = 0; i < used; i++)
            cards[i].group %= count;
        qsort(cards, used, sizeof *cards, compare_examples);
        for (uint32_t i = 0; i < used; i++) {
            folds->examples[i] = cards[i].example;
            folds->of[i] = (uint8_t)cards[i].group;
        }
    }
    if (groups >= count) {
        free(cards);
        return SHW_OK;
    }
    shw_folds_free(folds);
    free(cards);
    return groups == 0
               ? shw_fail_memory(log, "the folds")
               : shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_DATASET, "%u folds need at least as many %s; there are %u",
                          count, kind == SHW_FOLD_FOLDERS ? "folders" : "images", groups);
}

void shw_folds_free(struct shw_folds *folds)
{
    free(folds->examples);
    free(folds->of);
    *folds = (struct shw_folds){.count = 0};
}

/* Some of the images, as a data set. */
struct part {
    const struct shw_dataset *whole;
    uint32_t *examples;
};

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct part *part = user;

    return part->whole->read(part->whole->user, part->examples[index], example);
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    const struct part *part = user;

    part->whole->release(part->whole->user, example);
}

static uint32_t choose(const struct shw_folds *folds, uint32_t fold, bool inside, uint32_t *examples)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < folds->example_count; i++)
        if ((folds->of[i] == fold) == inside)
            examples[count++] = folds->examples[i];
    return count;
}

static enum shw_result train(const struct shw_fold_measure *measure, const struct shw_dataset *dataset,
                             struct shw_forest **forest)
{
    struct shw_trainer *trainer = NULL;
    bool finished = false;
    enum shw_result result;

    SHW_TRY(shw_trainer_create(&measure->training, dataset, &trainer));
    while (!finished) {
        if (!measure->go_on(measure->user))
            SHW_TRY(SHW_ERROR_CANCELLED);
        SHW_TRY(shw_trainer_step(trainer, &finished));
    }
    SHW_TRY(shw_trainer_get_forest(trainer, forest));

fail:
    shw_trainer_destroy(&trainer);
    return result;
}

static enum shw_result smooth(const struct shw_fold_measure *measure, uint32_t radius,
                              const struct shw_labelled_image *example, const uint16_t *distribution, uint32_t classes,
                              uint16_t *labels)
{
    const uint32_t width = example->image.width, height = example->image.height;
    const struct shw_smooth_rect all = {0, 0, width, height};
    const struct shw_smoothing smoothing = {.radius = radius};
    const struct shw_smooth_tile tile = {.windows = shw_smooth_windows_of(&smoothing),
                                         .full_width = width,
                                         .full_height = height,
                                         .given = all,
                                         .image = &example->image,
                                         .distribution = distribution,
                                         .classes = classes,
                                         .tile = all,
                                         .out_argmax = labels,
                                         .out_width = width,
                                         .out_height = height,
                                         .step = 1};

    return shw_smooth_cpu(&tile, measure->pool) == SHW_OK ? SHW_OK
                                                          : shw_fail_memory(&measure->labelling.log, "smoothing");
}

static enum shw_result compare(const struct shw_fold_measure *measure, const struct shw_labelled_image *example,
                               const struct shw_labelling *labelled, uint16_t *labels, struct shw_accuracy *accuracies)
{
    const size_t pixels = (size_t)example->image.width * example->image.height;
    const uint32_t classes = accuracies->class_count;

    for (uint32_t r = 0; r < measure->radius_count; r++) {
        const uint16_t *found = labelled->argmax;
        if (measure->radii[r] > 0) {
            SHW_PROPAGATE(smooth(measure, measure->radii[r], example, labelled->distribution, classes, labels));
            found = labels;
        }
        shw_accuracy_add(&accuracies[r], example->labels, found, pixels);
    }
    return SHW_OK;
}

static enum shw_result label(const struct shw_fold_measure *measure, struct shw_labeller *labeller,
                             const struct shw_channel_list *channels, const struct shw_labelled_image *example,
                             struct shw_accuracy *accuracies)
{
    const size_t pixels = (size_t)example->image.width * example->image.height;
    const struct shw_labelling labelled = {.distribution = malloc(accuracies->class_count * pixels * sizeof(uint16_t)),
                                           .argmax = malloc(pixels * sizeof(uint16_t))};
    uint16_t *labels = malloc(pixels * sizeof *labels);
    struct shw_input inputs[SHW_INPUTS_MAX];
    const struct shw_inputs given = shw_example_inputs(example, channels, inputs);
    enum shw_result result;

    if (labelled.distribution == NULL || labelled.argmax == NULL || labels == NULL)
        SHW_TRY(shw_fail_memory(&measure->labelling.log, example->name));
    SHW_TRY(shw_labeller_run(labeller, &given, &labelled));
    SHW_TRY(compare(measure, example, &labelled, labels, accuracies));

fail:
    free(labelled.distribution);
    free(labelled.argmax);
    free(labels);
    return result;
}

static enum shw_result label_all(const struct shw_fold_measure *measure, const struct shw_forest *forest,
                                 const struct shw_dataset *dataset, struct shw_accuracy *accuracies)
{
    const struct shw_channel_list *channels = shw_forest_get_info(forest)->channel_list;
    struct shw_labeller_params params = measure->labelling;
    struct shw_labeller *labeller = NULL;
    enum shw_result result;

    params.forest = forest;
    params.smoothing.radius = SHW_SMOOTHING_NONE; /* each radius is measured by smoothing what is labelled once */
    params.outputs = SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX;
    SHW_PROPAGATE(shw_labeller_create(&params, &labeller));
    result = SHW_OK;
    for (uint32_t i = 0; i < dataset->count && result == SHW_OK; i++) {
        struct shw_labelled_image example;

        result = measure->go_on(measure->user) ? dataset->read(dataset->user, i, &example) : SHW_ERROR_CANCELLED;
        if (result != SHW_OK)
            break;
        result = label(measure, labeller, channels, &example, accuracies);
        dataset->release(dataset->user, &example);
    }
    shw_labeller_destroy(&labeller);
    return result;
}

enum shw_result shw_fold_measure(const struct shw_folds *folds, uint32_t fold, const struct shw_fold_measure *measure,
                                 struct shw_accuracy *accuracies)
{
    struct part part = {folds->dataset, calloc(folds->example_count + 1u, sizeof *part.examples)};
    struct shw_dataset dataset = *folds->dataset;
    struct shw_forest *forest = NULL;
    enum shw_result result;

    if (part.examples == NULL)
        return shw_fail_memory(&measure->training.log, "the folds");
    dataset.user = &part;
    dataset.read = read_example;
    dataset.release = release_example;
    dataset.count = choose(folds, fold, false, part.examples);
    SHW_TRY(train(measure, &dataset, &forest));
    dataset.count = choose(folds, fold, true, part.examples);
    SHW_TRY(label_all(measure, forest, &dataset, accuracies));

fail:
    shw_forest_destroy(&forest);
    free(part.examples);
    return result;
}

/* As a fraction that JSON can hold. */
static double fraction(double value)
{
    return isnan(value) ? 0 : value;
}

static json_t *pack_confusion(const struct shw_accuracy *accuracy)
{
    json_t *array = json_array();

    for (size_t i = 0; i < (size_t)accuracy->class_count * accuracy->class_count; i++)
        json_array_append_new(array, json_integer((json_int_t)accuracy->confusion[i]));
    return array;
}

json_t *shw_figures_pack(const struct shw_accuracy *accuracies, const uint32_t *radii, uint32_t count)
{
    json_t *figures = json_array();

    for (uint32_t r = 0; r < count && figures != NULL; r++) {
        const struct shw_accuracy_summary summary = shw_accuracy_summarise(&accuracies[r]);
        json_t *object = json_pack("{s:i, s:f, s:f, s:f}", "radius", (int)radii[r], "pixel", fraction(summary.pixel),
                                   "class", fraction(summary.mean_class), "iou", fraction(summary.mean_iou));

        if (accuracies[r].class_count <= SHW_FIGURES_CLASSES_MAX)
            json_object_set_new(object, "confusion", pack_confusion(&accuracies[r]));
        json_array_append_new(figures, object);
    }
    return figures;
}
