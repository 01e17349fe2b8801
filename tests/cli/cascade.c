/* Cascades on the command line: import, export and inspect, and that commands of forests tell of them. Inspecting
 * record forests, and importing models as such. */
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include "testing/cascades.h"
#include "testing/random_forest.h"
#include "testing/record_forests.h"

static void save(const char *name, const struct random_cascade_params *params)
{
    struct shw_cascade *cascade = random_cascade(params);

    assert_int_equal(shw_cascade_save(cascade, place(name), NULL), SHW_OK);
    shw_cascade_destroy(&cascade);
}

/* As training leaves one when it is interrupted. */
static void save_checkpoint(const char *name)
{
    struct shw_cascade *cascade = random_cascade(&(struct random_cascade_params){0}), *checkpoint = NULL;
    struct shw_cascade_info info = *shw_cascade_get_info(cascade);

    info.training = "{\"checkpoint\":{}}";
    assert_int_equal(shw_cascade_create(&info, NULL, &checkpoint), SHW_OK);
    assert_int_equal(shw_cascade_save(checkpoint, place(name), NULL), SHW_OK);
    shw_cascade_destroy(&checkpoint);
    shw_cascade_destroy(&cascade);
}

static int prepare(void **state)
{
    struct shw_forest *forest = random_forest(&(struct random_forest_params){.depth = 2});

    (void)state;
    make_data("pairs", 1);
    save("face.ktx2", &(struct random_cascade_params){.has_survivors = true, .planes = {.shrink = 4}});
    save("small.ktx2", &(struct random_cascade_params){.seed = 5, .planes = {.shrink = 1}});
    save("scaled.ktx2", &(struct random_cascade_params){.kind = SHW_CASCADE_SCALED, .stumps = true});
    save("haar.ktx2", &(struct random_cascade_params){.kind = SHW_CASCADE_HAAR, .restarts = true});
    save("lbp.ktx2", &(struct random_cascade_params){.kind = SHW_CASCADE_LBP});
    assert_int_equal(shw_forest_save(forest, place("forest.ktx2"), NULL), SHW_OK);
    shw_forest_destroy(&forest);
    return 0;
}

static char *hash_of(const char *name)
{
    json_t *document = parse_json(run("shadewood inspect %s --json", name).out);
    char *hash = strdup(json_string_value(json_object_get(document, "hash")));

    json_decref(document);
    return hash;
}

/* Tables of a cascade make it again; they are known as ours and may be replaced, but not when somebody changed one. */
TESTING_CASE(test_tables_go_out_and_come_back)
{
    char *before = hash_of("face.ktx2"), *after;
    struct run result;

    assert_success(run("shadewood export --to csv face.ktx2 -o made/tables"));
    assert_int_equal(entry_count("made/tables"), 9);
    assert_success(run("shadewood export --to csv face.ktx2 -o made/tables -q"));
    result = run("shadewood import --from csv made/tables -o again.ktx2");
    assert_success(result);
    assert_non_null(strstr(result.out, "again.ktx2: thing, kind pixels, window 12 x 12, 6 stages"));
    after = hash_of("again.ktx2");
    assert_string_equal(before, after);
    assert_success(run("shadewood import --from csv made/tables/ -o again.ktx2 --name head -q"));
    assert_non_null(strstr(run("shadewood inspect again.ktx2").out, "finds         head"));
    assert_success(run("shadewood import made/tables/ -o told.ktx2 --name head -q && cmp again.ktx2 told.ktx2"));
    assert_success(run("echo 0,1 >made/tables/z2.csv"));
    assert_one_line(run("shadewood import --from csv made/tables -o other.ktx2"), 1, "made/tables/z2.csv", "layer 1",
                    NULL);
    assert_success(run("echo '#' >>made/tables/thr.csv"));
    assert_one_line(run("shadewood export --to csv face.ktx2 -o made/tables"), 1, "made/tables/thr.csv", "--overwrite",
                    NULL);
    assert_success(run("shadewood export --to csv face.ktx2 -o made/tables -q --overwrite && rm made/tables/y2.csv"));
    assert_one_line(run("shadewood import --from csv made/tables -o other.ktx2"), 1, "made/tables/y2.csv", NULL);
    assert_one_line(run("shadewood export --to csv scaled.ktx2 -o none"), 1, "scaled.ktx2", "scaled-pixels", NULL);
    assert_one_line(run("shadewood import --from csv made/tables -o made/tables/x1.csv --overwrite"), 2, "x1.csv",
                    NULL);
    assert_false(exists("none"));
    assert_false(exists("other.ktx2"));
    free(before);
    free(after);
}

