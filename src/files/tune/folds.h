/* Cross-validation over the images of a data set: training on all folds but one, and measuring on that. */
#ifndef SHW_FILES_TUNE_FOLDS_H
#define SHW_FILES_TUNE_FOLDS_H

#include <jansson.h>

#include <shadewood/dataset.h>
#include <shadewood/label.h>
#include <shadewood/train.h>

#include "base/thread_pool.h"
#include "dense/metrics/accuracy.h"

struct shw_folds {
    const struct shw_dataset *dataset;
    uint32_t count;
    uint32_t *examples; /* those used, in the order of the data set */
    uint8_t *of;        /* the fold of each */
    uint32_t example_count;
};

/* What is dealt to the folds: single images; whole folders, because frames of a sequence resemble each other; or runs
 * of neighbours in the order of the data set, one for each fold, for the frames of a single sequence. */
enum shw_fold_kind {
    SHW_FOLD_AUTO, /* folders, if there are as many as folds; otherwise images */
    SHW_FOLD_IMAGES,
    SHW_FOLD_FOLDERS,
    SHW_FOLD_RUNS
};
extern const char *const shw_fold_kinds[]; /* their names, and NULL */

/* Deals the images. With a `sample` above 0, only so many, drawn at random, take part. Depends on the names of the
 * images and the seed. Errors: ARGUMENT (fewer images, or folders, than folds), MEMORY. */
enum shw_result shw_folds_make(const struct shw_dataset *dataset, const char *(*name)(void *user, uint32_t index),
                               void *user, enum shw_fold_kind kind, uint32_t count, uint32_t sample, uint64_t seed,
                               const struct shw_log *log, struct shw_folds *folds);
void shw_folds_free(struct shw_folds *folds);

struct shw_fold_measure {
    struct shw_trainer_params training;   /* log, progress and all that the technique needs are set by the caller */
    struct shw_labeller_params labelling; /* without forest, outputs and smoothing */
    struct shw_thread_pool *pool;         /* for smoothing; or NULL */
    const uint32_t *radii;                /* of smoothing to measure with */
    uint32_t radius_count;
    bool (*go_on)(void *user); /* before each image */
    void *user;
};

/* Trains on all other folds and labels this one; accuracies[] has an empty matrix for each radius. Errors: CANCELLED,
 * those of training and labelling. */
enum shw_result shw_fold_measure(const struct shw_folds *folds, uint32_t fold, const struct shw_fold_measure *measure,
                                 struct shw_accuracy *accuracies);

/* Matrices of more classes are not recorded. */
#define SHW_FIGURES_CLASSES_MAX 64u

/* The figures of a fold for the journal (files/tune/tuner.h). NULL if memory is exhausted. */
json_t *shw_figures_pack(const struct shw_accuracy *accuracies, const uint32_t *radii, uint32_t count);

#endif
