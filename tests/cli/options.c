/* Options that no other test needs: what each of them changes. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect_spots.h"
#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "testing/image_encode.h"

#define FAILURE   1
#define NO_DEVICE 3
#define DATA      "--data data --images '{}.png' --labels '{}_L.png'"

static int prepare(void **state)
{
    make_data("data", 2);
    assert_success(run("shadewood train " DATA
                       " -o forest.ktx2 -t cpu --trees 2 --depth 4 --candidates 20 --pixels 200 "
                       "--offset 5 --size 5 -q"));
    return prepare_spots(state);
}

static bool has_device(void)
{
    return run("shadewood devices").code == 0;
}

/* Pixels of `colour` in the label images of a folder of scenes. */
static unsigned count_colour(const char *folder, const uint8_t colour[3])
{
    unsigned count = 0;

    for (int i = 0; i < 3; i++) {
        struct shw_label_file labels;
        char name[64];
        snprintf(name, sizeof name, "%s/%05d_ground_truth.png", folder, i);
        assert_int_equal(shw_label_file_read(place(name), SHW_LABELS_COLOUR, NULL, &labels), SHW_OK);
        for (int p = 0; p < 40 * 30; p++)
            count += memcmp(labels.colours + 3 * p, colour, 3) == 0;
        shw_label_file_free(&labels);
    }
    return count;
}

/* The last options of long lists, too. */
TESTING_CASE(the_last_options_are_known)
{
    static const char *const commands[] = {"synth",   "train", "tune",   "merge",         "label",         "evaluate",
                                           "explain", "bench", "detect", "train-cascade", "train-records", "records"};

    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
        assert_success(run_blind("shadewood %s -v --help", commands[c]));
}

TESTING_CASE(scenes_may_be_without_the_person)
{
    static const uint8_t torso[3] = {0, 158, 115}, wall[3] = {200, 200, 190};

    assert_success(run("shadewood synth -o people --size 40x30 --count 3 -q && "
                       "shadewood synth -o rooms --size 40x30 --count 3 -q --empty"));
    assert_true(count_colour("people", torso) > 0 && count_colour("people", wall) > 0);
    assert_int_equal(count_colour("rooms", torso), 0);
    assert_true(count_colour("rooms", wall) > count_colour("people", wall));
}

/* A stage is computed where it should be, with the same labels. */
TESTING_CASE(stages_have_their_technique)
{
    assert_one_line(run_blind("shadewood label forest.ktx2 data/00.png -t cpu --integrate-technique compute -o none"),
                    NO_DEVICE, "cpu", NULL);
    assert_one_line(run_blind("shadewood evaluate forest.ktx2 " DATA " -t cpu --integrate-technique compute"),
                    NO_DEVICE, "cpu", NULL);
    assert_one_line(run("shadewood evaluate forest.ktx2 " DATA " -t compute --device 200"), NO_DEVICE, "", NULL);
    if (!has_device())
        testing_skip("no Vulkan device");
    assert_null(strstr(run("shadewood label forest.ktx2 data/00.png -t cpu -o host -v --leaves").err, ": device "));
    assert_non_null(strstr(run("shadewood label forest.ktx2 data/00.png -t cpu --integrate-technique compute -o device "
                               "-v --leaves --device 0")
                               .err,
                           ": device "));
    assert_success(run("cmp host/00_leaves.npy device/00_leaves.npy"));
    assert_success(
        run("shadewood evaluate forest.ktx2 " DATA " -q --json -t cpu --threads 1 | grep -v seconds >host.txt && "
            "shadewood evaluate forest.ktx2 " DATA " -q --json -t cpu --integrate-technique fragment --device "
            "0 --threads 2 | grep -v seconds >device.txt && cmp host.txt device.txt"));
}

