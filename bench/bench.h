/* The bench's parts. */
#ifndef SHW_BENCH_H
#define SHW_BENCH_H

#include <jansson.h>

#include <shadewood/shadewood.h>

struct bench {
    uint32_t device, images, width, height;
    const char *data; /* a folder with images/, labels/ and splits/, or NULL: synthetic scenes */
    bool training;    /* only that, on the device */
    bool check;       /* trained on the CPU, too, and compared */
    struct shw_dataset dataset;
    struct shw_log log;
};

/* Trains by the device in the settings of Sharp 2008 (Figure 9) and of CURFIL (2013), and with less memory than the images need. */
json_t *bench_training(struct bench *bench, struct shw_device *device);

/* Grows a tree by blending, and then draws the histograms of its last round again: as points that the vertex shader scatters, and as points at
 * the same positions, read from a buffer. By timestamps. NULL where the device has none or cannot blend. */
json_t *bench_blending(const struct bench *bench, struct shw_device *device);

#endif
