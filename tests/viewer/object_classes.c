/* Object classes in the window: taught by clicks, learned live, undone, stored, exported as `shadewood label` does. */
#include "seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/image/image_file.h"
#include "files/image/image_write.h"

#define WIDTH  200u
#define HEIGHT 160u
#define PITCH  40u

/* Bright discs and bars on a dark ground, which alternate. */
static bool is_bright(uint32_t x, uint32_t y)
{
    int across = (int)(x % PITCH) - (int)PITCH / 2, down = (int)(y % PITCH) - (int)PITCH / 2;

    return (x / PITCH + y / PITCH) % 2 == 0 ? across * across + down * down <= 81 : abs(across) <= 15 && abs(down) <= 3;
}

static const char *make_picture(const char *name)
{
    static uint8_t pixels[WIDTH * HEIGHT * 3];
    static char path[FILE_PATH];
    const struct shw_image image = {.pixels = pixels, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_RGB8};

    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            uint8_t *pixel = pixels + 3 * (y * WIDTH + x);

            pixel[0] = (uint8_t)(is_bright(x, y) ? 200 + (x * 7 + y * 3) % 13 : 20 + (x * 5 + y * 11) % 13);
            pixel[1] = pixel[2] = (uint8_t)(pixel[0] / 2);
        }
    snprintf(path, sizeof path, "%s", testing_path(name));
    assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
    return path;
}

static bool have_same_pixels(const char *one, const char *other)
{
    struct shw_image_file files[2];
    bool same;

    assert_int_equal(shw_image_file_read(one, NULL, NULL, &files[0]), SHW_OK);
    assert_int_equal(shw_image_file_read(other, NULL, NULL, &files[1]), SHW_OK);
    same = memcmp(files[0].pixels, files[1].pixels, (size_t)3 * files[0].image.width * files[0].image.height) == 0;
    shw_image_file_free(&files[0]);
    shw_image_file_free(&files[1]);
    return same;
}

static char picture[FILE_PATH];

/* A project with labels of ground and things, whose objects have been found. */
static void begin(void)
{
    snprintf(picture, sizeof picture, "%s", make_picture("things.png"));
    script("open %s\nproject new\nadd-class ground\nadd-class thing", picture);
    script("stroke ground 2 2 40 190 40\nstroke ground 1 40 4 40 150\nstroke thing 4 18 20 22 20");
    script("stroke thing 1 50 20 70 20\nwait trained\nobjects-class thing\nobjects-area 30\nwait objects");
}

/* What the n-th `objects-list` of the last run has printed, from 0. */
static const char *list(uint32_t n)
{
    static char text[8192];
    const char *begin = strstr(script_output(), "thing: "), *end;

    while (n-- > 0 && begin != NULL)
        begin = strstr(begin + 1, "thing: ");
    assert_non_null(begin);
    end = strstr(begin + 1, "thing: ");
    snprintf(text, sizeof text, "%.*s", end != NULL ? (int)(end - begin) : (int)strlen(begin), begin);
    return text;
}

/* The objects in a list, and those of them that have the class that their shape says. */
static uint32_t count(const char *text, uint32_t *right)
{
    uint32_t objects = 0;

    *right = 0;
    for (const char *line = strstr(text, "\nobject "); line != NULL; line = strstr(line + 1, "\nobject ")) {
        unsigned number, area, x, y, width, height;
        char class[32] = "";

        assert_true(sscanf(line, "\nobject %u: thing, %u px, box %u %u %u %u, %31s", &number, &area, &x, &y, &width,
                           &height, class) >= 6);
        objects++;
        *right += strcmp(class, width > 25 ? "long" : "round") == 0;
    }
    return objects;
}

static void assert_told(const char *text, uint32_t objects, uint32_t right)
{
    uint32_t found;

    assert_int_equal(count(text, &found), objects);
    assert_int_equal(found, right);
}

#define TEACH "add-object-class round\nobject-teach 20 20\nadd-object-class long #102030\nobject-teach 60 20"

TESTING_CASE(two_clicks_teach)
{
    begin();
    script("objects-list\n" TEACH "\nobjects-list\nundo\nobjects-list\nredo\nobjects-list");
    script("object-hand forget\nobject-teach 62 21\nobjects-list\nobject-hand none\nquit");
    assert_int_equal(run_script(640, 480, NULL), 0);
    assert_told(list(0), 20, 0);
    assert_told(list(1), 20, 20);
    assert_told(list(2), 20, 0); /* without bars nothing can be told apart */
    assert_told(list(3), 20, 20);
    assert_told(list(4), 20, 0);
}

