#include "base/integers.h"
#include "detection/detect/rectangles.h"

/* What the first stage has said of a window. */
enum fate { FLAT, REJECTED, PASSED };

static void keep_window(struct shw_rectangles_windows *windows, uint32_t from, uint32_t to)
{
    windows->base[to] = windows->base[from];
    windows->number[to] = windows->number[from];
    windows->norm[to] = windows->norm[from];
    windows->score[to] = windows->score[from];
}

/* The windows of the band from number `first` on. */
static void begin_windows(const struct shw_rectangles_walk *walk, const struct shw_detect_band *band,
                          const struct shw_detect_tally *tally, uint32_t first, struct shw_rectangles_windows *windows)
{
    const struct shw_detect_level *level = band->level;
    const struct shw_detect_position *columns = tally->plan->positions + level->first_column;
    const struct shw_detect_position *rows = tally->plan->positions + level->first_row + band->first_row;
    uint32_t row = first / level->columns, column = first % level->columns;

    windows->count = (uint32_t)shw_min_u64(SHW_RECTANGLES_WINDOWS, (uint64_t)band->rows * level->columns - first);
    for (uint32_t w = 0; w < windows->count; w++) {
        windows->base[w] = (int32_t)(walk->first + (size_t)rows[row].at * walk->pitch + (size_t)columns[column].at);
        windows->number[w] = first + w;
        windows->norm[w] = 0;
        windows->score[w] = 0;
        if (++column == level->columns) {
            column = 0;
            row++;
        }
    }
}

/* Vectors read windows after the last one. */
static void repeat_last(struct shw_rectangles_windows *windows)
{
    for (uint32_t w = windows->count; windows->count > 0 && w < windows->count + SHW_RECTANGLES_LANES; w++)
        keep_window(windows, windows->count - 1, w);
}

/* Removes windows whose deviation is too small, and marks the others. */
static void remove_flat(struct shw_rectangles_windows *windows, uint8_t *fates)
{
    uint32_t kept = 0;

    for (uint32_t w = 0; w < windows->count; w++) {
        fates[w] = windows->norm[w] == 0 ? FLAT : REJECTED;
        keep_window(windows, w, kept);
        kept += windows->norm[w] != 0;
    }
    windows->count = kept;
}

static void run_stage(const struct shw_rectangles_walk *walk, uint32_t s, struct shw_rectangles_windows *windows)
{
    const struct shw_cascade_stage *stage = &walk->info->stages[s];
    uint32_t kept = 0;

    for (uint32_t w = 0; walk->info->restarts && w < windows->count; w++)
        windows->score[w] = 0;
    repeat_last(windows);
    for (uint32_t t = 0; t < stage->tree_count; t++)
        walk->add_tree(walk->walker, stage->first_tree + t, windows);
    for (uint32_t w = 0; w < windows->count; w++) {
        keep_window(windows, w, kept);
        kept += windows->score[w] >= stage->threshold;
    }
    windows->count = kept;
}

/* OpenCV's rule: the window after one that the first stage has rejected is left out. Marks those as flat and returns
 * how many are left; *leaves_out tells whether the rule applies to the first window, and becomes that for the window
 * after the last. */
static uint32_t leave_out(uint32_t columns, uint32_t first, uint32_t count, uint8_t *fates, bool *leaves_out)
{
    uint32_t column = first % columns, tested = 0;

    for (uint32_t w = 0; w < count; w++) {
        *leaves_out = *leaves_out && column > 0;
        if (*leaves_out)
            fates[w] = FLAT;
        tested += !*leaves_out;
        *leaves_out = !*leaves_out && fates[w] == REJECTED;
        column = column + 1 < columns ? column + 1 : 0;
    }
    return tested;
}

static void remove_left_out(struct shw_rectangles_windows *windows, uint32_t first, const uint8_t *fates)
{
    uint32_t kept = 0;

    for (uint32_t w = 0; w < windows->count; w++) {
        keep_window(windows, w, kept);
        kept += fates[windows->number[w] - first] == PASSED;
    }
    windows->count = kept;
}

/* The first stage, and the windows that it is run on. */
static void begin_stages(const struct shw_rectangles_walk *walk, uint32_t columns, uint32_t first,
                         struct shw_rectangles_windows *windows, uint64_t *survivors, bool *leaves_out)
{
    uint8_t fates[SHW_RECTANGLES_WINDOWS];
    uint32_t count = windows->count;

    for (uint32_t w = 0; w < count; w++)
        fates[w] = REJECTED;
    if (walk->set_norms != NULL) {
        repeat_last(windows);
        walk->set_norms(walk->walker, windows);
        remove_flat(windows, fates);
    }
    run_stage(walk, 0, windows);
    for (uint32_t w = 0; w < windows->count; w++)
        fates[windows->number[w] - first] = PASSED;
    survivors[0] += walk->step == 0 ? leave_out(columns, first, count, fates, leaves_out) : count;
    remove_left_out(windows, first, fates);
    survivors[1] += windows->count;
}

void shw_rectangles_walk_band(const struct shw_rectangles_walk *walk, const struct shw_detect_band *band,
                              struct shw_detect_tally *tally)
{
    uint32_t columns = band->level->columns;
    uint64_t count = (uint64_t)band->rows * columns;
    struct shw_rectangles_windows windows;
    bool leaves_out = false;

    for (uint64_t first = 0; first < count; first += SHW_RECTANGLES_WINDOWS) {
        begin_windows(walk, band, tally, (uint32_t)first, &windows);
        begin_stages(walk, columns, (uint32_t)first, &windows, tally->survivors, &leaves_out);
        for (uint32_t s = 1; s < walk->info->stage_count && windows.count > 0; s++) {
            run_stage(walk, s, &windows);
            tally->survivors[s + 1] += windows.count;
        }
        for (uint32_t w = 0; w < windows.count; w++)
            shw_detect_tally_add(tally, band, windows.number[w] % columns,
                                 band->first_row + windows.number[w] / columns, windows.score[w]);
    }
}
