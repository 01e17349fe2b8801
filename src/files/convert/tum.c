/* Folders as TUM's RGB-D benchmark publishes them: rgb/TIME.png and depth/TIME.png, of which rgb.txt and depth.txt, or
 * associations.txt, are lists. */
#include <stdlib.h>
#include <string.h>

#include "files/convert/folder.h"
#include "files/convert/frame_files.h"
#include "files/convert/tum_index.h"
#include "files/io/file_bytes.h"
#include "files/io/image_name.h"

#define UNITS_DEFAULT    5000u
#define APART_DEFAULT_MS 20u

#define PAIR_LIST   "associations.txt"
#define COLOUR_LIST "rgb.txt"
#define DEPTH_LIST  "depth.txt"

static bool recognise(const char *path)
{
    return shw_folder_has_file(path, PAIR_LIST) ||
           (shw_folder_has_file(path, COLOUR_LIST) && shw_folder_has_file(path, DEPTH_LIST)) ||
           (shw_folder_has_folder(path, "rgb") && shw_folder_has_folder(path, "depth"));
}

/* What is found in the folder. */
struct lists {
    struct shw_timed_list colours, depth;
    bool paired; /* those of one position belong together */
};

/* Reads a file of the folder: PAIR_LIST into both lists, the others into one. */
static enum shw_result read_text(const char *folder, const char *name, const struct shw_log *log,
                                 struct shw_timed_list *list, struct shw_timed_list *partners)
{
    char *path = shw_path_in(folder, name);
    struct shw_file_bytes bytes = {0};
    enum shw_result result;

    if (path == NULL)
        return shw_fail_memory(log, folder);
    result = shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, log, &bytes);
    if (result == SHW_OK)
        result = partners != NULL ? shw_timed_pairs_decode(bytes.bytes, bytes.size, path, log, list, partners)
                                  : shw_timed_list_decode(bytes.bytes, bytes.size, path, log, list);
    shw_file_bytes_free(&bytes);
    free(path);
    return result;
}

static bool is_image(const char *name)
{
    return name[0] != '.' && shw_is_image_name(name);
}

/* Makes a list of the images of a folder, whose names are their times. */
static enum shw_result list_images(const char *root, const char *name, const struct shw_log *log,
                                   struct shw_timed_list *list)
{
    char *folder = shw_path_in(root, name);
    struct shw_image_paths paths = {0};
    enum shw_result result;

    if (folder == NULL)
        return shw_fail_memory(log, root);
    result = shw_folder_list(folder, is_image, log, &paths);
    for (uint32_t i = 0; i < paths.count && result == SHW_OK; i++) {
        const char *start = shw_path_last(paths.paths[i]);
        int64_t time;
        if (shw_time_of_name(start, (size_t)(strrchr(start, '.') - start), &time))
            result = shw_timed_list_add(list, time, shw_path_join(name, "/", start), log);
        else
            result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                              "%s: the name is not a time in seconds, and there is no %s that states it",
                              paths.paths[i], strcmp(name, "rgb") == 0 ? COLOUR_LIST : DEPTH_LIST);
    }
    if (result == SHW_OK)
        result = shw_timed_list_sort(list, folder, log);
    shw_image_paths_free(&paths);
    free(folder);
    return result;
}

static enum shw_result find_lists(const char *folder, const struct shw_log *log, struct lists *lists)
{
    lists->paired = shw_folder_has_file(folder, PAIR_LIST);
    if (lists->paired)
        return read_text(folder, PAIR_LIST, log, &lists->colours, &lists->depth);
    SHW_PROPAGATE(shw_folder_has_file(folder, COLOUR_LIST) ? read_text(folder, COLOUR_LIST, log, &lists->colours, NULL)
                                                           : list_images(folder, "rgb", log, &lists->colours));
    return shw_folder_has_file(folder, DEPTH_LIST) ? read_text(folder, DEPTH_LIST, log, &lists->depth, NULL)
                                                   : list_images(folder, "depth", log, &lists->depth);
}

static enum shw_result add_frame(const struct lists *lists, struct shw_timed_pair pair, struct shw_frame_files *files)
{
    const char *folder = files->params->path, *colours = lists->colours.list[pair.colours].path, *name;
    struct shw_frame_paths paths = {0};
    size_t length;

    if (!shw_frame_name_of(colours, &name, &length))
        return shw_fail(&files->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s: a frame cannot have the name of the image \"%s\"", folder, colours);
    paths.name = strndup(name, length);
    paths.colours = shw_path_in(folder, colours);
    paths.depth = shw_path_in(folder, lists->depth.list[pair.depth].path);
    if (files->params->label_folder != NULL && paths.name != NULL)
        paths.labels = shw_frame_label_path(files->params->label_folder, paths.name);
    return shw_frame_files_add(files, &paths);
}

static enum shw_result add_frames(const struct lists *lists, struct shw_frame_files *files)
{
    const struct shw_source_params *params = files->params;
    uint32_t apart = params->apart_ms > 0 ? params->apart_ms : APART_DEFAULT_MS, count = 0;
    struct shw_timed_pair *pairs = NULL;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; lists->paired && i < lists->colours.count && result == SHW_OK; i++)
        result = add_frame(lists, (struct shw_timed_pair){i, i}, files);
    if (!lists->paired)
        result = shw_timed_match(&lists->colours, &lists->depth, (int64_t)apart * 1000000, params->path, &params->log,
                                 &pairs, &count);
    for (uint32_t i = 0; i < count && result == SHW_OK; i++)
        result = add_frame(lists, pairs[i], files);
    free(pairs);
    if (result == SHW_OK && !lists->paired && count > 0 && count < lists->colours.count)
        shw_log_message(&params->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: %u of %u colour images have no depth image within %u ms; they are left out", params->path,
                        lists->colours.count - count, lists->colours.count, apart);
    return result;
}

static enum shw_result find_frames(struct shw_frame_files *files)
{
    struct lists lists = {0};
    enum shw_result result = find_lists(files->params->path, &files->params->log, &lists);

    if (result == SHW_OK)
        result = add_frames(&lists, files);
    shw_timed_list_free(&lists.colours);
    shw_timed_list_free(&lists.depth);
    return result;
}

static enum shw_result open_folder(const struct shw_source_params *params, void **source)
{
    struct shw_frame_files *files = NULL;

    SHW_PROPAGATE(shw_frame_files_open(params, UNITS_DEFAULT, find_frames, &files));
    *source = files;
    return SHW_OK;
}

const struct shw_source_kind shw_source_tum = {
    .name = "tum",
    .text = "a folder with rgb/, depth/ and lists of both (TUM's RGB-D benchmark)",
    .is_video = true,
    .measures_apart = true,
    .has_label_files = true,
    .has_units = true,
    .recognise = recognise,
    .open = open_folder,
    .count = shw_frame_files_count,
    .has_labels = shw_frame_files_have_labels,
    .names = shw_frame_files_names,
    .frame_name = shw_frame_files_name,
    .visit_files = shw_frame_files_visit,
    .read = shw_frame_files_read_source,
    .close = shw_frame_files_close,
};