/* The project has everything: opened again, it tells objects apart, and is not unsaved. */
TESTING_CASE(what_is_taught_is_saved)
{
    char project[FILE_PATH];

    snprintf(project, sizeof project, "%s", testing_path("taught.json"));
    begin();
    script(TEACH "\npixel-size 0.5 um\nrename-object-class long bar\nobject-colour bar #405060\nsave %s\nquit",
           project);
    assert_int_equal(run_script(640, 480, NULL), 0);
    script("project %s\nwait trained\nrename-object-class bar long\nobjects-list\nundo\nobjects-show bar", project);
    script("objects-list\nobjects-show all\nsave\nquit");
    assert_int_equal(run_script(640, 480, NULL), 0);
    assert_told(list(0), 20, 20);
    assert_told(list(1), 10, 0); /* those are called bar */
}

static bool file_has(const char *folder, const char *name, const char *text)
{
    char command[4 * FILE_PATH];

    snprintf(command, sizeof command, "grep -qF '%s' '%s/%s'", text, folder, name);
    return system(command) == 0;
}

/* After a name the keyboard is in the field again, whose letters would be keys elsewhere. */
TESTING_CASE(names_are_typed_one_after_the_other)
{
    char folder[FILE_PATH], project[2 * FILE_PATH];

    snprintf(folder, sizeof folder, "%s", testing_path(""));
    snprintf(project, sizeof project, "%s", testing_path("typed.json"));
    begin();
    script("panels on\npanel teach off\npanel pixel off\npanel classes fold\nkey Ctrl+J\nwait 8");
    script("click ##object-class\nwait 4\ntype round\nkey Enter\ntype long\nkey Enter\nwait 8\nsave %s\nquit", project);
    assert_int_equal(run_script(960, 640, NULL), 0);
    assert_true(file_has(folder, "typed.json", "\"round\""));
    assert_true(file_has(folder, "typed.json", "\"long\""));
}

/* A project with settings of objects shows them when it is opened again. */
TESTING_CASE(outlines_are_there_again)
{
    char project[FILE_PATH], shots[2][FILE_PATH];

    snprintf(project, sizeof project, "%s", testing_path("again.json"));
    snprintf(shots[0], FILE_PATH, "%s", testing_path("with.png"));
    snprintf(shots[1], FILE_PATH, "%s", testing_path("without.png"));
    begin();
    script("save %s\nquit", project);
    assert_int_equal(run_script(320, 240, NULL), 0);
    script("panels on\nproject %s\nwait trained\nwait labels\nwait objects\nmouse move 5 5\nwait 8\nscreenshot %s\n"
           "objects off\nwait 8\nscreenshot %s\nquit",
           project, shots[0], shots[1]);
    assert_int_equal(run_script(960, 640, NULL), 0);
    assert_false(have_same_pixels(shots[0], shots[1]));
}

static void assert_same_folders(const char *one, const char *other)
{
    char command[4 * FILE_PATH];

    snprintf(command, sizeof command, "diff -r '%s' '%s' -x '*.ktx2' -x '*.jsonl' -x shares.csv -x classes.json", one,
             other);
    assert_int_equal(system(command), 0);
}

/* `export objects` and `shadewood label PROJECT` write the same, also of one object class alone. */
TESTING_CASE(the_program_writes_the_same)
{
    char project[FILE_PATH], forest[FILE_PATH], exported[FILE_PATH], labelled[FILE_PATH], alone[FILE_PATH],
        by_forest[FILE_PATH], command[12 * FILE_PATH];

    snprintf(project, sizeof project, "%s", testing_path("written.json"));
    snprintf(forest, sizeof forest, "%s", testing_path("objects.ktx2"));
    snprintf(exported, sizeof exported, "%s", testing_path("exported_all"));
    snprintf(labelled, sizeof labelled, "%s", testing_path("labelled_all"));
    snprintf(alone, sizeof alone, "%s", testing_path("exported_long"));
    snprintf(by_forest, sizeof by_forest, "%s", testing_path("by_forest"));
    begin();
    script(TEACH "\npixel-size 2 mm\nobjects-area-max 5000\nwait objects\nobject-forest %s\nsave %s", forest, project);
    script("export-add %s\nexport objects %s\nobjects-show long\nexport objects %s\nobjects-show all\nquit", picture,
           exported, alone);
    assert_int_equal(run_script(640, 480, NULL), 0);
    snprintf(command, sizeof command,
             "'%s' label -q -t cpu '%s' '%s' -o '%s' --no-labels --no-overlay --objects --objects-format "
             "csv,geojson,instances",
             getenv("SHADEWOOD_PROGRAM"), project, picture, labelled);
    assert_int_equal(system(command), 0);
    assert_same_folders(exported, labelled);
    assert_true(file_has(exported, "objects.csv", "area_um2") && file_has(exported, "objects.csv", ",long,1,"));
    assert_true(file_has(exported, "things_objects.geojson", "\"object_class\":\"round\""));
    assert_true(file_has(alone, "objects.csv", ",long,1,") && !file_has(alone, "objects.csv", ",round,0,"));
    /* the project's forest of pixels, and that of objects, without the project */
    snprintf(command, sizeof command,
             "'%s' label -q -t cpu '%s/written.ktx2' '%s' -o '%s' --no-labels --no-overlay --objects --objects-format "
             "csv,geojson,instances --objects-classes thing --objects-area 30 --objects-area-max 5000 --object-forest "
             "'%s' --objects-show long --pixel-size '2 mm'",
             getenv("SHADEWOOD_PROGRAM"), labelled, picture, by_forest, forest);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "cmp '%s/objects.csv' '%s/objects.csv'", by_forest, alone);
    assert_int_equal(system(command), 0);
}

