/* Sets of categories as nodes of a builder have them. */
#ifndef SHW_FILES_FORMATS_RECORD_SETS_H
#define SHW_FILES_FORMATS_RECORD_SETS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
