/* Where the files of each picture go: into the folder itself or, if the pictures come from several folders, into
 * folders of the same names in it. */
#define _GNU_SOURCE /* tdestroy() */
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "export/export_job.h"
#include "files/dataset/examples.h"
#include "files/io/image_name.h"
#include "files/io/image_paths.h"

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void keep(void *node)
{
    (void)node;
}

/* The real path of a file's folder, with a slash at its end; NULL if there is none. To be freed. */
static char *folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    char *folder, *real, *whole;

    if (!shw_image_has_file(name))
        return NULL;
    folder = slash != NULL ? strndup(name, (size_t)(slash - name) + 1) : strdup(".");
    real = folder != NULL ? realpath(folder, NULL) : NULL;
    whole = real != NULL ? shw_path_join(real, strcmp(real, "/") == 0 ? "" : "/", "") : NULL;
    free(folder);
    free(real);
    return whole;
}

/* How much of both is the same, up to a slash. */
static size_t shared_length(const char *a, const char *b, size_t length)
{
    size_t shared = 0;

    for (size_t i = 0; i < length && a[i] == b[i] && a[i] != '\0'; i++)
        if (a[i] == '/')
            shared = i + 1;
    return shared;
}

/* The name of the files for a picture, without folder: that of its file without extension, or the whole name of a
 * frame. */
static const char *stem_of(const char *name, char stem[SHW_BASE_NAME_SIZE])
{
    return shw_image_has_file(name) ? shw_image_base_name(name, stem) : shw_path_last(name);
}

/* What is taken: the places of pictures and, of those that have masks, whose names end with any class, all files. */
struct taken {
    void *places, *files; /* trees; the latter of copies */
    bool masks;
};

/* Whether another picture has the place or one of its files. */
static enum shw_result is_taken(const struct view_export_job *job, const char *place, struct taken *taken, bool *is)
{
    *is = tfind(place, &taken->places, compare) != NULL;
    for (uint32_t e = 0; taken->masks && e < job->written.count && !*is; e++) {
        char *path = shw_label_file_path(&job->written.entries[e], place);
        if (path == NULL)
            return shw_fail_memory(&job->log, place);
        *is = tfind(path, &taken->files, compare) != NULL;
        free(path);
    }
    return SHW_OK;
}

static enum shw_result take(const struct view_export_job *job, const char *place, struct taken *taken)
{
    bool fine = tsearch(place, &taken->places, compare) != NULL;

    for (uint32_t e = 0; taken->masks && e < job->written.count && fine; e++) {
        char *path = shw_label_file_path(&job->written.entries[e], place), *const * found;
        found = path != NULL ? tsearch(path, &taken->files, compare) : NULL;
        fine = found != NULL;
        if (!fine || *found != path)
            free(path);
    }
    return fine ? SHW_OK : shw_fail_memory(&job->log, place);
}

/* A place that no other picture has, nor files of it: with a number from 2 on if necessary. */
static enum shw_result make_place(const struct view_export_job *job, struct view_export_item *item, const char *folder,
                                  struct taken *taken)
{
    char buffer[SHW_BASE_NAME_SIZE];
    const char *stem = stem_of(item->name, buffer);
    size_t size = strlen(job->path) + strlen(folder) + strlen(stem) + 32;
    bool is = true;

    item->place = malloc(size);
    if (item->place == NULL)
        return shw_fail_memory(&job->log, item->name);
    snprintf(item->place, size, "%s/%s%s", job->path, folder, stem);
    SHW_PROPAGATE(is_taken(job, item->place, taken, &is));
    for (unsigned number = 2; is; number++) {
        snprintf(item->place, size, "%s/%s%s-%u", job->path, folder, stem, number);
        SHW_PROPAGATE(is_taken(job, item->place, taken, &is));
    }
    return take(job, item->place, taken);
}

/* The beginning that all folders have in common. */
static size_t find_common(char *const *folders, uint32_t count)
{
    const char *first = NULL;
    size_t common = 0;

    for (uint32_t i = 0; i < count; i++)
        if (folders[i] != NULL) {
            common = first != NULL ? shared_length(first, folders[i], common) : strlen(folders[i]);
            first = first != NULL ? first : folders[i];
        }
    return common;
}

enum shw_result view_export_place_items(struct view_export_job *job)
{
    char **folders = calloc(job->item_count + (size_t)1, sizeof *folders);
    enum shw_result result = folders != NULL ? SHW_OK : shw_fail_memory(&job->log, "the names of files");
    struct taken taken = {.masks = (job->content & VIEW_EXPORT_MASKS) != 0};
    size_t common;

    for (uint32_t i = 0; folders != NULL && i < job->item_count; i++)
        folders[i] = folder_of(job->items[i].name);
    common = folders != NULL ? find_common(folders, job->item_count) : 0;
    for (uint32_t i = 0; result == SHW_OK && i < job->item_count; i++)
        result = make_place(job, &job->items[i], folders[i] != NULL ? folders[i] + common : "", &taken);
    for (uint32_t i = 0; folders != NULL && i < job->item_count; i++)
        free(folders[i]);
    free(folders);
    tdestroy(taken.places, keep);
    tdestroy(taken.files, free);
    return result;
}

char *view_export_frame_place(const struct view_export_item *item, uint32_t number)
{
    size_t size = strlen(item->place) + 16;
    char *place = malloc(size);

    if (place != NULL)
        snprintf(place, size, "%s-%06u", item->place, number);
    return place;
}
