/* Planes of projects: in their files, in copies, and where pictures have them or lack them. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_write.h"
#include "files/io/npy_header.h"
#include "files/project/project.h"
#include "files/project/training_tiles.h"

enum { WIDTH = 24, HEIGHT = 16, PLANES = 4 };

#define HEAD                                                                                                           \
    "{\"format\": \"shadewood-project\", \"version\": 6, \"classes\": [{\"name\": \"a\", \"colour\": [1, 2, 3]}, "     \
    "{\"name\": \"b\", \"colour\": [4, 5, 6]}], "
#define STROKES                                                                                                        \
    "\"strokes\": [{\"class\": 0, \"radius\": 1, \"locked\": [], \"points\": [3, 3, 9, 3]}, {\"class\": 1, "           \
    "\"radius\": 1, \"locked\": [], \"points\": [3, 12, 9, 12]}]"

static struct shw_project *decode(const char *text)
{
    static struct testing_log memory; /* the project keeps the log */
    struct shw_log log = testing_log(&memory);
    struct shw_project *project = NULL;

    assert_int_equal(shw_project_decode(text, strlen(text), "p.json", &log, &project), SHW_OK);
    return project;
}

static void refuse(const char *text, const char *message)
{
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    struct shw_project *project = NULL;

    log.level = SHW_LOG_ERROR;
    assert_int_equal(shw_project_decode(text, strlen(text), "p.json", &log, &project), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, message));
}

static const char whole[] =
    HEAD "\"training\": {\"channels\": \"plane:nir,gauss-\", \"seed\": \"0\"}, \"pictures\": []}";

static const char kept[] = HEAD
    "\"training\": {\"channels\": \"plane:nir,gauss:2@b2,depth,range:nir=0..10000,range:b2=-1..1\", \"seed\": \"7\"}, "
    "\"inputs\": {\"depth\": \"d/{}.png\", \"nir\": \"nir/{}.tif\", \"unused\": \"u/{}.tif\"}, "
    "\"shown_planes\": {\"planes\": [\"nir\", \"b2\", \"b1\"], \"ranges\": {\"b2\": [-0.5, 0.25], \"nir\": [0.0, "
    "10000.0]}}, "
    "\"pictures\": [{\"name\": \"x.tif\", \"width\": 24, \"height\": 16, " STROKES
    ", \"inputs\": {\"b2\": \"own.tif\"}}]}";

/* What is written is what was read, also of a copy and in another folder. */
TESTING_CASE(planes_are_kept)
{
    struct shw_project *project = decode(kept), *again, *copy = NULL;
    const struct shw_shown_planes *shown = shw_project_get_shown_planes(project);
    struct shw_project_files files;
    char *text = shw_project_encode(project), *copied;
    uint64_t edition = shw_project_get_edition(project), revision = shw_project_get_revision(project);
    struct shw_shown_planes other = *shown;

    assert_non_null(strstr(text, "\"version\": 6"));
    assert_non_null(
        strstr(text, "\"inputs\": {\"depth\": \"d/{}.png\", \"nir\": \"nir/{}.tif\", \"unused\": \"u/{}.tif\"}"));
    assert_non_null(strstr(text, "\"inputs\": {\"b2\": \"own.tif\"}"));
    again = decode(text);
    assert_memory_equal(shw_project_get_shown_planes(again), shown, sizeof *shown);
    assert_int_equal(shw_project_snapshot(project, NULL, &copy), SHW_OK);
    copied = shw_project_encode(copy);
    assert_string_equal(copied, text);
    assert_int_equal(shown->count, 3);
    assert_string_equal(shown->names[2], "b1");
    assert_true(shw_shown_planes_range(shown, "b2")->high == 0.25f);
    assert_null(shw_shown_planes_range(shown, "b1"));

    assert_int_equal(shw_project_set_folder(project, "f/"), SHW_OK);
    assert_int_equal(shw_project_list_inputs(project, 0, &files), SHW_OK);
    assert_int_equal(files.count, 3); /* not the unused one */
    for (uint32_t i = 0; i < 3; i++) {
        const bool own = strcmp(files.files[i].name, "b2") == 0;
        assert_string_equal(files.files[i].path, own                                       ? "f/own.tif"
                                                 : strcmp(files.files[i].name, "nir") == 0 ? "f/nir/{}.tif"
                                                                                           : "f/d/{}.png");
        assert_false(files.files[i].of_image);
        assert_int_equal(files.files[i].optional, !own);
    }
    shw_project_files_free(&files);
    assert_int_equal(shw_project_list_inputs(project, UINT32_MAX, &files), SHW_OK);
    for (uint32_t i = 0; i < files.count; i++)
        assert_int_equal(files.files[i].of_image, strcmp(files.files[i].name, "b2") == 0);
    shw_project_files_free(&files);

    shw_project_set_shown_planes(project, &other); /* the same */
    assert_true(shw_project_get_edition(project) == edition);
    assert_true(shw_shown_planes_set_range(&other, "b2", NULL));
    shw_project_set_shown_planes(project, &other);
    assert_true(shw_project_get_edition(project) > edition);
    assert_true(shw_project_get_revision(project) == revision);
    assert_int_equal(shw_project_set_input(project, "nir", NULL), SHW_OK);
    assert_null(shw_project_get_input(project, "nir"));
    assert_string_equal(shw_project_get_input(project, "unused"), "u/{}.tif");
    assert_int_equal(shw_project_set_input(project, "Not a name", "x"), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_set_input(project, "colour", "x"), SHW_ERROR_ARGUMENT);
    free(text);
    free(copied);
    shw_project_destroy(&project);
    shw_project_destroy(&again);
    shw_project_destroy(&copy);
}

