/* Projects that are trained on more than colours: depth and previous frames beside the pictures, several levels. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_write.h"
#include "testing/painting.h"

enum { WIDTH = 48, HEIGHT = 40, PICTURES = 3 };

#define STROKES                                                                                                        \
    "{\"class\": 0, \"radius\": 2, \"points\": [5, 5, 40, 5]}, {\"class\": 0, \"radius\": 1, \"points\": [9, 9]}, "    \
    "{\"class\": 1, \"radius\": 2, \"points\": [5, 33, 40, 33]}, {\"class\": 1, \"radius\": 1, \"points\": [9, 28]}"

static void write_image(const char *name, const void *pixels, enum shw_pixel_format format)
{
    const struct shw_image image = {pixels, WIDTH, HEIGHT, 0, format};
    char path[256];

    snprintf(path, sizeof path, "work/%s", name);
    assert_int_equal(shw_png_write(testing_path(path), &image, NULL), SHW_OK);
}

/* Pictures of noise, in which only depth tells the upper half from the lower one; and of which the lower half changes
 * from one to the next. */
static int write_pictures(void **state)
{
    struct testing_random random = {5};
    char name[64];

    (void)state;
    assert_success(run("mkdir photos deep"));
    for (int p = 0; p < PICTURES; p++) {
        static uint8_t colours[WIDTH * HEIGHT * 3];
        uint16_t depth[WIDTH * HEIGHT];

        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            depth[i] = (uint16_t)((i / WIDTH < HEIGHT / 2 ? 900 : 2400) + testing_random_below(&random, 40));
            for (int k = 0; k < 3 && (p == 0 || i / WIDTH >= HEIGHT / 2); k++)
                colours[3 * i + k] = (uint8_t)testing_random_below(&random, 256);
        }
        snprintf(name, sizeof name, "photos/%d_colors.png", p);
        write_image(name, colours, SHW_PIXEL_RGB8);
        snprintf(name, sizeof name, "deep/%d_colors.png", p);
        write_image(name, depth, SHW_PIXEL_GREY16);
        if (p > 0) {
            snprintf(name, sizeof name, "photos/%d_depth.png", p);
            write_image(name, depth, SHW_PIXEL_GREY16);
        }
    }
    return 0;
}

/* A project with strokes on one or two pictures. */
static void write_project(const char *name, const char *training, const char *inputs, const char *first,
                          const char *second)
{
    char text[4096];
    int length = snprintf(text, sizeof text,
                          "{\"format\": \"shadewood-project\", \"version\": 5, \"classes\": [{\"name\": \"near\", "
                          "\"colour\": [1, 2, 3]}, {\"name\": \"far\", \"colour\": [4, 5, 6]}], \"training\": {%s}, %s "
                          "\"pictures\": [%s%s%s]}",
                          training, inputs, first, second != NULL ? ", " : "", second != NULL ? second : "");

    assert_in_range(length, 1, sizeof text - 1);
    make_file(name, text, (size_t)length);
}

#define PICTURE(name, more)                                                                                            \
    "{\"name\": \"" name "\", \"width\": 48, \"height\": 40, " more " \"strokes\": [" STROKES "]}"
#define DEEP "\"channels\": \"rgb,depth\", \"trees\": 3, \"depth\": 4, \"candidates\": 20"

static unsigned long long train(const char *project, const char *options)
{
    struct run result = run("shadewood train %s --overwrite -o %s.ktx2 --json -q %s", project, project, options);
    unsigned long long hash;
    json_t *told;

    assert_success(result);
    told = parse_json(result.out);
    hash = strtoull(json_string_value(json_object_get(told, "hash")), NULL, 16);
    json_decref(told);
    return hash;
}

/* The same forest with all techniques, and as the viewer trains it. */
static void check_training(const char *project)
{
    static const char *const techniques[] = {"blend", "compute"};
    struct shw_project *read = NULL;
    unsigned long long hash = train(project, "-t cpu");
    char path[256];

    for (size_t t = 0; t < 2 && run("shadewood devices").code == 0; t++) {
        char option[32];
        snprintf(option, sizeof option, "-t %s", techniques[t]);
        assert_true(train(project, option) == hash);
    }
    snprintf(path, sizeof path, "work/%s", project);
    assert_int_equal(shw_project_read(testing_path(path), NULL, &read), SHW_OK);
    assert_true(testing_paint_train(read) == hash);
    shw_project_destroy(&read);
}

