/* Annotations, by which the program measures detections and on which it trains. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "detect_spots.h"
#include "program.h"

/* Of four objects two are found, one by too little; one detection is false, and another image has no objects. */
TESTING_CASE(evaluation_counts_a_small_set)
{
    static const char annotations[] = "image,x,y,width,height,label\n"
                                      "images/a.png,7,7,10,10,spot\n"
                                      "images/a.png,60,30,10,10,spot\n"
                                      "images/a.png,0,50,8,8,spot\n"
                                      "images/a.png,57,27,10,10,other\n"
                                      "images/none.png\n"
                                      "images/b.png,36,17,10,10,spot\n";

    make_file("spots.csv", annotations, sizeof annotations - 1);
    assert_success(run("shadewood detect spot.ktx2 --evaluate spots.csv " SPOTS "-o measured >summary"));
    assert_file("summary", "3 images, 3 detections, in measured\n"
                           "objects             4 in 3 images\n"
                           "found               2, with an overlap of 0.65 or more\n"
                           "missed              2\n"
                           "false detections    1, 0.3333 per image, 6.97e-05 per window\n"
                           "recall              50.00 %\n"
                           "precision           66.67 %\n"
                           "average precision   50.00 %\n");
    assert_file("measured/matches.csv", "image,result,x,y,width,height,score,overlap\r\n"
                                        "images/a.png,found,7,7,10,10,1.0625,1.0000\r\n"
                                        "images/a.png,false,57,27,10,10,0.0625,0.3245\r\n"
                                        "images/a.png,missed,60,30,10,10,,\r\n"
                                        "images/a.png,missed,0,50,8,8,,\r\n"
                                        "images/b.png,found,37,17,10,10,1.0625,0.8182\r\n");
    assert_file("measured/images.csv", "image,annotated,windows,objects,found,missed,false\r\n"
                                       "images/a.png,yes,4785,3,1,2,1\r\n"
                                       "images/none.png,yes,4785,0,0,0,0\r\n"
                                       "images/b.png,yes,4785,1,1,0,0\r\n");
    assert_file("measured/curve.csv", "score,found,missed,false,precision,recall,false_per_image,false_per_window\r\n"
                                      "1.0625,2,2,0,1,0.5,0,0\r\n"
                                      "0.0625,2,2,1,0.666666667,0.5,0.333333333,6.96621386e-05\r\n");
    assert_true(exists("measured/precision-recall.png") && exists("measured/roc.png"));
    assert_true(exists("measured/images/a_detections.png"));
}

/* By intersection over union of 0.5, another label, and images that are given. */
TESTING_CASE(evaluation_has_its_options)
{
    struct run result =
        run("shadewood detect spot.ktx2 images/a.png images/none.png -e spots.csv --match-overlap 0.3 " SPOTS
            "-o looser --no-pictures --json -q");
    json_t *report = parse_json(result.out), *measured = json_object_get(report, "evaluation");

    assert_success(result);
    assert_int_equal(json_integer_value(json_object_get(measured, "found")), 2);
    assert_int_equal(json_integer_value(json_object_get(measured, "objects")), 3);
    assert_int_equal(json_integer_value(json_object_get(measured, "annotated_images_not_searched")), 1);
    json_decref(report);
    assert_success(run("shadewood detect spot.ktx2 -e spots.csv --label other " SPOTS
                       "-o others --no-pictures -q && grep -c found others/matches.csv"));
    assert_one_line(run("shadewood detect spot.ktx2 -e spots.csv --label nobody -o nobody"), 1, "spots.csv", "nobody",
                    NULL);
}

static void make_text(const char *name, const char *text)
{
    make_file(name, text, strlen(text));
}

/* Of images with the same name, the end of the path tells which it is; what it does not tell is refused. */
TESTING_CASE(annotations_apart_are_found_by_the_ends_of_paths)
{
    assert_success(run("mkdir -p days/1 days/2 days/3 notes && cp images/a.png days/1/x.png && "
                       "cp images/b.png days/2/x.png && cp images/none.png days/3/x.png"));
    make_text("notes/days.csv", "1/x.png,7,7,10,10\n2/x.png,37,17,10,10\n");
    assert_success(run("shadewood detect spot.ktx2 -e notes/days.csv days/2 " SPOTS "-o day --no-pictures -q"));
    assert_file("day/images.csv", "image,annotated,windows,objects,found,missed,false\r\n"
                                  "days/2/x.png,yes,4785,1,1,0,0\r\n");
    assert_one_line(run("shadewood detect spot.ktx2 -e notes/days.csv days/3/x.png " SPOTS "-o tie --no-pictures -q"),
                    1, "days/3/x.png", "1/x.png", "2/x.png", "notes/days.csv", NULL);
    assert_success(run("ln -s days/1/x.png l1.png && ln -s days/2/x.png l2.png"));
    make_text("notes/one.csv", "x.png,7,7,10,10\n");
    assert_one_line(run("shadewood detect spot.ktx2 -e notes/one.csv l1.png l2.png " SPOTS "-o tie --no-pictures -q"),
                    1, "l1.png", "l2.png", "x.png of notes/one.csv", NULL);
    /* beside its annotations it is the same file or none */
    make_text("days/beside.csv", "1/x.png,7,7,10,10\n");
    assert_success(run("shadewood detect spot.ktx2 -e days/beside.csv days/2 " SPOTS "-o beside-it --no-pictures -q"));
    assert_file("beside-it/images.csv", "image,annotated,windows,objects,found,missed,false\r\n"
                                        "days/2/x.png,no,4785,0,0,0,1\r\n");
}