/* Ranges are sorted, replaced, removed and limited in number, whatever the order. */
TESTING_CASE(ranges_are_a_list)
{
    struct shw_shown_planes shown = {.count = 0};
    struct testing_random random = {6};
    bool has[80] = {false};
    float low[80];
    uint32_t count = 0;

    for (int step = 0; step < 2000; step++) {
        const uint32_t plane = testing_random_below(&random, 80);
        const float range[2] = {(float)step, (float)step + 1};
        const bool removes = testing_random_below(&random, 3) == 0, fits = removes || has[plane] || count < 64;
        char name[8];

        snprintf(name, sizeof name, "b%u", plane);
        assert_int_equal(shw_shown_planes_set_range(&shown, name, removes ? NULL : range), fits);
        if (!fits)
            continue;
        count = count + (!removes && !has[plane]) - (removes && has[plane]);
        has[plane] = !removes;
        low[plane] = range[0];
        assert_int_equal(shown.range_count, count);
        for (uint32_t p = 0; p < 80; p++) {
            const struct shw_shown_range *found;
            snprintf(name, sizeof name, "b%u", p);
            found = shw_shown_planes_range(&shown, name);
            assert_int_equal(found != NULL, has[p]);
            assert_true(found == NULL || found->low == low[p]);
        }
    }
}

