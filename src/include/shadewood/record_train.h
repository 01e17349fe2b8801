/* Training record forests. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A random forest (Breiman 2001), or a single decision tree, that predicts the classes of records. Tests are found by
 * the machinery that trains forests for images (shadewood/train.h), by the techniques `cpu`, `compute` and `blend`: the
 * forest is the same, bit for bit, whatever the technique, the memory, the number of threads and of workers, and after
 * an interruption. docs/record-training.md describes every step. */
#ifndef SHADEWOOD_RECORD_TRAIN_H
#define SHADEWOOD_RECORD_TRAIN_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/device.h>
#include <shadewood/log.h>
#include <shadewood/record_forest.h>
#include <shadewood/records.h>
#include <shadewood/technique.h>
#include <shadewood/train.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The class of unlabelled records, which are not trained on. */
#define SHW_RECORD_CLASS_NONE 0xffffffffu

/* shw_record_trainer_params.attributes: every node chooses from all attributes. */
#define SHW_RECORD_ATTRIBUTES_ALL 0xffffffffu

/* What a forest is trained on. It is borrowed. */
struct shw_record_examples {
    struct shw_records records; /* at most 2^31 - 1 records. NaN and the number that means missing are missing */
    const uint32_t *classes;    /* one a record: 0..class_count-1, or SHW_RECORD_CLASS_NONE */
    uint32_t class_count;       /* 2 to SHW_RECORD_OUTPUTS_MAX */
    const char *const *attribute_names; /* UTF-8; NULL: none are known. They go into the forest, as these do: */
    const char *const *class_names;     /* UTF-8; NULL: "0", "1", ... */
};

/* Zero means the default given at the field. For one decision tree of all records: tree_count 1, records_percent 100
 * and attributes SHW_RECORD_ATTRIBUTES_ALL. */
struct shw_record_trainer_params {
    uint32_t tree_count;      /* 100; at most SHW_TREES_MAX */
    uint32_t depth;           /* maximum number of tests on a path: 64, which is also the limit */
    uint32_t leaf_max;        /* maximum number of leaves per tree; 0: no limit */
    uint32_t attributes;      /* that each node chooses from, drawn for it: the square root of their number, rounded
                                 down; or SHW_RECORD_ATTRIBUTES_ALL */
    uint32_t bins;            /* thresholds of an attribute that a node looks at, and one more: 255; 2..255 */
    enum shw_score score;     /* which test is the best */
    uint32_t records_percent; /* of the records, drawn without replacement for each tree: 63, about as many as differ
                                 in a bootstrap sample; 1..100 */
    uint32_t samples_min;     /* records required in each child, whatever their weights: 1 */
    enum shw_class_weighting weighting;
    const double *class_weights; /* for WEIGHTING_GIVEN only: class_count positive numbers, of which only the ratios
                                    matter. Copied */
    bool out_of_bag; /* at the end, measure the accuracy on records that a tree was not trained on (Breiman 2001, 3.1);
                        needs records_percent below 100 */
    uint64_t seed;
    /* How rounds are computed; none of this affects the result. */
    struct shw_device *device;    /* borrowed; NULL allows `cpu` only */
    enum shw_technique technique; /* AUTO, CPU, COMPUTE or BLEND. AUTO is compute if there is a device other than a CPU,
                                     otherwise cpu */
    uint64_t memory;   /* bytes that training may use, as in struct shw_trainer_params; the ranks of the attributes, 2
                          bytes each, and the records themselves come on top of it */
    uint64_t work_max; /* as in struct shw_trainer_params */
    uint32_t threads;  /* on the host; 0: one per processor */
    const struct shw_train_exchange *exchange; /* several workers, each of which has all records. Borrowed */
    const char *notes; /* a JSON object whose members are added to the provenance; NULL: none. Copied */
    /* Called after each round, on the calling thread; returns false to cancel. May be NULL. `samples` are records. */
    bool (*progress)(void *user, const struct shw_train_progress *progress);
    void *progress_user;
    struct shw_log log;
};

struct shw_record_trainer;

