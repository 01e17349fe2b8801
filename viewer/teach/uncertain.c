#include "teach/uncertain.h"

#include <stdlib.h>

#include <shadewood/dataset.h>

#include "base/integers.h"

#define REACH   8u                        /* pixels of the picture */
#define CERTAIN ((uint64_t)65535 * 65535) /* sum of squares if one class has all the probability */

/* Rows of sums of squares around the row that is looked at. */
struct window {
    const struct view_distributions *of;
    uint32_t reach;    /* in pixels of the part, like everything below */
    uint64_t *rows;    /* [2 reach + 1][width], in a ring */
    uint64_t *columns; /* [width]: their sums */
    bool *labelled;    /* [2 reach + 1][width], as `rows` */
};

static bool is_labelled(const struct view_distributions *of, uint32_t i, uint32_t j)
{
    const struct shw_part *part = &of->part;

    return of->labels != NULL &&
           shw_picture_labels_get(of->labels, part->x + i * part->step, part->y + j * part->step) != SHW_LABEL_VOID;
}

static uint64_t sum_squares(const struct view_distributions *of, size_t pixel)
{
    size_t pixels = (size_t)of->part.width * of->part.height;
    uint64_t sum = 0;

    for (uint32_t c = 0; c < of->class_count; c++) {
        uint64_t probability = of->planes[c * pixels + pixel];

        sum += probability * probability;
    }
    return sum < CERTAIN ? sum : CERTAIN;
}

/* Replaces the oldest row of the window by row j, which may be outside. */
static void enter_row(struct window *window, int64_t j)
{
    const struct shw_part *part = &window->of->part;
    uint32_t rows = 2 * window->reach + 1, place = (uint32_t)((j + rows) % rows);
    bool inside = j >= 0 && j < part->height;

    for (uint32_t i = 0; i < part->width; i++) {
        size_t at = (size_t)place * part->width + i;
        uint64_t sum = CERTAIN;

        window->labelled[at] = !inside || is_labelled(window->of, i, (uint32_t)j);
        if (!window->labelled[at])
            sum = sum_squares(window->of, (size_t)j * part->width + i);
        window->columns[i] += sum - window->rows[at];
        window->rows[at] = sum;
    }
}

/* The sum of the square whose middle is in column i. */
static uint64_t sum_square(const struct window *window, uint32_t i)
{
    int64_t reach = window->reach;
    uint64_t sum = 0;

    for (int64_t c = (int64_t)i - reach; c <= (int64_t)i + reach; c++)
        sum += c >= 0 && c < window->of->part.width ? window->columns[c] : (uint64_t)(2 * reach + 1) * CERTAIN;
    return sum;
}

struct best {
    bool found;
    uint64_t sum;
    uint32_t i, j;
};

static void look_at_row(const struct window *window, uint32_t j, uint32_t margin, struct best *best)
{
    const struct shw_part *part = &window->of->part;
    const bool *labelled = window->labelled + (size_t)(j % (2 * window->reach + 1)) * part->width;

    for (uint32_t i = margin; i + margin < part->width; i++) {
        uint64_t sum;

        if (labelled[i])
            continue;
        sum = sum_square(window, i);
        if (!best->found || sum < best->sum)
            *best = (struct best){true, sum, i, j};
    }
}

/* The part without `margin` pixels of it along its border. */
static struct best search(struct window *window, uint32_t margin)
{
    const struct shw_part *part = &window->of->part;
    const int64_t reach = window->reach;
    struct best best = {0};

    for (int64_t j = -reach; j < part->height + reach; j++) {
        int64_t middle = j - reach;

        enter_row(window, j);
        if (middle >= margin && middle + margin < part->height)
            look_at_row(window, (uint32_t)middle, margin, &best);
    }
    return best;
}

bool view_find_uncertain(const struct view_distributions *of, uint32_t margin, uint32_t *x, uint32_t *y)
{
    const struct shw_part *part = &of->part;
    uint32_t side = shw_min_u32(part->width, part->height), step = part->step;
    struct window window = {.of = of, .reach = shw_min_u32((REACH + step - 1) / step, side / 8)};
    size_t cells = (2 * (size_t)window.reach + 1) * part->width;
    struct best best = {0};

    window.rows = calloc(cells, sizeof *window.rows);
    window.columns = calloc(part->width, sizeof *window.columns);
    window.labelled = calloc(cells, sizeof *window.labelled);
    if (window.rows != NULL && window.columns != NULL && window.labelled != NULL) {
        best = search(&window, shw_min_u32((margin + step - 1) / step, side / 4));
        if (!best.found)
            best = search(&window, 0);
    }
    free(window.rows);
    free(window.columns);
    free(window.labelled);
    *x = part->x + best.i * step;
    *y = part->y + best.j * step;
    return best.found;
}

double view_mean_uncertainty(const struct view_distributions *of)
{
    const struct shw_part *part = &of->part;
    uint64_t sum = 0, count = 0;

    for (uint32_t j = 0; j < part->height; j++)
        for (uint32_t i = 0; i < part->width; i++)
            if (!is_labelled(of, i, j)) {
                sum += CERTAIN - sum_squares(of, (size_t)j * part->width + i);
                count++;
            }
    if (count == 0 || of->class_count < 2)
        return 0.0;
    return (double)sum / (double)count / (double)CERTAIN / (1.0 - 1.0 / of->class_count);
}
