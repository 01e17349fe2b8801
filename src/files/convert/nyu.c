/* NYU Depth v2's labelled set, nyu_depth_v2_labeled.mat: images, depth and labels of all frames in one MAT-file of
 * version 7.3. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/convert/mat_file.h"
#include "files/convert/mat_signature.h"

#define FRAMES_MAX 1000000u
#define PIXELS_MAX (UINT32_C(1) << 24) /* of a frame: what a small file may make us allocate */

/* A frame is held as values of its file, and as a frame, with the columns exchanged for rows. */
struct labelled_set {
    const struct shw_source_params *params;
    hid_t file;
    struct shw_mat_array images, depths, labels;
    const char *depth_name;
    uint32_t count, width, height;
    struct shw_label_names names;
    char (*frame_names)[16];
    void *values; /* of the array of a frame that is being read */
};

static void close_set(void *source)
{
    struct labelled_set *set = source;

    shw_mat_close(&set->images);
    shw_mat_close(&set->depths);
    shw_mat_close(&set->labels);
    if (set->file >= 0)
        H5Fclose(set->file);
    shw_label_names_free(&set->names);
    free(set->frame_names);
    free(set->values);
    free(set);
}

/* Other arrays must have the frames, columns and rows of the images. */
static enum shw_result check_sizes(const struct labelled_set *set, const struct shw_mat_array *array, const char *name)
{
    const struct shw_log *log = &set->params->log;

    if (array->set < 0 ||
        (array->sizes[0] == set->count && array->sizes[1] == set->width && array->sizes[2] == set->height))
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                    "cannot read %s: \"%s\" has %llu arrays of %llu x %llu, but there are %u images of %u x %u pixels",
                    set->params->path, name, (unsigned long long)array->sizes[0], (unsigned long long)array->sizes[1],
                    (unsigned long long)array->sizes[2], set->count, set->width, set->height);
}

static enum shw_result open_arrays(struct labelled_set *set)
{
    const char *path = set->params->path;
    const struct shw_log *log = &set->params->log;
    const hsize_t *sizes = set->images.sizes;

    SHW_PROPAGATE(shw_mat_open(set->file, path, "images", 4, H5T_INTEGER, 1, true, log, &set->images));
    if (sizes[0] == 0 || sizes[0] > FRAMES_MAX || sizes[1] != 3 || sizes[2] == 0 || sizes[2] > SHW_IMAGE_SIZE_MAX ||
        sizes[3] == 0 || sizes[3] > SHW_IMAGE_SIZE_MAX || sizes[2] * sizes[3] > PIXELS_MAX)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "cannot read %s: \"images\" has the dimensions %llu x %llu x %llu x %llu, which are not rows x "
                        "columns x 3 x frames",
                        path, (unsigned long long)sizes[3], (unsigned long long)sizes[2], (unsigned long long)sizes[1],
                        (unsigned long long)sizes[0]);
    set->count = (uint32_t)sizes[0];
    set->width = (uint32_t)sizes[2];
    set->height = (uint32_t)sizes[3];
    set->depth_name = set->params->raw_depth ? "rawDepths" : "depths";
    SHW_PROPAGATE(shw_mat_open(set->file, path, set->depth_name, 3, H5T_FLOAT, 8, true, log, &set->depths));
    SHW_PROPAGATE(check_sizes(set, &set->depths, set->depth_name));
    SHW_PROPAGATE(shw_mat_open(set->file, path, "labels", 3, H5T_INTEGER, 2, false, log, &set->labels));
    return check_sizes(set, &set->labels, "labels");
}

static enum shw_result open_file(struct labelled_set *set)
{
    const char *path = set->params->path;
    const struct shw_log *log = &set->params->log;

    SHW_PROPAGATE(shw_mat_signature_check(path, log));
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* its messages are ours */
    set->file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (set->file < 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "cannot read %s: it is not a MAT-file of version 7.3 (HDF5), or is truncated", path);
    SHW_PROPAGATE(open_arrays(set));
    if (set->labels.set >= 0)
        SHW_PROPAGATE(shw_mat_read_names(set->file, path, "names", log, &set->names));
    return SHW_OK;
}

/* Frames are numbered from 1, as MATLAB does and lists of them. */
static enum shw_result allocate(struct labelled_set *set)
{
    set->frame_names = malloc(set->count * sizeof *set->frame_names);
    set->values = malloc((size_t)set->width * set->height * sizeof(float));
    if (set->frame_names == NULL || set->values == NULL)
        return shw_fail_memory(&set->params->log, set->params->path);
    for (uint32_t i = 0; i < set->count; i++)
        snprintf(set->frame_names[i], sizeof *set->frame_names, "%04u", i + 1);
    return SHW_OK;
}

