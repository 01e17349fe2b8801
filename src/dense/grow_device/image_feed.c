#include "dense/grow_device/image_feed.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

struct fed {
    enum shw_result result;
    struct shw_labelled_image example;
    bool done; /* it has been read */
    char failure[SHW_MESSAGE_SIZE];
};

struct shw_image_feed {
    const struct shw_trainer_params *params;
    const struct shw_dataset *dataset;
    pthread_t *threads;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool stop;
    uint32_t threads_max, thread_count, reading; /* reading: how many threads read an image now */
    uint32_t *order;
    uint32_t count, begun, taken; /* positions in the plan */
    struct fed *ring;             /* image n of the plan is at n % ahead */
    uint32_t ahead;
};

static void *read_ahead(void *user)
{
    struct shw_image_feed *feed = user;

    pthread_mutex_lock(&feed->mutex);
    while (!feed->stop) {
        struct fed *fed;
        uint32_t index;
        if (feed->begun == feed->count || feed->begun - feed->taken == feed->ahead) {
            pthread_cond_wait(&feed->changed, &feed->mutex);
            continue;
        }
        fed = &feed->ring[feed->begun % feed->ahead];
        fed->done = false;
        index = feed->order[feed->begun++];
        feed->reading++;
        pthread_mutex_unlock(&feed->mutex);
        fed->result = shw_train_image_read(feed->params, feed->dataset, index, &fed->example);
        snprintf(fed->failure, sizeof fed->failure, "%s", fed->result != SHW_OK ? shw_last_error() : "");
        pthread_mutex_lock(&feed->mutex);
        feed->reading--;
        fed->done = true;
        pthread_cond_broadcast(&feed->changed);
    }
    pthread_mutex_unlock(&feed->mutex);
    return NULL;
}

/* With the mutex held: lets images that are being read be finished, and releases those that were not taken. */
static void drop_plan(struct shw_image_feed *feed)
{
    feed->count = feed->begun;
    while (feed->reading > 0)
        pthread_cond_wait(&feed->changed, &feed->mutex);
    for (; feed->thread_count > 0 && feed->taken < feed->begun; feed->taken++) {
        struct fed *fed = &feed->ring[feed->taken % feed->ahead];
        if (fed->result == SHW_OK)
            feed->dataset->release(feed->dataset->user, &fed->example);
    }
    feed->count = feed->begun = feed->taken = 0;
}

/* With the mutex held: as many threads as a plan of `count` images keeps busy. Creating them costs more than training
 * on images that are already on the device, as after each stroke in the viewer: their plans are empty. */
static bool start_threads(struct shw_image_feed *feed, uint32_t count)
{
    uint32_t wanted = count < feed->threads_max ? count : feed->threads_max;

    while (feed->thread_count < wanted &&
           pthread_create(&feed->threads[feed->thread_count], NULL, read_ahead, feed) == 0)
        feed->thread_count++;
    return feed->thread_count > 0 || wanted == 0;
}

enum shw_result shw_image_feed_create(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                      uint32_t ahead, uint32_t threads, struct shw_image_feed **out)
{
    struct shw_image_feed *feed = calloc(1, sizeof *feed);

    if (feed == NULL)
        return shw_fail_memory(&params->log, "reading ahead");
    feed->params = params;
    feed->dataset = dataset;
    feed->ahead = dataset->single_threaded ? 0 : ahead;
    feed->threads_max = threads < feed->ahead ? threads : feed->ahead;
    feed->threads = calloc(feed->threads_max + 1u, sizeof *feed->threads);
    feed->ring = calloc(feed->ahead + 1u, sizeof *feed->ring);
    pthread_mutex_init(&feed->mutex, NULL);
    pthread_cond_init(&feed->changed, NULL);
    if (feed->threads == NULL || feed->ring == NULL) {
        shw_image_feed_destroy(&feed);
        return shw_fail_memory(&params->log, "reading ahead");
    }
    *out = feed;
    return SHW_OK;
}

void shw_image_feed_destroy(struct shw_image_feed **handle)
{
    struct shw_image_feed *feed = *handle;

    if (feed == NULL)
        return;
    pthread_mutex_lock(&feed->mutex);
    drop_plan(feed);
    feed->stop = true;
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->mutex);
    for (uint32_t t = 0; t < feed->thread_count; t++)
        pthread_join(feed->threads[t], NULL);
    pthread_cond_destroy(&feed->changed);
    pthread_mutex_destroy(&feed->mutex);
    free(feed->threads);
    free(feed->order);
    free(feed->ring);
    free(feed);
    *handle = NULL;
}

enum shw_result shw_image_feed_plan(struct shw_image_feed *feed, const uint32_t *order, uint32_t count)
{
    enum shw_result result = SHW_OK;
    uint32_t *copy;

    pthread_mutex_lock(&feed->mutex);
    drop_plan(feed);
    copy = realloc(feed->order, ((size_t)count + 1) * sizeof *copy);
    if (copy != NULL)
        feed->order = copy;
    if (copy != NULL && start_threads(feed, count)) {
        memcpy(copy, order, count * sizeof *copy);
        feed->count = count;
    } else {
        result = shw_fail_memory(&feed->params->log, "reading ahead");
    }
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->mutex);
    return result;
}

enum shw_result shw_image_feed_take(struct shw_image_feed *feed, uint32_t index, struct shw_labelled_image *example)
{
    struct fed *fed;
    enum shw_result result;

    /* Both change in this thread alone. */
    if (feed->taken == feed->count || feed->order[feed->taken] != index)
        return shw_fail(&feed->params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "training image %u is not the next one planned", index);
    if (feed->thread_count == 0)
        return shw_train_image_read(feed->params, feed->dataset, feed->order[feed->taken++], example);
    pthread_mutex_lock(&feed->mutex);
    fed = &feed->ring[feed->taken % feed->ahead];
    while (feed->taken == feed->begun || !fed->done)
        pthread_cond_wait(&feed->changed, &feed->mutex);
    feed->taken++;
    *example = fed->example;
    result = fed->result;
    if (result != SHW_OK && fed->failure[0] != '\0')
        shw_failure_take(fed->failure);
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->mutex);
    return result;
}
