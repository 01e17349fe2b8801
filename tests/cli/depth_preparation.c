/* `shadewood depth` as a user runs it. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/fill.h"
#include "files/depth/fill_colorization.h"
#include "files/depth/height.h"
#include "files/image/image_file.h"
#include "files/image/image_write.h"

static int prepare(void **state)
{
    (void)state;
    assert_success(run("shadewood synth -o scenes --holes --count 3 --size 64x48 -q"));
    return 0;
}

static struct shw_image_file read_depth(const char *name)
{
    struct shw_image_file file;

    assert_int_equal(shw_input_file_read(SHW_DEPTH, place(name), NULL, NULL, &file), SHW_OK);
    return file;
}

static size_t count_missing(const char *name)
{
    struct shw_image_file file = read_depth(name);
    const uint16_t *depth = file.image.pixels;
    size_t missing = 0;

    for (size_t i = 0; i < (size_t)file.image.width * file.image.height; i++)
        missing += depth[i] == 0;
    shw_image_file_free(&file);
    return missing;
}

/* The results of a scene are what the functions of the library make of its depth. */
static void check_results(const char *name, const char *folder)
{
    char path[256];
    struct shw_image_file measured, filled, heights;
    struct shw_ground ground;
    struct shw_camera camera;
    uint32_t width, height;
    uint16_t *expected;

    snprintf(path, sizeof path, "scenes/%s_depth.png", name);
    measured = read_depth(path);
    snprintf(path, sizeof path, "%s/%s_depth.png", folder, name);
    filled = read_depth(path);
    snprintf(path, sizeof path, "%s/%s_height.png", folder, name);
    heights = read_depth(path);
    width = measured.image.width;
    height = measured.image.height;
    camera = shw_camera_assume(width, height);
    expected = malloc((size_t)width * height * sizeof *expected);
    assert_int_equal(shw_find_ground(measured.image.pixels, width, height, &camera, NULL, &ground), SHW_OK);
    assert_int_equal(shw_fill_simple(&(struct shw_input){.image = measured.image},
                                     (struct shw_rect){0, 0, (int32_t)width, (int32_t)height}, measured.pixels, width),
                     SHW_OK);
    assert_memory_equal(filled.pixels, measured.pixels, (size_t)width * height * 2);
    shw_make_heights(filled.pixels, width, height, &camera, &ground, expected);
    assert_memory_equal(heights.pixels, expected, (size_t)width * height * 2);
    free(expected);
    shw_image_file_free(&measured);
    shw_image_file_free(&filled);
    shw_image_file_free(&heights);
}

TESTING_CASE(test_a_folder_is_filled)
{
    assert_true(count_missing("scenes/00000_depth.png") > 0);
    assert_success(run("shadewood depth scenes -o filled --height -q"));
    assert_int_equal(entry_count("filled"), 6);
    check_results("00000", "filled");
    check_results("00002", "filled");
}

/* Results that are there are passed over, as long as what they were made from is the same. */
TESTING_CASE(test_a_run_is_resumed)
{
    struct run result;

    assert_success(run("cp -r scenes again && shadewood depth again -o resumed -q && rm resumed/00001_depth.png"));
    result = run("shadewood depth again -o resumed");
    assert_success(result);
    assert_string_equal(result.out, "1 depth image prepared, 2 were up to date, in resumed\n");
    assert_string_equal(run("shadewood depth again -o resumed").out,
                        "0 depth images prepared, 3 were up to date, in resumed\n");
    assert_success(run("cp again/00000_depth.png again/00001_depth.png"));
    assert_string_equal(run("shadewood depth again -o resumed").out,
                        "1 depth image prepared, 2 were up to date, in resumed\n");
    assert_success(run("cmp resumed/00000_depth.png resumed/00001_depth.png"));
    assert_string_equal(run("shadewood depth again -o resumed --height").out, "3 depth images prepared, in resumed\n");
    assert_string_equal(run("shadewood depth again -o resumed --height --focal 50").out,
                        "3 depth images prepared, in resumed\n");
    assert_string_equal(run("shadewood depth again -o resumed --height --focal 50").out,
                        "0 depth images prepared, 3 were up to date, in resumed\n");
}

