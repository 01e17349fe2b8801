/* Import of masks and label images: what their values mean, and which pictures they belong to. */
#include "teaching.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "files/image/image_write.h"
#include "open_app.h"

enum { PIXELS = WIDTH * HEIGHT };

static uint16_t labels[PIXELS];

/* Random areas of some classes; SHW_LABEL_VOID for `classes`. */
static void draw_labels(uint64_t seed, uint32_t classes)
{
    struct testing_random random = {seed};

    for (uint32_t y = 0; y < HEIGHT; y += 6)
        for (uint32_t x = 0; x < WIDTH; x += 8) {
            uint32_t number = testing_random_below(&random, classes + 1);
            for (uint32_t i = 0; i < 48; i++)
                labels[(y + i / 8) * WIDTH + x + i % 8] = number == classes ? SHW_LABEL_VOID : (uint16_t)number;
        }
}

/* A grey image in which class c has the value values[c], and void the last one. */
static void write_mask(const char *path, const uint8_t *values, uint32_t classes)
{
    uint8_t grey[PIXELS];
    const struct shw_image image = {.pixels = grey, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_GREY8};

    for (uint32_t i = 0; i < PIXELS; i++)
        grey[i] = values[labels[i] == SHW_LABEL_VOID ? classes : labels[i]];
    assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
}

/* Does the same to the project here. */
static void import_here(uint32_t picture)
{
    assert_int_equal(shw_project_import_labels(taught.project, picture, labels), SHW_OK);
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, values_mean_what_is_said)
{
    static const uint8_t values[] = {7, 200, 255, 0};
    struct view view = picture_view(0);

    draw_labels(3, CLASSES);
    write_mask(testing_path("values.png"), values, CLASSES);
    begin(taught.folder);
    script("teach off\noverlay none\nimport-value 255 %s\nimport-value 200 #1\nimport-value 200 %s\nimport-value 0 -\n"
           "import-value 7 %s\nimport %s",
           names[2], names[1], names[0], testing_path("values.png"));
    import_here(0);
    shoot(&view, 0, true);
    run_and_compare();
    if (strstr(script_output(), "imported values.png") == NULL)
        fail_msg("%s", script_output());
    end();
}

/* A value may mean a class that there is not yet, and colours are values, too. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, classes_are_made)
{
    uint8_t rgb[PIXELS][3];
    const struct shw_image image = {.pixels = rgb, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_RGB8};
    char expected[64];
    uint32_t count = 0;

    draw_labels(5, 1);
    for (uint32_t i = 0; i < PIXELS; i++) {
        static const uint8_t blue[3] = {1, 2, 250}, white[3] = {255, 255, 255};
        memcpy(rgb[i], labels[i] == 0 ? blue : white, 3);
        count += labels[i] == 0;
    }
    assert_int_equal(shw_png_write(testing_path("colours.png"), &image, NULL), SHW_OK);
    script("project new\nopen %s\nteach off\nimport-value #0102FA a lake\nimport-value #ffffff -\nimport %s\nlabels",
           taught.paths[0], testing_path("colours.png"));
    assert_int_equal(run_script(64, 64, NULL), 0);
    snprintf(expected, sizeof expected, "a lake: %u pixels", count);
    if (strstr(script_output(), expected) == NULL)
        fail_msg("%s is not in %s", expected, script_output());
}

/* How many `labels` has printed for a class. */
static unsigned long pixels_of(const char *printed, const char *class)
{
    char line[64];
    const char *at;

    snprintf(line, sizeof line, "%s: ", class);
    at = strstr(printed, line);
    assert_non_null(at);
    return strtoul(at + strlen(line), NULL, 10);
}

/* The list of classes beside an export says what its numbers are called, whatever numbers the project's classes have.
 */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, lists_of_classes_name_the_values)
{
    static const char *const wanted[] = {"sky", "grass", "cow"};
    char painted[FILE_PATH], command[2048];
    const char *imported;

    snprintf(painted, sizeof painted, "%s", file("listed"));
    script(
        "project new\nopen %s\nteach off\nadd-class sky\nadd-class grass #102030\nadd-class cow\nstroke sky 3 5 5 40 "
        "5\nstroke grass 2 5 18 40 18\nstroke cow 1 5 30 40 30\nlabels\nexport strokes %s",
        taught.paths[0], painted);
    script("project new\nadd-class cow\nadd-class sky\nopen %s\nimport %s\nlabels\nsave %s", taught.paths[0], painted,
           file("listed.json"));
    assert_int_equal(run_script(64, 64, NULL), 0);
    imported = strstr(script_output(), "imported a_strokes.png");
    assert_non_null(imported);
    for (int c = 0; c < 3; c++)
        assert_int_equal(pixels_of(imported, wanted[c]), pixels_of(script_output(), wanted[c]));
    assert_true(pixels_of(imported, "sky") > pixels_of(imported, "grass"));
    assert_true(pixels_of(imported, "grass") > pixels_of(imported, "cow"));
    snprintf(command, sizeof command, "grep -q '16, *32, *48' '%s'", file("listed.json"));
    assert_int_equal(system(command), 0);
}

