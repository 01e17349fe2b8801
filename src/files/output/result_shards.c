#include "files/output/result_shards.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/json_text.h"
#include "base/log.h"
#include "files/io/image_paths.h"

struct shw_result_shard {
    char *path; /* of the journal */
    struct shw_shard shard;
    struct shw_result_journal *journal;
    json_t *end;
};

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text != NULL ? text : "";
}

static int compare_shards(const void *a, const void *b)
{
    const struct shw_result_shard *x = a, *y = b;

    return x->shard.number != y->shard.number
               ? (x->shard.number > y->shard.number) - (x->shard.number < y->shard.number)
               : strcmp(x->path, y->path);
}

static enum shw_result add_journal(struct shw_result_shards *shards, const char *folder, const char *path,
                                   struct shw_shard shard, const struct shw_log *log)
{
    struct shw_result_shard added = {.path = strdup(path), .shard = shard};

    if (added.path == NULL || !SHW_RESERVE(shards->list, shards->capacity, shards->count + (size_t)1)) {
        free(added.path);
        return shw_fail_memory(log, path);
    }
    added.journal = shw_result_journal_look(folder, shw_path_last(path));
    added.end = added.journal != NULL ? shw_result_journal_end(added.journal) : NULL;
    shards->list[shards->count++] = added;
    return added.journal != NULL ? SHW_OK
                                 : shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN,
                                            "%s is no journal of %s, or cannot be read", path, shards->kind->command);
}

static enum shw_result add_folder(struct shw_result_shards *shards, const char *folder, uint32_t count,
                                  const struct shw_log *log)
{
    struct shw_image_paths paths = {0};
    enum shw_result result = SHW_OK;

    if (!shw_result_journals_list(shards->kind->command, folder, &paths))
        result = shw_fail_memory(log, folder);
    else if (paths.count == 0 && errno != 0)
        result =
            shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open the folder %s: %s", folder, strerror(errno));
    for (uint32_t i = 0; i < paths.count && result == SHW_OK; i++) {
        struct shw_shard shard;

        if (shw_result_journal_parse_name(shards->kind->command, shw_path_last(paths.paths[i]), &shard) &&
            shard.count > 0 && (count == 0 || shard.count == count))
            result = add_journal(shards, folder, paths.paths[i], shard, log);
    }
    shw_image_paths_free(&paths);
    return result;
}

static enum shw_result check_complete(const struct shw_result_shards *shards, const struct shw_log *log)
{
    const struct shw_result_shard *first = shards->list;
    const uint32_t count = first->shard.count;
    bool *there = calloc(count + (size_t)1, sizeof *there);
    enum shw_result result = there != NULL ? SHW_OK : shw_fail_memory(log, "the list of shards");

    for (uint32_t i = 0; i < shards->count && result == SHW_OK; i++) {
        const struct shw_result_shard *shard = &shards->list[i];

        if (shard->shard.count != count)
            result = shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                              "%s is of %u shards, and %s of %u: --shards says which are meant", first->path, count,
                              shard->path, shard->shard.count);
        else if (there[shard->shard.number])
            result = shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "shard %u of %u is there twice: %s and %s",
                              shard->shard.number, count, shards->list[i - 1].path, shard->path);
        there[shard->shard.number] = result == SHW_OK;
    }
    if (result == SHW_OK)
        result = shw_shards_check_all(there, count, log);
    free(there);
    return result;
}

/* Whether an end says that it is this shard's. */
static bool is_of(const json_t *end, struct shw_shard shard)
{
    const json_t *of = json_object_get(end, "shard");

    return json_integer_value(json_array_get(of, 0)) == shard.number &&
           json_integer_value(json_array_get(of, 1)) == shard.count;
}

/* All shards must have ended, and have seen the same. */
static enum shw_result check_alike(const struct shw_result_shards *shards, const struct shw_log *log)
{
    const struct shw_result_shard *first = shards->list;

    for (uint32_t i = 0; i < shards->count; i++) {
        const struct shw_result_shard *shard = &shards->list[i];
        const uint32_t number = shard->shard.number, count = shard->shard.count;

        if (shard->end == NULL || !json_is_array(json_object_get(shard->end, "pictures")))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "shard %u of %u has not ended (%s): run it again", number, count, shard->path);
        if (!is_of(shard->end, shard->shard))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "%s is not the journal of shard %u of %u: it was written as that of another one",
                            shard->path, number, count);
        if (strcmp(text_of(shard->end, "way"), text_of(first->end, "way")) != 0 ||
            !json_equal(json_object_get(shard->end, "tables"), json_object_get(first->end, "tables")))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "shard %u of %u was made by another model or with other options than shard %u (%s)", number,
                            count, first->shard.number, shard->path);
        if (strcmp(text_of(shard->end, "list"), text_of(first->end, "list")) != 0)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "shard %u of %u is of another list of images, with %lld files, than shard %u, with %lld: "
                            "run the older ones again",
                            number, count, (long long)json_integer_value(json_object_get(shard->end, "files")),
                            first->shard.number, (long long)json_integer_value(json_object_get(first->end, "files")));
    }
    return SHW_OK;
}