/* Clicks teach while an object class is in hand, and the colours of objects change. */
TESTING_CASE(clicks_teach)
{
    uint32_t right;

    begin();
    script("panels off\nzoom 1\nadd-object-class round\nadd-object-class long\nobject-hand round\nwait 3");
    script("mouse move 240 180\nmouse press left\nmouse release left\nwait 3");
    script("object-hand long\nmouse move 280 180\nmouse press left\nmouse release left\nwait 3\nobjects-list\nquit");
    assert_int_equal(run_script(640, 480, NULL), 0);
    assert_int_equal(count(list(0), &right), 20);
    assert_int_equal(right, 20);
}

TESTING_CASE(what_is_refused)
{
    static const char *const lines[] = {"object-teach 20 20",
                                        "object-hand lake",
                                        "add-object-class round\nadd-object-class round",
                                        "add-object-class round\nobject-teach 40 40",
                                        "add-object-class round\nobject-teach 20",
                                        "rename-object-class round disc",
                                        "object-colour round red",
                                        "delete-object-class round",
                                        "objects-show round",
                                        "objects-area-max -1",
                                        "pixel-size 3",
                                        "scale-bar maybe",
                                        "object-forest none.ktx2"};
    const char *messages;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        begin();
        script("%s\nquit", lines[i]);
        assert_int_equal(run_script(64, 64, &messages), 1);
        assert_non_null(strstr(messages, "the script ends here"));
    }
    script("open %s\nadd-object-class round\nquit", picture);
    assert_int_equal(run_script(64, 64, &messages), 1);
    assert_non_null(strstr(messages, "project"));
}

#define BAR(line) "panels on\n" line "\nwait 4" AWAY

/* A scale bar is drawn once the size of pixels is known. */
TESTING_CASE(a_scale_bar_is_seen)
{
    seen_after(BAR("scale-bar off")); /* the panels settle */
    seen_after(BAR("scale-bar off"));
    seen_after(BAR("scale-bar on"));
    seen_after(BAR("pixel-size 0.65 um"));
    seen_after(BAR("pixel-size 0.3 um") "\npixel-size none\nscale-bar off\npanels off");
    seen_run();
    assert_int_equal(seen_differences(1, 2, 0), 0);
    assert_true(seen_differences(2, 3, 0) > 100);
    assert_true(seen_differences(3, 4, 0) > 10);
}

/* A snapshot has it, too, in its lower right corner. */
TESTING_CASE(a_scale_bar_is_in_snapshots)
{
    struct shw_image_file plain, with;
    char path[2][FILE_PATH];
    uint32_t inside = 0, outside = 0;

    snprintf(path[0], sizeof path[0], "%s", testing_path("plain.png"));
    snprintf(path[1], sizeof path[1], "%s", testing_path("with_bar.png"));
    script("open %s\nsnapshot %s\npixel-size 1 mm\nscale-bar on\nsnapshot %s\nquit", make_picture("things.png"),
           path[0], path[1]);
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_int_equal(shw_image_file_read(path[0], NULL, NULL, &plain), SHW_OK);
    assert_int_equal(shw_image_file_read(path[1], NULL, NULL, &with), SHW_OK);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++) {
        const uint8_t *a = (const uint8_t *)plain.image.pixels + (size_t)3 * i;
        const uint8_t *b = (const uint8_t *)with.image.pixels + (size_t)3 * i;
        bool corner = i % WIDTH > WIDTH - 75 && i / WIDTH > HEIGHT - 40;

        *(corner ? &inside : &outside) += memcmp(a, b, 3) != 0;
    }
    assert_int_equal(outside, 0);
    assert_true(inside > 150); /* a bar of 50 mm, 3 pixels thick, and more */
    shw_image_file_free(&plain);
    shw_image_file_free(&with);
}

static int prepare(void **state)
{
    return seen_open_files(state);
}

TESTING_FIXTURE(prepare, NULL)
