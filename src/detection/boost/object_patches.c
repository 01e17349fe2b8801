#include "detection/boost/trainer.h"

#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/samples/draws.h"
#include "shared/detect.h"
#include "shared/random.h"

#define ONE       INT64_C(65536)
#define VALUE_MAX 4080

/* A plane of 12-bit values. */
struct plane {
    uint16_t *values;
    uint32_t width, height;
};

static uint32_t blur_at(const uint8_t *grey, uint32_t width, uint32_t height, uint32_t x, uint32_t y)
{
    const uint8_t *rows[3] = {grey + (size_t)(y > 0 ? y - 1 : 0) * width, grey + (size_t)y * width,
                              grey + (size_t)shw_min_u32(y + 1, height - 1) * width};
    uint32_t before = x > 0 ? x - 1 : 0, after = shw_min_u32(x + 1, width - 1), sums[3];

    for (int r = 0; r < 3; r++)
        sums[r] = shw_detect_blur3(rows[r][before], rows[r][x], rows[r][after]);
    return shw_detect_blur3(sums[0], sums[1], sums[2]);
}

static enum shw_result make_plane(const uint8_t *grey, uint32_t width, uint32_t height, bool blur,
                                  const struct shw_log *log, struct plane *plane)
{
    *plane = (struct plane){malloc((size_t)width * height * sizeof *plane->values), width, height};
    if (plane->values == NULL)
        return shw_fail_memory(log, "an image with objects");
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            plane->values[(size_t)y * width + x] =
                (uint16_t)(blur ? blur_at(grey, width, height, x, y) : 16u * grey[(size_t)y * width + x]);
    return SHW_OK;
}

/* In place. */
static void halve(struct plane *plane)
{
    uint32_t width = plane->width / 2, height = plane->height / 2;

    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            const uint16_t *upper = plane->values + (size_t)2 * y * plane->width + 2 * x;
            const uint16_t *lower = upper + plane->width;
            plane->values[(size_t)y * width + x] =
                (uint16_t)shw_detect_halved((uint32_t)upper[0] + upper[1] + lower[0] + lower[1]);
        }
    plane->width = width;
    plane->height = height;
}

/* The object in a plane that was halved: the window's shape around it, with the margin. */
static struct shw_object_source locate(const struct shw_object_patches *patches,
                                       const struct shw_cascade_object *object, uint32_t halvings)
{
    int64_t width = (int64_t)object->width * (100 + 2 * patches->margin) * ONE / 100;
    int64_t height = (int64_t)object->height * (100 + 2 * patches->margin) * ONE / 100;
    int64_t step_x = width / ((patches->width - 2 * patches->border) * patches->planes.shrink);
    int64_t step_y = height / ((patches->height - 2 * patches->border) * patches->planes.shrink);
    struct shw_object_source source = {.x = (2 * (int64_t)object->x + object->width) * (ONE / 2),
                                       .y = (2 * (int64_t)object->y + object->height) * (ONE / 2),
                                       .step = step_x > step_y ? step_x : step_y};

    source.x >>= halvings;
    source.y >>= halvings;
    source.step >>= halvings;
    return source;
}

static bool is_outside(const struct shw_cascade_object *object, uint32_t width, uint32_t height)
{
    return shw_rectangle_is_outside(object->x, object->y, object->width, object->height, width, height);
}

/* Cuts what copies may read. */
static enum shw_result cut(const struct shw_object_patches *patches, const struct plane *plane,
                           const struct shw_log *log, struct shw_object_source *source)
{
    uint32_t side = shw_max_u32(patches->width, patches->height) * patches->planes.shrink;
    int64_t reach = 2 * side * source->step / ONE + 4; /* a turned window that is larger, and shifted */
    int64_t left = shw_clamp_i64(source->x / ONE - reach, 0, (int64_t)plane->width - 1);
    int64_t top = shw_clamp_i64(source->y / ONE - reach, 0, (int64_t)plane->height - 1);
    int64_t right = shw_clamp_i64(source->x / ONE + reach, left + 1, plane->width);
    int64_t bottom = shw_clamp_i64(source->y / ONE + reach, top + 1, plane->height);

    source->width = (uint32_t)(right - left);
    source->height = (uint32_t)(bottom - top);
    source->x -= left * ONE;
    source->y -= top * ONE;
    source->values = malloc((size_t)source->width * source->height * sizeof *source->values);
    if (source->values == NULL)
        return shw_fail_memory(log, "objects");
    for (uint32_t y = 0; y < source->height; y++)
        memcpy(source->values + (size_t)y * source->width,
               plane->values + ((size_t)top + y) * plane->width + (size_t)left, source->width * sizeof *source->values);
    return SHW_OK;
}

