/* ONNX models: what they say of records, what encodings are read, and what is refused. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/record_formats.h"
#include "formats/record_models.h"
#include "testing/record_forests.h"

TESTING_CASE(test_models)
{
    static const char *const names[] = {"binary",  "binary-raw", "binary-positive", "binary-logistic",
                                        "classes", "each-class", "turns",           "zero",
                                        "targets", "double",     "probit",          "ensemble"};
    char name[64];

    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        snprintf(name, sizeof name, "onnx-%s.onnx", names[m]);
        check_record_model(name);
    }
}

/* A message that is written; the longest one of these tests is far shorter. */
struct message {
    uint8_t bytes[8192];
    size_t size;
};

static void put_varint(struct message *message, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        message->bytes[message->size++] = (uint8_t)(value | 0x80);
    message->bytes[message->size++] = (uint8_t)value;
}

static void put_bytes(struct message *message, uint32_t field, const void *bytes, size_t size)
{
    put_varint(message, field << 3 | 2);
    put_varint(message, size);
    assert_true(message->size + size <= sizeof message->bytes);
    memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

static void put_text(struct message *message, uint32_t field, const char *text)
{
    put_bytes(message, field, text, strlen(text));
}

static void put_message(struct message *message, uint32_t field, const struct message *inside)
{
    put_bytes(message, field, inside->bytes, inside->size);
}

static void put_raw(struct message *message, const void *bytes, size_t size)
{
    memcpy(message->bytes + message->size, bytes, size);
    message->size += size;
}

/* One number of a kind: 'i' whole, 'f' float32, 'd' float64. With `field`, what is before it in a list. */
static void put_number(struct message *message, char kind, uint32_t field, const char *text)
{
    const float single = strtof(text, NULL);
    const double value = strtod(text, NULL);

    if (field != 0)
        put_varint(message, field << 3 | (kind == 'i' ? 0 : kind == 'f' ? 5 : 1));
    if (kind == 'i')
        put_varint(message, (uint64_t)strtoll(text, NULL, 10));
    else if (kind == 'f')
        put_raw(message, &single, sizeof single);
    else
        put_raw(message, &value, sizeof value);
}

/* An attribute's contents from a text KIND:WORDS. Kinds: i and f, lists of numbers; I and F, packed; s, list of texts;
 * n, a number; t, a text; D, a tensor of float64 in raw bytes; d, in a list; E, a tensor elsewhere; B, bytes. */
static void put_contents(struct message *attribute, const char *contents)
{
    static const struct {
        char kind, number;
        uint32_t field;
    } lists[] = {{'i', 'i', 8}, {'I', 'i', 8}, {'f', 'f', 7}, {'F', 'f', 7},
                 {'n', 'i', 3}, {'D', 'd', 9}, {'d', 'd', 10}};
    struct message packed = {.size = 0}, tensor = {.size = 0};
    const char kind = *contents;
    char words[512], *rest = words;

    snprintf(words, sizeof words, "%s", contents + 2);
    for (char *word = strtok_r(rest, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (kind == 's' || kind == 't')
            put_text(attribute, kind == 's' ? 9 : 4, word);
        for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
            const bool in_list = kind == 'i' || kind == 'f' || kind == 'n' || kind == 'd';
            struct message *to = kind == 'd' ? &tensor : in_list ? attribute : &packed;
            if (lists[l].kind == kind)
                put_number(to, lists[l].number, in_list ? lists[l].field : 0, word);
        }
        if (kind == 'B')
            packed.bytes[packed.size++] = (uint8_t)atoi(word);
    }
    if (kind == 'I' || kind == 'F')
        put_message(attribute, kind == 'I' ? 8 : 7, &packed);
    if (strchr("DdEB", kind) != NULL) {
        put_number(&tensor, 'i', 2, kind == 'B' ? "2" : "11");
        if (kind == 'E')
            put_number(&tensor, 'i', 14, "1");
        if (kind == 'D' || kind == 'B')
            put_message(&tensor, 9, &packed);
        put_message(attribute, 5, &tensor);
    }
}

static void put_attribute(struct message *node, const char *name, const char *contents)
{
    struct message attribute = {.size = 0};

    put_text(&attribute, 1, name);
    put_contents(&attribute, contents);
    put_message(node, 5, &attribute);
}

struct attribute {
    const char *name, *contents; /* NULL: it is left out */
};

/* Puts a node; attributes of `changes` replace those of `attributes`. */
static void put_node(struct message *graph, const char *type, const char *domain, const char *input,
                     const struct attribute *attributes, const struct attribute *changes)
{
    struct message node = {.size = 0};
    char output[64];

    snprintf(output, sizeof output, "%s.out", type);
    put_text(&node, 1, input);
    put_text(&node, 2, output);
    put_text(&node, 4, type);
    put_text(&node, 7, domain);
    for (; attributes->name != NULL; attributes++) {
        const char *contents = attributes->contents;
        for (const struct attribute *change = changes; change->name != NULL; change++)
            contents = strcmp(change->name, attributes->name) == 0 ? change->contents : contents;
        if (contents != NULL)
            put_attribute(&node, attributes->name, contents);
    }
    put_message(graph, 1, &node);
}

static struct message make_model(const struct message *graph)
{
    struct message model = {.size = 0};

    put_number(&model, 'i', 1, "8");
    put_message(&model, 7, graph);
    return model;
}

/* Reads a model; `message`, if not NULL, is what the one error says. */
static struct shw_record_forest *parse(const struct message *model, enum shw_result expected, const char *message)
{
    struct testing_log memory = {0};
    struct shw_log log = testing_log(&memory);
    struct shw_record_forest *forest = NULL;
    enum shw_result result = shw_record_model_read(
        &(const struct shw_import_source){.bytes = model->bytes, .size = model->size, .name = "m"}, "onnx", &log,
        &forest);

    if (result != expected)
        fail_msg("%d instead of %d (%s): %s", result, expected, message != NULL ? message : "", memory.last);
    if (message != NULL && strstr(memory.last, message) == NULL)
        fail_msg("\"%s\" is not in \"%s\"", message, memory.last);
    assert_int_equal(memory.errors, expected != SHW_OK);
    return forest;
}

static const struct attribute nothing = {NULL, NULL};

static const struct attribute regressor[] = {
    {"n_targets", "n:1"},
    {"nodes_treeids", "i:0 0 0"},
    {"nodes_nodeids", "i:0 1 2"},
    {"nodes_featureids", "i:1 0 0"},
    {"nodes_modes", "s:BRANCH_LEQ LEAF LEAF"},
    {"nodes_values", "f:0.5 0 0"},
    {"nodes_truenodeids", "i:1 0 0"},
    {"nodes_falsenodeids", "i:2 0 0"},
    {"nodes_missing_value_tracks_true", NULL},
    {"target_treeids", "i:0 0"},
    {"target_nodeids", "i:1 2"},
    {"target_ids", "i:0 0"},
    {"target_weights", "f:1 -1"},
    {"base_values", NULL},
    {"base_values_as_tensor", NULL},
    {"nodes_values_as_tensor", NULL},
    {"post_transform", NULL},
    {"aggregate_function", NULL},
    {NULL, NULL},
};

static const struct attribute classifier[] = {
    {"nodes_treeids", "i:0 0 0"},      {"nodes_nodeids", "i:0 1 2"},
    {"nodes_featureids", "i:1 0 0"},   {"nodes_modes", "s:BRANCH_LEQ LEAF LEAF"},
    {"nodes_values", "f:0.5 0 0"},     {"nodes_truenodeids", "i:1 0 0"},
    {"nodes_falsenodeids", "i:2 0 0"}, {"class_treeids", "i:0 0"},
    {"class_nodeids", "i:1 2"},        {"class_ids", "i:0 0"},
    {"class_weights", "f:1 -1"},       {"classlabels_int64s", "i:0 1"},
    {"classlabels_strings", NULL},     {"base_values", NULL},
    {"post_transform", NULL},          {NULL, NULL},
};

static const struct attribute ensemble[] = {
    {"n_targets", "n:1"},           {"tree_roots", "i:0"},         {"nodes_featureids", "i:0 1"},
    {"nodes_modes", "B:0 6"},       {"nodes_splits", "d:0.5 0"},   {"membership_values", "d:1 2 nan"},
    {"nodes_truenodeids", "i:0 1"}, {"nodes_trueleafs", "i:1 1"},  {"nodes_falsenodeids", "i:1 2"},
    {"nodes_falseleafs", "i:0 1"},  {"leaf_targetids", "i:0 0 0"}, {"leaf_weights", "d:1 2 3"},
    {"aggregate_function", NULL},   {"post_transform", NULL},      {NULL, NULL},
};

static struct shw_record_forest *parse_changed(const char *type, const struct attribute *attributes,
                                               const struct attribute *changes, enum shw_result expected,
                                               const char *message)
{
    struct message graph = {.size = 0}, model;

    put_node(&graph, type, "ai.onnx.ml", "X", attributes, changes);
    model = make_model(&graph);
    return parse(&model, expected, message);
}

struct refusal {
    const char *name, *contents, *message;
    enum shw_result result;
};

static void check_refusals(const char *type, const struct attribute *attributes, const struct refusal *refusals,
                           size_t count)
{
    for (size_t r = 0; r < count; r++) {
        const struct attribute changes[] = {{refusals[r].name, refusals[r].contents}, nothing};
        shw_record_forest_destroy(&(struct shw_record_forest *){
            parse_changed(type, attributes, changes, refusals[r].result, refusals[r].message)});
    }
}

TESTING_CASE(test_lists)
{
    static const struct refusal refusals[] = {
        {"nodes_treeids", NULL, "nodes_treeids is empty", SHW_ERROR_FORMAT},
        {"nodes_nodeids", "i:0 1", "nodes_nodeids has 2 elements; there must be 3", SHW_ERROR_FORMAT},
        {"nodes_nodeids", "i:0 1 1", "tree 0, node 1: it is there twice", SHW_ERROR_FORMAT},
        {"nodes_nodeids", "i:0 1 -2", "element 2 of nodes_nodeids is -2", SHW_ERROR_FORMAT},
        {"nodes_nodeids", "f:0 1 2", "nodes_nodeids has 0 elements", SHW_ERROR_FORMAT},
        {"nodes_featureids", "i:-1 0 0", "element 0 of nodes_featureids is -1; it must be in 0..65535",
         SHW_ERROR_FORMAT},
        {"nodes_modes", "s:BRANCH_LIKE LEAF LEAF", "tree 0, node 0: the mode \"BRANCH_LIKE\" is not supported",
         SHW_ERROR_FORMAT},
        {"nodes_modes", "s:BRANCH_LEQ BRANCH_LEQ LEAF", "tree 0, node 0: it is below itself", SHW_ERROR_FORMAT},
        {"nodes_values", "f:nan 0 0", "tree 0, node 0: its value is NaN", SHW_ERROR_FORMAT},
        {"nodes_values", "i:0 0 0", "nodes_values has 0 elements", SHW_ERROR_FORMAT},
        {"nodes_values_as_tensor", "d:0.5 0 0", "nodes_values is there as a list and as a tensor", SHW_ERROR_FORMAT},
        {"nodes_values", "E:", "in another file, is not supported", SHW_ERROR_FORMAT},
        {"nodes_values", "B:0 0 0", "elements of the type 2", SHW_ERROR_FORMAT},
        {"nodes_truenodeids", "i:3 0 0", "tree 0, node 0: nodes_truenodeids is 3, which is not a node of the tree",
         SHW_ERROR_FORMAT},
        {"nodes_truenodeids", "i:0 0 0", "tree 0, node 0: it is not reached from the root", SHW_ERROR_FORMAT},
        {"nodes_truenodeids", "i:2 0 0", "tree 0, leaf 1: it is not reached", SHW_ERROR_FORMAT},
        {"nodes_missing_value_tracks_true", "i:1", "tracks_true has 1 elements", SHW_ERROR_FORMAT},
        {"target_treeids", "i:0 0 0", "target_nodeids has 2 elements; there must be 3", SHW_ERROR_FORMAT},
        {"target_nodeids", "i:1 7", "tree 0, node 7: it has a weight, but is not among the nodes", SHW_ERROR_FORMAT},
        {"target_ids", "i:0 1", "1 outputs, and weights for output 1", SHW_ERROR_FORMAT},
        {"target_ids", "i:0 -1", "outputs is -1", SHW_ERROR_FORMAT},
        {"target_weights", "f:1 inf", "tree 0, node 2: its weight is not a finite number", SHW_ERROR_FORMAT},
        {"n_targets", "n:0", "0 outputs", SHW_ERROR_FORMAT},
        {"n_targets", "n:4097", "1 to 4096 outputs are supported", SHW_ERROR_FORMAT},
        {"base_values", "f:1 2", "base_values has 2 elements; there must be 1", SHW_ERROR_FORMAT},
        {"base_values", "f:inf", "element 0 of base_values is not a finite number", SHW_ERROR_FORMAT},
        {"post_transform", "t:HARDMAX", "post_transform", SHW_ERROR_FORMAT},
        {"aggregate_function", "t:MAX", "neither SUM nor AVERAGE", SHW_ERROR_FORMAT},
    };

    shw_record_forest_destroy(
        &(struct shw_record_forest *){parse_changed("TreeEnsembleRegressor", regressor, &nothing, SHW_OK, NULL)});
    check_refusals("TreeEnsembleRegressor", regressor, refusals, sizeof refusals / sizeof *refusals);
}

TESTING_CASE(test_classes)
{
    static const struct refusal refusals[] = {
        {"classlabels_strings", "s:a b", "either classlabels_int64s or classlabels_strings", SHW_ERROR_FORMAT},
        {"classlabels_int64s", NULL, "either classlabels_int64s or classlabels_strings", SHW_ERROR_FORMAT},
        {"classlabels_int64s", "i:5", "one class", SHW_ERROR_FORMAT},
        {"class_ids", "i:0 2", "2 outputs, and weights for output 2", SHW_ERROR_FORMAT},
        {"post_transform", "t:SOFTMAX", "a sum for one of two classes", SHW_ERROR_FORMAT},
        {"base_values", "f:1 2", "base_values has 2 elements; there must be 1", SHW_ERROR_FORMAT},
    };

    shw_record_forest_destroy(
        &(struct shw_record_forest *){parse_changed("TreeEnsembleClassifier", classifier, &nothing, SHW_OK, NULL)});
    check_refusals("TreeEnsembleClassifier", classifier, refusals, sizeof refusals / sizeof *refusals);
}

/* onnxruntime takes another class where the sum is between 0 and 0.5. */
TESTING_CASE(test_a_probability_of_weights_above_0)
{
    const struct attribute changes[] = {{"class_weights", "f:1 0.25"}, {"post_transform", "t:LOGISTIC"}, nothing};
    struct shw_record_forest *forest =
        parse_changed("TreeEnsembleClassifier", classifier, changes, SHW_OK, "no weight is below 0");
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);

    assert_int_equal(info->link, SHW_RECORD_LOGISTIC);
    assert_true(info->output_count == 1 && info->cut == 0);
    shw_record_forest_destroy(&forest);
}

