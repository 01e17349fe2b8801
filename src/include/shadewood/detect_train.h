/* Training cascades. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A cascade of the kind `pixels` is boosted tree by tree, each of which is a stage (a soft cascade: Bourdev and Brandt
 * 2005). Backgrounds are mined from images in rounds: windows that all stages so far take for an object.
 * docs/detection-training.md describes every step. All decisions are made in integers, so that the same data and
 * parameters give the same cascade, bit for bit, with any technique, any number of threads, and after an
 * interruption. */
#ifndef SHADEWOOD_DETECT_TRAIN_H
#define SHADEWOOD_DETECT_TRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/cascade.h>
#include <shadewood/device.h>
#include <shadewood/image.h>
#include <shadewood/log.h>
#include <shadewood/technique.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A rectangle around an object, in pixels of its image; it may reach beyond the image. One that lies wholly outside is
 * not trained on. */
struct shw_cascade_object {
    uint32_t image;
    int32_t x, y;           /* above -65536 */
    uint32_t width, height; /* 1 to 65535 */
    bool ignored;           /* not trained on; windows that lie by half or more in it are not mined either */
};

/* An image that was read. Everything it points to is owned by the data set and valid until release(). */
struct shw_cascade_image {
    struct shw_image image; /* of a format of the host */
    void *handle;           /* for the data set's own use */
};

/* What a cascade is trained on. A patch that is cut out already is an image of its own, all of which is one object.
 *
 * Every read of an index gives the same pixels. Failures are reported as by any Shadewood function. read() and
 * release() may be called from several threads at a time. The structure is borrowed and must not change. */
struct shw_cascade_dataset {
    uint32_t image_count;
    uint32_t object_count;
    const struct shw_cascade_object *objects; /* by rising `image` */
    /* image_count values: whether windows of the image that are not at its objects show none, so that they may be
     * mined. NULL: of all images. */
    const bool *backgrounds;
    void *user;
    enum shw_result (*read)(void *user, uint32_t index, struct shw_cascade_image *image);
    void (*release)(void *user, struct shw_cascade_image *image);
};

/* AdaBoost of trees, by which the leaves of a tree get their values (Friedman, Hastie and Tibshirani 2000). w1 and w0
 * are the weights of objects and of backgrounds that reach a leaf. */
enum shw_boosting {
    SHW_BOOSTING_REAL = 0,  /* ln(w1 / w0) / 2 */
    SHW_BOOSTING_GENTLE = 1 /* (w1 - w0) / (w1 + w0) */
};

/* "real", "gentle"; NULL for other values. Any thread. */
SHW_API const char *shw_boosting_name(enum shw_boosting boosting);

/* By how much the copies of an object differ from it, each drawn evenly from within these limits. */
struct shw_cascade_variation {
    bool mirror;       /* half of the copies are mirrored left to right */
    uint32_t shift;    /* in x and in y: percent of the window's side, 0 to 50 */
    uint32_t scale;    /* larger and smaller: percent, 0 to 50 */
    uint32_t turn;     /* in both directions: degrees, 0 to 45 */
    uint32_t contrast; /* more and less, around the mean, and by half as much brighter and darker: percent, 0 to 90 */
    bool blur;         /* half of the copies are blurred by [1 2 1] in both directions */
    uint32_t noise;    /* added to or subtracted from each pixel, at most: percent of white, 0 to 50 */
};

struct shw_train_exchange;

