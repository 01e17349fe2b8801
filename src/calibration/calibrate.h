/* The parts of a calibration. */
#ifndef SHW_CALIBRATION_CALIBRATE_H
#define SHW_CALIBRATION_CALIBRATE_H

#include <shadewood/calibrate.h>
#include <shadewood/image.h>

#include "base/clock.h"
#include "base/thread_pool.h"

/* How much work a stage has, in its units, and how many bytes its planes have. `work` without zeros. */
double shw_calibration_units(const struct shw_calibration_work *work, enum shw_stage stage);
double shw_calibration_bytes(const struct shw_calibration_work *work, enum shw_stage stage);

/* A frame as the sum of its parts, not corrected. */
double shw_calibration_sum(const struct shw_calibration *calibration, const struct shw_calibration_work *work,
                           const enum shw_technique techniques[SHW_STAGE_COUNT]);

/* Everything is measured with a small frame, which shows what is fixed, and with a large one, if that does not take too
 * long. */
#define SHW_CALIBRATE_SIZES 2u

struct shw_calibrate_frame {
    struct shw_calibration_work work;
    struct shw_image image; /* a corner of the calibrator's */
    int16_t *channels;      /* planes without padding */
    uint32_t *integrals;
};

/* One calibration on its way. */
struct shw_calibrator {
    struct shw_device *device;
    struct shw_log log;
    struct shw_thread_pool *pool;
    bool is_cpu;       /* the device */
    double begin, end; /* seconds of the clock: until when the part at hand may take */
    double longest;    /* seconds that one step of it took so far */
    struct shw_forest *forest;
    uint8_t *pixels;  /* RGB, of an image that frames are corners of */
    uint16_t *labels; /* of its pixels */
    struct shw_calibrate_frame frames[SHW_CALIBRATE_SIZES];
    struct shw_calibration *result;
};

/* Whether a step is to be done: there is time for one that takes as long as the longest so far; or the step is about
 * the technique that is usual on this device, without which the rest would mislead. */
bool shw_calibrate_goes_on(const struct shw_calibrator *calibrator, enum shw_technique technique);

/* Remembers how long a step has taken that began at `begin`. */
void shw_calibrate_step(struct shw_calibrator *calibrator, double begin);

/* Runs a job a few times, at least once; *ms is the shortest time. Errors: the job's. */
enum shw_result shw_calibrate_time(enum shw_result (*job)(void *user), void *user, double *ms);

/* Measures one job with the small frame, and with the large one if that can be expected to take little; `before` is
 * what every run takes besides. `job` takes the frame from *frame, which is set. Errors: the job's. */
struct shw_calibrate_job {
    enum shw_result (*ready)(void *user); /* or NULL: what is to be done before, not measured */
    enum shw_result (*run)(void *user);
    void *user;
    uint32_t *frame;
    double units[SHW_CALIBRATE_SIZES];
    double before; /* milliseconds */
    bool large;    /* the large frame in any case */
};
enum shw_result shw_calibrate_cost(const struct shw_calibrate_job *job, struct shw_cost *cost);

/* What is labelled and trained on: a forest of random tests, an image of coloured patches, and its planes. Errors:
 * MEMORY. */
enum shw_result shw_calibrate_make_work(struct shw_calibrator *calibrator);
void shw_calibrate_free_work(struct shw_calibrator *calibrator);

/* Each fills in its part of the result, as far as there is time. The CPU's stages make the planes that the device's
 * need. Errors: MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_calibrate_stages(struct shw_calibrator *calibrator, enum shw_technique technique);
enum shw_result shw_calibrate_training(struct shw_calibrator *calibrator, enum shw_technique technique);
enum shw_result shw_calibrate_frames(struct shw_calibrator *calibrator);

/* The parts of shw_calibrate_stages(). COMPUTE measures hand-overs, too. */
enum shw_result shw_calibrate_cpu(struct shw_calibrator *calibrator);
enum shw_result shw_calibrate_device(struct shw_calibrator *calibrator, enum shw_technique technique);

/* Whether a technique that failed so is simply left out. */
bool shw_calibrate_is_missing(enum shw_result result);

#endif
