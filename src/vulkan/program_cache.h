/* Programs that were made before: a labeller or trainer like an earlier one takes them over instead of having them
 * compiled again. */
#ifndef SHW_VULKAN_PROGRAM_CACHE_H
#define SHW_VULKAN_PROGRAM_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct shw_device;
struct shw_program;
struct shw_program_params;
struct shw_program_entry;

/* Of one device. Entries are in order of their last use. */
struct shw_program_cache {
    pthread_mutex_t mutex;
    struct shw_program_entry *first;
    uint32_t count;
};

void shw_program_cache_create(struct shw_program_cache *cache);

/* Destroys all programs; none may be in use. */
void shw_program_cache_destroy(struct shw_device *device);

/* Takes over a program that was made by the same parameters, and counts one more user. False: there is none. Shaders
 * are recognised by where their words are, so those must stay as long as the device. */
bool shw_program_cache_take(struct shw_device *device, const struct shw_program_params *params,
                            struct shw_program *program);

/* Keeps a new program, with one user. It stays the caller's where there is no memory, or where its parameters are too
 * many. */
void shw_program_cache_put(struct shw_device *device, const struct shw_program_params *params,
                           struct shw_program *program);

/* One user less; a number of programs are kept without any. */
void shw_program_cache_release(struct shw_device *device, struct shw_program *program);

#endif
