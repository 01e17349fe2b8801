/* Evaluation of record forests. Part of Shadewood; MIT licence, see LICENSE.
 *
 * All techniques find the same leaves and the same sums, bit for bit: attributes are compared as integer codes, and
 * leaf values are added as 64-bit integers (docs/records.md). */
#ifndef SHADEWOOD_RECORDS_H
#define SHADEWOOD_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/device.h>
#include <shadewood/log.h>
#include <shadewood/record_forest.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Techniques that evaluate a record forest (Spencer 2021). */
enum shw_record_technique {
    SHW_RECORD_AUTO = 0,        /* COMPUTE if there is a device other than a CPU, otherwise CPU */
    SHW_RECORD_SERIAL = 1,      /* one record, one tree, one node after the other on one core (Procedure 2) */
    SHW_RECORD_CPU = 2,         /* vectors, threads and blocks that fit caches */
    SHW_RECORD_COMPUTE = 3,     /* data-parallel: a record a lane (Procedure 3) */
    SHW_RECORD_SPECULATIVE = 4, /* a group of lanes evaluates all nodes of a tree for a record, and then follows the
                                   path by pointer jumping (Procedure 4) */
    SHW_RECORD_SPECULATIVE_MAPPED = 5, /* lanes for splits only, by a map from lanes to nodes, and several reductions
                                          before each test whether a leaf is reached (Procedure 5) */
    SHW_RECORD_WINDOWED = 6,           /* the same for a few levels of a tree at a time (Spencer 2021, 6) */
    SHW_RECORD_FRAGMENT = 7            /* records and forest are textures, a record a pixel (Sharp 2008) */
};
#define SHW_RECORD_TECHNIQUE_COUNT 8u

/* "auto", "serial", "cpu", "compute", "speculative", "speculative-mapped", "windowed", "fragment"; NULL for other
 * values. Any thread. */
SHW_API const char *shw_record_technique_name(enum shw_record_technique technique);

/* Whether it needs a device. Any thread. */
SHW_API bool shw_record_technique_needs_device(enum shw_record_technique technique);

/* Settings of techniques on the device, which affect only speed. Zero: chosen by the forest and the device. A technique
 * ignores those that it does not have. */
struct shw_record_tuning {
    uint32_t group_lanes;       /* SPECULATIVE and others: lanes per record, a power of two up to 1024 */
    uint32_t records_per_group; /* successive records that a lane, or a group of lanes, evaluates (m) */
    uint32_t reductions;        /* SPECULATIVE_MAPPED, WINDOWED: reductions before each test for a leaf; 1 to 8 */
    uint32_t window_levels;     /* WINDOWED: levels of a window; 1 to 10 */
};

/* Parameters of shw_record_evaluator_create(). Zero means the default at the field. */
struct shw_record_evaluator_params {
    const struct shw_record_forest *forest; /* borrowed until the evaluator is destroyed */
    struct shw_device *device;              /* borrowed, too; NULL allows SERIAL and CPU only */
    enum shw_record_technique technique;
    struct shw_record_tuning tuning;
    /* Bytes of device memory that shw_record_evaluator_run() may use for records and results in flight; 0: 256 MiB. */
    uint64_t memory;
    uint32_t slots;   /* recordings that may be in flight at once, at most SHW_SLOTS_MAX; 0 means 1 */
    uint32_t threads; /* of CPU, and that copy records for a device; 0 means one per processor */
    bool timing;      /* measure device time, and the time of few records (shw_record_evaluator_get_seconds) */
    struct shw_log log;
};

struct shw_record_evaluator;

/* Allocates all memory, pipelines and descriptors that recording needs. Errors: ARGUMENT, UNSUPPORTED, LIMIT, MEMORY,
 * DEVICE_MEMORY, DEVICE_LOST. Any thread. */
SHW_API enum shw_result shw_record_evaluator_create_abi(uint32_t abi, const struct shw_record_evaluator_params *params,
                                                        struct shw_record_evaluator **evaluator);
static inline enum shw_result shw_record_evaluator_create(const struct shw_record_evaluator_params *params,
                                                          struct shw_record_evaluator **evaluator)
{
    return shw_record_evaluator_create_abi(SHW_ABI, params, evaluator);
}

/* Destroys *evaluator and sets it to NULL; accepts NULL and a pointer to NULL. Nothing that was recorded may still be
 * running. */
SHW_API void shw_record_evaluator_destroy(struct shw_record_evaluator **evaluator);

/* The technique, with AUTO resolved. Any thread. */
SHW_API enum shw_record_technique shw_record_evaluator_get_technique(const struct shw_record_evaluator *evaluator);

/* Records in memory. NaN means missing. */
struct shw_records {
    const float *values; /* attribute a of record r: values[r * record_stride + a * attribute_stride] */
    uint64_t count;
    uint32_t attribute_count;               /* at least as many as the forest has; further ones are not read */
    size_t record_stride, attribute_stride; /* in elements; both 0: rows without padding */
    bool has_missing;
    float missing; /* with has_missing: a number that means missing, as NaN does */
};

