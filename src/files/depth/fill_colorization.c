#include "files/depth/fill_colorization.h"

#include <inttypes.h>
#include <stdlib.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

#include "base/image.h"
#include "base/log.h"

/* The grey of images for data preparation. */

static double sample(const uint8_t *row, bool wide, size_t index)
{
    return wide ? ((const uint16_t *)(const void *)row)[index] : row[index];
}

/* 0.299 R + 0.587 G + 0.114 B of each pixel of an 8-bit or 16-bit image from a file, from 0 to 1; to be freed with
 * free(). `name` is for messages. Errors: ARGUMENT (other formats), MEMORY. */
static enum shw_result make_grey(const struct shw_image *image, const char *name, const struct shw_log *log,
                                 double **grey)
{
    bool wide = shw_pixel_is_wide(image->format);
    size_t pixel = shw_pixel_size(image->format), stride = shw_image_stride(image);
    size_t samples = pixel / (wide ? 2 : 1), green = samples >= 3 ? 1 : 0, blue = samples >= 3 ? 2 : 0;
    double scale = 1.0 / (wide ? 65535 : 255);

    if (!shw_pixel_is_grey(image->format) && image->format != SHW_PIXEL_RGB8 && image->format != SHW_PIXEL_RGBA8 &&
        image->format != SHW_PIXEL_RGB16 && image->format != SHW_PIXEL_RGBA16)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: this pixel format cannot be converted to grey",
                        name);
    *grey = malloc((size_t)image->width * image->height * sizeof **grey);
    if (*grey == NULL)
        return shw_fail_memory(log, name);
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = (const uint8_t *)image->pixels + y * stride;

        for (uint32_t x = 0; x < image->width; x++) {
            size_t first = x * samples;

            (*grey)[(size_t)y * image->width + x] =
                scale * (0.299 * sample(row, wide, first) + 0.587 * sample(row, wide, first + green) +
                         0.114 * sample(row, wide, first + blue));
        }
    }
    return SHW_OK;
}

#define NEIGHBOURS_MAX  8u
#define VARIANCE_FACTOR 0.6
#define VARIANCE_MIN    2e-6
#define LN_100          4.605170185988092 /* the neighbour of the nearest grey weighs at least 1/100 */

/* What is known of the image. */
struct picture {
    const double *grey;
    const uint16_t *depth;
    uint32_t width, height;
    double alpha;
};

/* The neighbours of a pixel in the image, in ascending order, and their weights. */
struct neighbourhood {
    size_t pixels[NEIGHBOURS_MAX];
    double weights[NEIGHBOURS_MAX];
    uint32_t count;
};

/* exp(-x) for x from 0 to about 20, the largest quotient by the variance. */
static double decay(double x)
{
    double part = -x / 64, term = 1, sum = 1;

    for (int n = 1; n <= 14; n++) {
        term *= part / n;
        sum += term;
    }
    for (int n = 0; n < 6; n++)
        sum *= sum;
    return sum;
}

static void find_neighbours(const struct picture *picture, uint32_t x, uint32_t y, struct neighbourhood *around)
{
    uint32_t left = x > 0 ? x - 1 : x, right = x + 1 < picture->width ? x + 1 : x;
    uint32_t top = y > 0 ? y - 1 : y, bottom = y + 1 < picture->height ? y + 1 : y;

    around->count = 0;
    for (uint32_t v = top; v <= bottom; v++)
        for (uint32_t u = left; u <= right; u++)
            if (u != x || v != y)
                around->pixels[around->count++] = (size_t)v * picture->width + u;
}

static void weigh(const double *grey, size_t pixel, struct neighbourhood *around)
{
    double mean = grey[pixel], variance, nearest = 1, sum = 0;

    for (uint32_t n = 0; n < around->count; n++)
        mean += grey[around->pixels[n]];
    mean /= around->count + 1;
    variance = (grey[pixel] - mean) * (grey[pixel] - mean);
    for (uint32_t n = 0; n < around->count; n++) {
        double from_mean = grey[around->pixels[n]] - mean, difference = grey[around->pixels[n]] - grey[pixel];

        variance += from_mean * from_mean;
        around->weights[n] = difference * difference;
        nearest = around->weights[n] < nearest ? around->weights[n] : nearest;
    }
    variance *= VARIANCE_FACTOR / (around->count + 1);
    variance = variance < nearest / LN_100 ? nearest / LN_100 : variance;
    variance = variance < VARIANCE_MIN ? VARIANCE_MIN : variance;
    for (uint32_t n = 0; n < around->count; n++) {
        around->weights[n] = decay(around->weights[n] / variance);
        sum += around->weights[n];
    }
    for (uint32_t n = 0; n < around->count; n++)
        around->weights[n] /= sum;
}

static void add_entry(struct shw_colorization_system *system, int32_t column, double value)
{
    system->columns[system->entry_count] = column;
    system->values[system->entry_count++] = value;
}

