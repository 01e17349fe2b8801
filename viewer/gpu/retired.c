#include "gpu/retired.h"

#include <stdlib.h>
#include <string.h>

struct item {
    uint64_t frame; /* the next one to be recorded when this was retired */
    struct view_image image;
    struct view_buffer buffer; /* one of the two */
};

struct view_retired {
    struct item *items;
    uint32_t count, capacity;
    uint64_t frame; /* the one that is recorded now or next */
};

struct view_retired *view_retired_create(void)
{
    return calloc(1, sizeof(struct view_retired));
}

static void destroy(const struct view_gpu *gpu, struct item *item)
{
    view_image_destroy(gpu, &item->image);
    view_buffer_destroy(gpu, &item->buffer);
}

void view_retired_destroy(const struct view_gpu *gpu, struct view_retired **retired)
{
    struct view_retired *old = *retired;

    for (uint32_t i = 0; old != NULL && i < old->count; i++)
        destroy(gpu, &old->items[i]);
    if (old != NULL)
        free(old->items);
    free(old);
    *retired = NULL;
}

static void retire(const struct view_gpu *gpu, struct item item)
{
    struct view_retired *retired = gpu->retired;

    if (retired->count == retired->capacity) {
        uint32_t capacity = 2 * retired->capacity + 16;
        struct item *items = realloc(retired->items, capacity * sizeof *items);
        if (items == NULL) {
            view_device_wait(gpu);
            destroy(gpu, &item);
            return;
        }
        retired->items = items;
        retired->capacity = capacity;
    }
    item.frame = retired->frame;
    retired->items[retired->count++] = item;
}

void view_image_retire(const struct view_gpu *gpu, struct view_image *image)
{
    if (image->handle != VK_NULL_HANDLE)
        retire(gpu, (struct item){.image = *image});
    memset(image, 0, sizeof *image);
}

void view_buffer_retire(const struct view_gpu *gpu, struct view_buffer *buffer)
{
    if (buffer->handle != VK_NULL_HANDLE)
        retire(gpu, (struct item){.buffer = *buffer});
    memset(buffer, 0, sizeof *buffer);
}

void view_retired_collect(const struct view_gpu *gpu, uint64_t frame)
{
    struct view_retired *retired = gpu->retired;
    uint32_t kept = 0;

    retired->frame = frame;
    for (uint32_t i = 0; i < retired->count; i++)
        if (retired->items[i].frame + VIEW_SLOTS <= frame)
            destroy(gpu, &retired->items[i]);
        else
            retired->items[kept++] = retired->items[i];
    retired->count = kept;
}
