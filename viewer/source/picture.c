#include "source/picture.h"

#include <math.h>
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
        bool may_have = picture->numbers[i].own || !shw_plane_name_is_valid(name);
        if (list == NULL || !may_have || shw_channels_read(list, name))
            inputs[count++] = picture->inputs[i];
    }
    if (list != NULL && count < SHW_INPUTS_MAX)
        count = shw_inputs_add_depth(inputs, count, list);
    return (struct shw_inputs){count, inputs};
}

const char *view_picture_lacks(const struct view_picture *picture, const struct shw_channel_list *list)
{
    struct shw_input input[SHW_INPUTS_MAX];
    const struct shw_inputs inputs = view_picture_inputs(picture, list, input);

    for (uint32_t i = 1; i < list->input_count; i++) {
        const char *name = list->inputs[i];

        if ((list->is_plane[i] || strcmp(name, SHW_DEPTH) == 0 || strcmp(name, SHW_HEIGHT) == 0) &&
            shw_inputs_find(&inputs, name) == NULL)
            return name;
    }
    return NULL;
}

#define NUMBERS_MAX (1u << 16)

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

float view_plane_number(const struct shw_image *plane, size_t pixel)
{
    switch (plane->format) {
    case SHW_PIXEL_GREY8: return ((const uint8_t *)plane->pixels)[pixel];
    case SHW_PIXEL_GREY16: return ((const uint16_t *)plane->pixels)[pixel];
    default: return ((const float *)plane->pixels)[pixel];
    }
}

/* Finite numbers of some pixels, in ascending order; returns how many. */
static size_t sort_numbers(const struct shw_image *plane, float *sorted)
{
    const size_t pixels = (size_t)plane->width * plane->height, step = (pixels - 1) / NUMBERS_MAX + 1;
    size_t count = 0;

    for (size_t p = 0; p < pixels; p += step) {
        const float number = view_plane_number(plane, p);
        if (isfinite(number))
            sorted[count++] = number;
    }
    qsort(sorted, count, sizeof *sorted, ascending);
    return count;
}

bool view_picture_find_numbers(struct view_picture *picture, uint32_t first)
{
    float *sorted = first < picture->input_count ? malloc(NUMBERS_MAX * sizeof *sorted) : NULL;

    for (uint32_t i = first; sorted != NULL && i < picture->input_count; i++) {
        const struct shw_image *plane = &picture->inputs[i].image;
        const char *name = picture->inputs[i].name;
        struct view_plane_numbers *numbers = &picture->numbers[i];
        size_t count;

        if (!shw_plane_name_is_valid(name))
            continue;
        count = sort_numbers(plane, sorted);
        if (count == 0)
            continue;
        numbers->least = sorted[count / 1000];
        numbers->low = sorted[count / 100];
        numbers->high = sorted[count - 1 - count / 100];
        numbers->greatest = sorted[count - 1 - count / 1000];
    }
    free(sorted);
    return sorted != NULL || first >= picture->input_count;
}

bool view_picture_has_planes(const struct view_picture *picture)
{
    bool any = picture->planes.count > 0;

    for (uint32_t i = 0; i < picture->input_count; i++)
        any = any || shw_plane_name_is_valid(picture->inputs[i].name);
    return any;
}

uint32_t view_picture_find_plane(const struct view_picture *picture, const char *name)
{
    const uint32_t number = shw_plane_list_find(&picture->planes, name);

    for (uint32_t i = 0; i < picture->input_count; i++)
        if (strcmp(picture->inputs[i].name, name) == 0)
            return i;
    for (uint32_t i = 0; i < picture->input_count && number < picture->planes.count; i++)
        if (picture->numbers[i].own && shw_plane_list_find(&picture->planes, picture->inputs[i].name) == number)
            return i;
    return UINT32_MAX;
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

static bool copy_planes(const struct shw_plane_list *planes, struct shw_plane_list *made)
{
    if (planes->count == 0)
        return true;
    if (shw_plane_list_make(planes->count, planes->width, planes->height, made) != SHW_OK)
        return false;
    memcpy(made->names, planes->names, planes->count * sizeof *planes->names);
    return true;
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
    made->planes = (struct shw_plane_list){.count = 0};
    made->image.pixels = copy(image->pixels, row * image->height);
    made->labels = copy(picture->labels, (size_t)image->width * image->height * sizeof *picture->labels);
    made->name = picture->name != NULL ? strdup(picture->name) : NULL;
    made->file = picture->file != NULL ? strdup(picture->file) : NULL;
    fine = made->image.pixels != NULL && (made->labels != NULL) == (picture->labels != NULL) &&
           (made->name != NULL) == (picture->name != NULL) && (made->file != NULL) == (picture->file != NULL);
    for (uint32_t i = 0; fine && i < picture->input_count; i++)
        fine = view_picture_add(made, picture->inputs[i].name, &picture->inputs[i].image);
    fine = fine && copy_planes(&picture->planes, &made->planes);
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
    shw_plane_list_free(&picture->planes);
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
