#include "vulkan/pipeline.h"

#include <stdlib.h>
#include <string.h>

#define UNUSED_MAX  256u /* unused programs to keep */
#define DATA_MAX    128u /* bytes of specialisation constants */
#define ENTRIES_MAX 32u

/* Everything that determines a program; zeroed first because padding is compared, too. */
struct key {
    struct shw_shader compute, vertex, fragment;
    struct shw_binding bindings[SHW_BINDINGS_MAX];
    VkFormat attachments[SHW_ATTACHMENTS_MAX];
    VkSpecializationMapEntry entries[ENTRIES_MAX];
    uint8_t data[DATA_MAX];
    size_t data_size;
    uint32_t binding_count, attachment_count, entry_count, push_bytes;
    VkAttachmentLoadOp load;
    VkPrimitiveTopology topology;
    uint32_t additive, in_pieces;
};

struct shw_program_entry {
    struct shw_program_entry *next;
    struct shw_program program;
    struct key key;
    uint32_t users;
};

static bool make_key(const struct shw_program_params *params, struct key *key)
{
    const VkSpecializationInfo *constants = params->specialization;

    memset(key, 0, sizeof *key);
    key->compute = params->compute;
    key->vertex = params->vertex;
    key->fragment = params->fragment;
    key->binding_count = params->binding_count;
    key->attachment_count = params->attachment_count;
    key->push_bytes = params->push_bytes;
    key->load = params->load;
    key->topology = params->topology;
    key->additive = params->additive;
    key->in_pieces = params->in_pieces;
    if (params->binding_count > 0)
        memcpy(key->bindings, params->bindings, params->binding_count * sizeof *key->bindings);
    if (params->attachment_count > 0)
        memcpy(key->attachments, params->attachments, params->attachment_count * sizeof *key->attachments);
    if (constants == NULL)
        return true;
    if (constants->mapEntryCount > ENTRIES_MAX || constants->dataSize > DATA_MAX)
        return false;
    key->entry_count = constants->mapEntryCount;
    key->data_size = constants->dataSize;
    for (uint32_t i = 0; i < constants->mapEntryCount; i++) {
        key->entries[i].constantID = constants->pMapEntries[i].constantID;
        key->entries[i].offset = constants->pMapEntries[i].offset;
        key->entries[i].size = constants->pMapEntries[i].size;
    }
    memcpy(key->data, constants->pData, constants->dataSize);
    return true;
}

void shw_program_cache_create(struct shw_program_cache *cache)
{
    pthread_mutex_init(&cache->mutex, NULL);
    cache->first = NULL;
    cache->count = 0;
}

static void destroy_entry(struct shw_device *device, struct shw_program_entry *entry)
{
    entry->program.entry = NULL;
    shw_program_destroy(device, &entry->program);
    free(entry);
}

void shw_program_cache_destroy(struct shw_device *device)
{
    struct shw_program_cache *cache = &device->programs;

    while (cache->first != NULL) {
        struct shw_program_entry *entry = cache->first;
        cache->first = entry->next;
        destroy_entry(device, entry);
    }
    pthread_mutex_destroy(&cache->mutex);
}

bool shw_program_cache_take(struct shw_device *device, const struct shw_program_params *params,
                            struct shw_program *program)
{
    struct shw_program_cache *cache = &device->programs;
    struct shw_program_entry *found = NULL;
    struct key key;

    if (!make_key(params, &key))
        return false;
    pthread_mutex_lock(&cache->mutex);
    for (struct shw_program_entry **link = &cache->first; *link != NULL && found == NULL; link = &(*link)->next)
        if (memcmp(&(*link)->key, &key, sizeof key) == 0) {
            found = *link;
            *link = found->next;
            found->next = cache->first;
            cache->first = found;
            found->users++;
            *program = found->program;
            break;
        }
    pthread_mutex_unlock(&cache->mutex);
    return found != NULL;
}

void shw_program_cache_put(struct shw_device *device, const struct shw_program_params *params,
                           struct shw_program *program)
{
    struct shw_program_cache *cache = &device->programs;
    struct shw_program_entry *entry = calloc(1, sizeof *entry);

    if (entry == NULL || !make_key(params, &entry->key)) {
        free(entry);
        return;
    }
    program->entry = entry;
    entry->program = *program;
    entry->users = 1;
    pthread_mutex_lock(&cache->mutex);
    entry->next = cache->first;
    cache->first = entry;
    cache->count++;
    pthread_mutex_unlock(&cache->mutex);
}

/* Evicts the least recently used program without users if there are too many. */
static struct shw_program_entry *take_oldest_unused(struct shw_program_cache *cache)
{
    struct shw_program_entry **oldest = NULL, *entry;
    uint32_t unused = 0;

    for (struct shw_program_entry **link = &cache->first; *link != NULL; link = &(*link)->next)
        if ((*link)->users == 0) {
            unused++;
            oldest = link;
        }
    if (unused <= UNUSED_MAX)
        return NULL;
    entry = *oldest;
    *oldest = entry->next;
    cache->count--;
    return entry;
}

void shw_program_cache_release(struct shw_device *device, struct shw_program *program)
{
    struct shw_program_cache *cache = &device->programs;
    struct shw_program_entry *unused;

    pthread_mutex_lock(&cache->mutex);
    program->entry->users--;
    unused = take_oldest_unused(cache);
    pthread_mutex_unlock(&cache->mutex);
    if (unused != NULL)
        destroy_entry(device, unused);
}
