/* The parts of a calibration. */
#ifndef SHW_DENSE_CALIBRATION_CALIBRATE_H
#define SHW_DENSE_CALIBRATION_CALIBRATE_H

#include <shadewood/calibrate.h>
#include <shadewood/image.h>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "dense/pipeline/pipeline.h"

/* Everything is measured with a small frame, for the fixed cost, and with a large one, if that does not take too long.
 */
#define SHW_CALIBRATE_SIZES 2u

#define SHW_CALIBRATE_CLASSES 16u

struct shw_calibrate_frame {
    struct shw_calibration_work work;
    struct shw_image image;  /* a corner of the calibrator's */
    struct shw_pipeline cpu; /* all stages on the host */
};

/* A calibration in progress. */
struct shw_calibrator {
    struct shw_device *device;
    struct shw_log log;
    struct shw_thread_pool *pool;
    bool is_cpu;       /* the device */
    double begin, end; /* seconds of the clock: `end` is the deadline of the current part */
    double longest;    /* seconds of its longest step so far */
    struct shw_forest *forest;
    uint8_t *pixels;  /* RGB, of an image that frames are corners of */
    uint16_t *labels; /* of its pixels */
    struct shw_calibrate_frame frames[SHW_CALIBRATE_SIZES];
    struct shw_calibration *result;
};

/* Whether to do a step: there is time for one as long as the longest so far, or the step measures the default technique
 * of this device, without which the results would be misleading. */
bool shw_calibrate_goes_on(const struct shw_calibrator *calibrator, enum shw_technique technique);

/* Records the duration of a step that started at `begin`. */
void shw_calibrate_step(struct shw_calibrator *calibrator, double begin);

/* Runs a job a few times, at least once; *ms is the shortest time. Errors: the job's. */
enum shw_result shw_calibrate_time(enum shw_result (*job)(void *user), void *user, double *ms);

/* The data: a forest of random tests, an image of coloured patches, and its planes. Errors: MEMORY. */
enum shw_result shw_calibrate_make_work(struct shw_calibrator *calibrator);
void shw_calibrate_free_work(struct shw_calibrator *calibrator);

/* Fill in their parts of the result, as far as time permits. COMPUTE also measures transfers. Errors: MEMORY,
 * DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_calibrate_cpu(struct shw_calibrator *calibrator);
enum shw_result shw_calibrate_device(struct shw_calibrator *calibrator, enum shw_technique technique);

/* Whether this failure only means that the technique is skipped. */
bool shw_calibrate_is_missing(enum shw_result result);

#endif
