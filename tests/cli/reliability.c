/* Probabilities on the command line: how reliable they are, calibrated ones, and accuracy out of bag. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#define DATA  "--data data --images '{}.png' --labels '{}_L.png'"
#define OTHER "--data other --images '{}.png' --labels '{}_L.png'"
#define QUICK "--trees 3 --depth 4 --candidates 20 --pixels 100 --offset 10 --size 9 -t cpu"

static int prepare(void **state)
{
    (void)state;
    make_data("data", 4);
    make_data("other", 6);
    assert_success(run_blind("shadewood train " DATA " " QUICK " -q -o forest.ktx2"));
    assert_success(run_blind("shadewood calibrate forest.ktx2 " OTHER " -t cpu -q -o calibrated.ktx2"));
    return 0;
}

static json_t *evaluate(const char *options)
{
    struct run result = run_blind("shadewood evaluate " OTHER " -t cpu -q --json %s", options);

    assert_success(result);
    return parse_json(result.out);
}

static double real(const json_t *document, const char *name)
{
    return json_number_value(json_object_get(document, name));
}

TESTING_CASE(test_calibration_is_better_and_keeps_labels)
{
    json_t *plain = evaluate("--reliability calibrated.ktx2");
    json_t *calibrated = evaluate("--reliability --calibrated calibrated.ktx2"), *without = evaluate("forest.ktx2");
    json_t *bins = json_object_get(plain, "reliability"), *bin;
    json_int_t pixels = 0, correct = 0;
    size_t b;

    assert_true(real(calibrated, "brier_score") < real(plain, "brier_score"));
    assert_true(real(calibrated, "pixel_accuracy") == real(plain, "pixel_accuracy"));
    assert_int_equal(json_array_size(bins), 10);
    json_array_foreach(bins, b, bin)
    {
        pixels += json_integer_value(json_object_get(bin, "pixels"));
        correct += json_integer_value(json_object_get(bin, "correct"));
    }
    assert_int_equal(pixels, 6 * 48 * 40);
    assert_true((double)correct / (double)pixels == real(plain, "pixel_accuracy"));
    assert_null(json_object_get(without, "reliability"));
    assert_string_equal(json_string_value(json_object_get(plain, "hash")),
                        json_string_value(json_object_get(without, "hash")));
    json_decref(plain);
    json_decref(calibrated);
    json_decref(without);
}

TESTING_CASE(test_the_report_has_the_table)
{
    struct run result = run_blind("shadewood evaluate " OTHER " -t cpu -q --reliability forest.ktx2 calibrated.ktx2");

    assert_success(result);
    assert_non_null(strstr(result.out, " 90 to 100 %"));
    assert_non_null(strstr(result.out, "calibration error"));
    assert_non_null(strstr(result.out, "Brier score * 100"));
}

TESTING_CASE(test_labels_stay_and_probabilities_change)
{
    assert_success(run_blind("shadewood label calibrated.ktx2 other/00.png -t cpu -q -p npy -o plain"));
    assert_success(run_blind("shadewood label calibrated.ktx2 other/00.png -t cpu -q -p npy --calibrated -o changed"));
    assert_success(run_blind("cmp plain/00_labels.png changed/00_labels.png"));
    assert_int_equal(run_blind("cmp -s plain/00_probabilities.npy changed/00_probabilities.npy").code, 1);
}

/* Smoothing comes first: a power is for probabilities that are smoothed in one way, whether the forest or the option
 * says so. */
