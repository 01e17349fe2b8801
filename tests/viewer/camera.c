/* A camera in the viewer: the delay from capture to overlay, and a camera that stops. The camera is
 * camera_stand_in.c. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char forest[FILE_PATH], picture[FILE_PATH];

static int write_files(void **state)
{
    (void)state;
    write_forest_and_picture(64, 48, forest, picture);
    setenv("LD_PRELOAD", CAMERA_STAND_IN, 1);
    return 0;
}

/* Pictures are two seconds old when they come. */
TESTING_CASE(the_delay_is_measured)
{
    double median, high;
    unsigned count;

    setenv("SHW_CAMERA", "rate=100 late=2000", 1);
    script("forest %s\nopen camera:0?size=64x48\nwait 100\ncamera-delay", forest);
    assert_int_equal(run_script(100, 80, NULL), 0);
    assert_int_equal(sscanf(script_output(), "from capture to overlay: median %lf ms, 95 %% %lf ms, of %u pictures",
                            &median, &high, &count),
                     3);
    assert_true(median >= 2000.0 && high >= median && median < 600e3);
    assert_in_range(count, 1, 100);
    setenv("SHW_CAMERA", "rate=100", 1);
    script("open camera:0\nwait 20\ncamera-delay\nforget\ncamera-delay");
    assert_int_equal(run_script(100, 80, NULL), 1); /* at the end nothing is known again */
    assert_int_equal(sscanf(script_output(), "from capture to overlay: median %lf", &median), 1);
    assert_true(median > 0.0);
}

TESTING_CASE(without_a_camera_there_is_none)
{
    const char *said;

    script("forest %s\nopen %s\nwait 10\ncamera-delay", forest, picture);
    assert_int_equal(run_script(100, 80, &said), 1);
    assert_non_null(strstr(said, "no picture of a camera has been shown yet"));
}

TESTING_CASE(what_is_no_camera_is_told)
{
    const char *said;

    script("open /dev/zero\nwait 10");
    assert_int_equal(run_script(100, 80, &said), 1);
    assert_non_null(strstr(said, "cannot open /dev/zero: it is not a camera"));
}

/* The script goes on, and the last picture stays. */
TESTING_CASE(a_camera_that_vanishes_is_told)
{
    const char *said;

    setenv("SHW_CAMERA", "rate=100 gone=3 away=3600000", 1);
    script("forest %s\nopen camera:0\nsleep 1\nwait 5\nquit", forest);
    assert_int_equal(run_script(100, 80, &said), 0);
    assert_non_null(strstr(said, "/dev/video0 has stopped: No such device"));
}

TESTING_FIXTURE(write_files, NULL)
