/* What the viewer shows instead of pictures, byte for byte: channels, integral images and depth. */
#include "scene.h"

#include <math.h>
#include <stdlib.h>

/* A channel of the forest's set, or without a forest of the widest; opaque, and no contours. */
TESTING_CASE(channels_are_what_forests_see)
{
    const char *set = shw_forest_get_info(scene.forest)->channels;
    const struct shw_image *image = &scene.example.image;
    double *planes[] = {scene_plane(image, SHW_CHANNELS_WIDE, 0, false, 0, 0),
                        scene_plane(image, SHW_CHANNELS_WIDE, 26, false, 0, 0),
                        scene_plane(image, set, 12, false, 0, 0),
                        scene_plane(image, set, 12, false, 0, 4080),
                        scene_plane(image, set, 12, true, 0, 0),
                        scene_plane(image, set, 1, true, 0, 0),
                        scene_plane(image, set, 1, false, 500, 3000)};
    struct view view = scene_view();

    script("open dataset:%s\noverlay channel", scene.folder);
    view.mode = "channel";
    view.plane = planes[0];
    scene_shoot(&view);
    script("contours on\nopacity 10\nchannel -1\nwipe 40");
    view.plane = planes[1];
    view.wipe = 40;
    scene_shoot(&view);
    script("channel dx-2\nforest %s\nwipe 0", scene.forest_path);
    view.wipe = 0;
    view.plane = planes[2];
    scene_shoot(&view);
    script("levels full");
    view.plane = planes[3];
    scene_shoot(&view);
    script("overlay integral");
    view.mode = "integral";
    view.plane = planes[4];
    scene_shoot(&view);
    script("channel +5\nlevels auto");
    view.plane = planes[5];
    scene_shoot(&view);
    script("overlay channel\nlevels 500 3000");
    view.mode = "channel";
    view.plane = planes[6];
    scene_shoot(&view);
    script("overlay argmax\ncontours off\nopacity 50");
    view.mode = "argmax";
    scene_shoot(&view);
    scene_compare();
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++)
        free(planes[i]);
}

/* In grey from 0 on, or between given distances. */
static double *depth_plane(double low, double high)
{
    double *plane = malloc(SCENE_WIDTH * SCENE_HEIGHT * sizeof *plane), largest = 0.0;
    const uint16_t *depth = shw_inputs_find(&scene.example.inputs, SHW_DEPTH)->image.pixels;

    assert_non_null(plane);
    for (size_t i = 0; i < SCENE_WIDTH * SCENE_HEIGHT; i++)
        largest = fmax(largest, depth[i]);
    for (size_t i = 0; i < SCENE_WIDTH * SCENE_HEIGHT; i++)
        plane[i] = fmin(fmax((depth[i] - low) / ((high > 0.0 ? high : largest) - low), 0.0), 1.0);
    return plane;
}

TESTING_CASE(depth_images_are_shown)
{
    double *planes[] = {depth_plane(0, 0), depth_plane(0, 65535), depth_plane(1500, 3200)};
    const char *const levels[] = {"auto", "full", "1500 3200"};
    struct view view = scene_view();

    script("open dataset:%s\noverlay depth", scene.folder);
    view.mode = "depth";
    for (int i = 0; i < 3; i++) {
        script("levels %s", levels[i]);
        view.plane = planes[i];
        scene_shoot(&view);
    }
    scene_compare();
    for (int i = 0; i < 3; i++)
        free(planes[i]);
}

TESTING_FIXTURE(scene_open, scene_close)
