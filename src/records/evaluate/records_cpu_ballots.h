/* Few records: each by itself, by the results of all tests of the tops of all trees as bits of words. */
#ifndef SHW_RECORDS_EVALUATE_RECORDS_CPU_BALLOTS_H
#define SHW_RECORDS_EVALUATE_RECORDS_CPU_BALLOTS_H

#include "records/evaluate/records_cpu.h"

#define SHW_RECORD_BALLOT_LANES 8u  /* trees whose places are found together */
#define SHW_RECORD_BALLOT_TESTS 64u /* of a word */

/* Words of the results of eight trees. The tests of a tree are numbered from 1 on, the children of n are 2 n and 2 n +
 * 1, and number 0 is no test. */
#define SHW_RECORD_BALLOT_LEVELS_LEAST   3u /* so that eight trees fill a word */
#define SHW_RECORD_BALLOT_WORDS(levels)  (1u << ((levels)-SHW_RECORD_BALLOT_LEVELS_LEAST))
#define SHW_RECORD_BALLOT_WORDS_AT_ONCE  64u
#define SHW_RECORD_BALLOT_GROUPS_AT_ONCE 16u
#define SHW_RECORD_BALLOT_TREES_AT_ONCE  (SHW_RECORD_BALLOT_GROUPS_AT_ONCE * SHW_RECORD_BALLOT_LANES)
#define SHW_RECORD_BALLOT_BYTES          256u /* of all values of a record, at most */
#define SHW_RECORD_BALLOT_VALUES         256u /* of a record, at most */

/* Trees in groups of eight. */
struct shw_record_ballot_part {
    uint32_t
        levels;     /* 0, or else at least those of the tops of all its trees; further tests pass records to the left */
    uint32_t steps; /* that the longest path takes below the tops */
    bool has_sets;  /* below the tops */
    uint32_t count; /* trees; what the last group has more is nowhere */
    uint32_t groups, groups_at_once;
    size_t first; /* in arrays of trees */
    size_t word;  /* the first one, of 64 tests each in `values` and `limits` */
};

struct shw_record_ballot_vectors;
struct shw_record_ballot_search;

struct shw_record_ballots {
    const struct shw_record_ballot_vectors *vectors; /* NULL: the forest or the processor does not allow ballots */
    const struct shw_record_tops *tops;
    struct shw_record_ballot_part *parts;
    uint32_t part_count;
    uint32_t *trees;  /* their numbers, part by part */
    uint64_t *places; /* of each tree: its first one, less the number of places at the end of its top */
    uint64_t
        *shifts;     /* of each tree: how many levels its part has more than its top; so many that 0 is left: nowhere */
    int64_t *base;   /* of sums: the forest's, and the values of trees without tests */
    uint8_t *values; /* of tests: the number of the value that is compared */
    void *limits; /* int8_t or int16_t, of tests: the least value that goes right, the type's greatest one for none */

    /* The values of a record are ranks: for each of the combinations of flags with which the forest tests, a plane with
     * one of each lane. A lane is an attribute. */
    uint32_t lane_count; /* a multiple of 16, so that they fill vectors */
    uint32_t used_lanes; /* the other ones are no attribute */
    bool is_direct; /* lanes are the attributes 0, 1, ..., even if some are not tested, and not only those tested */
    uint32_t plane_count;
    struct shw_record_column planes[4];        /* without attributes */
    uint32_t *attributes;                      /* of lanes */
    int32_t *threshold_counts;                 /* of lanes */
    uint32_t *numbers;                         /* of columns: the number of the value */
    int32_t *few_thresholds;                   /* `few` rows of lanes: their first thresholds, their second ones, ... */
    uint32_t few;                              /* 0: there are more, which are searched */
    struct shw_record_ballot_search *searches; /* one an axis */
    int32_t *pivots; /* of each axis SHW_RECORD_NEAR thresholds at equal distances, with which a search begins */
};

/* A search for a rank: the number of pivots that are lower, times 2^shift, is where the thresholds are compared with
 * which it ends, after bisection if the distance of pivots is more than these. */
struct shw_record_ballot_search {
    uint32_t lane, shift;
    const int32_t *thresholds;
};

/* What is written for vectors of a processor. */
struct shw_record_ballot_vectors {
    uint32_t values_8, values_16; /* ranks in as many bits, at most */
    void (*evaluate)(const struct shw_record_ballots *ballots, const struct shw_records *records, uint64_t record,
                     int64_t *sums, uint32_t *leaves);
};
extern const struct shw_record_ballot_vectors shw_record_ballots_avx512, shw_record_ballots_avx2;

/* `tops` stays the caller's. Errors: MEMORY. */
enum shw_result shw_record_ballots_make(const struct shw_record_tops *tops, const struct shw_log *log,
                                        struct shw_record_ballots *ballots);
void shw_record_ballots_free(struct shw_record_ballots *ballots);

/* Writes the sums of one record, and its leaves unless these are NULL. */
static inline void shw_record_ballots_evaluate(const struct shw_record_ballots *ballots,
                                               const struct shw_records *records, uint64_t record, int64_t *sums,
                                               uint32_t *leaves)
{
    ballots->vectors->evaluate(ballots, records, record, sums, leaves);
}

/* For the files of vectors. */

/* The bits of a record's attributes in lanes. */
void shw_record_ballots_copy(const struct shw_record_ballots *ballots, const struct shw_records *records,
                             uint64_t record, uint32_t *bits);

/* Descends from places below the tops of some groups of a part, if there are steps. */
void shw_record_ballots_descend(const struct shw_record_ballots *ballots, const struct shw_record_ballot_part *part,
                                uint32_t groups, const void *values, uint64_t *places);

/* Adds the values of places of successive trees, and writes the leaves unless they are NULL. */
void shw_record_ballots_add(const struct shw_record_ballots *ballots, const uint32_t *trees, const uint64_t *places,
                            uint32_t count, int64_t *sums, uint32_t *leaves);

#endif
