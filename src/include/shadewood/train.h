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
#include <shadewood/memory.h>
#include <shadewood/technique.h>
#include <shadewood/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The score of a test, in exact integer arithmetic on weighted counts. */
enum shw_score {
    SHW_SCORE_INFORMATION_GAIN = 0, /* ID3 (Quinlan 1986) */
    SHW_SCORE_GINI = 1,
    SHW_SCORE_MISCLASSIFICATION = 2,
    SHW_SCORE_NORMALISED_GAIN =
        3,                   /* 2 gain / (entropy of the classes + entropy of the split) (Wehenkel 1998; CURFIL) */
    SHW_SCORE_GAIN_RATIO = 4 /* gain / entropy of the split: C4.5 (Quinlan 1993), without its bound on the gain */
};

/* How the thresholds of a candidate are made (Sharp 2008, 4.5). */
enum shw_threshold_scheme {
    SHW_THRESHOLDS_BEST = 0,  /* many bins between the extreme responses of a few samples; the best bin boundary wins:
                                 tests are "response >= threshold" */
    SHW_THRESHOLDS_RANDOM = 1 /* few bins, whose boundaries are responses of random samples; the best range of bins
                                 wins: tests are "t0 <= response < t1" */
};

/* What shares a set of candidates. */
enum shw_candidate_pool {
    SHW_POOL_NODE = 0, /* every node draws its own */
    SHW_POOL_ROUND = 1 /* one set for all open nodes of a training round (Sharp 2008, 4) */
};

/* How pixels are drawn from the images of a tree, without replacement and without void pixels. */
enum shw_pixel_sampling {
    SHW_SAMPLING_UNIFORM = 0,
    SHW_SAMPLING_BALANCED = 1, /* as evenly as possible over the classes in the image; what cannot be divided goes to
                                  classes drawn at random */
    SHW_SAMPLING_CLASS_UNIFORM = 2 /* as evenly as possible over the classes in all images of the tree, which give as
                                      many pixels in all as otherwise; every pixel of a class is equally likely, so an
                                      image with more of it gives more (CURFIL) */
};

/* How much the pixels of a class count. */
enum shw_class_weighting {
    SHW_WEIGHTING_NONE = 0,
    SHW_WEIGHTING_INVERSE_ROOT = 1, /* 1 / sqrt(frequency) */
    SHW_WEIGHTING_INVERSE = 2,      /* 1 / frequency: fully balanced */
    SHW_WEIGHTING_GIVEN = 3         /* shw_trainer_params.class_weights */
};

/* How frequent the classes are assumed to be in the distributions of leaves. Scores do not depend on it. */
enum shw_leaf_prior {
    SHW_PRIOR_SAMPLES = 0, /* as among the samples of the tree, weighted by their classes */
    SHW_PRIOR_DATA = 1     /* as among the labelled pixels of the training set, whatever sampling and weighting prefer
                              (Waldvogel 2013, Eq. 3.7) */
};

struct shw_calibration;
struct shw_proposer;
struct shw_splitter;

/* What training reports after each of its rounds. */
struct shw_train_progress {
    uint32_t tree, tree_count;
    uint32_t depth;         /* the training round that ended, from 0 */
    uint32_t open_nodes;    /* before the round */
    uint32_t splits;        /* made in the round */
    uint64_t samples;       /* of this tree */
    uint64_t round_samples; /* of the open nodes */
    uint64_t responses;     /* computed so far for all trees */
    double round_seconds;   /* duration of the round */
    double seconds;         /* since the trainer was created, including those before a checkpoint that was loaded */
    double seconds_left;    /* estimated; that of the first rounds may be far from the truth */
    double fraction;        /* of all work, estimated; increases from 0 to 1 */
    /* Device time of the round by pass. pass_count is 0 if rounds are computed on the host or the device has no
     * timestamps. Names are static; pass_seconds is valid during the call. */
    uint32_t pass_count;
    const char *const *pass_names;
    const double *pass_seconds;
    /* With shw_trainer_params.out_of_bag: pixels of images that some finished tree was not trained on, and those of
     * them that the mean, or the votes, of these trees label right. */
    uint64_t out_of_bag_pixels, out_of_bag_correct;
    uint64_t open_classes; /* before the round: the classes present in each open node, added up. A candidate's
                              histograms have as many columns */
};

