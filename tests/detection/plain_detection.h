/* Detection by its plain definition (docs/detection.md): every value is computed anew from the image, window by window.
 */
#ifndef SHW_UNIT_PLAIN_DETECTION_H
#define SHW_UNIT_PLAIN_DETECTION_H

#include "testing/testing.h"

/* Small images: levels are kept, of at most this many pixels together. */
#define PLAIN_PIXELS_MAX (1u << 20)

struct plain_image {
    const uint8_t *grey;
    int32_t width, height;
};

/* What the cascade finds with a scan in which nothing is left zero but max_size and OpenCV's step, in the order of
 * shw_detector_run(); `survivors` has an element more than there are stages, to which is added. */
struct shw_detections plain_detect(const struct shw_cascade *cascade, const struct shw_scan *scan,
                                   const struct plain_image *image, uint64_t *survivors);

/* The same for HAAR and LBP alone, in the order of the scan. */
struct shw_detections plain_rectangles(const struct shw_cascade *cascade, const struct shw_scan *scan,
                                       const struct plain_image *image, uint64_t *survivors);

#endif
