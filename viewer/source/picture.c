#include "source/picture.h"

#include <stdlib.h>
#include <string.h>

#include "dense/input/inputs.h"
#include "files/io/image_paths.h"

bool view_picture_add(struct view_picture *picture, const char *name, const struct shw_image *image)
{
    size_t size = image->width * shw_pixel_size(image->format) * image->height;
    struct shw_input *input = &picture->inputs[picture->input_count];

    if (picture->input_count + 1 == SHW_INPUTS_MAX ||
        shw_inputs_find(&(struct shw_inputs){picture->input_count, picture->inputs}, name) != NULL)
        return true;
    *input = (struct shw_input){.name = name, .image = *image};
    input->image.pixels = malloc(size);
    if (input->image.pixels == NULL)
        return false;
    memcpy((void *)(uintptr_t)input->image.pixels, image->pixels, size);
    picture->input_count++;
    return true;
}

const uint16_t *view_picture_depth(const struct view_picture *picture)
{
    const struct shw_input *depth =
        shw_inputs_find(&(struct shw_inputs){picture->input_count, picture->inputs}, SHW_DEPTH);

    return depth != NULL ? depth->image.pixels : NULL;
}

struct shw_inputs view_picture_inputs(const struct view_picture *picture, const struct shw_channel_list *list,
                                      struct shw_input inputs[SHW_INPUTS_MAX])
{
    uint32_t count = 1;

    inputs[0] = (struct shw_input){.image = picture->image};
    for (uint32_t i = 0; i < picture->input_count; i++) {
        const char *name = picture->inputs[i].name;
        bool may_have =
            strcmp(name, SHW_DEPTH) == 0 || strcmp(name, SHW_HEIGHT) == 0 || strcmp(name, SHW_PREVIOUS) == 0;
        if (list == NULL || !may_have || shw_channels_read(list, name))
            inputs[count++] = picture->inputs[i];
    }
    if (list != NULL && count < SHW_INPUTS_MAX)
        count = shw_inputs_add_depth(inputs, count, list);
    return (struct shw_inputs){count, inputs};
}

const char *view_picture_lacks(const struct view_picture *picture, const struct shw_channel_list *list)
{
    static const char *const names[] = {SHW_DEPTH, SHW_HEIGHT};
    struct shw_input input[SHW_INPUTS_MAX];
    const struct shw_inputs inputs = view_picture_inputs(picture, list, input);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (shw_channels_read(list, names[i]) && shw_inputs_find(&inputs, names[i]) == NULL)
            return names[i];
    return NULL;
}

void view_picture_count_classes(struct view_picture *picture)
{
    size_t pixels = picture->labels != NULL ? (size_t)picture->image.width * picture->image.height : 0;

    picture->truth_classes = 0;
    for (size_t i = 0; i < pixels; i++)
        if (picture->labels[i] != SHW_LABEL_VOID && picture->labels[i] >= picture->truth_classes)
            picture->truth_classes = picture->labels[i] + 1u;
}

const char *view_picture_file(const struct view_picture *picture)
{
    if (picture->file != NULL)
        return picture->file;
    return picture->name != NULL && shw_image_has_file(picture->name) ? picture->name : NULL;
}

struct view_picture *view_picture_share(struct view_picture *picture)
{
    atomic_fetch_add(&picture->shares, 1);
    return picture;
}

static void *copy(const void *from, size_t size)
{
    void *to = from != NULL ? malloc(size) : NULL;

    return to != NULL ? memcpy(to, from, size) : NULL;
}

struct view_picture *view_picture_copy(const struct view_picture *picture)
{
    const struct shw_image *image = &picture->image;
    size_t row = image->stride != 0 ? image->stride : image->width * shw_pixel_size(image->format);
    struct view_picture *made = malloc(sizeof *made);
    bool fine = made != NULL;

    if (!fine)
        return NULL;
    *made = *picture;
    atomic_init(&made->shares, 0);
    made->input_count = 0;
    made->image.pixels = copy(image->pixels, row * image->height);
    made->labels = copy(picture->labels, (size_t)image->width * image->height * sizeof *picture->labels);
    made->name = picture->name != NULL ? strdup(picture->name) : NULL;
    made->file = picture->file != NULL ? strdup(picture->file) : NULL;
    fine = made->image.pixels != NULL && (made->labels != NULL) == (picture->labels != NULL) &&
           (made->name != NULL) == (picture->name != NULL) && (made->file != NULL) == (picture->file != NULL);
    for (uint32_t i = 0; fine && i < picture->input_count; i++)
        fine = view_picture_add(made, picture->inputs[i].name, &picture->inputs[i].image);
    if (fine)
        return made;
    view_picture_free(made);
    return NULL;
}

