/* Areas: strokes that consist of runs of pixels. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/project/state.h"

enum shw_result shw_project_take_area(struct shw_project *project, uint32_t picture, struct shw_stroke *area,
                                      bool joined, bool painted)
{
    struct shw_picture_state *state = &project->pictures[picture];
    const struct shw_edit edit = {.is_stroke = true, .joined = joined, .which = picture};
    enum shw_result result;

    area->area = true;
    if (!shw_project_list_locked(project, area) || !shw_project_push_stroke(state, area)) {
        result = shw_fail_memory(&project->log, state->name);
        goto fail;
    }
    result = shw_project_record(project, &edit);
    if (result == SHW_OK) {
        shw_project_end_stroke(project);
        if (!painted)
            shw_project_paint_last(project, picture, 0);
        return SHW_OK;
    }
    state->stroke_count--;

fail:
    shw_stroke_free(area);
    return result;
}

enum shw_result shw_project_add_area(struct shw_project *project, uint32_t picture, uint32_t number,
                                     const struct shw_point *runs, uint32_t count)
{
    uint32_t id = number == SHW_LABEL_VOID ? SHW_STROKE_ERASER : shw_project_class_id(project, number);
    struct shw_stroke area = {.class_id = id};

    if (picture >= project->picture_count || (id == UINT32_MAX && number != SHW_LABEL_VOID) || count == 0)
        return shw_fail(&project->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "an area needs a picture, an existing class, and pixels");
    if (count > SHW_STROKE_POINTS_MAX / 2)
        return shw_fail(&project->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT, "an area has at most %u runs of pixels",
                        SHW_STROKE_POINTS_MAX / 2);
    area.points = malloc(2 * (size_t)count * sizeof *area.points);
    if (area.points == NULL)
        return shw_fail_memory(&project->log, "an area");
    memcpy(area.points, runs, 2 * (size_t)count * sizeof *area.points);
    area.point_count = area.point_capacity = 2 * count;
    return shw_project_take_area(project, picture, &area, false, false);
}
