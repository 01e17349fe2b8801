/* When tooltips are shown: when the mouse has rested on an item for a while. */
#include "open_app.h"

#include <math.h>

#include "testing/testing.h"

static void draw(struct view_app *app)
{
    for (int i = 0; i < 4; i++)
        assert_int_equal(view_app_frame(app, NULL), SHW_OK);
}

TESTING_CASE(tooltips_wait_until_the_mouse_rests)
{
    struct view_app app;
    double x, y;

    open_app_with((struct view_app_params){.canvas = {640, 480}}, &app);
    assert_int_equal(view_app_run(&app, "panels on"), SHW_OK);
    draw(&app);
    assert_true(view_app_find(&app, "Contours", &x, &y));
    assert_true(isinf(view_ui_tooltip_due()));
    view_ui_delay_tooltips(1e6);
    view_input_move(&app, x, y);
    draw(&app);
    assert_true(view_ui_tooltip_due() > 0.0 && view_ui_tooltip_due() <= 1e6);
    assert_true(view_app_patience(&app) <= view_ui_tooltip_due());
    view_ui_delay_tooltips(0.0);
    assert_true(view_ui_tooltip_due() == 0.0);
    app.scene.redraw = false;
    assert_int_equal(view_app_poll(&app, 1.0), SHW_OK);
    assert_true(view_app_needs_frame(&app));
    draw(&app);
    assert_true(isinf(view_ui_tooltip_due())); /* it is shown */
    view_ui_delay_tooltips(1e6);
    view_input_move(&app, 600.0, 5.0);
    draw(&app);
    assert_true(isinf(view_ui_tooltip_due()));
    assert_int_equal(view_app_destroy(&app), 0);
}
