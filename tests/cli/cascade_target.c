/* Training that tells what a cascade is worth: its least score, and the exit status where the target is missed. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_write.h"
#include "testing/cascades.h"
#include "testing/testing.h"

#define SIDE    12u /* of objects */
#define OBJECTS 60
#define WIDTH   96u
#define HEIGHT  64u

static uint32_t noise_state;

/* Not even, but the same on every machine. */
static uint32_t noise(uint32_t below)
{
    noise_state = noise_state * 1664525u + 1013904223u;
    return (noise_state >> 8) % below;
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
            uint8_t value = (uint8_t)(30 + noise(120));
            for (uint32_t i = 0; i < 4; i++)
                grey[(y + i / 2) * width + x + i % 2] = (uint8_t)(value + noise(20));
        }
}

/* A bright ring with a dark middle. */
static void draw_ring(uint8_t *grey, uint32_t width, uint32_t x, uint32_t y)
{
    for (uint32_t j = 0; j < SIDE; j++)
        for (uint32_t i = 0; i < SIDE; i++) {
            bool inside = i >= 4 && i < 8 && j >= 4 && j < 8;
            grey[(y + j) * width + x + i] = (uint8_t)((inside ? 10 : 210) + noise(40));
        }
}

static int prepare(void **state)
{
    uint8_t grey[WIDTH * HEIGHT];
    char name[32];

    (void)state;
    assert_success(run("mkdir rings blotches without"));
    for (int o = 0; o < OBJECTS; o++) {
        draw_ring(grey, SIDE, 0, 0);
        snprintf(name, sizeof name, "rings/%02d.png", o);
        write_grey(name, grey, SIDE, SIDE);
        fill(grey, SIDE, SIDE);
        snprintf(name, sizeof name, "blotches/%02d.png", o);
        write_grey(name, grey, SIDE, SIDE);
    }
    for (int i = 0; i < 3; i++) {
        fill(grey, WIDTH, HEIGHT);
        snprintf(name, sizeof name, "without/%d.png", i);
        write_grey(name, grey, WIDTH, HEIGHT);
    }
    draw_ring(grey, WIDTH, 20, 30);
    write_grey("scene.png", grey, WIDTH, HEIGHT);
    return 0;
}

#define TRAIN                                                                                                          \
    "shadewood train-cascade --backgrounds without --window 12x12 --candidates 60 --copies 3 --background-count 300 "  \
    "--calibration 50 -t cpu --threads 2 "

static json_t *inspect(const char *name)
{
    return parse_json(run("shadewood inspect %s --json", name).out);
}

/* What detect begins with is the least score of the file. */
TESTING_CASE(a_good_cascade_gets_a_least_score)
{
    struct run result = run(TRAIN "--objects rings --stages 12 -o rings.ktx2");
    json_t *document, *measured;
    double score;

    assert_success(result);
    assert_non_null(strstr(result.out, "least score "));
    assert_non_null(strstr(result.out, "thresholds were set by 30 held-out objects"));
    assert_null(strstr(result.err, "misses"));
    document = inspect("rings.ktx2");
    score = json_real_value(json_object_get(document, "min_score"));
    measured = json_object_get(json_object_get(document, "training"), "measured");
    assert_true(json_is_true(json_object_get(measured, "met")));
    assert_int_equal(json_integer_value(json_object_get(measured, "held_out_objects")), 30);
    assert_int_equal(json_integer_value(json_object_get(measured, "held_out_copies")), 90);
    assert_true(json_integer_value(json_object_get(measured, "copies_found")) >= 72);
    assert_true(json_integer_value(json_object_get(measured, "windows_found")) * 100000 <=
                json_integer_value(json_object_get(measured, "windows_scanned")));
    json_decref(document);
    assert_success(run("shadewood detect rings.ktx2 scene.png -t cpu -o usual -q --group none --no-pictures && "
                       "shadewood detect rings.ktx2 scene.png -t cpu -o same -q --group none --no-pictures "
                       "--min-score %.17g && cmp usual/detections.csv same/detections.csv && "
                       "test $(wc -l <usual/detections.csv) -gt 1",
                       score));
}

