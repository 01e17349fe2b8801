#include "cli/image_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "image/image_file.h"
#include "image/image_name.h"
#include "output/file_kind.h"

static bool is_image_name(const char *name)
{
    return shw_is_image_name(name) && name[0] != '.';
}

/* In a folder of CURFIL's layout, the other images are depth and labels. */
static bool is_colours(const char *path)
{
    const char *slash = strrchr(path, '/');

    return strstr(slash != NULL ? slash + 1 : path, "_colors.") != NULL;
}

/* Whether `shadewood label` wrote the file. A name like that of a result does not tell: it may be the user's image. */
static bool is_result(const char *path)
{
    static const struct shw_file_kind *const kinds[] = {
        &shw_file_labels,    &shw_file_overlay,       &shw_file_probabilities, &shw_file_probability_pages,
        &shw_file_instances, &shw_file_instance_page, &shw_file_mask};
    struct stat status;

    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i]->is_ours(path, kinds[i]->name))
            return true;
    return false;
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
        if (is_colours(images->paths[i]))
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
    results = leave_out(images, is_result, true);
    if (images->count == 0)
        return cli_fail(report,
                        "the folder %s has no images but %u that label has written: pass the paths of those that are "
                        "to be labelled",
                        folder, results);
    say_left_out(report, folder, results, "which label has written");
    others = has_colours(images) ? leave_out(images, is_colours, false) : 0;
    say_left_out(report, folder, others, "since others are called NAME_colors");
    return CLI_CONTINUE;
}

static int list_folder(struct cli_report *report, const char *folder, struct shw_image_paths *list)
{
    struct shw_image_paths images = {0};
    int code = CLI_CONTINUE;

    errno = 0;
    if (!shw_image_paths_list(&images, folder, is_image_name))
        code = cli_fail(report, "not enough memory for the images in %s", folder);
    else if (errno != 0)
        code = cli_fail(report, "cannot open the folder %s: %s", folder, strerror(errno));
    else
        code = choose_images(report, folder, &images);
    for (uint32_t i = 0; i < images.count && code == CLI_CONTINUE; i++)
        if (!shw_image_paths_add(list, "", images.paths[i]))
            code = cli_fail(report, "not enough memory for the images in %s", folder);
    shw_image_paths_free(&images);
    return code;
}

/* Adds pages `first` to `last` of a file; 0: the file as it is. */
static bool add_pages(struct shw_image_paths *list, const char *file, uint32_t first, uint32_t last)
{
    bool fine = true;

    for (uint32_t page = first; page <= last && fine; page++) {
        char *path = page > 0 ? shw_image_page_path(file, page) : strdup(file);
        fine = path != NULL && shw_image_paths_add(list, "", path);
        free(path);
    }
    return fine;
}

/* The pages of a file that are wanted. A file that cannot be read is left for reading to tell. */
static bool choose_pages(struct cli_report *report, const char *path, uint32_t page, struct shw_image_paths *list)
{
    const struct shw_log log = cli_log(report), none = {.level = log.level};
    uint32_t named, count = 1;

    (void)shw_image_page_of(path, &named);
    if (named > 0 || (page > 0 && page != UINT32_MAX))
        return add_pages(list, path, named > 0 ? 0 : page, named > 0 ? 0 : page);
    if (shw_image_file_count_pages(path, &none, &count) != SHW_OK || count == 1)
        return add_pages(list, path, 0, 0);
    if (page == UINT32_MAX)
        return add_pages(list, path, 1, count);
    shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                    "%s has %u pages, of which the first is labelled: --page chooses another, or all", path, count);
    return add_pages(list, path, 0, 0);
}

static int list_pages(struct cli_report *report, uint32_t page, struct shw_image_paths *list)
{
    struct shw_image_paths pages = {0};
    bool fine = true;

    for (uint32_t i = 0; i < list->count && fine; i++)
        fine = choose_pages(report, list->paths[i], page, &pages);
    shw_image_paths_free(list);
    *list = pages;
    return fine ? CLI_CONTINUE : cli_fail(report, "not enough memory for the names of the images");
}

/* An image, and the name that its results have. */
struct named {
    const char *path;
    char name[SHW_BASE_NAME_SIZE];
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static int check_names(const struct cli_command *command, struct cli_report *report, const struct shw_image_paths *list)
{
    struct named *sorted = malloc((list->count + (size_t)1) * sizeof *sorted);
    int code = CLI_CONTINUE;

    if (sorted == NULL)
        return cli_fail(report, "not enough memory for %u names", list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        sorted[i].path = list->paths[i];
        shw_image_base_name(list->paths[i], sorted[i].name);
    }
    qsort(sorted, list->count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < list->count && code == CLI_CONTINUE; i++)
        if (compare_names(&sorted[i - 1], &sorted[i]) == 0)
            code = cli_usage_error(command,
                                   "%s and %s would produce files of the same name: rename one, or pass these files "
                                   "to two commands with different --output",
                                   sorted[i - 1].path, sorted[i].path);
    free(sorted);
    return code;
}

int cli_list_images(const struct cli_command *command, struct cli_report *report, char **arguments, int count,
                    uint32_t page, struct shw_image_paths *list)
{
    struct stat status;
    int code = CLI_CONTINUE;

    *list = (struct shw_image_paths){0};
    for (int i = 0; i < count && code == CLI_CONTINUE; i++) {
        if (stat(arguments[i], &status) == 0 && S_ISDIR(status.st_mode))
            code = list_folder(report, arguments[i], list);
        else if (!shw_image_paths_add(list, "", arguments[i]))
            code = cli_fail(report, "not enough memory for the names of the images");
    }
    if (code == CLI_CONTINUE)
        code = list_pages(report, page, list);
    return code == CLI_CONTINUE ? check_names(command, report, list) : code;
}
