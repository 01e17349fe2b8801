/* Who computes training rounds: one of a list of back ends, each behind one struct. Nothing else asks which. */
#ifndef SHW_TRAIN_BACKEND_H
#define SHW_TRAIN_BACKEND_H

#include <shadewood/train.h>

struct shw_device_description;
struct shw_train_images;
struct shw_trainer;

/* What comes next in a round. */
enum shw_train_event {
    SHW_TRAIN_MORE,   /* more to record or, where nothing is recorded, to compute */
    SHW_TRAIN_DECIDE, /* the best splits that the back end has found are in the tree builder, or a splitter has been
                         given all histograms: the trainer settles the splits, then calls decide() */
    SHW_TRAIN_DONE /* splits and counts of children are in the tree builder, and the samples are with their children */
};

/* Functions that may be NULL say so: there is then nothing to do. */
struct shw_train_backend {
    enum shw_technique technique; /* its name is the technique's */

    /* What it needs of a device and this one does not have, for a message; NULL if nothing. May be NULL. */
    const char *(*find_missing)(const struct shw_device_description *device);

    /* Makes everything that does not depend on a tree. Where *state is there, it is of a training before, and what
     * serves again is kept; `before` is then, and for host memory, the training set of that training if it had the same
     * pixels, else NULL: parts of it may be taken over. Errors: MEMORY, DEVICE_MEMORY, LIMIT, UNSUPPORTED, those of
     * dataset->read. On failure *state is NULL. */
    enum shw_result (*create)(struct shw_trainer *trainer, struct shw_train_images *before, void **state);

    /* Between two trainings: ends what uses the data set. May be NULL. */
    void (*rest)(void *state);

    /* A tree: the tree builder has its samples. May be NULL. Errors: MEMORY, DEVICE_MEMORY, LIMIT. */
    enum shw_result (*begin_tree)(void *state);

    /* A round: open nodes and candidates are known. Errors: MEMORY, DEVICE_MEMORY, LIMIT. */
    enum shw_result (*begin)(void *state);

    /* Records the next part of the round: as much as counts for about `work_max` responses, at least one piece of work.
     * What was recorded before must have finished, and submitted() been called. NULL: nothing is recorded, and
     * submitted() computes on the host. Errors: MEMORY, DEVICE_MEMORY, those of reading images. */
    enum shw_result (*record)(void *state, VkCommandBuffer commands, uint64_t work_max);

    /* What was recorded has finished; *event tells what comes next. Errors: MEMORY, CANCELLED, DEVICE_LOST, those of
     * the splitter. */
    enum shw_result (*submitted)(void *state, enum shw_train_event *event);

    /* The splits in the tree builder are those to be made. Due after SHW_TRAIN_DECIDE. */
    void (*decide)(void *state);

    /* Fills in pass_count, pass_names and pass_seconds of the round. May be NULL. */
    void (*get_passes)(const void *state, struct shw_train_progress *progress);

    /* Nothing recorded may still run. Leaves NULL. */
    void (*destroy)(void **state);
};

extern const struct shw_train_backend shw_train_backend_cpu, shw_train_backend_compute, shw_train_backend_blend;

/* Resolves the technique AUTO, fills in work_max, and finds the back end. Errors: ARGUMENT, UNSUPPORTED. */
enum shw_result shw_train_backend_choose(struct shw_trainer_params *params, const struct shw_train_backend **backend);

#endif
