#include "label/camera_delay.h"

/* Labels came with the picture, or are complete by now, or there are none to wait for. */
static bool is_labelled(const struct view_scene *scene)
{
    return scene->labelled_count == scene->picture_count || view_scene_is_current(scene);
}

void view_camera_delay_note(struct view_camera_delay *delay, const struct view_scene *scene)
{
    const struct view_picture *picture = scene->picture;

    if (picture == NULL || picture->captured == 0.0 || delay->measured == scene->picture_count ||
        delay->captured != 0.0 || !is_labelled(scene))
        return;
    delay->measured = scene->picture_count;
    delay->captured = picture->captured;
    delay->frame = scene->labelling.params.frames->count - 1;
}

void view_camera_delay_check(struct view_camera_delay *delay, const struct view_labelling_params *params)
{
    if (delay->captured == 0.0 || !view_frames_is_over(params->gpu, params->frames, delay->frame, 0.0))
        return;
    view_times_add(&params->frames->times, VIEW_TIME_CAMERA, (view_clock() - delay->captured) * 1e3);
    delay->captured = 0.0;
}