/* A test for one number below a test that lets through what is at most that number. */
TESTING_CASE(test_equal_below_at_most)
{
    const struct attribute changes[] = {
        {"nodes_treeids", "i:0 0 0 0 0"},      {"nodes_nodeids", "i:0 1 2 3 4"},
        {"nodes_featureids", "i:0 0 0 0 0"},   {"nodes_modes", "s:BRANCH_LEQ BRANCH_EQ LEAF LEAF LEAF"},
        {"nodes_values", "f:0.5 0.5 0 0 0"},   {"nodes_truenodeids", "i:1 3 0 0 0"},
        {"nodes_falsenodeids", "i:2 4 0 0 0"}, {"target_treeids", "i:0 0 0"},
        {"target_nodeids", "i:2 3 4"},         {"target_ids", "i:0 0 0"},
        {"target_weights", "f:1 2 3"},         nothing};
    static const float values[] = {0.75f, 0.5f, 0.49999997f, -1};
    static const uint32_t leaves[] = {2, 3, 4, 4};
    struct shw_record_forest *forest = parse_changed("TreeEnsembleRegressor", regressor, changes, SHW_OK, NULL);
    struct plain_results results = plain_evaluate(forest, values, 4, 1, 1, NULL);

    for (uint32_t r = 0; r < 4; r++)
        assert_int_equal(record_leaf_source(shw_record_forest_get_info(forest), 0, results.leaves[r]), leaves[r]);
    plain_results_free(&results);
    shw_record_forest_destroy(&forest);
}

