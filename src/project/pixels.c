#include "project/pixels.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/image_inputs.h"

struct shw_pixels {
    pthread_mutex_t lock;
    unsigned shares;
    char *path; /* NULL: the image was given */
    struct shw_image_params params;
    struct shw_image_inputs read;
};

static struct shw_pixels *make(void)
{
    struct shw_pixels *pixels = calloc(1, sizeof *pixels);

    if (pixels != NULL && pthread_mutex_init(&pixels->lock, NULL) != 0) {
        free(pixels);
        return NULL;
    }
    if (pixels != NULL)
        pixels->shares = 1;
    return pixels;
}

struct shw_pixels *shw_pixels_from_file(const char *path, const struct shw_image_choice *choice)
{
    struct shw_pixels *pixels = make();

    if (pixels == NULL)
        return NULL;
    pixels->params = (struct shw_image_params){.choice = *choice, .of_group = true};
    pixels->path = strdup(path);
    if (pixels->path == NULL)
        shw_pixels_release(&pixels);
    return pixels;
}

struct shw_pixels *shw_pixels_copy(const struct shw_inputs *inputs)
{
    struct shw_pixels *pixels = make();
    struct shw_image_inputs *read = pixels != NULL ? &pixels->read : NULL;

    for (uint32_t i = 0; pixels != NULL && i < inputs->count; i++) {
        const struct shw_image *image = &inputs->inputs[i].image;
        size_t row = image->width * shw_pixel_size(image->format);
        size_t stride = image->stride != 0 ? image->stride : row;
        uint8_t *copy = read->files[i].pixels = malloc(row * image->height);

        if (copy == NULL) {
            shw_pixels_release(&pixels);
            break;
        }
        for (uint32_t y = 0; y < image->height; y++)
            memcpy(copy + y * row, (const uint8_t *)image->pixels + y * stride, row);
        read->input[i] = inputs->inputs[i];
        read->input[i].image.pixels = copy;
        read->input[i].image.stride = 0;
        read->all = (struct shw_inputs){i + 1, read->input};
    }
    return pixels;
}

struct shw_pixels *shw_pixels_share(struct shw_pixels *pixels)
{
    pthread_mutex_lock(&pixels->lock);
    pixels->shares++;
    pthread_mutex_unlock(&pixels->lock);
    return pixels;
}

void shw_pixels_release(struct shw_pixels **pixels)
{
    struct shw_pixels *gone = *pixels;
    bool last;

    *pixels = NULL;
    if (gone == NULL)
        return;
    pthread_mutex_lock(&gone->lock);
    last = --gone->shares == 0;
    pthread_mutex_unlock(&gone->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&gone->lock);
    shw_image_inputs_free(&gone->read);
    free(gone->path);
    free(gone);
}

enum shw_result shw_pixels_get(struct shw_pixels *pixels, const struct shw_log *log, struct shw_inputs *inputs)
{
    enum shw_result result = SHW_OK;

    pthread_mutex_lock(&pixels->lock);
    if (pixels->read.files[0].pixels == NULL)
        result = shw_image_inputs_read(pixels->path, NULL, 0, &pixels->params, log, &pixels->read);
    if (result != SHW_OK)
        shw_image_inputs_free(&pixels->read);
    *inputs = pixels->read.all;
    pthread_mutex_unlock(&pixels->lock);
    return result;
}