TESTING_CASE(wrong_members_are_refused)
{
    static const struct {
        const char *member, *message;
    } cases[] = {{"\"inputs\": {\"NIR\": \"a\"}", "another member than \"depth\", \"height\" and names of planes"},
                 {"\"inputs\": {\"posterior-0\": \"a\"}", "names of planes"},
                 {"\"inputs\": {\"colour\": \"a\"}", "names of planes"},
                 {"\"inputs\": {\"nir,red\": \"a\"}", "names of planes"},
                 {"\"inputs\": {\"previous\": \"a\"}", "names of planes"},
                 {"\"inputs\": {\"nir\": \"\"}", "not a non-empty string"},
                 {"\"shown_planes\": 3", "\"shown_planes\": it is not an object"},
                 {"\"shown_planes\": {\"planes\": [\"a\", \"b\"]}", "no, one or three planes"},
                 {"\"shown_planes\": {\"planes\": \"nir\"}", "no, one or three planes"},
                 {"\"shown_planes\": {\"planes\": [\"depth\"]}", "something else than the name of a plane"},
                 {"\"shown_planes\": {\"planes\": [4]}", "something else than the name of a plane"},
                 {"\"shown_planes\": {\"ranges\": []}", "\"ranges\" is not an object"},
                 {"\"shown_planes\": {\"ranges\": {\"nir\": [1, 1]}}", "the second above the first"},
                 {"\"shown_planes\": {\"ranges\": {\"nir\": [1]}}", "the second above the first"},
                 {"\"shown_planes\": {\"ranges\": {\"nir\": [0, 1e300]}}", "the second above the first"},
                 {"\"shown_planes\": {\"ranges\": {\"Nir\": [0, 1]}}", "not the name of a plane"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(text, sizeof text, HEAD "%s, \"pictures\": []}", cases[i].member);
        refuse(text, cases[i].message);
    }
    refuse(whole, "channels");
}

static void write_array(const char *name, uint32_t planes)
{
    static float array[HEIGHT * WIDTH * PLANES];
    const uint64_t shape[] = {HEIGHT, WIDTH, planes};
    char header[SHW_NPY_WRITTEN_SIZE];
    FILE *file = fopen(testing_path(name), "wb");

    for (uint32_t i = 0; i < HEIGHT * WIDTH * planes; i++)
        array[i] = (float)(i % planes) + (i < HEIGHT * WIDTH * planes / 2 ? 1.0f : 0.5f);
    shw_npy_header_write(header, "f4", 3, shape);
    assert_non_null(file);
    fwrite(header, 1, sizeof header, file);
    fwrite(array, sizeof *array, (size_t)HEIGHT * WIDTH * planes, file);
    assert_int_equal(fclose(file), 0);
}

/* Writes a project in the test's folder, and makes its training set; the message if that fails. */
static const char *train(const char *inputs, const char *picture, struct testing_log *memory)
{
    char text[2048];
    struct shw_log log = testing_log(memory);
    struct shw_project *project = NULL;
    struct shw_training_set *set = NULL;
    struct shw_training_tiles *tiles = NULL;
    enum shw_result result;
    FILE *file = fopen(testing_path("p.json"), "w");

    log.level = SHW_LOG_ERROR;
    snprintf(text, sizeof text,
             HEAD "\"training\": {\"channels\": \"plane:b2,plane:nir,range:b2=0..4,range:nir=0..4\"}, %s "
                  "\"pictures\": [{\"name\": \"%s\", \"width\": 24, \"height\": 16, " STROKES "}]}",
             inputs, picture);
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    *memory = (struct testing_log){0};
    assert_int_equal(shw_project_read(testing_path("p.json"), &log, &project), SHW_OK);
    result = shw_project_check_pictures(project, &log);
    if (result == SHW_OK)
        result = shw_training_set_make(project, &log, &set);
    if (result == SHW_OK)
        result = shw_training_tiles_make(set, 4, NULL, NULL, &tiles);
    if (result == SHW_OK)
        shw_training_tiles_release(&tiles);
    shw_training_set_destroy(&set);
    shw_project_destroy(&project);
    return result == SHW_OK ? NULL : memory->last;
}

/* Messages name the picture and the plane. */
TESTING_CASE(missing_and_damaged_planes_are_named)
{
    static uint16_t samples[WIDTH * HEIGHT];
    const struct shw_image image = {samples, WIDTH, HEIGHT, 0, SHW_PIXEL_GREY16};
    struct testing_log memory;
    const char *message;

    write_array("x.npy", PLANES);
    write_array("thin.npy", 1);
    assert_int_equal(shw_png_write(testing_path("x_nir.png"), &image, NULL), SHW_OK);
    assert_null(train("\"inputs\": {\"nir\": \"{}_nir.png\"},", "x.npy", &memory));
    message = train("", "x.npy", &memory);
    assert_non_null(message);
    assert_non_null(strstr(message, "x.npy has no plane nir"));
    message = train("\"inputs\": {\"nir\": \"none/{}.png\"},", "x.npy", &memory);
    assert_non_null(message);
    assert_non_null(strstr(message, "x.npy has no plane nir"));
    assert_non_null(strstr(message, "none/{}.png"));
    message = train("\"inputs\": {\"nir\": \"{}_nir.png\"},", "thin.npy", &memory);
    assert_non_null(message);
    assert_non_null(strstr(message, "thin.npy"));
    assert_non_null(strstr(message, "plane"));
}
