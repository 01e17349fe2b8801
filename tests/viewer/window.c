/* The viewer in a real window, on a display of its own: the same pixels as without one. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_file.h"

static char forest_path[FILE_PATH], picture_path[FILE_PATH];

static int open_files(void **state)
{
    (void)state;
    write_forest_and_picture(40, 30, forest_path, picture_path);
    return 0;
}

/* Overlays at several sizes, to be run twice with pictures of different names. */
static void script_sizes(const char *name)
{
    static const char *const sizes[] = {"200 150", "64 300", "333 111"};

    script("panels off\nforest %s\nopen %s\noverlay blend\ncontours on", forest_path, picture_path);
    for (int i = 0; i < 3; i++) {
        char file[64];
        snprintf(file, sizeof file, "%s-%d.png", name, i);
        script("size %s\nwait 2\nvsync toggle\nwait 2\nscreenshot %s", sizes[i], testing_path(file));
    }
    script("quit");
}

static void assert_same_picture(const char *name, const char *other)
{
    struct shw_image_file files[2];

    assert_int_equal(shw_image_file_read(name, NULL, NULL, &files[0]), SHW_OK);
    assert_int_equal(shw_image_file_read(other, NULL, NULL, &files[1]), SHW_OK);
    assert_int_equal(files[0].image.width, files[1].image.width);
    assert_int_equal(files[0].image.height, files[1].image.height);
    assert_memory_equal(files[0].pixels, files[1].pixels, (size_t)files[0].image.width * files[0].image.height * 3);
    shw_image_file_free(&files[0]);
    shw_image_file_free(&files[1]);
}

TESTING_CASE(a_window_shows_what_a_canvas_without_one_holds)
{
    script_sizes("without");
    assert_int_equal(run_script(100, 80, NULL), 0);
    script_sizes("within");
    assert_int_equal(run_script_in_window(100, 80, NULL), 0);
    for (int i = 0; i < 3; i++) {
        char without[64], within[64];
        snprintf(without, sizeof without, "without-%d.png", i);
        snprintf(within, sizeof within, "within-%d.png", i);
        assert_same_picture(testing_path(within), testing_path(without));
    }
}

/* Panels in a window are those without one, and mouse and keys do the same there. */
static void script_panels(const char *name)
{
    script("panels on\nforest %s\nopen %s\nsize 700 500\nwait 3\nclick Blend\nwait 4", forest_path, picture_path);
    script("mouse move 600 450\nkey C\nmouse wheel 2\nwait 8\nscreenshot %s\nquit", testing_path(name));
}

TESTING_CASE(panels_in_a_window_are_those_without_one)
{
    script_panels("without.png");
    assert_int_equal(run_script(100, 80, NULL), 0);
    script_panels("within.png");
    assert_int_equal(run_script_in_window(100, 80, NULL), 0);
    assert_same_picture(testing_path("within.png"), testing_path("without.png"));
}

TESTING_CASE(a_window_is_remembered)
{
    struct shw_image_file seen;
    char text[8192], line[600];
    FILE *file;

    script("panel overlay off\nopen %s\nsize 345 234\nwait 2\nquit", picture_path);
    assert_int_equal(run_script_in_window(100, 80, NULL), 0);
    file = fopen(testing_path("config/shadewood/viewer.json"), "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    snprintf(line, sizeof line, "\"open %s\"", picture_path);
    assert_non_null(strstr(text, line));
    assert_non_null(strstr(text, "\"width\": 345"));
    assert_non_null(strstr(text, "\"height\": 234"));
    script("wait 1\npanels off\nscreenshot %s\nquit", testing_path("again.png"));
    assert_int_equal(run_script_in_window(0, 0, NULL), 0);
    assert_int_equal(shw_image_file_read(testing_path("again.png"), NULL, NULL, &seen), SHW_OK);
    assert_int_equal(seen.image.width, 345);
    assert_int_equal(seen.image.height, 234);
    shw_image_file_free(&seen);
}

TESTING_CASE(errors_of_a_script_end_a_window)
{
    const char *said;

    script("wait 1\ndance");
    assert_int_equal(run_script_in_window(100, 80, &said), 1);
    assert_non_null(strstr(said, "script:2: the script ends here"));
    script("open /nowhere.png\nwait 1000000");
    assert_int_equal(run_script_in_window(100, 80, &said), 1);
}

TESTING_FIXTURE(open_files, NULL)
