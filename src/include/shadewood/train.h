/* Training decision forests. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_TRAIN_H
#define SHADEWOOD_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/api.h>
#include <shadewood/dataset.h>
#include <shadewood/device.h>
#include <shadewood/forest.h>
#include <shadewood/log.h>
#include <shadewood/technique.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the gain of a test is measured, in exact integer arithmetic on weighted counts. */
enum shw_score {
    SHW_SCORE_INFORMATION_GAIN = 0, /* ID3 (Quinlan 1986) */
    SHW_SCORE_GINI = 1,
    SHW_SCORE_MISCLASSIFICATION = 2,
    SHW_SCORE_NORMALISED_GAIN =
        3,                   /* 2 gain / (entropy of the classes + entropy of the split) (Wehenkel 1998; CURFIL) */
    SHW_SCORE_GAIN_RATIO = 4 /* gain / entropy of the split: C4.5 (Quinlan 1993), without its bound on the gain */
};

/* Where a candidate's thresholds come from (Sharp 2008, 4.5). */
enum shw_threshold_scheme {
    SHW_THRESHOLDS_BEST = 0,  /* many bins between the extreme responses of a few samples; the best bin boundary wins:
                                 a test is "response >= threshold" */
    SHW_THRESHOLDS_RANDOM = 1 /* few bins, whose bounds are responses of random samples; the best run of neighbouring
                                 bins wins: a test is "t0 <= response < t1" */
};

/* What a set of candidates belongs to. */
enum shw_candidate_pool {
    SHW_POOL_NODE = 0, /* every node draws its own */
    SHW_POOL_ROUND = 1 /* one set for all open nodes of a training round (Sharp 2008, 4) */
};

/* How the pixels of an image are drawn, without replacement, void left out. */
enum shw_pixel_sampling {
    SHW_SAMPLING_UNIFORM = 0,
    SHW_SAMPLING_BALANCED = 1 /* as evenly as possible over the classes that the image has */
};

enum shw_class_weighting {
    SHW_WEIGHTING_NONE = 0,
    SHW_WEIGHTING_INVERSE_ROOT = 1, /* 1 / sqrt(frequency) */
    SHW_WEIGHTING_INVERSE = 2,      /* 1 / frequency: fully balanced */
    SHW_WEIGHTING_GIVEN = 3         /* shw_trainer_params.class_weights */
};

struct shw_calibration;
struct shw_splitter;

struct shw_train_progress {
    uint32_t tree, tree_count;
    uint32_t depth;         /* the training round that ended, from 0 */
    uint32_t open_nodes;    /* that the round tried to split */
    uint32_t splits;        /* that it made */
    uint64_t samples;       /* of this tree */
    uint64_t round_samples; /* of the open nodes */
    uint64_t responses;     /* computed so far, all trees */
    double round_seconds;   /* what the round took */
    double seconds; /* since the trainer was made; after shw_trainer_load(), those before the checkpoint included */
    double seconds_left; /* an estimate */
    double fraction;     /* of the whole work, an estimate that grows from 0 to 1 */
    /* Device time of the round by pass. pass_count is 0 where rounds are computed on the host, or where the device has
     * no clock. Names are static, pass_seconds is valid during the call. */
    uint32_t pass_count;
    const char *const *pass_names;
    const double *pass_seconds;
};

/* Several workers that train one forest together, each with a trainer of its own: threads, processes or machines. They
 * share the candidates of every node out and exchange, once a round, the best splits that each has found: 40 bytes an
 * open node and worker. Each worker has the whole training set, moves all samples to their children itself, and ends
 * with the whole forest, which is the same, bit for bit, as that of one trainer alone, whatever the number of workers
 * and the technique of each.
 *
 * All workers have the same parameters but for those that do not influence the result, the same training set, and begin
 * at the same point: none or all load a checkpoint, and the same one. Where they do not, the round's exchange fails
 * with ARGUMENT and a message that names the worker. What is exchanged has the byte order of the machine, which must be
 * the same for all. */
struct shw_train_exchange {
    uint32_t worker, worker_count; /* which of how many this trainer is, from 0; no more of them than candidates */
    void *user;

    /* Gives `word_count` words at `mine` to all workers, and writes those of all workers, in order of their numbers, to
     * `all`; word_count is the same for all. Called once a round by every worker, after it has counted and before it
     * splits, in the same order of rounds, on the thread that called shw_trainer_step() or shw_trainer_complete(), and
     * returns when all have called. A worker that ends early, interrupted or by an error, does not call again: whoever
     * runs the workers must then let the others' calls fail. A failure ends training and is passed on. */
    enum shw_result (*gather)(void *user, const uint32_t *mine, size_t word_count, uint32_t *all);
};

