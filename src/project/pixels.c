#include "project/pixels.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "image/image_file.h"

struct shw_pixels {
    pthread_mutex_t lock;
    unsigned shares;
    char *path; /* NULL: the image was given */
    struct shw_image_file file;
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

struct shw_pixels *shw_pixels_from_file(const char *path)
{
    struct shw_pixels *pixels = make();

    if (pixels == NULL)
        return NULL;
    pixels->path = strdup(path);
    if (pixels->path == NULL)
        shw_pixels_release(&pixels);
    return pixels;
}

struct shw_pixels *shw_pixels_from_image(const struct shw_image *image)
{
    struct shw_pixels *pixels = make();
    size_t row = image->width * shw_pixel_size(image->format);
    size_t stride = image->stride != 0 ? image->stride : row;

    if (pixels == NULL)
        return NULL;
    pixels->file.pixels = malloc(row * image->height);
    if (pixels->file.pixels == NULL) {
        shw_pixels_release(&pixels);
        return NULL;
    }
    for (uint32_t y = 0; y < image->height; y++)
        memcpy((uint8_t *)pixels->file.pixels + y * row, (const uint8_t *)image->pixels + y * stride, row);
    pixels->file.image = *image;
    pixels->file.image.pixels = pixels->file.pixels;
    pixels->file.image.stride = 0;
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
    shw_image_file_free(&gone->file);
    free(gone->path);
    free(gone);
}

enum shw_result shw_pixels_get(struct shw_pixels *pixels, const struct shw_log *log, struct shw_image *image)
{
    enum shw_result result = SHW_OK;

    pthread_mutex_lock(&pixels->lock);
    if (pixels->file.pixels == NULL)
        result = shw_image_file_read(pixels->path, NULL, log, &pixels->file);
    if (result == SHW_OK)
        *image = pixels->file.image;
    pthread_mutex_unlock(&pixels->lock);
    return result;
}
