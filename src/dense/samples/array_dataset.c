#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/dataset.h>

#include "base/image.h"
#include "base/log.h"

#define NAME_SIZE  16u
#define GREY8_VOID 255u

struct array_example {
    struct shw_labelled_image read;
    uint16_t *labels; /* a copy, or NULL */
    char name[NAME_SIZE];
};

struct array_dataset {
    struct shw_dataset dataset; /* first, as this is what the caller has */
    struct array_example *examples;
};

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct array_dataset *set = user;

    *example = set->examples[index].read;
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    (void)user;
    (void)example;
}

static enum shw_result refuse(const struct shw_log *log, const struct array_example *example, const char *what)
{
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_DATASET, "image %s: %s", example->read.name, what);
}

static enum shw_result check_labels(const struct shw_array_dataset_params *params, const struct array_example *example)
{
    const struct shw_image *image = &example->read.image;

    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            uint16_t label = example->read.labels[(size_t)y * image->width + x];
            if (label >= params->class_count && label != SHW_LABEL_VOID)
                return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_DATASET,
                                "image %s: the label %u of pixel (%u, %u) is none of the %u classes",
                                example->read.name, label, x, y, params->class_count);
        }
    return SHW_OK;
}

static void copy_labels(const struct shw_image *labels, uint16_t *copy)
{
    for (uint32_t y = 0; y < labels->height; y++) {
        const uint8_t *row = (const uint8_t *)labels->pixels + y * shw_image_stride(labels);
        uint16_t *to = copy + (size_t)y * labels->width;
        if (labels->format == SHW_PIXEL_GREY16)
            memcpy(to, row, labels->width * sizeof *to);
        else
            for (uint32_t x = 0; x < labels->width; x++)
                to[x] = row[x] == GREY8_VOID ? SHW_LABEL_VOID : row[x];
    }
}

static enum shw_result add_labels(const struct shw_array_dataset_params *params, const struct shw_image *labels,
                                  struct array_example *example)
{
    const struct shw_image *image = &example->read.image;

    if (labels->format != SHW_PIXEL_GREY8 && labels->format != SHW_PIXEL_GREY16)
        return refuse(&params->log, example, "labels have 8 or 16 bits");
    if (shw_image_check(labels, NULL) != SHW_OK)
        return refuse(&params->log, example, "labels of a size, stride or address that is not possible");
    if (labels->width != image->width || labels->height != image->height)
        return refuse(&params->log, example, "the labels have another size than the image");
    if (labels->format == SHW_PIXEL_GREY8 && params->class_count > GREY8_VOID)
        return refuse(&params->log, example, "labels of 8 bits are for at most 255 classes");
    if (labels->format == SHW_PIXEL_GREY16 && shw_image_stride(labels) == labels->width * sizeof(uint16_t)) {
        example->read.labels = labels->pixels;
        return check_labels(params, example);
    }
    example->labels = malloc((size_t)labels->width * labels->height * sizeof *example->labels);
    if (example->labels == NULL)
        return shw_fail_memory(&params->log, "labels");
    copy_labels(labels, example->labels);
    example->read.labels = example->labels;
    return check_labels(params, example);
}

static enum shw_result add_example(const struct shw_array_dataset_params *params, uint32_t index,
                                   struct array_example *example)
{
    const struct shw_array_example *given = &params->examples[index];

    snprintf(example->name, sizeof example->name, "%05u", index);
    example->read = (struct shw_labelled_image){
        .name = given->name != NULL ? given->name : example->name, .image = given->image, .inputs = given->inputs};
    if (shw_image_check(&given->image, NULL) != SHW_OK)
        return refuse(&params->log, example,
                      "has no pixels, or a format, size, stride or address that is not possible");
    return given->labels.pixels != NULL ? add_labels(params, &given->labels, example) : SHW_OK;
}

static enum shw_result check(const struct shw_array_dataset_params *params)
{
    if (params->count == 0 || params->examples == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_DATASET, "a data set without images");
    if (params->class_count == 0 || params->class_count > SHW_CLASSES_MAX)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_DATASET, "%u classes: 1 to %u are possible",
                        params->class_count, SHW_CLASSES_MAX);
    return SHW_OK;
}

enum shw_result shw_array_dataset_create_abi(uint32_t abi, const struct shw_array_dataset_params *params,
                                             struct shw_dataset **dataset)
{
    struct array_dataset *set;
    struct shw_dataset *made;
    enum shw_result result;

    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, dataset);
    SHW_PROPAGATE(check(params));
    set = calloc(1, sizeof *set);
    if (set == NULL)
        return shw_fail_memory(&params->log, "a data set");
    set->dataset = (struct shw_dataset){.count = params->count,
                                        .class_count = params->class_count,
                                        .classes = params->classes,
                                        .user = set,
                                        .read = read_example,
                                        .release = release_example,
                                        .in_memory = true};
    made = &set->dataset;
    set->examples = calloc(params->count, sizeof *set->examples);
    result = set->examples != NULL ? SHW_OK : shw_fail_memory(&params->log, "a data set");
    for (uint32_t i = 0; i < params->count && result == SHW_OK; i++)
        result = add_example(params, i, &set->examples[i]);
    if (result == SHW_OK)
        *dataset = made;
    else
        shw_array_dataset_destroy(&made);
    return result;
}

void shw_array_dataset_destroy(struct shw_dataset **handle)
{
    struct array_dataset *set = handle != NULL && *handle != NULL ? (*handle)->user : NULL;

    if (set == NULL)
        return;
    for (uint32_t i = 0; set->examples != NULL && i < set->dataset.count; i++)
        free(set->examples[i].labels);
    free(set->examples);
    free(set);
    *handle = NULL;
}
