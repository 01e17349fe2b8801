#include "files/depth/normals.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"

#define GRID_COLUMNS   160u
#define WIDTH_PER_SIDE 80u  /* the square reaches width / 80 pixels to each side, */
#define REACH_MIN      2    /* or so many */
#define STEP_SHARE     10   /* depth that differs by more than a tenth is of another surface */
#define FLAT           1e-9 /* of a determinant, for points in one line */

/* Sums over the pixels of a square, with x and y from its centre and q = (depth of the centre) / depth. */
struct sums {
    double count, x, y, xx, xy, yy, q, xq, yq;
};

static void add(struct sums *sums, double x, double y, double q)
{
    sums->count += 1;
    sums->x += x;
    sums->y += y;
    sums->xx += x * x;
    sums->xy += x * y;
    sums->yy += y * y;
    sums->q += q;
    sums->xq += x * q;
    sums->yq += y * q;
}

static int32_t get_reach(uint32_t width)
{
    return shw_max_i32(REACH_MIN, (int32_t)(width / WIDTH_PER_SIDE));
}

static struct sums sum_square(const uint16_t *depth, uint32_t width, uint32_t height, uint32_t x, uint32_t y)
{
    int32_t reach = get_reach(width);
    int32_t left = shw_max_i32(0, (int32_t)x - reach), right = shw_min_i32((int32_t)width - 1, (int32_t)x + reach);
    int32_t top = shw_max_i32(0, (int32_t)y - reach), bottom = shw_min_i32((int32_t)height - 1, (int32_t)y + reach);
    int32_t centre = depth[(size_t)y * width + x];
    struct sums sums = {0};

    for (int32_t v = top; v <= bottom; v++)
        for (int32_t u = left; u <= right; u++) {
            int32_t there = depth[(size_t)v * width + (size_t)u];

            if (there > 0 && STEP_SHARE * abs(there - centre) <= centre)
                add(&sums, u - (int32_t)x, v - (int32_t)y, (double)centre / there);
        }
    return sums;
}

/* Along a plane, 1 / depth is a linear function of the pixel: q = a x + b y + c by least squares gives its normal. At
 * least a third of the square must be there. */
static bool fit_plane(const struct sums *sums, uint32_t width, double plane[3])
{
    double side = 2.0 * get_reach(width) + 1, n = sums->count;
    double xx, xy, yy, xq, yq, determinant;

    if (3 * n < side * side)
        return false;
    xx = n * sums->xx - sums->x * sums->x;
    xy = n * sums->xy - sums->x * sums->y;
    yy = n * sums->yy - sums->y * sums->y;
    xq = n * sums->xq - sums->x * sums->q;
    yq = n * sums->yq - sums->y * sums->q;
    determinant = xx * yy - xy * xy;
    if (determinant <= FLAT * xx * yy)
        return false;
    plane[0] = (xq * yy - yq * xy) / determinant;
    plane[1] = (yq * xx - xq * xy) / determinant;
    plane[2] = (sums->q - plane[0] * sums->x - plane[1] * sums->y) / n;
    return true;
}

static void make_normal(const double plane[3], uint32_t x, uint32_t y, const struct shw_camera *camera,
                        double normal[3])
{
    double away = plane[2] + plane[0] * (camera->centre[0] - x) + plane[1] * (camera->centre[1] - y), length;

    normal[0] = -plane[0] * camera->focal[0];
    normal[1] = -plane[1] * camera->focal[1];
    normal[2] = -away;
    length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int i = 0; i < 3; i++)
        normal[i] /= length;
}

enum shw_result shw_find_normals(const uint16_t *depth, uint32_t width, uint32_t height,
                                 const struct shw_camera *camera, const struct shw_log *log, double (**normals)[3],
                                 size_t *count)
{
    uint32_t step = (width + GRID_COLUMNS - 1) / GRID_COLUMNS;
    size_t columns = (width + step - 1) / step, rows = (height + step - 1) / step;

    *count = 0;
    *normals = malloc(columns * rows * sizeof **normals);
    if (*normals == NULL)
        return shw_fail_memory(log, "normals");
    for (uint32_t y = step / 2; y < height; y += step)
        for (uint32_t x = step / 2; x < width; x += step) {
            struct sums sums;
            double plane[3];

            if (depth[(size_t)y * width + x] == 0)
                continue;
            sums = sum_square(depth, width, height, x, y);
            if (fit_plane(&sums, width, plane))
                make_normal(plane, x, y, camera, (*normals)[(*count)++]);
        }
    return SHW_OK;
}
