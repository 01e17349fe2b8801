#include "object/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/project/project_objects.h"
#include "object/objects.h"

/* On the job's thread. */
static enum shw_result train(void *user)
{
    struct view_kinds *kinds = user;

    return shw_object_forest_train(&kinds->lessons, &kinds->log, &kinds->made);
}

void view_kinds_init(struct view_teaching *teaching, const struct shw_log *log, struct view_kinds *kinds)
{
    *kinds = (struct view_kinds){.teaching = teaching, .hand = VIEW_NO_KIND, .log = *log};
}

void view_kinds_reset(struct view_kinds *kinds)
{
    view_job_wait(&kinds->job);
    if (kinds->running)
        view_job_take(&kinds->job);
    kinds->running = false;
    shw_object_lessons_free(&kinds->lessons);
    shw_object_forest_destroy(&kinds->made);
    shw_object_forest_destroy(&kinds->forest);
    kinds->hand = VIEW_NO_KIND;
    kinds->begun = kinds->measured = 0;
    kinds->number++;
}

void view_kinds_destroy(struct view_kinds *kinds)
{
    view_job_free(&kinds->job);
    shw_object_lessons_free(&kinds->lessons);
    shw_object_forest_destroy(&kinds->made);
    shw_object_forest_destroy(&kinds->forest);
}

static struct shw_project *project_of(const struct view_kinds *kinds)
{
    return kinds->teaching != NULL ? kinds->teaching->project.data : NULL;
}

uint32_t view_kinds_count(const struct view_kinds *kinds)
{
    return project_of(kinds) != NULL ? shw_project_get_object_class_count(project_of(kinds)) : 0;
}

const struct shw_project_class *view_kinds_get(const struct view_kinds *kinds, uint32_t number)
{
    return shw_project_get_object_class(project_of(kinds), number);
}

bool view_kinds_find(const struct view_kinds *kinds, const char *text, uint32_t *number)
{
    const uint32_t count = view_kinds_count(kinds);
    int64_t parsed;

    for (*number = 0; *number < count; ++*number)
        if (strcmp(view_kinds_get(kinds, *number)->name, text) == 0)
            return true;
    if (text[0] != '#' || !view_parse_number(text + 1, 0, (int64_t)count - 1, &parsed))
        return false;
    *number = (uint32_t)parsed;
    return true;
}

/* The object in which an example of the shown picture is; 0: none. */
static uint32_t object_of(const struct view_kinds *kinds, const struct view_found *found,
                          const struct shw_object_example *example)
{
    return example->counts && example->number != UINT32_MAX && example->picture == kinds->teaching->painting.picture
               ? view_found_at(found, example->x, example->y)
               : 0;
}

/* The example of an object; UINT32_MAX: there is none. The last one, if objects have become one. */
static uint32_t example_of(const struct view_kinds *kinds, const struct view_found *found, uint32_t object)
{
    const struct shw_project *project = project_of(kinds);

    for (uint32_t e = project != NULL ? shw_project_get_example_count(project) : 0; e-- > 0;) {
        const struct shw_object_example example = shw_project_get_example(project, e);

        if (object_of(kinds, found, &example) == object)
            return e;
    }
    return UINT32_MAX;
}

uint32_t view_kinds_taught(const struct view_kinds *kinds, const struct view_found *found, uint32_t object)
{
    uint32_t example = example_of(kinds, found, object);

    return example != UINT32_MAX ? shw_project_get_example(project_of(kinds), example).number : VIEW_NO_KIND;
}

enum shw_result view_kinds_need_hand(const struct view_kinds *kinds)
{
    return kinds->hand != VIEW_NO_KIND ? SHW_OK
                                       : shw_fail(&kinds->teaching->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                                  "no object class is in hand: `object-hand CLASS` takes one");
}

enum shw_result view_kinds_teach(struct view_kinds *kinds, const struct view_found *found, uint32_t x, uint32_t y)
{
    struct view_teaching *teaching = kinds->teaching;
    const struct shw_log *log = &teaching->scene->log;
    const uint32_t object = found != NULL ? view_found_at(found, x, y) : 0;
    uint32_t example;

