/* HAAR and LBP by their plain definition: rectangles are summed pixel by pixel. */
#include <math.h>
#include <stdlib.h>

#include "plain_detection.h"

struct level {
    uint8_t *grey;
    int32_t width, height;
};

/* The pixel before a place and the way to the next one in 256ths, halves to the even number. */
static void sample(int32_t i, int32_t size, int32_t full, int32_t *first, int32_t *part)
{
    int64_t place = (2 * (int64_t)i + 1) * full - size, whole = place / (2 * size);
    int64_t rest = (place - whole * 2 * size) * 256;

    *first = (int32_t)whole;
    *part = (int32_t)nearbyint((double)rest / (2.0 * size));
}

static int32_t pixel(const struct plain_image *image, int32_t x, int32_t y)
{
    x = x < image->width ? x : image->width - 1;
    y = y < image->height ? y : image->height - 1;
    return image->grey[(size_t)y * (size_t)image->width + (size_t)x];
}

static struct level resample(const struct plain_image *image, int32_t width, int32_t height)
{
    struct level level = {malloc((size_t)width * (size_t)height), width, height};

    assert_non_null(level.grey);
    for (int32_t y = 0; y < height; y++)
        for (int32_t x = 0; x < width; x++) {
            int32_t x0, y0, right, down, sum;
            sample(x, width, image->width, &x0, &right);
            sample(y, height, image->height, &y0, &down);
            sum = (pixel(image, x0, y0) * (256 - right) + pixel(image, x0 + 1, y0) * right) * (256 - down) +
                  (pixel(image, x0, y0 + 1) * (256 - right) + pixel(image, x0 + 1, y0 + 1) * right) * down;
            level.grey[(size_t)y * (size_t)width + (size_t)x] = (uint8_t)((sum + 32768) / 65536);
        }
    return level;
}

struct window {
    const struct level *level;
    int32_t x, y;
    uint64_t norm;
};

static int64_t value_at(const struct window *window, int32_t x, int32_t y)
{
    x += window->x;
    y += window->y;
    assert_true(x >= 0 && y >= 0 && x < window->level->width && y < window->level->height);
    return window->level->grey[(size_t)y * (size_t)window->level->width + (size_t)x];
}

static int64_t upright_sum(const struct window *window, int32_t x, int32_t y, int32_t width, int32_t height)
{
    int64_t sum = 0;

    for (int32_t v = y; v < y + height; v++)
        for (int32_t u = x; u < x + width; u++)
            sum += value_at(window, u, v);
    return sum;
}

/* The pixels between two lines that fall to the right and two that fall to the left. */
static int64_t tilted_sum(const struct window *window, const struct shw_cascade_rectangle *at, int32_t size)
{
    int64_t sum = 0;
    int32_t x = at->x, y = at->y;

    for (int32_t v = 0; v < size; v++)
        for (int32_t u = 0; u < size; u++)
            if (u + v >= x + y - 1 && u + v < x + y - 1 + 2 * at->width && v - u >= y - x + 1 &&
                v - u < y - x + 1 + 2 * at->height)
                sum += value_at(window, u, v);
    return sum;
}

/* The deviation times area in 1/256, rounded down; 0 for a deviation of at most 10. */
static uint64_t norm_of(const struct shw_cascade_info *info, const struct window *window)
{
    int32_t width = (int32_t)info->window_width - 2, height = (int32_t)info->window_height - 2;
    int64_t area = (int64_t)width * height, sum = 0, squares = 0, variance;
    uint64_t norm;

    for (int32_t y = 1; y <= height; y++)
        for (int32_t x = 1; x <= width; x++) {
            sum += value_at(window, x, y);
            squares += value_at(window, x, y) * value_at(window, x, y);
        }
    variance = area * squares - sum * sum;
    if (variance <= 100 * area * area)
        return 0;
    norm = (uint64_t)(sqrt((double)variance) * 256);
    while (norm * norm > (uint64_t)variance << 16)
        norm--;
    while ((norm + 1) * (norm + 1) <= (uint64_t)variance << 16)
        norm++;
    return norm;
}

static bool haar_is_right(const struct shw_cascade_info *info, const struct window *window,
                          const struct shw_cascade_node *node)
{
    const struct shw_cascade_feature *feature = &info->features[node->feature];
    int32_t size = (int32_t)(info->window_width > info->window_height ? info->window_width : info->window_height);
    int64_t response = 0;

    for (uint32_t r = 0; r < feature->rectangle_count; r++) {
        const struct shw_cascade_rectangle *at = &feature->rectangles[r];
        response += at->weight * (feature->tilted ? tilted_sum(window, at, size)
                                                  : upright_sum(window, at->x, at->y, at->width, at->height));
    }
    return response * 16777216 >= node->threshold * (int64_t)window->norm;
}

