#include "files/objects/object_attributes.h"

#include <math.h>
#include <stdlib.h>

#include "base/image.h"
#include "base/log.h"

#define PI 3.14159265358979323846

const char *const shw_object_attribute_names[SHW_OBJECT_ATTRIBUTES] = {
    [SHW_OBJECT_AREA] = "area_px",
    [SHW_OBJECT_OUTLINE] = "outline_px",
    [SHW_OBJECT_CIRCULARITY] = "circularity",
    [SHW_OBJECT_WIDTH] = "width_px",
    [SHW_OBJECT_HEIGHT] = "height_px",
    [SHW_OBJECT_EXTENT] = "extent",
    [SHW_OBJECT_SOLIDITY] = "solidity",
    [SHW_OBJECT_MAJOR] = "major_axis_px",
    [SHW_OBJECT_MINOR] = "minor_axis_px",
    [SHW_OBJECT_ECCENTRICITY] = "eccentricity",
    [SHW_OBJECT_AT_BORDER] = "touches_border",
    [SHW_OBJECT_MEAN_RED] = "mean_red",
    [SHW_OBJECT_MEAN_GREEN] = "mean_green",
    [SHW_OBJECT_MEAN_BLUE] = "mean_blue",
    [SHW_OBJECT_DEVIATION_RED] = "deviation_red",
    [SHW_OBJECT_DEVIATION_GREEN] = "deviation_green",
    [SHW_OBJECT_DEVIATION_BLUE] = "deviation_blue",
    [SHW_OBJECT_MEAN_PROBABILITY] = "mean_probability",
    [SHW_OBJECT_DEVIATION_PROBABILITY] = "deviation_probability",
    [SHW_OBJECT_CLASS] = "class_number",
};

/* Sums over the pixels of an object. Places count from the corner of its box. */
struct sums {
    uint64_t xx, xy, yy;
    uint64_t colour[3], square[3]; /* of 16-bit samples */
    uint64_t probability, probability_square;
    uint64_t straight, corners; /* pieces of the outline: edges that go on, and corners that are cut */
    size_t rows;                /* of its rows, the first */
};

/* The columns of an object in a row: the first, and the one after the last. */
struct row {
    uint32_t first, end;
};

struct work {
    const struct shw_objects *objects;
    struct sums *sums;
    struct row *rows;
};

/* How samples are read: `step` samples of `bytes` bytes a pixel, of which colours are the first or, if `swapped`, the
 * first three the other way round. */
struct layout {
    uint32_t step, bytes;
    bool swapped;
};

/* False: no integer samples. */
static bool find_layout(enum shw_pixel_format format, struct layout *layout)
{
    switch (format) {
    case SHW_PIXEL_GREY8: *layout = (struct layout){1, 1, false}; return true;
    case SHW_PIXEL_RGB8: *layout = (struct layout){3, 1, false}; return true;
    case SHW_PIXEL_RGBA8: *layout = (struct layout){4, 1, false}; return true;
    case SHW_PIXEL_BGRA8: *layout = (struct layout){4, 1, true}; return true;
    case SHW_PIXEL_GREY16: *layout = (struct layout){1, 2, false}; return true;
    case SHW_PIXEL_RGB16: *layout = (struct layout){3, 2, false}; return true;
    case SHW_PIXEL_RGBA16: *layout = (struct layout){4, 2, false}; return true;
    default: return false;
    }
}

/* Samples of 8 bits become those of 16 with the same part of their range. */
static void read_colour(const uint8_t *row, uint32_t x, const struct layout *layout, uint32_t colour[3])
{
    for (uint32_t c = 0; c < 3; c++) {
        size_t at = (size_t)x * layout->step + (layout->step == 1 ? 0 : layout->swapped ? 2 - c : c);

        colour[c] = layout->bytes == 1 ? row[at] * 257u : ((const uint16_t *)(const void *)row)[at];
    }
}

static void add_colours(const struct work *work, const struct shw_image *image)
{
    const struct shw_objects *objects = work->objects;
    size_t stride = shw_image_stride(image);
    struct layout layout;

    if (!find_layout(image->format, &layout))
        return;
    for (uint32_t y = 0; y < objects->height; y++) {
        const uint8_t *row = (const uint8_t *)image->pixels + y * stride;
        const uint32_t *numbers = objects->numbers + (size_t)y * objects->width;

        for (uint32_t x = 0; x < objects->width; x++) {
            struct sums *sums = &work->sums[numbers[x]];
            uint32_t colour[3];

            if (numbers[x] == 0)
                continue;
            read_colour(row, x, &layout, colour);
            for (int c = 0; c < 3; c++) {
                sums->colour[c] += colour[c];
                sums->square[c] += (uint64_t)colour[c] * colour[c];
            }
        }
    }
}