TESTING_CASE(test_pico_comes_in)
{
    uint8_t bytes[32] = {[0] = 3, [8] = 1, [12] = 1, [23] = 0x3f, [27] = 0xbf, [30] = 0x80, [31] = 0xbf};
    struct run result;
    json_t *document;

    make_file("cascade.bin", bytes, sizeof bytes);
    result = run("shadewood import --from pico cascade.bin --name face -o pico.ktx2 --json");
    assert_success(result);
    document = parse_json(result.out);
    assert_string_equal(json_string_value(json_object_get(document, "kind")), "scaled-pixels");
    assert_string_equal(json_string_value(json_object_get(document, "name")), "face");
    assert_true(json_is_null(json_object_get(document, "min_score"))); /* its scores do not reach 5 */
    assert_string_equal(
        json_string_value(json_array_get(json_object_get(json_object_get(document, "training"), "files"), 0)),
        "cascade.bin");
    json_decref(document);
    bytes[22] = 0x80; /* 16 */
    bytes[23] = 0x41;
    make_file("far.bin", bytes, sizeof bytes);
    document = parse_json(run("shadewood import --from pico far.bin -o far.ktx2 --json").out);
    assert_true(json_real_value(json_object_get(document, "min_score")) == 5);
    json_decref(document);
    document = parse_json(run("shadewood import --from pico far.bin -o far.ktx2 --min-score -2.5 --json").out);
    assert_true(json_real_value(json_object_get(document, "min_score")) == -2.5);
    json_decref(document);
    make_file("short.bin", bytes, sizeof bytes - 1);
    assert_success(run("shadewood import cascade.bin --name face -o told.ktx2 -q && cmp pico.ktx2 told.ktx2"));
    assert_one_line(run("shadewood import --from pico short.bin -o short.ktx2"), 1, "short.bin: 31 bytes", NULL);
    assert_false(exists("short.ktx2"));
    assert_success(run("echo mine >mine.ktx2"));
    assert_one_line(run("shadewood import --from pico cascade.bin -o mine.ktx2"), 1, "mine.ktx2", "--overwrite", NULL);
    assert_one_line(run("shadewood import --from pico cascade.bin -o forest.ktx2"), 1, "forest.ktx2", NULL);
    save_checkpoint("face.checkpoint");
    assert_one_line(run("shadewood import --from pico cascade.bin -o face.checkpoint"), 1, "face.checkpoint", NULL);
    assert_success(run("shadewood import --from pico cascade.bin -o pico.ktx2 -q"));
}

TESTING_CASE(test_opencv_comes_in)
{
    static const char text[] =
        "<?xml version=\"1.0\"?>\n<opencv_storage>\n<plate type_id=\"opencv-haar-classifier\"><size>9 8</size>\n"
        "<stages><_><trees><_><_><feature><rects><_>1 1 4 4 -1.</_><_>1 1 2 4 "
        "2.</_></rects><tilted>0</tilted></feature>\n"
        "<threshold>0.01</threshold><left_val>0.5</left_val><right_val>-1</right_val></_></_></trees>\n"
        "<stage_threshold>0.25</stage_threshold><parent>-1</parent><next>-1</next></_></stages></plate>\n"
        "</opencv_storage>\n";
    struct run result;
    json_t *document;

    make_file("plate.xml", text, sizeof text - 1);
#if !SHW_HAS_XML
    assert_one_line(run("shadewood import --from opencv plate.xml -o plate.ktx2"), 1, "plate.xml", "libexpat1-dev",
                    NULL);
    return;
#endif
    result = run("shadewood import --from opencv plate.xml --name plate -o plate.ktx2 --json");
    assert_success(result);
    document = parse_json(result.out);
    assert_string_equal(json_string_value(json_object_get(document, "kind")), "haar");
    assert_string_equal(json_string_value(json_object_get(document, "name")), "plate");
    assert_true(json_real_value(json_object_get(document, "min_score")) ==
                json_real_value(json_object_get(json_array_get(json_object_get(document, "stages"), 0), "threshold")));
    json_decref(document);
    make_file("cut.xml", text, sizeof text - 20);
    assert_success(run("shadewood import plate.xml --name plate -o told.ktx2 -q && cmp plate.ktx2 told.ktx2"));
    assert_one_line(run("shadewood import --from opencv cut.xml -o cut.ktx2"), 1, "cut.xml, line 6", NULL);
    result =
        run("sed 's/1 1 4 4/1 1 9 4/' plate.xml >wide.xml && shadewood import --from opencv wide.xml -o wide.ktx2");
    assert_one_line(result, 1, "wide.xml: feature 0: rectangle 0", NULL);
    assert_false(exists("wide.ktx2"));
}

