/* Training examples as they are read, and their mirror images. */
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/log.h"
#include "dense/train/images.h"

static enum shw_result check_labels(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                    const struct shw_labelled_image *example)
{
    size_t pixels = (size_t)example->image.width * example->image.height;
    uint16_t most = 0; /* label + 1, which is 0 for void pixels */

    for (size_t i = 0; i < pixels; i++) { /* without a branch: this runs before every tree */
        uint16_t next = (uint16_t)(example->labels[i] + 1u);

        most = next > most ? next : most;
    }
    for (size_t i = 0; most > dataset->class_count && i < pixels; i++)
        if (example->labels[i] != SHW_LABEL_VOID && example->labels[i] >= dataset->class_count)
            return shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s has label %u at pixel (%u, %u); there are %u classes", example->name,
                            example->labels[i], (unsigned)(i % example->image.width),
                            (unsigned)(i / example->image.width), dataset->class_count);
    return SHW_OK;
}

static bool fits_picture(const struct shw_labelled_image *example)
{
    const struct shw_picture_part *part = &example->part;

    if (part->full_width == 0)
        return true;
    return part->full_width <= SHW_IMAGE_SIZE_MAX && part->full_height <= SHW_IMAGE_SIZE_MAX &&
           (uint64_t)part->x + example->image.width <= part->full_width &&
           (uint64_t)part->y + example->image.height <= part->full_height;
}

enum shw_result shw_train_image_read(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                     uint32_t index, struct shw_labelled_image *example)
{
    size_t pixel;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(dataset->read(dataset->user, index, example));
    pixel = shw_pixel_size(example->image.format);
    if (example->labels == NULL)
        result =
            shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has no labels to train on", example->name);
    else if (example->image.pixels == NULL || pixel == 0 || example->image.width == 0 || example->image.height == 0 ||
             example->image.width > SHW_IMAGE_SIZE_MAX || example->image.height > SHW_IMAGE_SIZE_MAX ||
             (example->image.stride != 0 && example->image.stride < pixel * example->image.width))
        result = shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                          "%s is not an image of 1 to %u pixels each way", example->name, SHW_IMAGE_SIZE_MAX);
    else if (!fits_picture(example))
        result =
            shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                     "%s is not a part of a picture of up to %u pixels each way", example->name, SHW_IMAGE_SIZE_MAX);
    else
        result = check_labels(params, dataset, example);
    if (result != SHW_OK)
        dataset->release(dataset->user, example);
    return result;
}

void *shw_train_image_mirror(const struct shw_image *image)
{
    size_t pixel = shw_pixel_size(image->format);
    char *copy = malloc(pixel * image->width * image->height), *to = copy;

    for (uint32_t y = 0; copy != NULL && y < image->height; y++) {
        const char *from = shw_image_part(image, image->width, y, 0, 0).pixels;
        for (uint32_t x = 0; x < image->width; x++, to += pixel)
            memcpy(to, from -= pixel, pixel);
    }
    return copy;
}

enum shw_result shw_train_image_views(const struct shw_chosen_inputs *chosen, bool mirrored, const struct shw_log *log,
                                      struct shw_train_views *views)
{
    *views = (struct shw_train_views){.chosen = *chosen};
    for (uint32_t i = 0; mirrored && i < SHW_INPUTS_MAX; i++) {
        if (chosen->of[i] == NULL)
            continue;
        views->inputs[i] = *chosen->of[i];
        views->copies[i] = shw_train_image_mirror(&chosen->of[i]->image);
        views->inputs[i].image.pixels = views->copies[i];
        views->inputs[i].image.stride = 0;
        views->chosen.of[i] = &views->inputs[i];
        if (views->copies[i] == NULL) {
            shw_train_image_views_free(views);
            return shw_fail_memory(log, "a training image");
        }
    }
    return SHW_OK;
}

void shw_train_image_views_free(struct shw_train_views *views)
{
    for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++)
        free(views->copies[i]);
}
