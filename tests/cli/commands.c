/* Every command's ordinary use. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_write.h"
#include "program.h"
#include "testing/random_forest.h"

#define DATA  "--data data --images '{}.png' --labels '{}_L.png'"
#define QUICK "--trees 2 --depth 4 --candidates 30 --pixels 200 --offset 10 --size 9"

static int prepare(void **state)
{
    (void)state;
    make_data("data", 6);
    assert_success(run("shadewood train " DATA " " QUICK " -o forest.ktx2"));
    return 0;
}

static json_t *member(json_t *document, const char *key)
{
    json_t *value = json_object_get(document, key);

    if (value == NULL)
        fail_msg("the JSON document lacks %s", key);
    return value;
}

TESTING_CASE(test_train_tells_what_it_made)
{
    struct run result = run("shadewood train " DATA " " QUICK " --threads 1 -o again.ktx2 --json");
    json_t *document;
    size_t sizes[2];
    char *files[2] = {file_bytes("forest.ktx2", &sizes[0]), file_bytes("again.ktx2", &sizes[1])};

    assert_success(result);
    document = parse_json(result.out);
    assert_int_equal(json_integer_value(member(document, "trees")), 2);
    assert_int_equal(json_integer_value(member(document, "classes")), 3);
    assert_int_equal(json_integer_value(member(document, "images")), 6);
    assert_string_equal(json_string_value(member(document, "forest")), "again.ktx2");
    assert_int_equal(json_integer_value(member(document, "nodes")),
                     2 * json_integer_value(member(document, "leaves")) - 2);
    json_decref(document);
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(files[0], files[1], sizes[0]);
    free(files[0]);
    free(files[1]);
}

TESTING_CASE(test_evaluate_measures)
{
    struct run result = run("shadewood evaluate --technique cpu " DATA " forest.ktx2 --json");
    json_t *document, *matrix, *row;
    json_int_t pixels = 0;
    size_t r, c;

    assert_success(result);
    document = parse_json(result.out);
    assert_true(json_real_value(member(document, "pixel_accuracy")) > 0.9);
    assert_true(json_real_value(member(document, "mean_class_accuracy")) > 0.9);
    assert_true(json_real_value(member(document, "mean_iou")) > 0.8);
    assert_int_equal(json_integer_value(member(document, "pixels")), 6 * 48 * 40);
    matrix = member(document, "confusion");
    assert_int_equal(json_array_size(matrix), 3);
    json_array_foreach(matrix, r, row) for (c = 0; c < 3; c++) pixels += json_integer_value(json_array_get(row, c));
    assert_int_equal(pixels, 6 * 48 * 40);
    json_decref(document);

    result = run("shadewood evaluate --technique cpu " DATA " forest.ktx2 --counts --overlays overlays");
    assert_success(result);
    assert_non_null(strstr(result.out, "confusion matrix"));
    assert_non_null(strstr(result.out, "mean IoU"));
    assert_int_equal(entry_count("overlays"), 6);
}

TESTING_CASE(test_every_technique_measures_the_same)
{
    static const char *const techniques[] = {"--technique fragment", "--technique compute",
                                             "--technique fragment --evaluate-technique cpu",
                                             "--technique auto --channels-technique cpu"};
    json_t *expected;

    if (run("shadewood devices").code != 0)
        testing_skip("no Vulkan device");
    expected = parse_json(run("shadewood evaluate --technique cpu " DATA " forest.ktx2 --json").out);
    for (size_t i = 0; i < sizeof techniques / sizeof *techniques; i++) {
        struct run result = run("shadewood evaluate %s " DATA " forest.ktx2 --json", techniques[i]);
        json_t *document;
        assert_success(result);
        document = parse_json(result.out);
        assert_true(json_equal(member(document, "confusion"), member(expected, "confusion")));
        json_decref(document);
    }
    json_decref(expected);
}

TESTING_CASE(test_label_writes_all_kinds)
{
    size_t size;
    char *bytes;

    assert_success(
        run("shadewood label -t cpu forest.ktx2 data/00.png data/01.png -o labelled --leaves --probabilities npy"));
    assert_int_equal(entry_count("labelled"), 9);
    assert_true(exists("labelled/00_labels.png") && exists("labelled/01_overlay.png"));
    bytes = file_bytes("labelled/00_probabilities.npy", &size);
    assert_int_equal(size, 128 + 3 * 48 * 40 * 2);
    assert_non_null(strstr(bytes + 10, "'shape': (3, 40, 48)"));
    for (size_t i = 0; i < 48 * 40; i++) {
        uint16_t planes[3];
        for (size_t c = 0; c < 3; c++)
            memcpy(&planes[c], bytes + 128 + 2 * (c * 48 * 40 + i), 2);
        assert_in_range(planes[0] + planes[1] + planes[2], 65535 - 2, 65535 + 2);
    }
    free(bytes);
    bytes = file_bytes("labelled/01_leaves.npy", &size);
    assert_int_equal(size, 128 + 2 * 48 * 40 * 4);
    free(bytes);

    assert_success(run("shadewood label -t cpu forest.ktx2 data/00.png -o stack -p png --no-labels --no-overlay"));
    assert_int_equal(entry_count("stack"), 4);
    assert_success(run("shadewood label -t cpu forest.ktx2 data/00.png -o pages -p tiff --no-labels --no-overlay"));
    assert_int_equal(entry_count("pages"), 2);
    assert_success(run("shadewood label -t cpu forest.ktx2 data/00.png -o masks --masks --no-overlay"));
    assert_int_equal(entry_count("masks"), 5);
}

TESTING_CASE(test_tiles_change_nothing)
{
    static const char *const files[] = {"00_probabilities.npy", "00_leaves.npy", "00_labels.png", "00_overlay.png"};

    assert_success(run("shadewood label -t cpu forest.ktx2 data/00.png -o whole --leaves -p npy"));
    assert_success(run("shadewood label -t cpu forest.ktx2 data/00.png -o tiled --leaves -p npy --max-tile 45x44"));
    for (size_t i = 0; i < 4; i++)
        assert_success(run("cmp whole/%s tiled/%s", files[i], files[i]));
}

TESTING_CASE(test_a_folder_stands_for_its_images)
{
    struct run result;

    assert_success(
        run("mkdir pictures && cp data/00.png data/01.png pictures && touch pictures/.hidden.png pictures/notes.txt"));
    for (int i = 0; i < 2; i++) { /* the second time, the results of the first are beside the images */
        result = run("shadewood label -t cpu forest.ktx2 pictures -o pictures -p tiff --json");
        assert_success(result);
        json_t *document = parse_json(result.out);
        assert_int_equal(json_array_size(member(document, "images")), 2);
        json_decref(document);
    }
    assert_int_equal(entry_count("pictures"), 2 + 2 + 6 + 1);
}

