/* Projects that are taught on depth and motion: what is shown and saved is what the project's file trains. */
#include "viewer.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <shadewood/forest.h>

#include "files/image/image_file.h"
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

/* Frames of a folder follow each other, and those of a saved project keep the one before. */
TESTING_CASE(motion_is_learned_from)
{
    script("project new\nopen photos\n" CLASSES "\n" SMALL "\ngo 2\n" STROKES
           "\nlearn-from motion on\nstep forward\n" STROKES
           "\nwait trained\nexport forest motion.ktx2\nsave motion.json");
    run_fine();
    check_saved("motion.json", "motion.ktx2", "lab,tensor:2,deviation:4,dt,dt-gradient");
    script("project motion.json\nwait trained\nexport forest motion-again.ktx2\nlearn-from motion off\nwait "
           "trained\nexport forest still.ktx2");
    run_fine();
    check_saved("motion.json", "motion-again.ktx2", "lab,tensor:2,deviation:4,dt,dt-gradient");
    assert_int_equal(system("! cmp -s motion.ktx2 still.ktx2"), 0);
    assert_int_equal(system("grep -q '\"previous\": \"photos/0.png\"' motion.json"), 0);
    assert_int_equal(system("grep -q '\"previous\": \"photos/1.png\"' motion.json"), 0);
}

/* Left of the wipe's line are the labels before a choice was changed, right of it those after it. */
TESTING_CASE(choices_are_previewed)
{
    static const char begin[] =
        "project new\nopen photos\n" CLASSES "\n" SMALL "\ntraining channels rgb\ngo 2\nstrokes "
        "off\n" STROKES "\nwait trained";
    static const char *const shots[] = {"before.png", "after.png", "both.png", "kept.png", "dropped.png"};
    struct shw_image_file read[5];

    script("%s\nscreenshot before.png\npreview on\nlearn-from depth ../deep/{}.png\nwait trained\nscreenshot both.png\n"
           "preview keep\nwait labels\nscreenshot kept.png\nsave kept.json",
           begin);
    run_fine();
    script("%s\nlearn-from depth ../deep/{}.png\nwait trained\nscreenshot after.png\nlearn-from depth off\npreview "
           "on\ntraining offset 2\nsmoothing 0\nwait trained\npreview drop\nwait trained\nscreenshot dropped.png\nsave "
           "dropped.json",
           begin);
    run_fine();
    for (int i = 0; i < 5; i++)
        assert_int_equal(shw_image_file_read(shots[i], NULL, NULL, &read[i]), SHW_OK);
    for (uint32_t y = 0; y < 60; y++) {
        const uint8_t *rows[5];

        for (int i = 0; i < 5; i++)
            rows[i] = (const uint8_t *)read[i].pixels + (size_t)y * 80 * shw_pixel_size(read[i].image.format);
        assert_memory_equal(rows[2], rows[0], 39 * shw_pixel_size(read[0].image.format));
        assert_memory_equal(rows[2] + 42 * shw_pixel_size(read[0].image.format),
                            rows[1] + 42 * shw_pixel_size(read[0].image.format),
                            38 * shw_pixel_size(read[0].image.format));
    }
    assert_memory_equal(read[3].pixels, read[1].pixels, 80 * 60 * shw_pixel_size(read[0].image.format));
    assert_memory_equal(read[4].pixels, read[0].pixels, 80 * 60 * shw_pixel_size(read[0].image.format));
    assert_true(memcmp(read[0].pixels, read[1].pixels, 80 * 60 * shw_pixel_size(read[0].image.format)) != 0);
    for (int i = 0; i < 5; i++)
        shw_image_file_free(&read[i]);
}

static struct shw_project_training training_of(const char *path)
{
    struct shw_project *project = NULL;
    struct shw_project_training training;

    assert_int_equal(shw_project_read(path, NULL, &project), SHW_OK);
    training = shw_project_get_training(project);
    shw_project_destroy(&project);
    return training;
}

