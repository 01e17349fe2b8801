#include "source/spec.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "image/image_name.h"
#include "project/project.h"

/* For decoded pictures of a data set: stepping back should be fast, but pictures are copied when they are returned. */
#define CACHE_BYTES ((size_t)64 << 20)

static char *join(const char *first, const char *second, const char *third)
{
    size_t size = strlen(first) + strlen(second) + strlen(third) + 1;
    char *whole = malloc(size);

    if (whole != NULL)
        snprintf(whole, size, "%s%s%s", first, second, third);
    return whole;
}

static const char *after(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : NULL;
}

static bool is_image_name(const char *name)
{
    return shw_is_image_name(name) && name[0] != '.';
}

/* Whether the file begins like one of the supported image formats. */
static bool is_image(const char *path)
{
    static const struct {
        const char *bytes;
        size_t size;
    } beginnings[] = {{"\x89PNG", 4}, {"\xff\xd8\xff", 3}, {"II*\0", 4}, {"MM\0*", 4}, {"BM", 2}, {"P5", 2}, {"P6", 2}};
    char start[4] = {0};
    FILE *file = fopen(path, "rb");
    size_t size = file != NULL ? fread(start, 1, sizeof start, file) : 0;

    if (file != NULL)
        fclose(file);
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (size >= beginnings[i].size && memcmp(start, beginnings[i].bytes, beginnings[i].size) == 0)
            return true;
    return false;
}

static bool exists(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_path(struct view_paths *paths, const char *folder, const char *name)
{
    char **grown = realloc(paths->paths, (paths->count + (size_t)1) * sizeof *grown);

    if (grown == NULL)
        return false;
    paths->paths = grown;
    grown[paths->count] =
        *folder != '\0' ? join(folder, shw_name_ends_with(folder, "/") ? "" : "/", name) : strdup(name);
    return grown[paths->count] != NULL ? ++paths->count, true : false;
}

/* The image files of a folder, sorted; none if it cannot be read. False if out of memory. */
static bool list_images(const char *folder, struct view_paths *paths)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    bool fine = true;

    while (entries != NULL && fine && paths->count < UINT32_MAX && (entry = readdir(entries)) != NULL)
        if (is_image_name(entry->d_name))
            fine = add_path(paths, folder, entry->d_name);
    if (entries != NULL)
        closedir(entries);
    if (paths->count != 0)
        qsort(paths->paths, paths->count, sizeof *paths->paths, compare_paths);
    return fine;
}

/* Finds the label image of the image NAME.ENDING in root/labels, and sets both patterns. */
static bool match_labels(struct view_spec *spec, const char *image, const char *images, const char *labels)
{
    static const char *const endings[] = {".png", "_L.png", "_GT.png", ".bmp", "_L.bmp", "_GT.bmp",
                                          ".tif", "_L.tif", "_GT.tif", ".pgm", ".ppm"};
    const char *base = strrchr(image, '/') + 1, *dot = strrchr(base, '.');
    char name[NAME_MAX + 1], *path, *folder = join(spec->root, "/", labels);
    bool found = false;

    snprintf(name, sizeof name, "/%.*s", (int)(dot - base), base);
    for (size_t i = 0; folder != NULL && !found && i < sizeof endings / sizeof *endings; i++) {
        path = join(folder, name, endings[i]);
        found = path != NULL && exists(path);
        free(path);
        if (found) {
            spec->images = join(images, "/{}", dot);
            spec->labels = join(labels, "/{}", endings[i]);
        }
    }
    free(folder);
    return found && spec->images != NULL && spec->labels != NULL;
}

/* Depth images are root/depth/NAME.png. Here one must exist; the data set checks that every image has one. False if out
 * of memory. */
static bool match_depths(struct view_spec *spec, const char *image)
{
    static const struct shw_input_file depth = {SHW_DEPTH, "depth/{}.png"};
    const char *base = strrchr(image, '/'), *dot = strrchr(base, '.');
    char name[NAME_MAX + 2], *folder = join(spec->root, "/", "depth"), *path = NULL;
    bool fine = folder != NULL;

    snprintf(name, sizeof name, "%.*s.png", (int)(dot - base), base);
    if (fine)
        path = join(folder, "", name);
    spec->dataset.inputs = &depth;
    spec->dataset.input_count = path != NULL && exists(path);
    fine = path != NULL;
    free(path);
    free(folder);
    return fine;
}

static bool find_pair(struct view_spec *spec, const char *images, const char *labels)
{
    struct view_paths paths = {0};
    char *folder = join(spec->root, "/", images);
    bool found = false;

    if (folder != NULL && list_images(folder, &paths))
        for (uint32_t i = 0; i < paths.count && !found; i++)
            found = match_labels(spec, paths.paths[i], images, labels) && match_depths(spec, paths.paths[i]);
    view_paths_free(&paths);
    free(folder);
    return found;
}

