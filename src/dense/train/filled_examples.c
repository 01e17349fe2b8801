#include "dense/train/filled_examples.h"

#include <stdlib.h>

#include "base/log.h"
#include "dense/channels/fill.h"
#include "dense/input/inputs.h"

struct shw_filled_examples {
    struct shw_dataset dataset;
    const struct shw_dataset *given;
    enum shw_fill fill;
    const struct shw_log *log;
};

struct handle {
    struct shw_labelled_image original;
    struct shw_filled_input filled;
    struct shw_input inputs[SHW_INPUTS_MAX];
};

/* NULL: training reports what is wrong with the example when it reads the depth. */
static const struct shw_input *find_depth(const struct shw_labelled_image *example)
{
    const struct shw_input *depth = shw_inputs_find(&example->inputs, SHW_DEPTH);

    return depth != NULL && shw_input_is_depth(depth) && example->inputs.count <= SHW_INPUTS_MAX ? depth : NULL;
}

static enum shw_result fill(const struct shw_filled_examples *filled, struct handle *handle,
                            struct shw_labelled_image *example)
{
    const struct shw_inputs *given = &handle->original.inputs;
    const struct shw_input *depth = find_depth(&handle->original);

    if (depth == NULL)
        return SHW_OK;
    if (example->part.full_width != 0)
        return shw_fail(filled->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s is a part of a picture: its depth cannot be filled without the rest", example->name);
    if (shw_filled_input_make(filled->fill, depth,
                              (struct shw_rect){0, 0, (int32_t)depth->image.width, (int32_t)depth->image.height},
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

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
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
    result = fill(filled, handle, example);
    if (result != SHW_OK)
        release_handle(filled, handle);
    return result;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    release_handle(user, example->handle);
}

enum shw_result shw_filled_examples_create(const struct shw_dataset *given, enum shw_fill fill,
                                           const struct shw_log *log, struct shw_filled_examples **out)
{
    struct shw_filled_examples *filled = malloc(sizeof *filled);

    if (filled == NULL)
        return shw_fail_memory(log, "a training set");
    *filled = (struct shw_filled_examples){.dataset = *given, .given = given, .fill = fill, .log = log};
    filled->dataset.in_memory = false;
    filled->dataset.user = filled;
    filled->dataset.read = read_example;
    filled->dataset.release = release_example;
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
