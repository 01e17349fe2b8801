/* The trainer's parts. */
#ifndef SHW_TRAIN_TRAINER_H
#define SHW_TRAIN_TRAINER_H

#include <stdatomic.h>

#include <shadewood/train.h>

#include "base/simd.h"
#include "base/thread_pool.h"
#include "train/progress.h"
#include "train/score.h"

/* What random numbers are drawn for; part of every key, so that no two draws share a counter. */
enum shw_draw { SHW_DRAW_IMAGES = 1, SHW_DRAW_PIXELS = 2, SHW_DRAW_CANDIDATES = 3, SHW_DRAW_THRESHOLDS = 4 };

/* The generator's key for one purpose in one tree. */
uint32_t shw_draw_key(uint64_t seed, uint32_t tree, enum shw_draw draw);

/* A training image, or its mirror image. */
struct shw_train_image {
    uint32_t width, height;
    enum shw_pixel_format format;
    uint32_t labelled_count; /* pixels that are not void */
    size_t integrals;     /* first of its integral images in shw_train_images.integrals: plane by plane, (height + 1) *
                             (width + 1) */
    uint64_t hash;        /* of the example's size, pixels and labels */
    uint64_t pixels_hash; /* of its size and pixels alone */
};

/* What is known of the whole training set. */
struct shw_train_images {
    struct shw_train_image *images; /* mirror images follow after all the others */
    uint32_t count, base_count;
    uint64_t *class_pixels; /* labelled pixels of each class */
    uint32_t *integrals;    /* of all images, for the technique `cpu`; else NULL */
    size_t integral_count;
    struct shw_channel_list channels;
};

/* Reads an example and checks it. To be ended with dataset->release(). Errors: FORMAT, those of read. */
enum shw_result shw_train_image_read(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                     uint32_t index, struct shw_labelled_image *example);

/* A packed copy of the pixels, left and right exchanged, to be freed with free(). NULL without memory. */
void *shw_train_image_mirror(const struct shw_image *image);

/* Reads the whole set once to measure and check it. Errors: FORMAT, LIMIT, MEMORY, those of read. On failure *images is
 * zero. */
enum shw_result shw_train_images_measure(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                         struct shw_thread_pool *pool, struct shw_train_images *images);

/* Computes the integral images of all images. Errors as above; then there are none. */
enum shw_result shw_train_images_integrate(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                           struct shw_thread_pool *pool, struct shw_train_images *images);
void shw_train_images_free(struct shw_train_images *images);

/* Whether both have the same pixels and channels, so that integral images of one are those of the other. */
bool shw_train_images_equal(const struct shw_train_images *a, const struct shw_train_images *b);

/* The samples of one tree as parallel arrays, in the order of open nodes and, within a node, of image and pixel. */
struct shw_samples {
    uint32_t count;
    uint32_t *image;
    uint16_t *x, *y, *label;
};

/* Draws a tree's samples. Errors: FORMAT, LIMIT, MEMORY, those of read. On failure *samples is zero. */
enum shw_result shw_samples_draw(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                 struct shw_thread_pool *pool, const struct shw_train_images *images, uint32_t tree,
                                 struct shw_samples *samples);

/* Makes room for `count` samples. False when memory is short: what there is must be freed all the same. */
bool shw_samples_allocate(struct shw_samples *samples, size_t count);
void shw_samples_free(struct shw_samples *samples);

/* How many samples each class has. Errors: MEMORY. */
enum shw_result shw_samples_count(const struct shw_log *log, struct shw_thread_pool *pool,
                                  const struct shw_samples *samples, uint32_t classes, uint64_t *counts);

/* A feature as the forest texture stores it. */
struct shw_packed_feature {
    uint32_t channels;      /* both and the flag of the second rectangle */
    uint32_t rectangles[4]; /* the four words of a node's second texel */
};
struct shw_packed_feature shw_feature_pack(const struct shw_feature *feature);
struct shw_feature shw_feature_unpack(const struct shw_packed_feature *packed);

