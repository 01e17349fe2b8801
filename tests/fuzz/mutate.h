/* Damaged files, made from good ones by chance. */
#ifndef SHW_FUZZ_MUTATE_H
#define SHW_FUZZ_MUTATE_H

#include "testing/testing.h"

/* Damages `size` bytes in place: bits, bytes, runs, missing and doubled pieces, truncation, integers of two, four and
 * eight bytes of either order at their extremes, numbers and strings of texts likewise, and pieces of `other`. Returns
 * the new size, at most `room`. */
size_t fuzz_mutate(struct testing_random *random, uint8_t *bytes, size_t size, size_t room, const uint8_t *other,
                   size_t other_size);

#endif
