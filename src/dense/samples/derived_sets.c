#include "dense/samples/derived_sets.h"

#include <stdlib.h>

#include "base/log.h"
#include "dense/channels/base_planes.h"
#include "dense/channels/depth_codes.h"
#include "dense/channels/fill_input.h"
#include "dense/input/inputs.h"

struct shw_depth_labels {
    struct shw_dataset dataset;
    const struct shw_dataset *given;
    const struct shw_log *log;
};

struct voided {
    struct shw_labelled_image original;
    uint16_t labels[]; /* and after them, room for a row of depth */
};

/* NULL if the depth is unusable, which training reports when it reads it. */
static const struct shw_input *find_matching_depth(const struct shw_labelled_image *example)
{
    const struct shw_input *depth = shw_inputs_find(&example->inputs, SHW_DEPTH);

    return depth != NULL && shw_input_is_depth(depth) && depth->image.width == example->image.width &&
                   depth->image.height == example->image.height && example->labels != NULL
               ? depth
               : NULL;
}

static enum shw_result read_voided(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct shw_depth_labels *labels = user;
    struct shw_labelled_image original = {0};
    const struct shw_input *depth;
    struct voided *voided;
    size_t pixels, row_pixels;

    SHW_PROPAGATE(labels->given->read(labels->given->user, index, &original));
    depth = find_matching_depth(&original);
    row_pixels = depth != NULL ? depth->image.width : 0;
    pixels = depth != NULL ? row_pixels * depth->image.height : 0;
    voided = malloc(sizeof *voided + (pixels + row_pixels) * sizeof *voided->labels);
    if (voided == NULL) {
        labels->given->release(labels->given->user, &original);
        return shw_fail_memory(labels->log, "a training image");
    }
    voided->original = original;
    *example = original;
    example->handle = voided;
    if (depth == NULL)
        return SHW_OK;
    for (uint32_t y = 0, i = 0; y < depth->image.height; y++) {
        int16_t *row = (int16_t *)(voided->labels + pixels);
        shw_plane_row(&depth->image, shw_depth_scale(&depth->depth), y, row);
        for (uint32_t x = 0; x < depth->image.width; x++, i++)
            voided->labels[i] = row[x] == 0 ? SHW_LABEL_VOID : original.labels[i];
    }
    example->labels = voided->labels;
    return SHW_OK;
}

static void release_voided(void *user, struct shw_labelled_image *example)
{
    const struct shw_depth_labels *labels = user;
    struct voided *voided = example->handle;

    labels->given->release(labels->given->user, &voided->original);
    free(voided);
}

enum shw_result shw_depth_labels_create(const struct shw_dataset *given, const struct shw_log *log,
                                        struct shw_depth_labels **out)
{
    struct shw_depth_labels *labels = malloc(sizeof *labels);

    if (labels == NULL)
        return shw_fail_memory(log, "a training set");
    *labels = (struct shw_depth_labels){.dataset = *given, .given = given, .log = log};
    labels->dataset.user = labels;
    labels->dataset.read = read_voided;
    labels->dataset.release = release_voided;
    *out = labels;
    return SHW_OK;
}

const struct shw_dataset *shw_depth_labels_dataset(const struct shw_depth_labels *labels)
{
    return &labels->dataset;
}

void shw_depth_labels_destroy(struct shw_depth_labels **labels)
{
    if (labels == NULL)
        return;
    free(*labels);
    *labels = NULL;
}

/* Training sets whose missing depth is filled as examples are read, so that every back end sees the same. */

struct shw_filled_examples {
    struct shw_dataset dataset;
    const struct shw_dataset *given;
    const struct shw_log *log;
};

struct handle {
    struct shw_labelled_image original;
    struct shw_filled_input filled;
    struct shw_input inputs[SHW_INPUTS_MAX];
};

/* NULL if the depth is unusable, which training reports when it reads it. */
static const struct shw_input *find_depth(const struct shw_labelled_image *example)
{
    const struct shw_input *depth = shw_inputs_find(&example->inputs, SHW_DEPTH);

    return depth != NULL && shw_input_is_depth(depth) && example->inputs.count <= SHW_INPUTS_MAX ? depth : NULL;
}

static enum shw_result fill_example(const struct shw_filled_examples *filled, struct handle *handle,
                                    struct shw_labelled_image *example)
{
    const struct shw_inputs *given = &handle->original.inputs;
    const struct shw_input *depth = find_depth(&handle->original);

    if (depth == NULL)
        return SHW_OK;
    if (example->part.full_width != 0)
        return shw_fail(filled->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s is a part of a picture: its depth cannot be filled without the rest", example->name);
    if (shw_filled_input_make(depth, (struct shw_rect){0, 0, (int32_t)depth->image.width, (int32_t)depth->image.height},
                              &handle->filled) != SHW_OK)
        return shw_fail_memory(filled->log, "a training image");
    for (uint32_t i = 0; i < given->count; i++)
        handle->inputs[i] = &given->inputs[i] == depth ? handle->filled.input : given->inputs[i];
    example->inputs.inputs = handle->inputs;
    return SHW_OK;
}

static void release_handle(const struct shw_filled_examples *filled, struct handle *handle)
{
    filled->given->release(filled->given->user, &handle->original);
    shw_filled_input_free(&handle->filled);
    free(handle);
}

static enum shw_result read_filled(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct shw_filled_examples *filled = user;
    struct handle *handle = calloc(1, sizeof *handle);
    enum shw_result result;

    if (handle == NULL)
        return shw_fail_memory(filled->log, "a training image");
    result = filled->given->read(filled->given->user, index, &handle->original);
    if (result != SHW_OK) {
        free(handle);
        return result;
    }
    *example = handle->original;
    example->handle = handle;
    result = fill_example(filled, handle, example);
    if (result != SHW_OK)
        release_handle(filled, handle);
    return result;
}

static void release_filled(void *user, struct shw_labelled_image *example)
{
    release_handle(user, example->handle);
}

enum shw_result shw_filled_examples_create(const struct shw_dataset *given, const struct shw_log *log,
                                           struct shw_filled_examples **out)
{
    struct shw_filled_examples *filled = malloc(sizeof *filled);

    if (filled == NULL)
        return shw_fail_memory(log, "a training set");
    *filled = (struct shw_filled_examples){.dataset = *given, .given = given, .log = log};
    filled->dataset.in_memory = false;
    filled->dataset.user = filled;
    filled->dataset.read = read_filled;
    filled->dataset.release = release_filled;
    *out = filled;
    return SHW_OK;
}

const struct shw_dataset *shw_filled_examples_dataset(const struct shw_filled_examples *filled)
{
    return &filled->dataset;
}

void shw_filled_examples_destroy(struct shw_filled_examples **filled)
{
    if (filled == NULL)
        return;
    free(*filled);
    *filled = NULL;
}
