/* Which pixels of large pictures are on the device: as few as have what is seen. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "label/parts.h"
#include "testing/testing.h"

static uint64_t pixels_at(uint32_t width, uint32_t height, uint32_t step)
{
    return (uint64_t)((width + step - 1) / step) * ((height + step - 1) / step);
}

TESTING_CASE(overviews_are_as_fine_as_they_may_be)
{
    struct testing_random random = {1};

    for (int i = 0; i < 2000; i++) {
        uint32_t width = 1 + testing_random_below(&random, 400), height = 1 + testing_random_below(&random, 400);
        uint32_t most = 1 + testing_random_below(&random, 20000), longest = 1 + testing_random_below(&random, 400);
        const struct shw_part part = view_part_overview(width, height, most, longest);
        const bool finer = part.step > 1;
        const struct shw_part other = {.width = finer ? (width + part.step - 2) / (part.step - 1) : 0,
                                       .height = finer ? (height + part.step - 2) / (part.step - 1) : 0};
        assert_int_equal(part.x + part.y, 0);
        assert_int_equal((uint64_t)part.width * part.height, pixels_at(width, height, part.step));
        assert_true(pixels_at(width, height, part.step) <= most);
        assert_true(part.width <= longest && part.height <= longest);
        assert_true(!finer || (uint64_t)other.width * other.height > most || other.width > longest ||
                    other.height > longest);
    }
    assert_int_equal(view_part_overview(1920, 1080, VIEW_OVERVIEW_PIXELS, 16383).step, 1);
    assert_int_equal(view_part_overview(65535, 65535, VIEW_OVERVIEW_PIXELS, 16383).step, 46);
    assert_int_equal(view_part_overview(20000, 60, VIEW_OVERVIEW_PIXELS, 16383).step, 2);
    assert_int_equal(view_part_overview(1, 65535, VIEW_OVERVIEW_PIXELS, 16383).step, 5);
}

/* The pixel of the picture at the middle of one of the canvas; -1: none. */
static int64_t pixel_at(int64_t place, int64_t offset, uint32_t zoom, uint32_t size)
{
    int64_t distance = place * 256 + 128 - offset;

    return distance < 0 || distance / zoom >= size ? -1 : distance / zoom;
}

static bool has(const struct shw_part *part, int64_t x, int64_t y)
{
    return x >= part->x && y >= part->y && (x - part->x) / part->step < part->width &&
           (y - part->y) / part->step < part->height;
}

/* What lacks a row or a column of a part does not cover it. */
static void check_covered(const struct shw_part *part)
{
    const struct shw_part less[] = {{part->x, part->y, part->width - 1, part->height, part->step},
                                    {part->x, part->y, part->width, part->height - 1, part->step},
                                    {part->x + part->step, part->y, part->width, part->height, part->step},
                                    {part->x, part->y + part->step, part->width, part->height, part->step},
                                    {part->x, part->y, part->width, part->height, part->step + 1}};

    for (size_t i = 0; i < sizeof less / sizeof *less; i++)
        assert_false(view_part_covers(&less[i], part));
}