/* The overlay is the picture, or the colours of its classes. */
TESTING_CASE(overlays_are_as_opaque_as_told)
{
    struct shw_image_file picture, overlay;
    struct shw_label_file labels;

    assert_int_equal(shw_image_file_read(place("data/00.png"), NULL, NULL, &picture), SHW_OK);
    for (int percent = 0; percent <= 100; percent += 100) {
        assert_success(
            run("shadewood evaluate forest.ktx2 " DATA " -t cpu -q --overlays over%d --opacity %d", percent, percent));
        assert_success(run("ls over%d | head -n 1 | xargs -I@ cp over%d/@ overlay.png", percent, percent));
        assert_int_equal(shw_image_file_read(place("overlay.png"), NULL, NULL, &overlay), SHW_OK);
        assert_int_equal(overlay.image.width * overlay.image.height, picture.image.width * picture.image.height);
        if (percent == 0)
            assert_memory_equal(overlay.image.pixels, picture.image.pixels,
                                (size_t)3 * picture.image.width * picture.image.height);
        shw_image_file_free(&overlay);
    }
    assert_int_equal(shw_label_file_read(place("overlay.png"), SHW_LABELS_COLOUR, NULL, &labels), SHW_OK);
    for (uint32_t p = 0; p < picture.image.width * picture.image.height; p++) {
        const uint8_t *colour = labels.colours + 3 * (size_t)p;
        assert_true((colour[0] == 200) + (colour[1] == 200) + (colour[2] == 200) == 1);
        assert_true((colour[0] == 60) + (colour[1] == 60) + (colour[2] == 60) == 2);
    }
    shw_label_file_free(&labels);
    shw_image_file_free(&picture);
}

static unsigned count_spots(const char *picture, const char *options)
{
    assert_success(
        run("shadewood detect spot.ktx2 %s " SPOTS "--no-pictures -q -o found --overwrite %s", picture, options));
    return (unsigned)strtoul(run("tail -n +2 found/detections.csv | wc -l").out, NULL, 10);
}

/* Nine windows see the spot, a pixel apart. */
TESTING_CASE(windows_of_a_group_may_differ_by_epsilon)
{
    assert_int_equal(count_spots("images/b.png", "--group mean --min-neighbours 1 --epsilon 0.2"), 1);
    assert_int_equal(count_spots("images/b.png", "--group mean --min-neighbours 1 --epsilon 0.01"), 9);
}

static void write_spot(const char *name, uint16_t dark, uint16_t bright, unsigned bits, int channel)
{
    uint16_t values[WIDTH * HEIGHT * 3];
    const struct testing_picture picture = {
        .width = WIDTH, .height = HEIGHT, .bits = bits, .samples = 3, .values = values};

    for (int i = 0; i < WIDTH * HEIGHT * 3; i++) {
        int x = i / 3 % WIDTH, y = i / 3 / WIDTH;
        bool is_spot = x >= 40 && x < 46 && y >= 20 && y < 26 && (channel < 0 || channel == i % 3);
        values[i] = is_spot ? bright : dark;
    }
    testing_write_file(place(name), testing_encode_png(&picture));
}

/* Pictures of cameras with 12 bits are dark in 16, and a spot of blue light is dark in grey. */
TESTING_CASE(pictures_to_search_are_read_as_told)
{
    write_spot("twelve.png", 20 * 16, 220 * 16, 16, -1);
    assert_int_equal(count_spots("twelve.png", ""), 0);
    assert_int_equal(count_spots("twelve.png", "--range 0:4095"), 1);
    write_spot("blue.png", 20, 220, 8, 2);
    assert_int_equal(count_spots("blue.png", ""), 0);
    assert_int_equal(count_spots("blue.png", "--image-channels 3"), 1);
    assert_int_equal(count_spots("blue.png", "--image-channels 2"), 0);
    assert_one_line(run("shadewood detect spot.ktx2 blue.png -o none --page 2"), FAILURE, "blue.png", "page 2", NULL);
    assert_int_equal(count_spots("blue.png", "--image-channels 3 --page 1"), 1);
    assert_one_line(run("shadewood detect spot.ktx2 blue.png -o none -t compute --device 200"), NO_DEVICE, "", NULL);
    if (has_device())
        assert_int_equal(count_spots("images/b.png", "--technique compute --device 0"), 1);
}

