#include "files/project/pixels.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/image.h"
#include "base/log.h"
#include "files/dataset/examples.h"
#include "files/dataset/image_inputs.h"

static struct shw_pixels_part *make_part(const struct shw_inputs *inputs, void *owner, void (*release)(void *owner))
{
    struct shw_pixels_part *part = calloc(1, sizeof *part);

    if (part == NULL)
        return NULL;
    atomic_init(&part->shares, 1);
    part->rect =
        (struct shw_rect){0, 0, (int32_t)inputs->inputs[0].image.width, (int32_t)inputs->inputs[0].image.height};
    memcpy(part->input, inputs->inputs, inputs->count * sizeof *part->input);
    part->inputs = (struct shw_inputs){inputs->count, part->input};
    part->owner = owner;
    part->release = release;
    return part;
}

struct shw_pixels_part *shw_pixels_part_lend(const struct shw_inputs *inputs, void *owner, void (*release)(void *owner))
{
    struct shw_pixels_part *part = make_part(inputs, owner, release);

    if (part == NULL)
        release(owner);
    return part;
}

static size_t row_bytes(const struct shw_image *image)
{
    return image->width * shw_pixel_size(image->format);
}

struct shw_pixels_part *shw_pixels_part_copy(const struct shw_inputs *inputs)
{
    struct shw_input copies[SHW_INPUTS_MAX + 1];
    size_t size = 0;
    uint8_t *memory, *next;

    for (uint32_t i = 0; i < inputs->count; i++)
        size += row_bytes(&inputs->inputs[i].image) * inputs->inputs[i].image.height + 16;
    next = memory = malloc(size);
    for (uint32_t i = 0; memory != NULL && i < inputs->count; i++) {
        const struct shw_image *from = &inputs->inputs[i].image;
        size_t row = row_bytes(from), stride = from->stride != 0 ? from->stride : row;

        copies[i] = inputs->inputs[i];
        copies[i].image.pixels = next;
        copies[i].image.stride = 0;
        for (uint32_t y = 0; y < from->height; y++)
            memcpy(next + y * row, (const uint8_t *)from->pixels + y * stride, row);
        next += (row * from->height + 15) / 16 * 16;
    }
    return memory != NULL ? shw_pixels_part_lend(&(struct shw_inputs){inputs->count, copies}, memory, free) : NULL;
}
static struct shw_pixels_part *pixels_part_share(struct shw_pixels_part *part)
{
    atomic_fetch_add(&part->shares, 1);
    return part;
}

void shw_pixels_part_release(struct shw_pixels_part **part)
{
    struct shw_pixels_part *gone = *part;

    *part = NULL;
    if (gone == NULL || atomic_fetch_sub(&gone->shares, 1) > 1)
        return;
    gone->release(gone->owner);
    free(gone);
}

struct shw_pixels {
    char *path;                                   /* NULL: the image was given, and is no file */
    struct shw_image_params params;               /* for reading it */
    struct shw_input_file inputs[SHW_INPUTS_MAX]; /* with it; paths are owned */
    uint32_t input_count;
    struct shw_pixels_source source; /* without `read`: there is none */
    pthread_mutex_t lock;            /* of what follows; never held for long */
    unsigned shares;
    struct shw_pixels_part *whole;  /* NULL: it is not in memory */
    bool pinned;                    /* the whole picture stays there */
    pthread_mutex_t reading;        /* of the file, and of what follows; before `lock` */
    struct shw_pixels_part **parts; /* that training took last */
    uint32_t part_count, part_capacity;
};

static struct shw_pixels *make(void)
{
    struct shw_pixels *pixels = calloc(1, sizeof *pixels);

    if (pixels == NULL)
        return NULL;
    if (pthread_mutex_init(&pixels->lock, NULL) != 0) {
        free(pixels);
        return NULL;
    }
    if (pthread_mutex_init(&pixels->reading, NULL) != 0) {
        pthread_mutex_destroy(&pixels->lock);
        free(pixels);
        return NULL;
    }
    pixels->shares = 1;
    return pixels;
}

