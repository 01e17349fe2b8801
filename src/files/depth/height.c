#include "files/depth/height.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"

struct shw_camera shw_camera_assume(uint32_t width, uint32_t height)
{
    double focal = width == 512 && height == 424 ? 365 : width * 525.0 / 640;

    return (struct shw_camera){{focal, focal}, {(width - 1) / 2.0, (height - 1) / 2.0}};
}

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

/* Finds which way is up from the normals. */

#define CLUSTERS       10
#define ITERATIONS_MAX 100  /* of k-means */
#define SHARE_MIN      0.01 /* of the normals, for a cluster to count */
#define REFINEMENTS    5    /* with each of these angles to up and its perpendiculars */
#define COS_45         0.70710678118654752
#define COS_15         0.96592582628906829
#define SIN_15         0.25881904510252076
#define POWER_STEPS    200

static const double image_up[3] = {0, -1, 0};

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* False for no direction at all. */
static bool normalize(double v[3])
{
    double length = sqrt(dot(v, v));

    if (!(length > 0))
        return false;
    for (int i = 0; i < 3; i++)
        v[i] /= length;
    return true;
}

/* Directions that can be seen, spread out: nearly all normals point to the side of the camera. */
static void seed(double means[CLUSTERS][3])
{
    static const double seeds[CLUSTERS][3] = {{0, -1, 0},  {0, 1, 0},  {-1, 0, 0},  {1, 0, 0},  {0, 0, -1},
                                              {0, -1, -1}, {0, 1, -1}, {-1, 0, -1}, {1, 0, -1}, {0, -2, 1}};

    memcpy(means, seeds, sizeof seeds);
    for (int c = 0; c < CLUSTERS; c++)
        normalize(means[c]);
}

static unsigned char nearest(const double means[CLUSTERS][3], const double normal[3])
{
    unsigned char best = 0;

    for (unsigned char c = 1; c < CLUSTERS; c++)
        if (dot(means[c], normal) > dot(means[best], normal))
            best = c;
    return best;
}

/* Moves the means to those of their normals; one without normals stays. */
static void move_means(const double (*normals)[3], size_t count, const unsigned char *clusters,
                       double means[CLUSTERS][3], size_t sizes[CLUSTERS])
{
    double sums[CLUSTERS][3] = {{0}};

    memset(sizes, 0, CLUSTERS * sizeof *sizes);
    for (size_t n = 0; n < count; n++) {
        sizes[clusters[n]]++;
        for (int i = 0; i < 3; i++)
            sums[clusters[n]][i] += normals[n][i];
    }
    for (int c = 0; c < CLUSTERS; c++)
        if (normalize(sums[c]))
            memcpy(means[c], sums[c], sizeof sums[c]);
}

static void cluster(const double (*normals)[3], size_t count, unsigned char *clusters, double means[CLUSTERS][3],
                    size_t sizes[CLUSTERS])
{
    bool changed = true;

    seed(means);
    memset(clusters, CLUSTERS, count);
    for (int i = 0; i < ITERATIONS_MAX && changed; i++) {
        changed = false;
        for (size_t n = 0; n < count; n++) {
            unsigned char own = nearest((const double(*)[3])means, normals[n]);

            changed = changed || own != clusters[n];
            clusters[n] = own;
        }
        move_means(normals, count, clusters, means, sizes);
    }
}

/* The direction g of length 1 for which g' M g is least, by power iteration from the present one: the eigenvector of
 * bound - M with the largest eigenvalue. */
static void minimize(const double matrix[3][3], double g[3])
{
    double bound = 0;

    for (int i = 0; i < 3; i++) {
        double row = fabs(matrix[i][0]) + fabs(matrix[i][1]) + fabs(matrix[i][2]);

        bound = row > bound ? row : bound;
    }
    for (int step = 0; step < POWER_STEPS; step++) {
        double next[3];

        for (int i = 0; i < 3; i++)
            next[i] = bound * g[i] - dot(matrix[i], g);
        if (!normalize(next))
            return;
        memcpy(g, next, sizeof next);
    }
}

/* Normals within an angle of up or down should be parallel to it, those within that angle of the horizon perpendicular;
 * `near` is the cosine and `level` the sine of the angle. */
static void refine(const double (*normals)[3], size_t count, double near, double level, double up[3])
{
    double matrix[3][3] = {{0}};

    for (size_t n = 0; n < count; n++) {
        double cosine = fabs(dot(normals[n], up)), sign = cosine > near ? -1 : cosine < level ? 1 : 0;

        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                matrix[i][j] += sign * normals[n][i] * normals[n][j];
    }
    minimize((const double(*)[3])matrix, up);
}