/* A 12-bit grey camera's images in 16-bit files: a dark half and a bright one. */
static void make_camera_data(void)
{
    static const uint8_t colours[2][3] = {{10, 20, 30}, {200, 210, 220}};
    uint16_t pixels[32 * 24];
    uint8_t labels[32 * 24];
    struct shw_image image = {.pixels = pixels, .width = 32, .height = 24, .format = SHW_PIXEL_GREY16};
    struct testing_random random = {3};

    for (uint32_t i = 0; i < 32 * 24; i++) {
        labels[i] = i % 32 >= 16;
        pixels[i] =
            (uint16_t)(labels[i] ? 3000 + testing_random_below(&random, 1000) : testing_random_below(&random, 1000));
    }
    assert_success(run("mkdir camera"));
    assert_int_equal(shw_png_write(testing_path("work/camera/a.png"), &image, NULL), SHW_OK);
    assert_int_equal(shw_png_write_indexed(testing_path("work/camera/a_L.png"), labels, 32, 24, colours, 2, NULL),
                     SHW_OK);
}

TESTING_CASE(test_the_intensity_range_is_kept_in_the_forest)
{
    json_t *document;

    make_camera_data();
    assert_success(
        run("shadewood train -d camera --images '{}.png' --labels '{}_L.png' " QUICK " --range 0:4095 -o camera.ktx2"));
    document = parse_json(run("shadewood inspect camera.ktx2 --json").out);
    assert_int_equal(json_integer_value(json_array_get(member(member(document, "training"), "intensity_range"), 1)),
                     4095);
    json_decref(document);
    assert_success(run("shadewood label -t cpu camera.ktx2 camera/a.png -o kept --leaves -q"));
    assert_success(run("shadewood label -t cpu camera.ktx2 camera/a.png -o told --leaves -q --range 0:4095"));
    assert_success(run("shadewood label -t cpu camera.ktx2 camera/a.png -o other --leaves -q --range 0:65535"));
    assert_success(run("cmp kept/a_leaves.npy told/a_leaves.npy && ! cmp -s kept/a_leaves.npy other/a_leaves.npy"));
    document = parse_json(
        run("shadewood evaluate -t cpu -d camera --images '{}.png' --labels '{}_L.png' camera.ktx2 --json").out);
    assert_true(json_real_value(member(document, "pixel_accuracy")) > 0.95);
    json_decref(document);
}

