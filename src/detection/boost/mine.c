/* Mining: the scan of an image, and the choice among the windows that pass. */
#include "detection/boost/trainer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/samples/draws.h"
#include "detection/detect/levels.h"
#include "detection/detect/plan.h"
#include "detection/detect/walk.h"
#include "shared/random.h"

/* Images are scanned until there are so many times as many windows as are wanted, of which those that are kept are
 * drawn. */
#define SHW_MINE_SURPLUS 4u

/* A window overlaps an object if both have more than this percentage of their union in common. */
#define SHW_MINE_OVERLAP 30u

struct scan {
    uint32_t image, orientation;
};

/* Which windows are kept: those of the least priority, which is drawn; `scan`, `level`, `row` and `column` break ties.
 */
struct found {
    uint64_t priority;
    uint32_t scan, level, row, column;
    int32_t score;
    uint32_t image;
    uint32_t slot; /* of the patch, with the worker that has the image */
};

/* The windows that are kept so far, of all threads. */
struct pool {
    pthread_mutex_t mutex;
    const struct shw_mining *mining;
    uint32_t points; /* of a patch */
    struct found *found;
    uint16_t *patches;
    uint32_t *slots; /* that are free */
    uint32_t count, capacity, slot_count;
    uint64_t scanned, passed;
    uint64_t passed_all; /* by all workers, in the batches that have ended */
    uint64_t limit;      /* as many windows as are wanted have no priority above it */
    enum shw_result result;
};

#define BATCH        64u        /* scans; after each it is decided whether there are enough windows */
#define BAND_WINDOWS (1u << 16) /* about, at a time */
#define ORIENTATIONS 8u         /* bit 0: mirrored; then turned by quarters */

struct batch {
    struct pool *pool;
    const struct shw_walk_trees *trees;
    struct shw_scan settings;
    const struct scan *scans;
    uint32_t first, draw_key;
};

static int compare_found(const void *a, const void *b)
{
    const struct found *first = a, *second = b;

#define BY(member)                                                                                                     \
    if (first->member != second->member)                                                                               \
        return first->member < second->member ? -1 : 1;
    BY(priority)
    BY(scan)
    BY(level)
    BY(row)
    BY(column)
#undef BY
    return 0;
}

static void swap_found(struct found *a, struct found *b)
{
    const struct found kept = *a;

    *a = *b;
    *b = kept;
}

/* Puts the median of the first, the middle and the last one first. */
static void choose_pivot(struct found *found, uint32_t size)
{
    struct found *middle = found + size / 2, *last = found + size - 1;

    if (compare_found(middle, last) > 0)
        swap_found(middle, last);
    if (compare_found(found, last) > 0)
        swap_found(found, last);
    if (compare_found(middle, found) > 0)
        swap_found(middle, found);
}

/* Puts the first `count` of them, in any order, before the others (quickselect: Hoare 1961). */
static void select_first(struct found *found, uint32_t size, uint32_t count)
{
    while (size > 1 && count > 0 && count < size) {
        uint32_t left = 0;

        choose_pivot(found, size);
        for (uint32_t i = 1; i < size; i++)
            if (compare_found(&found[i], found) < 0)
                swap_found(&found[++left], &found[i]);
        swap_found(found, &found[left]);
        if (count <= left) {
            size = left;
        } else {
            found += left + 1;
            size -= left + 1;
            count -= left + 1;
        }
    }
}

/* Leaves at most `count`, those with the least priorities. If some were left out, *limit becomes the greatest priority
 * of those that are kept: others above it need not be looked at. */
static uint32_t keep_first(struct found *found, uint32_t size, uint32_t count, uint64_t *limit)
{
    if (size <= count)
        return size;
    select_first(found, size, count);
    *limit = 0;
    for (uint32_t i = 0; i < count; i++)
        *limit = shw_max_u64(*limit, found[i].priority);
    return count;
}

/* The image mirrored and turned counter-clockwise by quarters. */
static void orient(const uint8_t *grey, uint32_t width, uint32_t height, uint32_t orientation, uint8_t *oriented)
{
    uint32_t quarters = orientation >> 1, across = (quarters & 1u) != 0 ? height : width;
    uint32_t down = (quarters & 1u) != 0 ? width : height;

    for (uint32_t y = 0; y < down; y++)
        for (uint32_t x = 0; x < across; x++) {
            uint32_t from_x = quarters == 0 ? x : quarters == 1 ? width - 1 - y : quarters == 2 ? width - 1 - x : y;
            uint32_t from_y = quarters == 0 ? y : quarters == 1 ? x : quarters == 2 ? height - 1 - y : height - 1 - x;
            if ((orientation & 1u) != 0)
                from_x = width - 1 - from_x;
            oriented[(size_t)y * across + x] = grey[(size_t)from_y * width + from_x];
        }
}