/* Zero means the default that stands at the field. */
struct shw_trainer_params {
    const char *channels;                   /* SHW_CHANNELS_WINN16; as text, see shadewood/channels.h */
    struct shw_channel_kinds kinds;         /* of the caller's, for `channels`. Borrowed, by the forest, too */
    const struct shw_feature_type *feature; /* shw_feature_type_get(0), mean-difference. Borrowed, by the forest, too */
    uint32_t tree_count;                    /* 8 */
    uint32_t depth;                         /* at most this many tests on a path: 12. At most SHW_DEPTH_MAX */
    uint32_t leaf_max;                      /* a tree stops growing at this many leaves; 0: no limit */
    uint32_t candidates;                    /* a node: 300 */
    enum shw_candidate_pool pool;
    uint32_t bins; /* of a candidate's histogram: 32 for BEST, 3 for RANDOM; 2..256, or 255 where responses may be
                      undefined */
    enum shw_threshold_scheme thresholds;
    enum shw_score score;
    const struct shw_splitter
        *splitter;       /* chooses tests in place of `score`, which must then be 0 (shadewood/splitter.h). Borrowed */
    uint32_t offset_max; /* rectangles lie within this many pixels of the classified one, in x and in y: 95 */
    uint32_t size_max;   /* largest width and height of a rectangle: 31, or what offset_max leaves room for: 2 *
                            offset_max + 1 */
    uint32_t single_percent;   /* of candidates that use one rectangle alone; 0..100 */
    uint32_t pixels_per_image; /* 1000; SHW_PIXELS_ALL takes every labelled pixel */
    enum shw_pixel_sampling sampling;
    uint32_t images_percent; /* of the set that a tree sees: 100 */
    bool replacement;        /* images are drawn with replacement (bagging) instead of without */
    uint32_t samples_min;    /* unweighted samples that each child must receive: 8 */
    enum shw_class_weighting weighting;
    const double
        *class_weights; /* class_count positive numbers, only for WEIGHTING_GIVEN; only their ratios count. Copied */
    bool mirror;        /* also trains on every image's mirror image, left and right exchanged */
    uint64_t seed;
    /* How rounds are computed; none of these influences the result. */
    struct shw_device *device; /* borrowed; imported ones for shw_trainer_record() only. NULL allows `cpu` only */
    /* AUTO, CPU, BLEND or COMPUTE. AUTO: what `calibration` says; without one, compute if there is a device that is not
     * itself a CPU, and with imported devices, else cpu. */
    enum shw_technique technique;
    /* Of this device and driver (shadewood/calibrate.h), or NULL. Borrowed during creation. */
    const struct shw_calibration *calibration;
    /* Bytes of device memory that training may use; 0: most of what the device has. Integral images that do not fit are
     * made again when they are needed. */
    uint64_t memory;
    /* Responses that are computed in one submission to the device: 2^30, or 2^24 on a device that is a CPU. */
    uint64_t work_max;
    uint32_t threads; /* on the host; 0: one a processor */
    /* This trainer is one of several workers; NULL: the only one. Borrowed. Not with a splitter, who sees all
     * histograms. */
    const struct shw_train_exchange *exchange;
    const char *notes; /* a JSON object, whose members join the forest's training record; NULL: none. Copied */
    /* Called after each training round, on the thread that called; false cancels. May be NULL. */
    bool (*progress)(void *user, const struct shw_train_progress *progress);
    void *progress_user;
    struct shw_log log;
};

#define SHW_PIXELS_ALL 0xffffffffu

struct shw_trainer;

/* Checks the parameters. Both are borrowed where they hold pointers: dataset, splitter, exchange, progress_user and
 * log.user must outlive the trainer. Errors: ARGUMENT, LIMIT, MEMORY, those of dataset->read. */
SHW_API enum shw_result shw_trainer_create(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                           struct shw_trainer **trainer);

/* Begins another training with a trainer, whether or not it has finished, as if it had been destroyed and created anew,
 * but keeps what takes time to make and serves again: threads and, with the same device and technique, pipelines and
 * device memory and, where the new set has the pixels of the last one, their integral images. Who trains again and
 * again from labels that change, while somebody paints, say, saves most of what is not training. Forests are the same
 * as those of a new trainer. Of the last training nothing recorded may still run; its forest is lost unless it was
 * taken, and its dataset may go. Small buffers on the device become up to twice as large as they must be, beyond
 * params->memory. Errors: as for creation; the trainer can then only be renewed again or destroyed. */
SHW_API enum shw_result shw_trainer_renew(struct shw_trainer *trainer, const struct shw_trainer_params *params,
                                          const struct shw_dataset *dataset);

