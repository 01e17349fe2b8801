/* Variants to train the same forest: techniques and whatever else must not influence it. */
#ifndef SHW_DIFFERENTIAL_VARIANTS_H
#define SHW_DIFFERENTIAL_VARIANTS_H

#include <shadewood/train.h>

#include "dense/grow_device/blend.h"
#include "testing/testing.h"

/* What does not influence the forest. */
struct variant {
    enum shw_technique technique;
    uint32_t threads;
    const char *simd; /* SHADEWOOD_SIMD for this training; NULL: unset */
    uint64_t memory, work_max;
    bool recorded; /* in slices: shw_trainer_record() and shw_trainer_complete() */
    bool renewed;  /* the trainer has trained something else before, in part */
    uint32_t renewed_after;
    enum shw_technique renewed_from;
    uint32_t range; /* the largest storage buffer; 0: the device's own */
    struct shw_blend_limits limits;
};

/* A variant that goes wrong as rarely as possible: one thread, no vector instructions, all memory. */
extern const struct variant plain_variant;

struct variant random_variant(struct testing_random *random, enum shw_technique technique);

/* Adds to the description of the case. */
void describe_variant(const char *what, const struct variant *variant);

/* How a training ends that goes on in another trainer. */
enum handing_over { HAND_OVER_BETWEEN_ROUNDS, HAND_OVER_WITHIN_A_ROUND, HAND_OVER_CANCELLED };

/* What training comes to. */
struct outcome {
    enum shw_result result;
    uint64_t hash; /* of the forest as a file, provenance included */
    char message[256];
};

/* A training: of some workers together, or of one trainer, or first of one and then, by a checkpoint, of another.
 * Variants whose memory or buffers are too small get as much more as it takes: what fits barely is what is to be
 * tested. */
struct training {
    const struct shw_trainer_params *params; /* what determines the forest; no technique, device and so on */
    const struct shw_dataset *dataset;
    struct shw_device *device;
    uint32_t variant_count;
    struct variant *variants;
    bool together;                  /* workers */
    enum shw_train_division divide; /* what they do */
    enum handing_over handing_over;
    uint32_t steps; /* before the checkpoint: rounds or, within a round, slices */
};

struct outcome train_by(struct training *training);

#endif