/* Zero means the default given at the field. */
struct shw_cascade_trainer_params {
    const char *name;                     /* of the object: "object" */
    uint32_t window_width, window_height; /* after shrinking: 24 and 24; 2 to 128 */
    struct shw_cascade_planes planes;     /* shrink 0 is 1 */
    uint32_t levels_per_octave;           /* of the scans that mine, and the cascade's default: 8; at most 16 */
    /* Pixels on each side of the window that lie around the objects and are not tested: for patches that are cut more
     * tightly than the rectangles to be found. Less than half of the window. */
    uint32_t border;
    uint32_t margin; /* added around rectangles on each side: percent of them, 0 to 100 */
    enum shw_boosting boosting;
    uint32_t depth;       /* maximum number of tests on a path: 2; at most 8 */
    uint32_t stage_count; /* trees: 256; training ends before if mining finds too little */
    uint32_t candidates;  /* pairs of pixels that the nodes of each level of a tree choose from: 500; at most 65536 */
    uint32_t thresholds;  /* per pair, at quantiles of its responses: 31, which is the maximum */
    uint32_t copies;      /* of each object: 1, itself, to 1000. The first one is the object as it is */
    struct shw_cascade_variation variation; /* of the other copies: none */
    uint32_t background_count; /* windows mined per round: 10000. Training ends with a round in which less than 1 % of
                                  them are found */
    uint32_t pass_percent;     /* a round ends when this share of its backgrounds is left: 50; 1 to 90 */
    uint32_t round_stages;     /* or after this number of stages: 32 */
    bool turned_backgrounds;   /* also mine images without objects mirrored and turned by quarters: 8 times as many */
    /* Percent of the objects that are not trained on but used to find the stages' thresholds: 10; 1 to 50. */
    uint32_t calibration_percent;
    uint32_t loss_permille; /* of these, that all stages together may reject: 30; at most 500 */
    /* What the finished cascade is asked for: a least score at which at most so many of a million windows still pass,
     * 10, at most 1000000, while so many percent of the copies of objects that were held out are found, 80, at most
     * 100. Trees, thresholds and the hash do not depend on it; the least score does. */
    uint32_t target_pass, target_recall;
    /* Percent of the images, drawn one by one by `seed`, that are not mined but measured at the end; 0: the mined ones
     * are measured; at most 50. Objects in them are trained on nevertheless. Values above 0 change the trees. */
    uint32_t hold_out_percent;
    uint64_t seed;
    /* How it is computed; none of this affects the cascade. */
    struct shw_device *device;    /* borrowed, one of shw_device_create(); NULL allows `cpu` only */
    enum shw_technique technique; /* AUTO, CPU, COMPUTE or BLEND: of the histograms; all else is computed on the host */
    uint64_t memory;              /* bytes of the device that may be used; 0: most of them */
    uint32_t threads;             /* on the host; 0: one per processor */
    const char *notes;            /* a JSON object whose members are added to the provenance; NULL: none. Copied */
    struct shw_log log;
    /* Several workers, as those of shadewood/train.h, in threads or processes: each reads, cuts and mines every nth
     * image, counts its share of the candidates, and ends with the whole cascade. All must have the same parameters and
     * data set and be at the same step. `gather` is called by shw_cascade_trainer_step() and
     * shw_cascade_trainer_load(); its failure is theirs. Dividing candidates is the only way, with at most as many
     * workers as candidates. Borrowed; NULL: one trainer does everything. Does not affect the cascade. */
    const struct shw_train_exchange *exchange;
};

/* What training a cascade reports. */
struct shw_cascade_progress {
    uint32_t stages, stage_count; /* trained, and at most */
    uint32_t round;               /* from 1 */
    uint32_t objects;             /* copies that are trained on and have not been rejected */
    uint32_t backgrounds;         /* mined for the round */
    uint64_t windows_scanned;     /* by mining for the round */
    uint64_t windows_passed;      /* of these, by all stages so far: false positives */
    uint32_t objects_calibrating; /* copies of objects that are only used to find thresholds */
    uint32_t objects_lost;        /* of these, rejected so far */
    double backgrounds_left;      /* share of the round's backgrounds that the round would leave if it ended now */
    double seconds;               /* since creation */
};

/* What a finished cascade does with the objects that were held out, and with the images that were held out or, if there
 * are none, mined: all stages test all their windows once more. On images that were never mined a
 * cascade does worse. */
struct shw_cascade_quality {
    bool measured;             /* false: training has not finished, and all else is zero */
    bool met;                  /* the target, by the least score */
    uint32_t held_out_objects; /* by which the thresholds of the stages were set */
    uint32_t held_out_copies;  /* of these */
    uint32_t copies_kept;      /* of these, by all stages */
    uint32_t copies_found;     /* of these, with the least score or a better one */
    uint64_t windows_scanned;  /* until all were, or enough passed to measure it */
    uint64_t windows_passed;   /* of these, by all stages: false positives */
    uint64_t windows_found;    /* of these, with the least score or a better one; from a sample of those that passed */
    /* In units of the cascade's scores. The lowest score at which no more windows pass than the target allows; if too
     * few copies are found by it, the highest one by which enough are, or by which all are that pass the stages. */
    int32_t min_score;
};