/* Reads the training set and makes ready for the first round, which shw_trainer_step() and shw_trainer_load() otherwise
 * do; once is enough. Errors: MEMORY, LIMIT, FORMAT, those of dataset->read and, with a device, DEVICE_MEMORY,
 * DEVICE_LOST and UNSUPPORTED; the trainer can then only be destroyed. */
SHW_API enum shw_result shw_trainer_prepare(struct shw_trainer *trainer);

/* Runs one training round: grows the current tree by one level. *finished is set when the forest is complete.
 * Errors: MEMORY, LIMIT, CANCELLED, those of a splitter or an exchange and ARGUMENT where one has broken a rule, those
 * of shw_trainer_prepare(); the trainer can then only be destroyed or, after CANCELLED, saved. One thread at a time for
 * a trainer. */
SHW_API enum shw_result shw_trainer_step(struct shw_trainer *trainer, bool *finished);

/* Lets a step that runs on another thread end soon with CANCELLED, by `cpu` within the round, and steps and recordings
 * that follow at once. The trainer can then only be saved, renewed or destroyed. Any thread, while the trainer
 * lives. */
SHW_API void shw_trainer_interrupt(struct shw_trainer *trainer);

/* Writes a checkpoint: what was grown so far, from which shw_trainer_load() goes on. It appears whole, or what stood at
 * `path` stays. Between steps, as often as wanted; between slices of a round it saves what was before the round. The
 * file is a forest of the trees so far, the last of which may be unfinished, and can be used as one. Errors: IO,
 * MEMORY, LIMIT, those of shw_trainer_prepare(). Unless it is one of the latter, training can go on. */
SHW_API enum shw_result shw_trainer_save(struct shw_trainer *trainer, const char *path);

/* Makes a trainer that has not grown anything continue from a checkpoint: the forest will be the same, bit for bit, as
 * if training had never been interrupted. Parameters and training set must be those of the trainer that was saved,
 * which is checked, pixels included; all that does not influence the result, technique and device above all, may
 * differ. Errors: ARGUMENT (other parameters or another training set: the message names what differs), IO, FORMAT,
 * VERSION, MEMORY: the trainer is then as it was before; and those of shw_trainer_prepare(). */
SHW_API enum shw_result shw_trainer_load(struct shw_trainer *trainer, const char *path);

/* Training in somebody's frame, by the technique `compute`, for imported devices, too. As often as there is time for
 * it: record a slice, submit it, wait until it has finished on the device (a frame later, say), tell so, until the
 * forest is finished:
 *
 *     shw_trainer_record(trainer, commands);   ... submit ...   shw_trainer_complete(trainer, &finished);
 *
 * A slice is bounded by shw_trainer_params.work_max. Results do not depend on it.
 *
 * shw_trainer_prepare() may run on another thread before. shw_trainer_record() records outside a render pass, on a
 * queue with compute. Before a tree it draws samples, before a round it may allocate; in between it only reads the
 * images that the slice needs, ahead of time on a thread of its own. shw_trainer_complete() grows the tree when a round
 * has ended. What was recorded and is not going to be submitted ends the training: the trainer can then only be
 * destroyed.
 *
 * Errors: as for shw_trainer_step(); ARGUMENT where record and complete do not alternate, and for the technique `cpu`.
 * One thread at a time. */
SHW_API enum shw_result shw_trainer_record(struct shw_trainer *trainer, VkCommandBuffer commands);
SHW_API enum shw_result shw_trainer_complete(struct shw_trainer *trainer, bool *finished);

/* Where training stands, between steps: the tree and the round that come next, with its open nodes and their samples if
 * the tree has begun; tree equals tree_count when none comes. What belongs to a round that has ended is zero. */
SHW_API void shw_trainer_get_progress(const struct shw_trainer *trainer, struct shw_train_progress *progress);

/* How rounds are computed: what AUTO came to. */
SHW_API enum shw_technique shw_trainer_get_technique(const struct shw_trainer *trainer);

/* The training record that the forest will have (shw_forest_info.training), to be freed with free(); the pixels of each
 * class are in it as soon as the training set was read. NULL when memory is short. */
SHW_API char *shw_trainer_get_record(const struct shw_trainer *trainer);

/* The finished forest, which is the caller's from now on. ARGUMENT before it is finished. */
SHW_API enum shw_result shw_trainer_get_forest(struct shw_trainer *trainer, struct shw_forest **forest);

/* Ends *trainer's life and sets it to NULL; NULL and a pointer to NULL are accepted. */
SHW_API void shw_trainer_destroy(struct shw_trainer **trainer);

/* All of it in one call. */
SHW_API enum shw_result shw_train(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                  struct shw_forest **forest);

#ifdef __cplusplus
}
#endif
#endif
