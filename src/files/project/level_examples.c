#include "files/project/level_examples.h"

#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"

uint32_t shw_level_margin(const struct shw_trainer_params *params)
{
    return params->levels > 1 ? UINT32_MAX : shw_trainer_params_get_reach(params);
}

/* A picture of which a fold has nothing is a single pixel without a label, so that examples keep their numbers. */
static void leave_one_pixel(struct shw_labelled_image *example, struct shw_input *inputs)
{
    uint16_t *labels = example->handle;

    labels[0] = SHW_LABEL_VOID;
    example->image = shw_image_part(&example->image, 0, 0, 1, 1);
    for (uint32_t i = 0; i < example->inputs.count; i++) {
        inputs[i] = example->inputs.inputs[i];
        inputs[i].image = shw_image_part(&inputs[i].image, 0, 0, 1, 1);
    }
    example->inputs.inputs = inputs;
}

struct handle {
    struct shw_labelled_image read;
    struct shw_input inputs[SHW_INPUTS_MAX];
};

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct shw_level_examples *examples = user;
    const struct shw_dataset *of = &examples->strokes[index % examples->folds].dataset;
    struct handle *handle = calloc(1, sizeof *handle);
    enum shw_result result;

    if (handle == NULL)
        return shw_fail_memory(&examples->tiles->set->log, "strokes");
    result = of->read(of->user, index / examples->folds, &handle->read);
    if (result != SHW_OK) {
        free(handle);
        return result;
    }
    *example = handle->read;
    if (!examples->present[index])
        leave_one_pixel(example, handle->inputs);
    example->handle = handle;
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    const struct shw_level_examples *examples = user;
    const struct shw_dataset *of = &examples->strokes[0].dataset;
    struct handle *handle = example->handle;

    of->release(of->user, &handle->read);
    free(handle);
}

/* Notes in which pictures the strokes of a fold are. */
static void find_strokes(struct shw_level_examples *examples, uint32_t fold, const bool *strokes)
{
    const struct shw_training_tiles *tiles = examples->tiles;

    for (uint32_t t = 0; t < tiles->count; t++) {
        const struct shw_taught_picture *picture = &tiles->pictures[tiles->tiles[t].picture];

        for (uint32_t s = 0; s < picture->labels->stroke_count; s++)
            if (strokes[picture->first_stroke + s] &&
                tiles->set->stroke_labels[picture->first_stroke + s] != SHW_LABEL_VOID)
                examples->present[(size_t)t * examples->folds + fold] = true;
    }
}

static enum shw_result choose_strokes(struct shw_level_examples *examples, const bool *chosen, const uint8_t *folds,
                                      bool *strokes)
{
    const struct shw_training_set *set = examples->tiles->set;

    for (uint32_t f = 0; f < examples->folds; f++) {
        for (uint32_t s = 0; s < set->stroke_count; s++)
            strokes[s] = (chosen == NULL || chosen[s]) && (folds[s] == SHW_FOLDS || folds[s] % examples->folds == f);
        SHW_PROPAGATE(shw_training_choice_make(examples->tiles, strokes, &examples->strokes[f]));
        find_strokes(examples, f, strokes);
    }
    return SHW_OK;
}

enum shw_result shw_level_examples_make(const struct shw_training_tiles *tiles, const bool *chosen,
                                        struct shw_trainer_params *params, struct shw_level_examples *examples)
{
    const struct shw_training_set *set = tiles->set;
    uint8_t *folds = malloc(set->stroke_count + 1u);
    bool *strokes = malloc(set->stroke_count + 1u);
    enum shw_held_out_by *by = calloc(set->class_count + 1u, sizeof *by);
    enum shw_result result;

    *examples = (struct shw_level_examples){
        .tiles = tiles, .folds = params->tree_count < SHW_FOLDS ? shw_max_u32(params->tree_count, 1) : SHW_FOLDS};
    params->folds = examples->folds;
    examples->present = calloc((size_t)tiles->count * examples->folds + 1, sizeof *examples->present);
    if (folds != NULL && strokes != NULL && by != NULL && examples->present != NULL &&
        shw_stroke_folds(set, chosen, folds, by))
        result = choose_strokes(examples, chosen, folds, strokes);
    else
        result = shw_fail_memory(&set->log, "strokes");
    free(folds);
    free(strokes);
    free(by);
    if (result != SHW_OK) {
        shw_level_examples_free(examples);
        return result;
    }
    examples->dataset = (struct shw_dataset){.count = tiles->count * examples->folds,
                                             .class_count = set->class_count,
                                             .classes = set->classes,
                                             .user = examples,
                                             .read = read_example,
                                             .release = release_example,
                                             .in_memory = true};
    return SHW_OK;
}

void shw_level_examples_free(struct shw_level_examples *examples)
{
    for (uint32_t f = 0; f < SHW_FOLDS; f++)
        shw_training_choice_free(&examples->strokes[f]);
    free(examples->present);
    *examples = (struct shw_level_examples){.folds = 0};
}