TESTING_CASE(test_tree_ensemble)
{
    static const struct refusal refusals[] = {
        {"tree_roots", NULL, "tree_roots is empty", SHW_ERROR_FORMAT},
        {"tree_roots", "i:2", "element 0 of tree_roots is 2; it must be in 0..1", SHW_ERROR_FORMAT},
        {"tree_roots", "i:0 1", "node 1 is of more than one tree", SHW_ERROR_FORMAT},
        {"nodes_modes", "B:0 7", "element 1 of nodes_modes is 7; it must be in 0..6", SHW_ERROR_FORMAT},
        {"nodes_modes", "B:6 6", "membership_values has 1 sets; there must be 2", SHW_ERROR_FORMAT},
        {"nodes_modes", "D:0 1", "elements of the type 11", SHW_ERROR_FORMAT},
        {"nodes_splits", "d:nan 0", "node 0: its value is NaN", SHW_ERROR_FORMAT},
        {"nodes_falsenodeids", "i:0 2", "node 0: it is below itself", SHW_ERROR_FORMAT},
        {"nodes_falsenodeids", "i:1 3", "element 1 of nodes_falsenodeids is 3; it must be in 0..2", SHW_ERROR_FORMAT},
        {"leaf_targetids", "i:0 0", "leaf_targetids has 2 elements; there must be 3", SHW_ERROR_FORMAT},
        {"leaf_weights", NULL, "leaf_targetids has 3 elements; there must be 0", SHW_ERROR_FORMAT},
        {"aggregate_function", "n:2", "neither SUM nor AVERAGE", SHW_ERROR_FORMAT},
        {"aggregate_function", "n:-1", "neither SUM nor AVERAGE", SHW_ERROR_FORMAT},
        {"post_transform", "n:5", "post_transform is not in 0..4", SHW_ERROR_FORMAT},
    };
    /* Unreached nodes are not of any tree. */
    const struct attribute changes[] = {{"nodes_falseleafs", "i:1 1"}, nothing};
    struct shw_record_forest *forest;

    check_refusals("TreeEnsemble", ensemble, refusals, sizeof refusals / sizeof *refusals);
    forest = parse_changed("TreeEnsemble", ensemble, changes, SHW_OK, NULL);
    assert_int_equal(shw_record_forest_get_info(forest)->node_count, 3);
    shw_record_forest_destroy(&forest);
}

