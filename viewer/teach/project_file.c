#include "teach/project_file.h"

#include <limits.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "files/dataset/examples.h"
#include "files/dataset/image_inputs.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"
#include "source/browser.h"

enum shw_result view_project_need(const struct view_project *project, const struct shw_log *log)
{
    return project->data != NULL
               ? SHW_OK
               : shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "no project is open: `project new` starts one");
}

void view_project_close(struct view_project *project)
{
    shw_project_destroy(&project->data);
    free(project->path);
    free(project->shown);
    free(project->folder);
    *project = (struct view_project){0};
}

enum shw_result view_project_copy(const struct view_project *project, const struct shw_log *log,
                                  struct view_project *copy)
{
    *copy = (struct view_project){.saved = project->saved, .stamp = project->stamp};
    SHW_PROPAGATE(shw_project_snapshot(project->data, log, &copy->data));
    copy->path = project->path != NULL ? strdup(project->path) : NULL;
    copy->folder = project->folder != NULL ? strdup(project->folder) : NULL;
    if ((copy->path != NULL || project->path == NULL) && (copy->folder != NULL || project->folder == NULL))
        return SHW_OK;
    view_project_close(copy);
    return shw_fail_memory(log, "a copy of the project");
}

bool view_is_project(const char *path)
{
    return strcmp(view_opening_action(path), "project") == 0;
}

/* Sets the path and folder of the project's file, taking ownership of `folder`. */
static enum shw_result set_path(struct view_project *project, const char *path, char *folder, const struct shw_log *log)
{
    char *copy = strdup(path);

    if (copy == NULL || shw_project_set_folder(project->data, folder) != SHW_OK) {
        free(copy);
        free(folder);
        return shw_fail_memory(log, path);
    }
    free(project->path);
    free(project->folder);
    project->path = copy;
    project->folder = folder;
    return SHW_OK;
}

bool view_project_is_changed_elsewhere(const struct view_project *project)
{
    return project->path != NULL && view_file_has_changed(project->path, &project->stamp);
}

enum shw_result view_project_read(const char *path, const struct shw_log *log, struct view_project *project)
{
    char *folder;
    enum shw_result result;

    *project =
        (struct view_project){.stamp = view_file_stamp_of(path)}; /* before it is read, so that no change is missed */
    SHW_PROPAGATE(shw_project_read(path, log, &project->data));
    folder = view_folder_of(path);
    result = folder != NULL ? set_path(project, path, folder, log) : shw_fail_memory(log, path);
    if (result == SHW_OK)
        project->saved = shw_project_get_edition(project->data);
    else
        view_project_close(project);
    return result;
}

bool view_project_is_unsaved(const struct view_project *project)
{
    bool any = false;

    if (project->data == NULL || shw_project_get_edition(project->data) == project->saved)
        return false;
    any = shw_project_get_class_count(project->data) > 0;
    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data) && !any; p++)
        any = shw_project_get_picture(project->data, p).stroke_count > 0;
    return any;
}

bool view_project_has_files(const struct view_project *project)
{
    bool any = false;

    for (uint32_t p = 0; p < shw_project_get_picture_count(project->data) && !any; p++) {
        const char *name = shw_project_get_picture(project->data, p).name;
        char *file = shw_path_in(project->folder, name);
        any = file != NULL && shw_image_has_file(file);
        free(file);
    }
    return any;
}

static void read_file(void *files, const char *path)
{
    shw_output_files_read(files, path);
}

void view_project_list_files(const struct view_project *project, bool itself, struct shw_output_files *files)
{
    uint32_t count =
        project->data != NULL && project->folder != NULL ? shw_project_get_picture_count(project->data) : 0;

    if (itself)
        shw_output_files_read(files, project->path);
    for (uint32_t p = 0; p < count; p++) {
        char *path = shw_path_in(project->folder, shw_project_get_picture(project->data, p).name);
        struct shw_project_files inputs = {.count = 0};

        if (path == NULL || shw_project_list_inputs(project->data, p, &inputs) != SHW_OK ||
            shw_image_inputs_list(path, inputs.files, inputs.count, read_file, files, NULL) != SHW_OK)
            files->incomplete = true;
        shw_project_files_free(&inputs);
        free(path);
    }
}

/* Whether no picture has the name now or will get it. */
static bool is_free(const struct shw_project *project, char *const *names, const char *name)
{
    for (uint32_t p = 0; p < shw_project_get_picture_count(project); p++)
        if ((names[p] != NULL && strcmp(names[p], name) == 0) ||
            strcmp(shw_project_get_picture(project, p).name, name) == 0)
            return false;
    return true;
}

/* A project being written. */
struct writing {
    struct shw_project *data;
    const char *before;           /* folder that the current names are relative to */
    const char *path, *folder;    /* of the file to write */
    char **names;                 /* new names of pictures; NULL: unchanged */
    struct shw_image_paths *made; /* files and folders that were not there before */
    const struct shw_log *log;
};

