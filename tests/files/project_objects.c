/* What projects store of objects: the history, files there and back, snapshots, lessons, and what is wrong with bad
 * files. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/project/project_objects.h"
#include "testing/painting.h"

static void make_values(float seed, float values[SHW_OBJECT_ATTRIBUTES])
{
    for (uint32_t a = 0; a < SHW_OBJECT_ATTRIBUTES; a++)
        values[a] = seed + (float)a / 7;
    values[SHW_OBJECT_MEAN_PROBABILITY] = NAN;
}

static enum shw_result teach(struct shw_project *project, uint32_t picture, uint32_t x, uint32_t y, uint32_t number)
{
    float values[SHW_OBJECT_ATTRIBUTES];

    make_values((float)(x + 10 * y), values);
    return shw_project_teach_object(project, picture, x, y, number, values);
}

/* Two pictures, of which the first is painted on, and three object classes. */
static struct shw_project *make_project(const struct shw_log *log)
{
    struct shw_project *project = NULL;
    uint32_t picture;

    assert_int_equal(shw_project_create(log, &project), SHW_OK);
    assert_int_equal(shw_project_add_class(project, "cell", (uint8_t[]){1, 2, 3}), SHW_OK);
    assert_int_equal(shw_project_find_picture(project, "b.png", 20, 10, &picture), SHW_OK);
    assert_int_equal(shw_project_find_picture(project, "unused.png", 20, 10, &picture), SHW_OK);
    assert_int_equal(shw_project_find_picture(project, "a.png", 30, 40, &picture), SHW_OK);
    assert_int_equal(shw_project_add_object_class(project, "round", (uint8_t[]){255, 0, 0}), SHW_OK);
    assert_int_equal(shw_project_add_object_class(project, "long", (uint8_t[]){0, 255, 0}), SHW_OK);
    assert_int_equal(shw_project_add_object_class(project, "broken", (uint8_t[]){0, 0, 255}), SHW_OK);
    return project;
}

static struct shw_object_lessons lessons_of(const struct shw_project *project)
{
    struct shw_object_lessons lessons;

    assert_int_equal(shw_project_make_lessons(project, &lessons), SHW_OK);
    return lessons;
}

/* The lessons as text: the number of the object class and the first value of each. */
static void assert_lessons(const struct shw_project *project, const char *expected)
{
    struct shw_object_lessons lessons = lessons_of(project);
    char text[512] = "";

    for (uint32_t i = 0; i < lessons.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%u:%g", i > 0 ? " " : "", lessons.numbers[i],
                 (double)lessons.values[i * SHW_OBJECT_ATTRIBUTES]);
    assert_string_equal(text, expected);
    shw_object_lessons_free(&lessons);
}

TESTING_CASE(the_last_example_of_a_pixel_counts)
{
    struct shw_project *project = make_project(NULL);

    assert_lessons(project, "");
    assert_int_equal(teach(project, 0, 3, 2, 0), SHW_OK);
    assert_int_equal(teach(project, 2, 5, 1, 1), SHW_OK);
    assert_int_equal(teach(project, 0, 1, 2, 2), SHW_OK);
    assert_lessons(project, "1:15 2:21 0:23"); /* by name of the picture, then by place */
    assert_int_equal(teach(project, 0, 3, 2, 1), SHW_OK);
    assert_lessons(project, "1:15 2:21 1:23");
    assert_int_equal(teach(project, 0, 3, 2, UINT32_MAX), SHW_OK);
    assert_lessons(project, "1:15 2:21");
    assert_int_equal(shw_project_delete_object_class(project, 1), SHW_OK);
    assert_lessons(project, "1:21"); /* broken has the number 1 now */
    assert_int_equal(shw_project_get_object_class_count(project), 2);
    shw_project_destroy(&project);
}