/* Follows the tests by the nodes that `inspect` prints; ends where `label --leaves` does. */
TESTING_CASE(test_explain_agrees_with_the_other_commands)
{
    json_t *document = parse_json(run("shadewood explain forest.ktx2 data/00.png 20 11 --json").out);
    json_t *tree, *test;
    struct run result;
    size_t t, i, size;
    char *bytes;

    assert_success(run("shadewood label -t cpu forest.ktx2 data/00.png -o explained --leaves --probabilities npy"));
    bytes = file_bytes("explained/00_leaves.npy", &size);
    assert_int_equal(json_array_size(member(document, "trees")), 2);
    json_array_foreach(member(document, "trees"), t, tree)
    {
        json_t *whole = parse_json(run("shadewood inspect forest.ktx2 --tree %zu --json", t).out),
               *nodes = member(whole, "nodes");
        json_int_t node = 0;
        uint32_t leaf;
        memcpy(&leaf, bytes + 128 + 4 * (t * 48 * 40 + 11 * 48 + 20), sizeof leaf);
        json_array_foreach(member(tree, "tests"), i, test)
        {
            json_t *split = json_array_get(nodes, (size_t)node);
            json_int_t response = json_integer_value(member(test, "response"));
            bool right = json_integer_value(member(split, "t0")) <= response &&
                         response < json_integer_value(member(split, "t1"));
            assert_int_equal(json_integer_value(member(test, "node")), node);
            assert_int_equal(json_is_true(member(test, "right")), right);
            node = json_integer_value(member(split, right ? "right" : "left"));
            assert_int_equal(json_integer_value(member(test, "next")), node);
        }
        assert_int_equal(json_integer_value(member(tree, "leaf")), leaf);
        assert_int_equal(json_integer_value(member(tree, "node")), node);
        assert_true(
            json_equal(member(tree, "distribution"), member(json_array_get(nodes, (size_t)node), "distribution")));
        json_decref(whole);
    }
    free(bytes);
    bytes = file_bytes("explained/00_probabilities.npy", &size);
    for (size_t c = 0; c < 3; c++) {
        uint16_t probability;
        memcpy(&probability, bytes + 128 + 2 * (c * 48 * 40 + 11 * 48 + 20), sizeof probability);
        assert_int_equal(json_integer_value(json_array_get(member(document, "distribution"), c)), probability);
    }
    free(bytes);
    json_decref(document);
    result = run("shadewood explain forest.ktx2 data/00.png 20 11");
    assert_success(result);
    assert_non_null(strstr(result.out, "data/00.png, pixel 20 11: "));
    assert_non_null(strstr(result.out, "\ntree 1\n     0  "));
}

TESTING_CASE(test_inspect_shows)
{
    struct run result = run("shadewood inspect forest.ktx2 --json");
    json_t *document, *depths, *value;
    json_int_t leaves = 0;
    size_t i;

    assert_success(result);
    document = parse_json(result.out);
    depths = member(document, "leaves_by_depth");
    json_array_foreach(depths, i, value) leaves += json_integer_value(value);
    assert_int_equal(leaves, json_integer_value(member(document, "leaves")));
    assert_int_equal(json_integer_value(json_object_get(member(document, "training"), "trees")), 2);
    json_decref(document);

    assert_success(run("shadewood inspect forest.ktx2"));
    result = run("shadewood inspect forest.ktx2 --tree 1");
    assert_success(result);
    assert_non_null(strstr(result.out, "leaf 0"));
    document = parse_json(run("shadewood inspect forest.ktx2 --tree 1 --json").out);
    json_array_foreach(member(document, "nodes"), i, value) if (json_object_get(value, "leaf") != NULL)
    {
        json_int_t sum = 0;
        for (size_t c = 0; c < 3; c++)
            sum += json_integer_value(json_array_get(member(value, "distribution"), c));
        assert_int_equal(sum, 65535);
    }
    json_decref(document);
    assert_success(run("shadewood inspect forest.ktx2 --texture texture.png"));
    assert_true(exists("texture.png"));
}