/* What workers that train one forest together divide. */
enum shw_train_division {
    SHW_DIVIDE_CANDIDATES = 0, /* those of every node, by how fast the workers are: each reads the whole training set,
                                  and moves all samples to their children */
    SHW_DIVIDE_IMAGES = 1      /* images i * n / w to (i + 1) * n / w of n to worker i of w: each reads its own alone,
                                  counts all candidates in their samples, and moves those. Needs as many images as
                                  workers, each of them a whole picture */
};

/* Several workers that train one forest together, each with its own trainer: threads, processes or machines. They
 * exchange, once per round, the best splits that each has found, 40 bytes per open node and worker. Those that divide
 * images also exchange what their samples say: histograms, of which each worker adds up and scores those of some
 * candidates, what thresholds are made from, and class counts. Each ends with the whole forest. It is the same, bit for
 * bit, as that of a single trainer, whatever the number of workers, what they divide and their techniques.
 *
 * All workers must have the same training set and the same parameters, except those that do not affect the result, and
 * begin at the same point: all of them load the same checkpoint, or none loads any. Otherwise the exchange fails with
 * ARGUMENT and a message that names the worker. Data are exchanged in the machine's byte order, which must be the same
 * for all. */
struct shw_train_exchange {
    uint32_t worker, worker_count; /* number of this worker, from 0, and of all workers; at most as many workers as
                                      candidates */
    void *user;

    /* Sends `word_count` words at `mine` to all workers, and writes those of all workers to `all`, in order of their
     * numbers; word_count is the same for all. Called by every worker, in the same order as `scatter` and with the same
     * word counts, on the thread that called shw_trainer_step() or shw_trainer_complete(): if candidates are divided,
     * once per round, after counting and before splitting. If images are divided, more often, also by
     * shw_trainer_load() and shw_trainer_prepare(), but not by shw_trainer_record(), while another worker may wait for
     * the device. Returns when all workers have called. A worker
     * that ends early, by interruption or error, makes no further call: the program must then let the calls of the
     * others fail. A failure ends training and is returned. */
    enum shw_result (*gather)(void *user, const uint32_t *mine, size_t word_count, uint32_t *all);

    enum shw_train_division divide;
    /* If images are divided: sends words w * word_count to (w + 1) * word_count at `mine` to worker w, and writes what
     * all workers sent to this one to `parts`, in order of their numbers; otherwise as gather. May be NULL if
     * candidates are divided. */
    enum shw_result (*scatter)(void *user, const uint32_t *mine, size_t word_count, uint32_t *parts);
};

/* A helper of a trainer: another device of the machine, or its processors. Zero means the default, as of a trainer. */
struct shw_train_helper {
    struct shw_device *device; /* borrowed, while the trainer exists; its own, or that of another helper, too. NULL
                                  allows `cpu` only */
    enum shw_technique technique;
    uint64_t memory; /* bytes that this helper may use, as shw_trainer_params.memory */
    uint32_t threads;
    const char *name; /* what messages call it: "helper N", from 0. Copied */
};

/* What is trained on besides the images: nothing; or the images mirrored left to right, which have pixels drawn for
 * them and planes of their own; or each sample's twin, the same pixel seen in the mirror image (paired flipping, CURFIL
 * section 5.3). Twins are read from the planes of the image, so these need half the memory; each goes its own way
 * through the tree. */
enum shw_mirroring { SHW_MIRROR_NONE = 0, SHW_MIRROR_IMAGES = 1, SHW_MIRROR_PAIRED = 2 };

