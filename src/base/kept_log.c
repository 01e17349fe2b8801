#include "base/kept_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct shw_kept_message {
    enum shw_log_level level;
    enum shw_log_item item;
    char *text;
};

static void keep(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct shw_kept_log *kept = user;
    char *copy = strdup(text);

    pthread_mutex_lock(&kept->mutex);
    if (copy != NULL && SHW_RESERVE(kept->messages, kept->capacity, (size_t)kept->count + 1)) {
        kept->messages[kept->count++] = (struct shw_kept_message){level, item, copy};
        copy = NULL;
    }
    pthread_mutex_unlock(&kept->mutex);
    free(copy);
}

void shw_kept_log_init(struct shw_kept_log *kept)
{
    *kept = (struct shw_kept_log){.count = 0};
    pthread_mutex_init(&kept->mutex, NULL);
}

void shw_kept_log_destroy(struct shw_kept_log *kept)
{
    for (uint32_t i = 0; i < kept->count; i++)
        free(kept->messages[i].text);
    free(kept->messages);
    pthread_mutex_destroy(&kept->mutex);
}

struct shw_log shw_kept_log_of(struct shw_kept_log *kept, const struct shw_log *to)
{
    return (struct shw_log){.function = keep, .user = kept, .level = to->level};
}

void shw_kept_log_pass(struct shw_kept_log *kept, const struct shw_log *to)
{
    for (uint32_t i = 0; i < kept->count; i++) {
        const struct shw_kept_message *message = &kept->messages[i];

        if (to->function != NULL)
            to->function(to->user, message->level, message->item, message->text);
        free(message->text);
    }
    kept->count = 0;
}
