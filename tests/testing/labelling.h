/* Labelling in tests: random images, room for all outputs, and comparison. */
#ifndef SHW_TESTING_LABELLING_H
#define SHW_TESTING_LABELLING_H

#include "testing/testing.h"

#define TESTING_ALL_OUTPUTS                                                                                            \
    (SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_FOREST_LEAVES | SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX)

/* Smooth blobs with some noise, so that neighbouring pixels go different ways; samples over the whole range of the
 * format. Rows lie `padding` bytes apart from each other (even, for 16 bits). The pixels are to be freed with
 * free(). */
struct shw_image testing_image(struct testing_random *random, uint32_t width, uint32_t height,
                               enum shw_pixel_format format, size_t padding);

/* Depths, or heights: 16-bit grey with runs of equal values of all magnitudes, and holes. Likewise to be freed. */
struct shw_image testing_depth(struct testing_random *random, uint32_t width, uint32_t height);

/* A plane of floats, most of them from -0.5 to 1.5, some no numbers or infinite. Likewise to be freed. */
struct shw_image testing_floats(struct testing_random *random, uint32_t width, uint32_t height);

/* Room for every output of a forest, filled with a pattern. */
struct testing_labelling {
    struct shw_labelling out;
    uint32_t width, height, trees, classes;
    bool tiled; /* by testing_label(): the image was cut */
};
struct testing_labelling testing_labelling(const struct shw_forest *forest, uint32_t width, uint32_t height);
void testing_labelling_free(struct testing_labelling *labelling);

/* All outputs of one image by one mixture of techniques, from a labeller made for it. Zero params.outputs means all of
 * them. */
struct testing_labelling testing_label(const struct shw_labeller_params *params, const struct shw_image *image);

/* Fails the test at the first element that differs; `what` begins the message. Outputs not in `outputs` are left
 * out. */
void testing_labelling_same(const char *what, uint32_t outputs, const struct testing_labelling *got,
                            const struct testing_labelling *expected);

#endif
