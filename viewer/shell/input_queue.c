#include "shell/input_queue.h"

#include <stdlib.h>
#include <string.h>

void view_input_queue_free(struct view_input_queue *queue)
{
    free(queue->list);
    *queue = (struct view_input_queue){0};
}

bool view_input_queue_put(struct view_input_queue *queue, const struct view_input *input)
{
    if (queue->first > 0 && queue->first + queue->count == queue->capacity) {
        memmove(queue->list, queue->list + queue->first, queue->count * sizeof *queue->list);
        queue->first = 0;
    }
    if (queue->count == queue->capacity) {
        uint32_t capacity = queue->capacity > 0 ? 2 * queue->capacity : 64;
        struct view_input *list = realloc(queue->list, capacity * sizeof *list);
        if (list == NULL)
            return false;
        queue->list = list;
        queue->capacity = capacity;
    }
    queue->list[queue->first + queue->count++] = *input;
    return true;
}

bool view_input_queue_take(struct view_input_queue *queue, struct view_input *input)
{
    if (queue->count == 0)
        return false;
    *input = queue->list[queue->first++];
    queue->count--;
    queue->first = queue->count > 0 ? queue->first : 0;
    return true;
}
