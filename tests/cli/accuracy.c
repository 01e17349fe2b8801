/* Accuracy as evaluate tells it: ignored classes, variants, void predictions, several forests; and tables of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/image/image_file.h"
#include "files/output/accuracy_report.h"
#include "program.h"

#define DATA  "--data data --images '{}.png' --labels '{}_L.png'"
#define QUICK "-t cpu --trees 1 --depth 2 --candidates 1 --pixels 30 --offset 10 --size 9"

static int prepare(void **state)
{
    static const char palette[] =
        "{\"classes\": [{\"name\": \"red\", \"colour\": [200, 60, 60]}, {\"name\": \"green\", \"colour\": "
        "[60, 200, 60], \"void\": true}, {\"name\": \"blue\", \"colour\": [60, 60, 200]}]}";

    (void)state;
    make_data("data", 4);
    for (int seed = 0; seed < 3; seed++)
        assert_success(run("shadewood train " DATA " " QUICK " --seed %d -o seed%d.ktx2", seed, seed));
    make_file("void.json", palette, sizeof palette - 1);
    return 0;
}

static json_t *evaluate(const char *arguments)
{
    struct run result = run("shadewood evaluate -t cpu -q " DATA " --json %s", arguments);

    assert_success(result);
    return parse_json(result.out);
}

static double real(const json_t *document, const char *path)
{
    const json_t *value = document;
    char part[64];

    for (; value != NULL && *path != '\0'; path += *path == '/') {
        size_t length = strcspn(path, "/");
        snprintf(part, sizeof part, "%.*s", (int)length, path);
        value = json_is_array(value) ? json_array_get(value, strtoul(part, NULL, 10)) : json_object_get(value, part);
        path += length;
    }
    if (value == NULL)
        fail_msg("the JSON document lacks %s", path);
    return json_is_null(value) ? (double)NAN : json_number_value(value);
}

static char *hash_of_training(const char *arguments)
{
    struct run result = run("shadewood train " DATA " " QUICK " -q --json -o ignoring.ktx2 --overwrite %s", arguments);
    json_t *document;
    char *hash;

    assert_success(result);
    document = parse_json(result.out);
    hash = strdup(json_string_value(json_object_get(document, "hash")));
    json_decref(document);
    return hash;
}

/* Ignoring a class is the same as a palette in which it is void, and forests remember it. */
TESTING_CASE(ignored_classes_are_void)
{
    static const char *const variants[] = {"--ignore green", "--ignore 60,200,60", "--ignore '#3cc83c' --ignore green"};
    char *expected = hash_of_training("--palette void.json");
    json_t *document = evaluate("--palette void.json ignoring.ktx2"), *again;

    assert_null(strstr(run("shadewood inspect --json ignoring.ktx2").out, "ignored"));
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        char *hash = hash_of_training(variants[i]);
        assert_string_equal(hash, expected);
        free(hash);
    }
    free(expected);
    again = evaluate("ignoring.ktx2");
    assert_true(json_equal(json_object_get(again, "confusion"), json_object_get(document, "confusion")));
    assert_true(real(again, "void_pixels") > 0 && real(again, "void_pixels") == real(document, "void_pixels"));
    json_decref(again);
    json_decref(document);
    document = parse_json(run("shadewood inspect --json ignoring.ktx2").out);
    again = json_pack("[s]", "green");
    assert_true(json_equal(json_object_get(json_object_get(document, "training"), "ignored"), again));
    json_decref(again);
    json_decref(document);
}

/* A class that the forest knows stays one where it is ignored in evaluation alone: it may be predicted, wrongly. */
TESTING_CASE(ignoring_in_evaluation_drops_a_row)
{
    json_t *all = evaluate("seed0.ktx2"), *some = evaluate("--ignore green seed0.ktx2");

    for (size_t r = 0; r < 3; r++) {
        json_t *before = json_array_get(json_object_get(all, "confusion"), r),
               *after = json_array_get(json_object_get(some, "confusion"), r);
        for (size_t c = 0; c < 3; c++)
            assert_int_equal(json_integer_value(json_array_get(after, c)),
                             r == 1 ? 0 : json_integer_value(json_array_get(before, c)));
    }
    assert_true(real(some, "void_pixels") == real(all, "classes/1/pixels"));
    json_decref(all);
    json_decref(some);
}

