/* What scripts can do wrong, and that it is told. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image_write.h"
#include "testing/random_forest.h"

static void assert_refused(const char *line, const char *message)
{
    const char *said;
    int code;

    script("# a comment, and an empty line\n\n%s\nquit", line);
    code = run_script(32, 32, &said);
    if (code != 1 || strstr(said, message) == NULL || strstr(said, "script:3: the script ends here") == NULL)
        fail_msg("%s: exit status %d and %s", line, code, said);
}

static void what_is_not_understood_ends_the_script_with_its_line(void **state)
{
    (void)state;
    assert_refused("dance", "dance is not an action");
    assert_refused("quit now", "the action quit takes nothing");
    assert_refused("opacity", "the action opacity takes PERCENT");
    assert_refused("overlay pink", "pink is not an overlay");
    assert_refused("visible 0 on", "0 is not a class's name or number");
    assert_refused("zoom -1", "-1 is not fit, in, out or a factor");
    assert_refused("pan 1", "1 is not two numbers");
    assert_refused("technique blend", "blend is not a technique");
}

static void bad_files_are_told(void **state)
{
    char path[512], line[1024];
    FILE *file;

    (void)state;
    snprintf(path, sizeof path, "%s", testing_path("bad.png"));
    file = fopen(path, "wb");
    assert_non_null(file);
    fputs("\x89PNG\r\n\x1a\n and nothing else", file);
    fclose(file);
    assert_refused("open /nowhere/at/all.png", "/nowhere/at/all.png");
    snprintf(line, sizeof line, "forest %s", path);
    assert_refused(line, path);
    snprintf(line, sizeof line, "screenshot %s/below.png", path);
    assert_refused(line, "below.png");
    snprintf(line, sizeof line, "open %s", path);
    script("%s", line);
    assert_int_equal(run_script(32, 32, NULL), 1);
}

static void a_script_goes_to_its_end_or_to_quit(void **state)
{
    const char *said;

    (void)state;
    script("  wait 3  \nquit\ndance");
    assert_int_equal(run_script(32, 32, &said), 0);
    assert_string_equal(said, "");
}

/* Forests and pictures come and go; in debug builds the leak checker looks on. */
static void many_frames_are_like_few(void **state)
{
    struct random_forest_params params = {.seed = 3, .classes = 3, .trees = 2, .depth = 3, .split_percent = 90};
    struct testing_random random = {1};
    struct shw_image image = testing_image(&random, 20, 10, SHW_PIXEL_RGB8, 0);
    struct shw_forest *forest = random_forest(&params);
    char forest_path[512], path[512];

    (void)state;
    snprintf(forest_path, sizeof forest_path, "%s", testing_path("forest.ktx2"));
    snprintf(path, sizeof path, "%s", testing_path("picture.png"));
    assert_int_equal(shw_forest_save(forest, forest_path, NULL), SHW_OK);
    assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
    for (int i = 0; i < 5; i++)
        script("forest %s\nopen %s\nwait 40\ntechnique fragment\nwait 2\ntechnique auto", forest_path, path);
    assert_int_equal(run_script(48, 32, NULL), 0);
    shw_forest_destroy(&forest);
    free((void *)(uintptr_t)image.pixels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_understood_ends_the_script_with_its_line), cmocka_unit_test(bad_files_are_told),
        cmocka_unit_test(a_script_goes_to_its_end_or_to_quit), cmocka_unit_test(many_frames_are_like_few)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