/* Whether the window is at an object. */
static bool is_object(const struct shw_grey_images *images, uint32_t image, const struct shw_detection *window)
{
    const struct shw_grey_image *of = &images->images[image];

    for (uint32_t o = of->first_object; o < of->first_object + of->object_count; o++) {
        const struct shw_cascade_object *object = &images->dataset->objects[o];
        int64_t right = object->x + (int64_t)object->width, bottom = object->y + (int64_t)object->height;
        int64_t window_right = window->x + (int64_t)window->width, window_bottom = window->y + (int64_t)window->height;
        int64_t across = (right < window_right ? right : window_right) - shw_max_i32(object->x, window->x);
        int64_t down = (bottom < window_bottom ? bottom : window_bottom) - shw_max_i32(object->y, window->y);
        int64_t common = across > 0 && down > 0 ? across * down : 0, area = (int64_t)window->width * window->height;
        int64_t all = area + (int64_t)object->width * object->height - common;
        if (object->ignored ? 2 * common >= area : 100 * common > SHW_MINE_OVERLAP * all)
            return true;
    }
    return false;
}

/* What a scan of one image works with. */
struct work {
    const struct batch *batch;
    uint32_t scan; /* number */
    struct shw_detect_plan plan;
    struct shw_detect_plan counted; /* the same, but positions in the image are the numbers of columns and rows */
    struct shw_levels *levels;
    struct shw_detect_tally tally; /* of `counted` */
    struct found *found;
    uint32_t count, capacity;
    uint64_t passed;
    uint64_t limit; /* as many windows as are wanted have no priority above it */
};

static enum shw_result take_band(struct work *work, uint32_t level_index)
{
    const struct batch *batch = work->batch;
    const struct shw_mining *mining = batch->pool->mining;
    const struct shw_detect_level *level = &work->plan.levels[level_index];
    const struct shw_detect_position *positions = work->plan.positions;
    uint32_t key = shw_random(batch->draw_key, work->scan, level_index);

    if (work->tally.failed || !SHW_RESERVE(work->found, work->capacity, (size_t)work->count + work->tally.count))
        return shw_fail_memory(&mining->images->log, "windows that are mined");
    for (uint32_t i = 0; i < work->tally.count; i++) {
        struct shw_detection *window = &work->tally.items[i];
        struct found found = {.scan = work->scan,
                              .image = batch->scans[work->scan].image,
                              .level = level_index,
                              .row = (uint32_t)window->y,
                              .column = (uint32_t)window->x,
                              .score = window->score};
        struct shw_uint2 draw = shw_random2(key, found.row, found.column);
        window->x = positions[level->first_column + found.column].image;
        window->y = positions[level->first_row + found.row].image;
        if (is_object(mining->images, found.image, window))
            continue;
        found.priority = (uint64_t)draw.x << 32 | draw.y;
        work->passed++;
        if (found.priority <= work->limit)
            work->found[work->count++] = found;
    }
    work->tally.count = 0;
    if (work->count > 2 * mining->count)
        work->count = keep_first(work->found, work->count, mining->count, &work->limit);
    return SHW_OK;
}

static enum shw_result walk(struct work *work)
{
    const struct batch *batch = work->batch;
    const uint16_t *values = shw_levels_get(work->levels);

    for (uint32_t l = 0; l < work->plan.level_count; l++) {
        const struct shw_detect_level *level = &work->plan.levels[l];
        const struct shw_walk walk = {.trees = batch->trees,
                                      .nodes = batch->trees->nodes,
                                      .levels = values,
                                      .stride = (int32_t)work->plan.mipmap_width,
                                      .first = (int32_t)(level->y * work->plan.mipmap_width + level->x)};
        uint32_t rows = shw_max_u32(BAND_WINDOWS / level->columns, 1);
        for (uint32_t row = 0; row < level->rows; row += rows) {
            const struct shw_detect_band band = {
                .level = level, .first_row = row, .rows = shw_min_u32(rows, level->rows - row)};
            if (atomic_load(batch->pool->mining->stop))
                return SHW_ERROR_CANCELLED;
            shw_walk_band(&walk, shw_simd_level(), &band, &work->tally);
            SHW_PROPAGATE(take_band(work, l));
        }
    }
    return SHW_OK;
}