enum shw_result shw_object_sources_cut(const struct shw_object_patches *patches, const uint8_t *grey, uint32_t width,
                                       uint32_t height, const struct shw_cascade_object *objects, uint32_t count,
                                       const struct shw_log *log, struct shw_object_source *sources)
{
    uint32_t left = count;
    struct plane plane;
    enum shw_result result;

    memset(sources, 0, count * sizeof *sources);
    SHW_PROPAGATE(make_plane(grey, width, height, patches->planes.blur_before, log, &plane));
    result = SHW_OK;
    for (uint32_t halvings = 0; left > 0 && plane.width > 0 && plane.height > 0 && result == SHW_OK; halvings++) {
        left = 0;
        for (uint32_t o = 0; o < count && result == SHW_OK; o++) {
            struct shw_object_source source = locate(patches, &objects[o], halvings);
            if (sources[o].values != NULL || source.step * 5 < ONE * 4 || is_outside(&objects[o], width, height))
                continue;
            if (patches->planes.octaves && source.step >= 2 * ONE) {
                left++;
                continue;
            }
            result = cut(patches, &plane, log, &source);
            sources[o] = source;
        }
        halve(&plane);
    }
    free(plane.values);
    return result;
}

void shw_object_source_free(struct shw_object_source *source)
{
    free(source->values);
    *source = (struct shw_object_source){0};
}

/* What a copy differs by. */
struct variation {
    int64_t right_x, right_y, down_x, down_y; /* from pixel to pixel of the window, in the source */
    int64_t x, y;                             /* of the window's centre */
    int32_t contrast, brightness;             /* in 1/256; in values */
    bool blur;
    int32_t noise; /* the largest that is added, in values */
    uint32_t noise_key;
};

/* Evenly from -limit to limit. */
static int64_t draw_within(uint32_t bits, int64_t limit)
{
    return (int64_t)shw_random_below(bits, (uint32_t)(2 * limit + 1)) - limit;
}

/* Sine and cosine of a small angle by their series, in 1/65536. */
static void turn(int64_t angle, int64_t *cosine, int64_t *sine)
{
    int64_t square = angle * angle / ONE;

    *sine = angle - angle * square / ONE / 6 + angle * square / ONE * square / ONE / 120;
    *cosine = ONE - square / 2 + square * square / ONE / 24 - square * square / ONE * square / ONE / 720;
}

static struct variation vary(const struct shw_object_patches *patches, const struct shw_object_source *source,
                             uint32_t object, uint32_t copy)
{
    const struct shw_cascade_variation *limits = &patches->variation;
    uint32_t key = shw_draw_key(patches->seed, object, SHW_DRAW_VARIATIONS);
    struct shw_uint2 at = shw_random2(key, copy, 0), size = shw_random2(key, copy, 1),
                     light = shw_random2(key, copy, 2);
    struct shw_uint2 flags = shw_random2(key, copy, 3);
    int64_t cosine, sine, step = source->step, percent = ONE / 100;
    struct variation variation = {.x = source->x, .y = source->y, .contrast = 256};

    if (copy == 0) {
        variation.right_x = variation.down_y = step;
        return variation;
    }
    step += step * draw_within(size.x, limits->scale * percent) / ONE;
    /* a degree is 1143.8 / 65536 */
    turn(draw_within(size.y, limits->turn * INT64_C(11438) / 10), &cosine, &sine);
    variation.right_x = step * cosine / ONE;
    variation.right_y = step * sine / ONE;
    variation.down_x = -variation.right_y;
    variation.down_y = variation.right_x;
    if (limits->mirror && (flags.x & 1u) != 0) {
        variation.right_x = -variation.right_x;
        variation.right_y = -variation.right_y;
    }
    variation.x += draw_within(at.x, limits->shift * percent) * patches->width * patches->planes.shrink * step / ONE;
    variation.y += draw_within(at.y, limits->shift * percent) * patches->height * patches->planes.shrink * step / ONE;
    variation.contrast += (int32_t)draw_within(light.x, limits->contrast * 256 / 100);
    variation.brightness = (int32_t)draw_within(light.y, limits->contrast * (VALUE_MAX / 2) / 100);
    variation.blur = limits->blur && (flags.y & 1u) != 0;
    variation.noise_key = shw_random(key, copy, 4);
    variation.noise = (int32_t)shw_random_below(shw_random(key, copy, 5), limits->noise * VALUE_MAX / 100 + 1);
    return variation;
}

static uint32_t value_at(const struct shw_object_source *source, int64_t x, int64_t y)
{
    uint32_t column = (uint32_t)shw_clamp_i64(x, 0, (int64_t)source->width - 1);
    uint32_t row = (uint32_t)shw_clamp_i64(y, 0, (int64_t)source->height - 1);

    return source->values[(size_t)row * source->width + column];
}