/* Zero means the default given at the field. */
struct shw_trainer_params {
    const char *channels;                   /* SHW_CHANNELS_WINN16; see shadewood/channels.h */
    struct shw_channel_kinds kinds;         /* custom ones for `channels`. Borrowed, also by the forest */
    const struct shw_feature_type *feature; /* shw_feature_type_get(0), mean-difference. Borrowed, also by the forest */
    uint32_t tree_count;                    /* 8 */
    uint32_t depth;                         /* maximum number of tests on a path: 12; at most SHW_DEPTH_MAX */
    uint32_t leaf_max;                      /* maximum number of leaves per tree; 0: no limit */
    uint32_t candidates;                    /* per node: 300 */
    enum shw_candidate_pool pool;
    bool ferns;    /* all nodes of a level share one test, the one by which they gain most in all (Waldvogel 2013, Eq.
                      4.14). Then `pool` is ROUND whatever is given, and a child that would have fewer than samples_min
                      samples is a leaf with its parent's distribution. Not with a splitter */
    uint32_t bins; /* per candidate: 32 for BEST, 3 for RANDOM; 2..256, or 255 if responses may be undefined */
    enum shw_threshold_scheme thresholds;
    enum shw_score score;
    const struct shw_splitter
        *splitter;       /* chooses tests instead of `score`, which must then be 0 (shadewood/splitter.h). Borrowed */
    uint32_t offset_max; /* rectangles are within this many pixels of the classified one, in x and in y: 95 */
    uint32_t size_max;   /* maximum width and height of a rectangle: 31, but at most what offset_max allows, 2 *
                            offset_max + 1 */
    uint32_t single_percent;   /* candidates that use only one rectangle; 0..100 */
    uint32_t pixels_per_image; /* 1000; SHW_PIXELS_ALL: every labelled pixel */
    enum shw_pixel_sampling sampling;
    uint32_t images_percent; /* images per tree: 100 */
    bool replacement;        /* draw images with replacement (bagging) */
    bool same_samples;       /* all trees have the images and pixels that are drawn for the first one */
    uint32_t samples_min;    /* unweighted samples required in each child: 8 */
    enum shw_class_weighting weighting;
    const double *class_weights; /* for WEIGHTING_GIVEN only: class_count positive numbers, of which only the ratios
                                    matter. Copied */
    enum shw_leaf_prior prior;   /* of the leaves' distributions */
    uint32_t bias_percent;    /* this percentage of a leaf's samples is subtracted from those of each class before the
                                 distribution is made, so that a few samples of a class do not count: histogram bias
                                 (Waldvogel 2013, Eq. 4.10); 0..99. Leaves of which nothing would remain keep all */
    enum shw_combine combine; /* of the forest: MEAN */
    enum shw_fill fill; /* of missing depth, in training and by the forest: NONE. SIMPLE is refused if the channels
                           do not read SHW_DEPTH, and for examples that are parts of pictures */
    struct shw_smoothing smoothing; /* of what the forest labels; does not affect training */
    enum shw_mirroring mirror;      /* also train on what images mirrored left to right show */
    uint64_t seed;
    /* How rounds are computed; none of this affects the result. */
    struct shw_device *device; /* borrowed; imported devices for shw_trainer_record() only. NULL allows `cpu` only */
    /* AUTO, CPU, BLEND or COMPUTE. AUTO is decided by `calibration`; without one it is compute if the device is
     * imported or not a CPU, otherwise cpu. */
    enum shw_technique technique;
    /* Of this device and driver (shadewood/calibrate.h), or NULL. Borrowed during creation. */
    const struct shw_calibration *calibration;
    /* Bytes that training may use: of device memory or, by `cpu`, of host memory. 0: most of the device's memory; three
     * quarters of the machine's, or of its control group's limit. Integral images that do not fit are recomputed when
     * needed. By `cpu`, what the data set holds is not counted, nor the trees: at most 120 bytes per node, and 6 per
     * class, of the tree in progress, and 180 bytes per node, and 4 per class, of the others. If samples, one image and
     * tables are too much, preparing fails with LIMIT and a message that says how much is needed. */
    uint64_t memory;
    /* Responses computed per submission to the device: 2^30, or 2^24 if the device is a CPU. */
    uint64_t work_max;
    uint32_t threads; /* on the host; 0: one per processor */
    /* Makes this trainer one of several workers; NULL: it is the only one. Borrowed. Not with a splitter, which needs
     * all histograms. */
    const struct shw_train_exchange *exchange;
    const char *notes; /* a JSON object whose members are added to the provenance; NULL: none. Copied */
    /* Called after each training round, on the calling thread; returns false to cancel. May be NULL. */
    bool (*progress)(void *user, const struct shw_train_progress *progress);
    void *progress_user;
    struct shw_log log;
    /* The number of the first tree, from 0, by which random numbers are drawn: trees 10 to 19 are the same whether they
     * are trained alone (first_tree 10, tree_count 10) or after the first ten. shw_forest_merge() joins them. At most
     * SHW_TREES_MAX with the trees. */
    uint32_t first_tree;
    /* Also labels pixels of each image by the trees that were not trained on it, which needs images_percent below 100
     * or `replacement`, and examples that are whole images. Reported with progress; the provenance then has the pixels
     * and the correct ones after each tree (`out_of_bag`). Trees do not depend on it. */
    bool out_of_bag;
    /* Stacking (docs/stacking.md). With folds, 2 to tree_count, picture p is not shown to the trees t for which
     * p / fold_run % folds == t % folds, so that these can say what the forest makes of pictures that it does not know.
     * 0: all trees see all pictures. Not with same_samples; all levels that have folds have the same ones. */
    uint32_t folds;
    /* The level below, whose distributions become channels beside `channels`. Those of a picture are made by the trees
     * that have not seen it, if that level was trained with folds on the same pictures, otherwise by all. NULL: there
     * is none. The trainer keeps a reference. Not for examples that are parts of pictures. */
    const struct shw_forest *below;
    /* Of shw_train() alone: trains so many levels, 0 or 1 to SHW_LEVELS_MAX, one above the other, all but the uppermost
     * with `folds` (0: SHW_FOLDS_DEFAULT, but no more than trees). A trainer trains one. */
    uint32_t levels;
    uint32_t offset_min; /* 0; otherwise tests have reaches from this, at most offset_max, to offset_max, each power of
                            two between them as common as the others, and of tests that are equally good the nearer one
                            is preferred. The rectangles of a test are within its reach */
    /* offset_max and size_max of all `levels` but the uppermost: SHW_NEAR_OFFSET_MAX and SHW_NEAR_SIZE_MAX, or less if
     * offset_max and size_max are less. Lower levels say best what a place looks like, the uppermost one what is around
     * it: its offset_max and size_max of 0 mean SHW_FAR_OFFSET_MAX and SHW_FAR_SIZE_MAX. An offset_min above a level's
     * offset_max is reduced to that. */
    uint32_t below_offset_max, below_size_max;
    uint32_t fold_run; /* pictures that follow each other and are in the same fold, since they may look alike, as frames
                          do: 1 */
    /* Gives the candidates of each round, at most `candidates` of a node, instead of the library
     * (shadewood/proposer.h); NULL: the library draws them. Borrowed. single_percent, size_max, shapes and
     * offset_min are then for shw_proposer_draw() only. */
    const struct shw_proposer *proposer;
    /* Helpers, which train the same forest on threads of their own: the trainer and its helpers divide the candidates
     * of every round by how fast they are, as workers of an exchange do. None of this affects the result. Each of them
     * reads the training set, also at the same time, though one after the other if it is single_threaded. If one fails,
     * so does the next round, with a message that has the helper's number. Not with an exchange, a splitter or a
     * proposer. Borrowed during creation. */
    const struct shw_train_helper *helpers;
    uint32_t helper_count; /* fewer than candidates */
    /* 0; otherwise rectangles are squares of so many sizes, at most SHW_SHAPES_MAX: the middles of equal parts of the
     * logarithm of 1..size_max, for example 3 and 24 of 60; of a small size_max, some are the same. Forests of few
     * shapes of the types mean-difference and sum-difference are labelled faster by `compute` and `cpu`, and trained
     * faster by `compute` (docs/training.md#few-shapes). With offset_min, near tests keep these sizes, so that their
     * rectangles may exceed their reach by half of that. Types of single pixels have no use for it. */
    uint32_t shapes;
};