static void drop_surplus(struct pool *pool)
{
    uint32_t kept = keep_first(pool->found, pool->count, pool->mining->count, &pool->limit);

    for (uint32_t i = kept; i < pool->count; i++)
        pool->slots[pool->slot_count++] = pool->found[i].slot;
    pool->count = kept;
}

/* Adds what a scan has found to what is kept. */
static void merge(struct work *work)
{
    struct pool *pool = work->batch->pool;
    const struct shw_cascade_info *info = work->batch->trees->info;
    const uint16_t *values = shw_levels_get(work->levels);

    work->count = keep_first(work->found, work->count, pool->mining->count, &work->limit);
    pthread_mutex_lock(&pool->mutex);
    pool->passed += work->passed;
    pool->scanned += work->tally.survivors[0];
    for (uint32_t i = 0; i < work->count; i++) {
        struct found *found = &work->found[i];
        const struct shw_detect_level *level = &work->plan.levels[found->level];
        const uint16_t *from = values + (size_t)(level->y + found->row * level->step) * work->plan.mipmap_width +
                               level->x + found->column * level->step;
        if (pool->count == pool->capacity)
            drop_surplus(pool);
        if (found->priority > pool->limit)
            continue;
        found->slot = pool->slots[--pool->slot_count];
        for (uint32_t y = 0; y < info->window_height; y++)
            memcpy(pool->patches + (size_t)found->slot * pool->points + (size_t)y * info->window_width,
                   from + (size_t)y * work->plan.mipmap_width, info->window_width * sizeof *from);
        pool->found[pool->count++] = *found;
    }
    pthread_mutex_unlock(&pool->mutex);
}

static bool count_positions(struct work *work)
{
    work->counted = work->plan;
    work->counted.positions = malloc(work->plan.position_count * sizeof *work->counted.positions);
    for (uint32_t l = 0; work->counted.positions != NULL && l < work->plan.level_count; l++) {
        const struct shw_detect_level *level = &work->plan.levels[l];
        for (uint32_t c = 0; c < level->columns; c++)
            work->counted.positions[level->first_column + c] =
                (struct shw_detect_position){work->plan.positions[level->first_column + c].at, (int32_t)c};
        for (uint32_t r = 0; r < level->rows; r++)
            work->counted.positions[level->first_row + r] =
                (struct shw_detect_position){work->plan.positions[level->first_row + r].at, (int32_t)r};
    }
    return work->counted.positions != NULL;
}

static enum shw_result scan_image(struct work *work)
{
    const struct batch *batch = work->batch;
    const struct shw_mining *mining = batch->pool->mining;
    const struct scan *scan = &batch->scans[work->scan];
    const struct shw_grey_image *image = &mining->images->images[scan->image];
    const struct shw_cascade_info *info = batch->trees->info;
    const struct shw_log *log = &mining->images->log;
    bool sideways = (scan->orientation >> 1 & 1u) != 0;
    uint8_t *oriented = NULL;
    const uint8_t *grey = NULL;
    enum shw_result result;

    SHW_TRY(shw_grey_images_get(mining->images, scan->image, &grey));
    SHW_TRY(shw_detect_plan_make(mining->cascade, &batch->settings, sideways ? image->height : image->width,
                                 sideways ? image->width : image->height, log, &work->plan));
    if (work->plan.level_count == 0)
        goto fail;
    oriented = malloc((size_t)image->width * image->height);
    work->tally =
        (struct shw_detect_tally){.plan = &work->counted, .survivors = calloc(info->stage_count + 1, sizeof(uint64_t))};
    if (oriented == NULL || work->tally.survivors == NULL || !count_positions(work)) {
        result = shw_fail_memory(log, "an image that is mined");
        goto fail;
    }
    pthread_mutex_lock(&batch->pool->mutex);
    work->limit = batch->pool->limit;
    pthread_mutex_unlock(&batch->pool->mutex);
    orient(grey, image->width, image->height, scan->orientation, oriented);
    SHW_TRY(shw_levels_create(&info->planes, &work->plan, log, &work->levels));
    shw_levels_make(work->levels, oriented, NULL);
    SHW_TRY(walk(work));
    merge(work);

fail:
    if (grey != NULL)
        shw_grey_images_release(mining->images, scan->image, grey);
    free(oriented);
    return result;
}