bool view_picture_split_name(char *name, double *seconds)
{
    char *at = NULL, *end;

    for (char *next = name; (next = strstr(next, " @ ")) != NULL; next++)
        at = next;
    if (at == NULL)
        return false;
    *seconds = strtod(at + 3, &end);
    if (end == at + 3 || strcmp(end, " s") != 0)
        return false;
    *at = '\0';
    return true;
}

void view_picture_free(struct view_picture *picture)
{
    if (picture == NULL || atomic_fetch_sub(&picture->shares, 1) > 0)
        return;
    for (uint32_t i = 0; i < picture->input_count; i++)
        free((void *)(uintptr_t)picture->inputs[i].image.pixels);
    free((void *)picture->image.pixels);
    free(picture->labels);
    free(picture->name);
    free(picture->file);
    free(picture);
}

bool view_has_same_pixels(const struct shw_image *one, const struct shw_image *other)
{
    const size_t row = one->width * shw_pixel_size(one->format);
    const size_t strides[2] = {one->stride != 0 ? one->stride : row, other->stride != 0 ? other->stride : row};
    const uint8_t *pixels[2] = {one->pixels, other->pixels};

    if (one->width != other->width || one->height != other->height || one->format != other->format)
        return false;
    for (uint32_t y = 0; y < one->height && pixels[0] != pixels[1]; y++)
        if (memcmp(pixels[0] + y * strides[0], pixels[1] + y * strides[1], row) != 0)
            return false;
    return true;
}

#define VALUES 65536u

/* How many samples have each value; NULL when memory is exhausted. */
static uint64_t *count_values(const struct shw_image *image, unsigned samples, unsigned step)
{
    uint64_t *counts = calloc(VALUES, sizeof *counts);
    size_t stride = image->stride != 0 ? image->stride : (size_t)image->width * step * sizeof(uint16_t);

    if (counts == NULL)
        return NULL;
    for (uint32_t y = 0; y < image->height; y++) {
        const uint16_t *row = (const void *)((const uint8_t *)image->pixels + y * stride);

        for (uint32_t x = 0; x < image->width; x++)
            for (unsigned i = 0; i < samples; i++)
                counts[row[(size_t)x * step + i]]++;
    }
    return counts;
}

enum shw_result view_display_range_find(const struct shw_image *image, double cut, struct view_display_range *range)
{
    unsigned step = (unsigned)(shw_pixel_size(image->format) / sizeof(uint16_t)), samples = step == 4 ? 3 : step;
    uint64_t *counts, most, below = 0, above = 0;
    uint32_t low = 0, high = VALUES - 1;

    *range = VIEW_DISPLAY_RANGE_WHOLE;
    if (image->format != SHW_PIXEL_GREY16 && image->format != SHW_PIXEL_RGB16 && image->format != SHW_PIXEL_RGBA16)
        return SHW_OK;
    counts = count_values(image, samples, step);
    if (counts == NULL)
        return SHW_ERROR_MEMORY;
    most = (uint64_t)(cut * (double)((uint64_t)image->width * image->height * samples));
    while (low < VALUES - 1 && below + counts[low] <= most)
        below += counts[low++];
    while (high > low && above + counts[high] <= most)
        above += counts[high--];
    free(counts);
    if (low == high && high < VALUES - 1)
        high++;
    else if (low == high)
        low--;
    *range = (struct view_display_range){(uint16_t)low, (uint16_t)high};
    return SHW_OK;
}

void view_choice_init(struct view_choice *choice, const struct shw_image_choice *chosen)
{
    *choice = (struct view_choice){.chosen = *chosen};
    pthread_mutex_init(&choice->lock, NULL);
}

void view_choice_destroy(struct view_choice *choice)
{
    pthread_mutex_destroy(&choice->lock);
}

struct shw_image_choice view_choice_get(struct view_choice *choice)
{
    struct shw_image_choice current;

    pthread_mutex_lock(&choice->lock);
    current = choice->chosen;
    if (!shw_intensity_range_is_set(&current.range))
        current.range = choice->found;
    pthread_mutex_unlock(&choice->lock);
    return current;
}

void view_choice_set(struct view_choice *choice, const struct shw_image_choice *chosen)
{
    pthread_mutex_lock(&choice->lock);
    choice->chosen = *chosen;
    choice->found = (struct shw_intensity_range){0};
    pthread_mutex_unlock(&choice->lock);
}

void view_choice_offer(struct view_choice *choice, const struct shw_image_choice *used)
{
    struct shw_image_choice without = *used;

    without.range = (struct shw_intensity_range){0};
    pthread_mutex_lock(&choice->lock);
    if (shw_image_choice_equal(&choice->chosen, &without) && !shw_intensity_range_is_set(&choice->found))
        choice->found = used->range;
    pthread_mutex_unlock(&choice->lock);
}
