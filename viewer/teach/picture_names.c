#define _GNU_SOURCE /* tdestroy() */
#include "teach/picture_names.h"

#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/io/image_name.h"
#include "files/io/image_paths.h"

/* The path of a picture, which need not be a file. NULL if out of memory. */
static char *path_of(const struct view_project *project, uint32_t picture)
{
    return shw_path_in(project->folder != NULL ? project->folder : "",
                       shw_project_get_picture(project->data, picture).name);
}

char *view_project_picture_place(const struct view_project *project, uint32_t picture, struct view_real_folder *folder)
{
    char *path = path_of(project, picture), *place = path != NULL ? view_real_place(path, folder) : NULL;

    free(path);
    return place;
}

/* The picture of that name; UINT32_MAX: none. */
static uint32_t find_name(const struct shw_project *project, const char *name)
{
    for (uint32_t p = 0; name != NULL && p < shw_project_get_picture_count(project); p++)
        if (strcmp(shw_project_get_picture(project, p).name, name) == 0)
            return p;
    return UINT32_MAX;
}

/* The picture whose file is at that place. */
static uint32_t find_place(const struct view_project *project, const char *place)
{
    struct view_real_folder folder = {0};
    uint32_t count = shw_project_get_picture_count(project->data), found = UINT32_MAX;

    for (uint32_t p = 0; p < count && found == UINT32_MAX; p++) {
        char *other;
        if (strcmp(shw_path_last(shw_project_get_picture(project->data, p).name), shw_path_last(place)) != 0)
            continue;
        other = view_project_picture_place(project, p, &folder);
        found = other != NULL && strcmp(other, place) == 0 ? p : UINT32_MAX;
        free(other);
    }
    view_real_folder_free(&folder);
    return found;
}

/* The file itself, with its page, if its path ends with a link. */
static char *follow_link(const char *file)
{
    uint32_t page;
    char *alone = shw_image_file_of(file, &page), *real = alone != NULL ? realpath(alone, NULL) : NULL, *path;

    free(alone);
    if (real == NULL || page == 0)
        return real;
    path = shw_image_page_path(real, page);
    free(real);
    return path;
}

static uint32_t find_file(const struct view_project *project, const char *file)
{
    const char *folder = project->folder != NULL ? project->folder : "";
    char *name = view_name_from(folder, file);
    uint32_t found = find_name(project->data, name);

    if (found == UINT32_MAX && name != NULL) {
        char *place = shw_path_in(folder, name), *real = follow_link(file);
        if (place != NULL)
            found = find_place(project, place);
        if (found == UINT32_MAX && real != NULL && place != NULL && strcmp(real, place) != 0)
            found = find_place(project, real);
        free(place);
        free(real);
    }
    free(name);
    return found;
}

uint32_t view_project_seek(const struct view_project *project, const char *given)
{
    char *kept;
    uint32_t found;

    if (shw_image_has_file(given))
        return find_file(project, given);
    kept = project->path != NULL ? view_frame_name(project->path, given, 1) : NULL;
    found = find_name(project->data, kept);
    free(kept);
    return found != UINT32_MAX ? found : find_name(project->data, given);
}

char *view_project_picture_name(const struct view_project *project, const char *given)
{
    uint32_t known;

    if (given == NULL || given[0] == '\0')
        given = "picture";
    known = project->data != NULL ? view_project_seek(project, given) : UINT32_MAX;
    if (known != UINT32_MAX)
        return strdup(shw_project_get_picture(project->data, known).name);
    return shw_image_has_file(given) ? view_name_from(project->folder != NULL ? project->folder : "", given)
                                     : strdup(given);
}

/* Whether the project's picture is the shown one, as far as its pixels can be read. */
static bool is_shown(const struct view_project *project, uint32_t picture, const struct view_picture *shown)
{
    const struct shw_project_picture known = shw_project_get_picture(project->data, picture);
    struct shw_pixels *pixels = shw_project_share_pixels(project->data, picture);
    struct shw_pixels_part *whole = NULL;
    bool same = known.width == shown->image.width && known.height == shown->image.height;

    if (same && pixels != NULL && shw_pixels_take(pixels, NULL, &whole) == SHW_OK)
        same = whole->input[0].image.format != shown->image.format ||
               view_has_same_pixels(&whole->input[0].image, &shown->image);
    shw_pixels_part_release(&whole);
    shw_pixels_release(&pixels);
    return same;
}

static char *numbered(const char *name, uint32_t number)
{
    char ending[16];

    snprintf(ending, sizeof ending, "-%u", number);
    return shw_path_join(name, number > 1 ? ending : "", "");
}

char *view_project_shown_name(const struct view_project *project, const struct view_picture *shown)
{
    char *fresh = NULL;
    bool any = true;

    if (project->data == NULL || shown->name == NULL || shown->name[0] == '\0' || shw_image_has_file(shown->name))
        return view_project_picture_name(project, shown->name);
    for (uint32_t number = 1; any; number++) {
        char *names[2] = {project->path != NULL ? view_frame_name(project->path, shown->name, number) : NULL,
                          numbered(shown->name, number)};
        any = false;
        for (int n = 0; n < 2; n++) {
            uint32_t known = find_name(project->data, names[n]);
            any = any || known != UINT32_MAX;
            if (known != UINT32_MAX && is_shown(project, known, shown)) {
                free(fresh);
                free(names[1 - n]);
                return names[n];
            }
            if (n == 1 && known == UINT32_MAX && fresh == NULL) {
                fresh = names[n];
                names[n] = NULL;
            }
        }
        free(names[0]);
        free(names[1]);
    }
    return fresh;
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Another path of the same file: FOLDER/./NAME. NULL if out of memory. */
static char *detour(const char *path)
{
    const char *last = shw_path_last(path);
    char *folder = strndup(path, (size_t)(last - path)), *other = NULL;

    if (folder != NULL)
        other = shw_path_join(folder, "./", last);
    free(folder);
    return other;
}

/* Adds a name to the tree, in another form if it is there; *name is replaced then. */
static bool add_name(void **tree, char **name)
{
    while (*name != NULL) {
        char *const *found = tsearch(*name, tree, compare);
        char *other;
        if (found == NULL || *found == *name)
            return found != NULL;
        other = detour(*name);
        free(*name);
        *name = other;
    }
    return false;
}

static void keep(void *name)
{
    (void)name;
}

enum shw_result view_names_separate(const struct shw_project *project, char **names, const struct shw_log *log)
{
    uint32_t count = shw_project_get_picture_count(project);
    void *tree = NULL;
    bool fine = true;

    for (uint32_t p = 0; p < count && fine; p++)
        fine = names[p] != NULL || tsearch(shw_project_get_picture(project, p).name, &tree, compare) != NULL;
    for (uint32_t p = 0; p < count && fine; p++)
        fine = names[p] == NULL || add_name(&tree, &names[p]);
    tdestroy(tree, keep);
    return fine ? SHW_OK : shw_fail_memory(log, "names of pictures");
}
