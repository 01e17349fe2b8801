/* What the status bar says of the work in progress, and of what is saved. */
#include "teaching.h"

#include <stdio.h>
#include <string.h>

static void assert_said(const char *text)
{
    if (strstr(script_output(), text) == NULL)
        fail_msg("'%s' is not in: %s", text, script_output());
}

TESTING_CASE(training_that_is_paused_is_told)
{
    begin(taught.folder);
    paint_areas(0, 30);
    script("wait trained\nteach off\nstatus\nteach on\ntraining trees 3\nwait trained\nrestore\nwait 2\nstatus");
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_said("status: training is paused; new project: not saved\n");
    assert_said("status: the forest before is shown; new project: not saved\n");
    end();
}

/* What is not saved is what is called so. */
TESTING_CASE(rectangles_are_not_the_project)
{
    script("project new\nopen %s\nadd-class one\nteach off\nstroke one 0 2 3\nsave %s\nrectangle 1 1 9 9 "
           "thing\nstatus\nrectangles-save %s\nstatus\nrectangle 2 2 8 8 thing\nstatus\nstroke one 0 5 5\nstatus",
           taught.paths[0], file("status.json"), file("status.csv"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_said("; rectangles: not saved\nstatus: training is paused; status.json: saved\nstatus: training is paused; "
                "status.csv: not saved\nstatus: training is paused; status.json: not saved\n");
}

TESTING_FIXTURE(open_taught, close_taught)