TESTING_CASE(test_nothing_of_the_user_is_replaced)
{
    assert_one_line(run("shadewood depth scenes -o scenes"), 2, "scenes/00000_depth.png", "would be overwritten", NULL);
    assert_success(run("mkdir mine && cp scenes/00000_depth.png mine/00002_depth.png"));
    assert_one_line(run("shadewood depth scenes -o mine"), 1, "mine/00002_depth.png exists", "--overwrite", NULL);
    assert_int_equal(entry_count("mine"), 1);
    assert_success(run("shadewood depth scenes -o mine --overwrite -q"));
    assert_success(run("shadewood depth scenes -o scenes --fill none --height -q"));
    assert_true(exists("scenes/00000_height.png"));
    assert_int_equal(count_missing("scenes/00000_height.png"), count_missing("scenes/00000_depth.png"));
    assert_success(run("rm scenes/*_height.png"));
}

/* An image that cannot be read leaves the others. */
/* A folder of results inside that of the images is not taken for images when the command runs again. */
TESTING_CASE(test_results_in_the_folder)
{
    assert_success(run("mkdir outer && cp scenes/00000_depth.png outer/ && shadewood depth outer -o outer/done -q && "
                       "shadewood depth outer/ -o outer/done -q && shadewood depth . --depth 'outer/{}_depth.png' "
                       "-o outer/done -q && test \"$(ls outer/done)\" = 00000_depth.png"));
}

TESTING_CASE(test_images_fail_by_themselves)
{
    struct run result;

    assert_success(run("cp -r scenes bad && cp bad/00001_colors.png bad/00001_depth.png && : >bad/00002_depth.png"));
    result = run("shadewood depth bad -o good --threads 2");
    assert_int_equal(result.code, 1);
    assert_string_equal(result.out, "1 depth image prepared, 2 failed, in good\n");
    assert_non_null(strstr(result.err, "bad/00001_depth.png"));
    assert_non_null(strstr(result.err, "bad/00002_depth.png"));
    assert_int_equal(entry_count("good"), 1);
    result = run("shadewood depth bad -o good --json -q");
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.out, "\"up_to_date\": true"));
    json_decref(parse_json(result.out));
}

/* The tests' library and the program for Windows are two builds. */
static bool can_colorize(void)
{
    return shw_can_colorize() && !is_for_windows();
}

TESTING_CASE(test_files_and_patterns)
{
    struct shw_image_file file = read_depth("scenes/00000_depth.png");

    assert_success(run("mkdir -p set/colour/room set/depth/room && cp scenes/00000_colors.png set/colour/room/a.png"));
    assert_int_equal(shw_tiff_write_pages(testing_path("work/set/depth/room/a.tif"), NULL, file.image.pixels, 1,
                                          file.image.width, file.image.height, NULL),
                     SHW_OK);
    shw_image_file_free(&file);
    assert_success(run("shadewood depth set --depth 'depth/{}.tif' -o of_tiff -q && "
                       "shadewood depth set/depth/room/a.tif --depth 'depth/{}.tif' -o of_file -q && "
                       "shadewood depth scenes/00000_depth.png set/depth/room/a.tif -o of_files -q"));
    assert_success(run("cmp of_tiff/room/a_depth.png of_file/room/a_depth.png && "
                       "test -e of_files/00000_depth.png && test -e of_files/a_depth.png"));
    assert_success(
        run("shadewood depth scenes/00000_depth.png set/depth/room/a.tif -o of_files | grep -q '2 were up'"));
    assert_int_equal(count_missing("of_tiff/room/a_depth.png"), 0);
    if (!can_colorize())
        return;
    assert_success(
        run("shadewood depth set --depth 'depth/{}.tif' --images 'colour/{}.png' -o c1 -q --fill colorization"
            "&& shadewood depth scenes/00000_depth.png -o c2 -q --fill colorization"));
    assert_success(run("test \"$(shadewood depth set/depth/room/a.tif --depth 'depth/{}.tif' --images 'colour/{}.png' "
                       "-o c1 --fill colorization)\" = '0 depth images prepared, 1 was up to date, in c1'"));
    assert_int_equal(count_missing("c1/room/a_depth.png"), 0);
    assert_one_line(run("shadewood depth set/depth/room/a.tif -o c3 --fill colorization"), 1, "a.tif",
                    "set/depth/room/a_colors.png", "--images", NULL);
}

