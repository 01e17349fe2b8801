/* What the viewer draws over pictures, byte for byte: everything on its way, from labels to colours, is integer
 * arithmetic. */
#include "scene.h"

#include <stdint.h>

TESTING_CASE(every_overlay_is_what_its_formula_says)
{
    static const char *const modes[] = {"none", "argmax", "blend", "entropy", "truth", "errors"};
    struct view view = scene_first_view();

    scene_shoot(&view);
    for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
        view.mode = modes[m];
        view.opacity = 35 + 13 * (uint32_t)m;
        script("overlay %s\nopacity %u", view.mode, view.opacity);
        scene_shoot(&view);
    }
    view.mode = "heat";
    for (view.chosen = 0; view.chosen < SCENE_CLASSES; view.chosen += 9) {
        script("overlay heat\nclass %u", view.chosen);
        scene_shoot(&view);
    }
    scene_compare();
}

TESTING_CASE(hidden_classes_leave_the_picture)
{
    struct view view = scene_first_view();
    bool hidden[3][SCENE_CLASSES] = {{false}};
    uint16_t common = scene.labels.out.argmax[SCENE_WIDTH * SCENE_HEIGHT / 2];

    hidden[0][common] = true;
    view.hidden = hidden[0];
    script("visible %u off\ncontours on", common);
    view.contours = true;
    scene_shoot(&view);
    view.mode = "blend";
    script("overlay blend");
    scene_shoot(&view);
    for (uint32_t c = 0; c < SCENE_CLASSES; c++)
        hidden[1][c] = c != common;
    view.hidden = hidden[1];
    script("visible %s alone", shw_forest_get_info(scene.forest)->classes[common].name);
    scene_shoot(&view);
    view.hidden = hidden[2];
    script("visible all on\ncontours toggle\nwipe 30");
    view.contours = false;
    view.wipe = 30;
    scene_shoot(&view);
    view.mode = "truth";
    script("overlay truth\nwipe +15\ncontours on");
    view.wipe = 45;
    view.contours = true;
    scene_shoot(&view);
    scene_compare();
}

TESTING_CASE(zooming_and_panning_go_to_the_single_pixel)
{
    struct view view = scene_first_view();

    view.mode = "blend";
    script("overlay blend\nzoom 1");
    view_zoom(&view, 256);
    scene_shoot(&view);
    script("pan -20 13");
    view.offset_x -= 20 * 256;
    view.offset_y += 13 * 256;
    scene_shoot(&view);
    script("zoom in");
    view_zoom(&view, 512);
    scene_shoot(&view);
    script("zoom 0.3");
    view_zoom(&view, 77);
    scene_shoot(&view);
    script("zoom 64\ncentre 17 9");
    view.zoom = 64 * 256;
    view.offset_x = SCENE_CANVAS_WIDTH / 2 * 256 - 17 * view.zoom - view.zoom / 2;
    view.offset_y = SCENE_CANVAS_HEIGHT / 2 * 256 - 9 * view.zoom - view.zoom / 2;
    scene_shoot(&view);
    script("zoom fit");
    view_fit(&view);
    scene_shoot(&view);
    script("zoom 0.001");
    for (int i = 0; i < 60; i++) /* as far away as it goes; there it stays, however near it comes */
        script("pan -100000 -100000");
    script("pan %d %d\nzoom 0.25", SCENE_CANVAS_WIDTH / 2, SCENE_CANVAS_HEIGHT / 2);
    view.offset_x = view.offset_y = -INT32_MAX;
    scene_shoot(&view);
    scene_compare();
}

/* The forest's classes have default colours. */
TESTING_CASE(colour_blind_people_are_shown_others)
{
    uint8_t colours[SCENE_CLASSES][3] = {{170, 85, 238},  {153, 170, 17},  {0, 136, 119},   {85, 68, 0},
                                         {85, 34, 170},   {119, 238, 170}, {221, 136, 170}, {119, 119, 17},
                                         {204, 153, 255}, {187, 238, 0},   {136, 0, 68},    {255, 17, 119},
                                         {255, 187, 238}, {170, 68, 85},   {136, 0, 238},   {153, 85, 153},
                                         {153, 187, 119}, {153, 136, 204}, {119, 34, 102},  {153, 136, 68}};
    struct view view = scene_first_view();

    script("overlay blend");
    view.mode = "blend";
    scene_shoot(&view);
    script("colour-blind on");
    view.colours = colours;
    scene_shoot(&view);
    script("colour-blind toggle");
    view.colours = scene.colours;
    scene_shoot(&view);
    scene_compare();
}

TESTING_CASE(techniques_give_the_same_picture)
{
    struct view view = scene_first_view();

    view.mode = "blend";
    script("overlay blend\ntechnique fragment");
    scene_shoot(&view);
    script("technique compute\ntechnique integrate fragment\nwait 3");
    scene_shoot(&view);
    script("technique auto");
    scene_shoot(&view);
    scene_compare();
}

/* Probabilities are made only for overlays that show them: those before and after need none. */
TESTING_CASE(probabilities_are_there_when_they_are_looked_at)
{
    static const char *const modes[] = {"argmax", "entropy", "argmax", "errors", "heat", "blend", "truth", "blend"};
    struct view view = scene_view();

    script("open dataset:%s\nforest %s\ntechnique compute\nclass 2", scene.folder, scene.forest_path);
    view.chosen = 2;
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        script("overlay %s", modes[i]);
        view.mode = modes[i];
        scene_shoot(&view);
    }
    scene_compare();
}

TESTING_FIXTURE(scene_open, scene_close)
