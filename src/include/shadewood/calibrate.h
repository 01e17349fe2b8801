/* What is fastest here: measured on request. Part of Shadewood; MIT licence, see LICENSE.
 *
 * Which technique is fastest depends on the device, on its driver and on the host's processors. shw_calibrate()
 * measures it once, in a second or less; the result is plain data, which the caller keeps as long as it likes, in a
 * file for example, and hands to labellers and trainers. Their technique `auto` then means what is fastest by these
 * measurements. Nothing is ever measured without being asked for, and the library reads and writes no file. Results of
 * labelling and of training do not depend on a calibration. */
#ifndef SHADEWOOD_CALIBRATE_H
#define SHADEWOOD_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/device.h>
#include <shadewood/forest.h>
#include <shadewood/log.h>
#include <shadewood/technique.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of struct shw_calibration: another number, another meaning of the fields. */
#define SHW_CALIBRATION_VERSION 1u

/* What a piece of work takes: fixed_ms + units * unit_ns / 10^6 milliseconds, by the host's clock. */
struct shw_cost {
    bool measured; /* false: this was not measured, or the device cannot do it */
    double fixed_ms, unit_ns;
};

/* What it costs to bring data to the technique of the next stage: `fragment` works with images, `compute` with buffers,
 * `cpu` with memory of the host. */
enum shw_hand_over {
    SHW_HAND_OVER_SUBMISSION = 0, /* handing work to the device and waiting for its end; has no units */
    SHW_HAND_OVER_SOURCE = 1,     /* an image from the host to the device; units are pixels */
    SHW_HAND_OVER_UPLOAD = 2,     /* planes from the host into a buffer; units are bytes */
    SHW_HAND_OVER_DOWNLOAD = 3,   /* planes out of a buffer to the host; bytes */
    SHW_HAND_OVER_TO_IMAGE = 4,   /* planes out of a buffer into an image; bytes */
    SHW_HAND_OVER_TO_BUFFER = 5   /* planes out of an image into a buffer; bytes */
};
#define SHW_HAND_OVER_COUNT 6u

/* What is labelled. Zero means what stands at the field. */
struct shw_calibration_work {
    uint32_t width, height; /* pixels of an image: 640 x 480 */
    uint32_t channel_count; /* planes of the forest's channel set: 16 */
    uint32_t tree_count;    /* 1 */
    uint32_t visits;        /* tests on a pixel's way through all the trees: their depths together. 1 */
    uint32_t class_count;   /* 2 */
    uint32_t outputs;       /* enum shw_output flags: SHW_OUTPUT_ARGMAX */
    uint32_t threads;       /* of the technique `cpu`: as many as it was measured with */
    bool recorded; /* by shw_labeller_record(): source and results stay on the device, and nothing can be done by `cpu`
                    */
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
    /* Whose times these are: the device and its driver, as struct shw_device_description has them, */
    uint32_t vendor_id, device_id, driver_version;
    uint8_t pipeline_cache_uuid[16];
    uint32_t threads; /* and the threads of `cpu` */

    struct shw_cost stages[SHW_STAGE_COUNT][SHW_TECHNIQUE_COUNT]; /* by enum shw_stage and enum shw_technique */
    struct shw_cost hand_overs[SHW_HAND_OVER_COUNT];              /* by enum shw_hand_over */
    double training_ns[SHW_TECHNIQUE_COUNT]; /* that a response of a training round takes; 0: not measured */
    struct shw_calibration_work work;        /* what the whole frames label */
    struct shw_calibration_frame frames[SHW_CALIBRATION_FRAMES_MAX];
    uint32_t frame_count;
    double milliseconds; /* that the calibration took */
};

/* Zero means the default that stands at the field. */
struct shw_calibrate_params {
    struct shw_device *device; /* borrowed during the call; one of shw_device_create() */
    uint32_t threads;          /* of the technique `cpu`: one a processor */
    /* After which nothing new is measured: 700, which makes about a second in all. Techniques for which there is no
     * time left are not measured; `cpu` and, unless the device is a CPU, `compute` always are. These, and a driver that
     * compiles shaders for the first time, can exceed it. */
    uint32_t milliseconds;
    struct shw_log log;
};

/* Measures the stages by every technique, what lies between them, whole frames, and training rounds. The device should
 * have nothing else to do. Techniques that it cannot do are left out. Errors: ARGUMENT (no device, or an imported one),
 * MEMORY, DEVICE_MEMORY, DEVICE_LOST. Any thread; the device's queue is used. */
SHW_API enum shw_result shw_calibrate(const struct shw_calibrate_params *params, struct shw_calibration *calibration);

/* Whether a calibration is of this version of the structure, and of this device with this driver. Any thread. */
SHW_API bool shw_calibration_fits(const struct shw_calibration *calibration,
                                  const struct shw_device_description *device);

/* The work of a forest and outputs, for images of the default size. Any thread. */
SHW_API struct shw_calibration_work shw_calibration_work_of(const struct shw_forest *forest, uint32_t outputs);

/* Milliseconds that a frame should take with these techniques, one a stage; infinite where a part was not measured.
 * Where whole frames were measured, the sum of the parts is corrected by how much the measured frame took more or less
 * than its parts, other mixtures by the worst of these. Any thread. */
SHW_API double shw_calibration_predict(const struct shw_calibration *calibration,
                                       const struct shw_calibration_work *work,
                                       const enum shw_technique techniques[SHW_STAGE_COUNT]);

/* The mixture with the least prediction, among equals the first in the order of enum shw_technique, of those that
 * `allowed` has: for every stage a sum of 1u << technique. False, and nothing chosen, where no allowed mixture was
 * measured. Any thread. */
SHW_API bool shw_calibration_choose(const struct shw_calibration *calibration, const struct shw_calibration_work *work,
                                    const uint32_t allowed[SHW_STAGE_COUNT],
                                    enum shw_technique chosen[SHW_STAGE_COUNT]);

/* The technique whose training rounds took least, of those allowed; SHW_TECHNIQUE_AUTO where none was measured. Any
 * thread. */
SHW_API enum shw_technique shw_calibration_choose_training(const struct shw_calibration *calibration, uint32_t allowed);

#ifdef __cplusplus
}
#endif
#endif
