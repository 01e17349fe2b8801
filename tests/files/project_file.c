/* Project files: there and back, and what is wrong with bad ones. */
#include "testing/painting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct shw_log quiet(struct testing_log *memory)
{
    struct shw_log log = testing_log(memory);

    log.level = SHW_LOG_ERROR;
    return log;
}

static void check_same(struct shw_project *a, struct shw_project *b)
{
    char *left = shw_project_encode(a), *right = shw_project_encode(b);

    assert_non_null(left);
    assert_non_null(right);
    assert_string_equal(left, right);
    free(left);
    free(right);
    assert_int_equal(shw_project_get_class_count(a), shw_project_get_class_count(b));
    for (uint32_t i = 0; i < shw_project_get_picture_count(b); i++) {
        struct shw_project_picture info = shw_project_get_picture(b, i);
        const uint16_t *painted, *loaded;
        uint32_t picture;

        assert_int_equal(shw_project_find_picture(a, info.name, info.width, info.height, &picture), SHW_OK);
        painted = testing_labels(a, picture);
        loaded = testing_labels(b, i);
        assert_memory_equal(painted, loaded, (size_t)info.width * info.height * sizeof *loaded);
    }
}

TESTING_CASE(projects_read_back)
{
    struct testing_random random = {3};

    for (uint32_t run = 0; run < 20; run++) {
        struct testing_log memory;
        struct shw_log log = quiet(&memory);
        const char *path = testing_path("a.json");
        struct shw_project_training training = {SHW_CHANNELS_RGB,
                                                run,
                                                3,
                                                run * 7,
                                                UINT64_MAX - run,
                                                run * 5,
                                                run == 19 ? SHW_SMOOTHING_NONE : run * 6,
                                                run % 4},
                                    read_training;
        struct shw_project *project = NULL, *read = NULL;
        uint32_t picture;

        assert_int_equal(shw_project_create(&log, &project), SHW_OK);
        assert_int_equal(shw_project_add_class(project, "sky \"\xc3\xa4\"", (uint8_t[]){1, 2, 3}), SHW_OK);
        assert_int_equal(shw_project_add_class(project, "grass", (uint8_t[]){0, 255, 7}), SHW_OK);
        assert_int_equal(shw_project_add_class(project, "road", (uint8_t[]){9, 9, 9}), SHW_OK);
        assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
        for (uint32_t i = 0; i < 3; i++) {
            char name[16];
            snprintf(name, sizeof name, "sub/%u.png", i);
            assert_int_equal(shw_project_find_picture(project, name, 10 + i, 20 - i, &picture), SHW_OK);
        }
        for (uint32_t s = 0; s < 10; s++) {
            shw_project_lock_class(project, testing_random_below(&random, 3), testing_random_below(&random, 2) == 0);
            testing_paint_stroke(project, testing_random_below(&random, 2), &random); /* the third stays empty */
        }
        if (run % 5 == 0) {
            uint16_t labels[20 * 20];

            for (uint32_t p = 0; p < 400; p++)
                labels[p] =
                    testing_random_below(&random, 3) == 0 ? SHW_LABEL_VOID : (uint16_t)testing_random_below(&random, 3);
            assert_int_equal(shw_project_import_labels(project, 1, labels), SHW_OK);
        }
        if (run % 2 == 1)
            assert_int_equal(shw_project_delete_class(project, run % 3), SHW_OK);
        assert_int_equal(shw_project_write(project, path), SHW_OK);
        assert_int_equal(shw_project_read(path, &log, &read), SHW_OK);
        read_training = shw_project_get_training(read);
        assert_string_equal(read_training.channels, training.channels);
        assert_true(read_training.seed == training.seed);
        assert_int_equal(read_training.tree_count, training.tree_count);
        assert_int_equal(read_training.offset, training.offset);
        assert_int_equal(read_training.smooth, training.smooth);
        assert_int_equal(read_training.levels, training.levels);
        check_same(project, read);
        shw_project_destroy(&project);
        shw_project_destroy(&read);
    }
}

