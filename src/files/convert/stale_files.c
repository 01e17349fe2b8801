#include "files/convert/stale_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "files/dataset/curfil_files.h"
#include "files/dataset/pattern.h"
#include "files/io/image_paths.h"

struct search {
    const struct shw_conversion *conversion;
    uint32_t every;
    struct shw_stale_files *remains; /* NULL: remove them */
};

/* Whether the conversion leaves a file of a frame out. */
static bool leaves_out(const struct search *search, uint32_t frame, uint32_t file)
{
    return frame % search->every != 0 || file >= shw_conversion_file_count(search->conversion);
}

static bool is_converted(const char *path, uint32_t file)
{
    return shw_converted_kinds[file]->is_ours(path, shw_converted_kinds[file]->name);
}

static void visit_frame(const struct search *search, uint32_t frame)
{
    char *other = shw_conversion_find_other(search->conversion, frame);

    if (other != NULL && search->remains != NULL && frame % search->every == 0 && search->remains->replaced++ == 0)
        snprintf(search->remains->replaced_source, sizeof search->remains->replaced_source, "%s", other);
    free(other);
    if (other != NULL)
        return;
    for (uint32_t f = 0; f < SHW_CONVERTED_FILES; f++) {
        struct shw_stale_files *remains = search->remains;
        char path[4096];

        shw_conversion_path(search->conversion, frame, f, path, sizeof path);
        if (!leaves_out(search, frame, f) || !shw_is_file(path) || !is_converted(path, f))
            continue;
        if (remains == NULL)
            unlink(path);
        else if (remains->own++ == 0)
            snprintf(remains->first_own, sizeof remains->first_own, "%s", shw_path_last(path));
    }
}

static void visit_frames(const struct search *search)
{
    uint32_t count = search->conversion->kind->count(search->conversion->source);

    for (uint32_t i = 0; i < count; i++)
        visit_frame(search, i);
}

struct name {
    const char *text;
    uint32_t frame;
    bool is_left_out;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct name *)a)->text, ((const struct name *)b)->text);
}

/* The names of all frames in order, to be freed with free(); NULL if memory is exhausted. */
static struct name *sort_names(const struct search *search, uint32_t *count)
{
    const struct shw_conversion *conversion = search->conversion;
    struct name *names;

    *count = conversion->kind->count(conversion->source);
    names = malloc(*count * sizeof *names);
    for (uint32_t i = 0; names != NULL && i < *count; i++)
        names[i] = (struct name){conversion->kind->frame_name(conversion->source, i), i,
                                 leaves_out(search, i, SHW_CONVERTED_LABELS)};
    if (names != NULL)
        qsort(names, *count, sizeof *names, compare_names);
    return names;
}

/* Whether a file of the folder has labels that are neither replaced nor among those to be removed. */
static bool is_other(const struct shw_conversion *conversion, const char *file, const struct name *names,
                     uint32_t count)
{
    size_t prefix = strlen(conversion->prefix), length;
    const char *text;
    struct name *found;
    char *frame, *path;
    bool other;

    if (!shw_pattern_match(SHW_CURFIL_LABELS, file, &text, &length))
        return false;
    if (length <= prefix || memcmp(text, conversion->prefix, prefix) != 0)
        return true;
    frame = strndup(text + prefix, length - prefix);
    found = frame != NULL ? bsearch(&(struct name){.text = frame}, names, count, sizeof *names, compare_names) : NULL;
    free(frame);
    if (found == NULL || !found->is_left_out)
        return found == NULL;
    path = shw_path_in(conversion->folder, file);
    other = path == NULL || !is_converted(path, SHW_CONVERTED_LABELS);
    free(path);
    path = other ? NULL : shw_conversion_find_other(conversion, found->frame);
    other = other || path != NULL;
    free(path);
    return other;
}

static enum shw_result find_others(const struct search *search)
{
    const struct shw_conversion *conversion = search->conversion;
    struct shw_stale_files *remains = search->remains;
    struct dirent **entries = NULL;
    int entry_count = scandir(conversion->folder, &entries, NULL, shw_natural_compare_entries);
    uint32_t count;
    struct name *names = sort_names(search, &count);

    for (int i = 0; i < entry_count; i++) {
        if (names != NULL && is_other(conversion, entries[i]->d_name, names, count) && remains->others++ == 0)
            snprintf(remains->first_other, sizeof remains->first_other, "%s", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    free(names);
    return names != NULL ? SHW_OK : shw_fail_memory(&conversion->params->log, conversion->folder);
}

enum shw_result shw_stale_files_find(const struct shw_conversion *conversion, uint32_t every,
                                     struct shw_stale_files *remains)
{
    const struct search search = {conversion, every, remains};

    *remains = (struct shw_stale_files){0};
    visit_frames(&search);
    return find_others(&search);
}

void shw_stale_files_remove(const struct shw_conversion *conversion, uint32_t every)
{
    visit_frames(&(struct search){conversion, every, NULL});
}
