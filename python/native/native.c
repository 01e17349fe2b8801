#include "native.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

struct waiting {
    struct waiting *next;
    struct shw_python_message message;
};

struct shw_python_messages {
    pthread_mutex_t mutex;
    struct waiting *first, **end;
};

struct shw_python_messages *shw_python_messages_create(void)
{
    struct shw_python_messages *messages = calloc(1, sizeof *messages);

    if (messages == NULL)
        return NULL;
    pthread_mutex_init(&messages->mutex, NULL);
    messages->end = &messages->first;
    return messages;
}

bool shw_python_messages_take(struct shw_python_messages *messages, struct shw_python_message *message)
{
    struct waiting *first;

    pthread_mutex_lock(&messages->mutex);
    first = messages->first;
    if (first != NULL) {
        messages->first = first->next;
        if (messages->first == NULL)
            messages->end = &messages->first;
    }
    pthread_mutex_unlock(&messages->mutex);
    if (first == NULL)
        return false;
    *message = first->message;
    free(first);
    return true;
}

void shw_python_messages_destroy(struct shw_python_messages *messages)
{
    struct shw_python_message message;

    if (messages == NULL)
        return;
    while (shw_python_messages_take(messages, &message))
        continue;
    pthread_mutex_destroy(&messages->mutex);
    free(messages);
}

/* A message for which there is no memory is lost; the result of the call says what matters. */
static void add_message(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct shw_python_messages *messages = user;
    struct waiting *added = malloc(sizeof *added);

    if (added == NULL)
        return;
    added->next = NULL;
    added->message.level = level;
    added->message.item = item;
    snprintf(added->message.text, sizeof added->message.text, "%s", text);
    pthread_mutex_lock(&messages->mutex);
    *messages->end = added;
    messages->end = &added->next;
    pthread_mutex_unlock(&messages->mutex);
}

struct shw_log shw_python_messages_log(struct shw_python_messages *messages)
{
    return (struct shw_log){add_message, messages, SHW_LOG_WARNING};
}

bool shw_python_keep_round(void *user, const struct shw_train_progress *progress)
{
    struct shw_python_round *round = user;

    round->ended = true;
    round->progress = *progress;
    return true;
}

static enum shw_result read_cascade_image(void *user, uint32_t index, struct shw_cascade_image *image)
{
    const struct shw_image *images = user;

    *image = (struct shw_cascade_image){.image = images[index]};
    return SHW_OK;
}

static void release_cascade_image(void *user, struct shw_cascade_image *image)
{
    (void)user;
    (void)image;
}

struct shw_cascade_dataset shw_python_cascade_dataset(const struct shw_image *images, uint32_t count,
                                                      const bool *backgrounds, const struct shw_cascade_object *objects,
                                                      uint32_t object_count)
{
    return (struct shw_cascade_dataset){.image_count = count,
                                        .object_count = object_count,
                                        .objects = objects,
                                        .backgrounds = backgrounds,
                                        .user = (void *)(uintptr_t)images,
                                        .read = read_cascade_image,
                                        .release = release_cascade_image};
}

struct shw_class shw_python_project_class(const struct shw_project *project, uint32_t number)
{
    const struct shw_project_class *class = shw_project_get_class(project, number);
    struct shw_class copy = {.name = class->name};

    memcpy(copy.colour, class->colour, sizeof copy.colour);
    return copy;
}

struct shw_python_picture shw_python_project_picture(const struct shw_project *project, uint32_t picture)
{
    const struct shw_project_picture found = shw_project_get_picture(project, picture);

    return (struct shw_python_picture){found.name, found.width, found.height, found.stroke_count, found.kept};
}

enum shw_result shw_python_project_data(struct shw_project *project, const struct shw_log *log,
                                        struct shw_trainer_params *params, struct shw_project_data **data)
{
    *data = calloc(1, sizeof **data);
    if (*data == NULL)
        return shw_fail_memory(log, "the project's training set");
    *params = shw_project_params();
    return shw_project_data_make(project, log, params, *data);
}

const struct shw_dataset *shw_python_project_dataset(const struct shw_project_data *data)
{
    return data->dataset;
}

void shw_python_project_data_free(struct shw_project_data **data)
{
    if (*data != NULL)
        shw_project_data_free(*data);
    free(*data);
    *data = NULL;
}
