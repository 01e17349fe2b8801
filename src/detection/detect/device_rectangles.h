/* The walker of HAAR and LBP, for the technique `compute`, all of whose ways are the same for them. */
#ifndef SHW_DETECTION_DETECT_DEVICE_RECTANGLES_H
#define SHW_DETECTION_DETECT_DEVICE_RECTANGLES_H

#include "detection/detect/device.h"

extern const struct shw_detect_walker shw_device_rectangles;

#endif
