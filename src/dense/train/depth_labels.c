#include "dense/train/depth_labels.h"

#include <stdlib.h>

#include "base/log.h"
#include "dense/channels/pixels.h"
#include "dense/input/inputs.h"

struct shw_depth_labels {
    struct shw_dataset dataset;
    const struct shw_dataset *given;
    const struct shw_log *log;
};

struct handle {
    struct shw_labelled_image original;
    uint16_t labels[]; /* and after them, room for a row of depth */
};

/* NULL: training reports what is wrong with the example when it reads the depth. */
static const struct shw_input *find_depth(const struct shw_labelled_image *example)
{
    const struct shw_input *depth = shw_inputs_find(&example->inputs, SHW_DEPTH);

    return depth != NULL && shw_input_is_depth(depth) && depth->image.width == example->image.width &&
                   depth->image.height == example->image.height && example->labels != NULL
               ? depth
               : NULL;
}

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct shw_depth_labels *labels = user;
    struct shw_labelled_image original = {0};
    const struct shw_input *depth;
    struct handle *handle;
    size_t pixels, row_pixels;

    SHW_PROPAGATE(labels->given->read(labels->given->user, index, &original));
    depth = find_depth(&original);
    row_pixels = depth != NULL ? depth->image.width : 0;
    pixels = depth != NULL ? row_pixels * depth->image.height : 0;
    handle = malloc(sizeof *handle + (pixels + row_pixels) * sizeof *handle->labels);
    if (handle == NULL) {
        labels->given->release(labels->given->user, &original);
        return shw_fail_memory(labels->log, "a training image");
    }
    handle->original = original;
    *example = original;
    example->handle = handle;
    if (depth == NULL)
        return SHW_OK;
    for (uint32_t y = 0, i = 0; y < depth->image.height; y++) {
        int16_t *row = (int16_t *)(handle->labels + pixels);
        shw_plane_row(&depth->image, shw_depth_scale(&depth->depth), y, row);
        for (uint32_t x = 0; x < depth->image.width; x++, i++)
            handle->labels[i] = row[x] == 0 ? SHW_LABEL_VOID : original.labels[i];
    }
    example->labels = handle->labels;
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    const struct shw_depth_labels *labels = user;
    struct handle *handle = example->handle;

    labels->given->release(labels->given->user, &handle->original);
    free(handle);
}

enum shw_result shw_depth_labels_create(const struct shw_dataset *given, const struct shw_log *log,
                                        struct shw_depth_labels **out)
{
    struct shw_depth_labels *labels = malloc(sizeof *labels);

    if (labels == NULL)
        return shw_fail_memory(log, "a training set");
    *labels = (struct shw_depth_labels){.dataset = *given, .given = given, .log = log};
    labels->dataset.user = labels;
    labels->dataset.read = read_example;
    labels->dataset.release = release_example;
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
