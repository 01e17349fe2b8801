/* Frames of luma and chroma. */
#ifndef SHW_TESTING_FRAMES_H
#define SHW_TESTING_FRAMES_H

#include <shadewood/ycbcr.h>

#include "testing/testing.h"

/* Random encodings and sizes of chroma: as large as luma, or halved in one direction or both. */
struct shw_ycbcr testing_encoding(struct testing_random *random);

/* A frame of that size, with chroma halved where that is said, of random words; rows lie `padding` samples apart. Its
 * planes are to be freed by testing_frame_free(). */
struct shw_ycbcr_image testing_frame(struct testing_random *random, const struct shw_ycbcr *encoding, uint32_t width,
                                     uint32_t height, bool x_halved, bool y_halved, bool interleaved, uint32_t padding);
void testing_frame_free(struct shw_ycbcr_image *frame);

#endif
