#include "cli/label_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"

const char *const cli_connectivities[] = {"8", "4", NULL};

static int take_formats(const struct shw_command *command, struct cli_objects *objects)
{
    const struct {
        const char *name;
        bool *wanted;
    } formats[] = {{"csv", &objects->table}, {"geojson", &objects->outlines}, {"instances", &objects->instances}};
    const char *text = objects->format != NULL ? objects->format : "csv";

    for (;; text++) {
        size_t length = strcspn(text, ","), i = 0;

        while (i < 3 && (strlen(formats[i].name) != length || strncmp(formats[i].name, text, length) != 0))
            i++;
        if (i == 3)
            return shw_usage_error(command, "--objects-format has csv, geojson and instances, not '%.*s'", (int)length,
                                   text);
        *formats[i].wanted = true;
        text += length;
        if (*text == '\0')
            return SHW_CONTINUE;
    }
}

int cli_objects_take_options(const struct shw_command *command, struct cli_objects *objects)
{
    if (!objects->wanted)
        return SHW_CONTINUE;
    objects->settings.four = objects->connectivity == 1;
    return take_formats(command, objects);
}

/* The class of that name or number; UINT32_MAX: none. */
static uint32_t find_class(const struct cli_objects *objects, const char *text, size_t length)
{
    char name[512];
    uint64_t number;

    if (length >= sizeof name)
        return UINT32_MAX;
    memcpy(name, text, length);
    name[length] = '\0';
    for (uint32_t c = 0; c < objects->class_count; c++)
        if (strcmp(objects->names[c].name, name) == 0)
            return c;
    return objects->class_count > 0 && shw_parse_number(name, 0, objects->class_count - 1, &number) ? (uint32_t)number
                                                                                                    : UINT32_MAX;
}

/* A class, or several with commas between them. */
static int take_item(const struct shw_command *command, struct cli_objects *objects, const char *text)
{
    uint32_t whole = find_class(objects, text, strlen(text));

    if (whole != UINT32_MAX) {
        objects->chosen[whole] = true;
        return SHW_CONTINUE;
    }
    for (;; text++) {
        size_t length = strcspn(text, ",");
        uint32_t number = find_class(objects, text, length);

        if (number == UINT32_MAX)
            return shw_usage_error(command, "--objects-classes: there is no class '%.*s'", (int)length, text);
        objects->chosen[number] = true;
        text += length;
        if (*text == '\0')
            return SHW_CONTINUE;
    }
}

int cli_objects_take_classes(const struct shw_command *command, struct cli_objects *objects,
                             const struct shw_class *classes, uint32_t class_count)
{
    int code = SHW_CONTINUE;

    objects->names = classes;
    objects->class_count = class_count;
    if (!objects->wanted || objects->classes.count == 0)
        return SHW_CONTINUE;
    objects->chosen = calloc(class_count, sizeof *objects->chosen);
    if (objects->chosen == NULL)
        return shw_usage_error(command, "not enough memory for the names of classes");
    objects->settings.classes = objects->chosen;
    for (uint32_t i = 0; i < objects->classes.count && code == SHW_CONTINUE; i++)
        code = take_item(command, objects, objects->classes.items[i]);
    return code;
}

enum shw_result
cli_objects_list(const struct cli_objects *objects, const char *stem, const struct shw_log *log,
                 enum shw_result (*call)(void *user, const char *path, const struct shw_file_kind *kind), void *user)
{
    const struct {
        bool written;
        const char *ending;
        const struct shw_file_kind *kind;
    } written[] = {{objects->outlines, "_objects.geojson", &shw_file_outlines},
                   {objects->instances, "_instances.png", &shw_file_instances},
                   {objects->instances, "_instances.tif", &shw_file_instance_page}};
    enum shw_result result = SHW_OK;

    for (size_t i = 0; i < sizeof written / sizeof *written && result == SHW_OK; i++) {
        char *path = written[i].written ? shw_path_join(stem, written[i].ending, "") : NULL;

        if (path != NULL)
            result = call(user, path, written[i].kind);
        else if (written[i].written)
            result = shw_fail_memory(log, "file names");
        free(path);
    }
    return result;
}

enum shw_result cli_objects_write(const struct cli_objects *options, const char *stem, const struct shw_objects *found,
                                  const struct shw_log *log)
{
    char *outlines = shw_path_join(stem, "_objects.geojson", ""), *png = shw_path_join(stem, "_instances.png", "");
    char *tiff = shw_path_join(stem, "_instances.tif", "");
    const struct shw_object_paths paths = {.outlines = options->outlines ? outlines : NULL,
                                           .instances = options->instances ? png : NULL,
                                           .many_instances = options->instances ? tiff : NULL};
    enum shw_result result = outlines != NULL && png != NULL && tiff != NULL
                                 ? shw_object_files_write(&paths, found, options->names, options->class_count, log)
                                 : shw_fail_memory(log, "file names");

    free(outlines);
    free(png);
    free(tiff);
    return result;
}

json_t *cli_objects_json(const struct cli_objects *options, const struct shw_objects *found)
{
    json_t *counts = json_object();

    for (uint32_t c = 0; c < options->class_count; c++)
        if (options->chosen == NULL || options->chosen[c])
            json_object_set_new(counts, options->names[c].name, json_integer(0));
    for (uint32_t n = 0; n < found->count; n++) {
        json_t *count = json_object_get(counts, options->names[found->list[n].label].name);

        json_integer_set(count, json_integer_value(count) + 1);
    }
    return counts;
}

void cli_objects_free(struct cli_objects *objects)
{
    free(objects->chosen);
    objects->chosen = NULL;
    objects->settings.classes = NULL;
}
