/* What the tests of a forest gained while it was trained: bits of information about the class, by level and channel,
 * and by the channels that a test reads. */
#ifndef SHW_DENSE_FOREST_GAINS_H
#define SHW_DENSE_FOREST_GAINS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <shadewood/feature.h>

#define SHW_GAINS_MEMBER "gains" /* of the provenance */

/* Of one tree: in units of 2^-24 bits times the weight of a sample. Of several, added up: in units of 2^-32 bits per
 * sample, each number rounded down for each tree. */
struct shw_gains {
    uint32_t channel_count;
    uint64_t *levels; /* [SHW_DEPTH_MAX][channel_count] */
    uint64_t *tests;  /* [channel_count][channel_count + 1]: the lower channel, then the other one; in the last column
                         tests that read one region */
};

/* All zero. False if out of memory. */
bool shw_gains_make(uint32_t channel_count, struct shw_gains *gains);
void shw_gains_free(struct shw_gains *gains);

/* Counts what a test of this level gained: its regions have equal shares, the first ones what is left of the division.
 */
void shw_gains_count(struct shw_gains *gains, uint32_t level, const struct shw_feature_region *regions, uint32_t count,
                     uint64_t gain);

/* Adds a tree whose samples weigh `mass` to a sum. */
void shw_gains_add(struct shw_gains *sum, const struct shw_gains *tree, uint64_t mass);

/* The member of the provenance (docs/forest-format.md); NULL if out of memory. */
json_t *shw_gains_pack(const struct shw_gains *sum);

/* Adds what such a member says. False, with the sum in any state, if it is missing or not valid for these channels. */
bool shw_gains_unpack(const json_t *member, struct shw_gains *sum);

#endif
