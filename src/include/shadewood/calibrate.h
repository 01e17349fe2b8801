/* Calibration: which technique is fastest on a device. Part of Shadewood; MIT licence, see LICENSE.
 *
 * Which technique is fastest depends on the device, its driver and the host's processors. shw_calibrate() measures it
 * once, in a second or less; the result is plain data, which the caller may store, in a file for example, and passes to
 * labellers and trainers. Their technique `auto` then means the fastest according to these measurements. The library
 * measures only on request, and reads and writes no files. A calibration does not affect the results of labelling and
 * training. */
#ifndef SHADEWOOD_CALIBRATE_H
#define SHADEWOOD_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/device.h>
#include <shadewood/forest.h>
#include <shadewood/log.h>
#include <shadewood/technique.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of struct shw_calibration; it changes with the meaning of the fields. */
#define SHW_CALIBRATION_VERSION 1u

/* The cost of work: fixed_ms + units * unit_ns / 10^6 milliseconds, by the host's clock. */
struct shw_cost {
    bool measured; /* false: not measured, or impossible on the device */
    double fixed_ms, unit_ns;
};

/* Transfers of data to the technique of the next stage: `fragment` uses images, `compute` buffers, `cpu` host memory.
 */
enum shw_transition {
    SHW_HAND_OVER_SUBMISSION = 0, /* submitting work and waiting for its completion; no units */
    SHW_HAND_OVER_SOURCE = 1,     /* an image from the host to the device; units are pixels */
    SHW_HAND_OVER_UPLOAD = 2,     /* planes from the host into a buffer; units are bytes */
    SHW_HAND_OVER_DOWNLOAD = 3,   /* planes out of a buffer to the host; bytes */
    SHW_HAND_OVER_TO_IMAGE = 4,   /* planes out of a buffer into an image; bytes */
    SHW_HAND_OVER_TO_BUFFER = 5   /* planes out of an image into a buffer; bytes */
};
#define SHW_HAND_OVER_COUNT 6u

/* The work of a frame. Zero means the default at the field. */
struct shw_calibration_work {
    uint32_t width, height; /* pixels of an image: 640 x 480 */
    uint32_t channel_count; /* planes of the forest's channel set: 16 */
    uint32_t tree_count;    /* 1 */
    uint32_t visits;        /* tests on a pixel's path through all trees: the sum of their depths. 1 */
    uint32_t class_count;   /* 2 */
    uint32_t outputs;       /* enum shw_output flags: SHW_OUTPUT_ARGMAX */
    uint32_t threads;       /* of the technique `cpu`: as many as it was measured with */
    bool recorded; /* by shw_labeller_record(): source and results stay on the device, and `cpu` is impossible */
};

/* A whole frame, measured as shw_labeller_run() does it. */
struct shw_calibration_frame {
    enum shw_technique techniques[SHW_STAGE_COUNT];
    double predicted_ms; /* from the costs of its parts */
    double measured_ms;
};
#define SHW_CALIBRATION_FRAMES_MAX 8u

/* Units of stages: channels and integrate, pixels times channels; evaluate, pixels times (visits + trees * classes /
 * 16), without the second part where the outputs need no class. */
struct shw_calibration {
    uint32_t version; /* SHW_CALIBRATION_VERSION */
    /* The device and its driver, as in struct shw_device_description, */
    uint32_t vendor_id, device_id, driver_version;
    uint8_t pipeline_cache_uuid[16];
    uint32_t threads; /* and the threads of `cpu` */

    struct shw_cost stages[SHW_STAGE_COUNT][SHW_TECHNIQUE_COUNT]; /* by enum shw_stage and enum shw_technique */
    struct shw_cost hand_overs[SHW_HAND_OVER_COUNT];              /* by enum shw_transition */
    double training_ns[SHW_TECHNIQUE_COUNT]; /* per response of a training round; 0: not measured */
    struct shw_calibration_work work;        /* of the whole frames */
    struct shw_calibration_frame frames[SHW_CALIBRATION_FRAMES_MAX];
    uint32_t frame_count;
    double milliseconds; /* duration of the calibration */
};

/* Zero means the default at the field. */
struct shw_calibrate_params {
    struct shw_device *device; /* borrowed during the call; one of shw_device_create() */
    uint32_t threads;          /* of the technique `cpu`: one per processor */
    /* After this time no new measurement is started: 700, which makes about a second in total. Techniques for which no
     * time is left are not measured; `cpu` and, unless the device is a CPU, `compute` always are. These, and a driver
     * that compiles shaders for the first time, can exceed it. */
    uint32_t milliseconds;
    struct shw_log log;
};

/* Measures the stages with every technique, transfers, whole frames and training rounds. The device should be idle.
 * Techniques that it does not support are skipped. Errors: ARGUMENT (no device, or an imported one),
 * MEMORY, DEVICE_MEMORY, DEVICE_LOST. Any thread; the device's queue is used. */
SHW_API enum shw_result shw_calibrate_abi(uint32_t abi, const struct shw_calibrate_params *params,
                                          struct shw_calibration *calibration);
static inline enum shw_result shw_calibrate(const struct shw_calibrate_params *params,
                                            struct shw_calibration *calibration)
{
    return shw_calibrate_abi(SHW_ABI, params, calibration);
}

/* Whether a calibration is of this version of the structure, this device and this driver. Any thread. */
SHW_API bool shw_calibration_fits(const struct shw_calibration *calibration,
                                  const struct shw_device_description *device);

/* The work of a forest and outputs, for images of the default size. Any thread. */
SHW_API struct shw_calibration_work shw_calibration_work_of(const struct shw_forest *forest, uint32_t outputs);

/* The predicted milliseconds of a frame with these techniques, one per stage; infinite if a part was not measured. For
 * combinations measured as whole frames, the sum of the parts is corrected by the ratio of the measured frame to its
 * parts; for others, by the worst of these ratios. Any thread. */
SHW_API double shw_calibration_predict(const struct shw_calibration *calibration,
                                       const struct shw_calibration_work *work,
                                       const enum shw_technique techniques[SHW_STAGE_COUNT]);

/* The combination with the smallest prediction, among equals the first in the order of enum shw_technique. `allowed`:
 * for every stage a sum of 1u << technique. False, and nothing is chosen, if no allowed combination was measured. Any
 * thread. */
SHW_API bool shw_calibration_choose(const struct shw_calibration *calibration, const struct shw_calibration_work *work,
                                    const uint32_t allowed[SHW_STAGE_COUNT],
                                    enum shw_technique chosen[SHW_STAGE_COUNT]);

/* The allowed technique with the fastest training rounds; SHW_TECHNIQUE_AUTO if none was measured. Any thread. */
SHW_API enum shw_technique shw_calibration_choose_training(const struct shw_calibration *calibration, uint32_t allowed);

#ifdef __cplusplus
}
#endif
#endif
