/* Objects of the shown picture: what is listed, saved, drawn and chosen is what the library finds in the labels. */
#include "seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_file.h"
#include "files/objects/objects.h"

static struct shw_forest *forest;
static struct shw_image_file picture;
static struct testing_labelling labels;

static int prepare(void **state)
{
    seen_open_files(state);
    assert_int_equal(shw_forest_load(seen_forest, NULL, &forest), SHW_OK);
    assert_int_equal(shw_image_file_read(seen_picture, NULL, NULL, &picture), SHW_OK);
    labels = testing_label(&(struct shw_labeller_params){.forest = forest,
                                                         .outputs = SHW_OUTPUT_ARGMAX | SHW_OUTPUT_DISTRIBUTION,
                                                         .channels = SHW_TECHNIQUE_CPU,
                                                         .integrate = SHW_TECHNIQUE_CPU,
                                                         .evaluate = SHW_TECHNIQUE_CPU},
                           &picture.image);
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    testing_labelling_free(&labels);
    shw_image_file_free(&picture);
    shw_forest_destroy(&forest);
    return 0;
}

static struct shw_objects find(const struct shw_object_settings *settings)
{
    const struct shw_object_picture given = {labels.out.argmax, labels.out.distribution, picture.image.width,
                                             picture.image.height, labels.classes};
    struct shw_objects found;

    assert_int_equal(shw_objects_find(&given, settings, NULL, &found), SHW_OK);
    assert_true(found.count > 0);
    return found;
}

/* Fails unless the text goes on with what `objects-list` prints; returns the rest. `only`: a class, or -1. */
static const char *assert_list(const char *text, const struct shw_objects *found, int only)
{
    const struct shw_class *classes = shw_forest_get_info(forest)->classes;
    uint64_t last = UINT64_MAX;
    char line[512];

    for (uint32_t c = 0; c < labels.classes; c++) {
        uint32_t count = 0;

        for (uint32_t n = 0; n < found->count; n++)
            count += found->list[n].label == c;
        if (only >= 0 && c != (uint32_t)only)
            continue;
        snprintf(line, sizeof line, "%s: %u\n", classes[c].name, count);
        assert_memory_equal(text, line, strlen(line));
        text += strlen(line);
    }
    for (uint32_t i = 0; i < found->count; i++) {
        uint32_t number = 0;
        const struct shw_object *object;

        assert_int_equal(sscanf(text, "object %u:", &number), 1);
        assert_in_range(number, 1, found->count);
        object = &found->list[number - 1];
        assert_true(object->area <= last);
        last = object->area;
        snprintf(line, sizeof line, "object %u: %s, %u px, box %u %u %u %u\n", number, classes[object->label].name,
                 object->area, object->x, object->y, object->width, object->height);
        assert_memory_equal(text, line, strlen(line));
        text += strlen(line);
    }
    return text;
}

TESTING_CASE(what_is_listed)
{
    uint16_t class = labels.out.argmax[0];
    bool chosen[5] = {false};
    const struct shw_object_settings settings[] = {
        {.area_min = 3},
        {.area_min = 2, .hole_max = SHW_OBJECT_HOLES_ALL, .smooth = 1, .four = true},
        {.area_min = 2, .hole_max = 4, .smooth = 1, .classes = chosen}};
    const char *text;

    chosen[class] = true;
    script("forest %s\nopen %s\nobjects on\nobjects-area 3\nobjects-list", seen_forest, seen_picture);
    script("objects-area 2\nobjects-holes all\nobjects-smooth 1\nobjects-corners off\nobjects-list");
    script("objects-corners on\nobjects-holes 4\nobjects-class #%u\nobjects off\nobjects-list\nquit", class);
    assert_int_equal(run_script(64, 64, NULL), 0);
    text = script_output();
    for (int i = 0; i < 3; i++) {
        struct shw_objects found = find(&settings[i]);

        text = assert_list(text, &found, i == 2 ? class : -1);
        shw_objects_free(&found);
    }
    assert_string_equal(text, "");
}

