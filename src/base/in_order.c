#include "base/in_order.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"

struct run {
    const struct shw_in_order *things;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool *made; /* of each slot */
    uint64_t begun, taken;
    bool beginning; /* a thread begins one */
    bool ended;     /* no more are begun */
};

struct worker {
    struct run *run;
    uint32_t number;
    pthread_t thread;
};

/* Begins a thing; false if there are no more. With the mutex. */
static bool begin(struct run *run, uint32_t *slot)
{
    const struct shw_in_order *things = run->things;
    bool good;

    while (!run->ended && (run->beginning || run->begun - run->taken == things->slots))
        pthread_cond_wait(&run->changed, &run->mutex);
    if (run->ended)
        return false;
    run->beginning = true;
    *slot = (uint32_t)(run->begun % things->slots);
    pthread_mutex_unlock(&run->mutex);
    good = things->begin(things->user, *slot);
    pthread_mutex_lock(&run->mutex);
    run->beginning = false;
    run->begun += good;
    run->ended |= !good;
    pthread_cond_broadcast(&run->changed);
    return good;
}

static void *work(void *user)
{
    const struct worker *worker = user;
    struct run *run = worker->run;
    uint32_t slot;

    pthread_mutex_lock(&run->mutex);
    while (begin(run, &slot)) {
        pthread_mutex_unlock(&run->mutex);
        run->things->make(run->things->user, slot, worker->number);
        pthread_mutex_lock(&run->mutex);
        run->made[slot] = true;
        pthread_cond_broadcast(&run->changed);
    }
    pthread_mutex_unlock(&run->mutex);
    return NULL;
}

static void take_all(struct run *run)
{
    const struct shw_in_order *things = run->things;

    pthread_mutex_lock(&run->mutex);
    for (;;) {
        const uint32_t slot = (uint32_t)(run->taken % things->slots);
        bool go_on;

        if (run->ended && !run->beginning && run->taken == run->begun)
            break;
        if (run->taken == run->begun || !run->made[slot]) {
            pthread_cond_wait(&run->changed, &run->mutex);
            continue;
        }
        pthread_mutex_unlock(&run->mutex);
        go_on = things->take(things->user, slot);
        pthread_mutex_lock(&run->mutex);
        run->made[slot] = false;
        run->taken++;
        run->ended |= !go_on;
        pthread_cond_broadcast(&run->changed);
    }
    pthread_mutex_unlock(&run->mutex);
}

enum shw_result shw_in_order_run(const struct shw_in_order *things, const struct shw_log *log)
{
    struct run run = {.things = things, .made = calloc(things->slots, sizeof *run.made)};
    struct worker *workers = calloc(things->threads, sizeof *workers);
    uint32_t started = 0;

    pthread_mutex_init(&run.mutex, NULL);
    pthread_cond_init(&run.changed, NULL);
    for (; run.made != NULL && workers != NULL && started < things->threads; started++) {
        workers[started] = (struct worker){.run = &run, .number = started};
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0)
            break;
    }
    if (started > 0)
        take_all(&run);
    for (uint32_t w = 0; w < started; w++)
        pthread_join(workers[w].thread, NULL);
    pthread_cond_destroy(&run.changed);
    pthread_mutex_destroy(&run.mutex);
    free(run.made);
    free(workers);
    return started > 0 ? SHW_OK : shw_fail_memory(log, "threads");
}