/* However it is called, and a rectangle that is given twice counts once. */
TESTING_CASE(an_image_of_two_names_is_measured_once)
{
    struct run result;

    assert_success(run("ln -sf a.png images/link.png"));
    make_text("twice.csv", "images/a.png,7,7,10,10\n./images/a.png,57,27,10,10\nimages/link.png,7,7,10,10\n");
    result = run("shadewood detect spot.ktx2 -e twice.csv " SPOTS "-o twice --no-pictures");
    assert_success(result);
    assert_non_null(strstr(result.err, "twice.csv, line 3"));
    assert_non_null(strstr(result.err, "twice.csv, line 1"));
    assert_file("twice/images.csv", "image,annotated,windows,objects,found,missed,false\r\n"
                                    "images/a.png,yes,4785,2,2,0,0\r\n");
    result = run("shadewood detect spot.ktx2 -e twice.csv images/a.png images/link.png " SPOTS
                 "-o again --no-pictures && cmp again/images.csv twice/images.csv && rm images/link.png");
    assert_success(result);
    assert_non_null(strstr(result.err, "images/link.png is the same image as images/a.png"));
}

TESTING_CASE(rectangles_outside_are_left_out)
{
    struct run result;

    make_text("outside.csv", "images/a.png,7,7,10,10\nimages/a.png,96,7,10,10\nimages/a.png,-10,7,10,10\n"
                             "images/a.png,95,63,10,10\n");
    result = run("shadewood detect spot.ktx2 -e outside.csv " SPOTS "-o outside --no-pictures");
    assert_success(result);
    assert_non_null(strstr(result.err, "outside.csv, line 2"));
    assert_non_null(strstr(result.err, "images/a.png"));
    assert_file("outside/images.csv", "image,annotated,windows,objects,found,missed,false\r\n"
                                      "images/a.png,yes,4785,2,1,1,1\r\n");
}

#define TRAIN                                                                                                          \
    "shadewood train-cascade --window 8x8 --stages 2 --candidates 9 --copies 2 --shift 5 --background-count 99 "       \
    "-t cpu --threads 1 --target-pass 1000000 "

/* The same objects in one file, in several with other spellings, and twice make the same cascade; and so do
 * backgrounds that are annotated, and rectangles outside. */
TESTING_CASE(training_takes_a_file_as_one_image)
{
    static const char *const same[] = {
        "--annotations first.csv --annotations second.csv --backgrounds images/none.png",
        "--annotations all.csv --annotations second.csv --backgrounds images/none.png",
        "--annotations all.csv --backgrounds images/none.png --backgrounds images/a.png --backgrounds images/none.png",
    };
    char first[600] = "", second[600] = "", all[1200];
    struct run result;

    for (int i = 0; i < 12; i++) {
        snprintf(first + strlen(first), 64, "images/a.png,%d,%d,10,10\n", 5 + i, 20 - i);
        snprintf(second + strlen(second), 64, "./images/a.png,%d,%d,10,10\n", 55 + i, 20 + i);
    }
    snprintf(all, sizeof all, "%s%s", first, second);
    make_text("first.csv", first);
    make_text("second.csv", second);
    make_text("all.csv", all);
    assert_success(run(TRAIN "--annotations all.csv --backgrounds images/none.png -o one.ktx2"));
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char line[600];
        snprintf(line, sizeof line, TRAIN "%s -o other.ktx2 --overwrite && cmp one.ktx2 other.ktx2", same[i]);
        result = run("%s", line);
        assert_success(result);
        assert_true(i == 0 || strstr(result.err, i == 1 ? "second.csv, line 1" : "images/a.png") != NULL);
    }
    make_text("apart.csv", "images/b.png,500,20,10,10\nimages/b.png,20,500,10,10\nimages/b.png,-90,-9,10,10\n");
    result = run(TRAIN "--annotations apart.csv --backgrounds images/none.png -o none.ktx2 2>&1 >/dev/null");
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.out, "apart.csv, line 1"));
    assert_non_null(strstr(result.out, "images/b.png"));
    assert_non_null(strstr(result.out, "3 objects are too few to train on: only 0 of them lie"));
}

/* COCO's annotations by number, and a crowd that is neither right nor wrong to be found. */
TESTING_CASE(evaluation_reads_coco)
{
    static const char annotations[] =
        "{\"images\": [{\"id\": 17, \"file_name\": \"images/a.png\"}, {\"id\": 4, \"file_name\": \"images/b.png\"}],"
        "\"categories\": [{\"id\": 3, \"name\": \"spot\"}], \"annotations\": ["
        "{\"id\": 1, \"image_id\": 17, \"category_id\": 3, \"bbox\": [7, 7, 10, 10]},"
        "{\"id\": 2, \"image_id\": 17, \"category_id\": 3, \"bbox\": [50, 20, 40, 40], \"iscrowd\": 1}]}";
    struct run result;
    json_t *report, *measured;

    make_file("spots.json", annotations, sizeof annotations - 1);
    result = run("shadewood detect spot.ktx2 -e spots.json " SPOTS "-o crowd --format coco --json");
    assert_success(result);
    report = parse_json(result.out);
    measured = json_object_get(report, "evaluation");
    assert_int_equal(json_integer_value(json_object_get(measured, "found")), 1);
    assert_int_equal(json_integer_value(json_object_get(measured, "false")), 1);
    assert_int_equal(json_integer_value(json_object_get(measured, "missed")), 0);
    assert_success(run("grep -q ignored crowd/matches.csv"));
    assert_success(
        run("grep -q '^{\"image_id\": 17, \"category_id\": 3, \"bbox\": .7, 7, 10, 10.' crowd/detections.json "
            "&& grep -q '\"image_id\": 4,' crowd/detections.json"));
    json_decref(report);
}

TESTING_FIXTURE(prepare_spots, NULL)
