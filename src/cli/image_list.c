#include "cli/image_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static int compare_names(const void *a, const void *b)
{
    size_t lengths[2];
    const char *names[2] = {shw_image_base_name(*(char *const *)a, &lengths[0]),
                            shw_image_base_name(*(char *const *)b, &lengths[1])};
    int order = strncmp(names[0], names[1], lengths[0] < lengths[1] ? lengths[0] : lengths[1]);

    return order != 0 ? order : (lengths[0] > lengths[1]) - (lengths[0] < lengths[1]);
}

static int check_names(const struct cli_command *command, struct cli_report *report, const struct shw_image_paths *list)
{
    char **sorted = malloc(list->count * sizeof *sorted);
    int code = CLI_CONTINUE;

    if (sorted == NULL)
        return cli_fail(report, "not enough memory for %u names", list->count);
    memcpy(sorted, list->paths, list->count * sizeof *sorted);
    qsort(sorted, list->count, sizeof *sorted, compare_names);
    for (size_t i = 1; i < list->count && code == CLI_CONTINUE; i++)
        if (compare_names(&sorted[i - 1], &sorted[i]) == 0)
            code = cli_usage_error(command,
                                   "%s and %s would produce files of the same name: rename one, or pass these files "
                                   "to two commands with different --output",
                                   sorted[i - 1], sorted[i]);
    free(sorted);
    return code;
}

int cli_list_images(const struct cli_command *command, struct cli_report *report, char **arguments, int count,
                    struct shw_image_paths *list)
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
    return code == CLI_CONTINUE ? check_names(command, report, list) : code;
}