/* What an import covers is said, and comes back. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, what_is_covered_is_said)
{
    char painted[FILE_PATH];
    const char *again;

    snprintf(painted, sizeof painted, "%s", file("covering"));
    script("project new\nopen %s\nteach off\nadd-class sky\nadd-class cow\nstroke sky 2 9 9\nexport strokes "
           "%s\nimport %s/a_strokes.png\nundo\nundo\nstroke cow 0 9 9\nstroke cow 0 10 9\nstroke cow 0 40 9\nimport "
           "%s/a_strokes.png\nlabels\nundo\nlabels",
           taught.paths[0], painted, painted, painted);
    assert_int_equal(run_script(64, 64, NULL), 0);
    again = strstr(script_output(), "imported a_strokes.png\n");
    assert_non_null(again); /* onto the same: nothing is covered */
    assert_non_null(strstr(again,
                           "imported a_strokes.png; 2 pixels that had been painted are covered: Undo brings them "
                           "back\n"));
    assert_non_null(strstr(again, "cow: 1 pixels\n"));
    assert_non_null(strstr(again, "cow: 3 pixels\n"));
}

/* Equal colours are no matter, as numbers are meant; a list that cannot be read is named, and not passed over. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, lists_are_not_passed_over)
{
    static const char *const spoilt[] = {"truncate -s -5 classes.json", "sed -i 's/colour/color/' classes.json",
                                         "sed -i 's/cat/dog/' classes.json",
                                         "mkdir deep && mv a_strokes.png deep && truncate -s -5 classes.json"};
    char painted[FILE_PATH], command[4096];
    const char *said, *imported;

    snprintf(painted, sizeof painted, "%s", file("spoilt"));
    script("project new\nopen %s\nteach off\nadd-class cat #ff0000\nadd-class dog #ff0000\nstroke cat 3 5 5 40 5\n"
           "stroke dog 1 5 30\nlabels\nexport strokes %s\nproject new\nadd-class dog\nadd-class cat\nopen %s\nimport "
           "%s\nlabels",
           taught.paths[0], painted, taught.paths[0], painted);
    assert_int_equal(run_script(64, 64, NULL), 0);
    imported = strstr(script_output(), "imported");
    assert_non_null(imported);
    assert_int_equal(pixels_of(imported, "cat"), pixels_of(script_output(), "cat"));
    assert_int_equal(pixels_of(imported, "dog"), pixels_of(script_output(), "dog"));
    assert_true(pixels_of(imported, "cat") > pixels_of(imported, "dog"));

    for (size_t i = 0; i < sizeof spoilt / sizeof *spoilt; i++) {
        snprintf(command, sizeof command, "cp '%s/classes.json' '%s.json' && cd '%s' && %s", painted, painted, painted,
                 spoilt[i]);
        assert_int_equal(system(command), 0);
        script("project new\nopen %s\nadd-class dog\nadd-class cat\nimport %s%s/a_strokes.png", taught.paths[0],
               painted, i == 3 ? "/deep" : "");
        assert_int_equal(run_script(64, 64, &said), 1);
        if (strstr(said, "classes.json") == NULL || strstr(said, "not all of its values are classes") == NULL)
            fail_msg("%s: %s", spoilt[i], said);
        snprintf(command, sizeof command, "mv '%s.json' '%s/classes.json'", painted, painted);
        assert_int_equal(system(command), 0);
    }
}

/* A script hears what it has to say; the project stays as it is. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, unknown_values_are_refused)
{
    static const uint8_t values[] = {9, 0}, numbers[] = {0, 1};
    const char *said;

    draw_labels(7, 1);
    write_mask(testing_path("unknown.png"), values, 1);
    script("project new\nopen %s\nadd-class one\nteach off\nimport %s\nscreenshot %s", taught.paths[0],
           testing_path("unknown.png"), testing_path("never.png"));
    assert_int_equal(run_script(64, 64, &said), 1);
    if (strstr(said, "say what 0, 9 mean with") == NULL || strstr(said, "the script ends here: import") == NULL)
        fail_msg("%s", said);
    write_mask(testing_path("numbers.png"), numbers, 1); /* in scripts, 0 and 1 are class and void here */
    script("project new\nopen %s\nadd-class one\nteach off\nimport %s", taught.paths[0], testing_path("numbers.png"));
    assert_int_equal(run_script(64, 64, &said), 0);
    script("project new\nopen %s\nimport-value many one", taught.paths[0]);
    assert_int_equal(run_script(64, 64, &said), 1);
    script("import-value 65536 one");
    assert_int_equal(run_script(64, 64, &said), 1);
    script("import-answer import");
    assert_int_equal(run_script(64, 64, &said), 1);
    script("import %s", testing_path("numbers.png"));
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "no project is open"));
}

