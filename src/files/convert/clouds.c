/* Organised point clouds: a .pcd file, or a folder of them. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files/convert/frame_files.h"
#include "files/convert/pcd.h"
#include "files/io/image_paths.h"

#define ENDING ".pcd"

struct clouds {
    const struct shw_source_params *params;
    struct shw_image_paths paths;
    char **names; /* of the frames */
    bool labelled;
    struct shw_label_names none;
};

static bool is_cloud(const char *name)
{
    return name[0] != '.' && shw_name_ends_with(name, ENDING);
}

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static bool recognise(const char *path)
{
    struct shw_image_paths paths = {0};
    bool found;

    if (!is_folder(path))
        return is_cloud(shw_path_last(path));
    found = shw_image_paths_list(&paths, path, is_cloud) && paths.count > 0;
    shw_image_paths_free(&paths);
    return found;
}

static void close_clouds(void *source)
{
    struct clouds *clouds = source;

    for (uint32_t i = 0; clouds->names != NULL && i < clouds->paths.count; i++)
        free(clouds->names[i]);
    free(clouds->names);
    shw_image_paths_free(&clouds->paths);
    free(clouds);
}

static enum shw_result find_clouds(struct clouds *clouds)
{
    const char *path = clouds->params->path;
    const struct shw_log *log = &clouds->params->log;

    if (!is_folder(path))
        return shw_image_paths_add(&clouds->paths, "", path) ? SHW_OK : shw_fail_memory(log, path);
    SHW_PROPAGATE(shw_folder_list(path, is_cloud, log, &clouds->paths));
    return clouds->paths.count > 0
               ? SHW_OK
               : shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has no point cloud: no file *" ENDING, path);
}

static enum shw_result name_clouds(struct clouds *clouds)
{
    const struct shw_log *log = &clouds->params->log;

    clouds->names = calloc(clouds->paths.count, sizeof *clouds->names);
    if (clouds->names == NULL)
        return shw_fail_memory(log, clouds->params->path);
    for (uint32_t i = 0; i < clouds->paths.count; i++) {
        const char *start;
        size_t length;
        if (!shw_frame_name_of(clouds->paths.paths[i], &start, &length))
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s: a frame cannot have that name",
                            clouds->paths.paths[i]);
        clouds->names[i] = strndup(start, length);
        if (clouds->names[i] == NULL)
            return shw_fail_memory(log, clouds->params->path);
    }
    return SHW_OK;
}

/* All of them have labels, or none has. */
static enum shw_result find_labels(struct clouds *clouds)
{
    const struct shw_log *log = &clouds->params->log;

    for (uint32_t i = 0; i < clouds->paths.count; i++) {
        const char *path = clouds->paths.paths[i];
        bool has = false;
        SHW_PROPAGATE(shw_pcd_has_labels(path, log, &has));
        if (i > 0 && has != clouds->labelled)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has %s field label, but %s has %s", path,
                            has ? "a" : "no", clouds->paths.paths[i - 1], has ? "none" : "one");
        clouds->labelled = has;
    }
    return SHW_OK;
}

static enum shw_result open_clouds(const struct shw_source_params *params, void **source)
{
    struct clouds *clouds = calloc(1, sizeof *clouds);
    enum shw_result result;

    if (clouds == NULL)
        return shw_fail_memory(&params->log, params->path);
    clouds->params = params;
    SHW_TRY(find_clouds(clouds));
    SHW_TRY(name_clouds(clouds));
    SHW_TRY(find_labels(clouds));
    *source = clouds;
    return SHW_OK;

fail:
    close_clouds(clouds);
    return result;
}

static uint32_t count(const void *source)
{
    return ((const struct clouds *)source)->paths.count;
}

static bool has_labels(const void *source)
{
    return ((const struct clouds *)source)->labelled;
}

static const struct shw_label_names *names(const void *source)
{
    return &((const struct clouds *)source)->none;
}

static const char *frame_name(const void *source, uint32_t index)
{
    return ((const struct clouds *)source)->names[index];
}

static void visit_files(const void *source, uint32_t index, void (*visit)(void *user, const char *path), void *user)
{
    visit(user, ((const struct clouds *)source)->paths.paths[index]);
}

static enum shw_result read_cloud(void *source, uint32_t index, bool labels_only, struct shw_frame *frame)
{
    const struct clouds *clouds = source;

    (void)labels_only; /* they lie between the rest */
    return shw_pcd_read(clouds->paths.paths[index], &clouds->params->log, frame);
}

const struct shw_source_kind shw_source_pcd = {
    .name = "pcd",
    .text = "an organised point cloud, or a folder of them (PCL's .pcd)",
    .recognise = recognise,
    .open = open_clouds,
    .count = count,
    .has_labels = has_labels,
    .names = names,
    .frame_name = frame_name,
    .visit_files = visit_files,
    .read = read_cloud,
    .close = close_clouds,
};
