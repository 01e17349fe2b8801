/* Files of record forests: the same forest and bytes again; damage of every kind is reported for what it is. */
#include <string.h>

#include "testing/model_file.h"
#include "testing/record_forests.h"

enum { CLASSES, BINARY, VALUES, SETS };

static const struct random_record_forest_params samples[] = {
    [CLASSES] = {.seed = 1, .mean = true, .names = true, .shares = true},
    [BINARY] = {.seed = 2, .outputs = 1, .link = SHW_RECORD_LOGISTIC, .large_values = true},
    [VALUES] = {.seed = 3, .task = SHW_RECORD_VALUES, .one_value = true, .names = true, .link = SHW_RECORD_EXP},
    [SETS] = {.seed = 4, .shape = TREE_BALANCED, .depth = 3, .trees = 4, .sets = 50, .no_missing = true},
    {.shape = TREE_LEAF, .trees = 1, .attributes = 1, .outputs = 2},
    {.shape = TREE_CHAIN, .depth = 300, .attributes = 65536},
    {.shape = TREE_BALANCED, .depth = 8, .trees = 70, .outputs = 9, .large_values = true},
};
#define SAMPLE_COUNT (sizeof samples / sizeof *samples)

static struct model_file open_file(const struct random_record_forest_params *params)
{
    return model_file_open(&model_record_forest, random_record_forest(params));
}

static void assert_same_names(const char *const *a, const char *const *b, uint32_t count)
{
    assert_int_equal(a != NULL, b != NULL);
    for (uint32_t i = 0; a != NULL && i < count; i++)
        assert_string_equal(a[i], b[i]);
}

static void assert_same(const void *a, const void *b)
{
    const struct shw_record_forest_info *x = shw_record_forest_get_info(a), *y = shw_record_forest_get_info(b);
    struct shw_record_forest_texture t = shw_record_forest_get_texture(a), u = shw_record_forest_get_texture(b);

    assert_int_equal(x->task, y->task);
    assert_int_equal(x->link, y->link);
    assert_true(x->link_scale == y->link_scale);
    assert_int_equal(x->mean, y->mean);
    assert_int_equal(x->attribute_count, y->attribute_count);
    assert_int_equal(x->output_count, y->output_count);
    assert_int_equal(x->class_count, y->class_count);
    assert_same_names(x->attribute_names, y->attribute_names, x->attribute_count);
    assert_same_names(x->class_names, y->class_names, x->class_count);
    assert_same_names(x->output_names, y->output_names, x->output_count);
    assert_int_equal(x->fraction_bits, y->fraction_bits);
    assert_int_equal(x->values_per_leaf, y->values_per_leaf);
    assert_memory_equal(x->base, y->base, x->output_count * sizeof *x->base);
    assert_true(x->cut == y->cut);
    assert_int_equal(x->tree_count, y->tree_count);
    assert_int_equal(x->node_count, y->node_count);
    assert_int_equal(x->leaf_count, y->leaf_count);
    assert_memory_equal(x->trees, y->trees, x->tree_count * sizeof *x->trees);
    for (uint32_t n = 0; n < x->node_count; n++) {
        const struct shw_record_node *v = &x->nodes[n], *w = &y->nodes[n];
        assert_true(v->is_split == w->is_split && v->missing_right == w->missing_right &&
                    v->zero_missing == w->zero_missing && v->is_set == w->is_set && v->left == w->left &&
                    v->attribute == w->attribute && v->threshold == w->threshold && v->leaf == w->leaf &&
                    v->source == w->source);
    }
    assert_memory_equal(x->leaf_values, y->leaf_values,
                        (size_t)x->leaf_count * x->values_per_leaf * sizeof *x->leaf_values);
    assert_int_equal(x->set_word_count, y->set_word_count);
    if (x->set_word_count > 0)
        assert_memory_equal(x->sets, y->sets, x->set_word_count * sizeof *x->sets);
    assert_string_equal(x->training, y->training);
    assert_true(t.width == u.width && t.height == u.height && t.layers == u.layers);
    assert_memory_equal(t.texels, u.texels, (size_t)16 * t.width * t.height * t.layers);
}