TESTING_CASE(details_have_what_is_seen)
{
    struct testing_random random = {2};
    uint32_t details = 0;

    for (int i = 0; i < 20000; i++) {
        uint32_t width = 1 + testing_random_below(&random, 300), height = 1 + testing_random_below(&random, 300);
        struct view_area area = {(int32_t)testing_random_below(&random, 20), (int32_t)testing_random_below(&random, 20),
                                 1 + testing_random_below(&random, 40), 1 + testing_random_below(&random, 40)};
        struct view_place place = {(int32_t)testing_random_below(&random, 60000) - 40000,
                                   (int32_t)testing_random_below(&random, 60000) - 40000,
                                   VIEW_ZOOM_MIN + testing_random_below(&random, i % 2 == 0 ? 400 : 3000)};
        uint32_t coarse = 1 + testing_random_below(&random, 20), step = place.zoom < 256 ? 256 / place.zoom : 1;
        uint32_t longest = i % 3 == 0 ? 1 + testing_random_below(&random, 100) : 16383;
        struct shw_part seen, detail;
        bool any = false, there = view_part_detail(width, height, coarse, longest, &place, &area, &seen, &detail);
        details += there;
        for (uint32_t y = 0; y < area.height; y++)
            for (uint32_t x = 0; x < area.width; x++) {
                int64_t across = pixel_at(area.x + (int64_t)x, place.offset_x, place.zoom, width),
                        down = pixel_at(area.y + (int64_t)y, place.offset_y, place.zoom, height);
                if (across < 0 || down < 0)
                    continue;
                any = true;
                if (there)
                    assert_true(has(&seen, across, down));
            }
        assert_true(there || !any || step >= coarse || longest < 16383);
        if (!there)
            continue;
        assert_true(detail.width <= longest && detail.height <= longest);
        assert_true(seen.step < coarse && seen.step >= step && detail.step == seen.step);
        if (seen.step > step) /* because too much would be seen */
            assert_true((shw_max_u32(seen.width, seen.height) + 1) * seen.step > longest * (seen.step - 1));
        else
            assert_true(step * place.zoom <= 256 || step == 1); /* no fewer than one pixel for one of the canvas */
        assert_true((step + 1) * place.zoom > 256);
        step = seen.step;
        assert_true(view_part_covers(&detail, &seen) && view_part_covers(&detail, &detail));
        check_covered(&seen);
        assert_true(detail.x % step == 0 && detail.y % step == 0);
        assert_true(detail.x + (detail.width - 1) * step < width && detail.y + (detail.height - 1) * step < height);
    }
    assert_true(details > 1000);
}

/* Cells in any order, in parts of any size: what is taken is where it belongs, and the rest is what was known. */
TESTING_CASE(cells_make_up_a_part)
{
    struct testing_random random = {3};
    const struct view_gpu gpu = {.device = VK_NULL_HANDLE};
    struct view_part_labels labels = {0};

    for (uint16_t turn = 0; turn < 200; turn++) {
        const struct shw_part part = {testing_random_below(&random, 50), testing_random_below(&random, 50),
                                      1 + testing_random_below(&random, 40), 1 + testing_random_below(&random, 40),
                                      1 + testing_random_below(&random, 5)};
        const uint32_t classes = turn % 3;
        const size_t plane = (size_t)part.width * part.height;
        uint32_t cells[2000], count, taken;
        struct shw_part parts[2000], before = labels.part;
        uint16_t old[40 * 40], *results;
        bool known = labels.known;
        if (known)
            memcpy(old, labels.argmax, (size_t)before.width * before.height * sizeof *old);
        assert_int_equal(
            view_part_labels_set(&gpu, &part, classes, 1 + testing_random_below(&random, 60), NULL, &labels), SHW_OK);
        count = view_part_labels_list(&labels, 20, 20, cells, parts);
        assert_int_equal(count, view_part_labels_cells(&labels));
        taken = testing_random_below(&random, 3) == 0 ? count : testing_random_below(&random, count + 1);
        for (uint32_t c = 0; c < taken; c++) {
            size_t pixels = (size_t)parts[c].width * parts[c].height;
            results = malloc((1 + classes) * pixels * sizeof *results);
            assert_non_null(results);
            for (size_t i = 0; i < (1 + classes) * pixels; i++)
                results[i] = (uint16_t)(1000 * (1 + i / pixels) + turn);
            view_part_labels_take(&labels, cells[c], results);
            free(results);
        }
        assert_int_equal(view_part_labels_are_exact(&labels), taken == count);
        assert_int_equal(view_part_labels_list(&labels, 20, 20, cells, parts), count - taken);
        for (uint32_t j = 0; j < part.height; j++)
            for (uint32_t i = 0; i < part.width; i++) {
                int64_t x = part.x + (int64_t)i * part.step, y = part.y + (int64_t)j * part.step;
                uint16_t is = labels.argmax[j * part.width + i];
                uint16_t was = known && has(&before, x, y)
                                   ? old[(y - before.y) / before.step * before.width + (x - before.x) / before.step]
                                   : VIEW_NO_LABEL;
                assert_true(is == 1000 + turn || is == was);
                if (taken == count)
                    assert_int_equal(is, 1000 + turn);
                for (uint32_t c = 0; taken == count && c < classes; c++)
                    assert_int_equal(labels.planes[c * plane + j * part.width + i], 1000 * (2 + c) + turn);
                for (uint32_t c = 0; c < count - taken; c++)
                    if (has(&parts[c], x, y))
                        assert_int_equal(is, was);
            }
        if (turn % 7 == 0) {
            view_part_labels_expire(&labels);
            assert_false(view_part_labels_are_exact(&labels));
        }
    }
    view_part_labels_forget(&labels);
    assert_false(labels.known);
}