/* Lists may be packed, and reals may be tensors of either encoding: the forest is the same. */
TESTING_CASE(test_encodings)
{
    const struct attribute changes[] = {{"nodes_treeids", "I:0 0 0"},
                                        {"nodes_nodeids", "I:0 1 2"},
                                        {"nodes_values", "F:0.5 0 0"},
                                        {"target_weights", NULL},
                                        {"nodes_missing_value_tracks_true", "i:0 0 0"},
                                        {"post_transform", "t:NONE"},
                                        {"target_weights", "D:1 -1"},
                                        {"aggregate_function", "t:SUM"},
                                        {"base_values_as_tensor", "d:0"},
                                        nothing};
    struct shw_record_forest *plain = parse_changed("TreeEnsembleRegressor", regressor, &nothing, SHW_OK, NULL);
    struct shw_record_forest *other = parse_changed("TreeEnsembleRegressor", regressor, changes, SHW_OK, NULL);

    assert_true(shw_record_forest_hash(plain) == shw_record_forest_hash(other));
    assert_int_equal(shw_record_forest_get_info(plain)->attribute_count, 2);
    shw_record_forest_destroy(&other);
    shw_record_forest_destroy(&plain);
}

static void check_graph(const char *type, const char *domain, const char *input, const struct attribute *attributes,
                        enum shw_result expected, const char *message)
{
    struct message graph = {.size = 0}, model;

