#include "cli/image_list.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image/image_name.h"

static bool append(struct cli_image_list *list, const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char **paths = realloc(list->paths, (list->count + 1) * sizeof *paths);
    char *path = malloc(size);

    if (paths != NULL)
        list->paths = paths;
    if (paths == NULL || path == NULL) {
        free(path);
        return false;
    }
    snprintf(path, size, "%s%s%s", folder, *folder != '\0' ? "/" : "", name);
    list->paths[list->count++] = path;
    return true;
}

static bool is_image(const char *name)
{
    static const char *const results[] = {"_labels.png", "_overlay.png", "_probabilities.tif"};

    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (shw_name_ends_with(name, results[i]))
            return false;
    return shw_is_image_name(name) && name[0] != '.' && strstr(name, "_probability-") == NULL;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_folder(struct cli_report *report, const char *folder, struct cli_image_list *list)
{
    size_t first = list->count;
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    bool fine = true;

    if (entries == NULL)
        return cli_fail(report, "cannot open the folder %s: %s", folder, strerror(errno));
    while (fine && (entry = readdir(entries)) != NULL)
        if (is_image(entry->d_name))
            fine = append(list, folder, entry->d_name);
    closedir(entries);
    if (!fine)
        return cli_fail(report, "not enough memory for the images in %s", folder);
    if (list->count == first)
        return cli_fail(report, "the folder %s has no images: no files with extensions like .png or .jpg", folder);
    qsort(list->paths + first, list->count - first, sizeof *list->paths, compare);
    return CLI_CONTINUE;
}

const char *cli_image_name(const char *path, int *length)
{
    const char *name = strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : path;
    const char *dot = strrchr(name, '.');

    *length = dot != NULL && dot != name ? (int)(dot - name) : (int)strlen(name);
    return name;
}

static int compare_names(const void *a, const void *b)
{
    int lengths[2], order;
    const char *names[2] = {cli_image_name(*(char *const *)a, &lengths[0]),
                            cli_image_name(*(char *const *)b, &lengths[1])};

    order = strncmp(names[0], names[1], (size_t)(lengths[0] < lengths[1] ? lengths[0] : lengths[1]));
    return order != 0 ? order : lengths[0] - lengths[1];
}

static int check_names(const struct cli_command *command, struct cli_report *report, const struct cli_image_list *list)
{
    char **sorted = malloc(list->count * sizeof *sorted);
    int code = CLI_CONTINUE;

    if (sorted == NULL)
        return cli_fail(report, "not enough memory for %zu names", list->count);
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
                    struct cli_image_list *list)
{
    struct stat status;
    int code = CLI_CONTINUE;

    *list = (struct cli_image_list){0};
    for (int i = 0; i < count && code == CLI_CONTINUE; i++) {
        if (stat(arguments[i], &status) == 0 && S_ISDIR(status.st_mode))
            code = list_folder(report, arguments[i], list);
        else if (!append(list, "", arguments[i]))
            code = cli_fail(report, "not enough memory for the names of the images");
    }
    return code == CLI_CONTINUE ? check_names(command, report, list) : code;
}

void cli_free_images(struct cli_image_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->paths[i]);
    free(list->paths);
    *list = (struct cli_image_list){0};
}