/* Notes a file that is going to be made, or a folder; one that is there already is left out. */
static enum shw_result note_made(const struct writing *writing, const char *path)
{
    return access(path, F_OK) == 0 || shw_image_paths_add(writing->made, "", path)
               ? SHW_OK
               : shw_fail_memory(writing->log, path);
}

/* Removes what was made, folders after what is in them. */
static void remove_made(const struct shw_image_paths *made)
{
    for (uint32_t i = made->count; i-- > 0;)
        remove(made->paths[i]);
}

/* Whether a picture can be stored under that name, with all its inputs. False if out of memory. */
static bool is_free_for(const struct writing *writing, const char *name, const struct shw_pixels_part *whole)
{
    bool fine = is_free(writing->data, writing->names, name);

    for (uint32_t i = 0; i < whole->inputs.count && fine; i++) {
        char *other = i > 0 ? view_frame_input_name(name, whole->input[i].name) : strdup(name);
        char *file = other != NULL ? shw_path_in(writing->folder, other) : NULL;

        fine = file != NULL && view_frame_may_be(file, &whole->input[i].image);
        free(other);
        free(file);
    }
    return fine;
}

/* `side`: of a pixel, in micrometres; 0: not known. */
static enum shw_result write_image(const struct writing *writing, const char *name, double side,
                                   const struct shw_image *image)
{
    char *file = shw_path_in(writing->folder, name),
         *folder = file != NULL ? strndup(file, (size_t)(shw_path_last(file) - file)) : NULL;
    enum shw_result result = folder != NULL ? note_made(writing, folder) : shw_fail_memory(writing->log, name);

    free(folder);
    if (result == SHW_OK)
        result = note_made(writing, file);
    if (result == SHW_OK)
        result = view_make_folder_of(file, writing->log);
    if (result == SHW_OK)
        result = shw_png_write_scaled(file, shw_file_frame.name, side, image, writing->log);
    free(file);
    return result;
}

/* Writes the other inputs of a picture without a file. */
static enum shw_result keep_inputs(const struct writing *writing, uint32_t picture, const struct shw_pixels_part *whole)
{
    const char *name = writing->names[picture];
    enum shw_result result = SHW_OK;

    for (uint32_t i = 1; i < whole->inputs.count && result == SHW_OK; i++) {
        const char *input = whole->input[i].name;
        char *other = view_frame_input_name(name, input);

        if (!shw_project_keeps_input(input)) {
            free(other);
            continue;
        }
        result = other != NULL ? write_image(writing, other, 0.0, &whole->input[i].image)
                               : shw_fail_memory(writing->log, name);
        if (result == SHW_OK)
            result = shw_project_set_picture_input(writing->data, picture, input, other);
        free(other);
    }
    return result;
}

/* Writes the pixels of a picture without a file. */
static enum shw_result keep_frame(const struct writing *writing, uint32_t picture)
{
    const struct shw_project_picture known = shw_project_get_picture(writing->data, picture);
    const char *given = known.name;
    struct shw_pixels *pixels = shw_project_share_pixels(writing->data, picture);
    struct shw_pixels_part *whole = NULL;
    uint32_t number = 1;
    char *name;
    enum shw_result result =
        pixels != NULL ? shw_pixels_take(pixels, writing->log, &whole) : shw_fail_memory(writing->log, given);

    if (result != SHW_OK)
        goto fail;
    name = view_frame_name(writing->path, given, number);
    while (name != NULL && !is_free_for(writing, name, whole)) {
        free(name);
        name = view_frame_name(writing->path, given, ++number);
    }
    writing->names[picture] = name;
    result = name != NULL ? write_image(writing, name, known.pixel_side, &whole->input[0].image)
                          : shw_fail_memory(writing->log, given);
    if (result == SHW_OK)
        result = keep_inputs(writing, picture, whole);

fail:
    shw_pixels_part_release(&whole);
    shw_pixels_release(&pixels);
    return result;
}

/* Finds the name of a picture relative to the file's folder. */
static enum shw_result move_picture(const struct writing *writing, uint32_t picture)
{
    struct shw_project_picture known = shw_project_get_picture(writing->data, picture);
    char *file = shw_path_in(writing->before, known.name);
    enum shw_result result = SHW_OK;

