/* Projects in files: opening, saving, and what their pictures are called. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "image/image_write.h"
#include "shell/app.h"
#include "source/browser.h"
#include "teach/teaching.h"

static bool is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static char *join(const char *a, const char *b, const char *c)
{
    size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *whole = malloc(size);

    if (whole != NULL)
        snprintf(whole, size, "%s%s%s", a, b, c);
    return whole;
}

/* The folder of a file, which need not be there, with a slash at its end. NULL: memory is short, or there is no such
 * folder. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    char *real = folder != NULL ? realpath(folder, NULL) : NULL;
    char *whole = real != NULL ? join(real, strcmp(real, "/") == 0 ? "" : "/", "") : NULL;

    free(folder);
    free(real);
    return whole;
}

/* The file as it is called from the folder: relative below it. */
static char *name_from(const char *folder, const char *file)
{
    char *real = realpath(file, NULL);
    size_t length = strlen(folder);
    char *name;

    if (real == NULL || length == 0 || strncmp(real, folder, length) != 0)
        return real;
    name = strdup(real + length);
    free(real);
    return name;
}

/* What a picture that is no file is called when it is kept beside a project: STEM-frames/NAME.png; further ones of that
 * name have a number behind it. */
static char *frame_name(const char *project, const char *picture, uint32_t number)
{
    const char *base = strrchr(project, '/'), *last = strrchr(picture, '/');
    char stem[NAME_MAX + 1], ending[24];
    size_t length;

    base = base != NULL ? base + 1 : project;
    last = last != NULL ? last + 1 : picture;
    length = strlen(base) - (view_is_project(base) ? 5 : 0);
    snprintf(stem, sizeof stem, "%.*s-frames/", (int)length, base);
    snprintf(ending, sizeof ending, number > 1 ? "-%u.png" : ".png", number);
    return join(stem, last, ending);
}

static bool has_picture(const struct shw_project *project, const char *name)
{
    for (uint32_t p = 0; p < shw_project_get_picture_count(project); p++)
        if (strcmp(shw_project_get_picture(project, p).name, name) == 0)
            return true;
    return false;
}

char *view_teaching_file_name(struct view_app *app, const char *path)
{
    return name_from(app->teaching->folder != NULL ? app->teaching->folder : "", path);
}

char *view_teaching_picture_name(struct view_app *app)
{
    const struct view_teaching *teaching = app->teaching;
    const char *given = app->picture->name != NULL && app->picture->name[0] != '\0' ? app->picture->name : "picture";
    char *kept;

    if (is_file(given))
        return view_teaching_file_name(app, given);
    kept = teaching->path != NULL ? frame_name(teaching->path, given, 1) : NULL;
    if (kept != NULL && has_picture(teaching->project, kept))
        return kept;
    free(kept);
    return strdup(given);
}

bool view_is_project(const char *path)
{
    return strcmp(view_opening_action(path), "project") == 0;
}

/* Takes over where the project's file is. */
static enum shw_result set_path(struct view_app *app, const char *path, char *folder)
{
    struct view_teaching *teaching = app->teaching;
    char *copy = strdup(path);

    if (copy == NULL || shw_project_set_folder(teaching->project, folder) != SHW_OK) {
        free(copy);
        free(folder);
        return shw_fail_memory(&app->log, path);
    }
    free(teaching->path);
    free(teaching->folder);
    teaching->path = copy;
    teaching->folder = folder;
    return SHW_OK;
}

enum shw_result view_teaching_open(struct view_app *app, const char *path)
{
    struct shw_project *project = NULL;
    char *folder;
    bool any = false;

    SHW_PROPAGATE(shw_project_read(path, &app->log, &project));
    SHW_PROPAGATE(view_teaching_use(app, project));
    folder = folder_of(path);
    SHW_PROPAGATE(folder != NULL ? set_path(app, path, folder) : shw_fail_memory(&app->log, path));
    for (uint32_t p = 0; p < shw_project_get_picture_count(project) && !any; p++) {
        const char *name = shw_project_get_picture(project, p).name;
        char *file = name[0] == '/' ? strdup(name) : join(app->teaching->folder, name, "");
        any = file != NULL && is_file(file);
        free(file);
    }
    if (any)
        SHW_PROPAGATE(view_app_open(app, path));
    else
        SHW_PROPAGATE(view_teaching_show(app));
    return SHW_OK;
}

/* Whether no picture has the name now, nor is to have it. */
static bool is_free(const struct shw_project *project, const char *const *names, const char *name)
{
    for (uint32_t p = 0; p < shw_project_get_picture_count(project); p++)
        if (names[p] != NULL && strcmp(names[p], name) == 0)
            return false;
    return !has_picture(project, name);
}