static void run_scan(void *user, uint32_t index, uint32_t thread)
{
    const struct batch *batch = user;
    struct work work = {.batch = batch, .scan = batch->first + index};
    enum shw_result result = SHW_OK;

    (void)thread;
    if (shw_boost_owns_image(batch->pool->mining->workers, batch->scans[work.scan].image))
        result = scan_image(&work);
    shw_levels_destroy(&work.levels);
    free(work.counted.positions);
    shw_detect_plan_free(&work.plan);
    free(work.tally.survivors);
    free(work.tally.items);
    free(work.found);
    if (result == SHW_OK)
        return;
    pthread_mutex_lock(&batch->pool->mutex);
    batch->pool->result = batch->pool->result == SHW_OK ? result : batch->pool->result;
    pthread_mutex_unlock(&batch->pool->mutex);
    shw_thread_pool_stop(batch->pool->mining->pool);
}

/* Whether an image is scanned, as one that is mined or one that is held out. */
static bool is_scanned(const struct shw_mining *mining, uint32_t image)
{
    const struct shw_cascade_dataset *dataset = mining->images->dataset;
    uint32_t key = shw_draw_key(mining->seed, 0, SHW_DRAW_HELD_OUT);
    bool held_out = shw_random_below(shw_random(key, image, 0), 100) < mining->hold_out_percent;

    return held_out == mining->held_out && (dataset->backgrounds == NULL || dataset->backgrounds[image]);
}

/* All scans that are possible, in an order that is drawn. NULL if memory is exhausted. */
static struct scan *list_scans(const struct shw_mining *mining, uint32_t key, uint32_t *count)
{
    const struct shw_cascade_dataset *dataset = mining->images->dataset;
    struct scan *scans = malloc(((size_t)dataset->image_count * ORIENTATIONS + 1) * sizeof *scans);

    *count = 0;
    for (uint32_t i = 0; scans != NULL && i < dataset->image_count; i++) {
        bool all = mining->turned && mining->images->images[i].object_count == 0;
        if (is_scanned(mining, i))
            for (uint32_t o = 0; o < (all ? ORIENTATIONS : 1); o++)
                scans[(*count)++] = (struct scan){i, o};
    }
    for (uint32_t i = 0; scans != NULL && i < *count; i++) {
        uint32_t other = i + shw_random_below(shw_random(key, i, mining->round), *count - i);
        struct scan scan = scans[other];
        scans[other] = scans[i];
        scans[i] = scan;
    }
    return scans;
}

static enum shw_result run_scans(struct pool *pool, const struct shw_walk_trees *trees)
{
    const struct shw_mining *mining = pool->mining;
    struct batch batch = {
        .pool = pool, .trees = trees, .draw_key = shw_draw_key(mining->seed, mining->round, SHW_DRAW_WINDOWS)};
    uint32_t count;
    struct scan *scans = list_scans(mining, shw_draw_key(mining->seed, 0, SHW_DRAW_SCANS), &count);
    enum shw_result result = scans != NULL ? shw_scan_resolve(mining->cascade, &mining->images->log, &batch.settings)
                                           : shw_fail_memory(&mining->images->log, "images that are mined");

    batch.scans = scans;
    for (; batch.first < count && result == SHW_OK; batch.first += BATCH) {
        if (pool->passed_all >= (uint64_t)SHW_MINE_SURPLUS * mining->count)
            break;
        shw_thread_pool_run(mining->pool, shw_min_u32(BATCH, count - batch.first), run_scan, &batch);
        result = pool->result;
        pool->passed_all = pool->passed;
        if (result == SHW_OK)
            result = shw_boost_add_up(mining->workers, &pool->passed_all, 1);
    }
    free(scans);
    return result;
}

static enum shw_result allocate(struct pool *pool)
{
    pool->capacity = pool->mining->count * 2;
    pool->found = malloc(pool->capacity * sizeof *pool->found);
    pool->patches = malloc((size_t)pool->capacity * pool->points * sizeof *pool->patches);
    pool->slots = malloc(pool->capacity * sizeof *pool->slots);
    if (pool->found == NULL || pool->patches == NULL || pool->slots == NULL)
        return shw_fail_memory(&pool->mining->images->log, "windows that are mined");
    for (; pool->slot_count < pool->capacity; pool->slot_count++)
        pool->slots[pool->slot_count] = pool->slot_count;
    return SHW_OK;
}

void shw_mined_free(struct shw_mined *mined)
{
    free(mined->patches);
    free(mined->scores);
    *mined = (struct shw_mined){0};
}

