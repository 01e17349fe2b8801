/* A cache of programs: a labeller or trainer similar to an earlier one reuses them instead of compiling them again. */
#ifndef SHW_VULKAN_PROGRAM_CACHE_H
#define SHW_VULKAN_PROGRAM_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct shw_device;
struct shw_program;
struct shw_program_params;
struct shw_program_entry;

/* The cache of a device. Entries are in the order of their last use. */
struct shw_program_cache {
    pthread_mutex_t mutex;
    struct shw_program_entry *first;
    uint32_t count;
};

void shw_program_cache_create(struct shw_program_cache *cache);

/* Destroys all programs; none may be in use. */
void shw_program_cache_destroy(struct shw_device *device);

/* Finds a program with the same parameters and adds a user. False if there is none. Shaders are identified by the
 * address of their words, which must therefore stay valid as long as the device. */
bool shw_program_cache_take(struct shw_device *device, const struct shw_program_params *params,
                            struct shw_program *program);

/* Adds a new program with one user. It remains the caller's if memory is exhausted or its parameters are too many for a
   key. */
void shw_program_cache_put(struct shw_device *device, const struct shw_program_params *params,
                           struct shw_program *program);

/* Removes a user; programs without users are kept up to a limit. */
void shw_program_cache_release(struct shw_device *device, struct shw_program *program);

#endif
