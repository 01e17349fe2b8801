/* Planes in the viewer: shown as colours, by actions and by the panel; kept in projects, and taught. */
#include "viewer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tiffio.h>
#include <unistd.h>

#include <jansson.h>
#include <shadewood/forest.h>

#include "dense/channels/channels.h"
#include "files/image/image_write.h"
#include "files/io/npy_header.h"
#include "testing/painting.h"

enum { WIDTH = 44, HEIGHT = 33, PLANES = 5, CANVAS_WIDTH = 132, CANVAS_HEIGHT = 99 };

static char array[FILE_PATH], stack[FILE_PATH], thin[FILE_PATH], json[FILE_PATH], forest[FILE_PATH],
    shots[4][FILE_PATH];
static float numbers[HEIGHT][WIDTH][PLANES];
static uint16_t pages[PLANES][HEIGHT][WIDTH];
static const char *const page_names[PLANES] = {"DAPI", "CD3 (Opal 520)", "CD8", "FoxP3", "PanCK"};

static void write_array(const char *path, uint32_t planes)
{
    const uint64_t shape[] = {HEIGHT, WIDTH, planes};
    char header[SHW_NPY_WRITTEN_SIZE];
    FILE *file = fopen(path, "wb");

    shw_npy_header_write(header, "f4", 3, shape);
    assert_non_null(file);
    fwrite(header, 1, sizeof header, file);
    for (int p = 0; p < HEIGHT * WIDTH; p++)
        fwrite(numbers[p / WIDTH][p % WIDTH], sizeof(float), planes, file);
    assert_int_equal(fclose(file), 0);
}

/* Floats beyond 0 to 1, of which the fourth plane tells the left half from the right one; and pages of 12 bits. */
static int prepare(void **state)
{
    struct testing_random random = {11};
    TIFF *tiff;

    (void)state;
    snprintf(array, sizeof array, "%s", testing_path("planes"));
    if (mkdir(array, 0777) != 0)
        return 1;
    snprintf(array, sizeof array, "%s", testing_path("planes/array.npy"));
    snprintf(thin, sizeof thin, "%s", testing_path("planes/thin.npy"));
    snprintf(stack, sizeof stack, "%s", testing_path("planes/stack.tif"));
    snprintf(json, sizeof json, "%s", testing_path("planes/taught.json"));
    snprintf(forest, sizeof forest, "%s", testing_path("taught.ktx2"));
    for (int i = 0; i < 4; i++) {
        char name[24];
        snprintf(name, sizeof name, "shot%d.png", i);
        snprintf(shots[i], sizeof shots[i], "%s", testing_path(name));
    }
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int p = 0; p < PLANES; p++) {
                numbers[y][x][p] = (float)testing_random_range(&random, -3000, 3000) / 1000 * (float)(p + 1) +
                                   (p == 3 && x < WIDTH / 2 ? 40.0f : 0.0f);
                pages[p][y][x] = (uint16_t)testing_random_below(&random, 4096);
            }
    numbers[3][5][1] = NAN;
    numbers[4][5][1] = INFINITY;
    write_array(array, PLANES);
    write_array(thin, 4);
    tiff = TIFFOpen(stack, "w");
    for (uint32_t p = 0; p < PLANES; p++) {
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16);
        TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 1);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, HEIGHT);
        TIFFSetField(tiff, TIFFTAG_PAGENAME, page_names[p]);
        if (TIFFWriteEncodedStrip(tiff, 0, pages[p], sizeof pages[p]) < 0 || TIFFWriteDirectory(tiff) == 0)
            return 1;
    }
    TIFFClose(tiff);
    return 0;
}

