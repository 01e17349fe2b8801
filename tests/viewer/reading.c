/* How image files are read: pages, channels and values, by actions and by the panel; what is trained and labelled. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tiffio.h>
#include <unistd.h>

#include <shadewood/forest.h>

#include "files/image/image_file.h"
#include "files/project/training_tiles.h"
#include "testing/painting.h"

enum { WIDTH = 40, HEIGHT = 30, PAGES = 3, CHANNELS = 5, CANVAS_WIDTH = 120, CANVAS_HEIGHT = 90 };

static char stack[FILE_PATH], json[FILE_PATH], forest[FILE_PATH], shots[4][FILE_PATH];

static int prepare(void **state)
{
    struct testing_random random = {8};
    TIFF *tiff;

    (void)state;
    snprintf(stack, sizeof stack, "%s", testing_path("stacks"));
    if (mkdir(stack, 0777) != 0)
        return 1;
    snprintf(stack, sizeof stack, "%s", testing_path("stacks/stack.tif"));
    snprintf(json, sizeof json, "%s", testing_path("stacks/stack.json"));
    snprintf(forest, sizeof forest, "%s", testing_path("stack.ktx2"));
    for (int i = 0; i < 4; i++) {
        char name[24];
        snprintf(name, sizeof name, "shot%d.png", i);
        snprintf(shots[i], sizeof shots[i], "%s", testing_path(name));
    }
    tiff = TIFFOpen(stack, "w");
    for (uint32_t page = 0; page < PAGES; page++) {
        float pixels[HEIGHT][WIDTH][CHANNELS];
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                for (int c = 0; c < CHANNELS; c++)
                    pixels[y][x][c] = (float)testing_random_range(&random, -1000, 2000) / 1000 + (float)page / 2;
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 32);
        TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, CHANNELS);
        TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, HEIGHT);
        if (TIFFWriteEncodedStrip(tiff, 0, pixels, sizeof pixels) < 0 || TIFFWriteDirectory(tiff) == 0)
            return 1;
    }
    TIFFClose(tiff);
    return 0;
}

/* What a picture looks like, fitted, and nothing else. */
static void assert_shown(const char *shot, const char *path, const struct shw_image_choice *choice)
{
    const struct shw_image_params params = {.choice = *choice};
    struct shw_image_file file;
    struct view view = {.low = 0, .high = 65535, .mode = "none", .width = CANVAS_WIDTH, .height = CANVAS_HEIGHT};

    assert_int_equal(shw_image_file_read(path, &params, NULL, &file), SHW_OK);
    view.image = &file.image;
    view_fit(&view);
    assert_view(shot, &view);
    shw_image_file_free(&file);
}

/* The range of the first page holds for the others, until another is chosen. */
TESTING_CASE(pages_channels_and_values_are_chosen)
{
    struct shw_image_choice choice = {0};
    char page[FILE_PATH + 8];
    const char *said;

    assert_int_equal(shw_image_choice_settle(&choice, stack, NULL), SHW_OK);
    script("open %s\nscreenshot %s\npage 3\nscreenshot %s", stack, shots[0], shots[1]);
    script("image-channels 5 0 2\nimage-range -0.5 1.25\nscreenshot %s", shots[2]);
    script("page 1\nimage-channels 4\nimage-range auto\nscreenshot %s", shots[3]);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 0);
    said = strstr(said, "stack.tif has 5 channels: the first three are read as colours"); /* once */
    assert_non_null(said);
    assert_null(strstr(said + 20, "has 5 channels"));
    snprintf(page, sizeof page, "%s#3", stack);
    assert_shown(shots[0], stack, &choice);
    assert_shown(shots[1], page, &choice);
    choice = (struct shw_image_choice){.channels = {3, {5, 0, 2}}, .range = {-0.5, 1.25}};
    assert_shown(shots[2], page, &choice);
    choice = (struct shw_image_choice){.channels = {1, {4}}};
    assert_shown(shots[3], stack, &choice); /* with a range of its own again */
}

TESTING_CASE(wrong_choices_are_refused)
{
    static const struct {
        const char *line, *said;
    } lines[] = {{"page 4", "stack.tif#4 is not among the pictures"},
                 {"page 0", "0 is not a page's number"},
                 {"image-channels 6", "there is no channel 6, the picture has 5"},
                 {"image-channels 1 2", "1 2 is not auto"},
                 {"image-channels 0", "0 is not auto"},
                 {"image-channels 1 2 3 4", "is not auto"},
                 {"image-range 2 1", "2 1 is not auto"},
                 {"image-range 1", "1 is not auto"},
                 {"image-range 0 nan", "0 nan is not auto"}};
    const char *said;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        script("open %s\n%s", stack, lines[i].line);
        assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 1);
        assert_non_null(strstr(said, lines[i].said));
    }
}

