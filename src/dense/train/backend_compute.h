/* Training rounds on a Vulkan device: shared by the back ends `compute` and `blend`. */
#ifndef SHW_DENSE_TRAIN_BACKEND_COMPUTE_H
#define SHW_DENSE_TRAIN_BACKEND_COMPUTE_H

#include "dense/train/clock_compute.h"
#include "dense/train/histogram_compute.h"
#include "dense/train/images_compute.h"
#include "dense/train/plan_compute.h"
#include "dense/train/tables_compute.h"
#include "shared/train_push.h"
#include "vulkan/memory.h"
#include "vulkan/program.h"

struct shw_histogram_blend;

struct shw_train_compute {
    struct shw_trainer *trainer;
    struct shw_device *device;
    const struct shw_log *log;
    struct shw_program programs[SHW_PROGRAM_COUNT];
    struct shw_sets sets[SHW_PROGRAM_COUNT]; /* one per place of integral images */
    uint32_t shared_words;                   /* of counts that a work group holds */
    VkDeviceSize range;                      /* the largest buffer that may be used */
    bool has_windows; /* those of planes are larger, for an image whose planes exceed it, and bound in windows */
    VkDeviceSize batch_bytes; /* of the histograms of a batch, and of its rows */
    bool may_shrink;          /* if memory runs out now, smaller batches will do */
    bool renewed;             /* small buffers grow in large steps: more trainings follow */
    const struct shw_feature_type *feature;
    bool paired; /* some images have the planes of others, read by `mirror`, which is zero otherwise */
    struct shw_mirror mirror;

    struct shw_compute_images integrals;
    struct shw_buffer images, times_log2;
    struct shw_buffer tables, samples, moved, features, probes, thresholds, histogram, bests, winners, children;
    struct shw_buffer constant_upload, table_upload, sample_upload, decisions, readback;
    uint32_t sample_capacity;
    struct shw_compute_tables round;
    struct shw_train_constants constants; /* of the current round */
    struct shw_compute_plan plan;
    const struct shw_histogram_counter *counter;
    struct shw_histogram_blend *blend; /* NULL unless `counter` is shw_counter_blend */
    struct shw_compute_clock clock;
};

/* Functions of struct shw_train_backend, for own and imported devices; `state` is a struct shw_train_compute, whose
 * histograms `counter` counts. */
enum shw_result shw_compute_open(struct shw_trainer *trainer);
enum shw_result shw_compute_create(struct shw_trainer *trainer, struct shw_train_images *before,
                                   const struct shw_histogram_counter *counter, void **state);
void shw_compute_rest(void *state);
enum shw_result shw_compute_begin_tree(void *state);
void shw_compute_destroy(void **state);
#define SHW_COMPUTE_FUNCTIONS                                                                                          \
    .open = shw_compute_open, .rest = shw_compute_rest, .begin_tree = shw_compute_begin_tree,                          \
    .begin = shw_compute_begin, .record = shw_compute_record, .submitted = shw_compute_submitted,                      \
    .decide = shw_compute_decide, .get_passes = shw_compute_get_passes, .destroy = shw_compute_destroy

/* The trainer's state if its back end records on a device; otherwise NULL. */
struct shw_train_compute *shw_compute_of(const struct shw_trainer *trainer);

#endif