static double number_of(bool of_array, int plane, int pixel)
{
    return of_array ? (double)numbers[pixel / WIDTH][pixel % WIDTH][plane]
                    : (double)pages[plane][pixel / WIDTH][pixel % WIDTH];
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* From 1 % to 99 % of the numbers. */
static void find_range(bool of_array, int plane, double range[2])
{
    static double sorted[WIDTH * HEIGHT];
    size_t count = 0;

    for (int p = 0; p < WIDTH * HEIGHT; p++)
        if (isfinite(number_of(of_array, plane, p)))
            sorted[count++] = number_of(of_array, plane, p);
    qsort(sorted, count, sizeof *sorted, ascending);
    range[0] = sorted[count / 100];
    range[1] = sorted[count - 1 - count / 100];
}

/* Three planes as colours; `ranges` NULL: automatic. */
static void assert_planes(const char *shot, bool of_array, const int planes[3], const double (*ranges)[2],
                          uint32_t width, uint32_t height)
{
    static uint8_t colours[HEIGHT * WIDTH][3];
    const struct shw_image image = {colours, WIDTH, HEIGHT, 0, SHW_PIXEL_RGB8};
    struct view view = {.image = &image, .mode = "none", .width = width, .height = height};

    for (int c = 0; c < 3; c++) {
        double range[2];

        find_range(of_array, planes[c], range);
        if (ranges != NULL)
            memcpy(range, ranges[c], sizeof range);
        for (int p = 0; p < WIDTH * HEIGHT; p++) {
            const float low = (float)range[0], high = (float)range[1],
                        number = (float)number_of(of_array, planes[c], p);
            const float place = (number - low) / (high - low);
            colours[p][c] = place >= 1 ? 255 : place > 0 ? (uint8_t)(place * 255 + 0.5f) : 0;
        }
    }
    view_fit(&view);
    assert_view(shot, &view);
}

TESTING_CASE(planes_are_shown_as_colours)
{
    static const double ranges[3][2] = {{-2.5, 7}, {-1, 0.5}, {0, 1e3}};

    script("open %s\nscreenshot %s\nplanes show b4 B2 b5\nplanes list\nscreenshot %s", array, shots[0], shots[1]);
    script("planes range b4 -2.5 7\nplanes range b2 -1 0.5\nplanes range b5 0 1000\nscreenshot %s", shots[2]);
    script("planes range b4 auto\nplanes range b2 auto\nplanes range b5 auto\nplanes show b5\nscreenshot %s", shots[3]);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_planes(shots[0], true, (const int[]){0, 1, 2}, NULL, CANVAS_WIDTH, CANVAS_HEIGHT);
    assert_planes(shots[1], true, (const int[]){3, 1, 4}, NULL, CANVAS_WIDTH, CANVAS_HEIGHT);
    assert_planes(shots[2], true, (const int[]){3, 1, 4}, ranges, CANVAS_WIDTH, CANVAS_HEIGHT);
    assert_planes(shots[3], true, (const int[]){4, 4, 4}, NULL, CANVAS_WIDTH, CANVAS_HEIGHT);
    assert_non_null(strstr(script_output(), "b1\n"));
    assert_non_null(strstr(script_output(), "b2: green, automatic, "));
    assert_non_null(strstr(script_output(), "b4: red, automatic, "));
}

/* Pages that the file names are planes of one picture. */
TESTING_CASE(pages_with_names_are_planes)
{
    const char *said;

    script("open %s\nplanes list\nplanes show PanCK cd3-opal-520 b4\nscreenshot %s\npictures", stack, shots[0]);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_planes(shots[0], false, (const int[]){4, 1, 3}, NULL, CANVAS_WIDTH, CANVAS_HEIGHT);
    assert_non_null(strstr(script_output(), "dapi (b1): red, automatic, "));
    assert_non_null(strstr(script_output(), "cd8 (b3): blue, automatic, "));
    assert_non_null(strstr(script_output(), "foxp3 (b4)\npanck (b5)\n"));
    assert_null(strstr(script_output(), "stack.tif#2"));
    script("open %s\npage 2", stack);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 1);
}

static void write_bands(const char *path, uint16_t extra)
{
    const uint16_t extras[3] = {EXTRASAMPLE_UNSPECIFIED, EXTRASAMPLE_UNSPECIFIED, extra};
    static uint16_t bands[HEIGHT][WIDTH][4];
    TIFF *tiff = TIFFOpen(path, "w");

    for (int p = 0; p < HEIGHT * WIDTH; p++)
        for (int b = 0; b < 4; b++)
            bands[p / WIDTH][p % WIDTH][b] = pages[b][p / WIDTH][p % WIDTH];
    assert_non_null(tiff);
    TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, WIDTH);
    TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, HEIGHT);
    TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 16);
    TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 4);
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, 3, extras);
    TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, HEIGHT);
    assert_true(TIFFWriteEncodedStrip(tiff, 0, bands, sizeof bands) >= 0);
    TIFFClose(tiff);
}