/* Whether the folder has one of the usual layouts; fills in what to open. */
static bool find_dataset(const char *folder, const struct view_paths *files, struct view_spec *spec)
{
    spec->root = strdup(folder);
    if (spec->root == NULL)
        return false;
    for (uint32_t i = 0; i < files->count; i++)
        if (shw_name_ends_with(files->paths[i], "_ground_truth.png")) {
            spec->dataset.layout = SHW_DATASET_CURFIL;
            break;
        }
    if (spec->dataset.layout != SHW_DATASET_CURFIL && !find_pair(spec, "images", "labels") &&
        !find_pair(spec, "Images", "GroundTruth"))
        return false;
    spec->dataset.root = spec->root;
    spec->dataset.images = spec->images;
    spec->dataset.labels = spec->labels;
    spec->dataset.cache_bytes = CACHE_BYTES;
    spec->kind = VIEW_SOURCE_DATASET;
    return true;
}

static enum shw_result find_folder(const char *folder, bool as_dataset, const struct shw_log *log,
                                   struct view_spec *spec)
{
    if (!list_images(folder, &spec->paths))
        return shw_fail_memory(log, folder);
    if (find_dataset(folder, &spec->paths, spec)) {
        view_paths_free(&spec->paths);
        return SHW_OK;
    }
    if (as_dataset)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has no known data-set layout: sub-folders images and labels, or CURFIL's names", folder);
    if (spec->paths.count == 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "the folder %s has no images: no files with endings like .png or .jpg", folder);
    spec->kind = VIEW_SOURCE_FOLDER;
    return SHW_OK;
}

/* The pictures of a project whose files exist, in its order. */
static enum shw_result find_project(const char *path, const struct shw_log *log, struct view_spec *spec)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash != NULL ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
    struct shw_project *project = NULL;
    enum shw_result result = folder != NULL ? shw_project_read(path, log, &project) : shw_fail_memory(log, path);

    for (uint32_t p = 0; result == SHW_OK && p < shw_project_get_picture_count(project); p++) {
        const char *name = shw_project_get_picture(project, p).name;
        char *file = join(name[0] == '/' ? "" : folder, name, "");
        if (file == NULL || (exists(file) && !add_path(&spec->paths, "", file)))
            result = shw_fail_memory(log, path);
        free(file);
    }
    if (result == SHW_OK && spec->paths.count == 0)
        result = shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "%s: none of its pictures exists", path);
    spec->kind = VIEW_SOURCE_FOLDER;
    shw_project_destroy(&project);
    free(folder);
    return result;
}

static enum shw_result find_file(const char *path, bool camera, const struct stat *status, const struct shw_log *log,
                                 struct view_spec *spec)
{
    spec->device = S_ISCHR(status->st_mode);
    spec->kind = camera || spec->device ? VIEW_SOURCE_CAMERA : VIEW_SOURCE_VIDEO;
    if (!spec->device && !S_ISREG(status->st_mode))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s is neither a file nor a folder nor a video device", path);
    if (!camera && !spec->device && is_image(path)) {
        spec->kind = VIEW_SOURCE_IMAGE;
        return add_path(&spec->paths, "", path) ? SHW_OK : shw_fail_memory(log, path);
    }
    if (!camera && !spec->device && shw_name_ends_with(path, ".json"))
        return find_project(path, log, spec);
    spec->url = join(spec->device ? "" : "file:", path, "");
    return spec->url != NULL ? SHW_OK : shw_fail_memory(log, path);
}

static enum shw_result find(const char *text, const struct shw_log *log, struct view_spec *spec)
{
    const char *camera = after(text, "camera:"), *dataset = after(text, "dataset:");
    const char *path = camera != NULL ? camera : dataset != NULL ? dataset : text;
    struct stat status;

    spec->name = strdup(path);
    if (spec->name == NULL)
        return shw_fail_memory(log, "a source");
    if (strstr(text, "://") != NULL && camera == NULL && dataset == NULL) {
        spec->kind = VIEW_SOURCE_VIDEO;
        spec->url = strdup(text);
        return spec->url != NULL ? SHW_OK : shw_fail_memory(log, text);
    }
    if (stat(path, &status) != 0)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open %s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode) && camera == NULL)
        return find_folder(path, dataset != NULL, log, spec);
    if (dataset != NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is not a folder, so it cannot be a data set",
                        path);
    return find_file(path, camera != NULL, &status, log, spec);
}

enum shw_result view_spec_find(const char *text, const struct shw_log *log, struct view_spec *spec)
{
    enum shw_result result;

    *spec = (struct view_spec){0};
    result = find(text, log, spec);
    if (result != SHW_OK)
        view_spec_free(spec);
    return result;
}

void view_spec_free(struct view_spec *spec)
{
    view_paths_free(&spec->paths);
    free(spec->name);
    free(spec->url);
    free(spec->root);
    free(spec->images);
    free(spec->labels);
    *spec = (struct view_spec){0};
}
