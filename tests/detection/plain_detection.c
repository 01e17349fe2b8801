#include "plain_detection.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* 256 times the cosine of an angle in 1/32 of a turn, towards zero. */
static int64_t cosine(uint32_t angle)
{
    static const int16_t known[9] = {256, 251, 236, 212, 181, 142, 97, 49, 0};
    uint32_t to_axis = angle % 16 <= 8 ? angle % 16 : 16 - angle % 16;

    return angle % 32 <= 8 || angle % 32 >= 24 ? known[to_axis] : -known[to_axis];
}

static int64_t sine(uint32_t angle)
{
    return cosine(angle + 24);
}

static int64_t floor_div(int64_t value, int64_t divisor)
{
    int64_t quotient = value / divisor;

    return quotient - (value % divisor < 0);
}

struct plane {
    int64_t *values;
    int32_t width, height;
};

static struct plane make_plane(int32_t width, int32_t height)
{
    struct plane plane = {calloc((size_t)width * (size_t)height + 1, sizeof *plane.values), width, height};

    assert_non_null(plane.values);
    assert_true((size_t)width * (size_t)height <= PLAIN_PIXELS_MAX);
    return plane;
}

static int64_t *at(const struct plane *plane, int32_t x, int32_t y)
{
    x = x < 0 ? 0 : x >= plane->width ? plane->width - 1 : x;
    y = y < 0 ? 0 : y >= plane->height ? plane->height - 1 : y;
    return &plane->values[(size_t)y * (size_t)plane->width + (size_t)x];
}

/* Sixteen times the blurred plane. */
static struct plane blur(const struct plane *from)
{
    static const int weights[3] = {1, 2, 1};
    struct plane to = make_plane(from->width, from->height);

    for (int32_t y = 0; y < to.height; y++)
        for (int32_t x = 0; x < to.width; x++)
            for (int32_t j = -1; j <= 1; j++)
                for (int32_t i = -1; i <= 1; i++)
                    *at(&to, x, y) += weights[i + 1] * weights[j + 1] * *at(from, x + i, y + j);
    return to;
}

static struct plane halve(const struct plane *from)
{
    struct plane to = make_plane(from->width / 2, from->height / 2);

    for (int32_t y = 0; y < to.height; y++)
        for (int32_t x = 0; x < to.width; x++)
            *at(&to, x, y) = floor_div(*at(from, 2 * x, 2 * y) + *at(from, 2 * x + 1, 2 * y) +
                                           *at(from, 2 * x, 2 * y + 1) + *at(from, 2 * x + 1, 2 * y + 1) + 2,
                                       4);
    return to;
}

/* The pixel before a place and the way to the next one in 256ths. */
static void sample(int32_t i, int32_t size, int32_t full, int32_t *first, int64_t *part)
{
    int64_t place = (2 * (int64_t)i + 1) * full - size; /* in 1 / (2 size) */
    int64_t rest = place % (2 * (int64_t)size) * 256;

    *first = (int32_t)(place / (2 * (int64_t)size));
    *part = rest / (2 * size);
    if (2 * (rest % (2 * size)) > 2 * size || (rest % (2 * size) == size && *part % 2 == 1))
        ++*part;
}

static struct plane resample(const struct plane *from, int32_t width, int32_t height)
{
    struct plane to = make_plane(width, height);

    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            int32_t x0, y0;
            int64_t right, down;
            sample(x, width, from->width, &x0, &right);
            sample(y, height, from->height, &y0, &down);
            *at(&to, x, y) = floor_div(
                *at(from, x0, y0) * (256 - right) * (256 - down) + *at(from, x0 + 1, y0) * right * (256 - down) +
                    *at(from, x0, y0 + 1) * (256 - right) * down + *at(from, x0 + 1, y0 + 1) * right * down + 32768,
                65536);
        }
    return to;
}

static struct plane shrink_by(const struct plane *from, int32_t shrink)
{
    struct plane to = make_plane(from->width / shrink, from->height / shrink);

    for (int32_t y = 0; y < to.height; y++)
        for (int32_t x = 0; x < to.width; x++) {
            int64_t sum = 0;
            for (int32_t i = 0; i < shrink * shrink; i++)
                sum += *at(from, x * shrink + i % shrink, y * shrink + i / shrink);
            *at(&to, x, y) = floor_div(16 * sum + shrink * shrink / 2, shrink * shrink);
        }
    return to;
}