/* A higher least score than any window has: nothing is found unless it is asked for. */
TESTING_CASE(detect_begins_with_the_files_score)
{
    json_t *document;

    assert_success(
        run("shadewood export --to csv rings.ktx2 -o tables -q && grep -q '^min_score,' tables/cascade.csv && "
            "shadewood import --from csv tables -o again.ktx2 -q && shadewood inspect again.ktx2 | "
            "grep 'least score' >1 && shadewood inspect rings.ktx2 | grep 'least score' | cmp - 1"));
    assert_success(run("shadewood import --from csv tables --min-score 1000 -o strict.ktx2 -q && "
                       "shadewood import --from csv tables --min-score any -o old.ktx2 -q"));
    assert_success(run("for i in strict old; do shadewood detect $i.ktx2 scene.png -t cpu -o $i -q; "
                       "shadewood detect $i.ktx2 scene.png -t cpu --min-score any -o $i-any -q; done"));
    assert_success(run("test $(wc -l <strict/detections.csv) = 1 && cmp old/detections.csv old-any/detections.csv && "
                       "cmp old/detections.csv strict-any/detections.csv && test $(wc -l <old/detections.csv) -gt 1"));
    document = inspect("old.ktx2");
    assert_true(json_is_null(json_object_get(document, "min_score")));
    json_decref(document);
    assert_success(run("for i in rings old strict; do shadewood inspect $i.ktx2 | grep hash; done | uniq | wc -l | "
                       "grep -qx 1"));
    assert_one_line(run("shadewood detect old.ktx2 scene.png -o none --min-score some"), 2, "--min-score", "any", NULL);
}

/* Objects that look like all else. */
TESTING_CASE(a_missed_target_is_told)
{
    struct run result = run(TRAIN "--objects blotches --stages 3 --checkpoint part -o blotches.ktx2");
    json_t *document;

    assert_int_equal(result.code, 4);
    assert_non_null(strstr(result.err, "blotches.ktx2 is written but misses its target"));
    assert_non_null(strstr(result.err, "more objects"));
    assert_non_null(strstr(result.err, "--margin"));
    assert_non_null(strstr(result.err, "--loss"));
    assert_true(exists("blotches.ktx2"));
    assert_false(exists("part"));
    document = inspect("blotches.ktx2");
    assert_true(json_is_number(json_object_get(document, "min_score")));
    assert_false(
        json_is_true(json_object_get(json_object_get(json_object_get(document, "training"), "measured"), "met")));
    json_decref(document);
    result = run(TRAIN "--objects blotches --stages 3 --json -o blotches.ktx2 --overwrite");
    assert_int_equal(result.code, 4);
    document = parse_json(result.out);
    assert_true(json_is_false(json_object_get(json_object_get(document, "measured"), "met")));
    json_decref(document);
    assert_success(run(TRAIN "--objects blotches --stages 3 --target-pass 1000000 -o any.ktx2 && "
                             "shadewood inspect any.ktx2 | grep hash >1 && shadewood inspect blotches.ktx2 | "
                             "grep hash | cmp - 1"));
}

/* Images that are held out are scanned at the end, and no others: none of fewer windows than all. */
TESTING_CASE(images_are_held_out)
{
    struct run result;
    json_t *all, *some;
    json_int_t windows;

    assert_success(run(TRAIN "--objects rings --stages 12 --hold-out 50 --target-pass 1000000 -o some.ktx2"));
    all = inspect("rings.ktx2");
    some = inspect("some.ktx2");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(some, "training"), "hold_out_percent")), 50);
    windows = json_integer_value(
        json_object_get(json_object_get(json_object_get(some, "training"), "measured"), "windows_scanned"));
    assert_true(windows > 0);
    assert_true(windows < json_integer_value(json_object_get(
                              json_object_get(json_object_get(all, "training"), "measured"), "windows_scanned")));
    json_decref(all);
    json_decref(some);
    result = run(TRAIN "--objects rings --stages 4 --hold-out 1 --target-pass 1000000 -o none.ktx2");
    assert_success(result);
    assert_non_null(strstr(result.err, "those that were mined are measured"));
}