TESTING_CASE(what_is_saved)
{
    struct shw_objects found = find(&(struct shw_object_settings){.area_min = 2});
    struct shw_image_file image;
    char folder[512], path[1024];
    FILE *file;
    unsigned rows = 0;

    snprintf(folder, sizeof folder, "%s", testing_path("saved"));
    for (int turn = 0; turn < 2; turn++) { /* the second time over the table, which has no mark */
        const char *messages;

        script("forest %s\nopen %s\nobjects-area 2\nobjects-save %s\nquit", seen_forest, seen_picture, folder);
        assert_int_equal(run_script(64, 64, &messages), turn);
        assert_true(turn == 0 || strstr(messages, "picture_objects.csv exists") != NULL);
    }
    snprintf(path, sizeof path, "%s/picture_instances.png", folder);
    assert_int_equal(shw_image_file_read(path, NULL, NULL, &image), SHW_OK);
    for (uint32_t i = 0; i < found.width * found.height; i++)
        assert_int_equal(((const uint16_t *)image.image.pixels)[i], found.numbers[i]);
    shw_image_file_free(&image);
    snprintf(path, sizeof path, "%s/picture_objects.csv", folder);
    file = fopen(path, "r");
    while (fgets(path, sizeof path, file) != NULL)
        rows++;
    fclose(file);
    assert_int_equal(rows, found.count + 1);
    shw_objects_free(&found);
}

/* `export objects` writes what `shadewood label --objects` does, of all pictures, with the settings of the panel. */
TESTING_CASE(what_is_exported)
{
    char folder[FILE_PATH], out[FILE_PATH], other[FILE_PATH], command[12 * FILE_PATH];

    snprintf(folder, sizeof folder, "%s", testing_path("slides"));
    snprintf(out, sizeof out, "%s", testing_path("exported"));
    snprintf(other, sizeof other, "%s", testing_path("labelled"));
    snprintf(command, sizeof command,
             "mkdir '%s' && cp '%s' '%s/a.png' && cp '%s' '%s/b.png' && '%s' label -q -t cpu '%s' '%s' -o '%s' "
             "--no-labels --no-overlay --objects --objects-format csv,geojson,instances --objects-area 3 "
             "--objects-smooth 1 --objects-holes all --objects-classes %u",
             folder, seen_picture, folder, seen_picture, folder, getenv("SHADEWOOD_PROGRAM"), seen_forest, folder,
             other, labels.out.argmax[0]);
    assert_int_equal(system(command), 0);
    script("forest %s\nopen %s\nobjects-area 3\nobjects-smooth 1\nobjects-holes all\nobjects-class #%u", seen_forest,
           seen_picture, labels.out.argmax[0]);
    script("export-add %s\nexport-count objects %s\nexport objects %s", folder, out, out);
    script("export-existing missing\nexport objects %s\nquit", out);
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_non_null(strstr(script_output(), "6 files would be written, of which 0 exist"));
    assert_non_null(strstr(script_output(), "2 were there already"));
    snprintf(command, sizeof command, "diff -r -x .shadewood-export.jsonl '%s' '%s'", out, other);
    assert_int_equal(system(command), 0);
}

#define FOUND "panels on\npanel objects on\nobjects on\nobjects-area 0\nobjects-smooth 2\nobjects-list\n"
#define GONE  "\npanel objects off\nobjects off\nobject none"

TESTING_CASE(what_is_seen)
{
    seen_after(FOUND "zoom 4\nwait 2" AWAY);
    seen_after("objects off\nzoom 4\nwait 2" AWAY);
    seen_after(FOUND "zoom 4\nmouse move 320 300\nwait 2\nmouse press left\nmouse release left\nwait 2" AWAY);
    seen_after(FOUND
               "zoom 4\nmouse move 320 300\nwait 2\nmouse press left\nmouse release left\npixel-size 2 um\nwait 2" AWAY
               "\npixel-size none");
    seen_after("objects off" AWAY GONE "\nwait 2");
    seen_run();
    assert_true(seen_differences(0, 1, 280) > 100);
    assert_true(seen_differences(0, 2, 280) > 10); /* the chosen one is marked */
    assert_true(seen_differences(2, 3, 280) > 50); /* with its area */
    seen_same(FOUND "click Find objects\nwait 4" AWAY GONE, FOUND "objects off" AWAY GONE);
    seen_same(FOUND "click Corners connect\nwait 4\nobjects-list" AWAY "objects-corners on" GONE,
              FOUND "objects-corners off\nobjects-list" AWAY "objects-corners on" GONE);
    seen_assert_same();
}

TESTING_CASE(what_is_refused)
{
    static const char *const lines[] = {"objects-area -1",    "objects-holes some", "objects-smooth 65",
                                        "objects-class lake", "object 1",           "objects-corners maybe",
                                        "object-at 3",        "objects maybe"};
    const char *messages;

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        script("forest %s\nopen %s\n%s\nquit", seen_forest, seen_picture, lines[i]);
        assert_int_equal(run_script(64, 64, &messages), 1);
        assert_non_null(strstr(messages, "the script ends here"));
    }
    script("open %s\nobjects-list\nquit", seen_picture);
    assert_int_equal(run_script(64, 64, &messages), 1);
    assert_non_null(strstr(messages, "forest"));
}

TESTING_FIXTURE(prepare, clean_up)
