#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "files/project/runs_text.h"
#include "files/project/state.h"

/* These return NULL if memory is exhausted, and take ownership of what is appended. */
static json_t *append(json_t *list, json_t *item)
{
    if (list != NULL && json_array_append_new(list, item) == 0)
        return list;
    if (list == NULL)
        json_decref(item);
    json_decref(list);
    return NULL;
}

static json_t *pack_classes(const struct shw_project *project)
{
    json_t *list = json_array();

    for (uint32_t id = 0; id < project->class_count && list != NULL; id++) {
        const struct shw_project_class *shown = &project->classes[id].shown;

        if (project->classes[id].exists)
            list = append(list, json_pack("{s:s, s:[i,i,i], s:b}", "name", shown->name, "colour", shown->colour[0],
                                          shown->colour[1], shown->colour[2], "locked", (int)shown->locked));
    }
    return list;
}

static json_t *pack_points(const struct shw_stroke *stroke)
{
    json_t *list = json_array();

    for (uint32_t p = 0; p < stroke->point_count && list != NULL; p++)
        list = append(append(list, json_integer(stroke->points[p].x)), json_integer(stroke->points[p].y));
    return list;
}

static json_t *pack_runs(const struct shw_stroke *stroke)
{
    char *text = shw_runs_write(stroke);
    json_t *packed = text != NULL ? json_string(text) : NULL;

    free(text);
    return packed;
}

static json_t *pack_locked(const struct shw_project *project, const struct shw_stroke *stroke)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < stroke->locked_count && list != NULL; i++) {
        uint16_t number = shw_project_class_number(project, stroke->locked[i]);

        if (number != SHW_LABEL_VOID)
            list = append(list, json_integer(number));
    }
    return list;
}

static json_t *pack_stroke(const struct shw_project *project, const struct shw_stroke *stroke)
{
    uint16_t number = shw_project_class_number(project, stroke->class_id);
    json_t *value = number != SHW_LABEL_VOID ? json_integer(number) : json_null();
    bool text = shw_runs_are_text(stroke);
    json_t *locked = pack_locked(project, stroke), *points = text ? pack_runs(stroke) : pack_points(stroke);
    json_t *packed = json_pack("{s:o, s:i, s:o, s:o}", "class", value, "radius", (int)stroke->radius, "locked", locked,
                               text ? "runs" : "points", points);

    if (packed != NULL && stroke->area && json_object_set_new(packed, "area", json_true()) != 0) {
        json_decref(packed);
        return NULL;
    }
    return packed;
}

static json_t *pack_picture(const struct shw_project *project, const struct shw_picture_state *picture)
{
    json_t *list = json_array(), *packed;

    for (uint32_t s = 0; s < picture->stroke_count && list != NULL; s++)
        if (picture->strokes[s].class_id == SHW_STROKE_ERASER ||
            shw_project_class_number(project, picture->strokes[s].class_id) != SHW_LABEL_VOID)
            list = append(list, pack_stroke(project, &picture->strokes[s]));
    packed = json_pack("{s:s, s:I, s:I, s:o}", "name", picture->name, "width", (json_int_t)picture->width, "height",
                       (json_int_t)picture->height, "strokes", list);
    if (packed != NULL && picture->kept && json_object_set_new(packed, "test", json_true()) != 0) {
        json_decref(packed);
        return NULL;
    }
    return packed;
}

static json_t *pack_pictures(const struct shw_project *project)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < project->picture_count && list != NULL; i++)
        if (shw_picture_is_stored(&project->pictures[i]))
            list = append(list, pack_picture(project, &project->pictures[i]));
    return list;
}

static json_t *pack_training(const struct shw_project_training *training)
{
    json_t *packed = json_object();

    /* a seed has 64 bits, JSON integers only 53 */
    char seed[24];
    int bad = snprintf(seed, sizeof seed, "%llu", (unsigned long long)training->seed) < 0;

    if (training->channels[0] != '\0')
        bad |= json_object_set_new(packed, "channels", json_string(training->channels));
    if (training->tree_count > 0)
        bad |= json_object_set_new(packed, "trees", json_integer(training->tree_count));
    if (training->depth > 0)
        bad |= json_object_set_new(packed, "depth", json_integer(training->depth));
    if (training->candidates > 0)
        bad |= json_object_set_new(packed, "candidates", json_integer(training->candidates));
    bad |= json_object_set_new(packed, "seed", json_string(seed));
    if (bad == 0)
        return packed;
    json_decref(packed);
    return NULL;
}

static bool has_runs(const struct shw_picture_state *picture)
{
    for (uint32_t s = 0; s < picture->stroke_count; s++)
        if (shw_runs_are_text(&picture->strokes[s]))
            return true;
    return false;
}

/* Programs that know version 1 only would read images otherwise; those that know version 2 only would train on pictures
 * that are kept for testing; those that know version 3 only cannot read runs. */
static int version_of(const struct shw_project *project)
{
    int version = shw_image_choice_is_default(&project->choice) ? 1 : 2;

    for (uint32_t i = 0; i < project->picture_count && version < 4; i++) {
        version = project->pictures[i].kept ? 3 : version;
        version = has_runs(&project->pictures[i]) ? 4 : version;
    }
    return version;
}

char *shw_project_encode(const struct shw_project *project)
{
    json_t *classes = pack_classes(project), *training = pack_training(&project->training),
           *pictures = pack_pictures(project);
    bool chosen = !shw_image_choice_is_default(&project->choice);
    json_t *root = json_pack("{s:s, s:i, s:o, s:o}", "format", SHW_PROJECT_FORMAT, "version", version_of(project),
                             "classes", classes, "training", training);
    json_t *shown = project->shown != NULL ? json_string(project->shown) : NULL; /* NULL, too, unless it is UTF-8 */
    int bad = root == NULL;
    char *text;

    if (chosen)
        bad |= json_object_set_new(root, "reading", shw_image_choice_pack(&project->choice));
    bad |= json_object_set_new(root, "pictures", pictures);
    if (shown != NULL)
        bad |= json_object_set(root, "shown", shown);
    text = bad == 0 ? json_dumps(root, 0) : NULL;

    json_decref(shown);
    json_decref(root);
    return text;
}

enum shw_result shw_project_write(const struct shw_project *project, const char *path)
{
    char *text = shw_project_encode(project);
    size_t size = text != NULL ? strlen(text) : 0;
    enum shw_result result;

    if (text == NULL)
        result = shw_fail_memory(&project->log, path);
    else if (size > SHW_PROJECT_FILE_MAX)
        result = shw_fail(&project->log, SHW_ERROR_LIMIT, SHW_LOG_PROJECT,
                          "cannot write %s: it would have %zu MiB, and projects of more than %u MiB are not read", path,
                          size >> 20, (unsigned)(SHW_PROJECT_FILE_MAX >> 20));
    else
        result = shw_atomic_file_write(path, text, size, &project->log);
    free(text);
    return result;
}