/* What files and command lines hold is shown, not obeyed by a terminal. */
TESTING_CASE(test_escape_sequences_are_not_printed)
{
    const struct random_forest_params params = {.seed = 1};
    struct shw_tree *trees = random_trees(&params);
    struct shw_forest_params create = {
        .info = {.class_count = 2,
                 .tree_count = 1,
                 .training = "{\"key\\u001b[31m\\u009b31m\": \"value\\u001b[31m\\u009b31m\\u007f\"}"},
        .trees = trees};
    struct shw_forest *forest = NULL;
    struct run result;

    skip_on_windows("names of files have no control characters");
    assert_int_equal(shw_forest_create(&create, &forest), SHW_OK);
    assert_int_equal(shw_forest_save(forest, testing_path("work/odd\x1b\xc2\x9b.ktx2"), NULL), SHW_OK);
    for (int i = 0; i < 2; i++) {
        result = run(i == 0 ? "shadewood inspect odd*.ktx2" : "shadewood label -t cpu odd*.ktx2 odd*.ktx2");
        if (result.code != i)
            fail_msg("exit status %d: %s", result.code, result.err);
        assert_non_null(strstr(i == 0 ? result.out : result.err, "odd???.ktx2"));
        for (const char *at = i == 0 ? result.out : result.err; *at != '\0'; at++)
            if (*at == 0x1b || *at == 0x7f || (uint8_t)*at == 0x9b)
                fail_msg("a control character before: %s", at + 1);
    }
    shw_forest_destroy(&forest);
    random_trees_free(trees, 1);
}

TESTING_CASE(test_devices_tell_what_they_can)
{
    struct run result = run("shadewood devices --json");
    json_t *document, *device;
    size_t i;

    if (result.code != 0)
        testing_skip("no Vulkan device");
    document = parse_json(result.out);
    json_array_foreach(member(document, "devices"), i, device)
        assert_true(json_is_boolean(member(device, "has_graphics")));
    json_decref(document);
}

TESTING_CASE(test_devices_as_json)
{
    struct run result = run("shadewood devices --json");
    json_t *document;

    if (result.code != 0)
        testing_skip("no Vulkan device");
    document = parse_json(result.out);
    assert_true(json_array_size(member(document, "devices")) > 0);
    json_decref(document);
}

TESTING_CASE(test_without_a_device_auto_is_the_cpu)
{
    assert_success(run_blind("shadewood label forest.ktx2 data/00.png -o blind -q"));
    assert_true(exists("blind/00_labels.png"));
}

TESTING_CASE(test_quiet_says_nothing)
{
    assert_string_equal(run("shadewood train " DATA " " QUICK " -o quiet.ktx2 -q").err, "");
    assert_string_equal(run("shadewood label -t cpu forest.ktx2 data/00.png data/01.png -o quiet -q").err, "");
}

TESTING_CASE(test_progress_is_lines_in_a_pipe)
{
    struct run result = run("shadewood train " DATA " " QUICK " -o progress.ktx2");

    assert_non_null(strstr(result.err, "100 %"));
    assert_null(strchr(result.err, '\r'));
    assert_null(strchr(result.err, '\033'));
}

TESTING_CASE(test_progress_is_a_changing_line_on_a_terminal)
{
    struct run result;

    skip_on_windows("a terminal is a window of its own");
    if (run("python3 -c 'import pty; pty.openpty()'").code != 0)
        testing_skip("there are no pseudo-terminals (/dev/pts)");
    result = run("python3 -c 'import pty, sys; sys.exit(pty.spawn([\"sh\", \"-c\", sys.argv[1]]) >> 8)' "
                 "\"$SHADEWOOD_PROGRAM train " DATA " " QUICK " -o progress.ktx2\"");
    assert_success(result);
    assert_non_null(strstr(result.out, "\r100 %"));
    assert_non_null(strstr(result.out, "\r\033[K"));
    for (const char *line = strchr(result.out, '\r'); line != NULL; line = strchr(line + 1, '\r'))
        assert_true(strcspn(line + 1, "\r\033\n") < 80);
}

TESTING_CASE(test_help_and_version)
{
    static const char *const commands[] = {"devices",  "synth",   "train",   "label",
                                           "evaluate", "explain", "inspect", "depth"};
    struct run result = run("shadewood --version");
    char expected[64];

    snprintf(expected, sizeof expected, "shadewood %d.%d.%d\n", SHW_VERSION_MAJOR, SHW_VERSION_MINOR,
             SHW_VERSION_PATCH);
    assert_string_equal(result.out, expected);
    result = run("shadewood --help");
    assert_success(result);
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        assert_non_null(strstr(result.out, commands[i]));
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        result = run("shadewood %s --help", commands[i]);
        assert_success(result);
        snprintf(expected, sizeof expected, "usage: shadewood %s ", commands[i]);
        assert_int_equal(strncmp(result.out, expected, strlen(expected)), 0);
        assert_non_null(strstr(result.out, "\nexamples:\n"));
        assert_string_equal(run("shadewood help %s >help; shadewood %s -h | cmp - help", commands[i], commands[i]).err,
                            "");
    }
}

TESTING_FIXTURE(prepare, NULL)