/* A class of a pixel, made up. */
static uint16_t class_of(const struct shw_part *part, uint32_t i, uint32_t j)
{
    return (uint16_t)((part->x + i * part->step) * 131 + (part->y + j * part->step));
}

/* Sketches that are begun, left and gone on with: a label that is known stays, every other one becomes that of the
 * middle of its block, and cells replace both. */
TESTING_CASE(sketches_fill_what_is_not_known)
{
    struct testing_random random = {5};
    const struct view_gpu gpu = {.device = VK_NULL_HANDLE};

    for (int turn = 0; turn < 200; turn++) {
        const struct shw_part part = {testing_random_below(&random, 50), testing_random_below(&random, 50),
                                      1 + testing_random_below(&random, 40), 1 + testing_random_below(&random, 40),
                                      1 + testing_random_below(&random, 5)};
        const uint32_t most = 1 + testing_random_below(&random, 30), side = view_part_labels_block_side(&part, most);
        const uint32_t columns = (part.width - 1) / side + 1, rows = (part.height - 1) / side + 1;
        struct view_part_labels labels = {0};
        struct shw_part parts[2000];
        uint32_t numbers[2000], count;
        assert_true(columns * rows <= most);
        assert_true(side == 1 || ((part.width - 1) / (side - 1) + 1) * ((part.height - 1) / (side - 1) + 1) > most);
        assert_int_equal(view_part_labels_set(&gpu, &part, 2, 9, NULL, &labels), SHW_OK);
        count = view_part_labels_list(&labels, 20, 20, numbers, parts);
        for (uint32_t c = 0; c < count / 3; c++) { /* some cells are known before */
            uint16_t results[3 * 2000];
            for (uint32_t i = 0; i < 3 * parts[c].width * parts[c].height; i++)
                results[i] = 1;
            view_part_labels_take(&labels, numbers[c], results);
        }
        do {
            count = view_part_labels_sketch(&labels, side, 20, 20, numbers, parts);
            for (uint32_t b = 0; b < (count + 1) / 2; b++) {
                uint32_t i = (parts[b].x - part.x) / part.step, j = (parts[b].y - part.y) / part.step;
                const uint16_t label = class_of(&part, i, j), results[] = {label, (uint16_t)(label + 1), 7};
                assert_int_equal(parts[b].width * parts[b].height, 1);
                assert_int_equal(j / side * columns + i / side, numbers[b]);
                view_part_labels_take_block(&labels, side, numbers[b], results);
            }
        } while (count > 0);
        for (uint32_t j = 0; j < part.height; j++)
            for (uint32_t i = 0; i < part.width; i++) {
                size_t at = j * part.width + i, plane = (size_t)part.width * part.height;
                uint32_t left = i / side * side, top = j / side * side;
                uint32_t width = part.width - left < side ? part.width - left : side;
                uint32_t height = part.height - top < side ? part.height - top : side;
                if (labels.exact[j / labels.side * labels.columns + i / labels.side]) {
                    assert_int_equal(labels.argmax[at], 1);
                    continue;
                }
                assert_int_equal(labels.argmax[at], class_of(&part, left + width / 2, top + height / 2));
                assert_int_equal(labels.planes[at], (uint16_t)(labels.argmax[at] + 1));
                assert_int_equal(labels.planes[plane + at], 7);
            }
        view_part_labels_forget(&labels);
    }
}
