#include "files/dataset/cache.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"

struct shw_cache_entry {
    struct shw_decoded_example example;
    uint32_t index;
    uint32_t uses;
    size_t bytes;
    /* Evicts unused entries, the least recently used first. */
    struct shw_cache_entry *previous, *next;
};

struct shw_cache {
    pthread_mutex_t mutex;
    uint32_t count;
    size_t limit, bytes;
    struct shw_cache_entry *oldest, *newest;
    struct shw_cache_entry *entries[];
};

void shw_decoded_example_free(struct shw_decoded_example *example)
{
    shw_image_file_free(&example->image);
    free(example->labels);
    for (uint32_t i = 0; i < example->input_count; i++)
        shw_image_file_free(&example->files[i]);
    *example = (struct shw_decoded_example){0};
}

static size_t bytes_of(const struct shw_decoded_example *example)
{
    const struct shw_image *image = &example->image.image;
    size_t pixel = shw_pixel_size(image->format) + (example->labels != NULL ? 2 : 0);

    for (uint32_t i = 0; i < example->input_count; i++)
        pixel += shw_pixel_size(example->inputs[i].image.format);
    return (size_t)image->width * image->height * pixel;
}

enum shw_result shw_cache_create(uint32_t count, size_t bytes, const struct shw_log *log, struct shw_cache **cache)
{
    struct shw_cache *made = calloc(1, sizeof *made + count * sizeof *made->entries);

    if (made == NULL)
        return shw_fail_memory(log, "the cache of a data set");
    made->count = count;
    made->limit = bytes;
    pthread_mutex_init(&made->mutex, NULL);
    *cache = made;
    return SHW_OK;
}

static void free_entry(struct shw_cache_entry *entry)
{
    shw_decoded_example_free(&entry->example);
    free(entry);
}

void shw_cache_destroy(struct shw_cache **cache)
{
    if (cache == NULL || *cache == NULL)
        return;
    for (uint32_t i = 0; i < (*cache)->count; i++)
        if ((*cache)->entries[i] != NULL)
            free_entry((*cache)->entries[i]);
    pthread_mutex_destroy(&(*cache)->mutex);
    free(*cache);
    *cache = NULL;
}

const struct shw_decoded_example *shw_cache_entry_get(const struct shw_cache_entry *entry)
{
    return &entry->example;
}

static void unlink_entry(struct shw_cache *cache, struct shw_cache_entry *entry)
{
    *(entry->previous != NULL ? &entry->previous->next : &cache->oldest) = entry->next;
    *(entry->next != NULL ? &entry->next->previous : &cache->newest) = entry->previous;
    entry->previous = entry->next = NULL;
}

static void link_newest(struct shw_cache *cache, struct shw_cache_entry *entry)
{
    entry->previous = cache->newest;
    *(cache->newest != NULL ? &cache->newest->next : &cache->oldest) = entry;
    cache->newest = entry;
}

static void evict(struct shw_cache *cache)
{
    while (cache->bytes > cache->limit && cache->oldest != NULL) {
        struct shw_cache_entry *entry = cache->oldest;

        unlink_entry(cache, entry);
        cache->entries[entry->index] = NULL;
        cache->bytes -= entry->bytes;
        free_entry(entry);
    }
}

static struct shw_cache_entry *use(struct shw_cache *cache, uint32_t index)
{
    struct shw_cache_entry *entry = cache->entries[index];

    if (entry != NULL && entry->uses++ == 0)
        unlink_entry(cache, entry);
    return entry;
}

struct shw_cache_entry *shw_cache_find(struct shw_cache *cache, uint32_t index)
{
    struct shw_cache_entry *entry;

    pthread_mutex_lock(&cache->mutex);
    entry = use(cache, index);
    pthread_mutex_unlock(&cache->mutex);
    return entry;
}

struct shw_cache_entry *shw_cache_insert(struct shw_cache *cache, uint32_t index, struct shw_decoded_example *example)
{
    struct shw_cache_entry *entry;

    pthread_mutex_lock(&cache->mutex);
    entry = use(cache, index);
    if (entry != NULL || (entry = calloc(1, sizeof *entry)) == NULL) {
        pthread_mutex_unlock(&cache->mutex);
        shw_decoded_example_free(example);
        return entry;
    }
    *entry = (struct shw_cache_entry){.example = *example, .index = index, .uses = 1, .bytes = bytes_of(example)};
    cache->entries[index] = entry;
    cache->bytes += entry->bytes;
    evict(cache);
    pthread_mutex_unlock(&cache->mutex);
    return entry;
}

void shw_cache_release(struct shw_cache *cache, struct shw_cache_entry *entry)
{
    pthread_mutex_lock(&cache->mutex);
    if (--entry->uses == 0) {
        link_newest(cache, entry);
        evict(cache);
    }
    pthread_mutex_unlock(&cache->mutex);
}
