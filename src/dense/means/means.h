/* Mean planes, for forests and trainings whose rectangles have few shapes: the values of all rectangles of a channel
 * and a shape, computed once at every place. A test then reads one value for each rectangle instead of four corners,
 * and the forest is evaluated as one of tests on single pixels of these planes, with the same responses.
 *
 * Element (x, y) of a plane is the value of the rectangle whose first pixel is (x - margin, y - margin), clipped to the
 * image. Rectangles that begin further to the left, or above, have the same value as those in column 0, or row 0; those
 * beyond the image the same as those in the last ones. So planes are an image that is larger by the margin in width and
 * in height, in which each pixel lies by the margin further to the right and below. */
#ifndef SHW_DENSE_MEANS_MEANS_H
#define SHW_DENSE_MEANS_MEANS_H

#include <shadewood/stage.h>

#include "dense/stage/stage_technique.h"

/* R16_SINT: the name of the planes. */
#define SHW_MEANS "means"

/* Sides may be no longer. */
#define SHW_MEANS_SIDE_MAX 65u

struct shw_mean_plane {
    uint32_t channel, width, height;
};

struct shw_means {
    /* Leaves and distributions are those of the forest that it was made for, which must outlive it. */
    struct shw_forest *forest;
    uint32_t margin;               /* the longest side, less one */
    bool is_sum;                   /* values are sums, not means */
    uint32_t count;                /* of planes */
    struct shw_mean_plane *planes; /* by channel, then by shape */
};

/* Makes the planes' list and the forest that reads them, if that is faster: if there are few planes for the tests of a
 * pixel, which are evaluated on the host or on a device. NULL: it is not, or it is not possible, or memory is
 * exhausted. To be freed with shw_means_free(). */
struct shw_means *shw_means_make(const struct shw_forest *forest, bool on_host);

/* Whether responses of a feature type can be read from mean planes; *is_sum: planes have sums. */
bool shw_means_serve(const struct shw_feature_type *type, bool *is_sum);

/* A copy of the given planes, channel by channel, whose values fit 16 bits, for training. The forest only names them
 * for the techniques below, and cannot be evaluated. NULL: memory is exhausted. To be freed with shw_means_free(). */
struct shw_means *shw_means_make_planes(const struct shw_mean_plane *planes, uint32_t count, bool is_sum);

/* Whether shw_means_compute_technique can make them: wide margins need much shared memory. */
bool shw_means_compute_fits(const struct shw_device *device, const struct shw_means *means);

/* Accepts NULL. */
void shw_means_free(struct shw_means *means);

/* A frame as the stage `evaluate` sees it, which reads the planes. */
static inline struct shw_stage_frame shw_means_frame(const struct shw_means *means, struct shw_stage_frame frame)
{
    frame.width += means->margin;
    frame.height += means->margin;
    frame.full_width += means->margin;
    frame.full_height += means->margin;
    frame.tile_x += means->margin;
    frame.tile_y += means->margin;
    return frame;
}

/* Techniques of the stage `integrate` that make mean planes instead of integral images. The forest of the stage is that
 * of a struct shw_means. */
extern const struct shw_stage_technique shw_means_cpu_technique, shw_means_compute_technique;

/* Records slots first..first+count-1 of an instance that the passes of `compute` have created, side by side, for whole
 * images of these sizes. Inputs must be ready. Outputs are in use shw_use_compute_write; their `stride`, `height` and
 * `first` may change between recordings as long as the images fit. */
void shw_means_compute_record_many(const void *passes, struct shw_device *device, VkCommandBuffer commands,
                                   uint32_t first, uint32_t count, const struct shw_region *regions);

#endif