/* Colorized depth, whatever the number of threads; measured depth stays unless it may change. */
TESTING_CASE(test_colorization)
{
    struct shw_image_file measured, filled;
    const uint16_t *before, *after;
    size_t changed = 0;

    if (!can_colorize())
        testing_skip("this build has no solver");
    assert_success(run("shadewood depth scenes -o colorized --fill colorization --height -q --threads 1 && "
                       "shadewood depth scenes -o colorized4 --fill colorization --height -q --threads 4 && "
                       "diff -r colorized colorized4"));
    assert_success(run("shadewood depth scenes -o smooth --fill colorization --alpha 1 -q"));
    measured = read_depth("scenes/00001_depth.png");
    filled = read_depth("colorized/00001_depth.png");
    before = measured.image.pixels;
    after = filled.image.pixels;
    for (int i = 0; i < 64 * 48; i++)
        assert_true(before[i] == 0 ? after[i] > 0 : after[i] == before[i]);
    shw_image_file_free(&filled);
    filled = read_depth("smooth/00001_depth.png");
    after = filled.image.pixels;
    for (int i = 0; i < 64 * 48; i++)
        changed += before[i] > 0 && after[i] != before[i];
    assert_true(changed > 1000);
    shw_image_file_free(&filled);
    shw_image_file_free(&measured);
    assert_success(run("cp -r scenes sized && shadewood synth -o other --count 1 --size 32x24 -q && "
                       "cp other/00000_colors.png sized && rm sized/00001_colors.png"));
    assert_one_line(run("shadewood depth sized/00000_depth.png -o none --fill colorization"), 1, "32 x 24", "64 x 48",
                    NULL);
    assert_non_null(strstr(run("shadewood depth sized -o some --fill colorization").err, "skipped"));
    assert_true(exists("some/00002_depth.png") && !exists("some/00001_depth.png"));
}

TESTING_CASE(test_mistakes_are_told)
{
    assert_one_line(run("shadewood depth scenes"), 2, "--output", NULL);
    assert_one_line(run("shadewood depth -o out"), 2, "a folder or a depth image", NULL);
    assert_one_line(run("shadewood depth scenes -o out --fill none"), 2, "--height", NULL);
    assert_one_line(run("shadewood depth scenes -o out --alpha 1"), 2, "--alpha", NULL);
    assert_one_line(run("shadewood depth scenes -o out --fill colorization --alpha -1"), 2, "--alpha", NULL);
    assert_one_line(run("shadewood depth scenes -o out --focal 500"), 2, "--focal", NULL);
    assert_one_line(run("shadewood depth scenes -o out --height --focal 0"), 2, "--focal", NULL);
    assert_one_line(run("shadewood depth scenes -o out --height --focal 1,2,3"), 2, "--focal takes one number or two",
                    NULL);
    assert_one_line(run("shadewood depth scenes -o out --height --centre 5"), 2, "--centre takes two numbers", NULL);
    assert_one_line(run("shadewood depth scenes -o out --height --centre 5,"), 2, "--centre takes two numbers", NULL);
    assert_one_line(run("shadewood depth scenes -o out --depth depth.png"), 2, "{}", NULL);
    assert_one_line(run("shadewood depth nowhere -o out"), 1, "nowhere", NULL);
    assert_one_line(run("shadewood depth scenes -o out --depth '{}.tiff'"), 1, "{}.tiff matches no file", "--depth",
                    NULL);
    assert_one_line(run("shadewood depth scenes scenes/00000_depth.png -o out"), 2, "out/00000_depth.png",
                    "written twice", NULL);
}

TESTING_FIXTURE(prepare, NULL)