    if (file == NULL)
        return shw_fail_memory(writing->log, known.name);
    if (shw_image_has_file(file)) {
        if (!shw_path_is_absolute(known.name) &&
            strcmp(writing->folder, writing->before) == 0) { /* it is right as it is */
            free(file);
            return SHW_OK;
        }
        writing->names[picture] = view_name_from(writing->folder, file);
        result = writing->names[picture] != NULL ? SHW_OK : shw_fail_memory(writing->log, known.name);
    } else if (known.stroke_count > 0 && shw_project_has_pixels(writing->data, picture)) {
        result = keep_frame(writing, picture);
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

/* Stores which picture is shown, if it is a file. `names`: the new ones of the pictures. */
static enum shw_result keep_shown(const struct view_project *project, const char *folder, char *const *names)
{
    bool is_file = project->shown != NULL && shw_image_has_file(project->shown);
    uint32_t known = is_file ? view_project_seek(project, project->shown) : UINT32_MAX;
    const char *kept = NULL;
    char *name = is_file && known == UINT32_MAX ? view_name_from(folder, project->shown) : NULL;
    enum shw_result result;

    if (known != UINT32_MAX)
        kept = names[known] != NULL ? names[known] : shw_project_get_picture(project->data, known).name;
    result = shw_project_set_shown(project->data, kept != NULL ? kept : name);
    free(name);
    return result;
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

/* Makes the names different that pictures will have: `names` or, where that is NULL, the current ones. Of those that
 * would be the same, which are paths of one file, all but one get other paths of it. Errors: MEMORY. */
static enum shw_result names_separate(const struct shw_project *project, char **names, const struct shw_log *log)
{
    uint32_t count = shw_project_get_picture_count(project);
    void *tree = NULL;
    bool fine = true;

    for (uint32_t p = 0; p < count && fine; p++)
        fine = names[p] != NULL || tsearch(shw_project_get_picture(project, p).name, &tree, compare) != NULL;
    for (uint32_t p = 0; p < count && fine; p++)
        fine = names[p] == NULL || add_name(&tree, &names[p]);
    while (tree != NULL)
        tdelete(*(char **)tree, &tree, compare);
    return fine ? SHW_OK : shw_fail_memory(log, "names of pictures");
}

/* From one folder to another. */
struct move {
    const char *from, *to;
};

static char *move_input(const void *user, const char *given)
{
    const struct move *move = user;
    char *path = shw_path_in(move->from, given), *name = path != NULL ? view_name_from(move->to, path) : NULL;

    free(path);
    return name;
}

/* Writes the file with names relative to its folder; on failure, pictures keep their names. */
static enum shw_result write_project(const struct view_project *project, const struct shw_log *log, const char *path,
                                     const char *folder)
{
    struct shw_project *data = project->data;
    uint32_t count = shw_project_get_picture_count(data);
    char **before = calloc(count + 1u, sizeof *before), **after = calloc(count + 1u, sizeof *after);
    struct shw_image_paths made = {0};
    const struct writing writing = {data, project->folder != NULL ? project->folder : "", path, folder, after, &made,
                                    log};
    const struct move moved = {writing.before, folder};
    enum shw_result result = before != NULL && after != NULL ? SHW_OK : shw_fail_memory(log, path);

    for (uint32_t p = 0; result == SHW_OK && p < count; p++) {
        before[p] = strdup(shw_project_get_picture(data, p).name);
        result = before[p] != NULL ? move_picture(&writing, p) : shw_fail_memory(log, path);
    }
    if (result == SHW_OK)
        result = names_separate(data, after, log);
    if (result == SHW_OK)
        result = keep_shown(project, folder, after);
    if (result == SHW_OK)
        result = shw_project_rename_pictures(data, (const char *const *)after);
    if (result == SHW_OK) {
        if (strcmp(moved.from, moved.to) != 0)
            result = shw_project_move_inputs(data, move_input, &moved);
        if (result == SHW_OK)
            result = shw_project_write(data, path);
        if (result != SHW_OK) {
            shw_project_rename_pictures(data, (const char *const *)before);
            if (strcmp(moved.from, moved.to) != 0)
                shw_project_move_inputs(data, move_input, &(struct move){moved.to, moved.from});
        }
    }
    if (result != SHW_OK)
        remove_made(&made);
    shw_image_paths_free(&made);
    free_names(before, count);
    free_names(after, count);
    return result;
}

bool view_project_is_own_file(const struct view_project *project, const char *path)
{
    return project->path != NULL && view_is_same_file(project->path, path);
}

bool view_project_replaces(const struct view_project *project, const char *path)
{
    return path != NULL && shw_is_file(path) &&
           (!view_project_is_own_file(project, path) || view_project_is_changed_elsewhere(project));
}

enum shw_result view_project_write(struct view_project *project, const char *path, struct shw_output_files *files,
                                   const struct shw_log *log)
{
    char *folder;
    enum shw_result result;

    if (path == NULL)
        path = project->path;
    if (path == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the project has no file yet: enter a name in the panel Teaching, or use `save FILE.json`");
    if (!view_is_project(path))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: project files must end with .json", path);
    folder = view_folder_of(path);
    if (folder == NULL)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: there is no such folder", path);
    shw_output_files_write(files, path, &shw_file_project);
    result = shw_output_files_check(files);
    if (result == SHW_OK && !files->overwrite && view_project_is_own_file(project, path) &&
        view_project_is_changed_elsewhere(project))
        result = shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                          "%s was changed by another program since it was opened here, and is kept: save under another "
                          "name, or replace it with %s",
                          path, files->hint);
    if (result == SHW_OK)
        result = write_project(project, log, path, folder);
    if (result != SHW_OK) {
        free(folder);
        return result;
    }
    SHW_PROPAGATE(set_path(project, path, folder, log));
    project->saved = shw_project_get_edition(project->data);
    project->stamp = view_file_stamp_of(project->path);
    return SHW_OK;
}

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