/* Files from before there was smoothing: they say nothing of it, and are written as they were. */
TESTING_CASE(what_is_not_said_stays_so)
{
    static const char text[] = "{\"format\": \"shadewood-project\", \"version\": 1, \"classes\": [], "
                               "\"training\": {\"trees\": 5, \"seed\": \"0\"}, \"pictures\": []}";
    struct shw_project *project = NULL;
    char *written;

    assert_int_equal(shw_project_decode(text, strlen(text), "old.json", NULL, &project), SHW_OK);
    assert_int_equal(shw_project_get_training(project).smooth, 0);
    written = shw_project_encode(project);
    assert_string_equal(written, text);
    free(written);
    shw_project_destroy(&project);
}

/* The pixels of an area's text, as docs/project-format.md says: 1 for those of a run. */
static void read_runs(const char *text, uint32_t width, uint8_t *pixels)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t x = 0, y = 0;

    while (*text != '\0') {
        uint32_t numbers[3] = {0};
        for (int n = 0; n < 3; n++) {
            uint32_t digit, weight = 1;
            do {
                digit = (uint32_t)(strchr(digits, *text++) - digits);
                numbers[n] += digit % 32 * weight;
                weight *= 32;
            } while (digit >= 32);
        }
        if (numbers[0] > 0)
            x = 0;
        y += numbers[0];
        x += numbers[1];
        for (uint32_t end = x + numbers[2]; x <= end; x++)
            pixels[y * width + x] = 1;
    }
}

/* Areas with many runs are texts. */
TESTING_CASE(large_areas_read_back)
{
    enum { WIDTH = 300, HEIGHT = 40 };
    static uint16_t labels[WIDTH * HEIGHT];
    struct testing_random random = {31};
    const char *path = testing_path("areas.json");

    for (uint32_t run = 0; run < 4; run++) {
        struct shw_project *project = NULL, *read = NULL;
        json_t *root, *stroke;
        uint32_t picture;

        assert_int_equal(shw_project_create(NULL, &project), SHW_OK);
        assert_int_equal(shw_project_add_class(project, "one", (uint8_t[]){1, 2, 3}), SHW_OK);
        assert_int_equal(shw_project_add_class(project, "two", (uint8_t[]){0, 255, 7}), SHW_OK);
        assert_int_equal(shw_project_find_picture(project, "a.png", WIDTH, HEIGHT, &picture), SHW_OK);
        for (uint32_t p = 0; p < WIDTH * HEIGHT;) {
            uint32_t length = 1 + testing_random_below(&random, run == 3 ? 60 : 4);
            uint16_t number = (uint16_t)testing_random_below(&random, 3);
            for (; length > 0 && p < WIDTH * HEIGHT; length--, p++)
                labels[p] = number == 2 || p / WIDTH % 7 == 3 ? SHW_LABEL_VOID : number;
        }
        assert_int_equal(shw_project_import_labels(project, picture, labels), SHW_OK);
        assert_int_equal(shw_project_write(project, path), SHW_OK);
        assert_int_equal(shw_project_read(path, NULL, &read), SHW_OK);
        check_same(project, read);

        root = json_load_file(path, 0, NULL);
        stroke = json_array_get(json_object_get(json_array_get(json_object_get(root, "pictures"), 0), "strokes"), 0);
        assert_int_equal(json_integer_value(json_object_get(root, "version")), run == 3 ? 1 : 4);
        assert_int_equal(json_object_get(stroke, "runs") != NULL, run < 3);
        if (run < 3) {
            static uint8_t pixels[WIDTH * HEIGHT];
            memset(pixels, 0, sizeof pixels);
            read_runs(json_string_value(json_object_get(stroke, "runs")), WIDTH, pixels);
            for (uint32_t p = 0; p < WIDTH * HEIGHT; p++)
                assert_int_equal(pixels[p], labels[p] == 0);
        }
        json_decref(root);
        shw_project_destroy(&project);
        shw_project_destroy(&read);
    }
}