/* Candidate `candidate` of `place`, which is a node's number or a round's. */
struct shw_feature shw_candidate_draw(const struct shw_trainer_params *params, const struct shw_channel_list *set,
                                      uint32_t key, uint32_t place, uint32_t candidate);

/* Samples made ready for responses: where each one is, and where its image's integral images lie. */
#define SHW_BLOCK 1024u
struct shw_block {
    uint32_t count;
    int32_t x[SHW_BLOCK], y[SHW_BLOCK], width[SHW_BLOCK], height[SHW_BLOCK];
    int32_t stride[SHW_BLOCK], pitch[SHW_BLOCK]; /* of the integral images: from row to row, from channel to channel */
    size_t first[SHW_BLOCK];
    int32_t first32[SHW_BLOCK]; /* the same where all integral images have less than 2^31 values */
    uint16_t label[SHW_BLOCK];
};

/* The `count` (at most SHW_BLOCK) samples from `first` on, or those that `indices` names. */
void shw_block_fill(struct shw_block *block, const struct shw_train_images *images, const struct shw_samples *samples,
                    uint32_t first, const uint32_t *indices, uint32_t count);

/* One rectangle of a feature: added to the response or, the second, subtracted. */
struct shw_feature_side {
    uint32_t channel, is_second, begin, end; /* the two words of the rectangle */
};

/* The rectangles that count; returns how many. */
uint32_t shw_feature_sides(const struct shw_packed_feature *feature, struct shw_feature_side sides[2]);

/* Samples of one image. Vectors read and write whole groups of eight, so every run of samples begins with a group. */
#define SHW_LANES_UP(count) (((count) + 7u) & ~7u)
struct shw_image_block {
    size_t first; /* as in shw_train_image */
    int32_t width, height, stride, pitch;
    int32_t x[SHW_BLOCK], y[SHW_BLOCK];
};
void shw_image_block_begin(struct shw_image_block *block, const struct shw_train_image *image);
void shw_image_block_add(struct shw_image_block *block, const struct shw_samples *samples, uint32_t first,
                         uint32_t count, uint32_t place);

/* Packed features side by side: words[0] holds `channels` of each, words[1..4] the rectangles. Seven more than are used
 * may be read. */
struct shw_feature_lanes {
    const uint32_t *words[5];
};

/* Responses, by vector instructions of that kind where they can; all give the same.
 * samples:  of a block's samples to one feature; `responses` has room for SHW_BLOCK.
 * side:     adds to `responses` what one rectangle contributes, for samples place..place+count-1, whole groups.
 * features: of one sample to `count` features; `responses` has room for whole groups. */
struct shw_respond {
    void (*samples)(const uint32_t *integrals, const struct shw_block *block, const struct shw_packed_feature *feature,
                    int32_t *responses);
    void (*side)(const uint32_t *integrals, const struct shw_image_block *block, uint32_t place, uint32_t count,
                 const struct shw_feature_side *side, int32_t *responses);
    void (*features)(const uint32_t *integrals, const struct shw_image_block *block, uint32_t sample,
                     const struct shw_feature_lanes *features, uint32_t count, int32_t *responses);
};
struct shw_respond shw_respond_choose(enum shw_feature_type feature, size_t integral_count, enum shw_simd simd);
struct shw_respond shw_respond_portable(enum shw_feature_type feature);

/* The portable ones. */
extern const struct shw_respond shw_respond_sum, shw_respond_mean;

/* The thresholds of one candidate at one node. */
struct shw_thresholds {
    uint32_t count;      /* of values: one less than the bins; 0 if the candidate cannot split the node */
    int32_t values[255]; /* ascending; a response's bin is the number of values that do not exceed it */
    int32_t low;         /* BEST: values[k - 1] = low + ceil(range * k / bins) */
    uint32_t range;
};

#define SHW_THRESHOLD_SAMPLES 64u

/* Makes thresholds from the responses of the node's threshold samples, whose order is that of drawing. */
void shw_thresholds_make(const struct shw_trainer_params *params, const int32_t *responses, uint32_t count,
                         struct shw_thresholds *thresholds);