/* What members of struct shw_trainer_params stand for when they are 0: `folds`, and the reach of the tests. */
#define SHW_FOLDS_DEFAULT   5u
#define SHW_NEAR_OFFSET_MAX 20u
#define SHW_NEAR_SIZE_MAX   21u
#define SHW_FAR_OFFSET_MAX  200u
#define SHW_FAR_SIZE_MAX    160u

/* For shw_trainer_params.shapes. */
#define SHW_SHAPES_MAX 64u

/* For shw_trainer_params.pixels_per_image: every labelled pixel. */
#define SHW_PIXELS_ALL 0xffffffffu

/* How far training looks around a labelled pixel: no pixel farther away than this, in x or in y, affects the forest.
 * UINT32_MAX if the feature type is not one of the library's or divides by the depth, which may look anywhere, if there
 * is a level below, or if the channels are invalid. Any thread. */
SHW_API uint32_t shw_trainer_params_get_reach(const struct shw_trainer_params *params);

struct shw_trainer;

/* Checks the parameters. dataset, splitter, proposer, exchange, progress_user and log.user must outlive the trainer.
 * Errors: ARGUMENT, LIMIT, MEMORY, those of dataset->read. */
SHW_API enum shw_result shw_trainer_create_abi(uint32_t abi, const struct shw_trainer_params *params,
                                               const struct shw_dataset *dataset, struct shw_trainer **trainer);