/* A spot of 12 bits and of one channel is explained as it is labelled. */
TESTING_CASE(pictures_to_explain_are_read_as_told)
{
    static const char line[] = "shadewood explain forest.ktx2 data/00.png 20 11 --json";
    char *plain, *other;

    plain = strdup(run("%s | grep -v seconds", line).out);
    assert_string_not_equal(run("%s --image-channels 3,2,1 | grep -v seconds", line).out, plain);
    assert_string_equal(run("%s --image-channels 1,2,3 | grep -v seconds", line).out, plain);
    write_spot("twelve.png", 20 * 16, 220 * 16, 16, -1);
    write_spot("eight.png", 20, 220, 8, -1);
    other = strdup(run("shadewood explain forest.ktx2 eight.png 42 22 | grep -v eight").out);
    assert_string_not_equal(run("shadewood explain forest.ktx2 twelve.png 42 22 | grep -v twelve").out, other);
    assert_string_equal(run("shadewood explain forest.ktx2 twelve.png 42 22 --range 0:4080 | grep -v twelve").out,
                        other);
    free(other);
    free(plain);
}

static json_int_t imported_number(const char *options, const char *key)
{
    struct run result = run("shadewood import -o imported.ktx2 --overwrite -q --json %s", options);
    json_t *document, *value;
    json_int_t number;

    assert_success(result);
    document = parse_json(result.out);
    value = json_object_get(document, key);
    if (value == NULL)
        fail_msg("no %s in %s", key, result.out);
    number = json_integer_value(value);
    json_decref(document);
    return number;
}

/* Three of four leaves of the tree have one label. */
TESTING_CASE(tests_that_change_nothing_may_be_kept)
{
    static const char text[] = "2\n1 1 2 2 5\n3 3 4 4 6\n5 5 6 6 7\n3\n3\n3\n4\n";

    make_file("tree.txt", text, sizeof text - 1);
    assert_int_equal(imported_number("--from kinect tree.txt", "nodes"), 5);
    assert_int_equal(imported_number("--from kinect tree.txt --whole", "nodes"), 7);
}

/* CURFIL's programs read the depth of different pixels; a bias takes from the smaller share of a leaf. */
TESTING_CASE(curfils_settings_are_told)
{
    static const char text[] =
        "{\"accelerationMode\": \"gpu\", \"classLabelPriorDistribution\": {\"0\": 1, \"1\": 1}, \"tree\": "
        "{\"histogram\": {\"1,2,3 (0)\": 10, \"4,5,6 (1)\": 6}, \"split\": {\"threshold\": 1, \"feature\": {\"type\": "
        "\"depth\", \"offset1\": [1, 2], \"region1\": [1, 1], \"offset2\": [3, 4], \"region2\": [1, 1]}}, \"left\": "
        "{\"histogram\": {\"1,2,3 (0)\": 3, \"4,5,6 (1)\": 1}}, \"right\": {\"histogram\": {\"1,2,3 (0)\": 7, \"4,5,6 "
        "(1)\": 5}}}}";
    char *as_trained, *gpu, *cpu, *biased;

    make_file("tree.json", text, sizeof text - 1);
#define HASH(options)                                                                                                  \
    (assert_success(run("shadewood import --from curfil tree.json -o imported.ktx2 --overwrite -q " options)),         \
     strdup(run("shadewood inspect imported.ktx2 | grep hash").out))
    as_trained = HASH("");
    gpu = HASH("--prediction gpu");
    cpu = HASH("--prediction cpu");
    biased = HASH("--bias 20");
    assert_string_equal(as_trained, gpu);
    assert_string_not_equal(gpu, cpu);
    assert_string_not_equal(gpu, biased);
    free(as_trained);
    free(gpu);
    free(cpu);
    free(biased);
}

/* The picture to detect in is searched at its own size. */
TESTING_CASE(the_bench_detects_in_a_picture)
{
    assert_success(run_blind("shadewood bench detect --runs 3 -q --technique cpu --cascade spot.ktx2 "
                             "--image images/b.png --json bench.json"));
    assert_success(run("grep -q 96x64 bench.json"));
}

TESTING_FIXTURE(prepare, NULL)
