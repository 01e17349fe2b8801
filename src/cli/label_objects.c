#include "cli/label_objects.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/commands.h"
#include "files/image/resolution.h"
#include "files/project/project_objects.h"

int cli_label_objects_take(struct cli_label_objects *taken, const struct shw_log *log,
                           struct shw_label_objects *objects)
{
    if (taken->pixel_size != NULL && !shw_pixel_size_read(taken->pixel_size, &objects->pixel_size))
        return shw_usage_error(&cli_label,
                               "--pixel-size takes a length with its unit, as '0.65 um', file, 'file or 0.65 um' or "
                               "none, not '%s'",
                               taken->pixel_size);
    if (taken->forest_path != NULL) {
        enum shw_result result = shw_object_forest_load(taken->forest_path, log, &taken->forest);

        if (result != SHW_OK)
            return shw_exit_code(result);
    }
    return SHW_CONTINUE;
}

static bool copy_text(const char *text, char **copy)
{
    *copy = text != NULL ? strdup(text) : NULL;
    return text == NULL || *copy != NULL;
}

static enum shw_result teach(struct cli_label_objects *taken, const struct shw_project *project,
                             const struct shw_log *log)
{
    struct shw_object_lessons lessons = {0};
    enum shw_result result;

    if (taken->forest != NULL)
        return SHW_OK;
    result = shw_project_make_lessons(project, &lessons);
    if (result == SHW_OK && shw_object_lessons_suffice(&lessons))
        result = shw_object_forest_train(&lessons, log, &taken->forest);
    shw_object_lessons_free(&lessons);
    return result;
}

int cli_label_objects_from_project(struct cli_label_objects *taken, const struct shw_project *project,
                                   const struct shw_image_list *images, struct cli_report *report,
                                   struct shw_label_objects *objects)
{
    const struct shw_log log = cli_log(report);
    const struct shw_project_objects taught = shw_project_get_objects(project), *kept = &taught;
    struct shw_object_settings *settings = &objects->settings;
    enum shw_result result;

    if (objects->pixel_size.source == SHW_PIXEL_SIZE_UNSET)
        objects->pixel_size = kept->pixel_size;
    if (objects->pixel_size.source == SHW_PIXEL_SIZE_UNSET && images->count > 0 &&
        shw_image_pixel_size(images->list[0].path) > 0.0)
        objects->pixel_size.source = SHW_PIXEL_SIZE_FILE;
    if (!objects->wanted)
        return SHW_CONTINUE;
    settings->smooth = settings->smooth > 0 ? settings->smooth : kept->smooth;
    settings->hole_max = settings->hole_max > 0 ? settings->hole_max : kept->hole_max;
    settings->area_min = settings->area_min > 0 ? settings->area_min : kept->area_min;
    settings->area_max = settings->area_max > 0 ? settings->area_max : kept->area_max;
    settings->four = settings->four || kept->four;
    if (settings->area_max > 0 && settings->area_min > settings->area_max)
        return cli_fail(report, "the smallest area of objects, %u pixels, is larger than the largest, %u, of %s",
                        settings->area_min, settings->area_max, taken->project);
    if (!copy_text(kept->class_name, &taken->class_name) || !copy_text(kept->kind_name, &taken->kind_name))
        return shw_exit_code(shw_fail_memory(&log, "the settings of the project"));
    result = teach(taken, project, &log);
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

int cli_label_objects_choose(struct cli_label_objects *taken, struct cli_report *report,
                             struct shw_label_objects *objects)
{
    const char *name = taken->show != NULL ? taken->show : taken->kind_name;
    uint32_t count = 0, number;

    objects->forest = taken->forest;
    if (name == NULL || (taken->show == NULL && taken->forest == NULL))
        return SHW_CONTINUE;
    number = taken->forest != NULL ? shw_object_forest_find(taken->forest, name) : UINT32_MAX;
    if (number == UINT32_MAX && taken->show == NULL)
        return cli_fail(report,
                        "%s: only objects of an object class '%s' are kept, which it has not: choose another in "
                        "shadewood-viewer, or with --objects-show",
                        taken->project, name);
    if (number == UINT32_MAX)
        return shw_usage_error(&cli_label, "--objects-show: there is no object class '%s'", name);
    shw_object_forest_classes(taken->forest, &count);
    free(taken->kinds);
    taken->kinds = calloc(count, sizeof *taken->kinds);
    if (taken->kinds == NULL)
        return shw_usage_error(&cli_label, "not enough memory for the object classes");
    taken->kinds[number] = true;
    objects->kinds = taken->kinds;
    return SHW_CONTINUE;
}

void cli_label_objects_free(struct cli_label_objects *taken)
{
    shw_object_forest_destroy(&taken->forest);
    free(taken->class_name);
    free(taken->kind_name);
    free(taken->kinds);
}