/* Threshold k (1..bins-1) of BEST. */
int32_t shw_threshold_even(int32_t low, uint32_t range, uint32_t bins, uint32_t k);

/* The bins of responses. */
void shw_thresholds_bin(enum shw_threshold_scheme scheme, const struct shw_thresholds *thresholds,
                        const int32_t *responses, int32_t *bins, uint32_t count, enum shw_simd simd);

/* An open node. */
struct shw_open_node {
    uint32_t node;         /* its number in the tree */
    uint32_t first, count; /* its samples */
};

/* The best test that was found for an open node. */
struct shw_split {
    bool found;
    uint32_t candidate;
    uint32_t bin_first, bin_last; /* on the host: the run of bins that goes right */
    int32_t t0, t1;
    struct shw_score_value score;
    struct shw_feature feature;
};

/* One tree under construction. */
struct shw_growth {
    struct shw_samples samples;
    struct shw_node *nodes;
    uint32_t node_count, node_capacity;
    struct shw_open_node *open;
    uint32_t *open_counts;                  /* by open node, of its samples by class */
    uint32_t open_count, depth, leaf_count; /* leaf_count: leaves if growth ended now */
    uint16_t *distributions;                /* by node, class_count values; only those of leaves are filled */
    struct shw_split *splits;               /* of the round that is going on, by open node; NULL between rounds */
    uint32_t *child_counts;                 /* by open node, of the left child by class, then of the right one */
    uint32_t *weights;                      /* of the classes, scaled for this tree */
};

struct shw_device_training;
struct shw_learning;

/* What the technique `blend` keeps to; results do not depend on it. */
struct shw_blend_limits {
    uint32_t points; /* that a cell of a texture may count: floats are exact up to SHW_BLEND_POINTS */
    uint32_t side;   /* of a texture */
    uint64_t bytes;  /* of all textures of a sweep */
    bool half;       /* textures of 16-bit floats, which are exact up to 2048 only: for tests */
};
#define SHW_BLEND_POINTS (1u << 24)
#define SHW_BLEND_BYTES  ((uint64_t)256 << 20)

struct shw_trainer {
    struct shw_trainer_params params; /* with defaults filled in */
    const struct shw_dataset *dataset;
    struct shw_channel_list channels;
    struct shw_thread_pool *pool;
    struct shw_train_images images;
    enum shw_simd simd; /* of the technique cpu */
    struct shw_respond respond;
    double *class_weights; /* relative, before scaling to a tree */
    char *notes;
    struct shw_growth growth;
    struct shw_round round;
    struct shw_blend_limits blend_limits;
    struct shw_learning *learning;      /* while a learner has a round to choose tests for */
    struct shw_device_training *device; /* NULL: rounds are computed on the CPU */
    char *batch;                        /* memory of batches, kept from round to round */
    size_t batch_bytes;
    struct shw_tree *trees; /* finished ones, whose arrays belong to the trainer */
    uint32_t tree_count;
    uint64_t responses;
    double start;
    struct shw_pace pace;
    bool loaded, finished;
    bool recorded; /* and not completed */
    atomic_bool interrupted;
    bool in_doubt; /* what was recorded may not have run: what the device is thought to hold may not be there */
    struct shw_forest *forest;
};

/* Fills defaults in, reads the list of channels, to which params->channels then points, and checks. Errors: ARGUMENT.
 */
enum shw_result shw_trainer_params_complete(struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                            struct shw_channel_list *channels);

/* A histogram's view on a node: its classes, renumbered so that absent ones take no room. */
struct shw_node_counts {
    uint32_t class_count;    /* present in the node */
    const uint32_t *weights; /* of those */
    const uint32_t *totals;  /* samples of each */
    uint32_t samples;
    struct shw_score_side all; /* of them, weighted */
    struct shw_score_value unsplit;
};