/* Checks the parameters, and ranks the attributes' values. What `examples` points to, params->device, the exchange,
 * progress_user and log.user must outlive the trainer. Errors: ARGUMENT, FORMAT (a class that does not exist, no record
 * with a class), LIMIT, MEMORY, UNSUPPORTED. Any thread. */
SHW_API enum shw_result shw_record_trainer_create_abi(uint32_t abi, const struct shw_record_trainer_params *params,
                                                      const struct shw_record_examples *examples,
                                                      struct shw_record_trainer **trainer);
static inline enum shw_result shw_record_trainer_create(const struct shw_record_trainer_params *params,
                                                        const struct shw_record_examples *examples,
                                                        struct shw_record_trainer **trainer)
{
    return shw_record_trainer_create_abi(SHW_ABI, params, examples, trainer);
}

/* Destroys *trainer and sets it to NULL; accepts NULL and a pointer to NULL. */
SHW_API void shw_record_trainer_destroy(struct shw_record_trainer **trainer);

/* The technique, with AUTO resolved. Any thread. */
SHW_API enum shw_technique shw_record_trainer_get_technique(const struct shw_record_trainer *trainer);

/* Runs one training round, which grows the current tree by one level; after the last one it makes the forest. *finished
 * is set when that is complete. Errors: those of shw_trainer_step(); the trainer can then only be destroyed or, after
 * CANCELLED, saved. One thread at a time per trainer. */
SHW_API enum shw_result shw_record_trainer_step(struct shw_record_trainer *trainer, bool *finished);

/* Makes a step on another thread return CANCELLED soon, and later steps at once. Any thread. */
SHW_API void shw_record_trainer_interrupt(struct shw_record_trainer *trainer);

/* The state of training between steps. NULL sets *progress to zero. One thread at a time per trainer. */
SHW_API void shw_record_trainer_get_progress(const struct shw_record_trainer *trainer,
                                             struct shw_train_progress *progress);

/* Writes a checkpoint, atomically, between steps, from which shw_record_trainer_load() continues. Errors: IO, MEMORY,
 * LIMIT. One thread at a time per trainer. */
SHW_API enum shw_result shw_record_trainer_save(struct shw_record_trainer *trainer, const char *path);

/* Continues from a checkpoint with a trainer that has not made a step: the forest will be the same, bit for bit, as if
 * training had not been interrupted. Parameters and examples must be those of the trainer that was saved, which is
 * checked; those that do not affect the result may differ. Errors: as for shw_trainer_load(). A forged file
 * may only be noticed by the last step: FORMAT. */
SHW_API enum shw_result shw_record_trainer_load(struct shw_record_trainer *trainer, const char *path);

/* The out-of-bag accuracy of a finished forest: of the records that at least one tree was not trained on, how many
 * there are, and how many of them those trees classify correctly. Errors: ARGUMENT if training is not finished, or
 * without params->out_of_bag. One thread at a time per trainer. */
struct shw_record_out_of_bag {
    uint64_t records, right;
};
SHW_API enum shw_result shw_record_trainer_get_out_of_bag(const struct shw_record_trainer *trainer,
                                                          struct shw_record_out_of_bag *out_of_bag);

/* Passes the finished forest to the caller, once. Errors: ARGUMENT if it is not finished, or was passed already. One
 * thread at a time per trainer. */
SHW_API enum shw_result shw_record_trainer_get_forest(struct shw_record_trainer *trainer,
                                                      struct shw_record_forest **forest);

/* Creates a trainer, makes all steps and returns the forest. Errors: those of shw_record_trainer_create() and
 * shw_record_trainer_step(). Any thread. */
SHW_API enum shw_result shw_record_train_abi(uint32_t abi, const struct shw_record_trainer_params *params,
                                             const struct shw_record_examples *examples,
                                             struct shw_record_forest **forest);
static inline enum shw_result shw_record_train(const struct shw_record_trainer_params *params,
                                               const struct shw_record_examples *examples,
                                               struct shw_record_forest **forest)
{
    return shw_record_train_abi(SHW_ABI, params, examples, forest);
}

#ifdef __cplusplus
}
#endif
#endif
