/* Training a cascade: the state of a training, and its parts: mining, patches of objects, and the growing of trees. */
#ifndef SHW_DETECTION_BOOST_TRAINER_H
#define SHW_DETECTION_BOOST_TRAINER_H

#include <jansson.h>
#include <shadewood/detect_train.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/thread_pool.h"
#include "detection/boost/backend.h"
#include "detection/boost/workers.h"

/* Exponentials, logarithms and roots in integers, the same on every machine. */

/* exp(-x / 2^16) in units of 2^-31; off by at most 2^-24 of the value, and 2^-31. */
uint32_t shw_boost_exp(uint32_t x);

/* ln(a / b) / 2 in units of 2^-16, rounded to the nearest; a, b from 1 to 2^32; off by less than 1. */
int32_t shw_boost_half_log(uint64_t a, uint64_t b);

/* The square root, rounded down. */
uint32_t shw_boost_root(uint64_t x);

/* Mining: the windows of images without objects that a cascade takes for an object. */

/* The images of a data set in grey. Those that have no room in memory are read whenever they are needed. */
struct shw_grey_images {
    const struct shw_cascade_dataset *dataset;
    struct shw_grey_image {
        uint8_t *grey; /* without padding; NULL: not kept */
        uint32_t width, height;
        uint64_t hash;
        uint32_t first_object, object_count;
    } * images;
    struct shw_log log;
};

/* Reads all images that are this worker's, and learns the size and hash of the others. Errors: MEMORY, CANCELLED (if
 * *stop becomes true), ARGUMENT (an invalid image, or workers with different images), those of dataset->read and of the
 * exchange; free the images in either case. */
enum shw_result shw_grey_images_read(const struct shw_cascade_dataset *dataset, const struct shw_boost_workers *workers,
                                     struct shw_thread_pool *pool, const atomic_bool *stop, const struct shw_log *log,
                                     struct shw_grey_images *images);

/* Accepts zero-initialised ones. */
void shw_grey_images_free(struct shw_grey_images *images);

/* The pixels of an image of this worker, to be released. Any thread. */
enum shw_result shw_grey_images_get(const struct shw_grey_images *images, uint32_t index, const uint8_t **grey);
void shw_grey_images_release(const struct shw_grey_images *images, uint32_t index, const uint8_t *grey);

struct shw_mining {
    const struct shw_grey_images *images;
    const struct shw_cascade *cascade; /* PIXELS */
    bool turned;                       /* images without objects also mirrored and turned by quarters */
    uint32_t hold_out_percent;         /* of the images, which are not scanned */
    bool held_out;                     /* they alone are */
    uint32_t count;                    /* windows that are wanted */
    uint64_t seed;
    uint32_t round; /* of the draws */
    struct shw_thread_pool *pool;
    const struct shw_boost_workers *workers; /* each of which scans its images; all get what all have found */
    const atomic_bool *stop;
};

struct shw_mined {
    uint16_t *patches; /* of the window's size */
    int32_t *scores;
    uint32_t count;
    uint64_t scanned, passed; /* windows */
};

/* Errors: MEMORY, LIMIT, CANCELLED, those of dataset->read and of the exchange. */
enum shw_result shw_mine(const struct shw_mining *mining, struct shw_mined *mined);

/* Accepts a zero-initialised one. */
void shw_mined_free(struct shw_mined *mined);

/* Patches of objects and of varied copies of them, with the values that a scan reads. */

/* A part of an image around an object: 12-bit values as the pyramid is made from, halved as often as for the level on
 * which the object has the window's size. */
struct shw_object_source {
    uint16_t *values;
    uint32_t width, height;
    /* Of the object, in 1/65536 of the values: its centre, and the size of a pixel of the window before shrinking. */
    int64_t x, y, step;
};

/* How the objects of a training become patches. */
struct shw_object_patches {
    uint32_t width, height; /* of the window */
    uint32_t border;        /* pixels of it around the objects */
    uint32_t margin;        /* percent */
    struct shw_cascade_planes planes;
    struct shw_cascade_variation variation;
    uint64_t seed;
};

/* Cuts the sources of `count` objects from grey pixels without padding. Objects that are smaller than four fifths of
 * the window, or lie wholly outside of the image, have no values. Errors: MEMORY; free the sources in either case. */
enum shw_result shw_object_sources_cut(const struct shw_object_patches *patches, const uint8_t *grey, uint32_t width,
                                       uint32_t height, const struct shw_cascade_object *objects, uint32_t count,
                                       const struct shw_log *log, struct shw_object_source *sources);

/* Accepts a zero-initialised one. */
void shw_object_source_free(struct shw_object_source *source);

/* Copy `copy` of object number `object`; 0 is the object as it is. False if memory is exhausted. */
bool shw_object_patch_make(const struct shw_object_patches *patches, const struct shw_object_source *source,
                           uint32_t object, uint32_t copy, uint16_t *patch);

/* Growing one tree of a boosted cascade from the histograms of a back end. */

#define SHW_BOOSTED_DEPTH_MAX 8u
#define SHW_BOOSTED_NODES_MAX ((2u << SHW_BOOSTED_DEPTH_MAX) - 1)

#define SHW_BOOSTED_FRACTION_BITS 16u /* of leaf values and scores */

/* Nodes in the order of a cascade's. */
struct shw_boosted_tree {
    struct shw_cascade_node nodes[SHW_BOOSTED_NODES_MAX];
    uint32_t node_count;
};

