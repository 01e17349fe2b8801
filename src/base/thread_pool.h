/* A fixed set of threads that share the indices of a loop. */
#ifndef SHW_BASE_THREAD_POOL_H
#define SHW_BASE_THREAD_POOL_H

#include <stdint.h>

#include <shadewood/log.h>

struct shw_thread_pool;

/* `threads` includes the calling thread; 0: one per processor that this process may use. Errors: MEMORY. */
enum shw_result shw_thread_pool_create(uint32_t threads, struct shw_thread_pool **pool);

/* Accepts NULL and a pointer to NULL. */
void shw_thread_pool_destroy(struct shw_thread_pool **pool);

uint32_t shw_thread_pool_size(const struct shw_thread_pool *pool);

/* Calls work(user, index, thread) once for every index below `count`, in unspecified order, and returns when all are
 * done. What fails on other threads is then the calling thread's last error. `thread` is below the pool's size and
 * differs between concurrent calls. A NULL pool runs on the calling thread. One run at a time; `work` must not run the
 * same pool. */
void shw_thread_pool_run(struct shw_thread_pool *pool, uint32_t count,
                         void (*work)(void *user, uint32_t index, uint32_t thread), void *user);

/* Skips the indices of the current loop, and of later ones, that have not started. Any thread. */
void shw_thread_pool_stop(struct shw_thread_pool *pool);

#endif