/* Where results go, in memory; NULL: not computed. */
struct shw_record_results {
    uint32_t *classes;  /* one a record; of CLASSES only */
    int64_t *sums;      /* output_count a record, in units of 2^-fraction_bits, the base included; not divided */
    uint32_t *leaves;   /* tree_count a record: the leaf's number in its tree */
    float *predictions; /* as many a record as shw_record_forest_get_prediction_count() says */
};

/* Evaluates records and waits. Any number: they pass through memory of bounded size. With a device, it uses a queue of
 * its own, so the device must be one of shw_device_create(). Errors: ARGUMENT, MEMORY, DEVICE_MEMORY, DEVICE_LOST,
 * CANCELLED. One thread at a time per evaluator. */
SHW_API enum shw_result shw_record_evaluator_run(struct shw_record_evaluator *evaluator,
                                                 const struct shw_records *records,
                                                 const struct shw_record_results *results);

/* Makes a shw_record_evaluator_run() on another thread return CANCELLED soon (SERIAL after seconds), and later ones at
 * once. The contents of its results are then undefined, and the evaluator can only be destroyed. Recordings are not
 * affected. Any thread, while the evaluator exists. Accepts NULL. */
SHW_API void shw_record_evaluator_interrupt(struct shw_record_evaluator *evaluator);

/* Times of the last shw_record_evaluator_run(): `inner`, of evaluation on the device alone, 0 without `timing`, by the
 * host or if the device has no timestamps; `outer`, from call to return, with all transfers (Spencer 2021, 4.2.2), 0
 * without `timing` for up to 8 records on the host, as reading the clock would take as long as their evaluation. One
 * thread at a time per evaluator. */
struct shw_record_seconds {
    double inner, outer;
};
SHW_API struct shw_record_seconds shw_record_evaluator_get_seconds(const struct shw_record_evaluator *evaluator);

/* Predictions follow from sums on the host, in double precision, rounded to float32 at the end. CLASSES: a probability,
 * or whatever the forest's link gives, for each class; with one output and two classes 1 - p and p for links whose
 * results are probabilities, otherwise the one number. VALUES: one an output. */
SHW_API uint32_t shw_record_forest_get_prediction_count(const struct shw_record_forest *forest);

/* sums: count * output_count; predictions: count * shw_record_forest_get_prediction_count(). Any thread. */
SHW_API void shw_record_forest_predict(const struct shw_record_forest *forest, uint64_t count, const int64_t *sums,
                                       float *predictions);

/* Records in a buffer on the device, with the usage STORAGE_BUFFER, by FRAGMENT also TRANSFER_SRC. */
struct shw_record_source {
    VkBuffer buffer;
    VkDeviceSize offset; /* a multiple of VkPhysicalDeviceLimits.minStorageBufferOffsetAlignment */
    uint32_t count;
    uint32_t attribute_count;
    uint32_t record_stride, attribute_stride; /* in elements of float32; both 0: rows without padding */
    bool has_missing;
    float missing;
    /* The buffer's last use before, by the stages and accesses that the caller names. */
    VkPipelineStageFlags2 before_stage;
    VkAccessFlags2 before_access;
};

/* Where results go: buffers with the usage STORAGE_BUFFER, by FRAGMENT also TRANSFER_DST. VK_NULL_HANDLE: not wanted.
 */
struct shw_record_target_buffer {
    VkBuffer buffer;
    VkDeviceSize offset; /* a multiple of minStorageBufferOffsetAlignment */
};

/* Where results go, on the device; null buffers: not computed. */
struct shw_record_target {
    struct shw_record_target_buffer classes; /* 32-bit words, as in struct shw_record_results */
    struct shw_record_target_buffer sums; /* 64-bit integers, the lower word first; by FRAGMENT the offset is a multiple
                                             of 8, too */
    struct shw_record_target_buffer leaves; /* 32-bit words */
    /* The buffers' use before and after, by the stages and accesses that the caller names. */
    VkPipelineStageFlags2 before_stage, after_stage;
    VkAccessFlags2 before_access, after_access;
};

/* Records the evaluation of records that are on the device already into the caller's command buffer: nothing goes to
 * the host and back. Does not submit, wait or allocate. A slot may be recorded again when its previous recording has
 * finished on the device; recordings need not be executed. All slots use the same memory, so that they must be
 * submitted to one queue, where each waits for those before. Command buffer and states are as for
 * shw_labeller_record(). Errors: ARGUMENT; LIMIT for more records than the device's limits allow (the message says how
 * many). One thread at a time per evaluator. */
SHW_API enum shw_result shw_record_evaluator_record(struct shw_record_evaluator *evaluator, VkCommandBuffer commands,
                                                    uint32_t slot, const struct shw_record_source *source,
                                                    const struct shw_record_target *target);

#ifdef __cplusplus
}
#endif
#endif