/* Of four samples the last may be near infrared; it is alpha only if the file says so. */
TESTING_CASE(a_fourth_band_is_a_plane)
{
    char path[FILE_PATH];
    const char *said;

    snprintf(path, sizeof path, "%s", testing_path("planes/bands.tif"));
    write_bands(path, EXTRASAMPLE_UNSPECIFIED);
    script("open %s\nplanes show b4 b2 b1\nplanes list\nscreenshot %s", path, shots[0]);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_planes(shots[0], false, (const int[]){3, 1, 0}, NULL, CANVAS_WIDTH, CANVAS_HEIGHT);
    assert_non_null(strstr(script_output(), "b4: red, automatic, "));
    write_bands(path, EXTRASAMPLE_UNASSALPHA);
    script("open %s\nplanes show b4 b2 b1", path);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 1);
    assert_non_null(strstr(said, "bands.tif has no planes besides its colours"));
}

TESTING_CASE(wrong_planes_are_refused)
{
    static const struct {
        const char *line, *said;
    } lines[] = {{"planes show nir", "array.npy has no plane nir; its planes are b1, b2, b3, b4, b5"},
                 {"planes show b1 b2", "b1 b2 is not auto, one plane, or three of them"},
                 {"planes show b1 b2 b3 b4", "is not auto, one plane"},
                 {"planes show b6", "has no plane b6"},
                 {"planes range b1", "is not a plane, and auto or two numbers"},
                 {"planes range b1 2 1", "is not a plane, and auto or two numbers"},
                 {"planes range b1 0 nan", "is not a plane, and auto or two numbers"},
                 {"planes range b9 0 1", "has no plane b9"},
                 {"planes teach", "no project"},
                 {"planes file b1 nir/{}.tif", "no project"},
                 {"planes", "the action planes takes WHAT..."},
                 {"planes dance", "dance is not list"}};
    const char *said;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        script("open %s\n%s", array, lines[i].line);
        assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 1);
        if (strstr(said, lines[i].said) == NULL)
            fail_msg("%s: %s", lines[i].line, said);
    }
    script("project new\nplanes teach");
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 1);
    assert_non_null(strstr(said, "no picture is shown that has planes"));
}

/* The forest is that of `train`, labels are exported, and what is shown comes back. */
TESTING_CASE(projects_are_taught_on_all_planes)
{
    struct shw_project *project = NULL;
    struct shw_forest *loaded = NULL;
    struct shw_channel_list list;
    struct shw_project_training training;
    char exported[FILE_PATH], labels[FILE_PATH + 40];

    snprintf(exported, sizeof exported, "%s", testing_path("exported"));
    snprintf(labels, sizeof labels, "%s/array_labels.png", exported);
    script("open %s\nproject new\nadd-class left\nadd-class right\nteach off\nplanes show b4 b2 b5", array);
    script("planes range b2 -1 0.5\nplanes teach\nstroke left 3 5 5 5 25\nstroke right 3 35 5 35 25");
    script("teach on\nwait trained\nsave %s\nexport forest %s\nexport labels %s\nstrokes off\noverlay none", json,
           forest, exported);
    script("inspect 4 4\ninspect print\ninspect off\nscreenshot %s", shots[0]);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_int_equal(access(labels, F_OK), 0);
    assert_int_equal(shw_project_read(json, NULL, &project), SHW_OK);
    training = shw_project_get_training(project);
    assert_int_equal(shw_channel_list_parse(training.channels, NULL, NULL, &list), SHW_OK);
    assert_int_equal(list.channel_count, 4 * PLANES);
    for (uint32_t i = 1; i < list.input_count; i++) {
        double least = 1e9, greatest = -1e9;
        const int plane = list.inputs[i][1] - '1';

        assert_in_range(plane, 0, PLANES - 1);
        for (int p = 0; p < WIDTH * HEIGHT; p++)
            if (isfinite(number_of(true, plane, p))) {
                least = fmin(least, number_of(true, plane, p));
                greatest = fmax(greatest, number_of(true, plane, p));
            }
        assert_true((double)list.ranges[i].low <= least + 0.02 * (greatest - least));
        assert_true((double)list.ranges[i].low >= least - 0.02 * (greatest - least));
        assert_true((double)list.ranges[i].high >= greatest - 0.02 * (greatest - least));
        assert_true((double)list.ranges[i].high <= greatest + 0.02 * (greatest - least));
    }
    assert_int_equal(shw_project_get_shown_planes(project)->count, 3);
    assert_int_equal(shw_forest_load(forest, NULL, &loaded), SHW_OK);
    assert_true(shw_forest_hash(loaded) == testing_paint_train(project)); /* which reads the file */
    shw_forest_destroy(&loaded);
    shw_project_destroy(&project);

    script("open %s\nstrokes off\noverlay none\nscreenshot %s", json, shots[1]);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    {
        double ranges[3][2];

        find_range(true, 3, ranges[0]);
        find_range(true, 4, ranges[2]);
        ranges[1][0] = -1;
        ranges[1][1] = 0.5;
        assert_planes(shots[0], true, (const int[]){3, 1, 4}, ranges, CANVAS_WIDTH, CANVAS_HEIGHT);
        assert_planes(shots[1], true, (const int[]){3, 1, 4}, ranges, CANVAS_WIDTH, CANVAS_HEIGHT);
    }
}

