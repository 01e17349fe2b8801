#include "teach/brush.h"

#include <math.h>

#include "base/log.h"

bool view_brush_in_hand(const struct view_teaching *teaching)
{
    return teaching->project.data != NULL && teaching->hand != VIEW_HAND_PAN;
}

/* The pixel of the picture under the cursor; it may be outside. */
static struct shw_point pixel_below(const struct view_teaching *teaching)
{
    const struct view_place *place = &teaching->scene->place;
    double across = floor((teaching->cursor->x * VIEW_ZOOM_ONE - place->offset_x) / place->zoom);
    double down = floor((teaching->cursor->y * VIEW_ZOOM_ONE - place->offset_y) / place->zoom);

    return (struct shw_point){(int32_t)fmin(fmax(across, -SHW_STROKE_PLACE_MAX), SHW_STROKE_PLACE_MAX),
                              (int32_t)fmin(fmax(down, -SHW_STROKE_PLACE_MAX), SHW_STROKE_PLACE_MAX)};
}

/* The right button always erases. */
bool view_brush_press(struct view_teaching *teaching, bool right)
{
    const struct view_scene *scene = teaching->scene;
    bool erases = teaching->hand == VIEW_HAND_ERASER || right;

    if (!erases && scene->settings.chosen >= teaching->class_count) {
        shw_log_message(&scene->log, SHW_LOG_WARNING, SHW_LOG_ARGUMENT,
                        "there is no class to paint with: add one first");
        return false;
    }
    return view_painting_begin(&teaching->painting, erases ? SHW_LABEL_VOID : scene->settings.chosen, teaching->radius,
                               pixel_below(teaching)) == SHW_OK;
}

void view_brush_drag(struct view_teaching *teaching)
{
    if (shw_project_is_painting(teaching->project.data))
        view_painting_extend(&teaching->painting, pixel_below(teaching));
}

/* With Ctrl, changes the size of the brush. */
bool view_brush_wheel(struct view_teaching *teaching, double notches)
{
    double radius = teaching->radius + (fabs(notches) < 1.0 ? copysign(1.0, notches) : notches);

    if (!teaching->cursor->control)
        return false;
    teaching->radius = (uint32_t)lround(fmin(fmax(radius, 0.0), SHW_STROKE_RADIUS_MAX));
    return true;
}

void view_brush_middle(const struct view_teaching *teaching, float *x, float *y)
{
    const struct view_place *place = &teaching->scene->place;
    struct shw_point pixel = pixel_below(teaching);

    *x = (float)(((double)pixel.x + 0.5) * place->zoom + place->offset_x) / VIEW_ZOOM_ONE;
    *y = (float)(((double)pixel.y + 0.5) * place->zoom + place->offset_y) / VIEW_ZOOM_ONE;
}