/* Writes the pixels of a picture that is no file; *name: the new file's. */
static enum shw_result keep_frame(struct view_app *app, uint32_t picture, const char *folder, const char *path,
                                  const char *const *names, char **name)
{
    struct shw_project *project = app->teaching->project;
    const char *given = shw_project_get_picture(project, picture).name;
    struct shw_pixels *pixels = shw_project_share_pixels(project, picture);
    uint32_t number = 1;
    char *free_name = frame_name(path, given, number), *file, *slash;
    struct shw_image image;
    enum shw_result result;

    while (free_name != NULL && !is_free(project, names, free_name)) {
        free(free_name);
        free_name = frame_name(path, given, ++number);
    }
    *name = free_name;
    file = free_name != NULL ? join(folder, free_name, "") : NULL;
    if (file == NULL || pixels == NULL) {
        result = shw_fail_memory(&app->log, given);
        goto fail;
    }
    SHW_TRY(shw_pixels_get(pixels, &app->log, &image));
    slash = strrchr(file, '/');
    *slash = '\0';
    if (mkdir(file, 0777) != 0 && errno != EEXIST) {
        result = shw_fail(&app->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot make the folder %s: %s", file,
                          strerror(errno));
        goto fail;
    }
    *slash = '/';
    result = shw_png_write(file, &image, &app->log);

fail:
    free(file);
    shw_pixels_release(&pixels);
    return result;
}

/* What a picture is to be called from another folder; *name NULL: as it is. */
static enum shw_result move_picture(struct view_app *app, uint32_t picture, const char *folder, const char *path,
                                    const char *const *names, char **name)
{
    const struct view_teaching *teaching = app->teaching;
    struct shw_project_picture known = shw_project_get_picture(teaching->project, picture);
    const char *before = teaching->folder != NULL && known.name[0] != '/' ? teaching->folder : "";
    char *file = join(before, known.name, "");
    enum shw_result result = SHW_OK;

    if (file == NULL)
        return shw_fail_memory(&app->log, known.name);
    if (is_file(file)) {
        *name = name_from(folder, file);
        result = *name != NULL ? SHW_OK : shw_fail_memory(&app->log, known.name);
    } else if (known.stroke_count > 0 && shw_project_has_pixels(teaching->project, picture)) {
        result = keep_frame(app, picture, folder, path, names, name);
    }
    free(file);
    return result;
}

static void free_names(char **names, uint32_t count)
{
    for (uint32_t p = 0; names != NULL && p < count; p++)
        free(names[p]);
    free(names);
}

/* The file, with names of pictures as from its folder; without it, pictures are called as before. */
static enum shw_result write_project(struct view_app *app, const char *path, const char *folder)
{
    struct shw_project *project = app->teaching->project;
    uint32_t count = shw_project_get_picture_count(project);
    char **before = calloc(count + 1u, sizeof *before), **after = calloc(count + 1u, sizeof *after);
    enum shw_result result = SHW_OK;

    if (before == NULL || after == NULL)
        result = shw_fail_memory(&app->log, path);
    for (uint32_t p = 0; result == SHW_OK && p < count; p++) {
        before[p] = strdup(shw_project_get_picture(project, p).name);
        result = before[p] != NULL ? move_picture(app, p, folder, path, (const char *const *)after, &after[p])
                                   : shw_fail_memory(&app->log, path);
    }
    if (result == SHW_OK)
        result = shw_project_rename_pictures(project, (const char *const *)after);
    if (result == SHW_OK) {
        result = shw_project_write(project, path);
        if (result != SHW_OK)
            shw_project_rename_pictures(project, (const char *const *)before);
    }
    free_names(before, count);
    free_names(after, count);
    return result;
}

enum shw_result view_teaching_save(struct view_app *app, const char *path)
{
    struct view_teaching *teaching = app->teaching;
    char *folder = NULL;
    enum shw_result result;

    SHW_TRY(view_teaching_need_project(app));
    view_teaching_end_stroke(app);
    if (path == NULL)
        path = teaching->path;
    if (path == NULL)
        return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the project has no file yet: name one in the panel Teaching, or by `save FILE.json`");
    if (!view_is_project(path))
        return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: names of projects end with .json", path);
    folder = folder_of(path);
    if (folder == NULL)
        return shw_fail(&app->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: there is no such folder", path);
    SHW_TRY(write_project(app, path, folder));
    result = set_path(app, path, folder);
    folder = NULL; /* whatever came of it */
    if (result == SHW_OK)
        teaching->saved = shw_project_get_revision(teaching->project);

fail:
    free(folder);
    return result;
}