static inline enum shw_result shw_trainer_create(const struct shw_trainer_params *params,
                                                 const struct shw_dataset *dataset, struct shw_trainer **trainer)
{
    return shw_trainer_create_abi(SHW_ABI, params, dataset, trainer);
}

/* Begins another training, whether or not the last one has finished, as if the trainer had been destroyed and created
 * again, but keeps what is expensive to make and still fits: threads; with the same device and technique also pipelines
 * and device memory; with the same pixels also integral images. That saves most of the overhead of training repeatedly
 * on the same images while labels change. Forests are the same as those of a new trainer. Nothing recorded for the last
 * training may still be running; its forest is lost unless shw_trainer_get_forest() was called, and its dataset is no
 * longer used. Small device buffers may become up to twice as large as needed, in excess of params->memory. Errors: as
 * for creation; the trainer can then only be renewed again or destroyed. */
SHW_API enum shw_result shw_trainer_renew(struct shw_trainer *trainer, const struct shw_trainer_params *params,
                                          const struct shw_dataset *dataset);

/* Reads the training set and prepares the first round. Optional: shw_trainer_step() and shw_trainer_load() do it if
 * necessary. Errors: MEMORY, LIMIT, FORMAT, those of dataset->read and, with a device, DEVICE_MEMORY, DEVICE_LOST and
 * UNSUPPORTED; the trainer can then only be destroyed. */
SHW_API enum shw_result shw_trainer_prepare(struct shw_trainer *trainer);

/* Runs one training round, which grows the current tree by one level. *finished is set when the forest is complete.
 * Errors: MEMORY, LIMIT, CANCELLED, those of a splitter, a proposer or an exchange, ARGUMENT if one of these breaks a
 * rule, those of shw_trainer_prepare(); the trainer can then only be destroyed or, after CANCELLED and errors of a
 * proposer, saved. One thread at a time per trainer. */
SHW_API enum shw_result shw_trainer_step(struct shw_trainer *trainer, bool *finished);

/* Makes a step on another thread return CANCELLED soon (`cpu` stops within the round), and later steps and recordings
 * at once. The trainer can then only be saved, renewed or destroyed. Any thread, while the trainer exists. */
SHW_API void shw_trainer_interrupt(struct shw_trainer *trainer);

