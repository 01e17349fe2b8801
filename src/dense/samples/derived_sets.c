#include "dense/samples/derived_sets.h"

#include <stdlib.h>

#include "base/log.h"
#include "dense/channels/fill.h"
#include "dense/channels/pixels.h"
#include "dense/input/inputs.h"

struct shw_derived_set {
    struct shw_dataset dataset;
    const struct shw_dataset *given;
    enum shw_fill fill; /* of missing depth */
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
    const struct shw_derived_set *set = user;
    struct shw_labelled_image original = {0};
    const struct shw_input *depth;
    struct voided *voided;
    size_t pixels, row_pixels;

    SHW_PROPAGATE(set->given->read(set->given->user, index, &original));
    depth = find_matching_depth(&original);
    row_pixels = depth != NULL ? depth->image.width : 0;
    pixels = depth != NULL ? row_pixels * depth->image.height : 0;
    voided = malloc(sizeof *voided + (pixels + row_pixels) * sizeof *voided->labels);
    if (voided == NULL) {
        set->given->release(set->given->user, &original);
        return shw_fail_memory(set->log, "a training image");
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
    const struct shw_derived_set *set = user;
    struct voided *voided = example->handle;

    set->given->release(set->given->user, &voided->original);
    free(voided);
}

/* Training sets whose missing depth is filled as examples are read, so that every back end sees the same. */

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

static enum shw_result fill_example(const struct shw_derived_set *set, struct handle *handle,
                                    struct shw_labelled_image *example)
{
    const struct shw_inputs *given = &handle->original.inputs;
    const struct shw_input *depth = find_depth(&handle->original);

    if (depth == NULL)
        return SHW_OK;
    if (example->part.full_width != 0)
        return shw_fail(set->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s is a part of a picture: its depth cannot be filled without the rest", example->name);
    if (shw_filled_input_make(set->fill, depth,
                              (struct shw_rect){0, 0, (int32_t)depth->image.width, (int32_t)depth->image.height},
                              &handle->filled) != SHW_OK)
        return shw_fail_memory(set->log, "a training image");
    for (uint32_t i = 0; i < given->count; i++)
        handle->inputs[i] = &given->inputs[i] == depth ? handle->filled.input : given->inputs[i];
    example->inputs.inputs = handle->inputs;
    return SHW_OK;
}

static void release_handle(const struct shw_derived_set *set, struct handle *handle)
{
    set->given->release(set->given->user, &handle->original);
    shw_filled_input_free(&handle->filled);
    free(handle);
}

static enum shw_result read_filled(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct shw_derived_set *set = user;
    struct handle *handle = calloc(1, sizeof *handle);
    enum shw_result result;

    if (handle == NULL)
        return shw_fail_memory(set->log, "a training image");
    result = set->given->read(set->given->user, index, &handle->original);
    if (result != SHW_OK) {
        free(handle);
        return result;
    }
    *example = handle->original;
    example->handle = handle;
    result = fill_example(set, handle, example);
    if (result != SHW_OK)
        release_handle(set, handle);
    return result;
}

static void release_filled(void *user, struct shw_labelled_image *example)
{
    release_handle(user, example->handle);
}

/* Which reads and releases examples of its own. */
static enum shw_result create(const struct shw_dataset *given, const struct shw_log *log,
                              const struct shw_dataset *functions, struct shw_derived_set **out)
{
    struct shw_derived_set *set = malloc(sizeof *set);

    if (set == NULL)
        return shw_fail_memory(log, "a training set");
    *set = (struct shw_derived_set){.dataset = *given, .given = given, .log = log};
    set->dataset.user = set;
    set->dataset.read = functions->read;
    set->dataset.release = functions->release;
    *out = set;
    return SHW_OK;
}

enum shw_result shw_derived_set_void(const struct shw_dataset *given, const struct shw_log *log,
                                     struct shw_derived_set **set)
{
    const struct shw_dataset functions = {.read = read_voided, .release = release_voided};

    return create(given, log, &functions, set);
}

enum shw_result shw_derived_set_fill(const struct shw_dataset *given, enum shw_fill fill, const struct shw_log *log,
                                     struct shw_derived_set **set)
{
    const struct shw_dataset functions = {.read = read_filled, .release = release_filled};

    SHW_PROPAGATE(create(given, log, &functions, set));
    (*set)->fill = fill;
    (*set)->dataset.in_memory = false;
    return SHW_OK;
}

const struct shw_dataset *shw_derived_set_dataset(const struct shw_derived_set *set)
{
    return &set->dataset;
}

void shw_derived_set_destroy(struct shw_derived_set **set)
{
    if (set == NULL)
        return;
    free(*set);
    *set = NULL;
}