/* The value of the leaf that a patch, of rows of `width` values, reaches. */
int32_t shw_boosted_tree_value(const struct shw_cascade_node *nodes, const uint16_t *patch, uint32_t width);

/* What a tree is grown from. */
struct shw_boosting_samples {
    const uint16_t *patches; /* the same as the back end has */
    const uint8_t *classes;
    uint32_t *weights;
    uint32_t count;
};

struct shw_boosting_choice {
    uint64_t seed;
    enum shw_boosting boosting;
    uint32_t width, height; /* of the window */
    uint32_t border;        /* pixels of it on each side that no test looks at */
    uint32_t depth, candidates, thresholds;
};

/* The weights of one class that AdaBoost gives by scores, exp(-score) of objects and exp(score) of backgrounds, in
 * integers that sum up to less than 2^23. Those with `left_out` have none. */
void shw_boosting_weigh(const int32_t *scores, const bool *left_out, uint32_t count, bool objects, uint32_t *weights);

/* The loss of a leaf with these sums of weights, which training minimises: it grows as classes are mixed. */
uint64_t shw_boosting_loss(enum shw_boosting boosting, uint32_t object, uint32_t background);

/* The value of a leaf with these sums. Both are increased by a little, which keeps leaves of few samples from
 * certainty. */
int32_t shw_boosting_value(enum shw_boosting boosting, uint32_t object, uint32_t background);

/* Grows tree number `tree`; `leaves`, of samples->count, become the nodes that the samples reach. Errors: those of the
 * back end and of the exchange, MEMORY, ARGUMENT if workers do not grow the same tree. */
enum shw_result shw_boosting_grow(const struct shw_boosting_choice *choice, struct shw_boost *boost,
                                  struct shw_thread_pool *pool, const struct shw_boost_workers *workers, uint32_t tree,
                                  const struct shw_boosting_samples *samples, struct shw_boosted_tree *result,
                                  uint16_t *leaves);

/* Stages of a round that has not ended: they reject nothing. */
#define SHW_STAGE_OPEN INT32_MIN

/* Copies of objects, or backgrounds, with their running scores. */
struct shw_scored_patches {
    uint16_t *patches;
    int32_t *scores;
    bool *rejected; /* by a stage that has a threshold; the score is then that of the last round */
    uint32_t count;
};

struct shw_cascade_trainer {
    struct shw_cascade_trainer_params params; /* with defaults; name and notes are the trainer's */
    const struct shw_cascade_dataset *dataset;
    char *name, *notes;
    struct shw_boosting_choice choice;
    struct shw_object_patches cutting;
    uint32_t points; /* of a patch */
    struct shw_thread_pool *pool;
    struct shw_boost *boost;
    struct shw_boost_workers workers;
    struct shw_grey_images images;
    atomic_bool stop;
    double start;

    bool prepared, finished;
    uint64_t data_hash;
    struct shw_scored_patches samples;     /* copies of objects, then the round's backgrounds */
    struct shw_scored_patches calibration; /* copies of the objects that are held out */
    uint32_t object_samples;               /* of the samples */
    uint8_t *classes;                      /* these three: of the samples */
    uint32_t *weights;
    uint16_t *leaves;

    struct shw_cascade_stage *stages;
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
    uint32_t stage_count, node_count, stage_capacity, tree_capacity, node_capacity;

    uint32_t round;       /* from 1; 0: before the first */
    uint32_t round_first; /* its first stage */
    bool round_open;
    uint64_t scanned, passed; /* windows, by its mining */
    double backgrounds_left;

    struct shw_cascade_quality quality; /* of the finished cascade */
};

/* Reads the data and cuts the objects. */
enum shw_result shw_cascade_trainer_prepare(struct shw_cascade_trainer *trainer);

/* Mines for a round after all stages so far, whose number is `round`; finished is set if too little is found. */
enum shw_result shw_cascade_trainer_mine(struct shw_cascade_trainer *trainer);

/* Appends a stage. Errors: MEMORY. */
enum shw_result shw_cascade_trainer_add(struct shw_cascade_trainer *trainer, const struct shw_cascade_node *nodes,
                                        uint32_t node_count, int32_t threshold);

/* Adds the values of the stage's tree to the scores of patches from `first` on, and rejects by its threshold. */
void shw_cascade_trainer_score(const struct shw_cascade_trainer *trainer, uint32_t stage,
                               struct shw_scored_patches *patches, uint32_t first);

/* The thresholds of the round's stages if it ended now: `thresholds` has one for each of them. Errors: MEMORY. */
enum shw_result shw_cascade_trainer_thresholds(const struct shw_cascade_trainer *trainer, int32_t *thresholds);

/* Notes the share of backgrounds that is left, and ends the round if it is small enough, or `last`. */
enum shw_result shw_cascade_trainer_end_round(struct shw_cascade_trainer *trainer, bool last);

/* The cascade of the first `count` stages, with those thresholds from round_first on (NULL: as they are). One of no
 * stages passes all windows. */
enum shw_result shw_cascade_trainer_make(const struct shw_cascade_trainer *trainer, uint32_t count,
                                         const int32_t *thresholds, const char *record, struct shw_cascade **cascade);

/* Measures the finished cascade, once. Errors: those of shw_mine(). */
enum shw_result shw_cascade_trainer_measure(struct shw_cascade_trainer *trainer);

/* The provenance: all that affects the cascade. NULL if memory is exhausted. */
json_t *shw_cascade_trainer_record(const struct shw_cascade_trainer *trainer);

#endif