TESTING_CASE(wrong_classes_are_refused_with_a_list)
{
    assert_one_line(run("shadewood train " DATA " -t cpu -o no.ktx2 --ignore grey"), 1, "'grey'", "green (#3cc83c)",
                    NULL);
    assert_one_line(run("shadewood evaluate " DATA " -t cpu seed0.ktx2 --ignore 1,2,3"), 1, "'1,2,3'", "red (#c83c3c)",
                    NULL);
    assert_one_line(run("shadewood train " DATA " -t cpu -o no.ktx2 --ignore red --ignore green --ignore blue"), 1,
                    "all classes", NULL);
    assert_one_line(run("shadewood evaluate " DATA " -t cpu seed0.ktx2 --background grey"), 1, "'grey'",
                    "blue (#3c3cc8)", NULL);
    assert_one_line(run("shadewood train void.json --ignore green -o no.ktx2"), 2, "the images and labels", NULL);
    assert_one_line(run("shadewood evaluate " DATA " seed0.ktx2 seed1.ktx2 --overlays none"), 2, "--overlays", NULL);
    free(hash_of_training("--ignore green"));
    assert_one_line(run("shadewood evaluate " DATA " -t cpu seed0.ktx2 ignoring.ktx2"), 1, "ignoring.ktx2",
                    "other classes than seed0.ktx2", NULL);
    assert_false(exists("no.ktx2"));
}

/* The variants from the confusion matrix, where green is void and red the background. */
TESTING_CASE(variants_follow_from_the_matrix)
{
    json_t *document = evaluate("--ignore green --background red seed0.ktx2"),
           *matrix = json_object_get(document, "confusion");
    double count[3][3], red = 0, blue = 0, none = real(document, "void_pixels");
    struct run result;

    for (size_t r = 0; r < 3; r++)
        for (size_t c = 0; c < 3; c++)
            count[r][c] = (double)json_integer_value(json_array_get(json_array_get(matrix, r), c));
    for (size_t c = 0; c < 3; c++) {
        red += count[0][c];
        blue += count[2][c];
    }
    assert_true(none > 0 && count[0][0] < red && count[2][2] < blue);
    assert_true(real(document, "variants/all/pixel_accuracy") == (count[0][0] + count[2][2]) / (red + blue + none));
    assert_true(fabs(real(document, "variants/all/mean_class_accuracy") -
                     (count[0][0] / red + count[2][2] / blue) / 3) < 1e-15);
    assert_true(real(document, "variants/without_background/pixel_accuracy") ==
                (count[0][0] + count[2][2]) / (count[0][0] + blue + none));
    assert_true(real(document, "variants/without_background/mean_class_accuracy") == count[2][2] / blue / 2);
    assert_true(real(document, "variants/without_void/pixel_accuracy") == real(document, "pixel_accuracy"));
    assert_true(real(document, "variants/without_void/mean_class_accuracy") == real(document, "mean_class_accuracy"));
    assert_true(real(document, "variants/without_background_and_void/pixel_accuracy") ==
                (count[0][0] + count[2][2]) / (count[0][0] + blue));
    assert_true(real(document, "variants/without_background_and_void/mean_class_accuracy") == count[2][2] / blue);
    json_decref(document);

    result = run("shadewood evaluate -t cpu -q " DATA " --ignore green --background green seed0.ktx2");
    assert_success(result); /* a background that never occurs */
    assert_non_null(strstr(result.out, "background: green"));
    result = run("shadewood evaluate -t cpu -q " DATA " seed0.ktx2");
    assert_success(result);
    assert_null(strstr(result.out, "without"));
    assert_null(strstr(result.out, "  void\n"));
}