    SHW_PROPAGATE(view_kinds_need_hand(kinds));
    if (object == 0)
        return shw_fail(
            log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
            found == NULL ? "the objects of this picture are not found yet" : "there is no object at %u, %u", x, y);
    view_teaching_end_stroke(teaching);
    SHW_PROPAGATE(view_painting_need_picture(&teaching->painting));
    example = example_of(kinds, found, object);
    if (example != UINT32_MAX) { /* the same pixel again, so that the last word counts */
        const struct shw_object_example known = shw_project_get_example(project_of(kinds), example);

        if (known.number == kinds->hand)
            return SHW_OK;
        x = known.x;
        y = known.y;
    } else if (kinds->hand == VIEW_FORGET_KIND) {
        return SHW_OK;
    }
    return shw_project_teach_object(project_of(kinds), teaching->painting.picture, x, y,
                                    kinds->hand == VIEW_FORGET_KIND ? UINT32_MAX : kinds->hand,
                                    found->values + (size_t)(object - 1) * SHW_OBJECT_ATTRIBUTES);
}

/* The examples of the shown picture have the attributes of its objects as they are now. */
static void measure(struct view_kinds *kinds, const struct view_found *found)
{
    struct shw_project *project = project_of(kinds);

    if (kinds->measured == shw_project_get_objects_revision(project) && kinds->measured_found == found->serial)
        return;
    for (uint32_t e = 0; e < shw_project_get_example_count(project); e++) {
        const struct shw_object_example example = shw_project_get_example(project, e);
        const uint32_t object = object_of(kinds, found, &example);

        if (object > 0)
            shw_project_measure_example(project, e, found->values + (size_t)(object - 1) * SHW_OBJECT_ATTRIBUTES);
    }
    kinds->measured = shw_project_get_objects_revision(project);
    kinds->measured_found = found->serial;
}

static enum shw_result begin(struct view_kinds *kinds)
{
    static const struct view_job_kind kind = {"training on objects", (enum shw_priority)0, train, NULL};
    const uint64_t revision = shw_project_get_objects_revision(project_of(kinds)) + 1;

    if (kinds->running || kinds->begun == revision)
        return SHW_OK;
    kinds->begun = revision;
    shw_object_lessons_free(&kinds->lessons);
    SHW_PROPAGATE(shw_project_make_lessons(project_of(kinds), &kinds->lessons));
    if (!shw_object_lessons_suffice(&kinds->lessons)) {
        kinds->number += kinds->forest != NULL;
        shw_object_forest_destroy(&kinds->forest);
        return SHW_OK;
    }
    if (kinds->job.kind == NULL)
        view_job_init(&kinds->job, &kind, kinds);
    SHW_PROPAGATE(view_job_begin(&kinds->job, &kinds->log));
    kinds->running = true;
    return SHW_OK;
}

static enum shw_result take(struct view_kinds *kinds)
{
    enum shw_result result = view_job_take(&kinds->job);

    kinds->running = false;
    if (result == SHW_OK) {
        shw_object_forest_destroy(&kinds->forest);
        kinds->forest = kinds->made;
        kinds->made = NULL;
        kinds->number++;
    }
    return result;
}

/* Gives the objects the forest's object classes, or takes them away without one. */
static enum shw_result apply(const struct view_kinds *kinds, struct view_found *found)
{
    found->kinds = kinds->number;
    if (kinds->forest != NULL)
        return shw_object_forest_apply(kinds->forest, found->values, &kinds->log, &found->objects);
    for (uint32_t n = 0; n < found->objects.count; n++)
        found->objects.list[n].kind = 0;
    return SHW_OK;
}

enum shw_result view_kinds_poll(struct view_kinds *kinds, struct view_found *found, bool settled, bool *changed)
{
    if (project_of(kinds) != NULL) {
        if (found != NULL && settled)
            measure(kinds, found);
        if (kinds->running && view_job_is_done(&kinds->job)) {
            *changed = true;
            SHW_PROPAGATE(take(kinds));
        }
        SHW_PROPAGATE(begin(kinds));
    }
    if (found == NULL || found->kinds == kinds->number)
        return SHW_OK;
    *changed = true;
    return apply(kinds, found);
}

bool view_kinds_are_current(const struct view_kinds *kinds, const struct view_found *found)
{
    return !kinds->running && found->kinds == kinds->number &&
           (project_of(kinds) == NULL || kinds->begun == shw_project_get_objects_revision(project_of(kinds)) + 1);
}

enum shw_result view_kinds_train(const struct view_kinds *kinds, const struct shw_log *log,
                                 struct shw_object_forest **forest)
{
    struct shw_object_lessons lessons = {0};
    enum shw_result result;

    *forest = NULL;
    if (project_of(kinds) == NULL)
        return SHW_OK;
    result = shw_project_make_lessons(project_of(kinds), &lessons);
    if (result == SHW_OK && shw_object_lessons_suffice(&lessons))
        result = shw_object_forest_train(&lessons, log, forest);
    shw_object_lessons_free(&lessons);
    return result;
}