enum shw_result shw_result_shards_find(const struct shw_result_tables_kind *kind, char **folders, int folder_count,
                                       uint32_t count, const struct shw_log *log, struct shw_result_shards *shards)
{
    *shards = (struct shw_result_shards){.kind = kind};
    for (int i = 0; i < folder_count; i++)
        SHW_PROPAGATE(add_folder(shards, folders[i], count, log));
    if (shards->count == 0)
        return SHW_OK;
    qsort(shards->list, shards->count, sizeof *shards->list, compare_shards);
    SHW_PROPAGATE(check_complete(shards, log));
    SHW_PROPAGATE(check_alike(shards, log));
    for (uint32_t i = 0; i < shards->count; i++) {
        shards->pictures += json_array_size(json_object_get(shards->list[i].end, "pictures"));
        shards->failed += json_array_size(json_object_get(shards->list[i].end, "failed"));
    }
    return SHW_OK;
}

const json_t *shw_result_shards_columns(const struct shw_result_shards *shards)
{
    return json_object_get(shards->list[0].end, "tables");
}

/* An image of a shard. */
struct picture {
    const struct shw_result_shard *shard;
    char *place, *path;
    uint32_t number, sequence; /* of the file in the whole list; of pages, in the shard */
};

static int compare_pictures(const void *a, const void *b)
{
    const struct picture *x = a, *y = b;

    return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
                                  : (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static void free_pictures(const struct shw_result_shards *shards, struct picture *pictures)
{
    for (uint64_t i = 0; i < shards->pictures && pictures != NULL; i++) {
        free(pictures[i].place);
        free(pictures[i].path);
    }
    free(pictures);
}

/* NULL if memory is exhausted. */
static struct picture *list_pictures(const struct shw_result_shards *shards)
{
    struct picture *pictures = calloc(shards->pictures + 1, sizeof *pictures), *next = pictures;
    bool fine = true;

    for (uint32_t s = 0; s < shards->count && pictures != NULL; s++) {
        const json_t *listed = json_object_get(shards->list[s].end, "pictures"), *entry;
        size_t i;

        json_array_foreach(listed, i, entry)
        {
            *next = (struct picture){&shards->list[s], shw_json_name_read(json_array_get(entry, 1)),
                                     shw_json_name_read(json_array_get(entry, 2)),
                                     (uint32_t)json_integer_value(json_array_get(entry, 0)), (uint32_t)i};
            fine = fine && next->place != NULL && next->path != NULL;
            next++;
        }
    }
    if (!fine) {
        free_pictures(shards, pictures);
        pictures = NULL;
    }
    if (pictures != NULL)
        qsort(pictures, shards->pictures, sizeof *pictures, compare_pictures);
    return pictures;
}

static enum shw_result add_picture(const struct picture *picture, const char *way, struct shw_result_tables *tables)
{
    const struct shw_result_shard *shard = picture->shard;
    const char *known = shw_result_journal_way(shard->journal, picture->place);
    json_t *entry = shw_result_journal_read(shard->journal, picture->place);
    enum shw_result result;

    if (entry == NULL || known == NULL || strcmp(known, way) != 0)
        result = shw_fail(tables->log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN,
                          "%s: its entry for %s is damaged: run the shard "
                          "again",
                          shard->path, picture->path);
    else if (!shw_result_journal_has_files(shard->journal, entry))
        result = shw_fail(tables->log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN,
                          "files of %s are no longer beside %s: run shard %u of %u again", picture->path, shard->path,
                          shard->shard.number, shard->shard.count);
    else
        result = shw_result_tables_add(tables, picture->path, picture->place, entry);
    json_decref(entry);
    return result;
}

static void say_failed(const struct shw_result_shards *shards, const struct shw_log *log)
{
    for (uint32_t s = 0; s < shards->count; s++) {
        const json_t *failed = json_object_get(shards->list[s].end, "failed"), *entry;
        size_t i;

        json_array_foreach(failed, i, entry)
        {
            char *path = shw_json_name_read(json_array_get(entry, 2));

            shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET, "%s failed in shard %u of %u: the tables lack it",
                            path != NULL ? path : "an image", shards->list[s].shard.number,
                            shards->list[s].shard.count);
            free(path);
        }
    }
}

static enum shw_result write_tables(const struct shw_result_shards *shards, const struct picture *pictures,
                                    const char *folder, struct shw_result_tables *tables)
{
    const char *way = text_of(shards->list[0].end, "way");

    SHW_PROPAGATE(shw_result_tables_begin(tables, folder, shw_result_shards_columns(shards)));
    for (uint64_t i = 0; i < shards->pictures; i++)
        SHW_PROPAGATE(add_picture(&pictures[i], way, tables));
    return shw_result_tables_commit(tables);
}

enum shw_result shw_result_shards_merge(struct shw_result_shards *shards, const char *folder,
                                        struct shw_result_journal *journal, struct shw_output_files *outputs,
                                        const struct shw_log *log)
{
    struct shw_result_tables tables = {.kind = shards->kind, .log = log, .outputs = outputs, .journal = journal};
    struct picture *pictures = list_pictures(shards);
    enum shw_result result =
        pictures != NULL ? write_tables(shards, pictures, folder, &tables) : shw_fail_memory(log, "the list of images");

    if (result == SHW_OK)
        say_failed(shards, log);
    shw_result_tables_free(&tables);
    free_pictures(shards, pictures);
    return result;
}

void shw_result_shards_free(struct shw_result_shards *shards)
{
    for (uint32_t s = 0; s < shards->count; s++) {
        free(shards->list[s].path);
        json_decref(shards->list[s].end);
        shw_result_journal_close(&shards->list[s].journal);
    }
    free(shards->list);
    *shards = (struct shw_result_shards){.kind = NULL};
}