/* What is asked for decides: all copies are more than some, and are found by a lower score. */
TESTING_CASE(the_target_is_asked_for)
{
    static const char *const recalls[2] = {"1", "100"};
    double scores[2];

    for (int r = 0; r < 2; r++) {
        struct run result =
            run(TRAIN "--objects blotches --stages 3 --target-recall %s -o asked.ktx2 --overwrite", recalls[r]);
        json_t *document = inspect("asked.ktx2");
        assert_true(result.code == 4 || r == 0);
        scores[r] = json_real_value(json_object_get(document, "min_score"));
        json_decref(document);
    }
    assert_true(scores[1] < scores[0]);
}

/* Few objects that were held out are reported. */
TESTING_CASE(few_objects_are_told)
{
    struct run result =
        run("mkdir few && cp rings/0*.png few && " TRAIN "--objects few --stages 4 --target-pass 1000000 -o few.ktx2");

    assert_success(result);
    assert_non_null(strstr(result.err, "few.ktx2: only 5 held-out objects set the thresholds"));
}

#define RANKS_TRAIN                                                                                                    \
    RANKS "\"$SHADEWOOD_PROGRAM\" train-cascade --backgrounds without --window 12x12 --candidates 60 --copies 3 "      \
          "--background-count 300 --calibration 50 -t cpu --threads 2 --mpi --overwrite -o ranks.ktx2 "

/* The same cascade, also one that misses its target, which is the exit code of mpirun. */
TESTING_CASE(ranks_train_the_same_cascade)
{
    need_mpirun();
    assert_success(run(TRAIN "--objects rings --stages 12 --overwrite -o alone.ktx2"));
    for (unsigned ranks = 1; ranks <= 3; ranks++) {
        const struct run said = run(RANKS_TRAIN "--objects rings --stages 12", ranks);

        assert_int_equal(said.code, 0);
        assert_ptr_equal(strstr(said.out, "ranks.ktx2: "), said.out); /* said once */
        assert_null(strstr(said.out + 1, "ranks.ktx2: "));
        same_file("ranks.ktx2", "alone.ktx2");
    }
    assert_int_equal(run(TRAIN "--objects blotches --stages 2 --overwrite -o alone.ktx2").code, 4);
    assert_int_equal(run(RANKS_TRAIN "--objects blotches --stages 2", 2).code, 4);
    same_file("ranks.ktx2", "alone.ktx2");
    assert_int_equal(run(RANKS "\"$SHADEWOOD_PROGRAM\" train-cascade --backgrounds without --objects rings "
                               "--candidates 1 --mpi -o refused.ktx2",
                         2)
                         .code,
                     2);
    assert_int_equal(run("shadewood train-cascade --backgrounds without --objects rings --device 0,cpu "
                         "-o refused.ktx2")
                         .code,
                     2);
    assert_false(exists("refused.ktx2"));
}

/* Killed or terminated after some stages, and continued by another number of ranks. */
TESTING_CASE(ranks_of_a_cascade_are_killed_and_others_continue)
{
    static const char *const signals[] = {"KILL", "TERM"};
    const unsigned turns = testing_is_slow() ? 12 : 2;

    need_mpirun();
    assert_success(run(TRAIN "--objects rings --stages 60 --target-pass 1000000 --overwrite -o alone.ktx2"));
    for (unsigned turn = 0; turn < turns; turn++) {
        const unsigned ranks = 2 + turn % 2, victim = 1 + turn / 2 % ranks, next = 1 + (turn + 1) % 3;
        struct run said = run("rm -f part ranks.ktx2; " RANKS_TRAIN
                              "--objects rings --stages 60 --target-pass 1000000 --checkpoint part "
                              "--checkpoint-every 0 & m=$!; until [ -e part ] || ! kill -0 $m 2>/dev/null; do "
                              "sleep 0.01; done; sleep 0.0%u; kill -%s $(pgrep -P $m | sed -n %up) 2>/dev/null; "
                              "wait $m",
                              ranks, turn % 10, signals[turn % 2], victim);

        if (said.code != 0 && said.err[0] == '\0')
            fail_msg("%u of %u ended without a message", victim, ranks);
        said = run(RANKS_TRAIN "--objects rings --stages 60 --target-pass 1000000 --checkpoint part --resume", next);
        if (said.code != 0)
            fail_msg("turn %u: %s", turn, said.err);
        same_file("ranks.ktx2", "alone.ktx2");
        assert_false(exists("part"));
    }
}

TESTING_FIXTURE(prepare, NULL)
