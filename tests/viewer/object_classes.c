/* Object classes in the window: taught by clicks, learned live, undone, stored, exported as `shadewood label` does. */
#include "seen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "files/image/resolution.h"

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

static bool has_text(const char *path, const char *text)
{
    const char *slash = strrchr(path, '/');
    char folder[FILE_PATH];

    snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    return file_has(folder, slash + 1, text);
}

/* What is set is saved, even by the next line. */
TESTING_CASE(settings_are_saved_at_once)
{
    char project[FILE_PATH];

    snprintf(project, sizeof project, "%s", testing_path("at_once.json"));
    begin();
    script("save %s\npixel-size 0.25 um\nobjects-area 77\nsave\nquit", project);
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_true(has_text(project, "\"pixel_size\": 0.25") && has_text(project, "\"area\": 77"));
}

/* Settings of one project are not those of the next, which says nothing. */
TESTING_CASE(settings_stay_with_their_project)
{
    char silent[FILE_PATH], telling[FILE_PATH], next[FILE_PATH];

    snprintf(silent, sizeof silent, "%s", testing_path("silent.json"));
    snprintf(telling, sizeof telling, "%s", testing_path("telling.json"));
    snprintf(next, sizeof next, "%s", testing_path("next.json"));
    snprintf(picture, sizeof picture, "%s", make_picture("things.png"));
    script("open %s\nproject new\nadd-class ground\nadd-class thing\nstroke ground 2 2 40 190 40\n"
           "stroke thing 4 18 20 22 20\nwait trained\nsave %s\nobjects-class thing\nobjects-area 30\n"
           "wait objects\n" TEACH "\npixel-size 0.5 um\nobjects-show long\nsave %s",
           picture, silent, telling);
    script("project %s\nadd-class other\nadd-object-class first\nsave\nproject %s\nwait trained\nproject new\n"
           "add-class one\nadd-object-class two\nsave %s\nquit",
           silent, telling, next);
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_true(has_text(telling, "\"pixel_size\": 0.5") && has_text(telling, "\"show\": \"long\""));
    assert_false(has_text(silent, "pixel_size") || has_text(silent, "\"show\"") || has_text(silent, "\"area\": 30"));
    assert_false(has_text(next, "pixel_size") || has_text(next, "\"show\"") || has_text(next, "\"area\": 30"));
}

static uint32_t occurrences(const char *text)
{
    uint32_t count = 0;

    for (const char *at = script_output(); (at = strstr(at, text)) != NULL; at++)
        count++;
    return count;
}

/* Classes that are renamed, deleted and brought back are still those of the settings, at once and in files. */
TESTING_CASE(settings_follow_classes)
{
    char project[FILE_PATH], out[FILE_PATH], command[8 * FILE_PATH];

    snprintf(project, sizeof project, "%s", testing_path("renamed.json"));
    snprintf(out, sizeof out, "%s", testing_path("of_renamed"));
    begin();
    script(TEACH "\nobjects-show long\nrename-class thing cell\nwait trained\nobjects-list");
    script("rename-object-class long bar\nobjects-list\nsave %s\ndelete-object-class bar\nobjects-list\nundo\n"
           "objects-list\nquit",
           project);
    assert_int_equal(run_script(640, 480, NULL), 0);
    assert_int_equal(occurrences("cell: 20\n"), 4);
    assert_int_equal(occurrences(", long "), 10); /* of the first list */
    assert_int_equal(occurrences(", bar "), 20);  /* of the second and the last */
    assert_int_equal(occurrences("\nobject "), 10 + 10 + 20 + 10);
    assert_true(has_text(project, "\"show\": \"bar\"") && has_text(project, "\"class\": \"cell\""));
    snprintf(command, sizeof command, "'%s' label -q -t cpu '%s' '%s' -o '%s' --no-labels --no-overlay --objects",
             getenv("SHADEWOOD_PROGRAM"), project, picture, out);
    assert_int_equal(system(command), 0);
    assert_true(file_has(out, "objects.csv", ",bar,1,") && !file_has(out, "objects.csv", ",round,0,"));
}

/* The smallest area is never above the largest. */
TESTING_CASE(areas_stay_in_order)
{
    char project[FILE_PATH];

    snprintf(project, sizeof project, "%s", testing_path("areas.json"));
    begin();
    script("objects-area-max 20\nobjects-area 50\nsave %s\nquit", project);
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_true(has_text(project, "\"area\": 50") && has_text(project, "\"area_max\": 50"));
    begin();
    script("objects-area 50\nobjects-area-max 20\nsave %s\nquit", project);
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_true(has_text(project, "\"area\": 20") && has_text(project, "\"area_max\": 20"));
}

