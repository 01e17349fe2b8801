/* Films of the window: their length is what a script waits for, whatever the machine does meanwhile. */
#include "teaching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "video_encode.h"

#define RATE 30 /* pictures a second, of 60 frames */

TESTING_CASE(films_are_as_long_as_the_script_waits)
{
    uint32_t width, height;
    const char *said;

    script("panels on\nopen %s\nwait 9\nproject new\nadd-class one\nadd-class two\nfilm %s\nwait 40", taught.paths[0],
           file("film.mkv"));
    script("say Two strokes\nstroke one 1 2 2 9 2\nstroke two 1 2 9 9 9\nwait trained\nwait labels\nwait 20");
    script("glide 0.5 200 100\nglide 0.25 Teaching\nscreenshot %s\nfilm off\nwait 30", file("pointer.png"));
    assert_int_equal(run_script(640, 401, &said), 0);
    assert_string_equal(said, "");
    assert_non_null(strstr(script_output(), "Two strokes\n"));
    assert_non_null(strstr(script_output(), "filmed 1.8 seconds to "));
    assert_int_equal(testing_count_video_pictures(file("film.mkv"), &width, &height), (40 + 20 + 30 + 15) / 2 + 1);
    assert_int_equal(width, 640);
    assert_int_equal(height, 402);
}

TESTING_CASE(the_mouse_glides_with_what_it_has_pressed)
{
    script("panels on\nopen %s\nwait 9\nproject new\nadd-class one\nteach off\nwait 8\nmouse move 200 200",
           taught.paths[0]);
    script("mouse press left\nglide 0.5 260 200\nmouse release left\nwait 8\nlabels\nmouse move 230 200\nwait 8");
    script("undo\nlabels");
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_null(strstr(script_output(), "one: 0 pixels\none: 0 pixels"));
    assert_non_null(strstr(script_output(), "pixels\none: 0 pixels\n"));
}

TESTING_CASE(films_that_cannot_be_made_are_refused)
{
    static const char *const scripts[] = {
        "film off",    "film nowhere.png", "film %s\nfilm %s", "film %s\nsize 300 200\nwait 9",
        "glide 0 3 4", "glide 61 3 4",     "glide 1 nowhere",  "glide 3"};

    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        char path[2][FILE_PATH];
        snprintf(path[0], FILE_PATH, "%s", file("refused.mkv"));
        snprintf(path[1], FILE_PATH, "%s", file("other.mkv"));
        remove(path[0]);
        script("panels on");
        script(scripts[i], path[0], path[1]);
        assert_int_equal(run_script(320, 240, NULL), 1);
    }
}

/* The video of the first ten minutes, in a part of its time. */
TESTING_CASE(the_first_ten_minutes_are_a_video)
{
    static const unsigned seconds = 24;
    char command[2048], path[FILE_PATH];
    uint32_t width, height;

    if (!testing_is_slow())
        skip();
    snprintf(path, sizeof path, "%s", file("minutes.mp4"));
    snprintf(command, sizeof command, "'%s' '%s' '%s' %u", VIEWER_VIDEO, path, PROGRAMS, seconds);
    assert_int_equal(system(command), 0);
    assert_int_equal(testing_count_video_pictures(path, &width, &height), seconds * RATE);
    assert_int_equal(width, 960);
    assert_int_equal(height, 640);
    snprintf(command, sizeof command, "'%s' '%s' '%s' 1", VIEWER_VIDEO, file("short.mp4"), PROGRAMS);
    assert_int_not_equal(system(command), 0);
}

TESTING_FIXTURE(open_taught, close_taught)
