/* A training round whose tests the caller's learner chooses. */
#ifndef SHW_TRAIN_LEARNING_H
#define SHW_TRAIN_LEARNING_H

#include <shadewood/learn.h>

#include "train/trainer.h"

/* Of the histograms in one call of the learner. */
#define SHW_LEARN_BYTES ((size_t)128 << 20)

struct shw_learning {
    struct shw_trainer *trainer;
    const struct shw_learner *learner;
    struct shw_learn_round round;
    struct shw_learn_node *nodes;
    uint32_t *class_words; /* counts, then weights of each node */
    uint16_t *classes;
    struct shw_learn_choice *choices;
    int32_t
        *kept; /* what the thresholds of every candidate of every node can be made from again, `kept_size` words each */
    size_t kept_size;

    /* One call: as many rows as there are candidates in all its pieces. */
    struct shw_learn_piece *pieces;
    uint32_t piece_count, piece_capacity;
    size_t row_count, row_capacity;
    size_t *first_rows; /* a piece */
    uint8_t *usable;
    int32_t *thresholds;
};

/* A round: makes trainer->learning and calls begin_round. Errors: MEMORY, those of the learner. */
enum shw_result shw_learning_begin(struct shw_trainer *trainer);

/* Adds a piece to the next call. `histogram` is used until then. Errors: MEMORY. */
enum shw_result shw_learning_add(struct shw_learning *learning, uint32_t open, uint32_t candidate, uint32_t count,
                                 uint32_t *histogram);

/* Where the histogram of one candidate of an added piece is. */
uint32_t *shw_learning_histogram(const struct shw_learning *learning, uint32_t piece, uint32_t candidate);

/* Tells the thresholds of one candidate of an added piece, whose histogram is complete; none if `thresholds->count` is
 * 0. Several threads may, for different ones. */
void shw_learning_set_thresholds(struct shw_learning *learning, uint32_t piece, uint32_t candidate,
                                 const struct shw_thresholds *thresholds);

/* Makes the call, whose pieces are complete. Errors: those of the learner. */
enum shw_result shw_learning_call(struct shw_learning *learning);

/* end_round; the choices as splits. Errors: ARGUMENT, those of the learner. */
enum shw_result shw_learning_end(struct shw_learning *learning, struct shw_split *splits);

/* Checks that both sides of each split that was made have enough samples. Errors: ARGUMENT. */
enum shw_result shw_learning_check(const struct shw_trainer *trainer);

/* Accepts a pointer to NULL, and leaves one. */
void shw_learning_free(struct shw_learning **learning);

/* Finds the splits of a round on the CPU, as shw_split_cpu() does. Errors: MEMORY, those of shw_learning_end(). */
enum shw_result shw_learn_cpu(struct shw_trainer *trainer, struct shw_split *splits);

/* Hands over the histograms that the device has read back, `words`: those of a batch, then its thresholds. Errors:
 * MEMORY, those of the learner. */
struct shw_device_batch;
enum shw_result shw_learn_batch(struct shw_learning *learning, const struct shw_device_batch *batch, uint32_t *words);

#endif
