#include "train/image_feed.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

struct fed {
    enum shw_result result;
    struct shw_labelled_image example;
};

struct shw_image_feed {
    const struct shw_trainer_params *params;
    const struct shw_dataset *dataset;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool has_thread, stop, reading;
    uint32_t *order;
    uint32_t count, read, taken; /* positions in the plan */
    struct fed *ring;            /* image n of the plan is at n % ahead */
    uint32_t ahead;
};

static void *read_ahead(void *user)
{
    struct shw_image_feed *feed = user;

    pthread_mutex_lock(&feed->mutex);
    while (!feed->stop) {
        struct fed *fed;
        uint32_t index;
        if (feed->read == feed->count || feed->read - feed->taken == feed->ahead) {
            pthread_cond_wait(&feed->changed, &feed->mutex);
            continue;
        }
        fed = &feed->ring[feed->read % feed->ahead];
        index = feed->order[feed->read];
        feed->reading = true;
        pthread_mutex_unlock(&feed->mutex);
        fed->result = shw_train_image_read(feed->params, feed->dataset, index, &fed->example);
        pthread_mutex_lock(&feed->mutex);
        feed->reading = false;
        feed->read++;
        pthread_cond_broadcast(&feed->changed);
    }
    pthread_mutex_unlock(&feed->mutex);
    return NULL;
}

/* With the mutex held: stops after the image being read, and releases images that were not taken. */
static void drop_plan(struct shw_image_feed *feed)
{
    feed->count = feed->read + (feed->reading ? 1 : 0);
    while (feed->reading)
        pthread_cond_wait(&feed->changed, &feed->mutex);
    for (; feed->has_thread && feed->taken < feed->read; feed->taken++) {
        struct fed *fed = &feed->ring[feed->taken % feed->ahead];
        if (fed->result == SHW_OK)
            feed->dataset->release(feed->dataset->user, &fed->example);
    }
    feed->count = feed->read = feed->taken = 0;
}

enum shw_result shw_image_feed_create(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                      uint32_t ahead, struct shw_image_feed **out)
{
    struct shw_image_feed *feed = calloc(1, sizeof *feed);

    if (feed == NULL)
        return shw_fail_memory(&params->log, "reading ahead");
    feed->params = params;
    feed->dataset = dataset;
    feed->ahead = dataset->single_threaded ? 0 : ahead;
    feed->ring = calloc(feed->ahead + 1, sizeof *feed->ring);
    pthread_mutex_init(&feed->mutex, NULL);
    pthread_cond_init(&feed->changed, NULL);
    feed->has_thread =
        feed->ring != NULL && feed->ahead > 0 && pthread_create(&feed->thread, NULL, read_ahead, feed) == 0;
    if (feed->ring == NULL || (feed->ahead > 0 && !feed->has_thread)) {
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
    if (feed->has_thread) {
        pthread_mutex_lock(&feed->mutex);
        drop_plan(feed);
        feed->stop = true;
        pthread_cond_broadcast(&feed->changed);
        pthread_mutex_unlock(&feed->mutex);
        pthread_join(feed->thread, NULL);
    }
    pthread_cond_destroy(&feed->changed);
    pthread_mutex_destroy(&feed->mutex);
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
    if (copy != NULL) {
        memcpy(copy, order, count * sizeof *copy);
        feed->order = copy;
        feed->count = count;
    } else {
        result = shw_fail_memory(&feed->params->log, "reading ahead");
    }
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->mutex);
    return result;
}

enum shw_result shw_image_feed_take(struct shw_image_feed *feed, struct shw_labelled_image *example)
{
    struct fed *fed;
    enum shw_result result;

    if (!feed->has_thread)
        return shw_train_image_read(feed->params, feed->dataset, feed->order[feed->taken++], example);
    pthread_mutex_lock(&feed->mutex);
    while (feed->taken == feed->read)
        pthread_cond_wait(&feed->changed, &feed->mutex);
    fed = &feed->ring[feed->taken++ % feed->ahead];
    *example = fed->example;
    result = fed->result;
    pthread_cond_broadcast(&feed->changed);
    pthread_mutex_unlock(&feed->mutex);
    return result;
}