/* With panels, a mask is asked about: what is not 0 is proposed as the class to paint with. */
TESTING_CASE(a_mask_is_asked_about)
{
    static const uint8_t values[] = {1, 0};
    struct view view = picture_view(0);

    draw_labels(11, 1);
    write_mask(testing_path("asked.png"), values, 1);
    begin(taught.folder);
    script("teach off\noverlay none\nclass #0\npanels on\nimport %s\nimport-answer import\npanels "
           "off",
           testing_path("asked.png"));
    import_here(0);
    shoot(&view, 0, true);
    run_and_compare();
    end();

    script("project new\nopen %s\nadd-class one\nteach off\npanels on\nwait 8\nimport %s\nwait 4\nclick "
           "##masks-cancel\nwait 4\n"
           "labels\nimport %s\nimport-value 1 two\nwait 4\nclick ##masks\nwait 4\nwait import\nlabels",
           taught.paths[0], testing_path("asked.png"), testing_path("asked.png"));
    assert_int_equal(run_script(800, 600, NULL), 0);
    if (strstr(script_output(), "one: 0 pixels") != script_output() || strstr(script_output(), "two: ") == NULL)
        fail_msg("%s", script_output());
}

/* Its keys are Escape and Enter, and no others do anything. */
TESTING_CASE(the_question_has_keys)
{
    script("project new\nopen %s\nadd-class one\nteach off\npanels on\nstroke one 0 2 3\nwait 8\nimport %s\nwait "
           "4\nkey Ctrl+Z\nkey Ctrl+N\nkey F1\nwait 4\nlabels\nkey Escape\nwait 4\nlabels\nkey Ctrl+Z\nlabels",
           taught.paths[0], testing_path("asked.png"));
    script("import %s\nimport-value 1 two\nwait 4\nkey Enter\nwait import\nlabels", testing_path("asked.png"));
    assert_int_equal(run_script(800, 600, NULL), 0);
    if (strncmp(script_output(), "one: 1 pixels\none: 1 pixels\none: 0 pixels\n", 42) != 0 ||
        strstr(script_output(), "two: ") == NULL)
        fail_msg("%s", script_output());
}