struct shw_pixels *shw_pixels_from_file(const char *path, const struct shw_image_choice *choice,
                                        const struct shw_input_file *inputs, uint32_t input_count)
{
    struct shw_pixels *pixels = make();
    bool fine;

    if (pixels == NULL)
        return NULL;
    pixels->params = (struct shw_image_params){.choice = *choice, .of_group = true};
    pixels->path = strdup(path);
    fine = pixels->path != NULL;
    for (; fine && pixels->input_count < input_count; pixels->input_count++) {
        struct shw_input_file *input = &pixels->inputs[pixels->input_count];

        *input = inputs[pixels->input_count];
        input->path = input->path != NULL ? strdup(input->path) : NULL;
        fine = input->path != NULL || inputs[pixels->input_count].path == NULL;
    }
    if (!fine)
        shw_pixels_release(&pixels);
    return pixels;
}

struct shw_pixels *shw_pixels_from_source(const struct shw_pixels_source *source)
{
    struct shw_pixels *pixels = make();

    if (pixels != NULL)
        pixels->source = *source;
    else
        source->release(source->user);
    return pixels;
}

/* Of a whole picture that may be no file, such as a frame of a video; takes a share of it. NULL if memory is exhausted.
 */
static struct shw_pixels *pixels_from_part(struct shw_pixels_part *whole)
{
    struct shw_pixels *pixels = make();

    if (pixels != NULL)
        pixels->whole = pixels_part_share(whole);
    return pixels;
}

struct shw_pixels *shw_pixels_copy(const struct shw_inputs *inputs)
{
    struct shw_pixels_part *whole = shw_pixels_part_copy(inputs);
    struct shw_pixels *pixels = whole != NULL ? pixels_from_part(whole) : NULL;

    shw_pixels_part_release(&whole);
    return pixels;
}

void shw_pixels_give(struct shw_pixels *pixels, struct shw_pixels_part *whole)
{
    pthread_mutex_lock(&pixels->lock);
    if (pixels->whole == NULL)
        pixels->whole = pixels_part_share(whole);
    pthread_mutex_unlock(&pixels->lock);
}

struct shw_pixels *shw_pixels_share(struct shw_pixels *pixels)
{
    pthread_mutex_lock(&pixels->lock);
    pixels->shares++;
    pthread_mutex_unlock(&pixels->lock);
    return pixels;
}

static void release_parts(struct shw_pixels_part **parts, uint32_t count)
{
    for (uint32_t p = 0; p < count; p++)
        shw_pixels_part_release(&parts[p]);
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
    pthread_mutex_destroy(&gone->reading);
    shw_pixels_part_release(&gone->whole);
    release_parts(gone->parts, gone->part_count);
    free(gone->parts);
    for (uint32_t i = 0; i < gone->input_count; i++)
        free((char *)(uintptr_t)gone->inputs[i].path);
    free(gone->path);
    if (gone->source.read != NULL)
        gone->source.release(gone->source.user);
    free(gone);
}

bool shw_pixels_has_whole(struct shw_pixels *pixels)
{
    bool has;

    pthread_mutex_lock(&pixels->lock);
    has = pixels->whole != NULL;
    pthread_mutex_unlock(&pixels->lock);
    return has;
}

static void free_file(void *owner)
{
    shw_image_inputs_free(owner);
    free(owner);
}

static enum shw_result read_file(const struct shw_pixels *pixels, const struct shw_log *log,
                                 struct shw_pixels_part **part)
{
    struct shw_image_inputs *read = calloc(1, sizeof *read);
    enum shw_result result;