TESTING_CASE(presets_are_choices)
{
    script("project new\nopen photos\n" CLASSES "\ntraining seed 4\npreset photographs\nsave photographs.json\npreset "
           "strokes\nsave strokes.json");
    run_fine();
    assert_non_null(strstr(training_of("photographs.json").channels, "gauss:1,"));
    assert_int_equal(training_of("photographs.json").seed, 4);
    assert_int_equal(training_of("photographs.json").offset, 25); /* less than for larger ones */
    assert_int_equal(training_of("photographs.json").smooth, 5);
    assert_int_equal(training_of("strokes.json").candidates, 0);
    assert_string_equal(training_of("strokes.json").channels, "");
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
    assert_refused(begin, "preset everything", "photographs");
    assert_refused(begin, "preview on", "there is no forest");
    assert_refused(begin, "preview drop", "nothing is compared");
    assert_refused(begin, "preview perhaps", "is not on, keep or drop");
    /* a refused choice leaves the one before */
    script("%s\nwait trained\nsave kept.json", painted);
    run_fine();
}

static void check(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void check(const char *format, ...)
{
    char command[2048];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0)
        fail_msg("%s", command);
}

/* Pictures of a data set with depth, which are no files of the project: one is called as another one's depth was. */
static void write_dataset(void)
{
    static const uint8_t labels[WIDTH * HEIGHT];

    check("mkdir -p set/images set/labels set/depth");
    for (int p = 0; p < 2; p++) {
        const char *name = p == 0 ? "a" : "a-depth";

        check("cp photos/%d.png set/images/%s.png && cp deep/%d.png set/depth/%s.png", p, name, p, name);
        write_image(p == 0 ? "set/labels/a.png" : "set/labels/a-depth.png", labels, SHW_PIXEL_GREY8);
    }
}

/* What is kept with a project comes back with it: in the viewer, in `train` and in `label`. */
TESTING_CASE(depth_of_a_data_set_is_kept_with_the_project)
{
    write_dataset();
    script("project new\nopen set\n" CLASSES "\n" SMALL "\nlearn-from depth on\n" STROKES "\nstep forward\n" STROKES
           "\nsave set.json\nwait trained\nexport forest set.ktx2\nexport-of project\nexport labels set-labels");
    run_fine();
    check_saved("set.json", "set.ktx2", "lab,tensor:2,deviation:4,depth");
    script("project set.json\npictures\nwait trained\nexport forest set-again.ktx2\nexport-of project\nexport labels "
           "set-labels-again");
    run_fine();
    check_saved("set.json", "set-again.ktx2", "lab,tensor:2,deviation:4,depth");
    if (strstr(script_output(), "a-depth-depth") != NULL || strstr(script_output(), " 3 ") != NULL)
        fail_msg("%s", script_output());
    check("'%s' label set.json set-frames -q --no-overlay -t cpu -o set-expected", getenv("SHADEWOOD_PROGRAM"));
    for (int p = 0; p < 2; p++)
        check("for d in set-labels set-labels-again; do cmp $d/%s_labels.png "
              "$(find set-expected -name %s_labels.png) || exit 1; done",
              p == 0 ? "a" : "a-depth", p == 0 ? "a" : "a-depth");
    check("test $(find set-expected -name '*_labels.png' | wc -l) = 2");
    /* and from another folder */
    script("project set.json\nsave deep/set.json");
    run_fine();
    check_saved("deep/set.json", "set.ktx2", "lab,tensor:2,deviation:4,depth");
}

/* The depth that older projects have beside their pictures is none of these. */
TESTING_CASE(inputs_are_not_pictures)
{
    check("cp -r set-frames old-frames && mv old-frames/depth/a.png old-frames/b-depth.png && mv old-frames/a.png "
          "old-frames/b.png && rm -r old-frames/depth old-frames/a-depth.png");
    script("project new\nopen old-frames/b.png\n" CLASSES "\n" STROKES "\nteach off\nsave old.json");
    run_fine();
    check(
        "sed -i 's#\"name\": \"old-frames/b.png\"#\"inputs\": {\"depth\": \"old-frames/b-depth.png\"}, &#' old.json && "
        "grep -q b-depth old.json");
    script("project old.json\npictures\nlearn-from depth on\nwait trained");
    run_fine();
    if (strstr(script_output(), "b-depth") != NULL)
        fail_msg("%s", script_output());
}

