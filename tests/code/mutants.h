/* Texts made from others by chance. */
#ifndef SHW_TESTS_CODE_MUTANTS_H
#define SHW_TESTS_CODE_MUTANTS_H

#include "testing/testing.h"

/* Characters left out, doubled, exchanged and put in between: mostly refused. `to` has `size` bytes, more than `from`.
 */
void mutate_bytes(const char *from, struct testing_random *random, char *to, size_t size);

/* Words, numbers and signs exchanged for others of their kind, and statements left out and doubled: often accepted. */
void mutate_words(const char *from, struct testing_random *random, char *to, size_t size);

#endif