/* The direction against gravity in the camera's coordinates, of length 1: ten clusters of the normals by k-means, from
 * ten fixed directions; the mean of the most vertical cluster, that is, the one nearest to the image's up that has at
 * least a hundredth of the normals; then, ten times, the direction to which the normals near it are most parallel and
 * the others most perpendicular (as Gupta, Arbelaez and Malik do, 2013). Without normals the image's up, (0, -1, 0).
 * `clusters`: memory for `count` numbers. Any thread. */
static void find_up(const double (*normals)[3], size_t count, unsigned char *clusters, double up[3])
{
    double means[CLUSTERS][3], best = -2;
    size_t sizes[CLUSTERS];

    memcpy(up, image_up, sizeof image_up);
    if (count == 0)
        return;
    cluster(normals, count, clusters, means, sizes);
    for (int c = 0; c < CLUSTERS; c++)
        if ((double)sizes[c] >= SHARE_MIN * (double)count && dot(means[c], image_up) > best) {
            best = dot(means[c], image_up);
            memcpy(up, means[c], sizeof means[c]);
        }
    for (int i = 0; i < REFINEMENTS; i++)
        refine(normals, count, COS_45, COS_45, up);
    for (int i = 0; i < REFINEMENTS; i++)
        refine(normals, count, COS_15, SIN_15, up);
}

#define LOWER_SHARE 100 /* one in so many pixels may be lower than the ground */

/* The place of a pixel along `up`, from the camera. */
static double place(uint16_t depth, uint32_t x, uint32_t y, const struct shw_camera *camera, const double up[3])
{
    double across = (x - camera->centre[0]) / camera->focal[0], down = (y - camera->centre[1]) / camera->focal[1];

    return depth * (across * up[0] + down * up[1] + up[2]);
}

static int compare(const void *a, const void *b)
{
    double one = *(const double *)a, two = *(const double *)b;

    return (one > two) - (one < two);
}

static enum shw_result find_lowest(const uint16_t *depth, uint32_t width, uint32_t height,
                                   const struct shw_camera *camera, const struct shw_log *log,
                                   struct shw_ground *ground)
{
    double *places = malloc((size_t)width * height * sizeof *places);
    size_t count = 0;

    if (places == NULL)
        return shw_fail_memory(log, "heights");
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            if (depth[(size_t)y * width + x] > 0)
                places[count++] = place(depth[(size_t)y * width + x], x, y, camera, ground->up);
    qsort(places, count, sizeof *places, compare);
    ground->lowest = count > 0 ? places[count / LOWER_SHARE] : 0;
    free(places);
    return SHW_OK;
}

enum shw_result shw_find_ground(const uint16_t *depth, uint32_t width, uint32_t height, const struct shw_camera *camera,
                                const struct shw_log *log, struct shw_ground *ground)
{
    double(*normals)[3];
    unsigned char *clusters;
    enum shw_result result = SHW_OK;
    size_t count;

    SHW_PROPAGATE(shw_find_normals(depth, width, height, camera, log, &normals, &count));
    clusters = malloc(count + 1);
    if (clusters != NULL)
        find_up((const double(*)[3])normals, count, clusters, ground->up);
    else
        result = shw_fail_memory(log, "normals");
    free(normals);
    free(clusters);
    return result == SHW_OK ? find_lowest(depth, width, height, camera, log, ground) : result;
}

static uint16_t round_height(double millimetres)
{
    return millimetres <= 0 ? 1 : millimetres >= 65534 ? 65535 : (uint16_t)(millimetres + 1.5);
}

void shw_make_heights(const uint16_t *depth, uint32_t width, uint32_t height, const struct shw_camera *camera,
                      const struct shw_ground *ground, uint16_t *heights)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            uint16_t there = depth[(size_t)y * width + x];
            uint16_t *to = &heights[(size_t)y * width + x];

            *to = there == 0 ? 0 : round_height(place(there, x, y, camera, ground->up) - ground->lowest);
        }
}

void shw_heights_beside(const char *depth, char path[SHW_HEIGHTS_PATH])
{
    snprintf(path, SHW_HEIGHTS_PATH, "%.*s_height.png", (int)(strlen(depth) - strlen("_depth.png")), depth);
}

void shw_old_heights_add(struct shw_old_heights *old, const char *path)
{
    if (old->count++ == 0)
        snprintf(old->first, sizeof old->first, "%s", path);
}

void shw_old_heights_warn(const struct shw_old_heights *old, const char *remedy, const struct shw_log *log)
{
    if (old->count > 0)
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s%s not from the depth written now: %s recreates the heights", old->first,
                        old->count == 1 ? " is" : " and others are", remedy);
}