TESTING_CASE(steps_are_undone_and_redone)
{
    struct shw_project *project = make_project(NULL);
    uint64_t revision = shw_project_get_revision(project), edition = shw_project_get_edition(project);
    uint32_t picture = 0;

    assert_int_equal(teach(project, 2, 5, 1, 1), SHW_OK);
    assert_int_equal(teach(project, 0, 3, 2, 0), SHW_OK);
    assert_int_equal(shw_project_change_object_class(project, 0, "disc", (uint8_t[]){9, 9, 9}), SHW_OK);
    assert_int_equal(shw_project_delete_object_class(project, 1), SHW_OK);
    assert_true(shw_project_get_edition(project) > edition);
    assert_true(shw_project_get_revision(project) == revision); /* forests of pixels are not trained again */
    assert_lessons(project, "0:23");
    assert_true(shw_project_undo(project, &picture));
    assert_true(picture == UINT32_MAX);
    assert_lessons(project, "1:15 0:23");
    assert_string_equal(shw_project_get_object_class(project, 0)->name, "disc");
    assert_true(shw_project_undo(project, &picture));
    assert_string_equal(shw_project_get_object_class(project, 0)->name, "round");
    assert_true(shw_project_undo(project, &picture));
    assert_int_equal(picture, 0);
    assert_lessons(project, "1:15");
    assert_true(shw_project_undo(project, &picture));
    assert_int_equal(picture, 2);
    assert_lessons(project, "");
    assert_true(shw_project_redo(project, &picture) && shw_project_redo(project, NULL));
    assert_int_equal(picture, 2);
    assert_lessons(project, "1:15 0:23");
    assert_int_equal(teach(project, 0, 4, 4, 2), SHW_OK); /* what was undone is forgotten */
    assert_false(shw_project_redo(project, NULL));
    while (shw_project_undo(project, NULL))
        continue;
    assert_int_equal(shw_project_get_object_class_count(project), 0);
    assert_int_equal(shw_project_get_class_count(project), 0);
    shw_project_destroy(&project);
}

static void change_settings(struct shw_project *project)
{
    char cell[] = "cell", round[] = "round";
    const struct shw_project_objects settings = {.set = true,
                                                 .class_name = cell,
                                                 .kind_name = round,
                                                 .smooth = 2,
                                                 .hole_max = SHW_OBJECT_HOLES_ALL,
                                                 .area_min = 30,
                                                 .area_max = 4000,
                                                 .four = true,
                                                 .pixel_size = {SHW_PIXEL_SIZE_GIVEN, 0.65}};
    uint64_t edition = shw_project_get_edition(project);

    assert_int_equal(shw_project_set_objects(project, &settings), SHW_OK);
    assert_true(shw_project_get_edition(project) > edition);
    edition = shw_project_get_edition(project);
    assert_int_equal(shw_project_set_objects(project, &settings), SHW_OK);
    assert_true(shw_project_get_edition(project) == edition);
}

static void assert_same_text(const struct shw_project *one, const struct shw_project *other)
{
    char *a = shw_project_encode(one), *b = shw_project_encode(other);

    assert_string_equal(a, b);
    free(a);
    free(b);
}

