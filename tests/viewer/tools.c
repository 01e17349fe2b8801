/* The tools in the program: what they paint by the mouse, by keys and by scripts is what the project is given here. */
#include "teaching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "teach/region.h"

static void move_to(const struct view *view, int32_t x, int32_t y)
{
    script("mouse move %d %d", (int)((x * view->zoom + view->zoom / 2 + view->offset_x) / 256),
           (int)((y * view->zoom + view->zoom / 2 + view->offset_y) / 256));
}

static void click_at(const struct view *view, int32_t x, int32_t y, const char *button)
{
    move_to(view, x, y);
    script("mouse press %s\nmouse release %s", button, button);
}

static void add(uint32_t picture, uint32_t number, struct view_runs *runs)
{
    assert_int_equal(shw_project_add_area(taught.project, picture, number, runs->points, runs->count / 2), SHW_OK);
    view_runs_free(runs);
}

static void add_polygon(uint32_t number, const struct shw_point *corners, uint32_t count)
{
    struct view_runs runs = {0};

    assert_int_equal(view_polygon_fill(corners, count, WIDTH, HEIGHT, &runs), SHW_OK);
    add(0, number, &runs);
}

static uint16_t label_at(const void *user, uint32_t x, uint32_t y)
{
    const uint16_t *labels = user;

    return labels[y * WIDTH + x];
}

static void add_region(const uint16_t *labels, uint32_t number, uint32_t x, uint32_t y)
{
    const struct view_values values = {WIDTH, HEIGHT, label_at, labels};
    struct view_runs runs = {0};
    unsigned sides;

    assert_int_equal(view_region_grow(&values, x, y, 0, &runs, &sides), SHW_OK);
    add(0, number, &runs);
}

static void stroke(uint32_t number, uint32_t radius, const struct shw_point *points, uint32_t count)
{
    assert_int_equal(shw_project_begin_stroke(taught.project, 0, number, radius, points[0]), SHW_OK);
    for (uint32_t p = 1; p < count; p++)
        assert_int_equal(shw_project_extend_stroke(taught.project, points[p]), SHW_OK);
    shw_project_end_stroke(taught.project);
}

TESTING_CASE(outlines_are_filled)
{
    static const struct shw_point lasso[] = {{4, 4}, {20, 6}, {25, 20}, {9, 28}, {3, 15}},
                                  small[] = {{6, 8}, {15, 9}, {12, 18}},
                                  polygon[] = {{30, 5}, {44, 9}, {40, 30}, {28, 22}};
    struct view view = picture_view(0);

    begin(taught.folder);
    script("overlay none\nteach off\nclass left\nkey O\nlock right on");
    shw_project_lock_class(taught.project, 2, true);
    for (uint32_t p = 0; p < 5; p++) {
        move_to(&view, lasso[p].x, lasso[p].y);
        script(p == 0 ? "mouse press left" : "wait 1");
    }
    script("mouse release left");
    add_polygon(0, lasso, 5);
    shoot(&view, 0, true);
    for (uint32_t p = 0; p < 3; p++) { /* the right button erases */
        move_to(&view, small[p].x, small[p].y);
        script(p == 0 ? "mouse press right" : "wait 1");
    }
    script("mouse release right");
    add_polygon(SHW_LABEL_VOID, small, 3);
    shoot(&view, 0, true);
    script("key Y\nclass right");
    for (uint32_t p = 0; p < 4; p++)
        click_at(&view, polygon[p].x, polygon[p].y, "left");
    click_at(&view, 35, 15, "left");                                                    /* one too many */
    script("key F1\nwait 3\nkey Backspace\nkey Enter\nkey Escape\npanels off\nwait 1"); /* not while help is shown */
    script("key Backspace\nkey Enter");
    add_polygon(2, polygon, 4);
    shoot(&view, 0, true);
    script("class left"); /* what is locked stays */
    for (uint32_t p = 0; p < 3; p++)
        click_at(&view, polygon[p].x - 6, polygon[p].y, "left");
    click_at(&view, polygon[2].x - 6, polygon[2].y, "left"); /* as by a double click */
    add_polygon(0, (struct shw_point[]){{24, 5}, {38, 9}, {34, 30}}, 3);
    shoot(&view, 0, true);
    click_at(&view, 10, 10, "left");
    click_at(&view, 20, 10, "left");
    script("key Escape\nkey Ctrl+Z"); /* given up: the second undoes */
    assert_true(shw_project_undo(taught.project, NULL));
    shoot(&view, 0, true);
    script("key Ctrl+Shift+Z\nlasso middle 1 1 9 1 9 9\npolygon eraser 2 2 5 2 5 4");
    assert_true(shw_project_redo(taught.project, NULL));
    add_polygon(1, (struct shw_point[]){{1, 1}, {9, 1}, {9, 9}}, 3);
    add_polygon(SHW_LABEL_VOID, (struct shw_point[]){{2, 2}, {5, 2}, {5, 4}}, 3);
    shoot(&view, 0, true);
    run_and_compare();
    end();
}

