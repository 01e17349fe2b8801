/* A cache of decoded examples: those in use, and the most recently used of the others. */
#ifndef SHW_FILES_DATASET_CACHE_H
#define SHW_FILES_DATASET_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/input.h>
#include <shadewood/log.h>

#include "files/image/image_file.h"

struct shw_decoded_example {
    struct shw_image_file image;
    uint16_t *labels; /* NULL: none */
    uint32_t input_count;
    struct shw_image_file files[SHW_INPUTS_MAX]; /* of the other inputs */
    struct shw_input inputs[SHW_INPUTS_MAX];
};
void shw_decoded_example_free(struct shw_decoded_example *example);

struct shw_cache;

/* For examples 0..count-1. Keeps at most `bytes` of pixels beyond those in use. Errors: MEMORY. */
enum shw_result shw_cache_create(uint32_t count, size_t bytes, const struct shw_log *log, struct shw_cache **cache);
void shw_cache_destroy(struct shw_cache **cache);

/* The entry of an example in use. The functions below may be called from any thread. */
struct shw_cache_entry;
const struct shw_decoded_example *shw_cache_entry_get(const struct shw_cache_entry *entry);

/* The entry of an example, with another use, or NULL. */
struct shw_cache_entry *shw_cache_find(struct shw_cache *cache, uint32_t index);

/* Adds a decoded example, taking ownership, or frees it if another thread was faster; the entry is in use. NULL if
 * memory is exhausted; the example is then freed. */
struct shw_cache_entry *shw_cache_insert(struct shw_cache *cache, uint32_t index, struct shw_decoded_example *example);

/* Ends one use. */
void shw_cache_release(struct shw_cache *cache, struct shw_cache_entry *entry);

#endif