/* The same with all techniques, and two levels that label. */
static void check_levels(const char *project)
{
    static const char *const techniques[] = {"blend", "compute"};
    unsigned long long hash = train(project, "-t cpu");

    for (size_t t = 0; t < 2 && run("shadewood devices").code == 0; t++) {
        char option[32];
        snprintf(option, sizeof option, "-t %s", techniques[t]);
        assert_true(train(project, option) == hash);
    }
    assert_success(run("shadewood inspect %s.ktx2 | grep -q 'levels *2'", project));
    assert_success(run_blind("shadewood label %s photos/2_colors.png -t cpu -q -o levels --overwrite", project));
}

TESTING_CASE(test_depth_is_beside_the_pictures_or_where_a_pattern_says)
{
    write_project("beside.json", DEEP, "", PICTURE("photos/1_colors.png", ""), PICTURE("photos/2_colors.png", ""));
    write_project("deep.json", DEEP, "\"inputs\": {\"depth\": \"deep/{}.png\"},", PICTURE("photos/1_colors.png", ""),
                  PICTURE("photos/2_colors.png", ""));
    write_project("own.json", DEEP, "", PICTURE("photos/1_colors.png", ""),
                  PICTURE("photos/2_colors.png", "\"inputs\": {\"depth\": \"deep/2_colors.png\"},"));
    check_training("beside.json");
    assert_true(train("deep.json", "-t cpu") == train("beside.json", "-t cpu"));
    assert_true(train("own.json", "-t cpu") == train("beside.json", "-t cpu"));
    write_project("flat.json", "\"channels\": \"rgb\", \"trees\": 3, \"depth\": 4, \"candidates\": 20", "",
                  PICTURE("photos/1_colors.png", ""), PICTURE("photos/2_colors.png", ""));
    assert_true(train("flat.json", "-t cpu") != train("beside.json", "-t cpu"));
}

/* Labels are those of the forest, for which an option names the files. */
TESTING_CASE(test_images_are_labelled_with_the_depth_of_the_project)
{
    write_project("deep.json", DEEP, "\"inputs\": {\"depth\": \"deep/{}.png\"},", PICTURE("photos/1_colors.png", ""),
                  PICTURE("photos/2_colors.png", ""));
    train("deep.json", "-t cpu");
    assert_success(run_blind("shadewood label deep.json photos/0_colors.png -t cpu -q -o by-project"));
    assert_success(
        run_blind("shadewood label deep.json.ktx2 photos/0_colors.png --input depth=deep/{}.png -t cpu -q -o "
                  "by-forest"));
    assert_success(run("cmp by-project/0_colors_labels.png by-forest/0_colors_labels.png"));
    assert_one_line(run_blind("shadewood label deep.json photos/0_colors.png --input depth=none/{}.png -t cpu -q "
                              "-o wrong"),
                    1, "none/0_colors.png", NULL);
    /* a picture's depth belongs to what the forest was made from */
    assert_success(run("cp deep/0_colors.png deep/1_colors.png"));
    assert_success(run_blind("shadewood label deep.json photos/0_colors.png -t cpu -o by-project"));
    assert_one_line(run_blind("shadewood train deep.json -o deep/2_colors.png --overwrite"), 2, "overwritten", NULL);
}

TESTING_CASE(test_pictures_without_depth_are_named)
{
    write_project("lacks.json", DEEP, "", PICTURE("photos/0_colors.png", ""), PICTURE("photos/1_colors.png", ""));
    assert_one_line(run_blind("shadewood train lacks.json -o never.ktx2 -t cpu"), 1, "photos/0_colors.png has no depth",
                    "NAME_depth.png", NULL);
    write_project("lacks.json", DEEP, "\"inputs\": {\"depth\": \"none/{}.png\"},", PICTURE("photos/1_colors.png", ""),
                  NULL);
    assert_one_line(run_blind("shadewood train lacks.json -o never.ktx2 -t cpu"), 1, "photos/1_colors.png has no depth",
                    "none/{}.png", NULL);
    assert_false(exists("never.ktx2"));
}