/* A window: where a point of the cascade is read. */
struct window {
    const struct plane *plane;
    int32_t x, y; /* the first pixel, or of SCALED the middle */
    int32_t size; /* of SCALED; of PIXELS the window's width */
    bool is_scaled;
    uint32_t angle;
};

static int64_t value_at(const struct window *window, int64_t x, int64_t y)
{
    int64_t q = cosine(window->angle), p = sine(window->angle), last = window->size - 1;
    int64_t dx = x, dy = y;

    if (window->is_scaled) {
        dx = floor_div(window->size * (q * x + p * y), 65536);
        dy = floor_div(window->size * (q * y - p * x), 65536);
    } else if (window->angle != 0) {
        dx = floor_div(256 * last + q * (2 * x - last) + p * (2 * y - last) + 256, 512);
        dy = floor_div(256 * last + q * (2 * y - last) - p * (2 * x - last) + 256, 512);
    }
    dx += window->x;
    dy += window->y;
    assert_true(dx >= -(window->is_scaled && window->angle != 0) && dx < window->plane->width);
    assert_true(dy >= -(window->is_scaled && window->angle != 0) && dy < window->plane->height);
    return *at(window->plane, (int32_t)dx, (int32_t)dy);
}

static int32_t tree_value(const struct window *window, const struct shw_cascade_node *nodes)
{
    uint32_t n = 0;

    while (nodes[n].is_split) {
        int64_t response = value_at(window, nodes[n].x1, nodes[n].y1) - value_at(window, nodes[n].x2, nodes[n].y2);
        n = nodes[n].left + (response > nodes[n].threshold);
    }
    return nodes[n].value;
}

struct search {
    const struct shw_cascade_info *info;
    struct shw_detections found;
    uint64_t *survivors;
};

/* Adds `found`, but its score, if the window passes. */
static void test_window(struct search *search, const struct window *window, struct shw_detection found)
{
    const struct shw_cascade_info *info = search->info;
    int32_t score = 0;

    search->survivors[0]++;
    for (uint32_t s = 0; s < info->stage_count; s++) {
        if (info->restarts)
            score = 0;
        for (uint32_t t = 0; t < info->stages[s].tree_count; t++)
            score += tree_value(window, info->nodes + info->trees[info->stages[s].first_tree + t].first_node);
        if (score < info->stages[s].threshold)
            return;
        search->survivors[s + 1]++;
    }
    found.score = score - info->score_base;
    found.angle = window->angle;
    found.neighbours = 1;
    search->found.items = realloc(search->found.items, (search->found.count + 1) * sizeof *search->found.items);
    assert_non_null(search->found.items);
    search->found.items[search->found.count++] = found;
}

static int32_t rounded(double value)
{
    return (int32_t)floor(value + 0.5);
}

