/* Widths of the columns of panels. */
#include "ui/panel.h"

#include <math.h>
#include <string.h>

#include "testing/testing.h"

/* Point by point: the column that gives way first loses a point, and so on. */
static void fit_plainly(const struct view_columns *columns, const bool shown[2], int canvas, int widths[2])
{
    const int first = columns->last == VIEW_SIDE_LEFT ? 1 : 0, share = canvas * 18 / 100,
              usual = share < 220   ? 220
                      : share > 280 ? 280
                                    : share;

    for (int s = 0; s < 2; s++)
        widths[s] = !shown[s] ? 0 : columns->chosen[s] > 0.0f ? (int)columns->chosen[s] : usual;
    while (canvas - widths[0] - widths[1] < 200)
        if (widths[first] > 220)
            widths[first]--;
        else if (widths[1 - first] > 220)
            widths[1 - first]--;
        else
            break;
}

TESTING_CASE(the_picture_keeps_its_share)
{
    struct testing_random random = {4};

    for (int i = 0; i < 5000; i++) {
        struct view_columns columns = {.last = (enum view_side)testing_random_below(&random, 2)};
        bool shown[2];
        int canvas = 1 + (int)testing_random_below(&random, 3000), expected[2];
        float widths[2];
        for (int s = 0; s < 2; s++) {
            columns.chosen[s] =
                testing_random_below(&random, 3) == 0 ? 0.0f : (float)(220 + testing_random_below(&random, 1781));
            shown[s] = testing_random_below(&random, 4) > 0;
        }
        fit_plainly(&columns, shown, canvas, expected);
        view_columns_fit(&columns, shown, (float)canvas, widths);
        for (int s = 0; s < 2; s++)
            assert_true(fabsf(widths[s] - (float)expected[s]) < 1e-3f);
    }
}

/* A width that was dragged to is the one that is shown next, and the other column does not move. */
TESTING_CASE(edges_follow_the_mouse)
{
    struct testing_random random = {6};

    for (int i = 0; i < 5000; i++) {
        const enum view_side side = (enum view_side)testing_random_below(&random, 2);
        const bool shown[2] = {true, true};
        const float canvas = (float)(640 + testing_random_below(&random, 2000));
        struct view_columns columns = {.last = (enum view_side)testing_random_below(&random, 2)};
        float before[2], after[2], to = (float)testing_random_below(&random, 3000) - 200.0f;
        for (int s = 0; s < 2; s++)
            columns.chosen[s] = (float)(220 + testing_random_below(&random, 1781));
        view_columns_fit(&columns, shown, canvas, before);
        columns.chosen[side] = view_columns_drag(side, to, canvas, before);
        columns.last = side;
        view_columns_fit(&columns, shown, canvas, after);
        assert_true(fabsf(after[side] - columns.chosen[side]) < 1e-3f);
        assert_true(canvas - after[0] - after[1] > 200.0f - 1e-3f);
        if (to >= 220.0f && to <= 2000.0f && canvas - to - before[1 - side] >= 200.0f)
            assert_true(columns.chosen[side] == to);
    }
}