TESTING_CASE(test_inspect_shows_cascades)
{
    static const char *const names[] = {"face.ktx2", "scaled.ktx2", "haar.ktx2", "lbp.ktx2"};
    static const char *const kinds[] = {"pixels", "scaled-pixels", "haar", "lbp"};
    static const char *const tests[] = {") > ", ") > ", " >= ", "is not in"};

    for (int k = 0; k < 4; k++) {
        struct run result = run("shadewood inspect %s", names[k]);
        json_t *document, *nodes, *node;
        size_t n;
        char line[64];
        assert_success(result);
        snprintf(line, sizeof line, "kind          %s\n", kinds[k]);
        assert_non_null(strstr(result.out, line));
        assert_int_equal(strstr(result.out, "windows left after stages") != NULL, k == 0);
        document = parse_json(run("shadewood inspect %s --json", names[k]).out);
        assert_string_equal(json_string_value(json_object_get(document, "kind")), kinds[k]);
        assert_int_equal(json_array_size(json_object_get(document, "stages")), 6);
        assert_int_equal(json_array_size(json_object_get(document, "survivors")), k == 0 ? 7 : 0);
        json_decref(document);
        result = run("shadewood inspect %s --tree 0", names[k]);
        assert_success(result);
        assert_non_null(strstr(result.out, tests[k]));
        assert_non_null(strstr(result.out, "leaf: "));
        document = parse_json(run("shadewood inspect %s --tree 0 --json", names[k]).out);
        nodes = json_object_get(document, "nodes");
        assert_true(json_array_size(nodes) >= 3);
        json_array_foreach(nodes, n, node)
            assert_true((json_object_get(node, "left") != NULL) != (json_object_get(node, "value") != NULL));
        json_decref(document);
        assert_success(run("shadewood inspect %s --texture texture%d.png && test -s texture%d.png", names[k], k, k));
    }
    assert_one_line(run("shadewood inspect face.ktx2 --tree 1000"), 2, "cascade has trees 0 to ", NULL);
}

static void save_records(const char *name, const struct random_record_forest_params *params)
{
    struct shw_record_forest *forest = random_record_forest(params);

    assert_int_equal(shw_record_forest_save(forest, place(name), NULL), SHW_OK);
    shw_record_forest_destroy(&forest);
}