TESTING_CASE(loading_gives_the_same_forest_and_bytes)
{
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        struct model_file file = open_file(&samples[i]);
        model_file_check_again(&file, assert_same);
        model_file_close(&file);
    }
}

TESTING_CASE(every_truncation_and_every_wrong_bit_is_refused)
{
    struct model_file file = open_file(&(struct random_record_forest_params){
        .shape = TREE_BALANCED, .trees = 2, .depth = 1, .attributes = 2, .outputs = 2, .names = true});

    model_file_check_damage(&file);
    model_file_close(&file);
}

static void refuse_file(const struct model_file *file, const char *words)
{
    model_file_refuse(file, file->size, SHW_ERROR_FORMAT, SHW_LOG_RECORD_FOREST, words);
}

static void change_every_bit(const struct random_record_forest_params *params)
{
    struct model_file file = open_file(params);

    assert_true((params->sets > 0) == (shw_record_forest_get_info(file.model)->set_word_count > 0));
    model_file_check_bits(&file, "contradicts the trees");
    model_file_close(&file);
}

TESTING_CASE(every_bit_of_the_texture_has_a_meaning)
{
    const struct random_record_forest_params
        plain = {.shape = TREE_RANDOM, .trees = 2, .depth = 2, .attributes = 3, .outputs = 2},
        sets = {.seed = 5, .shape = TREE_RANDOM, .trees = 2, .depth = 2, .attributes = 3, .outputs = 2, .sets = 70};

    change_every_bit(&plain);
    change_every_bit(&sets);
}

/* Of the texture, the word with which the sets begin. */
static size_t first_set_word(const struct model_file *file)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(file->model);

    return 4 * (2 + 2 * (size_t)info->tree_count + info->node_count +
                ((size_t)info->leaf_count * info->values_per_leaf + 3) / 4);
}

