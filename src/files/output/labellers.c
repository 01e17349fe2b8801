#include "files/output/labellers.h"

void shw_labellers_init(struct shw_labellers *labellers)
{
    *labellers = (struct shw_labellers){.count = 0};
    pthread_mutex_init(&labellers->mutex, NULL);
    pthread_cond_init(&labellers->given, NULL);
}

void shw_labellers_destroy(struct shw_labellers *labellers)
{
    for (uint32_t i = 0; i < labellers->count; i++)
        shw_labeller_destroy(&labellers->list[i].labeller);
    pthread_cond_destroy(&labellers->given);
    pthread_mutex_destroy(&labellers->mutex);
}

static void pass_on(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    const struct shw_one_labeller *one = user;

    if (one->log.function != NULL && level <= one->log.level)
        one->log.function(one->log.user, level, item, text);
}

enum shw_result shw_labellers_add(struct shw_labellers *labellers, const struct shw_labeller_params *params)
{
    struct shw_one_labeller *one = &labellers->list[labellers->count];
    struct shw_labeller_params with_log = *params;
    enum shw_result result;

    one->log = one->own = params->log;
    with_log.log = (struct shw_log){.function = pass_on, .user = one, .level = params->log.level};
    result = shw_labeller_create(&with_log, &one->labeller);
    labellers->count += result == SHW_OK;
    return result;
}

static struct shw_one_labeller *find_free(struct shw_labellers *labellers)
{
    for (uint32_t i = 0; i < labellers->count; i++)
        if (!labellers->list[i].taken)
            return &labellers->list[i];
    return NULL;
}

struct shw_labeller *shw_labellers_take(struct shw_labellers *labellers, const struct shw_log *log)
{
    struct shw_one_labeller *one;

    pthread_mutex_lock(&labellers->mutex);
    while ((one = find_free(labellers)) == NULL)
        pthread_cond_wait(&labellers->given, &labellers->mutex);
    one->taken = true;
    one->log = *log;
    pthread_mutex_unlock(&labellers->mutex);
    return one->labeller;
}

static void give(struct shw_one_labeller *one)
{
    one->taken = false;
    one->log = one->own;
}

void shw_labellers_give(struct shw_labellers *labellers, const struct shw_labeller *labeller)
{
    pthread_mutex_lock(&labellers->mutex);
    for (uint32_t i = 0; i < labellers->count; i++)
        if (labellers->list[i].labeller == labeller)
            give(&labellers->list[i]);
    pthread_cond_signal(&labellers->given);
    pthread_mutex_unlock(&labellers->mutex);
}
