/* What the options of train-cascade change, each by what is seen of it afterwards. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_write.h"

#define SIDE    12u /* of objects */
#define OBJECTS 40
#define WIDTH   64u
#define HEIGHT  48u
#define X       30u /* of the object in the scene */
#define Y       20u

static struct testing_random dice = {3};

static uint8_t between(int32_t low, int32_t high)
{
    return (uint8_t)testing_random_range(&dice, low, high);
}

static void write_grey(const char *name, const uint8_t *grey, uint32_t width, uint32_t height)
{
    const struct shw_image image = {.pixels = grey, .width = width, .height = height, .format = SHW_PIXEL_GREY8};

    assert_int_equal(shw_png_write(place(name), &image, NULL), SHW_OK);
}

/* Blotches of two pixels a side. */
static void fill(uint8_t *grey, uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y += 2)
        for (uint32_t x = 0; x < width; x += 2) {
            uint8_t value = between(30, 150);
            for (uint32_t i = 0; i < 4; i++)
                grey[(y + i / 2) * width + x + i % 2] = (uint8_t)(value + between(0, 20));
        }
}

/* Bright on the left, dark on the right. */
static void draw_object(uint8_t *grey, uint32_t width, uint32_t x, uint32_t y)
{
    for (uint32_t j = 0; j < SIDE; j++)
        for (uint32_t i = 0; i < SIDE; i++)
            grey[(y + j) * width + x + i] = i < SIDE / 2 ? between(180, 220) : between(20, 60);
}

static int prepare(void **state)
{
    uint8_t grey[WIDTH * HEIGHT], mirrored[WIDTH * HEIGHT];
    char name[32];

    (void)state;
    assert_success(run("mkdir objects hard without photos"));
    for (int o = 0; o < OBJECTS; o++) {
        draw_object(grey, SIDE, 0, 0);
        snprintf(name, sizeof name, "objects/%02d.png", o);
        write_grey(name, grey, SIDE, SIDE);
        fill(grey, SIDE, SIDE);
        snprintf(name, sizeof name, "hard/%02d.png", o);
        write_grey(name, grey, SIDE, SIDE);
    }
    for (int i = 0; i < 2; i++) {
        fill(grey, WIDTH, HEIGHT);
        snprintf(name, sizeof name, "without/%d.png", i);
        write_grey(name, grey, WIDTH, HEIGHT);
    }
    draw_object(grey, WIDTH, X, Y);
    write_grey("scene.png", grey, WIDTH, HEIGHT);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        mirrored[i] = grey[i / WIDTH * WIDTH + WIDTH - 1 - i % WIDTH];
    write_grey("mirrored.png", mirrored, WIDTH, HEIGHT);
    return 0;
}

#define HOW                                                                                                            \
    "--candidates 40 --copies 2 --background-count 200 --calibration 25 -t cpu --threads 2 --target-pass 1000000 "     \
    "--target-recall 1 --json -q -o made.ktx2 --overwrite "
#define TRAIN "shadewood train-cascade --backgrounds without --window 12x12 --stages 4 " HOW

/* Trains made.ktx2; what is reported about it, to be released. */
static json_t *train(const char *line, const char *options)
{
    struct run result = run("%s %s", line, options);

    if (result.code != 0)
        fail_msg("%s: %s", options, result.err);
    return parse_json(result.out);
}

static json_int_t trained_number(const char *line, const char *options, const char *key)
{
    json_t *document = train(line, options);
    json_t *value = json_object_get(document, key);
    json_int_t number;

    if (value == NULL)
        value = json_object_get(json_object_get(document, "measured"), key);
    assert_non_null(value);
    number = json_integer_value(value);
    json_decref(document);
    return number;
}

static char *trained_hash(const char *line, const char *options)
{
    json_t *document = train(line, options);
    char *hash = strdup(json_string_value(json_object_get(document, "hash")));

    json_decref(document);
    return hash;
}