/* A snapshot stays as it is, whatever becomes of the project. */
TESTING_CASE(snapshots_stay_as_they_are)
{
    struct testing_random random = {12};

    for (uint32_t run = 0; run < 10; run++) {
        struct shw_project *project = NULL, *snapshot = NULL, *read = NULL;
        uint32_t picture;
        char *before, *after;

        assert_int_equal(shw_project_create(NULL, &project), SHW_OK);
        for (uint8_t c = 0; c < 3; c++)
            assert_int_equal(
                shw_project_add_class(project, (const char[]){(char)('a' + c), '\0'}, (uint8_t[]){c, c, 9}), SHW_OK);
        for (uint32_t p = 0; p < 2; p++)
            assert_int_equal(shw_project_find_picture(project, p == 0 ? "x" : "y", 20, 20, &picture), SHW_OK);
        for (uint32_t s = 0; s < 6; s++) {
            shw_project_lock_class(project, testing_random_below(&random, 3), testing_random_below(&random, 2) == 0);
            testing_paint_stroke(project, 1, &random);
        }
        if (run % 2 == 1)
            assert_int_equal(shw_project_delete_class(project, run % 3), SHW_OK);
        assert_int_equal(shw_project_begin_stroke(project, 1, 1, 0, (struct shw_point){1, 1}), SHW_OK);
        before = shw_project_encode(project);
        assert_int_equal(shw_project_snapshot(project, NULL, &snapshot), SHW_OK);
        /* the stroke goes on; then the others are undone, and freed */
        assert_int_equal(shw_project_extend_stroke(project, (struct shw_point){9, 3}), SHW_OK);
        assert_int_equal(shw_project_snapshot(project, NULL, &read), SHW_OK);
        check_same(project, read);
        shw_project_destroy(&read);
        for (uint32_t s = 0; s < 4; s++)
            assert_true(shw_project_undo(project, NULL));
        testing_paint_stroke(project, 1, &random);
        if (run % 3 == 0)
            shw_project_destroy(&project);
        after = shw_project_encode(snapshot);
        assert_string_equal(after, before);
        assert_int_equal(shw_project_decode(before, strlen(before), "before", NULL, &read), SHW_OK);
        check_same(snapshot, read); /* its labels, too */
        free(before);
        free(after);
        shw_project_destroy(&snapshot);
        shw_project_destroy(&read);
        shw_project_destroy(&project);
    }
}

#define HEAD    "{\"format\": \"shadewood-project\", \"version\": 1, "
#define CLASSES "\"classes\": [{\"name\": \"a\", \"colour\": [1, 2, 3]}]"
#define PICTURE(strokes)                                                                                               \
    HEAD CLASSES ", \"pictures\": [{\"name\": \"x.png\", \"width\": 4, \"height\": 4, \"strokes\": [" strokes "]}]}"

/* How images are read is part of it, and then it is for programs that know that. */
TESTING_CASE(choices_read_back)
{
    static const struct shw_image_choice choices[] = {{.range = {-0.25, 1e6}},
                                                      {.channels = {3, {4, 0, 2}}, .range = {0, 4095}},
                                                      {.channels = {1, {9}}},
                                                      {.range = {0}}};

    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct shw_project *project = NULL, *read = NULL;
        struct shw_image_choice choice;
        uint64_t revision;
        char *text;

        assert_int_equal(shw_project_create(NULL, &project), SHW_OK);
        revision = shw_project_get_revision(project);
        assert_int_equal(shw_project_set_choice(project, &choices[i]), SHW_OK);
        assert_int_equal(shw_project_get_revision(project) != revision, i < 3);
        text = shw_project_encode(project);
        assert_non_null(strstr(text, i < 3 ? "\"version\": 2" : "\"version\": 1"));
        assert_int_equal(shw_project_decode(text, strlen(text), "read.json", NULL, &read), SHW_OK);
        choice = shw_project_get_choice(read);
        assert_true(shw_image_choice_equal(&choice, &choices[i]));
        free(text);
        shw_project_destroy(&project);
        shw_project_destroy(&read);
    }
}