struct shw_cascade_trainer;

/* Checks the parameters. The data set, params->device, the exchange and log.user must outlive the trainer. Errors:
 * ARGUMENT, LIMIT, MEMORY, UNSUPPORTED, DEVICE_MEMORY, DEVICE_LOST. Any thread. */
SHW_API enum shw_result shw_cascade_trainer_create_abi(uint32_t abi, const struct shw_cascade_trainer_params *params,
                                                       const struct shw_cascade_dataset *dataset,
                                                       struct shw_cascade_trainer **trainer);
static inline enum shw_result shw_cascade_trainer_create(const struct shw_cascade_trainer_params *params,
                                                         const struct shw_cascade_dataset *dataset,
                                                         struct shw_cascade_trainer **trainer)
{
    return shw_cascade_trainer_create_abi(SHW_ABI, params, dataset, trainer);
}

/* Destroys *trainer and sets it to NULL; accepts NULL and a pointer to NULL. */
SHW_API void shw_cascade_trainer_destroy(struct shw_cascade_trainer **trainer);

/* The technique, with AUTO resolved. Any thread. */
SHW_API enum shw_technique shw_cascade_trainer_get_technique(const struct shw_cascade_trainer *trainer);

/* Trains one tree; reads the data first, mines before the first tree of a round, and measures the cascade after the
 * last one. *finished is set when there are no more. Errors: MEMORY, LIMIT, CANCELLED, FORMAT (too few objects or
 * backgrounds), DEVICE_MEMORY, DEVICE_LOST, those of dataset->read and of the exchange, ARGUMENT if workers do not
 * train the same cascade; the trainer can then only be destroyed or, after CANCELLED, saved. One thread at a time per
 * trainer.
 */
SHW_API enum shw_result shw_cascade_trainer_step(struct shw_cascade_trainer *trainer, bool *finished);

/* Makes a step on another thread return CANCELLED soon, and later steps at once. Any thread. */
SHW_API void shw_cascade_trainer_interrupt(struct shw_cascade_trainer *trainer);

/* Between steps. One thread at a time per trainer. */
SHW_API void shw_cascade_trainer_get_progress(const struct shw_cascade_trainer *trainer,
                                              struct shw_cascade_progress *progress);

/* Between steps. One thread at a time per trainer. */
SHW_API void shw_cascade_trainer_get_quality(const struct shw_cascade_trainer *trainer,
                                             struct shw_cascade_quality *quality);

/* Writes a checkpoint, atomically, from which shw_cascade_trainer_load() continues; it is a cascade, whose last stages
 * may have no thresholds yet. Between steps, after the first one. Errors: ARGUMENT (nothing is trained yet), IO,
 * MEMORY. One thread at a time per trainer. */
SHW_API enum shw_result shw_cascade_trainer_save(const struct shw_cascade_trainer *trainer, const char *path);

/* Continues from a checkpoint with a trainer that has not made a step: the cascade will be the same, bit for bit, as if
 * training had not been interrupted. Parameters and data must be those of the trainer that was saved, which is checked;
 * those that do not affect the result may differ. Errors: ARGUMENT (other parameters or data: the message names what
 * differs), IO, FORMAT, VERSION, MEMORY, those of shw_cascade_trainer_step(); the trainer can then only be destroyed.
 * One thread at a time per trainer. */
SHW_API enum shw_result shw_cascade_trainer_load(struct shw_cascade_trainer *trainer, const char *path);

/* The cascade of the stages so far, all with thresholds, which belongs to the caller. It has a least score once
 * training has finished. Between steps, after the first one. Errors: ARGUMENT, MEMORY. One thread at a time per
 * trainer. */
SHW_API enum shw_result shw_cascade_trainer_get_cascade(const struct shw_cascade_trainer *trainer,
                                                        struct shw_cascade **cascade);

#ifdef __cplusplus
}
#endif
#endif
