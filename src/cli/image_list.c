#include "cli/image_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/log.h"
#include "files/dataset/curfil_files.h"
#include "files/image/image_file.h"
#include "files/io/file_kind.h"
#include "files/io/image_name.h"
#include "files/io/image_paths.h"
#include "files/output/label_files.h"

static bool is_image_name(const char *name)
{
    return shw_is_image_name(name) && name[0] != '.';
}

/* Removes the images for which `is_left_out` is `value`, and returns their number. */
static uint32_t leave_out(struct shw_image_paths *images, bool (*is_left_out)(const char *path), bool value)
{
    uint32_t kept = 0, count = images->count;

    for (uint32_t i = 0; i < count; i++)
        if (is_left_out(images->paths[i]) == value)
            free(images->paths[i]);
        else
            images->paths[kept++] = images->paths[i];
    images->count = kept;
    return count - kept;
}

static bool has_colours(const struct shw_image_paths *images)
{
    for (uint32_t i = 0; i < images->count; i++)
        if (shw_curfil_is_colours(images->paths[i]))
            return true;
    return false;
}

static void say_left_out(struct cli_report *report, const char *folder, uint32_t count, const char *why)
{
    if (count > 0 && report->verbose)
        cli_say(report, "%s: %u %s left out, %s", folder, count, count == 1 ? "image is" : "images are", why);
}

/* `images`: all those of the folder, some of which are left out. */
static int choose_images(struct cli_report *report, const char *folder, struct shw_image_paths *images)
{
    uint32_t results, others;

    if (images->count == 0)
        return cli_fail(report, "the folder %s has no images: no files with extensions like .png or .jpg", folder);
    results = leave_out(images, shw_is_result, true);
    if (images->count == 0)
        return cli_fail(report,
                        "the folder %s has no images but %u that label or detect has written: pass the paths of those "
                        "that are meant",
                        folder, results);
    say_left_out(report, folder, results, "which label or detect has written");
    others = has_colours(images) ? leave_out(images, shw_curfil_is_colours, false) : 0;
    say_left_out(report, folder, others, "since others are called NAME_colors");
    return SHW_CONTINUE;
}

/* Adds an image whose results have its name below `folder`, which is "" for none. Takes ownership of the path. */
static int add_path(struct cli_report *report, char *path, const char *folder, struct cli_image_list *list)
{
    char name[SHW_BASE_NAME_SIZE];
    struct cli_image image = {.path = path};

    if (path != NULL)
        image.place = shw_path_in(folder, shw_image_base_name(path, name));
    if (image.path != NULL && image.place != NULL && SHW_RESERVE(list->list, list->capacity, list->count + (size_t)1)) {
        list->list[list->count++] = image;
        return SHW_CONTINUE;
    }
    free(image.path);
    free(image.place);
    return cli_fail(report, "not enough memory for the names of the images");
}

/* Adds pages `first` to `last` of a file; 0: the file as it is. */
static int add_pages(struct cli_report *report, const char *file, uint32_t first, uint32_t last, const char *folder,
                     struct cli_image_list *list)
{
    int code = SHW_CONTINUE;

    for (uint32_t page = first; page <= last && code == SHW_CONTINUE; page++)
        code = add_path(report, page > 0 ? shw_image_page_path(file, page) : strdup(file), folder, list);
    return code;
}

/* Adds the pages of a file that are wanted. A file that cannot be read is left for reading to tell. */
static int add_image(struct cli_report *report, const char *path, uint32_t page, const char *folder,
                     struct cli_image_list *list)
{
    const struct shw_log log = cli_log(report), none = {.level = log.level};
    uint32_t named, count = 1;

    (void)shw_image_page_of(path, &named);
    if (named > 0 || (page > 0 && page != UINT32_MAX))
        return add_pages(report, path, named > 0 ? 0 : page, named > 0 ? 0 : page, folder, list);
    if (shw_image_file_count_pages(path, &none, &count) != SHW_OK || count == 1)
        return add_pages(report, path, 0, 0, folder, list);
    if (page == UINT32_MAX)
        return add_pages(report, path, 1, count, folder, list);
    shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                    "%s has %u pages, of which the first is read: --page chooses another, or all", path, count);
    return add_pages(report, path, 0, 0, folder, list);
}

