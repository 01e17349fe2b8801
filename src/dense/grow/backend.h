/* Computes training rounds. Only the list in train/params.c knows which back ends there are. */
#ifndef SHW_DENSE_GROW_BACKEND_H
#define SHW_DENSE_GROW_BACKEND_H

#include <shadewood/train.h>

struct shw_device_description;
struct shw_samples;
struct shw_train_images;
struct shw_trainer;

/* What comes next in a round. */
enum shw_train_event {
    SHW_TRAIN_MORE,   /* more to record or, in a back end that records nothing, to compute */
    SHW_TRAIN_DECIDE, /* the best splits found are in the tree builder, or a splitter has been given all histograms: the
                         trainer settles the splits, then calls decide() */
    SHW_TRAIN_DONE /* splits and counts of children are in the tree builder, and the samples are with their children */
};

/* Functions that may be NULL are marked. */
struct shw_train_backend {
    enum shw_technique technique; /* the back end has its name */

    /* What the back end needs and the device lacks, for a message; NULL if nothing. May be NULL. */
    const char *(*find_missing)(const struct shw_device_description *device);

    /* Called before the training set is read, while trainer->images are those of the previous training: may release
     * their planes, and replace trainer->dataset by one that keeps what is read. May be NULL. Errors: MEMORY, those of
     * dataset->read. */
    enum shw_result (*open)(struct shw_trainer *trainer);

    /* Creates everything that does not depend on a tree. A *state that is not NULL belongs to the previous training;
     * whatever still fits is kept. `before` is the previous training's set, whose planes may be taken; zero if there
     * was none. Errors: MEMORY, DEVICE_MEMORY, LIMIT, UNSUPPORTED, those of dataset->read. On failure *state is NULL.
     */
    enum shw_result (*create)(struct shw_trainer *trainer, struct shw_train_images *before, void **state);

    /* Called between two trainings: stops using the data set. May be NULL. */
    void (*rest)(void *state);

    /* Begins a tree, whose samples are in the tree builder. May be NULL. Errors: MEMORY, DEVICE_MEMORY, LIMIT. */
    enum shw_result (*begin_tree)(void *state);

    /* Called while what was recorded runs, with the samples of the next tree: prepares some of them for begin_tree(),
     * which is told by the tree builder whether it gets these samples. Returns whether more are left that can be
     * prepared now. May be NULL. */
    bool (*take_ahead)(void *state, const struct shw_samples *samples);

    /* Begins a round; its open nodes and candidates are known. Errors: MEMORY, DEVICE_MEMORY, LIMIT. */
    enum shw_result (*begin)(void *state);

    /* Records the next part of the round: about `work_max` responses, but at least one piece of work. Everything
     * recorded before must have finished, and submitted() been called. NULL: nothing is recorded; submitted() computes
     * on the host. Errors: MEMORY, DEVICE_MEMORY, those of reading images. */
    enum shw_result (*record)(void *state, VkCommandBuffer commands, uint64_t work_max);

    /* Called when everything recorded has finished; sets *event. Errors: MEMORY, CANCELLED, DEVICE_LOST, those of the
     * splitter. */
    enum shw_result (*submitted)(void *state, enum shw_train_event *event);

    /* Called after SHW_TRAIN_DECIDE, when the tree builder holds the splits to make. */
    void (*decide)(void *state);

    /* Fills in pass_count, pass_names and pass_seconds of the round. May be NULL. */
    void (*get_passes)(const void *state, struct shw_train_progress *progress);

    /* Nothing recorded may still be running. Sets *state to NULL. */
    void (*destroy)(void **state);
};

extern const struct shw_train_backend shw_train_backend_cpu, shw_train_backend_compute, shw_train_backend_blend;

#endif