/* A forest from a file gets its planes; a picture without them is shown, and that is said once. */
TESTING_CASE(forests_read_planes_of_pictures)
{
    const char *said;
    const char *first;

    if (access(forest, F_OK) != 0)
        skip();
    script("forest %s\nopen %s\nwait 3\nopen %s\nwait 3\nscreenshot %s", forest, array, thin, shots[0]);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 0);
    first = strstr(said, "thin.npy has no plane b5, which the forest reads: it is shown without labels");
    assert_non_null(first);
    assert_null(strstr(first + 20, "has no plane"));
    assert_null(strstr(said, "array.npy has no plane"));
    script("open %s\nteach off\nopen %s\nstroke left 2 3 3 9 9", json, thin);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 1);
    assert_non_null(strstr(said, "thin.npy has no plane b5, which the project is trained on"));
}

/* A plane that is in a file of its own. */
TESTING_CASE(planes_of_other_files_are_shown_and_taught)
{
    char other[FILE_PATH], saved[FILE_PATH];
    const struct shw_image image = {pages[0], WIDTH, HEIGHT, 0, SHW_PIXEL_GREY16};
    struct shw_project *project = NULL;

    snprintf(other, sizeof other, "%s", testing_path("planes/array_ir.png"));
    snprintf(saved, sizeof saved, "%s", testing_path("other.json"));
    assert_int_equal(shw_png_write(other, &image, NULL), SHW_OK);
    script("open %s\nproject new\nadd-class left\nadd-class right\nteach off\nplanes file ir {}_ir.png", array);
    script("training channels plane:ir,plane:b4,range:b4=-9..60\nplanes list\nplanes show ir b4 ir");
    script("stroke left 3 5 5 5 25\nstroke right 3 35 5 35 25\nteach on\nwait trained\nsave %s\nexport forest %s",
           saved, forest);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_non_null(strstr(script_output(), "b5\nir\n"));
    assert_int_equal(shw_project_read(saved, NULL, &project), SHW_OK);
    assert_string_equal(shw_project_get_input(project, "ir"), "planes/{}_ir.png");
    {
        struct shw_forest *loaded = NULL;

        assert_int_equal(shw_forest_load(forest, NULL, &loaded), SHW_OK);
        assert_true(shw_forest_hash(loaded) == testing_paint_train(project));
        shw_forest_destroy(&loaded);
    }
    shw_project_destroy(&project);
}

TESTING_CASE(the_panel_does_what_the_actions_do)
{
    char saved[FILE_PATH];
    struct shw_project *project = NULL;
    const struct shw_shown_planes *shown;

    snprintf(saved, sizeof saved, "%s", testing_path("panel.json"));
    script(
        "open %s\nproject new\nadd-class left\nscale 1\npanels left on\nwait 3\nclick Shown\nwait 4\nclick one plane\n"
        "wait 4\nclick Grey\nwait 4\nclick b3\nwait 4\nclick Teach on all planes\nwait 4\nsave %s",
        array, saved);
    assert_int_equal(run_script(600, 900, NULL), 0);
    assert_int_equal(shw_project_read(saved, NULL, &project), SHW_OK);
    shown = shw_project_get_shown_planes(project);
    assert_int_equal(shown->count, 1);
    assert_string_equal(shown->names[0], "b3");
    assert_non_null(strstr(shw_project_get_training(project).channels, "deviation:4@b5"));
    shw_project_destroy(&project);
}

TESTING_FIXTURE(prepare, NULL)
