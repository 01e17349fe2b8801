/* xxHash, compiled into each file that uses it, so that programs need not link with its library. */
#ifndef SHW_BASE_HASH_H
#define SHW_BASE_HASH_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#endif