/* Masks of a folder go to the pictures of their names; those of an export need no question. */
TESTING_CASE(a_folder_goes_to_its_pictures)
{
    struct view view;
    char command[2048];
    const char *said;

    begin(taught.folder);
    paint_areas(0, 30);
    script("go 2");
    paint_areas(1, 50);
    script("export strokes %s\nproject new\nteach off\noverlay none", file("painted"));
    for (uint32_t c = 0; c < CLASSES; c++) {
        const uint8_t *colour = shw_project_get_class(taught.project, c)->colour;
        script("add-class %s #%02x%02x%02x", names[c], colour[0], colour[1], colour[2]);
    }
    script("import %s", file("painted"));
    for (uint32_t p = 0; p < 2; p++) {
        script("go %u", p + 1);
        view = picture_view(p);
        shoot(&view, p, true);
    }
    run_and_compare();
    end();

    begin(taught.folder);
    paint_areas(0, 30);
    script("wait trained\nexport forest %s\nexport masks %s\nproject new\nopen %s\nteach off", file("masks.ktx2"),
           file("masks"), taught.folder);
    for (uint32_t c = 0; c < CLASSES; c++)
        script("add-class %s", names[c]);
    script("import %s\nlabels", file("masks"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    if (strstr(script_output(), "imported 6 of 6 files") == NULL)
        fail_msg("%s", script_output());
    end();

    /* so do classes that the project does not have yet; other results among them are passed over */
    script("project new\nopen %s\nteach off\nforest %s\nexport overlays,probabilities,objects %s\nimport %s\nlabels",
           taught.folder, file("masks.ktx2"), file("masks"), file("masks"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    if (strstr(script_output(), "imported 6 of 6 files") == NULL || strstr(script_output(), "middle: ") == NULL)
        fail_msg("%s", script_output());

    snprintf(command, sizeof command, "mkdir -p '%s' && cp '%s' '%s/nobody.png' && cp '%s' '%s/a_mask.png'",
             file("others"), file("masks/a_left.png"), file("others"), file("masks/a_left.png"), file("others"));
    assert_int_equal(system(command), 0);
    script("project new\nopen %s\nadd-class one\nteach off\nimport-value 0 -\nimport-value 255 one\nimport %s",
           taught.folder, file("others"));
    assert_int_equal(run_script(64, 64, &said), 0);
    if (strstr(said, "1 more belong") == NULL)
        fail_msg("%s", said);
    snprintf(command, sizeof command, "rm '%s/a_mask.png'", file("others"));
    assert_int_equal(system(command), 0);
    script("project new\nopen %s\nadd-class one\nteach off\nimport %s", taught.folder, file("others"));
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "none of its 1 images"));
}

/* The same for a class that may be missing, and whose name may be the end of another's. */
static unsigned long listed_pixels(const char *printed, const char *class)
{
    char line[64];
    const char *at;

    snprintf(line, sizeof line, "\n%s: ", class);
    at = strstr(printed, line);
    return at != NULL ? strtoul(at + strlen(line), NULL, 10) : 0;
}

/* What a mask is of stands in it: names of its kind may mean several classes and pictures. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, masks_say_what_they_are_of)
{
    static const char *const classes[] = {"b_c", "c", "instances", "a/b"};
    char pictures[FILE_PATH], masks[FILE_PATH], command[4096];
    const char *said, *exported, *imported;

    snprintf(pictures, sizeof pictures, "%s", file("alike"));
    snprintf(masks, sizeof masks, "%s", file("alike-masks"));
    snprintf(command, sizeof command, "mkdir '%s' && cp '%s' '%s/a.png' && cp '%s' '%s/a_b.png'", pictures,
             taught.paths[0], pictures, taught.paths[1], pictures);
    assert_int_equal(system(command), 0);
    script("project new\nopen %s", pictures);
    for (int c = 0; c < 4; c++)
        script("add-class %s\nstroke %s %d %d 9", classes[c], classes[c], 3 - c, 5 + 10 * c);
    script("wait trained\nexport masks %s\nexport labels %s-l\nproject new\nimport %s-l\nlabels\nproject "
           "new\nimport %s\nlabels",
           masks, masks, masks, masks);
    assert_int_equal(run_script(64, 64, &said), 0);
    exported = strstr(script_output(), "imported 2 of 2");
    imported = strstr(script_output(), "imported 8 of 8 files");
    if (exported == NULL || imported == NULL || strstr(imported, "-2") != NULL)
        fail_msg("%s%s", script_output(), said);
    for (int c = 0; c < 4; c++)
        assert_int_equal(listed_pixels(imported, classes[c]), listed_pixels(exported, classes[c]));
    assert_true(listed_pixels(imported, "b_c") > 0);
}

/* A mask of this program that does not say it is of what its name says, if the list beside it has such a class. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, names_of_masks_make_no_classes)
{
    static const uint8_t grey[PIXELS];
    const struct shw_image image = {.pixels = grey, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_GREY8};
    static const char *const endings[] = {"c", "d"};
    char command[FILE_PATH + 64];
    const char *said;

    snprintf(command, sizeof command, "rm '%s'/*.png", file("alike-masks"));
    assert_int_equal(system(command), 0);
    for (int m = 0; m < 2; m++) {
        snprintf(command, sizeof command, "%s/a_%s.png", file("alike-masks"), endings[m]);
        assert_int_equal(shw_png_write_marked(command, "mask", &image, NULL), SHW_OK);
        script("project new\nopen %s\nimport %s\nlabels", file("alike"), file("alike-masks"));
        assert_int_equal(run_script(64, 64, &said), m);
    }
    assert_non_null(strstr(said, "a_d.png: not all of its values are classes"));
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, other_sizes_are_refused)
{
    static const uint8_t small[12];
    const struct shw_image image = {.pixels = small, .width = 4, .height = 3, .format = SHW_PIXEL_GREY8};
    const char *said;

    assert_int_equal(shw_png_write(testing_path("small.png"), &image, NULL), SHW_OK);
    script("project new\nopen %s\nadd-class one\nteach off\nimport %s", taught.paths[0], testing_path("small.png"));
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "is 4 x 3, but the picture"));
    script("project new\nopen %s\nadd-class one\nteach off\nimport %s/nothing.png", taught.paths[0], taught.folder);
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_non_null(strstr(said, "nothing.png"));
}

static void poll_until(struct view_app *app, bool (*reached)(struct view_app *app))
{
    const struct timespec moment = {.tv_nsec = 1000000};

    while (!reached(app)) {
        assert_int_equal(view_app_poll(app, 0.0), SHW_OK);
        nanosleep(&moment, NULL);
    }
    assert_int_equal(view_app_poll(app, 0.0), SHW_OK);
}

static bool has_picture(struct view_app *app)
{
    return app->scene.picture != NULL;
}

/* The values of all files, or the labels of the next one. */
static bool has_read(struct view_app *app)
{
    struct view_import_job *job = &app->importing.job;
    bool has;

    view_job_lock(&job->job);
    has = job->found.width > 0;
    view_job_unlock(&job->job);
    return has || view_import_job_ended(job);
}

static bool is_over(struct view_app *app)
{
    return app->importing.state == VIEW_IMPORT_NOTHING;
}

/* Whatever arrives meanwhile waits for the end of a stroke. */
TESTING_CASE(an_import_lets_a_stroke_be_painted)
{
    static const uint8_t values[] = {7, 200, 255, 0};
    struct view_app_params params = {.canvas = {64, 64}, .complete = true};
    struct view_painting *painting;
    struct shw_project *project;
    struct view_app app;
    char line[FILE_PATH + 16];

    draw_labels(3, CLASSES);
    write_mask(testing_path("stroke.png"), values, CLASSES);
    open_app_with(params, &app);
    painting = &app.teaching.painting;
    snprintf(line, sizeof line, "open %s", taught.folder);
    assert_int_equal(view_app_run(&app, line), SHW_OK);
    poll_until(&app, has_picture);
    assert_int_equal(view_app_run(&app, "project new"), SHW_OK);
    assert_int_equal(view_app_run(&app, "teach off"), SHW_OK);
    for (uint32_t c = 0; c < CLASSES; c++) {
        snprintf(line, sizeof line, "add-class class%u", c);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
        snprintf(line, sizeof line, "import-value %u class%u", values[c], c);
        assert_int_equal(view_app_run(&app, line), SHW_OK);
    }
    assert_int_equal(view_app_run(&app, "import-value 0 -"), SHW_OK);
    snprintf(line, sizeof line, "import %s", testing_path("stroke.png"));
    assert_int_equal(view_app_run(&app, line), SHW_OK);
    project = app.teaching.project.data;
    for (uint32_t turn = 0; turn < 2; turn++) { /* while values are looked at, and while labels are read */
        assert_int_equal(view_painting_begin(painting, 0, 2, (struct shw_point){5, 5}), SHW_OK);
        poll_until(&app, has_read);
        assert_true(shw_project_is_painting(project) && !is_over(&app));
        assert_int_equal(shw_project_get_picture(project, 0).stroke_count, turn + 1);
        assert_int_equal(view_painting_extend(painting, (struct shw_point){20, 9}), SHW_OK);
        view_teaching_end_stroke(&app.teaching);
        assert_int_equal(shw_project_get_picture(project, 0).strokes[turn].point_count, 2);
        if (turn == 0) {
            assert_int_equal(view_app_poll(&app, 0.0), SHW_OK);
            assert_int_equal(app.importing.state, VIEW_IMPORT_READING);
        }
    }
    poll_until(&app, is_over);
    assert_int_equal(app.importing.outcome, SHW_OK);
    assert_true(app.frames.watch.blocks[VIEW_BLOCK_JOIN] > 0); /* what waits is counted */
    assert_true(shw_project_get_picture(project, 0).stroke_count > 2);
    assert_int_equal(view_app_destroy(&app), 0);
}

TESTING_FIXTURE(open_taught, close_taught)