/* Rectangles that are saved beside a project of the same name leave its files alone. */
TESTING_CASE(files_that_are_kept_do_not_replace_each_other)
{
    check("mkdir -p other/images && cp -r set/labels other && for n in a a-depth; do cp photos/2.png "
          "other/images/$n.png; done");
    script("project new\nopen set\n" CLASSES "\n" SMALL "\nlearn-from depth on\n" STROKES "\nstep forward\n" STROKES
           "\nsave same.json\nwait trained\nproject new\nopen other\nrectangle 1 1 9 9\nstep forward\nrectangle 1 1 9 "
           "9\nrectangles-save same.csv");
    run_fine();
    check_saved("same.json", "set.ktx2", "lab,tensor:2,deviation:4,depth");
    check("test $(grep -c '^other/images/a' same.csv) = 2 && "
          "test $(ls same-frames/*.png | wc -l) = 2");
}

/* A picture that lacks what the forest reads is seen, and that is said. */
TESTING_CASE(pictures_without_depth_are_shown_without_labels)
{
    const char *said;

    script("project new\nopen photos\n" CLASSES "\n" SMALL "\nlearn-from depth ../deep/{}.png\nstrokes off\n" STROKES
           "\nwait trained\ngo 3\nwait labels\nscreenshot without.png\ngo 1\nwait labels\nscreenshot with.png\nrank");
    assert_int_equal(run_script(80, 60, &said), 0);
    assert_non_null(strstr(said, "photos/2.png has no depth, which the forest reads: it is shown without labels"));
    script("open photos\ngo 3\nscreenshot plain.png");
    run_fine();
    check("cmp without.png plain.png");
    assert_refused("project new\nopen photos\n" CLASSES, "learn-from depth ../deep/0.png",
                   "write {} for the picture's");
}

/* The pattern can be entered, and what it gives for the shown picture is told. */
TESTING_CASE(patterns_are_entered)
{
    const char *said;

    script("project new\nopen photos\n" CLASSES
           "\nlearn-from depth on\npanels on\npanel classes fold\npanel teach on\nwait "
           "3\nclick Settings\nwait 8\nclick ##depth-files\nwait 3\ntype ../deep/{}.png\nkey Enter\nwait 5\n" STROKES
           "\nsave entered.json\nclick ##depth-files\nwait 3\nkey Ctrl+A\ntype ../nowhere/{}.png\nkey Enter\nwait 5\n"
           "teach off\nwait 3");
    (void)run_script(960, 640, &said);
    if (strstr(said, "photos/0.png has no depth: there is no file NAME_depth.png beside NAME_colors.png") == NULL ||
        strstr(said, "0.png has no depth, which the project is trained on: there is no file by the pattern") == NULL ||
        strstr(said, "pattern nowhere/{}.png") == NULL || strstr(said, "/../") != NULL)
        fail_msg("%s", said);
    check("grep -q '\"depth\": \"deep/{}.png\"' entered.json");
    script("project entered.json\nlearn-from depth off\nlearn-from depth beside\nsave beside.json");
    assert_int_equal(run_script(80, 60, &said), 1);
    assert_non_null(strstr(said, "it can be in NAME_depth.png beside NAME_colors.png"));
}

/* The previous frame that a project names must be there. */
TESTING_CASE(previous_frames_that_are_missing_are_named)
{
    check(
        "sed 's#\"previous\": \"photos/1.png\"#\"previous\": \"photos/gone.png\"#' motion.json > gone.json && grep -q "
        "gone gone.json");
    assert_refused("project gone.json", "wait trained", "photos/2.png: cannot open its previous frame");
    assert_refused("project gone.json", "wait trained", "photos/gone.png: there is no such file");
}

/* A program that is killed leaves what is taught, with the depth of pictures that are no files. */
TESTING_CASE(depth_is_recovered)
{
    int child;

    script("project new\nopen set\n" CLASSES "\n" SMALL "\nlearn-from depth on\n" STROKES
           "\nrecover keep\nwait 1000000");
    child = start_script("--recovery copies", 80, 60);
    check("for i in $(seq 1200); do ls copies/*/work.json >/dev/null 2>&1 && exit 0; sleep 0.1; done; exit 1");
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    script("recover 1\nwait trained\nsave recovered.json\nwait trained\nexport forest recovered.ktx2");
    if (run_script_with("--recovery copies", 80, 60, NULL) != 0)
        fail_msg("it is not recovered");
    check_saved("recovered.json", "recovered.ktx2", "lab,tensor:2,deviation:4,depth");
    check("test $(find copies -type f | wc -l) = 0 && cmp recovered-frames/depth/a.png set-frames/depth/a.png");
}

TESTING_FIXTURE(write_pictures, NULL)