static enum shw_result open_set(const struct shw_source_params *params, void **source)
{
    struct labelled_set *set = calloc(1, sizeof *set);
    enum shw_result result;

    if (set == NULL)
        return shw_fail_memory(&params->log, params->path);
    set->params = params;
    set->file = set->images.set = set->depths.set = set->labels.set = -1;
    SHW_TRY(open_file(set));
    SHW_TRY(allocate(set));
    *source = set;
    return SHW_OK;

fail:
    close_set(set);
    return result;
}

static uint32_t count(const void *source)
{
    return ((const struct labelled_set *)source)->count;
}

static bool has_labels(const void *source)
{
    return ((const struct labelled_set *)source)->labels.set >= 0;
}

static const struct shw_label_names *names(const void *source)
{
    return &((const struct labelled_set *)source)->names;
}

static const char *frame_name(const void *source, uint32_t index)
{
    return ((const struct labelled_set *)source)->frame_names[index];
}

static void visit_files(const void *source, uint32_t index, void (*visit)(void *user, const char *path), void *user)
{
    (void)index;
    visit(user, ((const struct labelled_set *)source)->params->path);
}

static enum shw_result read_array(const struct labelled_set *set, const struct shw_mat_array *array, uint32_t index,
                                  hid_t type, const char *name, void *values)
{
    return shw_mat_read(array, index, type, values, set->params->path, name, &set->params->log);
}

/* The value of pixel (x, y) in an array of columns. */
static size_t place_of(const struct labelled_set *set, uint32_t x, uint32_t y)
{
    return (size_t)x * set->height + y;
}

static enum shw_result read_colours(const struct labelled_set *set, uint32_t index, uint8_t *colours)
{
    const size_t pixels = (size_t)set->width * set->height;
    uint8_t *values = malloc(3 * pixels), *to = colours;
    enum shw_result result;

    if (values == NULL)
        return shw_fail_memory(&set->params->log, set->params->path);
    result = read_array(set, &set->images, index, H5T_NATIVE_UINT8, "images", values);
    for (uint32_t y = 0; result == SHW_OK && y < set->height; y++)
        for (uint32_t x = 0; x < set->width; x++)
            for (size_t c = 0; c < 3; c++)
                *to++ = values[c * pixels + place_of(set, x, y)];
    free(values);
    return result;
}

static enum shw_result read_depth(const struct labelled_set *set, uint32_t index, uint16_t *depth)
{
    const float *metres = set->values;

    SHW_PROPAGATE(read_array(set, &set->depths, index, H5T_NATIVE_FLOAT, set->depth_name, set->values));
    for (uint32_t y = 0; y < set->height; y++)
        for (uint32_t x = 0; x < set->width; x++)
            *depth++ = shw_millimetres_of_metres((double)metres[place_of(set, x, y)]);
    return SHW_OK;
}

static enum shw_result read_labels(const struct labelled_set *set, uint32_t index, uint32_t *labels)
{
    const uint16_t *values = set->values;

    SHW_PROPAGATE(read_array(set, &set->labels, index, H5T_NATIVE_UINT16, "labels", set->values));
    for (uint32_t y = 0; y < set->height; y++)
        for (uint32_t x = 0; x < set->width; x++)
            *labels++ = values[place_of(set, x, y)];
    return SHW_OK;
}

static enum shw_result read_frame(void *source, uint32_t index, bool labels_only, struct shw_frame *frame)
{
    const struct labelled_set *set = source;
    const size_t pixels = (size_t)set->width * set->height;
    enum shw_result result = SHW_OK;

    *frame = (struct shw_frame){.width = set->width, .height = set->height};
    if (has_labels(set)) {
        frame->labels = malloc(pixels * sizeof *frame->labels);
        SHW_TRY(frame->labels != NULL ? read_labels(set, index, frame->labels)
                                      : shw_fail_memory(&set->params->log, set->params->path));
    }
    if (labels_only)
        return SHW_OK;
    frame->colours = malloc(3 * pixels);
    frame->depth = malloc(pixels * sizeof *frame->depth);
    if (frame->colours == NULL || frame->depth == NULL)
        SHW_TRY(shw_fail_memory(&set->params->log, set->params->path));
    SHW_TRY(read_colours(set, index, frame->colours));
    SHW_TRY(read_depth(set, index, frame->depth));
fail:
    if (result != SHW_OK)
        shw_frame_free(frame);
    return result;
}

const struct shw_source_kind shw_source_nyu = {
    .name = "nyu",
    .text = SHW_SOURCE_NYU_TEXT,
    .has_raw_depth = true,
    .recognise = shw_mat_signature_recognise,
    .open = open_set,
    .count = count,
    .has_labels = has_labels,
    .names = names,
    .frame_name = frame_name,
    .visit_files = visit_files,
    .read = read_frame,
    .close = close_set,
};