static bool lbp_is_right(const struct shw_cascade_info *info, const struct window *window,
                         const struct shw_cascade_node *node)
{
    static const int32_t around[8][2] = {{0, 1}, {0, 2}, {1, 2}, {2, 2}, {2, 1}, {2, 0}, {1, 0}, {0, 0}}; /* 1 to 128 */
    const struct shw_cascade_rectangle *at = &info->features[node->feature].rectangles[0];
    int64_t middle = upright_sum(window, at->x + at->width, at->y + at->height, at->width, at->height);
    uint32_t pattern = 0;

    for (uint32_t i = 0; i < 8; i++)
        if (upright_sum(window, at->x + around[i][0] * at->width, at->y + around[i][1] * at->height, at->width,
                        at->height) >= middle)
            pattern |= 1u << i;
    return (node->subset[pattern >> 5] >> (pattern & 31) & 1) == 0;
}

/* How many stages the window passes, and the last one's score; -1 if it is too flat. */
static int32_t run_stages(const struct shw_cascade_info *info, const struct window *window, int32_t *score)
{
    *score = 0;
    if (info->kind == SHW_CASCADE_HAAR && window->norm == 0)
        return -1;
    for (uint32_t s = 0; s < info->stage_count; s++) {
        if (info->restarts)
            *score = 0;
        for (uint32_t t = 0; t < info->stages[s].tree_count; t++) {
            const struct shw_cascade_node *nodes = info->nodes + info->trees[info->stages[s].first_tree + t].first_node;
            uint32_t n = 0;
            while (nodes[n].is_split)
                n = nodes[n].left + (info->kind == SHW_CASCADE_HAAR ? haar_is_right(info, window, &nodes[n])
                                                                    : lbp_is_right(info, window, &nodes[n]));
            *score += nodes[n].value;
        }
        if (*score < info->stages[s].threshold)
            return (int32_t)s;
    }
    return (int32_t)info->stage_count;
}

static void test_level(const struct shw_cascade_info *info, const struct shw_scan *scan, const struct level *level,
                       float scale, int32_t finest, struct shw_detection item, const struct plain_image *image,
                       struct shw_detections *found, uint64_t *survivors)
{
    int32_t step = scan->step != 0 ? (int32_t)scan->step : scale < 2 ? 2 : 1;
    int32_t end = level->height - (int32_t)info->window_height + 1, stripes = (finest + 31) / 32;
    int32_t stripe = (end / step + stripes - 1) / stripes * step;

    if (scan->step == 0 && stripes * (stripe > 0 ? stripe : step) < end)
        end = stripes * (stripe > 0 ? stripe : step); /* what OpenCV's stripes leave out */
    for (int32_t y = 0; y < end; y += step)
        for (int32_t x = 0; x + (int32_t)info->window_width <= level->width; x += step) {
            struct window window = {level, x, y, 0};
            int32_t passed;
            window.norm = norm_of(info, &window);
            passed = run_stages(info, &window, &item.score);
            for (int32_t s = 0; s <= (passed < 0 ? 0 : passed); s++)
                survivors[s]++;
            if (passed == 0 && scan->step == 0)
                x += step;
            if (passed != (int32_t)info->stage_count)
                continue;
            item.score -= info->score_base;
            item.x = (int32_t)fmin(nearbyint((double)((float)x * scale)), image->width - (int32_t)item.width);
            item.y = (int32_t)fmin(nearbyint((double)((float)y * scale)), image->height - (int32_t)item.height);
            found->items = realloc(found->items, (found->count + 1) * sizeof *found->items);
            assert_non_null(found->items);
            found->items[found->count++] = item;
        }
}

struct shw_detections plain_rectangles(const struct shw_cascade *cascade, const struct shw_scan *scan,
                                       const struct plain_image *image, uint64_t *survivors)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    struct shw_detections found = {0, NULL};
    double factor = 1;
    int32_t finest = 0;

    for (uint32_t k = 0;; k++, factor *= scan->scale_factor) {
        float scale = (float)factor;
        struct shw_detection item = {.level = k, .neighbours = 1};
        struct level level;

        item.width = (uint32_t)nearbyint((double)((float)info->window_width * scale));
        item.height = (uint32_t)nearbyint((double)((float)info->window_height * scale));
        if ((int32_t)item.width > image->width || (int32_t)item.height > image->height)
            return found;
        if (item.width < scan->min_size || item.height < scan->min_size ||
            (scan->max_size != 0 && item.width > scan->max_size && item.height > scan->max_size))
            continue;
        level = resample(image, (int32_t)nearbyint((double)((float)image->width / scale)),
                         (int32_t)nearbyint((double)((float)image->height / scale)));
        finest = finest > 0 ? finest : level.width - (int32_t)info->window_width + 1;
        test_level(info, scan, &level, scale, finest, item, image, &found, survivors);
        free(level.grey);
    }
}