TESTING_CASE(several_forests_have_means_and_deviations)
{
    static const char *const measures[] = {"pixel_accuracy",
                                           "mean_class_accuracy",
                                           "mean_iou",
                                           "classes/0/accuracy",
                                           "classes/2/precision",
                                           "classes/1/iou",
                                           "variants/all/pixel_accuracy",
                                           "variants/without_background/mean_class_accuracy"};
    json_t *single[3], *all = evaluate("seed0.ktx2 seed1.ktx2 seed2.ktx2 --background blue"), *of_all;
    struct run result;
    char text[64];

    for (int f = 0; f < 3; f++) {
        snprintf(text, sizeof text, "seed%d.ktx2 --background blue", f);
        single[f] = evaluate(text);
        of_all = json_array_get(json_object_get(all, "forests"), (size_t)f);
        json_object_set(of_all, "labelling_seconds", json_object_get(single[f], "labelling_seconds"));
        assert_true(json_equal(of_all, single[f]));
    }
    for (size_t m = 0; m < sizeof measures / sizeof *measures; m++) {
        double values[3], mean, deviation = 0;

        for (int f = 0; f < 3; f++)
            values[f] = real(single[f], measures[m]);
        mean = (values[0] + values[1] + values[2]) / 3;
        for (int f = 0; f < 3; f++)
            deviation += (values[f] - mean) * (values[f] - mean) / 2;
        assert_true(fabs(real(json_object_get(all, "mean"), measures[m]) - mean) < 1e-12);
        assert_true(fabs(real(json_object_get(all, "deviation"), measures[m]) - sqrt(deviation)) < 1e-12);
    }
    assert_true(real(all, "deviation/pixel_accuracy") > 0);

    result = run("shadewood evaluate -t cpu -q " DATA " seed0.ktx2 seed1.ktx2 seed2.ktx2");
    assert_success(result);
    snprintf(text, sizeof text, "pixel accuracy       %.2f ± %.2f %%\n", 100 * real(all, "mean/pixel_accuracy"),
             100 * real(all, "deviation/pixel_accuracy"));
    assert_non_null(strstr(result.out, text));
    snprintf(text, sizeof text, "seed1.ktx2%20.1f", 100 * real(single[1], "pixel_accuracy"));
    assert_non_null(strstr(result.out, text));
    for (int f = 0; f < 3; f++)
        json_decref(single[f]);
    json_decref(all);
}

/* What the report prints, to be freed with free(). */
static char *print(const struct shw_accuracy_report *report)
{
    int console = dup(STDOUT_FILENO);
    size_t size;

    fflush(stdout);
    assert_non_null(freopen(testing_path("work/report.txt"), "w", stdout));
    assert_true(shw_print_accuracy(report));
    fflush(stdout);
    assert_int_equal(dup2(console, STDOUT_FILENO), STDOUT_FILENO);
    close(console);
    return file_bytes("report.txt", &size);
}

/* Two forests, the first of which predicts void where the second does not; class "b" has a precision by one of them
 * alone. */
TESTING_CASE(void_predictions_have_a_column_where_they_occur)
{
    static const struct shw_class classes[] = {{"a", {1, 0, 0}}, {"b", {2, 0, 0}}};
    const uint16_t labels[] = {0, 0, 0, 0, 1}, first[] = {0, SHW_LABEL_VOID, SHW_LABEL_VOID, 1, 0},
                   second[] = {0, 0, 0, 0, 0};
    struct shw_measured measured[2] = {{.path = "one", .seconds = 1}, {.path = "two", .seconds = 1}};
    struct shw_accuracy_report report = {classes, 2, measured, 1, 1, SHW_NO_BACKGROUND, true, false};
    json_t *document, *expected;
    char *text;

    for (int f = 0; f < 2; f++) {
        assert_int_equal(shw_accuracy_create(&measured[f].accuracy, 2, NULL), SHW_OK);
        shw_accuracy_add(&measured[f].accuracy, labels, f == 0 ? first : second, 5);
    }
    document = shw_pack_accuracy(&report);
    expected = json_pack("[[i,i,i],[i,i,i]]", 1, 1, 2, 1, 0, 0);
    assert_true(json_equal(json_object_get(document, "confusion"), expected));
    assert_true(real(document, "void_predictions") == 2 && real(document, "void_prediction_share") == 0.4);
    assert_true(real(document, "classes/0/accuracy") == 0.25);
    json_decref(expected);
    json_decref(document);
    text = print(&report);
    assert_non_null(strstr(text, "         a         b      void\n"));
    assert_non_null(strstr(text, "a                            1         1         2\n"));
    assert_non_null(strstr(text, "predicted void       40.0 % of the pixels\n"));
    assert_non_null(strstr(text, "pixel accuracy       20.0 %\n"));
    assert_null(strstr(text, "±"));
    free(text);

    report.measured = &measured[1];
    document = shw_pack_accuracy(&report);
    expected = json_pack("[[i,i],[i,i]]", 4, 0, 1, 0);
    assert_true(json_equal(json_object_get(document, "confusion"), expected));
    json_decref(expected);
    json_decref(document);
    text = print(&report);
    assert_null(strstr(text, "  void\n"));
    assert_null(strstr(text, "predicted void"));
    free(text);

    report.measured = measured;
    report.count = 2;
    document = shw_pack_accuracy(&report);
    assert_true(real(document, "mean/classes/1/precision") == 0 &&
                isnan(real(document, "deviation/classes/1/precision")));
    json_decref(document);
    text = print(&report);
    assert_non_null(strstr(text, "predicted void       20.00 ± 28.28 % of the pixels\n"));
    assert_non_null(strstr(text, "      0.00 ±     -"));
    free(text);
    for (int f = 0; f < 2; f++)
        shw_accuracy_destroy(&measured[f].accuracy);
}

