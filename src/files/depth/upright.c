#include "files/depth/upright.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define CLUSTERS       10
#define ITERATIONS_MAX 100  /* of k-means */
#define SHARE_MIN      0.01 /* of the normals, for a cluster to count */
#define REFINEMENTS    5    /* with each of these angles around up and its perpendiculars */
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

/* Moves the means to those of their normals; one without any stays. */
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

void shw_find_up(const double (*normals)[3], size_t count, unsigned char *clusters, double up[3])
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
