#include "source/spec.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <shadewood/dataset.h>
#include <shadewood/log.h>

#include "base/log.h"
#include "base/text.h"
#include "files/dataset/pattern.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"
#include "files/project/project.h"

#define RATE_MAX 1000.0
#define SIDE_MAX 16384u

/* A decimal number up to SIDE_MAX; returns what follows it, or NULL. */
static const char *take_side(const char *text, uint32_t *side)
{
    *side = 0;
    if (!isdigit((unsigned char)*text))
        return NULL;
    for (; isdigit((unsigned char)*text) && *side <= SIDE_MAX; text++)
        *side = *side * 10 + (uint32_t)(*text - '0');
    return *side >= 1 && *side <= SIDE_MAX ? text : NULL;
}

static bool take_size(const char *text, size_t length, struct view_camera_choice *choice)
{
    const char *rest = take_side(text, &choice->width);

    rest = rest != NULL && *rest == 'x' ? take_side(rest + 1, &choice->height) : NULL;
    return rest == text + length;
}

static bool take_rate(const char *text, size_t length, struct view_camera_choice *choice)
{
    char *end;

    choice->rate = strtod(text, &end);
    return isdigit((unsigned char)*text) && end == text + length && choice->rate > 0.0 && choice->rate <= RATE_MAX;
}

static bool take_format(const char *text, size_t length, struct view_camera_choice *choice)
{
    if (length == 0 || length >= sizeof choice->format)
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    memcpy(choice->format, text, length);
    choice->format[length] = '\0';
    return true;
}

/* Takes what follows the question mark in camera:DEVICE?size=1280x720&rate=30&format=mjpeg. Errors, logged with `name`:
 * ARGUMENT. */
static enum shw_result camera_choice_parse(const char *text, const char *name, const struct shw_log *log,
                                           struct view_camera_choice *choice)
{
    static const struct {
        const char *name;
        bool (*take)(const char *text, size_t length, struct view_camera_choice *choice);
    } members[] = {{"size=", take_size}, {"rate=", take_rate}, {"format=", take_format}};

    *choice = (struct view_camera_choice){0};
    for (;;) {
        const size_t length = strcspn(text, "&");
        bool taken = false;
        for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
            const size_t before = strlen(members[i].name);
            if (length > before && strncmp(text, members[i].name, before) == 0)
                taken = members[i].take(text + before, length - before, choice);
        }
        if (!taken)
            return shw_fail(
                log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                "%s: a camera can be asked for size=WIDTHxHEIGHT, rate=NUMBER and format=NAME, joined by &, "
                "not for \"%.*s\"",
                name, (int)length, text);
        if (text[length] == '\0')
            return SHW_OK;
        text += length + 1;
    }
}

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

/* Leaves out those from `first` on that are but inputs of the project's pictures. */
static void leave_out(const struct shw_own_inputs *own, uint32_t first, struct shw_image_paths *paths)
{
    uint32_t left = first;

    for (uint32_t i = first; i < paths->count; i++)
        if (shw_own_inputs_are(own, paths->paths[i]))
            free(paths->paths[i]);
        else
            paths->paths[left++] = paths->paths[i];
    paths->count = left;
}

/* Lists the folder of the files from `begin` to before `end`, without `own`, and with those of them that its list
 * lacks. False: out of memory. */