/* Forests of depth predict void where there is none, which counts as wrong. */
TESTING_CASE(pixels_without_depth_are_predicted_void)
{
    json_t *document;
    uint64_t missing = 0;

    assert_success(run("shadewood synth -q --holes -n 3 --size 40x30 -o holes"));
    assert_success(
        run("shadewood train -q -t cpu -d holes --channels depth,lab --feature depth-mean-difference --trees 2 "
            "--depth 3 --candidates 20 --pixels 100 -o depth.ktx2"));
    for (int i = 0; i < 3; i++) {
        struct shw_image_file depth;
        char name[40];

        snprintf(name, sizeof name, "work/holes/%05d_depth.png", i);
        assert_int_equal(shw_image_file_read(testing_path(name), NULL, NULL, &depth), SHW_OK);
        assert_int_equal(depth.image.format, SHW_PIXEL_GREY16);
        for (int p = 0; p < 40 * 30; p++)
            missing += ((const uint16_t *)depth.pixels)[p] == 0;
        shw_image_file_free(&depth);
    }
    assert_true(missing > 0);
    document = parse_json(run("shadewood evaluate -q -t cpu -d holes depth.ktx2 --json").out);
    assert_true(real(document, "void_predictions") == (double)missing);
    assert_true(real(document, "pixels") == 3 * 40 * 30);
    assert_int_equal(json_array_size(json_array_get(json_object_get(document, "confusion"), 0)), 21);
    json_decref(document);
    assert_success(run("shadewood evaluate -q -t cpu -d holes depth.ktx2 --overlays overlays"));
    assert_success(run("shadewood evaluate -q -t cpu -d holes --images '{}_colors.png' --labels '{}_ground_truth.png' "
                       "--input 'depth={}_depth.png' depth.ktx2 depth.ktx2"));
}

#define FOREST "-t cpu --trees 1 --candidates 1 --pixels 30 --offset 10 --size 9"

static const char settings[] = "[all]\n# of both commands\nboth = --data $DATA --images '{}.png' --labels '{}_L.png'\n"
                               "train = " FOREST "\nevaluate = -t cpu\n\n[shallow]\ntrain = --depth 2\n"
                               "[deep | 4]\ntrain = --depth 4\n[others]\nforests = shallow\n"
                               "evaluate = --ignore red\n";

static struct run make_table(const char *arguments)
{
    return run("DATA=data python3 '%s' --shadewood \"$SHADEWOOD_PROGRAM\" settings.ini table %s", ACCURACY_TABLE,
               arguments);
}

TESTING_CASE(tables_have_the_means_of_their_forests)
{
    struct run result;
    json_t *document;
    char row[256], *table;

    if (run("python3 -c ''").code != 0)
        testing_skip("python3 is not installed");
    make_file("settings.ini", settings, sizeof settings - 1);
    result = make_table("--seeds 2");
    assert_success(result);
    assert_non_null(strstr(result.err, "deep | 4: training seed 1"));
    assert_null(strstr(result.err, "others: training"));
    table = strdup(result.out);
    document = evaluate("table/shallow/seed0.ktx2 table/shallow/seed1.ktx2");
    snprintf(row, sizeof row, "| shallow | %.2f ± %.2f | %.2f ± %.2f | %.2f ± %.2f | ",
             100 * real(document, "mean/pixel_accuracy"), 100 * real(document, "deviation/pixel_accuracy"),
             100 * real(document, "mean/mean_class_accuracy"), 100 * real(document, "deviation/mean_class_accuracy"),
             100 * real(document, "mean/mean_iou"), 100 * real(document, "deviation/mean_iou"));
    assert_non_null(strstr(table, row));
    json_decref(document);
    document = evaluate("--ignore red table/shallow/seed0.ktx2 table/shallow/seed1.ktx2");
    snprintf(row, sizeof row, "| others | %.2f ± %.2f | ", 100 * real(document, "mean/pixel_accuracy"),
             100 * real(document, "deviation/pixel_accuracy"));
    assert_non_null(strstr(table, row));
    json_decref(document);
    assert_non_null(strstr(table, "\n| deep \\| 4 | "));

    result = make_table("--seeds 2"); /* nothing is left to do */
    assert_success(result);
    assert_string_equal(result.err, "");
    assert_string_equal(result.out, table);
    free(table);
    result = make_table("--seeds 1 --classes");
    assert_success(result);
    assert_null(strstr(result.err, "training"));
    assert_non_null(strstr(result.out, " ± - |"));
    assert_non_null(strstr(result.out, "\n| class | shallow | deep \\| 4 | others |\n"));
    assert_non_null(strstr(result.out, " | - ± - |\n")); /* red where it is ignored */
}