/* Writes a checkpoint, from which shw_trainer_load() continues. The file is written atomically. May be called between
 * steps; between the slices of a round it saves the state before the round. The checkpoint is a forest of the trees so
 * far, the last of which may be unfinished, and can be used as one. Errors: IO, MEMORY, LIMIT, those of
 * shw_trainer_prepare(), ARGUMENT if workers divide the images and have not begun a round. After other errors than
 * those of preparing, training can continue. */
SHW_API enum shw_result shw_trainer_save(struct shw_trainer *trainer, const char *path);

/* Continues from a checkpoint with a trainer that has not run any rounds: the forest will be the same, bit for bit, as
 * if training had not been interrupted. Parameters and training set must be those of the trainer that was saved, which
 * is checked, pixels included; parameters that do not affect the result, such as technique and device, may differ.
 * Errors: ARGUMENT (different parameters or training set: the message names the difference), IO, FORMAT, VERSION (a
 * newer file, or one whose samples were drawn by another version of the random generator, which the message names),
 * MEMORY, those of a proposer, ARGUMENT if it proposes other candidates than before: the trainer is then unchanged; and
 * those of shw_trainer_prepare(). */
SHW_API enum shw_result shw_trainer_load(struct shw_trainer *trainer, const char *path);

/* Training within the caller's frames, with the technique `compute` or `blend`, on own and imported devices. Repeat
 * until the forest is finished: record a slice, submit it, wait until the device has completed it (for example a
 * frame later), and report that:
 *
 *     shw_trainer_record(trainer, commands);   ... submit ...   shw_trainer_complete(trainer, &finished);
 *
 * shw_trainer_params.work_max limits a slice. Results do not depend on it.
 *
 * shw_trainer_prepare() may run on another thread before. shw_trainer_record() records outside a render pass, for a
 * queue with compute; with `blend` into a primary command buffer for a queue with graphics, too. It changes the states
 * that shw_labeller_record() does, and a slice is submitted once. Its stages wait for all earlier commands of the
 * queue. Before a tree it draws samples, before a round it may allocate, and the first slices allocate room for pixels
 * (struct shw_memory_hooks); otherwise it only reads the images that the slice needs, ahead of time on a separate
 * thread. shw_trainer_complete() grows the tree when a round
 * has ended. If a recording is not going to be submitted, the trainer can only be destroyed.
 *
 * Errors: as for shw_trainer_step(); ARGUMENT if record and complete do not alternate, and for the technique `cpu`.
 * One thread at a time. */
SHW_API enum shw_result shw_trainer_record(struct shw_trainer *trainer, VkCommandBuffer commands);
SHW_API enum shw_result shw_trainer_complete(struct shw_trainer *trainer, bool *finished);

/* The state of training between steps: the next tree and round, and if the tree has begun, its open nodes and their
 * samples; tree equals tree_count when training is complete. Members about a round that has ended are zero. */
SHW_API void shw_trainer_get_progress(const struct shw_trainer *trainer, struct shw_train_progress *progress);

/* The technique, with AUTO resolved. */
SHW_API enum shw_technique shw_trainer_get_technique(const struct shw_trainer *trainer);

/* The provenance of the forest (shw_forest_info.training), to be freed with shw_free(). Contains the pixels of each
 * class once the training set has been read. NULL if out of memory. */
SHW_API char *shw_trainer_get_record(const struct shw_trainer *trainer);

/* Passes the finished forest to the caller. Errors: ARGUMENT if it is not finished. */
SHW_API enum shw_result shw_trainer_get_forest(struct shw_trainer *trainer, struct shw_forest **forest);

/* Destroys *trainer and sets it to NULL; accepts NULL and a pointer to NULL. */
SHW_API void shw_trainer_destroy(struct shw_trainer **trainer);

/* Creates a trainer, runs all rounds and returns the forest; that for each level. */
SHW_API enum shw_result shw_train_abi(uint32_t abi, const struct shw_trainer_params *params,
                                      const struct shw_dataset *dataset, struct shw_forest **forest);
static inline enum shw_result shw_train(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                        struct shw_forest **forest)
{
    return shw_train_abi(SHW_ABI, params, dataset, forest);
}

#ifdef __cplusplus
}
#endif
#endif