    put_node(&graph, "TreeEnsembleClassifier", "ai.onnx.ml", "X", classifier, &nothing);
    put_node(&graph, type, domain, input, attributes, &nothing);
    model = make_model(&graph);
    shw_record_forest_destroy(&(struct shw_record_forest *){parse(&model, expected, message)});
}

/* What surrounds the ensemble must not change what it says. */
TESTING_CASE(test_graphs)
{
    static const char *const label = "TreeEnsembleClassifier.out";
    const struct attribute to_text[] = {{"to", "n:8"}, nothing}, to_float[] = {{"to", "n:1"}, nothing};
    const struct attribute l2[] = {{"norm", "t:L2"}, nothing}, l1[] = {{"norm", "t:L1"}, nothing};
    struct message graph = {.size = 0}, model;

    check_graph("Cast", "", label, to_text, SHW_OK, NULL);
    check_graph("Cast", "", "scores", to_float, SHW_OK, NULL);
    check_graph("Cast", "", "scores", to_text, SHW_ERROR_FORMAT, "the node Cast, whose output is \"Cast.out\"");
    check_graph("Identity", "ai.onnx", "scores", &nothing, SHW_OK, NULL);
    check_graph("ZipMap", "ai.onnx.ml", "scores", &nothing, SHW_OK, NULL);
    check_graph("ZipMap", "", "scores", &nothing, SHW_ERROR_FORMAT, "the node ZipMap");
    check_graph("Normalizer", "ai.onnx.ml", "scores", l2, SHW_ERROR_FORMAT, "the node Normalizer");
    check_graph("Normalizer", "ai.onnx.ml", "scores", l1, SHW_ERROR_FORMAT, "need not sum to 1");
    check_graph("Scaler", "ai.onnx.ml", "X", &nothing, SHW_ERROR_FORMAT, "the node Scaler");
    check_graph("TreeEnsembleRegressor", "ai.onnx.ml", "X", regressor, SHW_ERROR_FORMAT, "a second ensemble");
    model = make_model(&graph);
    parse(&model, SHW_ERROR_FORMAT, "there is no ensemble of trees");
}

/* Every file of the fixtures, cut off anywhere, is refused with one line or, past its graph, read. */
TESTING_CASE(test_cut_off)
{
    struct shw_file_bytes file = read_record_model("onnx-ensemble.onnx");
    struct message model;

    assert_true(file.size <= sizeof model.bytes);
    for (model.size = 0; model.size + 40 < file.size; model.size++) {
        memcpy(model.bytes, file.bytes, model.size);
        parse(&model, SHW_ERROR_FORMAT, "m: ");
    }
    shw_file_bytes_free(&file);
    model.size = 4;
    memcpy(model.bytes, "\x3a\x02\x0b\x0c", 4); /* a graph with groups, which are obsolete */
    parse(&model, SHW_ERROR_FORMAT, "the graph is damaged");
}
