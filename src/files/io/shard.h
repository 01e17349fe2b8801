/* Shards: the parts of a list of pictures that processes work on apart from each other. Which shard has a picture
 * depends on its name alone, so that others that are added or removed move none. */
#ifndef SHW_FILES_IO_SHARD_H
#define SHW_FILES_IO_SHARD_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

#define SHW_SHARDS_MAX 65536u

/* Zero-initialised: everything. */
struct shw_shard {
    uint32_t number, count; /* from 1 */
};

/* Reads "3/16". False: it is none. */
bool shw_shard_parse(const char *text, struct shw_shard *shard);

/* Whether a name belongs to it: XXH3 of 64 bits of its bytes, modulo the number of shards, plus 1, is the shard's
 * number. Any thread. */
bool shw_shard_has(const struct shw_shard *shard, const char *name);

/* Refuses a set of shards that lacks some, by their numbers: there[1] to there[count]. Errors: ARGUMENT. */
enum shw_result shw_shards_check_all(const bool *there, uint32_t count, const struct shw_log *log);

#endif
