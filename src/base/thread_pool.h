/* A fixed set of threads that share out the indices of a loop. */
#ifndef SHW_BASE_THREAD_POOL_H
#define SHW_BASE_THREAD_POOL_H

#include <stdint.h>

#include <shadewood/log.h>

struct shw_thread_pool;

/* `threads` counts the calling thread; 0 means one a processor that this process may use. Errors: MEMORY. */
enum shw_result shw_thread_pool_create(uint32_t threads, struct shw_thread_pool **pool);

/* Accepts NULL and a pointer to NULL. */
void shw_thread_pool_destroy(struct shw_thread_pool **pool);

uint32_t shw_thread_pool_size(const struct shw_thread_pool *pool);

/* Calls work(user, index, thread) once for every index below `count`, in no stated order, and returns when all are
 * done. `thread` is below the pool's size and is not shared by two calls at a time. A NULL pool does it on the calling
 * thread. One run at a time; `work` must not run the same pool. */
void shw_thread_pool_run(struct shw_thread_pool *pool, uint32_t count,
                         void (*work)(void *user, uint32_t index, uint32_t thread), void *user);

/* The loop that runs, and those that follow, leave out the indices that they have not begun. Any thread. */
void shw_thread_pool_stop(struct shw_thread_pool *pool);

#endif