static bool list_folder(const struct files *files, const struct shw_own_inputs *own, uint32_t begin, uint32_t end,
                        bool (*accepts)(const char *name), struct shw_image_paths *paths)
{
    uint32_t first = paths->count, listed;
    bool fine = shw_image_paths_list(paths, files->list[begin].folder, accepts);

    leave_out(own, first, paths);
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

static enum shw_result list_folders(const struct files *files, const struct shw_own_inputs *own,
                                    bool (*accepts)(const char *name), const struct shw_log *log,
                                    struct shw_image_paths *paths)
{
    for (uint32_t begin = 0, end; begin < files->count; begin = end) {
        for (end = begin + 1; end < files->count; end++)
            if (strcmp(files->list[end].folder, files->list[begin].folder) != 0)
                break;
        if (!list_folder(files, own, begin, end, accepts, paths))
            return shw_fail_memory(log, files->list[begin].folder);
    }
    return SHW_OK;
}

/* Lists the image files of all folders that have pictures of the project, folder by folder, and its pictures whose
 * names do not look like images, in natural order; files without their pages. *shown becomes the path of the picture
 * that was shown when the project was saved, otherwise of its first picture that exists; to be freed. `accepts`: names
 * of image files. Errors, logged: those of shw_project_read(), IO (none of its pictures exists), MEMORY. */
static enum shw_result view_project_paths_find(const char *path, bool (*accepts)(const char *name),
                                               const struct shw_log *log, struct shw_image_paths *paths, char **shown)
{
    struct shw_project *project = NULL;
    struct files files = {0};
    struct shw_own_inputs own = {0};
    enum shw_result result;

    SHW_TRY(shw_project_read(path, log, &project));
    SHW_TRY(find_files(path, project, log, &files));
    SHW_TRY(shw_project_list_own_inputs(project, false, &own));
    SHW_TRY(list_folders(&files, &own, accepts, log, paths));
    *shown = files.shown;
    files.shown = NULL;

fail:
    shw_own_inputs_free(&own);
    free_files(&files);
    shw_project_destroy(&project);
    return result;
}

/* For decoded pictures of a data set: stepping back should be fast, but pictures are copied when they are returned. */

#define CACHE_BYTES ((size_t)64 << 20)

static const char *after(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : NULL;
}

static bool is_image_name(const char *name)
{
    return shw_is_image_name(name) && name[0] != '.';
}

/* Finds the label image of the image NAME.ENDING in root/labels, and sets both patterns. */
static bool match_labels(struct view_spec *spec, const char *image, const char *images, const char *labels)
{
    static const char *const suffixes[] = {"", "_L", "_GT"};
    const char *base = strrchr(image, '/') + 1, *dot = strrchr(base, '.');
    char name[NAME_MAX + 1], *folder = shw_path_join(spec->root, "/", labels);
    bool found = false;

    snprintf(name, sizeof name, "/%.*s", (int)(dot - base), base);
    for (const struct shw_image_ending *ending = shw_image_endings; ending->text != NULL && !found; ending++)
        for (size_t s = 0; s < 3 && folder != NULL && ending->holds_labels && !found; s++) {
            char tail[16], *path;
            snprintf(tail, sizeof tail, "%s%s", suffixes[s], ending->text);
            path = shw_path_join(folder, name, tail);
            found = path != NULL && shw_is_file(path);
            free(path);
            if (found) {
                spec->images = shw_path_join(images, "/{}", dot);
                spec->labels = shw_path_join(labels, "/{}", tail);
            }
        }
    free(folder);
    return found && spec->images != NULL && spec->labels != NULL;
}

/* Depth images are root/depth/NAME.png. Here one must exist; the data set checks that every image has one. False if out
 * of memory. */
static bool match_depths(struct view_spec *spec, const char *image)
{
    static const struct shw_input_file depth = {.name = SHW_DEPTH, .path = "depth/{}.png"};
    const char *base = strrchr(image, '/'), *dot = strrchr(base, '.');
    char name[NAME_MAX + 16], *path;

    snprintf(name, sizeof name, "depth%.*s.png", (int)(dot - base), base);
    path = shw_path_in(spec->root, name);
    spec->dataset.inputs = &depth;
    spec->dataset.input_count = path != NULL && shw_is_file(path);
    free(path);
    return path != NULL;
}

static bool find_pair(struct view_spec *spec, const char *images, const char *labels)
{
    struct shw_image_paths paths = {0};
    char *folder = shw_path_join(spec->root, "/", images);
    bool found = false;

    if (folder != NULL && shw_image_paths_list(&paths, folder, is_image_name))
        for (uint32_t i = 0; i < paths.count && !found; i++)
            found = match_labels(spec, paths.paths[i], images, labels) && match_depths(spec, paths.paths[i]);
    shw_image_paths_free(&paths);
    free(folder);
    return found;
}

/* Whether a folder has images and depth by CURFIL's names, without label images. */
static bool find_unlabelled(const struct shw_image_paths *files, struct view_spec *spec)
{
    bool has[2] = {false};

    for (uint32_t i = 0; i < files->count; i++) {
        has[0] = has[0] || shw_name_ends_with(files->paths[i], "_colors.png");
        has[1] = has[1] || shw_name_ends_with(files->paths[i], "_depth.png");
    }
    if (!has[0] || !has[1])
        return false;
    spec->dataset.inputs = shw_curfil_inputs;
    spec->dataset.input_count = 1; /* the depth */
    spec->images = strdup(SHW_CURFIL_COLOURS);
    return spec->images != NULL;
}

/* Whether the folder has one of the usual layouts; fills in what to open. */
static bool find_dataset(const char *folder, const struct shw_image_paths *files, struct view_spec *spec)
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
        !find_pair(spec, "Images", "GroundTruth") && !find_unlabelled(files, spec))
        return false;
    spec->dataset.root = spec->root;
    spec->dataset.images = spec->images;
    spec->dataset.labels = spec->labels;
    spec->dataset.cache_bytes = CACHE_BYTES;
    spec->sequences = shw_path_in(folder, "sequences.txt"); /* as `shadewood synth --frames` writes it */
    spec->dataset.splits = (const char *const *)&spec->sequences;
    spec->dataset.split_count = spec->sequences != NULL && shw_is_file(spec->sequences);
    spec->kind = VIEW_SOURCE_DATASET;
    return true;
}

static enum shw_result find_folder(const char *folder, bool as_dataset, const struct shw_log *log,
                                   struct view_spec *spec)
{
    if (!shw_image_paths_list(&spec->paths, folder, is_image_name))
        return shw_fail_memory(log, folder);
    if (find_dataset(folder, &spec->paths, spec)) {
        shw_image_paths_free(&spec->paths);
        return SHW_OK;
    }
    if (as_dataset)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has no known data-set layout: sub-folders images and labels, or CURFIL's names", folder);
    if (spec->paths.count == 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "the folder %s has no images: no files with endings like .png or .jpg", folder);
    spec->kind = VIEW_SOURCE_FOLDER;
    spec->pages = true;
    return SHW_OK;
}