TESTING_CASE(faults_are_named)
{
    static const struct {
        const char *text;
        enum shw_result result;
        const char *reason;
    } cases[] = {
        {"", SHW_ERROR_FORMAT, "is not JSON"},
        {"[]", SHW_ERROR_FORMAT, "\"format\""},
        {"{\"format\": \"shadewood-bench\", \"version\": 1}", SHW_ERROR_FORMAT, "\"format\""},
        {"{\"format\": \"shadewood-project\", \"version\": \"1\"}", SHW_ERROR_FORMAT, "\"version\""},
        {"{\"format\": \"shadewood-project\", \"version\": 7}", SHW_ERROR_VERSION, "newer"},
        {HEAD "\"pictures\": []}", SHW_ERROR_FORMAT, "\"classes\""},
        {HEAD CLASSES "}", SHW_ERROR_FORMAT, "\"pictures\""},
        {HEAD "\"classes\": [7], \"pictures\": []}", SHW_ERROR_FORMAT, "\"name\""},
        {HEAD "\"classes\": [{\"name\": \"a\\tb\", \"colour\": [1, 2, 3]}], \"pictures\": []}", SHW_ERROR_FORMAT,
         "control"},
        {HEAD "\"classes\": [{\"name\": \"a\", \"colour\": [1, 2, 256]}], \"pictures\": []}", SHW_ERROR_FORMAT,
         "0 to 255"},
        {HEAD "\"classes\": [{\"name\": \"a\", \"colour\": [1, 2, 3]}, {\"name\": \"a\", \"colour\": [1, 2, 3]}], "
              "\"pictures\": []}",
         SHW_ERROR_FORMAT, "same name"},
        {HEAD CLASSES ", \"reading\": [], \"pictures\": []}", SHW_ERROR_FORMAT, "\"reading\" is not"},
        {HEAD CLASSES ", \"reading\": {\"intensity_range\": [1]}, \"pictures\": []}", SHW_ERROR_FORMAT,
         "\"intensity_range\""},
        {HEAD CLASSES ", \"reading\": {\"image_channels\": []}, \"pictures\": []}", SHW_ERROR_FORMAT,
         "\"image_channels\""},
        {HEAD CLASSES ", \"training\": [], \"pictures\": []}", SHW_ERROR_FORMAT, "\"training\""},
        {HEAD CLASSES ", \"training\": {\"channels\": \"red\"}, \"pictures\": []}", SHW_ERROR_FORMAT, "\"channels\""},
        {HEAD CLASSES ", \"training\": {\"trees\": 0}, \"pictures\": []}", SHW_ERROR_FORMAT, "\"trees\""},
        {HEAD CLASSES ", \"training\": {\"smooth\": 121}, \"pictures\": []}", SHW_ERROR_FORMAT, "\"smooth\""},
        {HEAD CLASSES ", \"training\": {\"smooth\": -1}, \"pictures\": []}", SHW_ERROR_FORMAT, "\"smooth\""},
        {HEAD CLASSES ", \"training\": {\"depth\": 65}, \"pictures\": []}", SHW_ERROR_FORMAT, "\"depth\""},
        {HEAD CLASSES ", \"training\": {\"seed\": \"-1\"}, \"pictures\": []}", SHW_ERROR_FORMAT, "\"seed\""},
        {HEAD CLASSES ", \"training\": {\"seed\": \"18446744073709551616\"}, \"pictures\": []}", SHW_ERROR_FORMAT,
         "\"seed\""},
        {HEAD CLASSES ", \"pictures\": [{\"name\": \"x\", \"width\": 65536, \"height\": 1, \"strokes\": []}]}",
         SHW_ERROR_FORMAT, "picture 0: \"width\""},
        {HEAD CLASSES ", \"pictures\": [{\"name\": \"x\", \"width\": 65535, \"height\": 65535, \"strokes\": []}]}",
         SHW_ERROR_FORMAT, "2^28"},
        {HEAD CLASSES ", \"pictures\": [{\"name\": \"x\", \"width\": 1, \"height\": 1, \"strokes\": []}, {\"name\": "
                      "\"x\", \"width\": 1, "
                      "\"height\": 1, \"strokes\": []}]}",
         SHW_ERROR_FORMAT, "picture 1: an earlier"},
        {PICTURE("{\"class\": 1, \"radius\": 1, \"points\": [1, 1]}"), SHW_ERROR_FORMAT,
         "stroke 0 of picture 0: \"class\""},
        {PICTURE("{\"radius\": 1, \"points\": [1, 1]}"), SHW_ERROR_FORMAT, "\"class\""},
        {PICTURE("{\"class\": 0, \"radius\": 1025, \"points\": [1, 1]}"), SHW_ERROR_FORMAT, "\"radius\""},
        {PICTURE("{\"class\": 0, \"radius\": 1, \"points\": [1, 1, 2]}"), SHW_ERROR_FORMAT, "\"points\""},
        {PICTURE("{\"class\": 0, \"radius\": 1, \"points\": []}"), SHW_ERROR_FORMAT, "\"points\""},
        {PICTURE("{\"class\": 0, \"radius\": 1, \"points\": [1, 131072]}"), SHW_ERROR_FORMAT, "131071"},
        {PICTURE("{\"class\": 0, \"radius\": 1, \"points\": [1, 1], \"locked\": [1]}"), SHW_ERROR_FORMAT, "\"locked\""},
        {PICTURE("{\"class\": 0, \"radius\": 0, \"area\": 1, \"points\": [1, 1]}"), SHW_ERROR_FORMAT, "\"area\""},
        {PICTURE("{\"class\": 0, \"radius\": 0, \"area\": true, \"points\": [1, 1, 2, 2, 3, 3]}"), SHW_ERROR_FORMAT,
         "pairs"},
        {PICTURE("{\"class\": 0, \"radius\": 1, \"area\": true, \"runs\": \"AAA\"}"), SHW_ERROR_FORMAT, "\"runs\""},
        {PICTURE("{\"class\": 0, \"radius\": 0, \"runs\": \"AAA\"}"), SHW_ERROR_FORMAT, "\"runs\""},
        {PICTURE("{\"class\": 0, \"radius\": 0, \"area\": true, \"runs\": \"\"}"), SHW_ERROR_FORMAT, "empty"},
        {PICTURE("{\"class\": 0, \"radius\": 0, \"area\": true, \"runs\": \"AAAA\"}"), SHW_ERROR_FORMAT, "cut off"},
        {PICTURE("{\"class\": 0, \"radius\": 0, \"area\": true, \"runs\": \"AAg\"}"), SHW_ERROR_FORMAT, "cut off"},
        {PICTURE("{\"class\": 0, \"radius\": 0, \"area\": true, \"runs\": \"AA.\"}"), SHW_ERROR_FORMAT, "another"},
        {PICTURE("{\"class\": 0, \"radius\": 0, \"area\": true, \"runs\": \"AA/////A\"}"), SHW_ERROR_FORMAT,
         "too large"},
        {PICTURE("{\"class\": 0, \"radius\": 0, \"area\": true, \"runs\": \"A///DB\"}"), SHW_ERROR_FORMAT, "131071"},
        {PICTURE("{\"class\": null, \"radius\": 1, \"points\": [1, 1]}, {\"class\": 0}"), SHW_ERROR_FORMAT,
         "stroke 1 of picture 0"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct testing_log memory;
        struct shw_log log = quiet(&memory);
        struct shw_project *project = NULL;

        assert_int_equal(shw_project_decode(cases[i].text, strlen(cases[i].text), "bad.json", &log, &project),
                         cases[i].result);
        assert_null(project);
        assert_int_equal(memory.errors, 1);
        assert_int_equal(memory.last_item, SHW_LOG_PROJECT);
        assert_non_null(strstr(memory.last, "bad.json"));
        if (strstr(memory.last, cases[i].reason) == NULL)
            fail_msg("\"%s\" does not tell of %s", memory.last, cases[i].reason);
    }
}

/* As many pictures as there may be, and one more. */
TESTING_CASE(too_many_pictures_are_refused)
{
    char *text = malloc(100u * (SHW_PROJECT_PICTURES_MAX + 2));

    assert_non_null(text);
    for (uint32_t more = 0; more < 2; more++) {
        struct testing_log memory;
        struct shw_log log = quiet(&memory);
        struct shw_project *project = NULL;
        int length = sprintf(text, "%s", HEAD CLASSES ", \"pictures\": [");

        for (uint32_t i = 0; i < SHW_PROJECT_PICTURES_MAX + more; i++)
            length += sprintf(text + length, "%s{\"name\": \"%u\", \"width\": 1, \"height\": 1, \"strokes\": []}",
                              i > 0 ? ", " : "", i);
        length += sprintf(text + length, "]}");
        assert_int_equal(shw_project_decode(text, (size_t)length, "many.json", &log, &project),
                         more == 0 ? SHW_OK : SHW_ERROR_LIMIT);
        assert_int_equal(memory.errors, more);
        shw_project_destroy(&project);
    }
    free(text);
}

TESTING_CASE(what_may_be_missing_may)
{
    static const char text[] = PICTURE("{\"class\": null, \"radius\": 0, \"points\": [-5, 9]}");
    struct testing_log memory;
    struct shw_log log = quiet(&memory);
    struct shw_project *project = NULL;

    assert_int_equal(shw_project_decode(text, sizeof text - 1, "good.json", &log, &project), SHW_OK);
    assert_int_equal(shw_project_get_picture_count(project), 1);
    assert_int_equal(shw_project_get_picture(project, 0).strokes[0].class_id, SHW_STROKE_ERASER);
    shw_project_destroy(&project);
}

static enum shw_result rename_first(struct shw_project *project, const char *name)
{
    const char *names[2] = {name, NULL};

    return shw_project_rename_pictures(project, names);
}

/* Strokes stay; a forest is not grown again unless the order of names has changed, in which pictures are trained on. */
TESTING_CASE(pictures_can_be_called_otherwise)
{
    struct testing_log memory;
    struct shw_log log = quiet(&memory);
    struct shw_project *project = testing_paint_project(24, 18, &log);
    uint64_t revision, hash;
    uint32_t picture;

    for (uint32_t c = 0; c < 3; c++)
        for (uint32_t p = 0; p < 2; p++)
            testing_paint_area(project, p, c, 30 + 20 * p);
    assert_true(shw_project_has_pixels(project, 0) == shw_project_has_pixels(project, 1));
    hash = testing_paint_train(project); /* reads the pixels, which stay under the new names */
    assert_true(shw_project_has_pixels(project, 0) && shw_project_has_pixels(project, 1));
    revision = shw_project_get_revision(project);
    assert_int_equal(rename_first(project, "c.png"), SHW_OK); /* was b.png, after a.png */
    assert_int_equal(rename_first(project, "c.png"), SHW_OK);
    assert_true(shw_project_get_revision(project) == revision);
    assert_true(testing_paint_train(project) == hash);
    assert_int_equal(shw_project_find_picture(project, "c.png", 24, 18, &picture), SHW_OK);
    assert_int_equal(picture, 0);
    assert_int_equal(rename_first(project, "a.png"), SHW_ERROR_ARGUMENT);
    assert_int_equal(rename_first(project, ""), SHW_ERROR_ARGUMENT);
    assert_int_equal(rename_first(project, "\xff.png"), SHW_ERROR_ARGUMENT);
    assert_string_equal(shw_project_get_picture(project, 0).name, "c.png");
    assert_int_equal(rename_first(project, "0.png"), SHW_OK);
    assert_true(shw_project_get_revision(project) > revision);
    testing_check_labels(project, 0);

    /* two change their names */
    revision = shw_project_get_revision(project);
    assert_int_equal(shw_project_rename_pictures(project, (const char *const[]){"a.png", "0.png"}), SHW_OK);
    assert_string_equal(shw_project_get_picture(project, 0).name, "a.png");
    assert_string_equal(shw_project_get_picture(project, 1).name, "0.png");
    assert_true(shw_project_get_revision(project) > revision);
    assert_int_equal(shw_project_find_picture(project, "0.png", 24, 18, &picture), SHW_OK);
    assert_int_equal(picture, 1);
    assert_int_equal(shw_project_rename_pictures(project, (const char *const[]){"b.png", "b.png"}), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_add_class(project, "\xff", (const uint8_t[3]){1, 2, 3}), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_find_picture(project, "\xff", 1, 1, &picture), SHW_ERROR_ARGUMENT);
    shw_project_destroy(&project);
}
