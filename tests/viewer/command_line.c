/* Options of the viewer's command line that no other test needs. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/cascade.h>

#include "testing/cascades.h"

/* A cascade is chosen by an option as by an action. */
TESTING_CASE(cascades_are_opened)
{
    static const char search[] =
        "detect-technique cpu\ndetect-group none\ndetect-score any\ndetect on\nwait 2\ndetect-list";
    struct shw_cascade *cascade =
        random_cascade(&(struct random_cascade_params){.kind = SHW_CASCADE_SCALED, .stages = 3});
    char forest[FILE_PATH], picture[FILE_PATH], path[FILE_PATH], options[FILE_PATH + 32], *expected;

    write_forest_and_picture(60, 48, forest, picture);
    snprintf(path, sizeof path, "%s", testing_path("thing.ktx2"));
    assert_int_equal(shw_cascade_save(cascade, path, NULL), SHW_OK);
    shw_cascade_destroy(&cascade);
    script("open %s\ndetect-open %s\n%s", picture, path, search);
    assert_int_equal(run_script(60, 48, NULL), 0);
    expected = strdup(script_output());
    assert_true(strlen(expected) > 20);
    snprintf(options, sizeof options, "--detect '%s'", path);
    script("open %s\n%s", picture, search);
    assert_int_equal(run_script_with(options, 60, 48, NULL), 0);
    assert_string_equal(script_output(), expected);
    free(expected);
}

/* 1.3 MiB of a picture are more than 1 MiB. */
TESTING_CASE(pictures_have_the_memory_they_are_given)
{
    char forest[FILE_PATH], picture[FILE_PATH];
    const char *said;

    write_forest_and_picture(800, 600, forest, picture);
    script("open %s", picture);
    assert_int_equal(run_script_with("--memory 1M", 40, 30, &said), 1);
    assert_non_null(strstr(said, "800 x 600 pixels take 1 MiB"));
    assert_non_null(strstr(said, "(--memory)"));
    script("open %s", picture);
    assert_int_equal(run_script_with("--memory 64M", 40, 30, NULL), 0);
}
