/* Training rounds in which a splitter chooses the tests. */
#ifndef SHW_DENSE_GROW_SPLITTING_H
#define SHW_DENSE_GROW_SPLITTING_H

#include <shadewood/splitter.h>

#include "dense/grow/trainer.h"

/* Limit for the histograms of one call of the splitter. */
#define SHW_SPLITTER_BYTES ((size_t)128 << 20)

struct shw_splitting {
    struct shw_trainer *trainer;
    const struct shw_splitter *splitter;
    struct shw_splitter_round round;
    struct shw_splitter_node *nodes;
    uint32_t *class_words; /* per node: counts, then weights */
    uint16_t *classes;
    struct shw_splitter_choice *choices;
    int32_t *kept; /* per node and candidate: `kept_size` words from which the thresholds can be made again */
    size_t kept_size;

    /* One call: as many rows as its pieces have candidates in total. */
    struct shw_splitter_piece *pieces;
    uint32_t piece_count, piece_capacity, row_capacity;
    size_t row_count;
    size_t *first_rows; /* per piece */
    uint8_t *usable;
    int32_t *thresholds;
};

/* Begins a round: creates trainer->splitting and calls begin_round. Errors: MEMORY, those of the splitter. */
enum shw_result shw_splitting_begin(struct shw_trainer *trainer);

/* Adds a piece to the next call; `histogram` must stay valid until then. Errors: MEMORY. */
enum shw_result shw_splitting_add(struct shw_splitting *splitting, uint32_t open, uint32_t candidate, uint32_t count,
                                  uint32_t *histogram);

/* Words of the histogram of one candidate of a node. */
static inline size_t shw_splitting_words(const struct shw_splitting *splitting, uint32_t open)
{
    return (size_t)(splitting->round.bin_count + splitting->round.undefined_bins) * splitting->nodes[open].class_count;
}

/* The histogram of one candidate of an added piece. */
uint32_t *shw_splitting_histogram(const struct shw_splitting *splitting, uint32_t piece, uint32_t candidate);

/* Sets the thresholds of one candidate of an added piece, whose histogram is complete; none if `thresholds->count` is
 * 0. Different threads may do so for different candidates. */
void shw_splitting_set_thresholds(struct shw_splitting *splitting, uint32_t piece, uint32_t candidate,
                                  const struct shw_thresholds *thresholds);

/* Calls the splitter with the pieces added, which must be complete. Errors: those of the splitter. */
enum shw_result shw_splitting_call(struct shw_splitting *splitting);

/* Calls end_round and converts the choices to splits. Errors: ARGUMENT, those of the splitter. */
enum shw_result shw_splitting_end(struct shw_splitting *splitting, struct shw_split *splits);

/* Checks that both sides of each split have enough samples. Errors: ARGUMENT. */
enum shw_result shw_splitting_check(const struct shw_trainer *trainer);

/* Accepts a pointer to NULL. Sets *splitting to NULL. */
void shw_splitting_free(struct shw_splitting **splitting);

#endif