/* The previous frame of a picture is the file that the project names. */
TESTING_CASE(test_motion_is_against_the_frame_that_the_project_names)
{
#define MOVES "\"channels\": \"dt,dt-gradient\", \"trees\": 3, \"depth\": 4, \"candidates\": 20"
    write_project("moves.json", MOVES, "",
                  PICTURE("photos/1_colors.png", "\"inputs\": {\"previous\": \"photos/0_colors.png\"},"),
                  PICTURE("photos/2_colors.png", "\"inputs\": {\"previous\": \"photos/1_colors.png\"},"));
    check_training("moves.json");
    write_project("rests.json", MOVES, "", PICTURE("photos/1_colors.png", ""), PICTURE("photos/2_colors.png", ""));
    assert_true(train("rests.json", "-t cpu") != train("moves.json", "-t cpu"));
}

/* Pictures of the project are labelled with the inputs that are theirs, without options. */
TESTING_CASE(test_pictures_are_labelled_with_inputs_of_their_own)
{
    write_project("own.json", DEEP, "", PICTURE("photos/1_colors.png", ""),
                  PICTURE("photos/0_colors.png", "\"inputs\": {\"depth\": \"deep/0_colors.png\"},"));
    assert_success(run_blind("shadewood label own.json photos/0_colors.png -t cpu -q -o own"));
    assert_success(run_blind("shadewood label own/own.ktx2 photos/0_colors.png --input depth=deep/{}.png -t cpu -q -o "
                             "own-expected"));
    assert_success(run("cmp own/0_colors_labels.png own-expected/0_colors_labels.png"));
    write_project("moves.json", MOVES, "",
                  PICTURE("photos/1_colors.png", "\"inputs\": {\"previous\": \"photos/0_colors.png\"},"),
                  PICTURE("photos/2_colors.png", "\"inputs\": {\"previous\": \"photos/1_colors.png\"},"));
    assert_success(run_blind("shadewood label moves.json photos/1_colors.png photos/2_colors.png -t cpu -q -o moved"));
    assert_success(run_blind("shadewood label moved/moves.ktx2 photos/0_colors.png photos/1_colors.png "
                             "photos/2_colors.png --frames -t cpu -q -o moved-expected"));
    assert_success(
        run("for n in 1 2; do cmp moved/${n}_colors_labels.png moved-expected/${n}_colors_labels.png || exit 1; "
            "done"));
    /* whatever an option names comes first */
    assert_success(
        run_blind("shadewood label moves.json photos/2_colors.png --input previous=photos/2_colors.png -t cpu "
                  "-q -o rested"));
    assert_success(run("! cmp -s rested/2_colors_labels.png moved/2_colors_labels.png"));
    write_project("gone.json", MOVES, "", PICTURE("photos/1_colors.png", "\"inputs\": {\"previous\": \"gone.png\"},"),
                  NULL);
    assert_one_line(run_blind("shadewood train gone.json -o never.ktx2 -t cpu"), 1, "photos/1_colors.png", "gone.png",
                    "previous frame", NULL);
}

/* With one picture and with two, of which the second has no stroke of a class. */
TESTING_CASE(test_several_levels_are_trained_on_strokes)
{
    write_project("above.json", DEEP ", \"levels\": 2", "", PICTURE("photos/1_colors.png", ""), NULL);
    check_levels("above.json");
    write_project("above.json",
                  "\"channels\": \"rgb\", \"trees\": 6, \"depth\": 4, \"candidates\": 20, \"offset\": "
                  "9, \"levels\": 2",
                  "", PICTURE("photos/1_colors.png", ""),
                  "{\"name\": \"photos/2_colors.png\", \"width\": 48, \"height\": 40, \"strokes\": [{\"class\": 0, "
                  "\"radius\": 2, \"points\": [9, 9, 30, 9]}]}");
    check_levels("above.json");
    assert_one_line(run_blind("shadewood train above.json -o never.ktx2 --levels 2"), 2,
                    "a project says itself how many levels", NULL);
}

TESTING_FIXTURE(write_pictures, NULL)