/* How many windows a detector with made.ktx2 looks at. */
static json_int_t count_windows(const char *options)
{
    struct run result = run("shadewood detect made.ktx2 scene.png -t cpu --no-pictures -q --json --raw -o seen "
                            "--overwrite --min-score any %s",
                            options);
    json_t *document, *images;
    json_int_t count;

    assert_success(result);
    document = parse_json(result.out);
    images = json_object_get(document, "images");
    count = json_integer_value(json_object_get(json_array_get(images, 0), "windows"));
    json_decref(document);
    assert_true(count > 0);
    return count;
}

/* The smallest window that was found. */
static void assert_smallest(const char *expected)
{
    assert_string_equal(run("cut -d, -f4 seen/windows.csv | tail -n +2 | sort -n | head -n 1").out, expected);
}

TESTING_CASE(levels_are_those_asked_for)
{
    json_int_t usual, few;

    json_decref(train(TRAIN, "--objects objects"));
    usual = count_windows("");
    assert_smallest("12\n");
    few = count_windows("--levels-per-octave 2");
    assert_true(few < usual / 2);
    json_decref(train(TRAIN, "--objects objects --levels 2"));
    assert_int_equal(count_windows(""), few);
    assert_int_equal(count_windows("--levels-per-octave 8"), usual);
}

/* Windows of 6 pixels that are means of 2 x 2 show as much as windows of 12. */
TESTING_CASE(shrinking_makes_windows_larger)
{
    static const char line[] =
        "shadewood train-cascade --objects objects --backgrounds without --window 6x6 --stages 2 " HOW;

    json_decref(train(line, ""));
    count_windows("");
    assert_smallest("6\n");
    json_decref(train(line, "--shrink 2"));
    count_windows("");
    assert_smallest("12\n");
}

/* What the pyramid is made of is in the file, and changes what is learned from it. */
TESTING_CASE(the_pyramid_is_made_as_asked_for)
{
    static const char *const options[] = {"--blur-before", "--no-octaves"}, *const keys[] = {"blur_before", "octaves"};
    char *usual = trained_hash(TRAIN, "--objects objects");

    for (int i = 0; i < 2; i++) {
        char line[64], *hash;
        json_t *document;
        snprintf(line, sizeof line, "--objects objects %s", options[i]);
        hash = trained_hash(TRAIN, line);
        assert_string_not_equal(hash, usual);
        document = parse_json(run("shadewood inspect made.ktx2 --json").out);
        assert_int_equal(json_is_true(json_object_get(json_object_get(document, "planes"), keys[i])), i == 0);
        json_decref(document);
        free(hash);
    }
    free(usual);
}

/* Leaves of gentle AdaBoost are means of -1 and 1, those of real AdaBoost halves of the logarithm of a ratio. */
TESTING_CASE(boosting_is_real_or_gentle)
{
    static const char *const names[] = {"real", "gentle"};

    for (int b = 0; b < 2; b++) {
        char options[64];
        double most = 0, value;
        json_t *document, *node;
        size_t n;
        snprintf(options, sizeof options, "--objects objects --boosting %s", names[b]);
        json_decref(train(TRAIN, options));
        document = parse_json(run("shadewood inspect made.ktx2 --tree 0 --json").out);
        json_array_foreach(json_object_get(document, "nodes"), n, node)
        {
            value = json_number_value(json_object_get(node, "value"));
            most = value > most ? value : most;
        }
        json_decref(document);
        assert_true(b == 0 ? most > 1.5 : most > 0.5 && most <= 1);
    }
}

/* Windows about the mirrored object in the mirrored scene. */
static json_int_t count_mirrored(void)
{
    assert_success(run("shadewood detect made.ktx2 mirrored.png -t cpu --no-pictures -q --raw -o seen --overwrite"));
    return strtol(run("awk -F, '$2 >= 20 && $2 <= 24 && $3 >= 18 && $3 <= 22 && $4 < 15' seen/windows.csv | wc -l").out,
                  NULL, 10);
}

TESTING_CASE(objects_are_mirrored_unless_told)
{
    json_decref(train(TRAIN, "--objects objects --copies 4"));
    assert_true(count_mirrored() > 0);
    json_decref(train(TRAIN, "--objects objects --copies 4 --no-mirror --stages 8"));
    assert_int_equal(count_mirrored(), 0);
}