/* A click outside the picture is no stroke; one that is drawn from there into it begins outside. */
TESTING_CASE(strokes_reach_the_picture)
{
    static const struct shw_point line[] = {{-12, 10}, {8, 12}};
    struct view view = picture_view(0);

    begin(taught.folder);
    script("overlay none\nteach off\nradius 2 picture\nclass left\nkey B");
    move_to(&view, line[0].x, line[0].y);
    script("mouse press left");
    move_to(&view, line[1].x, line[1].y);
    script("mouse release left");
    stroke(0, 2, line, 2);
    click_at(&view, -12, 10, "left");
    click_at(&view, 10, HEIGHT + 9, "right");
    shoot(&view, 0, true);
    script("pictures\nundo"); /* the only one */
    assert_true(shw_project_undo(taught.project, NULL));
    shoot(&view, 0, true);
    run_and_compare();
    assert_non_null(strstr(script_output(), ", 1 stroke: left"));
    end();
}

TESTING_CASE(enclosed_regions_are_filled)
{
    static const struct shw_point ring[] = {{10, 8}, {30, 8}, {30, 25}, {10, 25}, {10, 8}};
    struct view view = picture_view(0);

    begin(taught.folder);
    script("overlay none\nteach off\nstroke left 0 10 8 30 8 30 25 10 25 10 8\nclass middle\nkey K");
    stroke(0, 0, ring, 5);
    click_at(&view, 3, 3, "left"); /* around it: refused */
    shoot(&view, 0, true);
    click_at(&view, 20, 15, "left");
    add_region(testing_labels(taught.project, 0), 1, 20, 15);
    shoot(&view, 0, true);
    click_at(&view, 10, 10, "right"); /* the ring */
    add_region(testing_labels(taught.project, 0), SHW_LABEL_VOID, 10, 10);
    shoot(&view, 0, true);
    script("fill right 20 15\nlock right on");
    add_region(testing_labels(taught.project, 0), 2, 20, 15);
    click_at(&view, 20, 15, "left"); /* locked: refused */
    shoot(&view, 0, true);
    /* with a side of the picture */
    script("stroke left 0 0 30 40 30 40 35\nfill left 5 33");
    stroke(0, 0, (struct shw_point[]){{0, 30}, {40, 30}, {40, 35}}, 3);
    add_region(testing_labels(taught.project, 0), 0, 5, 33);
    shoot(&view, 0, true);
    run_and_compare();
    end();
}

/* A brush that nobody has changed is as wide on the screen at any zoom. */
TESTING_CASE(brushes_are_as_wide_on_the_screen)
{
    struct view view = picture_view(0);
    const uint32_t radius = (uint32_t)((13 * 256 / view.zoom) / 2);

    assert_true(radius < 6);
    begin(taught.folder);
    script("overlay none\nteach off\nclass left\nkey B");
    click_at(&view, 20, 15, "left");
    stroke(0, radius, (struct shw_point[]){{20, 15}}, 1);
    shoot(&view, 0, true);
    run_and_compare();
    end();
}

