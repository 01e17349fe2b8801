/* Projects that are taught on depth and motion: what is shown and saved is what the project's file trains. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <shadewood/forest.h>

#include "files/image/image_write.h"
#include "files/project/project.h"
#include "testing/painting.h"

enum { WIDTH = 48, HEIGHT = 36, PICTURES = 3 };

#define CLASSES "add-class near #102030\nadd-class far #a0b0c0"
#define SMALL   "training trees 3\ntraining depth 5\ntraining candidates 20"
#define STROKES "stroke near 2 5 5 40 5\nstroke far 2 5 30 40 30"

static void write_image(const char *name, const void *pixels, enum shw_pixel_format format)
{
    const struct shw_image image = {pixels, WIDTH, HEIGHT, 0, format};

    assert_int_equal(shw_png_write(name, &image, NULL), SHW_OK);
}

/* Noise, with depth of two of them that tells the upper half from the lower one, and of which the lower half moves. */
static int write_pictures(void **state)
{
    struct testing_random random = {6};
    static uint8_t colours[WIDTH * HEIGHT * 3];
    char name[64];

    (void)state;
    assert_int_equal(chdir(testing_path("")), 0);
    assert_int_equal(system("mkdir photos deep"), 0);
    for (int p = 0; p < PICTURES; p++) {
        uint16_t depth[WIDTH * HEIGHT];

        for (int i = 0; i < WIDTH * HEIGHT; i++) {
            depth[i] = (uint16_t)((i / WIDTH < HEIGHT / 2 ? 900 : 2400) + testing_random_below(&random, 40));
            for (int k = 0; k < 3 && (p == 0 || i / WIDTH >= HEIGHT / 2); k++)
                colours[3 * i + k] = (uint8_t)testing_random_below(&random, 256);
        }
        snprintf(name, sizeof name, "photos/%d.png", p);
        write_image(name, colours, SHW_PIXEL_RGB8);
        snprintf(name, sizeof name, "deep/%d.png", p);
        if (p < PICTURES - 1)
            write_image(name, depth, SHW_PIXEL_GREY16);
    }
    return 0;
}

/* The saved project trains the forest that was exported. */
static void check_saved(const char *path, const char *forest_path, const char *channels)
{
    struct shw_project *project = NULL;
    struct shw_forest *forest = NULL;

    assert_int_equal(shw_project_read(path, NULL, &project), SHW_OK);
    assert_string_equal(shw_project_get_training(project).channels, channels);
    assert_int_equal(shw_forest_load(forest_path, NULL, &forest), SHW_OK);
    assert_true(shw_forest_hash(forest) == testing_paint_train(project));
    shw_forest_destroy(&forest);
    shw_project_destroy(&project);
}

static void run_fine(void)
{
    const char *said;

    if (run_script(80, 60, &said) != 0 || said[0] != '\0')
        fail_msg("%s", said);
}

static void compare_labels(const char *shown, const char *project)
{
    char command[1024];

    snprintf(command, sizeof command,
             "'%s' label '%s' photos/0.png photos/1.png -q -o expected-%s --no-overlay --technique cpu && "
             "cmp '%s'/0_labels.png expected-%s/0_labels.png && cmp '%s'/1_labels.png expected-%s/1_labels.png",
             getenv("SHADEWOOD_PROGRAM"), project, shown, shown, shown, shown, shown);
    assert_int_equal(system(command), 0);
}

TESTING_CASE(depth_is_learned_from)
{
    script("project new\nopen photos\n" CLASSES "\n" SMALL "\nlearn-from depth ../deep/{}.png\n" STROKES
           "\nstep forward\n" STROKES
           "\nwait trained\nexport forest depth.ktx2\nsave depth.json\nexport-of project\nexport labels depth-labels");
    run_fine();
    check_saved("depth.json", "depth.ktx2", "lab,tensor:2,deviation:4,depth");
    compare_labels("depth-labels", "depth.json");
    /* the same from the saved project, also from another folder, and without depth again */
    script(
        "project depth.json\nwait trained\nexport forest again.ktx2\nsave deep/moved.json\nlearn-from depth off\nwait "
        "trained\nexport forest flat.ktx2\nsave flat.json");
    run_fine();
    check_saved("depth.json", "again.ktx2", "lab,tensor:2,deviation:4,depth");
    check_saved("deep/moved.json", "again.ktx2", "lab,tensor:2,deviation:4,depth");
    check_saved("flat.json", "flat.ktx2", "lab,tensor:2,deviation:4");
}

/* The small forest has one level, the full one two, as `shadewood train` trains them. */
TESTING_CASE(several_levels_are_taught)
{
    char command[512];

    for (int device = 0; device < 2; device++) {
        script("project new\nopen photos\ntrainer %s\n" CLASSES "\n" SMALL
               "\ntraining channels rgb\ntraining levels 2\n"
               "go 2\n" STROKES "\nwait small\nwait trained\nsmoothing 3\nwait judged\nexport forest levels.ktx2\n"
               "export-existing replace\nsave levels.json\nstroke far 1 3 3\nwait trained",
               device ? "device" : "cpu");
        run_fine();
        snprintf(command, sizeof command,
                 "'%s' train levels.json -q -t cpu --overwrite -o trained.ktx2 && '%s' inspect levels.ktx2 | grep "
                 "-q 'levels *2' && cmp levels.ktx2 trained.ktx2",
                 getenv("SHADEWOOD_PROGRAM"), getenv("SHADEWOOD_PROGRAM"));
        assert_int_equal(system(command), 0);
        assert_int_equal(remove("levels.ktx2") + remove("levels.json"), 0);
    }
}

static void assert_refused(const char *before, const char *line, const char *message)
{
    const char *said;

    script("%s\n%s", before, line);
    if (run_script(64, 64, &said) != 1 || strstr(said, message) == NULL)
        fail_msg("%s: %s", line, said);
}

TESTING_CASE(pictures_without_depth_are_not_painted_on)
{
    static const char begin[] = "project new\nopen photos\n" CLASSES "\nlearn-from depth ../deep/{}.png";
    static const char painted[] = "project new\nopen photos\n" CLASSES "\ngo 3\n" STROKES;

    assert_refused(begin, "go 3\nstroke near 2 5 5", "photos/2.png has no depth");
    assert_refused("project new\nopen photos\n" CLASSES "\nlearn-from depth on", "stroke near 2 5 5",
                   "0.png has no depth, which the project is trained on: it can be in NAME_depth.png");
    assert_refused(painted, "learn-from depth ../deep/{}.png", "2.png has no depth");
    assert_refused(painted, "training channels depth", "2.png has no depth");
    assert_refused(begin, "learn-from depth perhaps", "is not depth or motion");
    assert_refused(begin, "learn-from smell on", "is not depth or motion");
    assert_refused("", "learn-from depth on", "no project is open");
    /* a refused choice leaves the one before */
    script("%s\nwait trained\nsave kept.json", painted);
    run_fine();
}

TESTING_FIXTURE(write_pictures, NULL)
