/* Which way is up, by the normals of what is seen. */
#ifndef SHW_FILES_DEPTH_UPRIGHT_H
#define SHW_FILES_DEPTH_UPRIGHT_H

#include <stddef.h>

/* The direction against gravity in the camera's coordinates, of length 1: ten clusters of the normals by k-means, from
 * ten fixed directions; the mean of the most vertical cluster, that is, the one nearest to the image's up that has at
 * least a hundredth of the normals; then, ten times, the direction to which the normals near it are most parallel and
 * the others most perpendicular (as Gupta, Arbelaez and Malik do, 2013). Without normals the image's up, (0, -1, 0).
 * `clusters`: memory for `count` numbers. Any thread. */
void shw_find_up(const double (*normals)[3], size_t count, unsigned char *clusters, double up[3]);

#endif
