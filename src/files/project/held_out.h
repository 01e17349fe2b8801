/* The accuracy of a project's forest on strokes that it was not trained on.
 *
 * Pictures that are kept for testing are never trained on, and if there are any, they alone are measured on. Otherwise
 * this is cross-validation with the folds of strokes (stroke_folds.h, Stone 1974): in each fold, a forest with the
 * project's parameters is trained on the strokes of the other folds and labels those of this one. A forest of several
 * levels is trained as if the project had no other strokes, with folds of its own for its lower levels. */
#ifndef SHW_FILES_PROJECT_HELD_OUT_H
#define SHW_FILES_PROJECT_HELD_OUT_H

#include <shadewood/dataset.h>
#include <shadewood/forest.h>

#include "base/thread_pool.h"
#include "dense/metrics/accuracy.h"
#include "files/project/stroke_folds.h"
#include "files/project/training_tiles.h"
#include "shared/rectangle.h"

/* Labels a rectangle of a part of a picture as in the whole picture: writes the classes of the pixels of `rect`, which
 * is in the example's coordinates: row by row. Right for pixels as far from the example's sides as the forest looks,
 * where these are not sides of the picture. Technique `cpu`. The forest has one level. `pool` may be NULL. Errors:
 * ARGUMENT (an input is missing), MEMORY. */
enum shw_result shw_label_part(const struct shw_forest *forest, const struct shw_labelled_image *example,
                               struct shw_rect rect, struct shw_thread_pool *pool, const struct shw_log *log,
                               uint16_t *classes);

struct shw_held_out_class {
    enum shw_held_out_by by;
    uint64_t pixels, right;          /* measured, and those labelled correctly */
    uint32_t strokes, strokes_right; /* measured, and those of which at least half of the pixels are right */
    uint32_t painted_strokes;        /* visible ones that are trained on */
};

struct shw_held_out {
    uint32_t class_count;
    struct shw_held_out_class *classes;
    struct shw_accuracy matrix; /* of the measured pixels */
    uint32_t folds;             /* forests trained */
    uint32_t kept_pictures;     /* with labels */
};

struct shw_held_out_params {
    uint64_t memory;           /* as in struct shw_trainer_params */
    uint32_t threads;          /* 0: one per processor */
    bool (*go_on)(void *user); /* called after every training round and before every tile; or NULL */
    void *user;
    const struct shw_trainer_params *training; /* other parameters than the project's, except for notes, log and
                                                  progress; NULL: the project's. Tiles then have their margin
                                                  (shw_level_margin()) */
    uint32_t fold; /* only this one, from 1; 0: all. Pictures that are kept for testing count as one fold */
};

/* Trains and labels with `cpu`; the same strokes and parameters give the same numbers. `tiles` are all of the training
 * set's. Errors: CANCELLED, those of training and of reading pictures; *held_out is then zero. Any thread. */
enum shw_result shw_held_out_measure(const struct shw_training_tiles *tiles, const struct shw_held_out_params *params,
                                     struct shw_held_out *held_out);
void shw_held_out_free(struct shw_held_out *held_out);

/* A deep copy; false: out of memory. */
bool shw_held_out_copy(const struct shw_held_out *from, struct shw_held_out *to);

/* The mean of right / pixels over the classes measured; NaN if there are none. */
double shw_held_out_mean(const struct shw_held_out *held_out);

/* Whether anything would be measured: a picture is kept for testing, or a class has strokes in several folds. False,
 * too, if memory is exhausted. */
bool shw_held_out_is_possible(const struct shw_training_set *set);

#endif
