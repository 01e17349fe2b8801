#include "files/output/listed_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "files/image/image_file.h"
#include "files/io/file_state.h"
#include "files/io/image_paths.h"
#include "files/output/label_files.h"

#define VERSION 1u /* of what is found in files; greater if a later version finds something else in the same */
#define UNKNOWN UINT32_MAX

/* The slot of a key, or the free one where it belongs; there is one. */
static struct shw_listed_file *slot_of(const struct shw_listed_files *files, const uint64_t key[2])
{
    const uint32_t mask = files->capacity - 1;
    uint32_t i = (uint32_t)key[0] & mask;

    while (files->slots[i].is_used && (files->slots[i].key[0] != key[0] || files->slots[i].key[1] != key[1]))
        i = (i + 1) & mask;
    return &files->slots[i];
}

/* At most half of the slots are used. */
static bool reserve(struct shw_listed_files *files)
{
    struct shw_listed_files larger = {.count = files->count,
                                      .capacity = files->capacity > 0 ? 2 * files->capacity : 1024};

    if (2 * (uint64_t)files->count + 2 <= files->capacity)
        return true;
    larger.slots = larger.capacity > files->capacity ? calloc(larger.capacity, sizeof *larger.slots) : NULL;
    if (larger.slots == NULL)
        return false;
    for (uint32_t i = 0; i < files->capacity; i++)
        if (files->slots[i].is_used)
            *slot_of(&larger, files->slots[i].key) = files->slots[i];
    free(files->slots);
    *files = larger;
    return true;
}

static void add(struct shw_listed_files *files, const struct shw_listed_file *fact)
{
    struct shw_listed_file *slot;

    if (!reserve(files))
        return;
    slot = slot_of(files, fact->key);
    files->count += !slot->is_used;
    *slot = *fact;
}

void shw_listed_files_add(struct shw_listed_files *files, const uint64_t key[2], uint32_t pages)
{
    add(files, &(struct shw_listed_file){.key = {key[0], key[1]}, .pages = pages, .is_used = true});
}

void shw_listed_files_add_all(struct shw_listed_files *files, const struct shw_listed_files *others)
{
    for (uint32_t i = 0; i < others->capacity; i++)
        if (others->slots[i].is_used)
            add(files, &others->slots[i]);
}

bool shw_listed_files_have(const struct shw_listed_files *files, const uint64_t key[2])
{
    return files->count > 0 && slot_of(files, key)->is_used;
}

static void make_key(const char *path, const struct shw_file_state *state, uint64_t key[2])
{
    const char *name = shw_path_last(path);
    struct {
        uint64_t version, name, number;
        int64_t said[5];
    } told = {VERSION, XXH3_64bits(name, strlen(name)), state->number, {0}};
    XXH128_hash_t hash;

    memcpy(told.said, state->said, sizeof told.said);
    hash = XXH3_128bits(&told, sizeof told);
    key[0] = hash.high64;
    key[1] = hash.low64;
}

/* 0 for a result; UNKNOWN for a file that cannot be read. */
static uint32_t find_out(const char *path)
{
    const struct shw_log none = {.level = SHW_LOG_ERROR};
    uint32_t pages;

    if (shw_is_result(path))
        return 0;
    return shw_image_file_count_pages(path, &none, &pages) == SHW_OK ? pages : UNKNOWN;
}

static uint32_t look(struct shw_listed_files *files, const char *path)
{
    struct shw_file_state state;
    struct shw_listed_file fact = {.is_used = true, .is_asked = true};

    if (!shw_file_state_get(path, &state))
        return UNKNOWN;
    make_key(path, &state, fact.key);
    if (shw_listed_files_have(files, fact.key)) {
        struct shw_listed_file *known = slot_of(files, fact.key);

        known->is_asked = true;
        return known->pages;
    }
    fact.pages = find_out(path);
    if (fact.pages != UNKNOWN && state.settled)
        add(files, &fact);
    return fact.pages;
}

bool shw_listed_files_is_result(struct shw_listed_files *files, const char *path)
{
    return files != NULL ? look(files, path) == 0 : shw_is_result(path);
}

uint32_t shw_listed_files_count_pages(struct shw_listed_files *files, const char *path)
{
    const struct shw_log none = {.level = SHW_LOG_ERROR};
    uint32_t pages = files != NULL ? look(files, path) : 0;

    if (pages > 0)
        return pages != UNKNOWN ? pages : 1;
    return shw_image_file_count_pages(path, &none, &pages) == SHW_OK ? pages : 1;
}

void shw_listed_files_free(struct shw_listed_files *files)
{
    free(files->slots);
    *files = (struct shw_listed_files){.count = 0};
}