TESTING_CASE(files_and_snapshots_have_it)
{
    struct shw_project *project = make_project(NULL), *read = NULL, *snapshot = NULL;
    struct shw_project_objects settings;
    struct shw_object_lessons before, after;
    char *text;

    assert_int_equal(teach(project, 2, 5, 1, 1), SHW_OK);
    assert_int_equal(teach(project, 0, 3, 2, 0), SHW_OK);
    assert_int_equal(teach(project, 0, 3, 3, 0), SHW_OK);
    assert_int_equal(teach(project, 0, 3, 3, UINT32_MAX), SHW_OK);
    change_settings(project);
    text = shw_project_encode(project);
    assert_non_null(strstr(text, "\"version\": 5"));
    assert_null(strstr(text, "unused.png"));
    assert_int_equal(shw_project_decode(text, strlen(text), "p.json", NULL, &read), SHW_OK);
    assert_same_text(project, read);
    assert_int_equal(shw_project_snapshot(project, NULL, &snapshot), SHW_OK);
    assert_same_text(project, snapshot);
    settings = shw_project_get_objects(read);
    assert_true(settings.set && settings.four && settings.hole_max == SHW_OBJECT_HOLES_ALL);
    assert_int_equal(settings.area_max, 4000);
    assert_string_equal(settings.class_name, "cell");
    assert_string_equal(settings.kind_name, "round");
    assert_int_equal(settings.pixel_size.source, SHW_PIXEL_SIZE_GIVEN);
    before = lessons_of(project);
    after = lessons_of(read);
    assert_int_equal(before.count, 2);
    assert_int_equal(after.count, 2);
    assert_memory_equal(after.numbers, before.numbers, 2 * sizeof *after.numbers);
    for (uint32_t i = 0; i < 2 * SHW_OBJECT_ATTRIBUTES; i++)
        assert_true(isnan(after.values[i]) ? isnan(before.values[i])
                                           : memcmp(&after.values[i], &before.values[i], sizeof(float)) == 0);
    shw_object_lessons_free(&before);
    shw_object_lessons_free(&after);
    free(text);
    shw_project_destroy(&project);
    shw_project_destroy(&read);
    shw_project_destroy(&snapshot);
}

static void assert_names(const struct shw_project *project, const char *class_name, const char *kind_name)
{
    const struct shw_project_objects settings = shw_project_get_objects(project);

    assert_string_equal(settings.class_name != NULL ? settings.class_name : "", class_name);
    assert_string_equal(settings.kind_name != NULL ? settings.kind_name : "", kind_name);
}

/* Settings mean classes, not their names. */
TESTING_CASE(settings_follow_classes)
{
    struct shw_project *project = make_project(NULL), *read = NULL, *snapshot = NULL;
    struct shw_project_objects settings;
    char *text, lake[] = "lake";

    change_settings(project);
    assert_int_equal(shw_project_change_class(project, 0, "nucleus", (uint8_t[]){1, 2, 3}), SHW_OK);
    assert_int_equal(shw_project_change_object_class(project, 0, "disc", (uint8_t[]){1, 2, 3}), SHW_OK);
    assert_names(project, "nucleus", "disc");
    text = shw_project_encode(project);
    assert_int_equal(shw_project_decode(text, strlen(text), "p.json", NULL, &read), SHW_OK);
    assert_names(read, "nucleus", "disc");
    assert_int_equal(shw_project_change_object_class(read, 0, "ring", (uint8_t[]){1, 2, 3}), SHW_OK);
    assert_names(read, "nucleus", "ring");
    assert_true(shw_project_undo(project, NULL));
    assert_names(project, "nucleus", "round");
    assert_int_equal(shw_project_delete_object_class(project, 0), SHW_OK);
    assert_int_equal(shw_project_delete_class(project, 0), SHW_OK);
    assert_names(project, "", "");
    settings = shw_project_get_objects(project); /* others change meanwhile */
    settings.area_min = 7;
    assert_int_equal(shw_project_set_objects(project, &settings), SHW_OK);
    assert_true(shw_project_undo(project, NULL) && shw_project_undo(project, NULL));
    assert_names(project, "nucleus", "round");
    assert_int_equal(shw_project_snapshot(project, NULL, &snapshot), SHW_OK);
    assert_int_equal(shw_project_change_class(snapshot, 0, "cell", (uint8_t[]){1, 2, 3}), SHW_OK);
    assert_names(snapshot, "cell", "round");
    settings = shw_project_get_objects(project);
    settings.class_name = lake; /* of a forest from elsewhere */
    settings.kind_name = NULL;
    assert_int_equal(shw_project_set_objects(project, &settings), SHW_OK);
    assert_names(project, "lake", "");
    free(text);
    shw_project_destroy(&project);
    shw_project_destroy(&read);
    shw_project_destroy(&snapshot);
}