static enum shw_result find_file(const char *path, bool camera, const struct stat *status, const struct shw_log *log,
                                 struct view_spec *spec)
{
    spec->device = S_ISCHR(status->st_mode);
    spec->kind = camera || spec->device ? VIEW_SOURCE_CAMERA : VIEW_SOURCE_VIDEO;
    if (!spec->device && !S_ISREG(status->st_mode))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s is neither a file nor a folder nor a video device", path);
    if (!camera && !spec->device && shw_image_file_is_image(path)) {
        spec->kind = VIEW_SOURCE_IMAGE;
        spec->pages = true;
        return shw_image_paths_add(&spec->paths, "", path) ? SHW_OK : shw_fail_memory(log, path);
    }
    if (!camera && !spec->device && shw_name_ends_with(path, ".json")) {
        spec->kind = VIEW_SOURCE_FOLDER;
        spec->pages = true;
        return view_project_paths_find(path, is_image_name, log, &spec->paths, &spec->shown);
    }
    spec->url = shw_path_join(spec->device ? "" : "file:", path, "");
    return spec->url != NULL ? SHW_OK : shw_fail_memory(log, path);
}

/* What a camera is asked for follows the last question mark, unless that is part of a file's name. */
static enum shw_result split_camera(char *path, const struct shw_log *log, struct view_spec *spec)
{
    char *question = strrchr(path, '?');
    struct stat status;

    if (question == NULL || stat(path, &status) == 0)
        return SHW_OK;
    *question = '\0';
    SHW_PROPAGATE(camera_choice_parse(question + 1, spec->name, log, &spec->choice));
    return stat(path, &status) != 0 || S_ISCHR(status.st_mode)
               ? SHW_OK
               : shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                          "%s is not a video device: it cannot be asked for %s", path, question + 1);
}

/* A file, a device, or a device's number. */
static enum shw_result find_camera(const char *text, const struct shw_log *log, struct view_spec *spec)
{
    const size_t digits = strspn(text, "0123456789");
    const bool number = digits > 0 && (text[digits] == '\0' || text[digits] == '?');
    struct stat status;
    char *path;
    enum shw_result result;

    spec->name = shw_path_join(number ? "/dev/video" : "", text, "");
    path = spec->name != NULL ? strdup(spec->name) : NULL;
    if (path == NULL)
        return shw_fail_memory(log, "a camera");
    result = split_camera(path, log, spec);
    if (result == SHW_OK)
        result = stat(path, &status) == 0
                     ? find_file(path, true, &status, log, spec)
                     : shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open %s: %s", path, strerror(errno));
    free(path);
    return result;
}

static enum shw_result find_source(const char *text, const struct shw_log *log, struct view_spec *spec)
{
    const char *camera = after(text, "camera:"), *dataset = after(text, "dataset:");
    const char *path = dataset != NULL ? dataset : text;
    struct stat status;

    if (camera != NULL)
        return find_camera(camera, log, spec);
    spec->name = strdup(path);
    if (spec->name == NULL)
        return shw_fail_memory(log, "a source");
    if (strstr(text, "://") != NULL && dataset == NULL) {
        spec->kind = VIEW_SOURCE_VIDEO;
        spec->url = strdup(text);
        return spec->url != NULL ? SHW_OK : shw_fail_memory(log, text);
    }
    if (stat(path, &status) != 0 && shw_image_has_file(path)) {
        spec->kind = VIEW_SOURCE_IMAGE; /* a page */
        return shw_image_paths_add(&spec->paths, "", path) ? SHW_OK : shw_fail_memory(log, path);
    }
    if (stat(path, &status) != 0)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open %s: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return find_folder(path, dataset != NULL, log, spec);
    if (dataset != NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is not a folder, so it cannot be a data set",
                        path);
    return find_file(path, false, &status, log, spec);
}

/* Of what follows depth:, the depth is shown. */
static enum shw_result find_depth(const char *text, const struct shw_log *log, struct view_spec *spec)
{
    SHW_PROPAGATE(find_source(text, log, spec));
    if (spec->kind == VIEW_SOURCE_DATASET)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s is a data set, whose pictures have their depth without depth:", text);
    spec->depth = true;
    return SHW_OK;
}

enum shw_result view_spec_find(const char *text, const struct shw_log *log, struct view_spec *spec)
{
    const char *depth = after(text, "depth:");
    enum shw_result result;

    *spec = (struct view_spec){0};
    result = depth != NULL ? find_depth(depth, log, spec) : find_source(text, log, spec);
    if (result != SHW_OK)
        view_spec_free(spec);
    return result;
}

void view_spec_free(struct view_spec *spec)
{
    shw_image_paths_free(&spec->paths);
    free(spec->name);
    free(spec->url);
    free(spec->root);
    free(spec->images);
    free(spec->labels);
    free(spec->sequences);
    free(spec->shown);
    *spec = (struct view_spec){0};
}