    if (read == NULL)
        return shw_fail_memory(log, pixels->path);
    result = shw_image_inputs_read(pixels->path, pixels->inputs, pixels->input_count, &pixels->params, log, read);
    if (result != SHW_OK) {
        free_file(read);
        return result;
    }
    *part = shw_pixels_part_lend(&read->all, read, free_file);
    return *part != NULL ? SHW_OK : shw_fail_memory(log, pixels->path);
}

/* A share of the whole picture if it is in memory; otherwise NULL. */
static struct shw_pixels_part *share_whole(struct shw_pixels *pixels)
{
    struct shw_pixels_part *whole;

    pthread_mutex_lock(&pixels->lock);
    whole = pixels->whole != NULL ? pixels_part_share(pixels->whole) : NULL;
    pthread_mutex_unlock(&pixels->lock);
    return whole;
}

/* A share of the whole picture, which is read if need be. */
static enum shw_result read_whole(struct shw_pixels *pixels, const struct shw_log *log, struct shw_pixels_part **whole)
{
    const struct shw_pixels_source *source = &pixels->source;
    const struct shw_rect all = {0, 0, (int32_t)source->width, (int32_t)source->height};

    *whole = share_whole(pixels);
    if (*whole != NULL)
        return SHW_OK;
    return source->read != NULL ? source->read(source->user, all, log, whole) : read_file(pixels, log, whole);
}

enum shw_result shw_pixels_get(struct shw_pixels *pixels, const struct shw_log *log, struct shw_inputs *inputs)
{
    struct shw_pixels_part *whole = NULL;
    enum shw_result result;

    pthread_mutex_lock(&pixels->reading);
    result = read_whole(pixels, log, &whole);
    if (result == SHW_OK) {
        shw_pixels_give(pixels, whole);
        pthread_mutex_lock(&pixels->lock);
        pixels->pinned = true;
        *inputs = pixels->whole->inputs;
        pthread_mutex_unlock(&pixels->lock);
    }
    pthread_mutex_unlock(&pixels->reading);
    shw_pixels_part_release(&whole);
    return result;
}

enum shw_result shw_pixels_take(struct shw_pixels *pixels, const struct shw_log *log, struct shw_pixels_part **part)
{
    enum shw_result result;

    pthread_mutex_lock(&pixels->reading);
    result = read_whole(pixels, log, part);
    pthread_mutex_unlock(&pixels->reading);
    return result;
}

static struct shw_pixels_part *find_part(const struct shw_pixels *pixels, struct shw_rect rect)
{
    for (uint32_t p = 0; p < pixels->part_count; p++)
        if (memcmp(&pixels->parts[p]->rect, &rect, sizeof rect) == 0)
            return pixels_part_share(pixels->parts[p]);
    return NULL;
}

/* A copy of a rectangle. NULL: out of memory. */
static struct shw_pixels_part *cut(const struct shw_pixels_part *whole, struct shw_rect rect)
{
    struct shw_input pieces[SHW_INPUTS_MAX + 1];
    struct shw_pixels_part *part;

    for (uint32_t i = 0; i < whole->inputs.count; i++) {
        pieces[i] = whole->input[i];
        pieces[i].image = shw_image_part(&whole->input[i].image, (uint32_t)rect.x0, (uint32_t)rect.y0,
                                         (uint32_t)(rect.x1 - rect.x0), (uint32_t)(rect.y1 - rect.y0));
    }
    part = shw_pixels_part_copy(&(struct shw_inputs){whole->inputs.count, pieces});
    if (part != NULL)
        part->rect = rect;
    return part;
}

/* A share of the whole picture, which stays in memory. */
static enum shw_result need_whole(struct shw_pixels *pixels, uint32_t width, uint32_t height, const char *name,
                                  const struct shw_log *log, struct shw_pixels_part **whole)
{
    const struct shw_image *image;
    enum shw_result result = SHW_OK;

    if (*whole != NULL)
        return SHW_OK;
    SHW_PROPAGATE(read_whole(pixels, log, whole));
    image = &(*whole)->input[0].image;
    if (image->width != width || image->height != height)
        result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is %u x %u, but was painted on at %u x %u", name,
                          image->width, image->height, width, height);
    if (result == SHW_OK)
        shw_pixels_give(pixels, *whole);
    return result;
}