/* Adds the equation of a pixel that has an unknown. */
static void add_equation(struct shw_colorization_system *system, const struct picture *picture, uint32_t x, uint32_t y)
{
    size_t pixel = (size_t)y * picture->width + x;
    double alpha = picture->depth[pixel] > 0 ? picture->alpha : 0, right = alpha * picture->depth[pixel];
    int32_t unknown = system->unknown_of[pixel];
    struct neighbourhood around;
    bool has_diagonal = false;

    find_neighbours(picture, x, y, &around);
    weigh(picture->grey, pixel, &around);
    system->starts[unknown] = system->entry_count;
    for (uint32_t n = 0; n < around.count; n++) {
        int32_t column = system->unknown_of[around.pixels[n]];

        if (!has_diagonal && around.pixels[n] > pixel) {
            add_entry(system, unknown, 1 + alpha);
            has_diagonal = true;
        }
        if (column >= 0)
            add_entry(system, column, -around.weights[n]);
        else
            right += around.weights[n] * picture->depth[around.pixels[n]];
    }
    if (!has_diagonal)
        add_entry(system, unknown, 1 + alpha);
    system->right[unknown] = right;
}

static enum shw_result number_unknowns(struct shw_colorization_system *system, const struct picture *picture,
                                       const char *name, const struct shw_log *log)
{
    size_t pixels = (size_t)picture->width * picture->height, count = 0;

    system->unknown_of = malloc(pixels * sizeof *system->unknown_of);
    if (system->unknown_of == NULL)
        return shw_fail_memory(log, name);
    for (size_t i = 0; i < pixels; i++)
        count += picture->alpha > 0 || picture->depth[i] == 0;
    if (count > SHW_COLORIZATION_PIXELS_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_IMAGE_FORMAT,
                        "%s: colorization would have to solve for %zu pixels; at most %" PRIu32 " are supported", name,
                        count, SHW_COLORIZATION_PIXELS_MAX);
    for (size_t i = 0; i < pixels; i++)
        system->unknown_of[i] = picture->alpha > 0 || picture->depth[i] == 0 ? system->count++ : -1;
    return SHW_OK;
}

/* `grey` and `depth`: width * height; `alpha` as in struct shw_colorization. At most SHW_COLORIZATION_PIXELS_MAX
 * unknowns. Errors: LIMIT, MEMORY; free in either case. */
static enum shw_result make_system(const double *grey, const uint16_t *depth, uint32_t width, uint32_t height,
                                   double alpha, const char *name, const struct shw_log *log,
                                   struct shw_colorization_system *system)
{
    const struct picture picture = {grey, depth, width, height, alpha};
    size_t entries;

    *system = (struct shw_colorization_system){0};
    SHW_PROPAGATE(number_unknowns(system, &picture, name, log));
    entries = (size_t)system->count * (NEIGHBOURS_MAX + 1);
    system->starts = malloc(((size_t)system->count + 1) * sizeof *system->starts);
    system->columns = malloc((entries + 1) * sizeof *system->columns);
    system->values = malloc((entries + 1) * sizeof *system->values);
    system->right = malloc(((size_t)system->count + 1) * sizeof *system->right);
    if (system->starts == NULL || system->columns == NULL || system->values == NULL || system->right == NULL)
        return shw_fail_memory(log, name);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            if (system->unknown_of[(size_t)y * width + x] >= 0)
                add_equation(system, &picture, x, y);
    system->starts[system->count] = system->entry_count;
    return SHW_OK;
}

static void free_system(struct shw_colorization_system *system)
{
    free(system->unknown_of);
    free(system->starts);
    free(system->columns);
    free(system->values);
    free(system->right);
    *system = (struct shw_colorization_system){0};
}

#define TIE 1e-6 /* this close to a half, a value counts as a half, which hides rounding errors */

static uint16_t round_depth(double value)
{
    value += 0.5 + TIE;
    return value >= 65535 ? 65535 : value < 1 ? 1 : (uint16_t)value;
}

static enum shw_result fill(uint16_t *depth, uint32_t width, uint32_t height, const double *grey, double alpha,
                            const char *name, const struct shw_log *log)
{
    struct shw_colorization_system system;
    enum shw_result result = make_system(grey, depth, width, height, alpha, name, log, &system);

    if (result == SHW_OK)
        result = shw_solve(&system, name, log);
    for (size_t i = 0; result == SHW_OK && i < (size_t)width * height; i++)
        if (system.unknown_of[i] >= 0)
            depth[i] = round_depth(system.right[system.unknown_of[i]]);
    free_system(&system);
    return result;
}

enum shw_result shw_fill_colorization(uint16_t *depth, uint32_t width, uint32_t height, const struct shw_image *colours,
                                      const struct shw_colorization *how, const char *name, const struct shw_log *log)
{
    size_t pixels = (size_t)width * height, missing = 0;
    enum shw_result result;
    double *grey;

    for (size_t i = 0; i < pixels; i++)
        missing += depth[i] == 0;
    if (missing == pixels || pixels == 1 || (missing == 0 && how->alpha <= 0))
        return SHW_OK;
    SHW_PROPAGATE(make_grey(colours, name, log, &grey));
    result = fill(depth, width, height, grey, how->alpha, name, log);
    free(grey);
    return result;
}