static int list_folder(struct cli_report *report, const char *folder, uint32_t page, const char *results,
                       struct cli_image_list *list)
{
    struct shw_image_paths images = {0};
    int code = SHW_CONTINUE;

    errno = 0;
    if (!shw_image_paths_list(&images, folder, is_image_name))
        code = cli_fail(report, "not enough memory for the images in %s", folder);
    else if (errno != 0)
        code = cli_fail(report, "cannot open the folder %s: %s", folder, strerror(errno));
    else
        code = choose_images(report, folder, &images);
    for (uint32_t i = 0; i < images.count && code == SHW_CONTINUE; i++)
        code = add_image(report, images.paths[i], page, results, list);
    shw_image_paths_free(&images);
    return code;
}

static int compare_places(const void *a, const void *b)
{
    return strcmp(((const struct cli_image *)a)->place, ((const struct cli_image *)b)->place);
}

static int check_places(const struct shw_command *command, struct cli_report *report, const struct cli_image_list *list)
{
    struct cli_image *sorted = malloc(list->count * sizeof *sorted);
    int code = SHW_CONTINUE;

    if (sorted == NULL)
        return cli_fail(report, "not enough memory for %u names", list->count);
    memcpy(sorted, list->list, list->count * sizeof *sorted);
    qsort(sorted, list->count, sizeof *sorted, compare_places);
    for (size_t i = 1; i < list->count && code == SHW_CONTINUE; i++)
        if (compare_places(&sorted[i - 1], &sorted[i]) == 0)
            code = shw_usage_error(command,
                                   "%s and %s would produce files of the same name: rename one, or pass these files "
                                   "to two commands with different --output",
                                   sorted[i - 1].path, sorted[i].path);
    free(sorted);
    return code;
}

static bool is_folder(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* The last `count` names of an absolute path, or all of them. */
static const char *last_names(const char *path, int count)
{
    const char *from = path + strlen(path);

    while (from > path && (from[-1] != '/' || --count > 0))
        from--;
    return *from == '/' ? from + 1 : from;
}

/* Whether so many names tell the folders apart. */
static bool are_apart(char *const *folders, int count, int names)
{
    for (int i = 1; i < count; i++)
        for (int j = 0; j < i; j++)
            if (folders[i] != NULL && folders[j] != NULL && strcmp(folders[i], folders[j]) != 0 &&
                strcmp(last_names(folders[i], names), last_names(folders[j], names)) == 0)
                return false;
    return true;
}

/* Lists the arguments. `folders`: the absolute paths of those that are folders, otherwise NULL. */
static int list_arguments(struct cli_report *report, char **arguments, int count, char *const *folders, uint32_t page,
                          bool in_folders, struct cli_image_list *list)
{
    int code = SHW_CONTINUE, names = 1;

    while (in_folders && !are_apart(folders, count, names))
        names++;
    for (int i = 0; i < count && code == SHW_CONTINUE; i++)
        if (folders[i] != NULL)
            code = list_folder(report, arguments[i], page, in_folders ? last_names(folders[i], names) : "", list);
        else if (is_folder(arguments[i]))
            code = cli_fail(report, "cannot open the folder %s: %s", arguments[i], strerror(errno));
        else
            code = add_image(report, arguments[i], page, "", list);
    return code;
}

int cli_list_images(const struct shw_command *command, struct cli_report *report, char **arguments, int count,
                    uint32_t page, bool in_folders, struct cli_image_list *list)
{
    char **folders = calloc((size_t)count, sizeof *folders);
    int code;

    *list = (struct cli_image_list){0};
    if (folders == NULL)
        return cli_fail(report, "not enough memory for the names of the images");
    for (int i = 0; i < count; i++)
        if (is_folder(arguments[i]))
            folders[i] = realpath(arguments[i], NULL);
    code = list_arguments(report, arguments, count, folders, page, in_folders, list);
    for (int i = 0; i < count; i++)
        free(folders[i]);
    free(folders);
    return code == SHW_CONTINUE ? check_places(command, report, list) : code;
}

void cli_image_list_free(struct cli_image_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->list[i].path);
        free(list->list[i].place);
    }
    free(list->list);
    *list = (struct cli_image_list){0};
}
