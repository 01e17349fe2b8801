#include "source/project_paths.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "files/io/image_name.h"
#include "files/project/project.h"

/* A picture of the project that exists. */
struct file {
    char *folder, *path; /* the latter as the folder's list has it */
};

struct files {
    struct file *list;
    uint32_t count;
    char *shown; /* path of the picture to begin with; NULL: the first one of the list */
};

static int by_folder(const void *a, const void *b)
{
    const struct file *one = a, *other = b;
    int order = shw_natural_compare(one->folder, other->folder);

    return order != 0 ? order : shw_natural_compare(one->path, other->path);
}

/* Splits a path into its folder and the path as the folder's list has it. False: out of memory. */
static bool split(const char *path, struct file *file)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);

    file->folder = slash != NULL ? strndup(path, length) : strdup(".");
    file->path = file->folder != NULL ? shw_path_in(file->folder, slash != NULL ? slash + 1 : path) : NULL;
    return file->path != NULL;
}

static void free_files(struct files *files)
{
    for (uint32_t i = 0; i < files->count; i++) {
        free(files->list[i].folder);
        free(files->list[i].path);
    }
    free(files->list);
    free(files->shown);
}

/* The picture to begin with, if its file exists. False: out of memory. */
static bool take_shown(struct files *files, const char *path)
{
    struct file file = {0};
    bool fine = true;

    if (shw_image_has_file(path)) {
        fine = split(path, &file);
        files->shown = file.path;
        free(file.folder);
    }
    return fine;
}

/* Adds a picture if its file exists; as the one to begin with, if nothing is known. False: out of memory. */
static bool add_file(struct files *files, const char *path)
{
    uint32_t page;
    char *alone;
    bool fine;

    if (!shw_image_has_file(path))
        return true;
    alone = shw_image_file_of(path, &page); /* all of its pages are listed */
    fine = alone != NULL && split(alone, &files->list[files->count++]);
    free(alone);
    return fine && (files->shown != NULL || take_shown(files, path));
}

static enum shw_result find_files(const char *path, const struct shw_project *project, const struct shw_log *log,
                                  struct files *files)
{
    const char *slash = strrchr(path, '/'), *shown = shw_project_get_shown(project);
    char *folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
    uint32_t count = shw_project_get_picture_count(project);
    bool fine = folder != NULL;

    files->list = calloc(count + 1u, sizeof *files->list);
    fine = fine && files->list != NULL;
    for (uint32_t p = 0; fine && p <= count; p++) {
        const char *name = p > 0 ? shw_project_get_picture(project, p - 1).name : shown;
        char *file = name != NULL ? shw_path_in(folder, name) : NULL;
        fine = name == NULL || (file != NULL && (p > 0 ? add_file(files, file) : take_shown(files, file)));
        free(file);
    }
    free(folder);
    if (!fine)
        return shw_fail_memory(log, path);
    qsort(files->list, files->count, sizeof *files->list, by_folder);
    return files->count > 0 ? SHW_OK
                            : shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "%s: none of its pictures exists", path);
}

/* Lists the folder of the files from `begin` to before `end`, with those of them that its list lacks. False: out of
 * memory. */
static bool list_folder(const struct files *files, uint32_t begin, uint32_t end, bool (*accepts)(const char *name),
                        struct shw_image_paths *paths)
{
    uint32_t first = paths->count, listed;
    bool fine = shw_image_paths_list(paths, files->list[begin].folder, accepts);

    listed = paths->count - first;
    for (uint32_t i = begin; fine && i < end; i++) {
        char *const *key = &files->list[i].path;
        if (i > begin && strcmp(*key, files->list[i - 1].path) == 0)
            continue; /* another page */
        if (listed == 0 ||
            bsearch(key, paths->paths + first, listed, sizeof *paths->paths, shw_natural_compare_texts) == NULL)
            fine = shw_image_paths_add(paths, "", *key);
    }
    if (fine)
        qsort(paths->paths + first, paths->count - first, sizeof *paths->paths, shw_natural_compare_texts);
    return fine;
}

static enum shw_result list_folders(const struct files *files, bool (*accepts)(const char *name),
                                    const struct shw_log *log, struct shw_image_paths *paths)
{
    for (uint32_t begin = 0, end; begin < files->count; begin = end) {
        for (end = begin + 1; end < files->count; end++)
            if (strcmp(files->list[end].folder, files->list[begin].folder) != 0)
                break;
        if (!list_folder(files, begin, end, accepts, paths))
            return shw_fail_memory(log, files->list[begin].folder);
    }
    return SHW_OK;
}

enum shw_result view_project_paths_find(const char *path, bool (*accepts)(const char *name), const struct shw_log *log,
                                        struct shw_image_paths *paths, char **shown)
{
    struct shw_project *project = NULL;
    struct files files = {0};
    enum shw_result result;

    SHW_TRY(shw_project_read(path, log, &project));
    SHW_TRY(find_files(path, project, log, &files));
    SHW_TRY(list_folders(&files, accepts, log, paths));
    *shown = files.shown;
    files.shown = NULL;

fail:
    free_files(&files);
    shw_project_destroy(&project);
    return result;
}