/* With Shift; with an eraser of its own size; and with sizes of the screen. */
TESTING_CASE(brushes_have_lines_and_sizes)
{
    struct view view = picture_view(0);

    begin(taught.folder);
    script("overlay none\nteach off\nclass left\nkey B\nradius 1 picture");
    click_at(&view, 5, 5, "left");
    stroke(0, 1, (struct shw_point[]){{5, 5}}, 1);
    script("mouse hold shift");
    click_at(&view, 40, 12, "left");
    stroke(0, 1, (struct shw_point[]){{5, 5}, {40, 12}}, 2);
    click_at(&view, 30, 30, "left");
    stroke(0, 1, (struct shw_point[]){{40, 12}, {30, 30}}, 2);
    script("mouse hold nothing");
    shoot(&view, 0, true);
    script("key E\nradius 3 picture\nkey >\nmouse hold control\nmouse wheel -2\nmouse hold nothing");
    click_at(&view, 20, 8, "left");
    stroke(SHW_LABEL_VOID, 3, (struct shw_point[]){{20, 8}}, 1);
    shoot(&view, 0, true);
    script("line middle 2 10 30 12 20\nkey B"); /* from where the eraser was */
    stroke(1, 2, (struct shw_point[]){{20, 8}, {10, 30}, {12, 20}}, 3);
    click_at(&view, 44, 20, "left"); /* the brush is as it was */
    stroke(0, 1, (struct shw_point[]){{44, 20}}, 1);
    shoot(&view, 0, true);
    script("radius 5 screen");
    for (uint32_t i = 0; i < 3; i++) { /* 11 pixels of the screen are 22, 5.5 and 2.75 */
        static const uint32_t radii[] = {11, 2, 1}, zooms[] = {128, 512, 1024};
        view.zoom = zooms[i];
        view.offset_x = CANVAS_WIDTH * 128 - 49 * view.zoom / 2;
        view.offset_y = CANVAS_HEIGHT * 128 - 37 * view.zoom / 2;
        script("zoom %g\ncentre 24 18", zooms[i] / 256.0);
        click_at(&view, 9, 13, "left");
        stroke(0, radii[i], (struct shw_point[]){{9, 13}}, 1);
        shoot(&view, 0, true);
        script("undo");
        assert_true(shw_project_undo(taught.project, NULL));
    }
    run_and_compare();
    end();
}

/* By labels that are computed asynchronously, and within frames. */
static void use_wand(const char *technique)
{
    struct view view = picture_view(0);
    struct testing_labelling labels;
    struct shw_forest *forest;

    begin(taught.folder);
    paint_areas(0, 20);
    paint_areas(0, 60);
    script("wait trained\nexport forest %s", file("wand.ktx2"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    load_hash(file("wand.ktx2"), &forest);
    labels = testing_label(&(struct shw_labeller_params){.forest = forest}, view.image);
    end();
    begin(taught.folder);
    script("technique %s\nteach off\nforest %s\noverlay none\nwait 2\nwand middle 40 30\nclass left\nkey W", technique,
           file("wand.ktx2"));
    add_region(labels.out.argmax, 1, 40, 30);
    shoot(&view, 0, true);
    click_at(&view, 5, 10, "left");
    script("wait 4");
    add_region(labels.out.argmax, 0, 5, 10);
    shoot(&view, 0, true);
    click_at(&view, 40, 30, "right");
    script("wait 4");
    add_region(labels.out.argmax, SHW_LABEL_VOID, 40, 30);
    shoot(&view, 0, true);
    script("undo");
    assert_true(shw_project_undo(taught.project, NULL));
    shoot(&view, 0, true);
    run_and_compare();
    testing_labelling_free(&labels);
    shw_forest_destroy(&forest);
    end();
}

TESTING_CASE(the_wand_takes_what_is_labelled_alike)
{
    use_wand("cpu");
    use_wand("compute");
}

/* Not while a text field has the focus. */
TESTING_CASE(keys_go_to_the_ends_of_the_list)
{
    struct view first = picture_view(0), last = picture_view(1);

    begin(taught.folder);
    script("overlay none\nkey End");
    shoot(&last, 1, false);
    script("key Home");
    shoot(&first, 0, false);
    script("panels on\nwait 12\nclick ##class\nwait 4\nkey End\ntype w\nkey Ctrl+Shift+Z\nwait 4\npanels off");
    shoot(&first, 0, false);
    run_and_compare();
    end();
}

/* Refused with a reason, and nothing is painted. */
static void refuse(const char *lines, const char *message)
{
    const char *said;

    script("open %s\nproject new\nadd-class a\nadd-class b\nteach off\nstroke a 1 10 10 20 10", taught.paths[0]);
    script("%s", lines);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 1);
    if (strstr(said, message) == NULL)
        fail_msg("%s: %s", lines, said);
}

TESTING_CASE(what_cannot_be_done_is_told)
{
    refuse("fill b 30 30", "strokes do not enclose this region");
    refuse("fill a 15 10", "it has this class already");
    refuse("fill a 48 3", "there is no such pixel");
    refuse("wand a 3 3", "the wand needs labels");
    refuse("polygon a 3 3 5 5", "an outline needs three points");
    refuse("polygon a -9 -9 -5 -5 -9 -3", "the outline has no pixel of the picture");
    refuse("lasso a 3 3 5", "3 3 5 is not a list of points");
    refuse("outline close", "there is no outline in progress");
    refuse("hand foot", "foot is not pan, brush");
    refuse("radius screen 3", "screen 3 is not a radius");
    refuse("undo\nline a 1 3 3", "there is no stroke on this picture");
    refuse("mouse hold breath", "hold breath is not");
}

TESTING_FIXTURE(open_taught, close_taught)