/* Takes the best test of one candidate from its histogram (bins * class_count counts) if it beats *best; thresholds
 * must not be empty. `scratch` has room for 4 * class_count numbers. */
void shw_split_choose(const struct shw_trainer_params *params, const struct shw_node_counts *node,
                      const struct shw_thresholds *thresholds, const uint32_t *histogram, uint32_t candidate,
                      uint32_t *scratch, struct shw_split *best);

/* Draws the features of the chosen candidates again, one an open node. */
void shw_split_recall_features(const struct shw_trainer *trainer, struct shw_split *splits);

/* Finds the best split of every open node, on the CPU: no split where none has a gain. Errors: MEMORY. */
enum shw_result shw_split_cpu(struct shw_trainer *trainer, struct shw_split *splits);

/* Reorders the samples of every node that is split, on the CPU: those that go left, then those that go right, both in
 * the order that they had. Adds their counts by class to child_counts, which begins as zeros: by open node, of the left
 * child, then of the right one. Errors: MEMORY. */
enum shw_result shw_partition_cpu(struct shw_trainer *trainer, const struct shw_split *splits, uint32_t *child_counts);

/* Begins the next tree; begins and ends a round of it; makes it one of the trainer's trees. Between begin and end the
 * round's splits are found, shw_growth_limit() drops those that would make too many leaves, and children are
 * counted. */
enum shw_result shw_growth_begin(struct shw_trainer *trainer);
enum shw_result shw_growth_round_begin(struct shw_trainer *trainer);
void shw_growth_limit(struct shw_trainer *trainer);
enum shw_result shw_growth_round_end(struct shw_trainer *trainer, uint32_t *splits_made);
enum shw_result shw_growth_finish(struct shw_trainer *trainer);
void shw_growth_free(struct shw_growth *growth);

/* The end of a round: turns open nodes into splits with two new leaves each, and opens those that may grow on.
 * `child_counts` as shw_partition_cpu() fills it in. Errors: MEMORY, LIMIT. */
enum shw_result shw_growth_apply(struct shw_trainer *trainer, const struct shw_split *splits,
                                 const uint32_t *child_counts, uint32_t *made);

/* The tree as it would be if growth ended now. The nodes remain the growth's; the distributions are to be freed.
 * Errors: MEMORY. */
enum shw_result shw_growth_tree(struct shw_trainer *trainer, struct shw_tree *tree);

/* Begins the next tree and grows it, without candidates, to what it was after `depth` rounds. *same tells whether this
 * training could have made it: otherwise the growth is not to be used. Errors: those of shw_growth_begin() and of
 * labelling. */
enum shw_result shw_growth_replay(struct shw_trainer *trainer, const struct shw_tree *tree, uint32_t depth, bool *same);

/* Frees a tree that is the trainer's; all of them, the one in progress included. */
void shw_tree_free(struct shw_tree *tree);
void shw_trainer_clear(struct shw_trainer *trainer);

/* Class `index` as forests name it: by number where the data set has no names, which `name` then holds. */
#define SHW_CLASS_NAME_SIZE 24
struct shw_class shw_dataset_class(const struct shw_dataset *dataset, uint32_t index, char name[SHW_CLASS_NAME_SIZE]);

/* Makes a forest of the first trees, with this training record. Errors: MEMORY, LIMIT. */
enum shw_result shw_trainer_make_forest(const struct shw_trainer *trainer, uint32_t tree_count, const char *record,
                                        struct shw_forest **forest);

/* Makes the forest of all trees. Errors: MEMORY, LIMIT. */
enum shw_result shw_trainer_finish(struct shw_trainer *trainer);

/* Whether training is to end: what is computed then does not count. */
bool shw_trainer_is_interrupted(const struct shw_trainer *trainer);

/* Seconds of a clock that only goes forward. */
double shw_trainer_clock(void);

/* What shw_trainer_load() does with the forest that a checkpoint is; `name` is for messages. */
enum shw_result shw_checkpoint_take(struct shw_trainer *trainer, const struct shw_forest *forest, const char *name);

#endif