/* Between the four values around a point, with weights of 8 bits. */
static uint32_t sample(const struct shw_object_source *source, int64_t x, int64_t y)
{
    int64_t column, row;
    SHW_UINT2 weights;

    x = (x - ONE / 2 + 128) >> 8;
    y = (y - ONE / 2 + 128) >> 8;
    column = x >> 8;
    row = y >> 8;
    weights.x = (uint32_t)(x & 255);
    weights.y = (uint32_t)(y & 255);
    return shw_detect_between(value_at(source, column, row), value_at(source, column + 1, row),
                              value_at(source, column, row + 1), value_at(source, column + 1, row + 1), weights);
}

/* `side_x` by `side_y` values around the centre. */
static void sample_all(const struct shw_object_source *source, const struct variation *variation, uint32_t side_x,
                       uint32_t side_y, uint16_t *values)
{
    for (uint32_t j = 0; j < side_y; j++)
        for (uint32_t i = 0; i < side_x; i++) {
            int64_t right = 2 * (int64_t)i + 1 - side_x, down = 2 * (int64_t)j + 1 - side_y; /* in halves */
            values[(size_t)j * side_x + i] =
                (uint16_t)sample(source, variation->x + (right * variation->right_x + down * variation->down_x) / 2,
                                 variation->y + (right * variation->right_y + down * variation->down_y) / 2);
        }
}

/* [1 2 1] in both directions, rounded; borders repeat. */
static void blur(uint16_t *values, uint32_t width, uint32_t height, uint16_t *scratch)
{
    memcpy(scratch, values, (size_t)width * height * sizeof *values);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t before = x > 0 ? x - 1 : 0, after = shw_min_u32(x + 1, width - 1), sums[3];
            uint32_t rows[3] = {y > 0 ? y - 1 : 0, y, shw_min_u32(y + 1, height - 1)};
            for (int r = 0; r < 3; r++) {
                const uint16_t *row = scratch + (size_t)rows[r] * width;
                sums[r] = shw_detect_blur3(row[before], row[x], row[after]);
            }
            values[(size_t)y * width + x] = (uint16_t)shw_detect_blurred(shw_detect_blur3(sums[0], sums[1], sums[2]));
        }
}

static void change_light(const struct variation *variation, uint16_t *values, size_t count)
{
    uint64_t sum = 0;
    int64_t mean;

    for (size_t i = 0; i < count; i++)
        sum += values[i];
    mean = (int64_t)(sum / count);
    for (size_t i = 0; i < count; i++)
        values[i] = (uint16_t)shw_clamp_i64(mean + (((int64_t)values[i] - mean) * variation->contrast + 128) / 256 +
                                                variation->brightness,
                                            0, VALUE_MAX);
}

static void add_noise(const struct variation *variation, uint16_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        values[i] = (uint16_t)shw_clamp_i64(
            values[i] + draw_within(shw_random(variation->noise_key, i, 0), variation->noise), 0, VALUE_MAX);
}

static void shrink(const uint16_t *values, uint32_t width, uint32_t height, uint32_t by, uint16_t *shrunk)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint32_t sum = 0;
            for (uint32_t i = 0; i < by * by; i++)
                sum += values[(size_t)(y * by + i / by) * width * by + x * by + i % by];
            shrunk[(size_t)y * width + x] = (uint16_t)shw_detect_shrunk(sum, by);
        }
}

bool shw_object_patch_make(const struct shw_object_patches *patches, const struct shw_object_source *source,
                           uint32_t object, uint32_t copy, uint16_t *patch)
{
    const struct variation variation = vary(patches, source, object, copy);
    uint32_t ring = patches->planes.blur_after ? 1 : 0, by = patches->planes.shrink;
    uint32_t width = patches->width + 2 * ring, height = patches->height + 2 * ring;
    size_t count = (size_t)width * by * height * by;
    uint16_t *values = malloc(3 * count * sizeof *values), *scratch = values + count, *shrunk = scratch + count;

    if (values == NULL)
        return false;
    sample_all(source, &variation, width * by, height * by, values);
    if (variation.blur)
        blur(values, width * by, height * by, scratch);
    if (variation.contrast != 256 || variation.brightness != 0)
        change_light(&variation, values, count);
    if (variation.noise > 0)
        add_noise(&variation, values, (uint32_t)count);
    shrink(values, width, height, by, shrunk);
    if (ring > 0)
        blur(shrunk, width, height, scratch);
    for (uint32_t y = 0; y < patches->height; y++)
        memcpy(patch + (size_t)y * patches->width, shrunk + (size_t)(y + ring) * width + ring,
               patches->width * sizeof *patch);
    free(values);
    return true;
}