static void add_places(const struct work *work, const uint16_t *distribution)
{
    const struct shw_objects *objects = work->objects;
    size_t pixels = (size_t)objects->width * objects->height, i = 0;

    for (uint32_t y = 0; y < objects->height; y++)
        for (uint32_t x = 0; x < objects->width; x++, i++) {
            const uint32_t number = objects->numbers[i];
            struct sums *sums = &work->sums[number];
            const struct shw_object *object;
            struct row *row;
            uint64_t right, down;

            if (number == 0)
                continue;
            object = &objects->list[number - 1];
            right = x - object->x;
            down = y - object->y;
            sums->xx += right * right;
            sums->xy += right * down;
            sums->yy += down * down;
            row = &work->rows[sums->rows + down];
            row->first = row->end == 0 ? x : row->first;
            row->end = x + 1;
            if (distribution != NULL) {
                uint64_t probability = distribution[object->label * pixels + i];

                sums->probability += probability;
                sums->probability_square += probability * probability;
            }
        }
}

/* The object of a pixel; 0 outside. */
static uint32_t object_at(const struct shw_objects *objects, uint32_t x, uint32_t y, bool left, bool above)
{
    if ((left && x == 0) || (above && y == 0) || (!left && x == objects->width) || (!above && y == objects->height))
        return 0;
    return objects->numbers[(size_t)(y - above) * objects->width + (x - left)];
}

/* Looks at the four pixels around each corner of pixels (Gray 1971): of an object that has one or three of them, the
 * outline turns there, and half an edge on either side becomes a diagonal; with two side by side it goes straight on;
 * two that touch at the corner turn twice. */
static void add_outlines(const struct work *work)
{
    const struct shw_objects *objects = work->objects;

    for (uint32_t y = 0; y <= objects->height; y++)
        for (uint32_t x = 0; x <= objects->width; x++) {
            const uint32_t around[4] = {object_at(objects, x, y, true, true), object_at(objects, x, y, false, true),
                                        object_at(objects, x, y, false, false), object_at(objects, x, y, true, false)};

            if (around[0] == around[1] && around[1] == around[2] && around[2] == around[3])
                continue;
            for (int a = 0; a < 4; a++) {
                bool has[4];
                int count = 0, before = 0;

                for (int b = 0; b < 4; b++) {
                    has[b] = around[b] == around[a];
                    count += has[b];
                    before += has[b] && b < a;
                }
                if (around[a] == 0 || before > 0)
                    continue;
                if (count != 2)
                    work->sums[around[a]].corners++;
                else if (has[0] == has[2])
                    work->sums[around[a]].corners += 2;
                else
                    work->sums[around[a]].straight++;
            }
        }
}

/* Twice the area between a side's hull and the column 0. `sign` 1: the hull of the right ends, otherwise of the left
 * ones. Corners at the same row: the outermost one. */
static int64_t hull_side(const struct row *rows, uint32_t count, int sign, int64_t (*stack)[2])
{
    uint32_t top = 0;
    int64_t doubled = 0;

    for (uint32_t y = 0; y <= count; y++) {
        const struct row *above = &rows[y > 0 ? y - 1 : 0], *below = &rows[y < count ? y : count - 1];
        int64_t one = sign > 0 ? above->end : above->first, other = sign > 0 ? below->end : below->first;
        int64_t x = sign * (one - other) > 0 ? one : other;

        while (top >= 2 && sign * ((stack[top - 1][0] - stack[top - 2][0]) * (y - stack[top - 2][1]) -
                                   (x - stack[top - 2][0]) * (stack[top - 1][1] - stack[top - 2][1])) <=
                               0)
            top--;
        stack[top][0] = x;
        stack[top++][1] = y;
    }
    for (uint32_t i = 1; i < top; i++)
        doubled += (stack[i][0] + stack[i - 1][0]) * (stack[i][1] - stack[i - 1][1]);
    return doubled;
}

static double deviation(uint64_t sum, uint64_t square, double count, double unit)
{
    double mean = (double)sum / count, variance = (double)square / count - mean * mean;

    return (variance > 0.0 ? sqrt(variance) : 0.0) / unit;
}