/* Adds what the other workers have found. */
static enum shw_result join(struct pool *pool)
{
    const struct shw_boost_workers *workers = pool->mining->workers;
    const uint32_t worker_count = shw_boost_workers_count(workers);
    const uint32_t worker = workers->exchange != NULL ? workers->exchange->worker : 0;
    uint32_t *owners, count = 0, at = 0, first = 0;
    uint64_t *numbers; /* windows that were scanned and that passed, then those found by each worker */
    struct found *all = NULL;
    enum shw_result result;

    if (workers->exchange == NULL)
        return SHW_OK;
    drop_surplus(pool);
    numbers = calloc(2 + (size_t)worker_count, sizeof *numbers);
    if (numbers == NULL)
        return shw_fail_memory(&pool->mining->images->log, "windows that are mined");
    numbers[0] = pool->scanned;
    numbers[1] = pool->passed;
    numbers[2 + worker] = pool->count;
    result = shw_boost_add_up(workers, numbers, 2 + worker_count);
    for (uint32_t w = 0; w < worker_count; w++)
        count += (uint32_t)numbers[2 + w];
    owners = malloc((count + (size_t)1) * sizeof *owners);
    all = calloc(count + (size_t)1, sizeof *all);
    if (result == SHW_OK && (owners == NULL || all == NULL))
        result = shw_fail_memory(&pool->mining->images->log, "windows that are mined");
    for (uint32_t w = 0; result == SHW_OK && w < worker_count; w++) {
        first = w == worker ? at : first;
        for (uint64_t i = 0; i < numbers[2 + w]; i++)
            owners[at++] = w;
    }
    if (result == SHW_OK && pool->count > 0)
        memcpy(all + first, pool->found, pool->count * sizeof *all);
    if (result == SHW_OK)
        result = shw_boost_share_rows(workers, owners, count, sizeof *all, all);
    if (result == SHW_OK) {
        free(pool->found);
        pool->found = all;
        all = NULL;
        pool->count = count;
        pool->scanned = numbers[0];
        pool->passed = numbers[1];
    }
    free(all);
    free(owners);
    free(numbers);
    return result;
}

/* In the order of priorities. */
static enum shw_result hand_over(struct pool *pool, struct shw_mined *mined)
{
    size_t size = pool->points * sizeof *pool->patches;
    uint32_t *owners;
    enum shw_result result;

    SHW_PROPAGATE(join(pool));
    qsort(pool->found, pool->count, sizeof *pool->found, compare_found);
    pool->count = shw_min_u32(pool->count, pool->mining->count);
    *mined = (struct shw_mined){.patches = malloc(pool->count * size + 1),
                                .scores = malloc((pool->count + 1) * sizeof *mined->scores),
                                .count = pool->count,
                                .scanned = pool->scanned,
                                .passed = pool->passed};
    owners = malloc((pool->count + (size_t)1) * sizeof *owners);
    if (mined->patches == NULL || mined->scores == NULL || owners == NULL) {
        free(owners);
        shw_mined_free(mined);
        return shw_fail_memory(&pool->mining->images->log, "windows that are mined");
    }
    for (uint32_t i = 0; i < pool->count; i++) {
        const struct found *found = &pool->found[i];

        owners[i] = shw_boost_image_owner(pool->mining->workers, found->image);
        if (shw_boost_owns_image(pool->mining->workers, found->image))
            memcpy(mined->patches + (size_t)i * pool->points, pool->patches + (size_t)found->slot * pool->points, size);
        mined->scores[i] = found->score;
    }
    result = shw_boost_share_rows(pool->mining->workers, owners, pool->count, size, mined->patches);
    free(owners);
    if (result != SHW_OK)
        shw_mined_free(mined);
    return result;
}

enum shw_result shw_mine(const struct shw_mining *mining, struct shw_mined *mined)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(mining->cascade);
    struct pool pool = {.mining = mining, .points = info->window_width * info->window_height, .limit = UINT64_MAX};
    struct shw_walk_trees trees = {0};
    enum shw_result result;

    pthread_mutex_init(&pool.mutex, NULL);
    SHW_TRY(shw_walk_trees_make(mining->cascade, &mining->images->log, &trees));
    SHW_TRY(allocate(&pool));
    SHW_TRY(run_scans(&pool, &trees));
    SHW_TRY(hand_over(&pool, mined));

fail:
    shw_walk_trees_free(&trees);
    free(pool.found);
    free(pool.patches);
    free(pool.slots);
    pthread_mutex_destroy(&pool.mutex);
    return result;
}
