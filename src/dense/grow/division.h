/* Workers that divide the images (shw_train_exchange.divide). Each counts all candidates in its own samples; what
 * depends on the samples of all is exchanged: the class counts of nodes, what thresholds are made from, and histograms,
 * of which each worker adds up and scores those of some candidates. A round counts one block of candidates after the
 * other, as many as there is memory for. */
#ifndef SHW_DENSE_GROW_DIVISION_H
#define SHW_DENSE_GROW_DIVISION_H

#include <shadewood/splitter.h>

#include "dense/samples/image_part.h"
#include "dense/samples/images.h"
#include "dense/split/split.h"

struct shw_trainer;

struct shw_division {
    struct shw_part_set set;       /* the worker's images */
    struct shw_train_images whole; /* facts about the images of all workers, without planes */
    uint64_t block_words;          /* that the histograms of a block may have */
    struct shw_splitter splitter;  /* takes the histograms that the back end has counted */

    /* Of the round. */
    struct shw_split *splits; /* [open node]: the best of the candidates that this worker has scored */
    size_t *offsets;          /* [open node]: where its histogram begins among those of a candidate */
    size_t words;             /* of the histograms of a candidate, all nodes together */

    /* Of the block: candidates trainer->candidate_begin and those that follow, `share` of which this worker scores,
     * from `share` times its number on. */
    uint32_t share;
    int32_t *values; /* [open node][number][candidate]: what thresholds are made from; a fern's level has one node */
    bool shared;     /* these are those of all workers */
    uint32_t *histograms; /* [candidate][open node] */
    uint32_t *parts;      /* [worker][candidate of the share][open node]: what all have sent to this one */
    size_t histogram_capacity, part_capacity; /* words: memory is kept from block to block */
};

/* The trainer is one of several workers that divide its images, which are *dataset then. Errors: ARGUMENT, MEMORY. */
enum shw_result shw_division_create(struct shw_trainer *trainer, const struct shw_dataset **dataset);
void shw_division_destroy(struct shw_division **division);

/* Tells the others about this worker's images, which have been measured, and hears about theirs. Errors: MEMORY, those
 * of the exchange. */
enum shw_result shw_division_measure(struct shw_trainer *trainer);

/* Adds up what the workers count. `before`: the same of the workers before this one; may be NULL. Errors: MEMORY, those
 * of the exchange. */
enum shw_result shw_division_sum(const struct shw_trainer *trainer, const uint32_t *mine, size_t count, uint32_t *all,
                                 uint32_t *before);

/* Begins a round, and its first block of candidates. Errors: MEMORY. */
enum shw_result shw_division_begin(struct shw_trainer *trainer);

/* Where number `n` of what a node's thresholds are made from is, for the block's first candidate; the other candidates
 * follow. */
int32_t *shw_division_values(const struct shw_trainer *trainer, uint32_t open, uint32_t n);

/* Combines the values of the block that the workers have filled in, each those of its own samples; neutral is what
 * shw_division_begin() has left there. Errors: MEMORY, those of the exchange. */
enum shw_result shw_division_share_values(struct shw_trainer *trainer);

/* Ends a block whose histograms have been counted: adds up and scores those of this worker's share, and begins the next
 * block, unless it was the last: *more. Errors: MEMORY, UNSUPPORTED if histograms do not hold all samples, those of the
 * exchange. */
enum shw_result shw_division_settle(struct shw_trainer *trainer, bool *more);

/* Releases what belongs to a round. */
void shw_division_end(struct shw_trainer *trainer);

#endif
