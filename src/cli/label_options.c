#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/label.h"

static int take_formats(struct cli_labelling *command)
{
    struct shw_label_objects *objects = &command->job.each.objects;
    const struct {
        const char *name;
        bool *wanted;
    } formats[] = {{"csv", &objects->table}, {"geojson", &objects->outlines}, {"instances", &objects->instances}};
    const char *text = command->objects_format != NULL ? command->objects_format : "csv";

    for (;; text++) {
        size_t length = strcspn(text, ","), i = 0;

        while (i < 3 && (strlen(formats[i].name) != length || strncmp(formats[i].name, text, length) != 0))
            i++;
        if (i == 3)
            return shw_usage_error(&cli_label, "--objects-format takes csv, geojson and instances, not '%.*s'",
                                   (int)length, text);
        *formats[i].wanted = true;
        text += length;
        if (*text == '\0')
            return SHW_CONTINUE;
    }
}

int cli_labelling_take_objects(struct cli_labelling *command)
{
    struct shw_label_objects *objects = &command->job.each.objects;
    const struct shw_log log = cli_log(&command->report);
    int code;

    if (command->taken.pixel_size != NULL && !objects->wanted && !command->job.content.scale_bar)
        return shw_usage_error(&cli_label, "--pixel-size is for objects and scale bars: add --objects or --scale-bar");
    objects->settings.four = command->connectivity == 1;
    code = cli_label_objects_take(&command->taken, &log, objects);
    return code == SHW_CONTINUE && objects->wanted ? take_formats(command) : code;
}

/* The class of that name or number; UINT32_MAX: none. */
static uint32_t find_class(const struct shw_label_objects *objects, const char *text, size_t length)
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
static int take_item(struct cli_labelling *command, const char *text)
{
    const struct shw_label_objects *objects = &command->job.each.objects;
    uint32_t whole = find_class(objects, text, strlen(text));

    if (whole != UINT32_MAX) {
        command->chosen[whole] = true;
        return SHW_CONTINUE;
    }
    for (;; text++) {
        size_t length = strcspn(text, ",");
        uint32_t number = find_class(objects, text, length);

        if (number == UINT32_MAX)
            return shw_usage_error(&cli_label, "--objects-classes: there is no class '%.*s'", (int)length, text);
        command->chosen[number] = true;
        text += length;
        if (*text == '\0')
            return SHW_CONTINUE;
    }
}

/* The class of the project's settings. */
static int take_class(struct cli_labelling *command, const char *name)
{
    const struct shw_label_objects *objects = &command->job.each.objects;

    for (uint32_t c = 0; c < objects->class_count; c++)
        if (strcmp(objects->names[c].name, name) == 0) {
            command->chosen[c] = true;
            return SHW_CONTINUE;
        }
    return cli_fail(&command->report,
                    "%s: its objects are those of a class '%s', which it has not: choose another in shadewood-viewer, "
                    "or with --objects-classes",
                    command->taken.project, name);
}

static int take_object_classes(struct cli_labelling *command)
{
    struct shw_label_objects *objects = &command->job.each.objects;
    int code = SHW_CONTINUE;

    if (!objects->wanted)
        return SHW_CONTINUE;
    code = cli_label_objects_choose(&command->taken, &command->report, objects);
    if (code != SHW_CONTINUE || (command->objects_classes.count == 0 && command->taken.class_name == NULL))
        return code;
    free(command->chosen);
    command->chosen = calloc(objects->class_count, sizeof *command->chosen);
    if (command->chosen == NULL)
        return shw_usage_error(&cli_label, "not enough memory for the names of classes");
    objects->settings.classes = command->chosen;
    if (command->objects_classes.count == 0)
        code = take_class(command, command->taken.class_name);
    for (uint32_t i = 0; i < command->objects_classes.count && code == SHW_CONTINUE; i++)
        code = take_item(command, command->objects_classes.items[i]);
    return code;
}

/* The form in which an output is written, from 1; 0: it is not. */
static uint32_t form_of(const struct cli_labelling *command, enum shw_label_output output)
{
    const struct shw_label_output_traits *traits = shw_label_outputs[output];

    if (traits->choices != NULL)
        return (uint32_t)command->outputs[output].choice;
    return traits->option != NULL && command->outputs[output].flag != traits->by_default;
}

int cli_labelling_choose(struct cli_labelling *command, const struct shw_class *classes, uint32_t class_count,
                         uint32_t tree_count)
{
    struct shw_label_job *job = &command->job;

    for (int o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++)
        job->content.forms[o] = form_of(command, (enum shw_label_output)o);
    job->content.classes = classes;
    job->content.class_count = class_count;
    job->content.tree_count = tree_count;
    if (shw_label_job_choose(job) != SHW_OK)
        return SHW_EXIT_FAILURE;
    return take_object_classes(command);
}

int cli_labelling_check_scale_bar(const struct cli_labelling *command)
{
    return !command->job.content.scale_bar || shw_pixel_size_has_units(&command->job.each.objects.pixel_size)
               ? SHW_CONTINUE
               : shw_usage_error(&cli_label, "--scale-bar needs the size of pixels: add --pixel-size");
}

static bool writes_anything(const struct cli_labelling *command)
{
    bool any = command->job.each.objects.wanted;

    for (int o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++)
        any = any || form_of(command, (enum shw_label_output)o) > 0;
    return any;
}

static int refuse_nothing(void)
{
    char left_out[256] = "", others[256] = "";

    for (uint32_t o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++) {
        const struct shw_label_output_traits *traits = shw_label_outputs[o];
        char *list = traits->by_default ? left_out : others;
        size_t length = strlen(list);

        if (traits->option != NULL)
            snprintf(list + length, sizeof others - length, "%s--%s",
                     length == 0          ? ""
                     : traits->by_default ? " and "
                                          : ", ",
                     traits->option);
    }
    return shw_usage_error(&cli_label, "nothing to write with %s: add %s or --objects", left_out, others);
}

int cli_labelling_check_outputs(const struct cli_labelling *command)
{
    const struct shw_object_settings *settings = &command->job.each.objects.settings;

    if (!writes_anything(command))
        return refuse_nothing();
    return settings->area_max == 0 || settings->area_min <= settings->area_max
               ? SHW_CONTINUE
               : shw_usage_error(&cli_label, "--objects-area %u is larger than --objects-area-max %u",
                                 settings->area_min, settings->area_max);
}
