/* The training set of a project: a snapshot, so that painting can continue during training. */
#ifndef SHW_FILES_PROJECT_TRAINING_SET_H
#define SHW_FILES_PROJECT_TRAINING_SET_H

#include <stdatomic.h>

#include <shadewood/train.h>

#include "files/code/code.h"
#include "files/project/picture_labels.h"
#include "files/project/pixels.h"
#include "files/project/project.h"

struct shw_text_states;

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
    struct shw_text_states *texts;          /* held */
    const struct shw_feature_type *feature; /* among them; NULL: the usual one */
    char *notes;                            /* for the provenance: how images are read; or NULL */
    struct shw_taught_picture *pictures;    /* those that are trained on, then those that are kept for testing */
    uint32_t picture_count, kept_count;
    struct shw_class *classes;
    uint32_t class_count;
    uint32_t stroke_count;   /* of all these pictures */
    uint16_t *stroke_labels; /* stroke_count: the class of each; SHW_LABEL_VOID for those that are nowhere visible */
    atomic_uint shares;
};

/* Reads the pictures that have strokes, and checks that they have the sizes and inputs that the project says: to be
 * called before labels are allocated for a project that is not trusted. Errors: IO, FORMAT, LIMIT, MEMORY. */
enum shw_result shw_project_check_pictures(struct shw_project *project, const struct shw_log *log);

/* Takes time for what has changed, not for the size of pictures. Errors: FORMAT (nothing is painted, only
 * one class is, or all that is painted is kept for testing), ARGUMENT (the project has texts that may not run), MEMORY.
 */
enum shw_result shw_training_set_make(struct shw_project *project, const struct shw_log *log,
                                      struct shw_training_set **set);

/* The same of parts that have come from elsewhere, and are not trusted, except that `labels` are valid. Everything is
 * copied, shared or held. */
struct shw_training_part {
    const char *name; /* unique */
    bool kept;        /* for testing */
    struct shw_picture_labels *labels;
    struct shw_pixels *pixels;
};
struct shw_training_parts {
    struct shw_project_training training;
    const struct shw_code_made *texts; /* that may run */
    uint32_t text_count;               /* at most SHW_PROJECT_TEXTS_MAX */
    const char *notes;                 /* or NULL */
    const struct shw_class *classes;
    uint32_t class_count;
    const struct shw_training_part *pictures; /* in any order */
    uint32_t picture_count;
};
/* Errors: ARGUMENT (parameters), FORMAT (a stroke has no class; as above), MEMORY. */
enum shw_result shw_training_set_build(const struct shw_training_parts *parts, const struct shw_log *log,
                                       struct shw_training_set **set);

/* Another share of it. Any thread. */
struct shw_training_set *shw_training_set_share(struct shw_training_set *set);

/* Releases a share, and the set with the last one. Sets *set to NULL; accepts NULL and a pointer to NULL. Any thread.
 */
void shw_training_set_destroy(struct shw_training_set **set);

/* The texts of a set, which are held, and what they define. */
uint32_t shw_training_set_text_count(const struct shw_training_set *set);
const char *shw_training_set_text(const struct shw_training_set *set, uint32_t index, const char **name);

/* What the training parameters of all projects have in common, besides zeros. */
struct shw_trainer_params shw_project_params(void);

/* The training parameters of the project's forest, of one level: all pixels of all strokes, classes of equal weight,
 * and tests that reach from 1 pixel to as many as the project says. Parameters that do not affect the forest are zero,
 * for the caller to fill in. */
struct shw_trainer_params shw_training_set_params(const struct shw_training_set *set);

/* The same with the levels that the project says; with several, for a data set of folds (level_examples.h). */
struct shw_trainer_params shw_training_set_level_params(const struct shw_training_set *set);

#endif