/* Sizes of pixels come back as they were. */
TESTING_CASE(sizes_of_pixels_are_kept)
{
    static const char *const texts[] = {"0.65 um", "file", "none", "file or 0.1234567 mm"};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct shw_project *project = make_project(NULL), *read = NULL;
        struct shw_project_objects settings = {.set = true};
        char *text;

        assert_true(shw_pixel_size_read(texts[i], &settings.pixel_size));
        assert_int_equal(shw_project_set_objects(project, &settings), SHW_OK);
        text = shw_project_encode(project);
        assert_int_equal(shw_project_decode(text, strlen(text), "p.json", NULL, &read), SHW_OK);
        assert_int_equal(shw_project_get_objects(read).pixel_size.source, settings.pixel_size.source);
        assert_true(fabs(shw_project_get_objects(read).pixel_size.micrometres - settings.pixel_size.micrometres) <=
                    1e-12 * settings.pixel_size.micrometres);
        free(text);
        shw_project_destroy(&project);
        shw_project_destroy(&read);
    }
}

/* Projects in which nothing is said of objects are as before. */
TESTING_CASE(others_stay_as_they_are)
{
    struct shw_project *project = NULL;
    char *text;

    assert_int_equal(shw_project_create(NULL, &project), SHW_OK);
    text = shw_project_encode(project);
    assert_non_null(strstr(text, "\"version\": 1"));
    assert_null(strstr(text, "objects"));
    free(text);
    shw_project_destroy(&project);
}

TESTING_CASE(measuring_again_changes_the_file_only_if_values_do)
{
    struct shw_project *project = make_project(NULL);
    float values[SHW_OBJECT_ATTRIBUTES];
    uint64_t edition;

    assert_int_equal(teach(project, 0, 3, 2, 0), SHW_OK);
    edition = shw_project_get_edition(project);
    make_values(23, values);
    shw_project_measure_example(project, 0, values);
    assert_true(shw_project_get_edition(project) == edition);
    values[0] = 99;
    shw_project_measure_example(project, 0, values);
    assert_true(shw_project_get_edition(project) > edition);
    assert_lessons(project, "0:99");
    shw_project_destroy(&project);
}

TESTING_CASE(what_is_not_possible_is_refused)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_project *project = make_project(&log);

    log.level = SHW_LOG_ERROR;
    assert_int_equal(teach(project, 0, 20, 2, 0), SHW_ERROR_ARGUMENT);
    assert_int_equal(teach(project, 0, 2, 10, 0), SHW_ERROR_ARGUMENT);
    assert_int_equal(teach(project, 7, 2, 2, 0), SHW_ERROR_ARGUMENT);
    assert_int_equal(teach(project, 0, 2, 2, 3), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_add_object_class(project, "round", (uint8_t[]){1, 1, 1}), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_add_object_class(project, "", (uint8_t[]){1, 1, 1}), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_change_object_class(project, 1, "round", (uint8_t[]){1, 1, 1}), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_delete_object_class(project, 3), SHW_ERROR_ARGUMENT);
    assert_lessons(project, "");
    shw_project_destroy(&project);
}

