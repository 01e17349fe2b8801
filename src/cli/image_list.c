#include "cli/image_list.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image/image_name.h"

static bool is_image(const char *name)
{
    static const char *const results[] = {"_labels.png", "_overlay.png", "_probabilities.tif"};

    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (shw_name_ends_with(name, results[i]))
            return false;
    return shw_is_image_name(name) && name[0] != '.' && strstr(name, "_probability-") == NULL;
}

/* In a folder of CURFIL's layout, the other images are depth and labels. */
static bool is_colours(const char *name)
{
    return is_image(name) && strstr(name, "_colors.") != NULL;
}

static int list_folder(struct cli_report *report, const char *folder, struct shw_image_paths *list)
{
    uint32_t first = list->count;

    if (!shw_image_paths_list(list, folder, is_colours) ||
        (list->count == first && !shw_image_paths_list(list, folder, is_image)))
        return cli_fail(report, "not enough memory for the images in %s", folder);
    if (list->count == first && errno != 0)
        return cli_fail(report, "cannot open the folder %s: %s", folder, strerror(errno));
    if (list->count == first)
        return cli_fail(report, "the folder %s has no images: no files with extensions like .png or .jpg", folder);
    return CLI_CONTINUE;
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
                                   "%s and %s would produce files of the same name: label them into different folders",
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