TESTING_CASE(test_inspect_shows_record_forests)
{
    struct run result;
    json_t *document, *nodes;

    save_records("irises.ktx2", &(struct random_record_forest_params){
                                    .shape = TREE_BALANCED, .trees = 2, .depth = 3, .mean = true, .names = true});
    save_records("prices.ktx2", &(struct random_record_forest_params){
                                    .shape = TREE_LEAF, .trees = 4, .outputs = 2, .task = SHW_RECORD_VALUES});
    result = run("shadewood inspect irises.ktx2");
    assert_success(result);
    assert_non_null(strstr(result.out, "  predicts      3 classes, by the greatest of as many outputs\n"));
    assert_non_null(strstr(result.out, "  trees         2, 30 nodes, 16 leaves\n"));
    assert_non_null(strstr(result.out, "  depth         of trees: 3 to 3 tests\n"));
    result = run("shadewood inspect prices.ktx2");
    assert_success(result);
    assert_non_null(strstr(result.out, "  predicts      2 numbers\n"));
    assert_null(strstr(result.out, "attributes by tests"));
    document = parse_json(run("shadewood inspect irises.ktx2 --json").out);
    assert_string_equal(json_string_value(json_object_get(document, "task")), "classes");
    assert_int_equal(json_array_size(json_object_get(document, "attribute_names")), 7);
    assert_int_equal(json_integer_value(json_object_get(document, "depth_max")), 3);
    json_decref(document);
    result = run("shadewood inspect irises.ktx2 --tree 1");
    assert_success(result);
    assert_non_null(strstr(result.out, "     0  right to 2, else to 1, if attribute "));
    assert_non_null(strstr(result.out, "    14  leaf 7: "));
    document = parse_json(run("shadewood inspect irises.ktx2 --tree 1 --json").out);
    nodes = json_object_get(document, "nodes");
    assert_int_equal(json_array_size(nodes), 15);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(nodes, 6), "right")), 14);
    assert_int_equal(json_array_size(json_object_get(json_array_get(nodes, 7), "values")), 3);
    json_decref(document);
    assert_success(run("shadewood inspect irises.ktx2 --texture trees.png && test -s trees.png"));
    assert_one_line(run("shadewood inspect irises.ktx2 --tree 2"), 2, "the record forest has trees 0 to 1", NULL);
}

static const char model[] =
    "{\"format\": \"record-trees\", \"version\": 1, \"task\": \"values\", \"attributes\": 2, \"outputs\": 1, "
    "\"trees\": [{\"children_left\": [1, -1, -1], \"children_right\": [2, -1, -1], \"feature\": [1, 0, 0], "
    "\"threshold\": [0.5, 0, 0], \"value\": [0, 3, 7]}]}";

TESTING_CASE(test_models_are_imported)
{
    struct run result;
    json_t *document;

    assert_success(run("printf '%%s' '%s' >model.json && gzip -k model.json", model));
    result = run("shadewood import model.json -o model.ktx2 --json");
    assert_success(result);
    document = parse_json(result.out);
    assert_int_equal(json_integer_value(json_object_get(document, "nodes")), 3);
    assert_string_equal(json_string_value(json_object_get(document, "task")), "values");
    json_decref(document);
    result = run("shadewood import --from trees model.json.gz -o model.ktx2");
    assert_success(result);
    assert_non_null(strstr(result.out, "model.ktx2: 1 tree, 3 nodes, depth 1, 2 attributes, 1 value (hash "));
    result = run("shadewood inspect model.json.gz");
    assert_success(result);
    assert_non_null(strstr(result.out, "  trees         1, 3 nodes, 2 leaves\n"));
    assert_success(run("printf '9,0.5\n9,0.75\n' >table.csv && shadewood records model.ktx2 table.csv -o own.csv -q && "
                       "shadewood records model.json table.csv -o same.csv -q && cmp own.csv same.csv && "
                       "grep -q 3 own.csv && grep -q 7 own.csv"));
    assert_one_line(run("shadewood import --from xgboost model.json -o other.ktx2"), 1, "model.json", "\"learner\"",
                    NULL);
    assert_one_line(run("shadewood import table.csv -o other.ktx2"), 1, "table.csv: neither a record forest", NULL);
    assert_one_line(run("shadewood import missing.json -o other.ktx2"), 1, "missing.json", NULL);
    assert_one_line(run("shadewood import model.json -o table.csv"), 1, "table.csv", "--overwrite", NULL);
    assert_one_line(run("shadewood import model.json -o model.json --overwrite"), 2, "model.json", NULL);
    assert_one_line(run("shadewood inspect table.csv"), 1, "table.csv", NULL);
    assert_success(run("test ! -e other.ktx2"));
}

