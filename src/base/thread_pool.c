#define _GNU_SOURCE
#include "base/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/log.h"

struct worker {
    struct shw_thread_pool *pool;
    uint32_t number;
    pthread_t thread;
};

struct shw_thread_pool {
    uint32_t size; /* including the caller, who is number 0 */
    uint32_t started;
    struct worker *workers;

    pthread_mutex_t mutex;
    pthread_cond_t begin, end;
    uint64_t run;    /* the number of the current loop; each worker joins a loop once */
    uint32_t places; /* how many workers may still join it */
    uint32_t busy;   /* how many have joined it and are not done */
    bool ends;
    bool failed; /* a worker has in this loop, with the text `failure` */
    char failure[SHW_MESSAGE_SIZE];

    void (*work)(void *user, uint32_t index, uint32_t thread);
    void *user;
    uint32_t count;
    atomic_uint next;
    atomic_bool stopped;
};

static bool is_stopped(const struct shw_thread_pool *pool)
{
    return atomic_load_explicit(&pool->stopped, memory_order_acquire);
}

static void share(struct shw_thread_pool *pool, uint32_t number)
{
    while (!is_stopped(pool)) {
        uint32_t index = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (index >= pool->count)
            break;
        pool->work(pool->user, index, number);
    }
}

static void *worker_main(void *argument)
{
    const struct worker *worker = argument;
    struct shw_thread_pool *pool = worker->pool;
    uint64_t seen = 0;
    uint32_t failures;

    pthread_mutex_lock(&pool->mutex);
    for (;;) {
        while (!pool->ends && (pool->run == seen || pool->places == 0))
            pthread_cond_wait(&pool->begin, &pool->mutex);
        if (pool->ends)
            break;
        seen = pool->run;
        pool->places--;
        pool->busy++;
        pthread_mutex_unlock(&pool->mutex);
        failures = shw_failure_count();
        share(pool, worker->number);
        pthread_mutex_lock(&pool->mutex);
        if (shw_failure_count() != failures) {
            pool->failed = true;
            snprintf(pool->failure, sizeof pool->failure, "%s", shw_last_error());
        }
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->end);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

static uint32_t processor_count(void)
{
    cpu_set_t set;
    int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;

    return count > 0 ? (uint32_t)count : 1;
}

enum shw_result shw_thread_pool_create(uint32_t threads, struct shw_thread_pool **out)
{
    struct shw_thread_pool *pool = calloc(1, sizeof *pool);

    if (pool == NULL)
        return SHW_ERROR_MEMORY;
    pool->size = threads > 0 ? threads : processor_count();
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->begin, NULL);
    pthread_cond_init(&pool->end, NULL);
    pool->workers = calloc(pool->size, sizeof *pool->workers);
    if (pool->workers == NULL)
        goto fail;
    for (uint32_t i = 1; i < pool->size; i++) {
        pool->workers[i] = (struct worker){.pool = pool, .number = i};
        if (pthread_create(&pool->workers[i].thread, NULL, worker_main, &pool->workers[i]) != 0)
            goto fail;
        pool->started++;
    }
    *out = pool;
    return SHW_OK;

fail:
    shw_thread_pool_destroy(&pool);
    return SHW_ERROR_MEMORY;
}

void shw_thread_pool_destroy(struct shw_thread_pool **handle)
{
    struct shw_thread_pool *pool = handle != NULL ? *handle : NULL;

    if (pool == NULL)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->ends = true;
    pthread_cond_broadcast(&pool->begin);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 1; i <= pool->started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->end);
    pthread_cond_destroy(&pool->begin);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->workers);
    free(pool);
    *handle = NULL;
}

uint32_t shw_thread_pool_size(const struct shw_thread_pool *pool)
{
    return pool != NULL ? pool->size : 1;
}

void shw_thread_pool_run(struct shw_thread_pool *pool, uint32_t count,
                         void (*work)(void *user, uint32_t index, uint32_t thread), void *user)
{
    if (pool == NULL || pool->size == 1 || count <= 1) {
        for (uint32_t i = 0; i < count && (pool == NULL || !is_stopped(pool)); i++)
            work(user, i, 0);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->work = work;
    pool->user = user;
    pool->count = count;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    pool->places = count < pool->size ? count - 1 : pool->size - 1;
    pool->run++;
    if (pool->places == pool->size - 1)
        pthread_cond_broadcast(&pool->begin);
    else
        for (uint32_t i = 0; i < pool->places; i++)
            pthread_cond_signal(&pool->begin);
    pthread_mutex_unlock(&pool->mutex);

    share(pool, 0);

    pthread_mutex_lock(&pool->mutex);
    pool->places = 0; /* nothing is left for those that have not woken up yet: they are not waited for */
    while (pool->busy > 0)
        pthread_cond_wait(&pool->end, &pool->mutex);
    if (pool->failed)
        shw_failure_take(pool->failure);
    pool->failed = false;
    pthread_mutex_unlock(&pool->mutex);
}

void shw_thread_pool_stop(struct shw_thread_pool *pool)
{
    atomic_store_explicit(&pool->stopped, true, memory_order_release);
}
