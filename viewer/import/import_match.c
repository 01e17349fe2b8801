/* Which picture a mask belongs to: the one whose name its own begins with. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "dataset/examples.h"
#include "image/image_name.h"
#include "image/image_paths.h"
#include "import/importing.h"
#include "teach/picture_names.h"

/* A picture that masks may belong to. */
struct candidate {
    char *path; /* or its name */
    char *name; /* in the project */
    uint32_t width, height;
    char *stem;     /* what its files are called */
    bool ambiguous; /* there is another one of that name */
};

struct candidates {
    struct candidate *list;
    uint32_t count;
};

static void free_candidates(struct candidates *candidates)
{
    for (uint32_t c = 0; c < candidates->count; c++) {
        free(candidates->list[c].path);
        free(candidates->list[c].name);
        free(candidates->list[c].stem);
    }
    free(candidates->list);
}

/* Adds a picture unless it is there. */
static enum shw_result add(const struct view_importing *importing, struct candidates *candidates, const char *path,
                           uint32_t width, uint32_t height)
{
    char base[SHW_BASE_NAME_SIZE], *name = view_project_picture_name(&importing->teaching->project, path);
    char *copy = strdup(path), *stem = strdup(shw_image_base_name(path, base));
    struct candidate *grown = NULL, *added;
    bool known = false;

    for (uint32_t c = 0; name != NULL && c < candidates->count && !known; c++)
        known = strcmp(candidates->list[c].name, name) == 0;
    if (!known && name != NULL && copy != NULL && stem != NULL)
        grown = realloc(candidates->list, (candidates->count + (size_t)1) * sizeof *grown);
    if (grown == NULL) {
        free(name);
        free(copy);
        free(stem);
        return known ? SHW_OK : shw_fail_memory(&importing->teaching->scene->log, path);
    }
    candidates->list = grown;
    added = &grown[candidates->count++];
    *added = (struct candidate){.path = copy, .name = name, .width = width, .height = height, .stem = stem};
    return SHW_OK;
}

/* The pictures of the project, and those of the source. */
static enum shw_result find_candidates(const struct view_importing *importing, struct candidates *candidates)
{
    const struct view_project *project = &importing->teaching->project;
    const struct view_player *player = importing->teaching->scene->player;
    const char *name;

    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data); p++) {
        const struct shw_project_picture picture = shw_project_get_picture(project->data, p);
        char *file = shw_path_in(project->folder != NULL ? project->folder : "", picture.name);
        enum shw_result result = file != NULL
                                     ? add(importing, candidates, shw_image_has_file(file) ? file : picture.name,
                                           picture.width, picture.height)
                                     : shw_fail_memory(&importing->teaching->scene->log, picture.name);
        free(file);
        SHW_PROPAGATE(result);
    }
    for (uint32_t i = 0; player->source != NULL && (name = view_source_name(player->source, i)) != NULL; i++)
        if (shw_image_has_file(name))
            SHW_PROPAGATE(add(importing, candidates, name, 0, 0));
    for (uint32_t a = 0; a < candidates->count; a++)
        for (uint32_t b = a + 1; b < candidates->count; b++)
            if (strcmp(candidates->list[a].stem, candidates->list[b].stem) == 0)
                candidates->list[a].ambiguous = candidates->list[b].ambiguous = true;
    return SHW_OK;
}

/* The picture with the longest name that the mask's begins with, up to a separator; NULL: none, or two of them. */
static const struct candidate *find(const struct candidates *candidates, const char *mask)
{
    const struct candidate *best = NULL;

    for (uint32_t c = 0; c < candidates->count; c++) {
        const struct candidate *candidate = &candidates->list[c];
        size_t length = strlen(candidate->stem);
        if (strncmp(mask, candidate->stem, length) == 0 && strchr("_-. ", mask[length]) != NULL &&
            (best == NULL || length > strlen(best->stem)))
            best = candidate;
    }
    return best == NULL || best->ambiguous ? NULL : best;
}

/* The number of the class that a name means, as masks are called (output/label_files.h). */
static uint16_t class_of(const struct view_importing *importing, const char *name)
{
    const struct view_teaching *teaching = importing->teaching;

    for (uint32_t c = 0; name != NULL && c < teaching->class_count; c++)
        if (strcmp(teaching->classes[c].name, name) == 0)
            return (uint16_t)c;
    return SHW_LABEL_VOID;
}

/* Adds a mask of the picture. */
static enum shw_result add_file(struct view_importing *importing, const char *path, const struct candidate *picture)
{
    char stem[SHW_BASE_NAME_SIZE];
    size_t length = strlen(picture->stem);
    bool longer = strlen(shw_image_base_name(path, stem)) > length + 1 && strncmp(stem, picture->stem, length) == 0;
    char *rest = longer ? stem + length + 1 : NULL;
    const struct view_import_file file = {.path = (char *)(uintptr_t)path, /* texts are copied */
                                          .picture = picture->path,
                                          .name = picture->name,
                                          .class_name = rest,
                                          .width = picture->width,
                                          .height = picture->height,
                                          .class_number = class_of(importing, rest)};

    return view_import_job_add(&importing->job, &file);
}

static enum shw_result match_folder(struct view_importing *importing, const char *folder)
{
    const struct shw_log *log = &importing->teaching->scene->log;
    struct shw_image_paths paths = {0};
    struct candidates candidates = {0};
    enum shw_result result = find_candidates(importing, &candidates);

    errno = 0;
    if (result == SHW_OK && !shw_image_paths_list(&paths, folder, shw_is_image_name))
        result = shw_fail_memory(log, folder);
    else if (result == SHW_OK && errno != 0)
        result =
            shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open the folder %s: %s", folder, strerror(errno));
    for (uint32_t i = 0; result == SHW_OK && i < paths.count; i++) {
        char stem[SHW_BASE_NAME_SIZE];
        const struct candidate *picture = find(&candidates, shw_image_base_name(paths.paths[i], stem));
        importing->unmatched += picture == NULL;
        if (picture != NULL)
            result = add_file(importing, paths.paths[i], picture);
    }
    if (result == SHW_OK && importing->job.count == 0)
        result = shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                          "%s: none of its %u images has a name that begins like that of a picture of the project or "
                          "of the open folder",
                          folder, paths.count);
    shw_image_paths_free(&paths);
    free_candidates(&candidates);
    return result;
}

static enum shw_result match_shown(struct view_importing *importing, const char *path)
{
    const struct view_teaching *teaching = importing->teaching;
    const struct shw_project_picture picture =
        shw_project_get_picture(teaching->project.data, teaching->painting.picture);
    struct candidates candidates = {0};
    char *file = shw_path_in(teaching->project.folder != NULL ? teaching->project.folder : "", picture.name);
    enum shw_result result = file != NULL ? add(importing, &candidates, shw_image_has_file(file) ? file : picture.name,
                                                picture.width, picture.height)
                                          : shw_fail_memory(&teaching->scene->log, picture.name);

    if (result == SHW_OK)
        result = add_file(importing, path, &candidates.list[0]);
    free(file);
    free_candidates(&candidates);
    return result;
}

enum shw_result view_importing_match(struct view_importing *importing, const char *path)
{
    struct stat status;

    importing->unmatched = 0;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return match_folder(importing, path);
    SHW_PROPAGATE(view_painting_need_picture(&importing->teaching->painting));
    return match_shown(importing, path);
}
