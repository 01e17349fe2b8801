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

/* A forest of a compiled type is opened with the object that the command line names, and with no other. */
TESTING_CASE(forests_of_plugins_are_opened)
{
    char data[FILE_PATH], forest[FILE_PATH], command[4 * FILE_PATH];
    const char *said;

    snprintf(data, sizeof data, "%s", testing_path("plugged"));
    snprintf(forest, sizeof forest, "%s", testing_path("plugged.ktx2"));
    snprintf(command, sizeof command,
             "\"$SHADEWOOD_PROGRAM\" synth --output '%s' --count 2 --size 60x48 -q && \"$SHADEWOOD_PROGRAM\" train "
             "--data '%s' --plugin '" TYPES_PLUGIN "' --feature sparse-sum --channels edge:2,rgb --depth 3 --trees 1 "
             "--pixels 200 -t cpu -q -o '%s'",
             data, data, forest);
    assert_int_equal(system(command), 0);
    script("forest %s", forest);
    assert_int_equal(run_script(60, 48, &said), 1);
    assert_non_null(strstr(said, "there is no feature type 'sparse-sum'"));
    script("forest %s\nopen %s/00000_colors.png\nwait labels\nshown-labels", forest, data);
    assert_int_equal(run_script_with("--plugin '" TYPES_PLUGIN "'", 60, 48, NULL), 0);
    assert_true(strlen(script_output()) > 20);
    script("forest %s", forest);
    assert_int_equal(run_script_with("--plugin '" OLD_PLUGIN "'", 60, 48, &said), 1);
    assert_non_null(strstr(said, "was built for another version of Shadewood: its feature types have version 3"));
}