TESTING_CASE(test_smoothed_probabilities_are_calibrated)
{
    json_t *plain, *calibrated;

    assert_success(run_blind("shadewood calibrate forest.ktx2 " OTHER " -t cpu -q --smooth 6 -o smoothed.ktx2"));
    assert_success(run_blind("shadewood inspect smoothed.ktx2 | grep -q '\"smooth\": *\\[6, *7\\]'"));
    plain = evaluate("--reliability --smooth 6 smoothed.ktx2");
    calibrated = evaluate("--reliability --calibrated --smooth 6 smoothed.ktx2");
    assert_true(real(calibrated, "brier_score") < real(plain, "brier_score"));
    assert_true(real(calibrated, "pixel_accuracy") == real(plain, "pixel_accuracy"));
    json_decref(plain);
    json_decref(calibrated);
    assert_success(run_blind("shadewood label smoothed.ktx2 other/00.png -t cpu -q -p npy --smooth 6 -o by_option"));
    assert_success(
        run_blind("shadewood label smoothed.ktx2 other/00.png -t cpu -q -p npy --smooth 6 --calibrated -o raised"));
    assert_success(run_blind("cmp by_option/00_labels.png raised/00_labels.png"));
    assert_int_equal(run_blind("cmp -s by_option/00_probabilities.npy raised/00_probabilities.npy").code, 1);

    assert_success(run_blind("shadewood train " DATA " " QUICK " --smooth 6 -q -o own.ktx2"));
    assert_success(run_blind("shadewood calibrate own.ktx2 " OTHER " -t cpu -q -o own_power.ktx2"));
    assert_success(run_blind("shadewood label own_power.ktx2 other/00.png -t cpu -q -p npy --calibrated -o own"));
    assert_success(run_blind("cmp own/00_probabilities.npy raised/00_probabilities.npy"));
    assert_success(run_blind("shadewood calibrate own.ktx2 " OTHER " -t cpu -q --smooth 0 -o own_plain.ktx2"));
    assert_success(run_blind(
        "shadewood label own_plain.ktx2 other/00.png -t cpu -q -p npy --smooth 0 --calibrated -o unsmoothed"));
    assert_success(run_blind("shadewood label calibrated.ktx2 other/00.png -t cpu -q -p npy --calibrated -o without"));
    assert_success(run_blind("cmp unsmoothed/00_probabilities.npy without/00_probabilities.npy"));

    assert_one_line(run_blind("shadewood label own_plain.ktx2 other/00.png -t cpu -q --calibrated -o none"), 1,
                    "own_plain.ktx2 was calibrated for probabilities that are not smoothed", NULL);
    assert_one_line(run_blind("shadewood evaluate " OTHER " -t cpu -q --reliability --calibrated --smooth 6 "
                              "--smooth-epsilon 20 smoothed.ktx2"),
                    1, "radius 6 and epsilon 7, and these are smoothed with radius 6 and epsilon 20", NULL);
    assert_one_line(run_blind("shadewood calibrate forest.ktx2 " OTHER " -q --smooth-epsilon 9 -o none.ktx2"), 2,
                    "--smooth-epsilon needs --smooth", NULL);
}

/* The file is the same by every technique. */
TESTING_CASE(test_techniques_agree)
{
    struct run result = run("shadewood calibrate forest.ktx2 " OTHER " -t compute -q -o compute.ktx2 2>said");

    if (result.code == 3)
        testing_skip("no Vulkan device");
    assert_success(result);
    assert_success(run_blind("cmp compute.ktx2 calibrated.ktx2"));
}

TESTING_CASE(test_refusals)
{
    assert_one_line(run_blind("shadewood evaluate " OTHER " -t cpu -q --reliability --calibrated forest.ktx2"), 1,
                    "forest.ktx2 was not calibrated", NULL);
    assert_one_line(run_blind("shadewood evaluate " OTHER " -t cpu -q --calibrated calibrated.ktx2"), 2,
                    "--calibrated needs --reliability", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 other/00.png -t cpu -q --calibrated -o none"), 1,
                    "forest.ktx2 was not calibrated", NULL);
    assert_one_line(run_blind("shadewood label calibrated.ktx2 other/00.png -t cpu -q --calibrated --smooth 3 -o none"),
                    1, "for probabilities that are not smoothed, and these are smoothed with radius 3 and epsilon 7",
                    "calibrate it with --smooth 3", NULL);
    assert_one_line(run_blind("shadewood calibrate forest.ktx2 " OTHER " -q"), 2, "--output FILE", NULL);
    assert_one_line(run_blind("shadewood calibrate " OTHER " -q -o none.ktx2"), 2, "one forest", NULL);
    assert_one_line(run_blind("shadewood calibrate forest.ktx2 " OTHER " -t cpu -q -o forest.ktx2"), 2, "forest.ktx2",
                    "input", NULL);
    make_file("mine.ktx2", "mine", 4);
    assert_one_line(run_blind("shadewood calibrate forest.ktx2 " OTHER " -t cpu -q -o mine.ktx2"), 1, "mine.ktx2",
                    "--overwrite", NULL);
    assert_success(run_blind("shadewood calibrate forest.ktx2 " OTHER " -t cpu -q --overwrite -o mine.ktx2"));
    assert_one_line(run_blind("shadewood train " DATA " " QUICK " -q --out-of-bag -o none.ktx2"), 1,
                    "none are out of bag", NULL);
}