TESTING_CASE(bad_files_are_refused)
{
    static const struct {
        const char *objects, *message;
    } bad[] = {
        {"3", "it is not an object"},
        {"{\"classes\": [], \"examples\": []}", "no list \"attributes\""},
        {"{\"classes\": [{\"name\": \"\", \"colour\": [1,2,3]}], \"attributes\": [], \"examples\": []}", "\"name\""},
        {"{\"classes\": [{\"name\": \"a\", \"colour\": [1,2,300]}], \"attributes\": [], \"examples\": []}",
         "\"colour\""},
        {"{\"classes\": [{\"name\": \"a\", \"colour\": [1,2,3]}, {\"name\": \"a\", \"colour\": [1,2,3]}], "
         "\"attributes\": [], \"examples\": []}",
         "\"classes\" 1: an earlier class has the same name"},
        {"{\"classes\": [], \"attributes\": [3], \"examples\": []}", "not a name"},
        {"{\"classes\": [], \"attributes\": [], \"examples\": [{\"picture\": \"z.png\"}]}",
         "\"examples\" 0: it has no \"picture\""},
        {"{\"classes\": [], \"attributes\": [], \"examples\": [{\"picture\": \"a.png\", \"x\": 4, \"y\": 0}]}",
         "\"x\" and \"y\""},
        {"{\"classes\": [], \"attributes\": [], \"examples\": [{\"picture\": \"a.png\", \"x\": 1, \"y\": 1, "
         "\"class\": 0}]}",
         "\"class\""},
        {"{\"classes\": [{\"name\": \"a\", \"colour\": [1,2,3]}], \"attributes\": [\"area_px\"], \"examples\": "
         "[{\"picture\": \"a.png\", \"x\": 1, \"y\": 1, \"class\": 0, \"values\": [1, 2]}]}",
         "\"values\""},
        {"{\"classes\": [], \"attributes\": [], \"examples\": [], \"settings\": 1}", "\"settings\""},
        {"{\"classes\": [], \"attributes\": [], \"examples\": [], \"settings\": {\"smooth\": 65}}", "out of range"},
        {"{\"classes\": [], \"attributes\": [], \"examples\": [], \"settings\": {\"holes\": \"some\"}}", "\"holes\""},
        {"{\"classes\": [], \"attributes\": [], \"examples\": [], \"settings\": {\"pixel_size\": -1}}",
         "\"pixel_size\""},
        {"{\"classes\": [], \"attributes\": [], \"examples\": [], \"settings\": {\"class\": 1}}", "not a text"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct testing_log memory;
        struct shw_log log = testing_log(&memory);
        struct shw_project *project = NULL;
        char text[1024];

        snprintf(text, sizeof text,
                 "{\"format\": \"shadewood-project\", \"version\": 5, \"classes\": [], \"pictures\": [{\"name\": "
                 "\"a.png\", \"width\": 4, \"height\": 4, \"strokes\": []}], \"objects\": %s}",
                 bad[i].objects);
        assert_int_equal(shw_project_decode(text, strlen(text), "p.json", &log, &project), SHW_ERROR_FORMAT);
        assert_non_null(strstr(memory.last, bad[i].message));
        assert_int_equal(memory.errors, 1);
    }
}

/* Attributes of another version: those that are unknown are left out, others are missing. */
TESTING_CASE(attributes_are_found_by_name)
{
    static const char text[] =
        "{\"format\": \"shadewood-project\", \"version\": 5, \"classes\": [], \"pictures\": [{\"name\": \"a.png\", "
        "\"width\": 4, \"height\": 4, \"strokes\": []}], \"objects\": {\"classes\": [{\"name\": \"a\", \"colour\": "
        "[1,2,3]}], \"attributes\": [\"solidity\", \"taste\", \"area_px\"], \"examples\": [{\"picture\": \"a.png\", "
        "\"x\": 1, \"y\": 1, \"class\": 0, \"values\": [0.5, 7, 40]}]}}";
    struct shw_project *project = NULL;
    struct shw_object_lessons lessons;

    assert_int_equal(shw_project_decode(text, strlen(text), "p.json", NULL, &project), SHW_OK);
    lessons = lessons_of(project);
    assert_int_equal(lessons.count, 1);
    for (uint32_t a = 0; a < SHW_OBJECT_ATTRIBUTES; a++) {
        const double value = (double)lessons.values[a];

        if (a == SHW_OBJECT_AREA)
            assert_true(fabs(value - 40) < 1e-9);
        else if (a == SHW_OBJECT_SOLIDITY)
            assert_true(fabs(value - 0.5) < 1e-9);
        else
            assert_true(isnan(value));
    }
    shw_object_lessons_free(&lessons);
    shw_project_destroy(&project);
}