TESTING_CASE(wrong_sets_are_reported)
{
    static const struct {
        size_t word; /* of the first set */
        uint32_t value;
        const char *words;
    } cases[] = {{0, 0x10000000, "its set begins with 10000000, which are not flags"},
                 {0, 0x60000000, "its set begins with 60000000, which are not flags"},
                 {0, 0x7ffff, "words of members from 524287 on"},
                 {1, 0, "its set has 0 words of members"},
                 {1, UINT32_MAX, "its set has 4294967295 words of members"},
                 {1, 1u << 19, "its set has 524288 words of members"},
                 {2, 0, "its set begins or ends with a word without members"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model_file file = open_file(&samples[SETS]);
        model_file_set_texel(&file, (first_set_word(&file) + cases[i].word) / 4,
                             (first_set_word(&file) + cases[i].word) % 4, cases[i].value);
        refuse_file(&file, cases[i].words);
        model_file_close(&file);
    }
}

/* Files have the version of what they use. */
TESTING_CASE(versions_go_with_sets)
{
    struct model_file with = open_file(&samples[SETS]), without = open_file(&samples[CLASSES]);

    model_file_replace(&with, "\"version\":2", "\"version\":1");
    refuse_file(&with, "a format version without sets, but the texture has");
    model_file_replace(&without, "\"version\":1", "\"version\":2");
    refuse_file(&without, "a format version with sets, but the texture has 0 words");
    model_file_close(&with);
    model_file_close(&without);
}

/* Counts that would take much memory are compared with the size of the texture first. */
TESTING_CASE(wrong_words_are_reported)
{
    static const struct {
        size_t texel, word;
        uint32_t value;
        const char *words;
    } cases[] = {
        {0, 0, UINT32_MAX, "which is not what 4294967295 trees"},
        {0, 0, 0, "it has no trees"},
        {0, 1, 7, "a base of 3 numbers in the metadata, but the texture has 7 outputs"},
        {0, 2, 1, "texel 0 contradicts the trees"},
        {0, 3, 1u << 30, "values of 1073741824 leaves and 0 words of sets take"},
        {1, 0, 6, "the metadata names 7 attributes, but the texture has 6"},
        {1, 1, 1u << 31, "2147483648 values of"},
        {1, 2, UINT32_MAX, "4294967295 nodes"},
        {1, 3, 1u << 31, "and 2147483648 words of sets take"},
        {1, 3, 1, "a format version without sets, but the texture has 1 words"},
        {2, 0, 0, "tree 0: "},
        {2, 2, 77, "texel 2 contradicts the trees"},
        {3, 0, 1, "tree 0 adds to output 1 of 1"},
        {3, 1, 1000, "texel 3 contradicts the trees"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model_file file = open_file(&samples[CLASSES]);
        model_file_set_texel(&file, cases[i].texel, cases[i].word, cases[i].value);
        refuse_file(&file, cases[i].words);
        model_file_close(&file);
    }
}

TESTING_CASE(wrong_metadata_is_reported)
{
    static const struct {
        size_t sample;
        const char *old, *new, *words;
    } cases[] = {
        {CLASSES, "\"version\":1", "\"version\":0", "no format version"},
        {CLASSES, "\"task\":\"classes\"", "\"task\":\"klasses\"", "no task 'klasses'"},
        {CLASSES, "\"task\":\"classes\"", "\"task\": \"values\"", "it has classes, but its task is values"},
        {BINARY, "\"link\":\"logistic\"", "\"link\":\"logystic\"", "no link 'logystic'"},
        {BINARY, "\"link\":\"logistic\"", "\"link\":\"lo\\u0000\"", "metadata, byte "},
        {BINARY, "\"link_scale\":1.0", "\"link_scale\": -1", "a scale of -1"},
        {BINARY, "\"classes\":[\"0\",\"1\"]", "\"classes\":[\"0\",  1]", "classes[1] in the metadata is not a name"},
        {BINARY, "\"classes\":[\"0\",\"1\"]", "\"classes\":[\"0\"    ]", "1 classes and 1 outputs"},
        {BINARY, "\"classes\":[\"0\",\"1\"]", "\"classes\":   {    }", "not a list of 1 to 4096 names"},
        {BINARY, "\"base\":[", "\"base\": ", "metadata, byte "},
        {CLASSES, "\"fraction_bits\":30", "\"fraction_bits\":99", NULL}, /* another forest, but one */
        {CLASSES, "\"fraction_bits\":30,\"link\"", "\"fraction_bits\":1e9,\"link", "metadata"},
        {CLASSES, "\"mean\":true", "\"mean\":   1", "Expected true or false"},
        {CLASSES, "\"mean\"", "\"mien\"", "mean"},
        {CLASSES, "\"training\":{}", "\"training\":[]", "provenance is not a JSON object"},
        {VALUES, "\"outputs\":[\"output 0 \xc3\xa9\",", "\"outputs\":[              ",
         "names 2 outputs, but the texture has 3"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model_file file = open_file(&samples[cases[i].sample]);
        struct shw_record_forest *forest = NULL;
        model_file_replace(&file, cases[i].old, cases[i].new);
        if (cases[i].words != NULL) {
            refuse_file(&file, cases[i].words);
        } else {
            assert_int_equal(shw_record_forest_load_memory(file.bytes, file.size, "x", NULL, &forest), SHW_OK);
            assert_true(shw_record_forest_hash(forest) != shw_record_forest_hash(file.model));
            shw_record_forest_destroy(&forest);
        }
        model_file_close(&file);
    }
}

TESTING_CASE(newer_files_are_reported)
{
    struct model_file file = open_file(&samples[VALUES]);

    model_file_replace(&file, "\"version\":1", "\"version\":9");
    model_file_refuse(&file, file.size, SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION,
                      "record forest format 9, but this version");
    model_file_close(&file);
}

TESTING_CASE(other_loaders_say_that_it_is_a_record_forest)
{
    struct model_file file = open_file(&samples[VALUES]);

    model_file_check_others(&file, "which classifies records (shadewood records)");
    model_file_close(&file);
}