static struct shw_project *read_project(void)
{
    struct shw_project *project = NULL;

    assert_int_equal(shw_project_read(json, NULL, &project), SHW_OK);
    return project;
}

/* Strokes stay when the choice changes, and are trained on with the new one; the forest knows it. */
TESTING_CASE(projects_keep_the_choice)
{
    struct shw_image_choice choice, recorded = {0};
    struct shw_project *project;
    struct shw_forest *loaded = NULL;
    const struct shw_image_choice expected = {.channels = {3, {4, 2, 1}}, .range = {-1.5, 3}};
    char page[FILE_PATH + 8], exported[FILE_PATH];

    snprintf(exported, sizeof exported, "%s", testing_path("exported"));
    script("open %s\npage 2\nproject new\nadd-class one\nadd-class two\nteach off\nstroke one 3 5 5 5 20", stack);
    script("stroke two 3 30 5 30 20\nsave %s", json);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    project = read_project();
    choice = shw_project_get_choice(project);
    assert_int_equal(choice.channels.count, 0);
    assert_true(shw_intensity_range_is_set(&choice.range)); /* that of the first page */
    assert_string_equal(shw_project_get_picture(project, 0).name, "stack.tif#2");
    shw_project_destroy(&project);

    script("open %s\nteach off\nimage-channels 4 2 1\nimage-range -1.5 3\nsave\nteach on\nwait trained", json);
    script("export forest %s\nstrokes off\noverlay none\nscreenshot %s", forest, shots[1]);
    script("export labels %s", exported);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    snprintf(page, sizeof page, "%s#2", stack);
    assert_shown(shots[1], page, &expected); /* the page that was painted on */
    for (uint32_t i = 1; i <= PAGES; i++) {
        char labels[FILE_PATH + 40];
        snprintf(labels, sizeof labels, i > 1 ? "%s/stack_page%u_labels.png" : "%s/stack_labels.png", exported, i);
        assert_int_equal(access(labels, F_OK), 0);
    }
    script("open %s\noverlay none\nforest %s\nscreenshot %s", stack, forest, shots[0]);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    project = read_project();
    choice = shw_project_get_choice(project);
    assert_true(shw_image_choice_equal(&choice, &expected));
    assert_int_equal(shw_project_get_picture(project, 0).stroke_count, 2);
    assert_int_equal(shw_forest_load(forest, NULL, &loaded), SHW_OK);
    shw_image_choice_recall(shw_forest_get_info(loaded), &recorded);
    assert_true(shw_image_choice_equal(&recorded, &expected));
    assert_true(shw_forest_hash(loaded) == testing_paint_train(project)); /* which reads the file */
    assert_shown(shots[0], stack, &expected);                             /* as the forest says */
    shw_forest_destroy(&loaded);
    shw_project_destroy(&project);
}

TESTING_CASE(the_panel_does_what_the_actions_do)
{
    struct shw_image_choice choice = {.channels = {1, {1}}, .range = {-0.25, 1}};

    script("open %s\nscale 1\npanels left on\nwait 3\nclick Channels\nwait 4\nclick grey\nwait 4\nclick Automatic "
           "values\nwait 4",
           stack);
    script("click To\nwait 4\nkey Ctrl+A\ntype 1\nkey Enter\nwait 4\nclick From\nwait 4\nkey Ctrl+A\ntype -0.25\nkey "
           "Enter\nwait 4");
    script("panels off\nzoom fit\nwait 2\nscreenshot %s", shots[0]);
    assert_int_equal(run_script(600, 700, NULL), 0);
    struct shw_image_file file;
    struct view view = {.low = 0, .high = 65535, .mode = "none", .width = 600, .height = 700};
    assert_int_equal(shw_image_file_read(stack, &(struct shw_image_params){.choice = choice}, NULL, &file), SHW_OK);
    view.image = &file.image;
    view_fit(&view);
    assert_view(shots[0], &view);
    shw_image_file_free(&file);
}

TESTING_FIXTURE(prepare, NULL)
