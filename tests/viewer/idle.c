/* A window in which nothing happens draws nothing, whatever it shows. */
#include "open_app.h"
#include "teaching.h"

#include <stdio.h>
#include <time.h>

#define QUIET    3.0 /* seconds without a frame */
#define PATIENCE 300.0

static void run(struct view_app *app, const char *line)
{
    assert_int_equal(view_app_run(app, line), SHW_OK);
}

/* As the window's loop does; false: no frame was needed. */
static bool step(struct view_app *app)
{
    const struct timespec moment = {.tv_nsec = 2000000};

    assert_int_equal(view_app_poll(app, view_clock()), SHW_OK);
    if (!view_app_needs_frame(app)) {
        nanosleep(&moment, NULL);
        return false;
    }
    app->scene.redraw = false;
    assert_int_equal(view_app_frame(app, NULL), SHW_OK);
    return true;
}

/* Sooner or later there are no frames for a while. */
static void assert_comes_to_rest(struct view_app *app)
{
    const double begun = view_clock();
    double last = begun;

    while (view_clock() - last < QUIET) {
        if (step(app))
            last = view_clock();
        if (last - begun > PATIENCE)
            fail_msg("frames are drawn although nothing happens");
    }
}

TESTING_CASE(an_idle_window_draws_nothing)
{
    struct view_app app;
    char line[600];

    open_app_with((struct view_app_params){.canvas = {1920, 1080}}, &app);
    run(&app, "panels on");
    assert_comes_to_rest(&app); /* the first page */
    snprintf(line, sizeof line, "open %s", taught.folder);
    run(&app, line);
    run(&app, "panels left on");
    run(&app, "panels right on");
    for (const struct view_panel *panel = view_panel_list; panel->name != NULL; panel++) {
        snprintf(line, sizeof line, "panel %s on", panel->name);
        run(&app, line);
    }
    assert_comes_to_rest(&app);
    run(&app, "project new");
    run(&app, "add-class one");
    run(&app, "add-class two");
    run(&app, "stroke one 1 2 2 9 2");
    run(&app, "stroke two 1 2 20 9 30");
    run(&app, "objects on");
    run(&app, "rectangle 2 2 9 9 one");
    view_input_move(&app, 900.0, 500.0);
    assert_comes_to_rest(&app); /* trained, labelled and measured */
    assert_true(app.scene.forest != NULL);
    run(&app, "help on");
    assert_comes_to_rest(&app);
    run(&app, "help off");
    run(&app, "browse");
    assert_comes_to_rest(&app);
    assert_int_equal(view_app_destroy(&app), 0);
}

TESTING_FIXTURE(open_taught, close_taught)