/* A place on a level in the image. */
static int32_t in_image(int32_t at_level, int32_t shrink, int32_t scaled, int32_t full)
{
    return (int32_t)floor_div(2 * (int64_t)at_level * shrink * full + scaled, 2 * (int64_t)scaled);
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static void test_level(struct search *search, const struct shw_scan *scan, const struct plane *level,
                       struct shw_detection found, int32_t scaled_width, int32_t scaled_height,
                       const struct plain_image *image)
{
    const struct shw_cascade_info *info = search->info;
    int32_t width = (int32_t)info->window_width, height = (int32_t)info->window_height;
    int32_t shrink = (int32_t)info->planes.shrink, margin = (106 * (width - 1) + 256) / 512;

    for (uint32_t a = 0; a < scan->angle_count; a++)
        for (int32_t y = 0; y + height <= level->height; y += (int32_t)scan->step)
            for (int32_t x = 0; x + width <= level->width; x += (int32_t)scan->step) {
                const struct window window = {level, x, y, width, false, scan->angles[a]};
                if (scan->angles[a] != 0 && (x < margin || y < margin || x + width + margin > level->width ||
                                             y + height + margin > level->height))
                    continue;
                found.x = least(in_image(x, shrink, scaled_width, image->width), image->width - (int32_t)found.width);
                found.y =
                    least(in_image(y, shrink, scaled_height, image->height), image->height - (int32_t)found.height);
                test_window(search, &window, found);
            }
}

static void detect_pixels(struct search *search, const struct shw_scan *scan, const struct plain_image *image)
{
    const struct shw_cascade_info *info = search->info;
    struct plane grey = make_plane(image->width, image->height), bases[16] = {{0}};
    int32_t shrink = (int32_t)info->planes.shrink;

    for (int32_t i = 0; i < image->width * image->height; i++)
        grey.values[i] = (info->planes.blur_before ? 1 : 16) * image->grey[i];
    bases[0] = info->planes.blur_before ? blur(&grey) : grey;
    for (uint32_t k = 0;; k++) {
        uint32_t octave = info->planes.octaves ? k / scan->levels_per_octave : 0;
        double ratio = pow(2, (double)k / scan->levels_per_octave);
        int32_t width, height;
        struct shw_detection found = {.level = k};
        struct plane scaled, level;

        if (octave > 0 && bases[octave].values == NULL)
            bases[octave] = halve(&bases[octave - 1]);
        width = least(rounded(image->width / ratio), bases[octave].width);
        height = least(rounded(image->height / ratio), bases[octave].height);
        if (width / shrink < (int32_t)info->window_width || height / shrink < (int32_t)info->window_height)
            break;
        found.width = (uint32_t)in_image((int32_t)info->window_width, shrink, width, image->width);
        found.height = (uint32_t)in_image((int32_t)info->window_height, shrink, height, image->height);
        scaled = resample(&bases[octave], width, height);
        level = shrink_by(&scaled, shrink);
        free(scaled.values);
        if (info->planes.blur_after) {
            struct plane sharp = level;
            level = blur(&sharp);
            free(sharp.values);
            for (int32_t i = 0; i < level.width * level.height; i++)
                level.values[i] = floor_div(level.values[i] + 8, 16);
        }
        if (found.width >= scan->min_size && found.height >= scan->min_size &&
            (scan->max_size == 0 || found.width <= scan->max_size || found.height <= scan->max_size))
            test_level(search, scan, &level, found, width, height, image);
        free(level.values);
    }
    for (uint32_t o = info->planes.blur_before ? 0 : 1; o < 16; o++)
        free(bases[o].values);
    free(grey.values);
}

/* pico's rule for windows at an angle, with its division towards zero. */
static bool turned_is_inside(int64_t centre, int64_t size, int64_t length)
{
    return (65536 * centre + 46341 * size) / 65536 < length && (65536 * centre - 46341 * size) / 65536 >= 0;
}

static void detect_scaled(struct search *search, const struct shw_scan *scan, const struct plain_image *image)
{
    struct plane grey = make_plane(image->width, image->height);
    float most = scan->max_size != 0 ? (float)scan->max_size : 65536;
    uint32_t number = 0;

    for (int32_t i = 0; i < image->width * image->height; i++)
        grey.values[i] = image->grey[i];
    for (float s = (float)scan->min_size; s <= most; s *= (float)scan->scale_factor, number++) {
        float d = (float)scan->stride * s > 1 ? (float)scan->stride * s : 1;
        for (uint32_t a = 0; a < scan->angle_count; a++)
            for (float r = s / 2 + 1; r <= (float)image->height - s / 2 - 1; r += d)
                for (float c = s / 2 + 1; c <= (float)image->width - s / 2 - 1; c += d) {
                    const struct window window = {&grey, (int32_t)c, (int32_t)r, (int32_t)s, true, scan->angles[a]};
                    const struct shw_detection found = {.x = (int32_t)c - (int32_t)s / 2,
                                                        .y = (int32_t)r - (int32_t)s / 2,
                                                        .width = (uint32_t)s,
                                                        .height = (uint32_t)s,
                                                        .level = number};
                    if (scan->angles[a] == 0 || (turned_is_inside(window.y, window.size, image->height) &&
                                                 turned_is_inside(window.x, window.size, image->width)))
                        test_window(search, &window, found);
                }
    }
    free(grey.values);
}

static int compare(const void *first, const void *second)
{
    const struct shw_detection *a = first, *b = second;

    if (a->angle != b->angle)
        return a->angle < b->angle ? -1 : 1;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->y != b->y)
        return a->y < b->y ? -1 : 1;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->score > b->score) - (a->score < b->score);
}

struct shw_detections plain_detect(const struct shw_cascade *cascade, const struct shw_scan *scan,
                                   const struct plain_image *image, uint64_t *survivors)
{
    struct search search = {.info = shw_cascade_get_info(cascade), .survivors = survivors};

    if (search.info->kind == SHW_CASCADE_HAAR || search.info->kind == SHW_CASCADE_LBP)
        search.found = plain_rectangles(cascade, scan, image, survivors);
    else if (search.info->kind == SHW_CASCADE_PIXELS)
        detect_pixels(&search, scan, image);
    else
        detect_scaled(&search, scan, image);
    if (search.found.count > 0)
        qsort(search.found.items, search.found.count, sizeof *search.found.items, compare);
    return search.found;
}