/* What says how images are read and labelled is what it is for other commands. */
TESTING_CASE(test_options_of_data_and_of_techniques)
{
    struct run result;
    json_int_t pixels[2];
    json_t *document;

    assert_success(run_blind("shadewood calibrate forest.ktx2 " OTHER " --label-kind index --palette "
                             "other/palette.json --range 0:255 --image-channels 1,2,3 --threads 1 --channels-technique "
                             "cpu --integrate-technique cpu --evaluate-technique cpu -q -o same.ktx2 && "
                             "cmp same.ktx2 calibrated.ktx2"));
    for (int i = 0; i < 2; i++) {
        result = run_blind("shadewood calibrate forest.ktx2 " OTHER " %s -t cpu --json -q -o ignored-%d.ktx2",
                           i == 0 ? "" : "--ignore blue", i);
        assert_success(result);
        document = parse_json(result.out);
        pixels[i] = json_integer_value(json_object_get(document, "pixels"));
        json_decref(document);
    }
    assert_true(pixels[1] > 0 && pixels[1] < pixels[0]);
    assert_success(run_blind("shadewood synth -o deep -n 2 --size 40x30 -q && shadewood train --data deep --feature "
                             "depth-mean-difference --channels depth,rgb --trees 1 --depth 3 -t cpu -q -o deep.ktx2"));
    assert_success(run_blind("shadewood calibrate deep.ktx2 --data deep --layout curfil -t cpu -q -o layout.ktx2"));
    assert_success(run_blind("shadewood calibrate deep.ktx2 --data deep --images '{}_colors.png' --labels "
                             "'{}_ground_truth.png' --input 'depth={}_depth.png' -t cpu -q -o input.ktx2 && "
                             "cmp layout.ktx2 input.ktx2"));
    result = run_blind("shadewood calibrate deep.ktx2 --data deep -t cpu --json -q -o json.ktx2");
    assert_success(result);
    json_decref(parse_json(result.out));
    result = run_blind("shadewood calibrate deep.ktx2 --data deep --device 0 -t compute -q -o device.ktx2");
    assert_int_equal(result.code, 3);
}

TESTING_CASE(test_out_of_bag)
{
    struct run result = run_blind("shadewood train " DATA " " QUICK " --images-percent 50 --out-of-bag --log log.jsonl "
                                  "-o bag.ktx2");
    json_t *document, *counts;

    assert_success(result);
    assert_non_null(strstr(result.out, "out-of-bag accuracy  "));
    assert_success(run_blind("grep '\"out_of_bag\"' log.jsonl | grep -q '\"correct\"'"));
    result = run_blind("shadewood train " DATA " " QUICK " --images-percent 50 --out-of-bag --json -q -o bag.ktx2");
    assert_success(result);
    document = parse_json(result.out);
    counts = json_object_get(document, "out_of_bag");
    assert_true(json_integer_value(json_object_get(counts, "pixels")) >=
                json_integer_value(json_object_get(counts, "correct")));
    assert_true(json_integer_value(json_object_get(counts, "correct")) > 0);
    json_decref(document);
    result = run_blind("shadewood inspect bag.ktx2");
    assert_success(result);
    assert_non_null(strstr(result.out, "accuracy on out-of-bag pixels by the number of trees\n      1  "));
    assert_null(strstr(result.out, "  out_of_bag "));
    assert_non_null(strstr(result.out, "  images_percent "));
    /* What was measured of parts is not of the whole. */
    assert_success(run_blind("shadewood train " DATA " " QUICK " --images-percent 50 --out-of-bag --first-tree 3 -q "
                             "-o more.ktx2 && shadewood merge bag.ktx2 more.ktx2 -q -o six.ktx2"));
    assert_success(run_blind("shadewood train " DATA " " QUICK " --images-percent 50 --trees 6 -q -o whole.ktx2"));
    assert_success(run_blind("cmp six.ktx2 whole.ktx2"));
}

TESTING_FIXTURE(prepare, NULL)