/* A data set of two pictures, whose files state different sizes of pixels. */
static void make_dataset(const char *root)
{
    static const double sides[] = {0.65, 0.325};
    static const struct shw_class class = {.name = "ground", .colour = {1, 2, 3}};
    static uint16_t labels[WIDTH * HEIGHT];
    struct shw_image_file file;
    char path[3 * FILE_PATH];
    FILE *palette;

    snprintf(path, sizeof path, "mkdir -p '%s/images' '%s/labels'", root, root);
    assert_int_equal(system(path), 0);
    assert_int_equal(shw_image_file_read(make_picture("things.png"), NULL, NULL, &file), SHW_OK);
    for (int p = 0; p < 2; p++) {
        snprintf(path, sizeof path, "%s/images/%c.png", root, 'a' + p);
        assert_int_equal(shw_png_write_scaled(path, NULL, sides[p], &file.image, NULL), SHW_OK);
        snprintf(path, sizeof path, "%s/labels/%c_L.png", root, 'a' + p);
        assert_int_equal(shw_png_write_labels(path, labels, WIDTH, HEIGHT, &class, 1, 0.0, NULL), SHW_OK);
    }
    shw_image_file_free(&file);
    snprintf(path, sizeof path, "%s/palette.json", root);
    palette = fopen(path, "w");
    assert_non_null(palette);
    fputs("{\"classes\": [{\"name\": \"ground\", \"colour\": [1, 2, 3]}]}", palette);
    fclose(palette);
}

/* Each picture has the size of its own file, also one of a data set, of which the project keeps a copy. */
TESTING_CASE(sizes_are_of_each_picture)
{
    char root[FILE_PATH], project[FILE_PATH], out[FILE_PATH], again[FILE_PATH];

    snprintf(root, sizeof root, "%s", testing_path("sized_set"));
    snprintf(project, sizeof project, "%s", testing_path("sized.json"));
    snprintf(out, sizeof out, "%s", testing_path("sized_out"));
    snprintf(again, sizeof again, "%s", testing_path("sized_again"));
    make_dataset(root);
    script("open %s\nproject new\nadd-class ground\nadd-class thing\nstroke ground 2 2 40 190 40\nstroke thing 4 18 20 "
           "22 20\n"
           "wait trained\nobjects-class thing\nobjects-area 30\nwait objects\nsave %s\nexport-of all\n"
           "export objects %s\nproject %s\nwait trained\nexport-of project\nexport objects %s\nquit",
           root, project, out, project, again);
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_true(file_has(out, "objects.csv", ",0.65,") && file_has(out, "objects.csv", ",0.325,"));
    assert_true(fabs(shw_image_pixel_size(testing_path("sized-frames/a.png")) - 0.65) < 1e-9);
    assert_true(file_has(again, "objects.csv", ",0.65,") && !file_has(again, "objects.csv", ",0.325,"));
}

/* The longest run of white pixels in a row of an image, in its lower right quarter. */
static uint32_t bar_of(const char *path)
{
    struct shw_image_file file;
    uint32_t longest = 0;

    assert_int_equal(shw_image_file_read(path, NULL, NULL, &file), SHW_OK);
    assert_int_equal(file.image.format, SHW_PIXEL_RGB8);
    for (uint32_t y = file.image.height / 2; y < file.image.height; y++)
        for (uint32_t x = file.image.width / 2, run = 0; x < file.image.width; x++) {
            static const uint8_t white[3] = {255, 255, 255};
            const uint8_t *pixel = (const uint8_t *)file.image.pixels + 3 * ((size_t)y * file.image.width + x);

            run = memcmp(pixel, white, 3) == 0 ? run + 1 : 0;
            longest = run > longest ? run : longest;
        }
    shw_image_file_free(&file);
    return longest;
}

static const char *in_folder(const char *folder, const char *name)
{
    static char path[2 * FILE_PATH];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* Exported overlays have a bar of the length that it says, and those of `shadewood label` the same. */
TESTING_CASE(a_scale_bar_is_in_overlays)
{
    static const struct {
        const char *size;
        uint32_t pixels; /* of a quarter of 200 at most: 20 um, 10 mm, 20 um */
    } sizes[] = {{"0.5 um", 40}, {"0.3 mm", 33}, {"file or 0.65 um", 31}};
    char project[FILE_PATH], out[FILE_PATH], labelled[FILE_PATH], command[8 * FILE_PATH];

    snprintf(project, sizeof project, "%s", testing_path("scaled.json"));
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(out, sizeof out, "%s-%zu", testing_path("scaled"), i);
        snprintf(labelled, sizeof labelled, "%s-%zu", testing_path("scaled-by-label"), i);
        begin();
        script("pixel-size %s\nexport-add %s\nexport overlays %s/plain\nscale-bar on\nexport overlays %s\nsave %s\n"
               "quit",
               sizes[i].size, picture, out, out, project);
        assert_int_equal(run_script(64, 64, NULL), 0);
        assert_int_equal(bar_of(in_folder(out, "things_overlay.png")), sizes[i].pixels);
        assert_true(bar_of(in_folder(out, "plain/things_overlay.png")) < 5);
        snprintf(command, sizeof command, "'%s' label -q -t cpu '%s' '%s' -o '%s' --scale-bar --no-labels",
                 getenv("SHADEWOOD_PROGRAM"), project, picture, labelled);
        assert_int_equal(system(command), 0);
        snprintf(command, sizeof command, "cmp '%s/things_overlay.png' '%s/things_overlay.png'", out, labelled);
        assert_int_equal(system(command), 0);
    }
}

static int prepare(void **state)
{
    return seen_open_files(state);
}

TESTING_FIXTURE(prepare, NULL)
