/* The training set of a project: a snapshot, so that painting can continue during training. */
#ifndef SHW_FILES_PROJECT_TRAINING_SET_H
#define SHW_FILES_PROJECT_TRAINING_SET_H

#include <stdatomic.h>

#include <shadewood/train.h>

#include "files/project/project.h"

struct shw_taught_picture {
    char *name;
    uint32_t width, height;
    struct shw_picture_labels *labels;
    struct shw_pixels *pixels;
    uint32_t first_stroke; /* of the picture, among those of all pictures */
};

/* Created by shw_training_set_make() with one share, and immutable; any number of threads may use it. Contains pictures
 * with labels, in bytewise order of their names each, so that the order of painting does not affect the forest. */
struct shw_training_set {
    struct shw_log log;
    struct shw_project_training training;
    char *notes;                         /* for the training record: how images are read; or NULL */
    struct shw_taught_picture *pictures; /* those that are trained on, then those that are kept for testing */
    uint32_t picture_count, kept_count;
    struct shw_class *classes;
    uint32_t class_count;
    uint32_t stroke_count;   /* of all these pictures */
    uint16_t *stroke_labels; /* stroke_count: the class of each; SHW_LABEL_VOID for those that are nowhere visible */
    atomic_uint shares;
};

/* Reads the pictures that have strokes, and checks that they have the sizes that the project says: to be called before
 * labels are allocated for a project that is not trusted. Errors: IO, FORMAT, LIMIT, MEMORY. */
enum shw_result shw_project_check_pictures(struct shw_project *project, const struct shw_log *log);

/* Takes time for what has changed, not for the size of pictures. Errors: FORMAT (nothing is painted, or all
 * that is painted is kept for testing), MEMORY. */
enum shw_result shw_training_set_make(struct shw_project *project, const struct shw_log *log,
                                      struct shw_training_set **set);

/* Another share of it. Any thread. */
struct shw_training_set *shw_training_set_share(struct shw_training_set *set);

/* Releases a share, and the set with the last one. Sets *set to NULL; accepts NULL and a pointer to NULL. Any thread.
 */
void shw_training_set_destroy(struct shw_training_set **set);

/* The training parameters of the project's forest: all pixels of all strokes, classes of equal weight. Parameters that
 * do not affect the forest are zero, for the caller to fill in. */
struct shw_trainer_params shw_training_set_params(const struct shw_training_set *set);

#endif