/* Each image is mined in eight variants, or in one. */
TESTING_CASE(backgrounds_are_turned_unless_told)
{
    json_int_t all = trained_number(TRAIN, "--objects objects", "windows_scanned");

    assert_true(all > 0);
    assert_int_equal(trained_number(TRAIN, "--objects objects --no-turned", "windows_scanned") * 8, all);
}

/* A round ends sooner the more backgrounds may be left. */
TESTING_CASE(rounds_end_when_few_are_left)
{
    json_int_t soon = trained_number(TRAIN, "--objects hard --pass 90", "rounds"),
               late = trained_number(TRAIN, "--objects hard --pass 1", "rounds");

    if (soon <= late)
        fail_msg("%d rounds, and %d", (int)soon, (int)late);
}

/* Annotations that lie apart from their images, of two kinds of objects. */
static void write_annotations(void)
{
    uint8_t grey[WIDTH * HEIGHT];
    char name[32];
    FILE *file = fopen(place("boxes.csv"), "w");

    assert_non_null(file);
    for (int i = 0; i < 10; i++) {
        fill(grey, WIDTH, HEIGHT);
        for (uint32_t o = 0; o < 4; o++) {
            draw_object(grey, WIDTH, 2 + 15 * o, 4);
            fprintf(file, "%d.png,%u,4,12,12,thing\n", i, 2 + 15 * o);
        }
        fprintf(file, "%d.png,10,28,14,14,other\n", i);
        snprintf(name, sizeof name, "photos/%d.png", i);
        write_grey(name, grey, WIDTH, HEIGHT);
    }
    assert_int_equal(fclose(file), 0);
}

TESTING_CASE(annotated_images_have_their_options)
{
    static const char line[] = "shadewood train-cascade --annotations boxes.csv --window 12x12 --stages 3 " HOW;
    json_int_t both, alone;

    write_annotations();
    assert_one_line(run("%s", line), 1, "0.png", NULL);
    assert_int_equal(trained_number(line, "--images photos", "objects"), 50);
    assert_int_equal(trained_number(line, "--images photos --label thing", "objects"), 40);
    /* what surrounds the objects is mined, unless they are not all annotated */
    both = trained_number(line, "--images photos --backgrounds without", "windows_scanned");
    alone = trained_number(line, "--images photos --backgrounds without --only-objects", "windows_scanned");
    assert_int_equal(alone, trained_number(TRAIN, "--objects objects", "windows_scanned"));
    assert_true(both > alone);
    assert_one_line(run("%s --images photos --only-objects", line), 1, "the images without objects have 0 windows",
                    NULL);
}

TESTING_CASE(devices_are_chosen)
{
    static const char line[] = "shadewood train-cascade --objects objects --backgrounds without --window 12x12 "
                               "--stages 2 --candidates 8 --copies 1 --background-count 60 --target-pass 1000000 "
                               "--target-recall 1 --json -o made.ktx2 --overwrite ";
    char *expected, *got;

    assert_one_line(run("%s -q -t compute --device 200", line), 3, "", NULL);
    need_device();
    expected = trained_hash(line, "-t cpu");
    got = trained_hash(line, "-t compute --device 0 --memory 1K"); /* all patches are on the host */
    assert_string_equal(got, expected);
    free(got);
    assert_null(strstr(run("%s -t compute", line).err, "shadewood: device "));
    assert_non_null(strstr(run("%s -t compute --verbose", line).err, "shadewood: device "));
    free(expected);
}

/* After every stage, not after minutes: a training that is killed leaves one. It would take long. */
TESTING_CASE(checkpoints_are_written_as_often_as_asked_for)
{
    assert_success(run("\"$SHADEWOOD_PROGRAM\" train-cascade --backgrounds without --window 12x12 --objects hard " HOW
                       "--stages 40000 --checkpoint part --checkpoint-every 0 >said 2>&1 & child=$!; "
                       "until test -s part || ! kill -0 $child; do sleep 0.02; done; kill -KILL $child; wait $child; "
                       "test -s part"));
}

TESTING_FIXTURE(prepare, NULL)
