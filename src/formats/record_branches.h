/* Trees of other programs, whose nodes may divide the numbers at several places, like tests for equality or of sets,
 * and may be the child of several nodes. If the places are those of categories, the node becomes a test of a set.
 * Otherwise it becomes a search among its cuts, which may repeat what is below it, with the same leaf numbers. */
#ifndef SHW_FORMATS_RECORD_BRANCHES_H
#define SHW_FORMATS_RECORD_BRANCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "records/model/builder.h"

/* Sets of categories as nodes of a builder have them. */

/* Categories from `first` to below `end`. */
struct shw_record_range {
    uint32_t first, end;
};

/* Words of the set below, with its first two. */
uint32_t shw_record_set_count_words(const struct shw_record_range *ranges, uint32_t count);

/* Makes a set, to be freed with free(), of at least one range; ranges ascend and do not touch. `flags` are those of
 * shadewood/record_forest.h. NULL if memory is exhausted. */
uint32_t *shw_record_set_of_ranges(const struct shw_record_range *ranges, uint32_t count, uint32_t flags);

/* The first range of members that begins at or after a category. False if there is none. */
bool shw_record_set_find_range(const uint32_t *set, uint32_t from, struct shw_record_range *range);

/* Makes *set of an even number of ascending cuts: codes above the first and up to the second belong to members, and so
 * on. NULL if no set expresses that, or only one much larger than the cuts. False if memory is exhausted. */
bool shw_record_set_of_cuts(const int32_t *cuts, uint32_t count, bool members_right, uint32_t **set);

struct shw_branch {
    bool is_split;
    bool zero_missing; /* magnitudes up to 1e-35 are missing, too */
    uint8_t lowest;    /* the child of codes up to the first cut; the children alternate after each cut */
    uint8_t missing;   /* the child of records without the attribute */
    bool has_limit;    /* the greatest doubles below the cuts are known: the cuts of a set are where categories begin */
    double limit;      /* of one cut: that */
    uint32_t attribute;
    uint32_t child[2];             /* indices of branches */
    uint32_t first_cut, cut_count; /* at least one, after shw_branches_end_cuts() */
    uint32_t first_value; /* leaf: its first in shw_branches.values; all leaves have as many as the forest says */
    uint32_t source;      /* as struct shw_record_node has it */
};

struct shw_branches {
    struct shw_branch *items; /* owned */
    int32_t *cuts;            /* owned; of each split in ascending order: a cut is the largest code below it */
    double *values;           /* of leaves; borrowed */
    uint32_t count, capacity, cut_count, cut_capacity;
};

/* Adds a branch, whose cuts follow. False if memory is exhausted. */
bool shw_branches_add(struct shw_branches *branches, const struct shw_branch *branch);

/* Adds a cut to the last branch, not below the previous ones; two equal cuts cancel each other. False if memory is
 * exhausted. */
bool shw_branches_cut(struct shw_branches *branches, int32_t cut);

/* Ends the cuts of a branch. If none is left, all numbers go to its lowest child. False if memory is exhausted. */
bool shw_branches_end_cuts(struct shw_branches *branches);

/* Frees what it owns; accepts a zero-initialised one. */
void shw_branches_free(struct shw_branches *branches);

/* Where branches are from. */
struct shw_branches_place {
    const char *file;
    uint32_t tree;      /* its number */
    bool may_have_more; /* branches that the root does not reach are accepted */
    bool may_share;     /* so are children of several branches */
    const struct shw_log *log;
};

/* Adds the tree below the branch `root` to a forest; `output` is as struct shw_record_tree has it. No branch may be
 * below itself. Errors: FORMAT, LIMIT for a tree or a forest that grows out of proportion, MEMORY. */
enum shw_result shw_branches_build(const struct shw_branches *branches, uint32_t root,
                                   const struct shw_branches_place *place, uint32_t output,
                                   struct shw_record_builder *builder);

#endif
