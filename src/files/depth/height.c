#include "files/depth/height.h"

#include <stdlib.h>

#include "base/log.h"
#include "files/depth/normals.h"
#include "files/depth/upright.h"

#define LOWER_SHARE 100 /* so many of the pixels are one that may be lower than the ground */

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
        shw_find_up((const double(*)[3])normals, count, clusters, ground->up);
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