static bool is_whole(struct shw_rect rect, uint32_t width, uint32_t height)
{
    return rect.x0 == 0 && rect.y0 == 0 && rect.x1 == (int32_t)width && rect.y1 == (int32_t)height;
}

/* Remembers shares of the parts instead of those before. False: out of memory. */
static bool remember(struct shw_pixels *pixels, struct shw_pixels_part *const *parts, uint32_t count)
{
    if (!SHW_RESERVE(pixels->parts, pixels->part_capacity, count))
        return false;
    release_parts(pixels->parts, pixels->part_count);
    for (uint32_t p = 0; p < count; p++)
        pixels->parts[p] = pixels_part_share(parts[p]);
    pixels->part_count = count;
    return true;
}

enum shw_result shw_pixels_take_parts(struct shw_pixels *pixels, uint32_t width, uint32_t height,
                                      const struct shw_rect *rects, uint32_t count, const char *name,
                                      const struct shw_log *log, struct shw_pixels_part **parts, bool *fresh)
{
    struct shw_pixels_part *whole = NULL;
    enum shw_result result = SHW_OK;

    *fresh = false;
    memset(parts, 0, count * sizeof *parts);
    pthread_mutex_lock(&pixels->reading);
    for (uint32_t p = 0; p < count && result == SHW_OK; p++) {
        parts[p] = find_part(pixels, rects[p]);
        if (parts[p] != NULL)
            continue;
        *fresh = true;
        if (pixels->source.read != NULL) {
            result = pixels->source.read(pixels->source.user, rects[p], log, &parts[p]);
            continue;
        }
        result = need_whole(pixels, width, height, name, log, &whole);
        if (result == SHW_OK)
            parts[p] = is_whole(rects[p], width, height) ? pixels_part_share(whole) : cut(whole, rects[p]);
        if (result == SHW_OK && parts[p] == NULL)
            result = shw_fail_memory(log, name);
    }
    if (result == SHW_OK && !remember(pixels, parts, count))
        result = shw_fail_memory(log, name);
    pthread_mutex_unlock(&pixels->reading);
    shw_pixels_part_release(&whole);
    if (result != SHW_OK)
        release_parts(parts, count);
    return result;
}

/* Whether the picture can be read again. */
static bool is_file(const struct shw_pixels *pixels)
{
    return pixels->path != NULL && shw_is_file(pixels->path);
}

/* Whether all that the whole picture has could be read again, and is not to stay. Under the lock. */
static bool is_spare(const struct shw_pixels *pixels)
{
    const struct shw_pixels_part *whole = pixels->whole;
    bool spare = whole != NULL && !pixels->pinned;

    for (uint32_t i = 1; spare && i < whole->inputs.count; i++)
        spare = shw_input_files_have(pixels->inputs, pixels->input_count, whole->input[i].name);
    return spare;
}

size_t shw_pixels_spare(struct shw_pixels *pixels)
{
    size_t bytes = 0;

    if (!is_file(pixels))
        return 0;
    pthread_mutex_lock(&pixels->lock);
    for (uint32_t i = 0; is_spare(pixels) && i < pixels->whole->inputs.count; i++)
        bytes += row_bytes(&pixels->whole->input[i].image) * pixels->whole->input[i].image.height;
    pthread_mutex_unlock(&pixels->lock);
    return bytes;
}

void shw_pixels_forget(struct shw_pixels *pixels)
{
    if (!is_file(pixels))
        return;
    pthread_mutex_lock(&pixels->lock);
    if (is_spare(pixels))
        shw_pixels_part_release(&pixels->whole);
    pthread_mutex_unlock(&pixels->lock);
}