static void set_ellipse(const struct shw_object *object, const struct sums *sums, float *values)
{
    const double area = object->area;
    const double x = (double)(object->sum_x - (uint64_t)object->x * object->area) / area;
    const double y = (double)(object->sum_y - (uint64_t)object->y * object->area) / area;
    /* of squares, not points: each has a variance of its own */
    const double xx = (double)sums->xx / area - x * x + 1.0 / 12, yy = (double)sums->yy / area - y * y + 1.0 / 12;
    const double xy = (double)sums->xy / area - x * y;
    const double middle = (xx + yy) / 2, half = sqrt((xx - yy) * (xx - yy) / 4 + xy * xy);
    const double large = middle + half, least = middle - half > 0.0 ? middle - half : 0.0;

    values[SHW_OBJECT_MAJOR] = (float)(4 * sqrt(large));
    values[SHW_OBJECT_MINOR] = (float)(4 * sqrt(least));
    values[SHW_OBJECT_ECCENTRICITY] = (float)sqrt(1 - least / large);
}

static void set_values(const struct shw_object *object, const struct sums *sums, double hull, bool with_colours,
                       bool with_probability, float *values)
{
    const double area = object->area, outline = (double)sums->straight + (double)sums->corners * sqrt(0.5);

    values[SHW_OBJECT_AREA] = (float)area;
    values[SHW_OBJECT_OUTLINE] = (float)outline;
    values[SHW_OBJECT_CIRCULARITY] = (float)(4 * PI * area / (outline * outline));
    values[SHW_OBJECT_WIDTH] = (float)object->width;
    values[SHW_OBJECT_HEIGHT] = (float)object->height;
    values[SHW_OBJECT_EXTENT] = (float)(area / ((double)object->width * object->height));
    values[SHW_OBJECT_SOLIDITY] = (float)(area / hull);
    set_ellipse(object, sums, values);
    values[SHW_OBJECT_AT_BORDER] = object->at_border ? 1.0f : 0.0f;
    for (int c = 0; c < 3; c++) {
        values[SHW_OBJECT_MEAN_RED + c] = with_colours ? (float)((double)sums->colour[c] / area / 65535) : NAN;
        values[SHW_OBJECT_DEVIATION_RED + c] =
            with_colours ? (float)deviation(sums->colour[c], sums->square[c], area, 65535) : NAN;
    }
    values[SHW_OBJECT_MEAN_PROBABILITY] = with_probability ? (float)((double)sums->probability / area / 65535) : NAN;
    values[SHW_OBJECT_DEVIATION_PROBABILITY] =
        with_probability ? (float)deviation(sums->probability, sums->probability_square, area, 65535) : NAN;
    values[SHW_OBJECT_CLASS] = (float)object->label;
}

/* Gives each object its rows; returns how many there are. *most: of one object. */
static size_t place_rows(const struct work *work, uint32_t *most)
{
    size_t count = 0;

    *most = 0;
    for (uint32_t n = 1; n <= work->objects->count; n++) {
        const uint32_t height = work->objects->list[n - 1].height;

        work->sums[n].rows = count;
        count += height;
        *most = height > *most ? height : *most;
    }
    return count;
}

enum shw_result shw_object_attributes_measure(const struct shw_objects *objects, const struct shw_image *image,
                                              const uint16_t *distribution, const struct shw_log *log, float *values)
{
    struct work work = {.objects = objects, .sums = calloc(objects->count + (size_t)1, sizeof *work.sums)};
    int64_t(*stack)[2] = NULL;
    struct layout layout;
    uint32_t most = 0;
    bool enough = work.sums != NULL;

    if (enough) {
        work.rows = calloc(place_rows(&work, &most) + 1, sizeof *work.rows);
        stack = malloc((most + (size_t)1) * sizeof *stack);
        enough = work.rows != NULL && stack != NULL;
    }
    if (enough) {
        add_places(&work, distribution);
        add_colours(&work, image);
        add_outlines(&work);
    }
    for (uint32_t n = 1; enough && n <= objects->count; n++) {
        const struct shw_object *object = &objects->list[n - 1];
        const struct row *rows = work.rows + work.sums[n].rows;
        int64_t doubled = hull_side(rows, object->height, 1, stack) - hull_side(rows, object->height, -1, stack);

        set_values(object, &work.sums[n], (double)doubled / 2, find_layout(image->format, &layout),
                   distribution != NULL, values + (size_t)(n - 1) * SHW_OBJECT_ATTRIBUTES);
    }
    free(work.sums);
    free(work.rows);
    free(stack);
    return enough ? SHW_OK : shw_fail_memory(log, "attributes of objects");
}