static const char tables[] =
    "[all]\nboth = --data $DATA --images '{}.png' --labels '{}_L.png'\nevaluate = -t cpu\n"
    "[set small]\ntrain = " FOREST " --depth 2\n[table First: of two]\nhead = data; trees\n"
    "[four; 1]\nset = small\n[four; 2]\nset = small\ntrain = --trees 2\n[table Second]\n[ignoring]\nforests = four; 1\n"
    "evaluate = --ignore red\n";

TESTING_CASE(settings_have_several_tables_and_shared_options)
{
    static const char head[] = "First: of two\n\n| data | trees | pixels | ";
    struct run result;
    json_t *document;
    char row[256], *printed;

    if (run("python3 -c ''").code != 0)
        testing_skip("python3 is not installed");
    make_file("settings.ini", tables, sizeof tables - 1);
    result = make_table("--seeds 2 --jobs 2");
    assert_success(result);
    printed = strdup(result.out);
    assert_int_equal(strncmp(printed, head, strlen(head)), 0);
    assert_non_null(strstr(printed, "\n\nSecond\n\n| setting | pixels | "));
    for (int trees = 1; trees <= 2; trees++) {
        document = evaluate(trees == 1 ? "'table/four-1/seed0.ktx2' 'table/four-1/seed1.ktx2'"
                                       : "'table/four-2/seed0.ktx2' 'table/four-2/seed1.ktx2'");
        snprintf(row, sizeof row, "\n| four | %d | %.2f ± %.2f | ", trees, 100 * real(document, "mean/pixel_accuracy"),
                 100 * real(document, "deviation/pixel_accuracy"));
        assert_non_null(strstr(printed, row));
        json_decref(document);
    }
    document = evaluate("--ignore red table/four-1/seed0.ktx2 table/four-1/seed1.ktx2");
    snprintf(row, sizeof row, "\n| ignoring | %.2f ± %.2f | ", 100 * real(document, "mean/pixel_accuracy"),
             100 * real(document, "deviation/pixel_accuracy"));
    assert_non_null(strstr(printed, row));
    json_decref(document);
    free(printed);
}

TESTING_CASE(tables_refuse_what_does_not_fit)
{
    static const struct {
        const char *text, *part;
    } cases[] = {{"[a]\ntrain = --depth 3\n[a]\n", "already exists"},
                 {"[a]\ntrian = --depth 3\n", "'trian'"},
                 {"[all]\ntrain = --depth 3\n", "there is no setting"},
                 {"[a]\ntrain = --data '\n", "[a] train"},
                 {"[a]\ntrain = --data $NOWHERE_AT_ALL\n", "$NOWHERE_AT_ALL"},
                 {"[a b]\n[a-b]\n", "the same folder"},
                 {"[a]\nforests = b\n", "'b'"},
                 {"[a]\n[b]\nforests = a\ntrain = --depth 3\n", "both train and forests"},
                 {"[a]\nset = b\n", "'b', which is no set"},
                 {"[set a]\nforests = b\n", "'forests'"},
                 {"[table t]\nhead = x; y\n[a]\n", "[a] has 1 cells"},
                 {"[shallow]\ntrain = --depth 9\n", "has forests trained with"}};
    struct run result;
    const char *newline;

    if (run("python3 -c ''").code != 0)
        testing_skip("python3 is not installed");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        make_file("settings.ini", cases[i].text, strlen(cases[i].text));
        result = make_table("");
        newline = strchr(result.err, '\n');
        if (result.code != 1 || strncmp(result.err, "accuracy-table: ", 16) != 0 || newline == NULL ||
            newline[1] != '\0' || strstr(result.err, cases[i].part) == NULL)
            fail_msg("%s ends with %d: %s", cases[i].text, result.code, result.err);
    }
    make_file("settings.ini", "[a]\ntrain = --data nowhere\n", 27);
    result = make_table("");
    assert_int_equal(result.code, 1);
    assert_string_equal(result.out, "");
    assert_non_null(strstr(result.err, "accuracy-table: shadewood: cannot open the folder nowhere"));
}

TESTING_FIXTURE(prepare, NULL)