/* A file of somebody else's is not replaced without a word, one that was exported is. */
TESTING_CASE(test_record_forests_are_exported)
{
    struct run result;
    json_t *document;

    save_records("plums.ktx2", &(struct random_record_forest_params){.seed = 3});
    assert_success(
        run("shadewood export --to trees plums.ktx2 -o plums.json && shadewood import plums.json -o again.ktx2"
            " --overwrite -q"));
    result = run("shadewood inspect plums.ktx2 >1.txt && shadewood inspect again.ktx2 >2.txt && "
                 "grep -h hash 1.txt 2.txt | sort -u | wc -l");
    assert_success(result);
    assert_int_equal(atoi(result.out), 1);
    document = parse_json(run("shadewood export --to trees plums.ktx2 -o plums.json --json").out);
    assert_int_equal(json_integer_value(json_object_get(document, "trees")), 5);
    json_decref(document);
    assert_one_line(run("echo >>plums.json && shadewood export --to trees plums.ktx2 -o plums.json"), 1, "plums.json",
                    "--overwrite", NULL);
    assert_one_line(run("shadewood export --to trees face.ktx2 -o none.json && test -e none.json"), 1, "face.ktx2",
                    NULL);
    assert_one_line(run("shadewood export --to trees --combine mean plums.ktx2 -o none.json"), 2, "--combine", NULL);
}

/* The record counts the windows that were tested, those that are found, and all between them. */
TESTING_CASE(test_survivors_are_recorded)
{
    char *before = hash_of("small.ktx2"), *after;
    json_t *document, *survivors;
    size_t rows;

    assert_success(run("shadewood detect small.ktx2 pairs/00.png --raw --no-pictures -o found -q --survivors "
                       "measured.ktx2"));
    after = hash_of("measured.ktx2");
    assert_string_equal(before, after);
    document = parse_json(run("shadewood inspect measured.ktx2 --json").out);
    survivors = json_object_get(document, "survivors");
    assert_int_equal(json_array_size(survivors), 7);
    for (size_t s = 0; s < 6; s++)
        assert_true(json_integer_value(json_array_get(survivors, s)) >=
                    json_integer_value(json_array_get(survivors, s + 1)));
    rows = strtoul(run("grep -c , found/windows.csv").out, NULL, 10) - 1; /* but for the heading */
    assert_true(rows > 0);
    assert_int_equal(json_integer_value(json_array_get(survivors, 6)), rows);
    /* windows of 12 x 12 on 48 x 40 and 34 x 28 pixels, and so on down to 14 x 12 by factors of sqrt(2) */
    assert_int_equal(json_integer_value(json_array_get(survivors, 0)), 37 * 29 + 23 * 17 + 13 * 9 + 6 * 3);
    assert_non_null(strstr(run("shadewood inspect measured.ktx2").out, "windows left after stages"));
    assert_success(run("shadewood detect measured.ktx2 pairs/00.png -o found -q --overwrite"));
    assert_one_line(run("shadewood detect face.ktx2 pairs/00.png --no-pictures -o empty -q --survivors none.ktx2"), 1,
                    "none.ktx2 is not written: no window was tested", NULL);
    assert_one_line(run("shadewood detect small.ktx2 pairs/00.png -o none2 -t compute --survivors none.ktx2"), 2,
                    "--survivors and --technique compute exclude each other", NULL);
    assert_one_line(run("shadewood detect small.ktx2 pairs/00.png -o none3 -q --survivors forest.ktx2"), 1,
                    "forest.ktx2", NULL);
    assert_false(exists("none.ktx2"));
    json_decref(document);
    free(before);
    free(after);
}

/* Each command says what it was given. */
TESTING_CASE(test_forests_and_cascades_are_told_apart)
{
    static const char *const lines[] = {"label face.ktx2 pairs/00.png -o none", "evaluate -d pairs face.ktx2",
                                        "explain face.ktx2 pairs/00.png 1 1", "export --to curfil face.ktx2 -o none"};

    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_one_line(run("shadewood %s", lines[i]), 1,
                        "face.ktx2: it is a cascade, which finds objects (shadewood detect), not a forest", NULL);
    assert_one_line(run("shadewood detect forest.ktx2 pairs/00.png -o none"), 1,
                    "forest.ktx2: it is a forest, which labels pixels (shadewood label), not a cascade", NULL);
    assert_one_line(run("shadewood export --to csv forest.ktx2 -o none"), 1,
                    "forest.ktx2: it is a forest, which labels pixels (shadewood label), not a cascade", NULL);
    assert_false(exists("none"));
}

TESTING_FIXTURE(prepare, NULL)
