/* What scripts can do wrong, and that it is reported. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_write.h"
#include "formats/kinect.h"
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

TESTING_CASE(what_is_not_understood_ends_the_script_with_its_line)
{
    assert_refused("dance", "dance is not an action");
    assert_refused("quit now", "the action quit takes nothing");
    assert_refused("opacity", "the action opacity takes PERCENT");
    assert_refused("overlay pink", "pink is not an overlay");
    assert_refused("visible 0 on", "0 is not a class's name or number");
    assert_refused("zoom -1", "-1 is not fit, in, out or a factor");
    assert_refused("pan 1", "1 is not two numbers");
    assert_refused("technique blend", "blend is not a technique");
}

TESTING_CASE(bad_files_are_told)
{
    char path[512], line[1024];
    FILE *file;

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

TESTING_CASE(a_script_goes_to_its_end_or_to_quit)
{
    const char *said;

    script("  wait 3  \nquit\ndance");
    assert_int_equal(run_script(32, 32, &said), 0);
    assert_string_equal(said, "");
}

/* Forests and pictures come and go; in debug builds the leak checker looks on. */
TESTING_CASE(many_frames_are_like_few)
{
    struct random_forest_params params = {.seed = 3, .classes = 3, .trees = 2, .depth = 3, .split_percent = 90};
    struct testing_random random = {1};
    struct shw_image image = testing_image(&random, 20, 10, SHW_PIXEL_RGB8, 0);
    struct shw_forest *forest = random_forest(&params);
    char forest_path[512], path[512];

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

/* By the help's lists: actions, their names first; then keys, each with the line that it runs in brackets at the
 * end. */
TESTING_CASE(keys_are_for_one_thing_each_and_actions_exist)
{
    FILE *help = popen("'" SHADEWOOD_VIEWER_PROGRAM "' --help", "r");
    char line[512], actions[512][32], keys[256][16];
    unsigned action_count = 0, key_count = 0;
    bool in_keys = false;

    assert_non_null(help);
    while (fgets(line, sizeof line, help) != NULL) {
        const char *run = strrchr(line, '(');
        char name[32];
        in_keys = in_keys || strcmp(line, "Keys:\n") == 0;
        if (!in_keys && sscanf(line, "  %31[a-z-] ", name) == 1 && action_count < 512)
            strcpy(actions[action_count++], name);
        if (!in_keys || run == NULL || sscanf(line, "  %15s", keys[key_count]) != 1)
            continue;
        for (unsigned k = 0; k < key_count; k++)
            assert_string_not_equal(keys[k], keys[key_count]);
        key_count++;
        assert_true(key_count < 256 && action_count < 512);
        assert_int_equal(sscanf(run + 1, "%31[a-z-]", name), 1);
        for (unsigned a = 0; strcmp(actions[a], name) != 0; a++)
            if (a + 1 == action_count)
                fail_msg("there is no action for the key in: %s", line);
    }
    assert_int_equal(pclose(help), 0);
    assert_true(action_count > 30 && key_count > 30);
}

static void write_depth(const char *path, int width)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    fprintf(file, "P5 %d 4 65535\n", width);
    for (int i = 0; i < 4 * width; i++)
        fwrite("\x04\x00", 1, 2, file);
    fclose(file);
}

/* Once for a forest, and not where its camera was stated. */
TESTING_CASE(pictures_of_other_cameras_are_warned_about)
{
    static const char warning[] = "small.pgm is 64 pixels wide, but the forest's tests are for images of Kinect";
    uint8_t label = 3;
    const struct shw_kinect_tree tree = {.labels = &label};
    struct shw_forest *forest = NULL;
    char path[FILE_PATH], kinect[FILE_PATH], small[FILE_PATH];
    const char *said, *found;

    snprintf(path, sizeof path, "%s", testing_path("forest.ktx2"));
    snprintf(kinect, sizeof kinect, "%s", testing_path("kinect.pgm"));
    snprintf(small, sizeof small, "%s", testing_path("small.pgm"));
    write_depth(kinect, 640);
    write_depth(small, 64);
    assert_int_equal(shw_kinect_forest_make(&tree, 1, "{\"imported_from\": \"kinect\"}", NULL, &forest), SHW_OK);
    assert_int_equal(shw_forest_save(forest, path, NULL), SHW_OK);
    shw_forest_destroy(&forest);
    script("forest %s\nopen %s\nwait 2", path, kinect);
    assert_int_equal(run_script(32, 32, &said), 0);
    assert_null(strstr(said, "pixels wide"));
    script("forest %s\nopen %s\nopen %s\nopen %s\nwait 2", path, small, kinect, small);
    assert_int_equal(run_script(32, 32, &said), 0);
    found = strstr(said, warning);
    if (found == NULL || strstr(found + sizeof warning, "pixels wide, but") != NULL)
        fail_msg("%s", said);
}

TESTING_CASE(the_version_is_told)
{
    assert_int_equal(run_script_with("--version", 32, 32, NULL), 0);
    assert_int_equal(strncmp(script_output(), "shadewood-viewer 0.", 19), 0);
}
