/* Files of record forests: the same forest and bytes again; damage of every kind is reported for what it is. */
#include <stdlib.h>
#include <string.h>

#include "testing/forest_seal.h"
#include "testing/random_forest.h"
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

struct file {
    struct shw_record_forest *forest;
    uint8_t *bytes;
    size_t size;
};

static struct file open_file(const struct random_record_forest_params *params)
{
    struct file file = {.forest = random_record_forest(params)};
    void *bytes;

    assert_int_equal(shw_record_forest_save_memory(file.forest, &bytes, &file.size), SHW_OK);
    file.bytes = bytes;
    return file;
}

static void close_file(struct file *file)
{
    shw_record_forest_destroy(&file->forest);
    free(file->bytes);
}

static void assert_same_names(const char *const *a, const char *const *b, uint32_t count)
{
    assert_int_equal(a != NULL, b != NULL);
    for (uint32_t i = 0; a != NULL && i < count; i++)
        assert_string_equal(a[i], b[i]);
}

static void assert_same(const struct shw_record_forest *a, const struct shw_record_forest *b)
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
    assert_true(shw_record_forest_hash(a) == shw_record_forest_hash(b));
}

TESTING_CASE(loading_gives_the_same_forest_and_bytes)
{
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        const char *path = testing_path("records.ktx2");
        struct file file = open_file(&samples[i]);
        struct shw_record_forest *again = NULL;
        void *bytes;
        size_t size;
        assert_int_equal(shw_record_forest_load_memory(file.bytes, file.size, "x", NULL, &again), SHW_OK);
        assert_same(file.forest, again);
        assert_int_equal(shw_record_forest_save_memory(again, &bytes, &size), SHW_OK);
        assert_int_equal(size, file.size);
        assert_memory_equal(bytes, file.bytes, size);
        free(bytes);
        shw_record_forest_destroy(&again);
        assert_int_equal(shw_record_forest_save(file.forest, path, NULL), SHW_OK);
        assert_int_equal(shw_record_forest_load(path, NULL, &again), SHW_OK);
        assert_same(file.forest, again);
        shw_record_forest_destroy(&again);
        close_file(&file);
    }
}

TESTING_CASE(every_truncation_and_every_wrong_bit_is_refused)
{
    struct file file = open_file(&(struct random_record_forest_params){
        .shape = TREE_BALANCED, .trees = 2, .depth = 1, .attributes = 2, .outputs = 2, .names = true});
    struct shw_record_forest *forest = NULL;

    for (size_t size = 0; size < file.size; size++) {
        uint8_t *copy = malloc(size > 0 ? size : 1); /* so that a read behind the end is seen */
        assert_non_null(copy);
        memcpy(copy, file.bytes, size);
        assert_int_equal(shw_record_forest_load_memory(copy, size, "some.ktx2", NULL, &forest), SHW_ERROR_FORMAT);
        free(copy);
    }
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (shw_record_forest_load_memory(file.bytes, file.size, "some.ktx2", NULL, &forest) == SHW_OK)
            fail_msg("bit %zu of byte %zu does not matter", bit % 8, bit / 8);
        file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_null(forest);
    close_file(&file);
}

static void refuse_file(const struct file *file, enum shw_result expected, enum shw_log_item item, const char *words)
{
    struct shw_record_forest *forest = NULL;
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);

    assert_int_equal(shw_record_forest_load_memory(file->bytes, file->size, "some.ktx2", &log, &forest), expected);
    assert_null(forest);
    assert_int_equal(memory.last_item, item);
    if (strstr(memory.last, words) == NULL || strncmp(memory.last, "some.ktx2: ", 11) != 0)
        fail_msg("'%s' is not in: %s", words, memory.last);
}

static uint8_t *texel_of(struct file *file, size_t texel)
{
    struct shw_record_forest_texture texture = shw_record_forest_get_texture(file->forest);

    return file->bytes + file->size - (size_t)16 * (texture.width * texture.height * texture.layers - texel);
}

static void set_word(struct file *file, size_t texel, size_t word, uint32_t value)
{
    memcpy(texel_of(file, texel) + 4 * word, &value, sizeof value);
    assert_true(testing_forest_seal(file->bytes, file->size));
}

/* Replaces text in the metadata by other text of the same length. */
static void replace(struct file *file, const char *old, const char *new)
{
    assert_int_equal(strlen(old), strlen(new));
    for (size_t at = 196; at + strlen(old) <= file->size; at++)
        if (memcmp(file->bytes + at, old, strlen(old)) == 0) {
            memcpy(file->bytes + at, new, strlen(new));
            assert_true(testing_forest_seal(file->bytes, file->size));
            return;
        }
    fail_msg("no '%s'", old);
}

/* Any bit of any texel changed, with a correct checksum: it is refused, or the forest is another one. */
static void change_every_bit(const struct random_record_forest_params *params)
{
    struct file file = open_file(params);
    struct shw_record_forest_texture texture = shw_record_forest_get_texture(file.forest);
    size_t size = (size_t)16 * texture.width * texture.height;

    assert_true((params->sets > 0) == (shw_record_forest_get_info(file.forest)->set_word_count > 0));
    for (size_t bit = 0; bit < 8 * size; bit++) {
        uint8_t *byte = texel_of(&file, 0) + bit / 8;
        struct shw_record_forest *forest = NULL;
        *byte ^= (uint8_t)(1u << bit % 8);
        assert_true(testing_forest_seal(file.bytes, file.size));
        if (shw_record_forest_load_memory(file.bytes, file.size, "x", NULL, &forest) == SHW_OK)
            assert_true(shw_record_forest_hash(forest) != shw_record_forest_hash(file.forest));
        shw_record_forest_destroy(&forest);
        *byte ^= (uint8_t)(1u << bit % 8);
    }
    file.bytes[file.size - 1] ^= 1;
    assert_true(testing_forest_seal(file.bytes, file.size));
    refuse_file(&file, SHW_ERROR_FORMAT, SHW_LOG_RECORD_FOREST, "contradicts the trees");
    close_file(&file);
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
static size_t first_set_word(const struct file *file)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(file->forest);

    return 4 * (2 + 2 * (size_t)info->tree_count + info->node_count +
                ((size_t)info->leaf_count * info->values_per_leaf + 3) / 4);
}

TESTING_CASE(wrong_sets_are_told)
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
        struct file file = open_file(&samples[SETS]);
        set_word(&file, (first_set_word(&file) + cases[i].word) / 4, (first_set_word(&file) + cases[i].word) % 4,
                 cases[i].value);
        refuse_file(&file, SHW_ERROR_FORMAT, SHW_LOG_RECORD_FOREST, cases[i].words);
        close_file(&file);
    }
}

/* Files have the version of what they use. */
TESTING_CASE(versions_go_with_sets)
{
    struct file with = open_file(&samples[SETS]), without = open_file(&samples[CLASSES]);

    replace(&with, "\"version\":2", "\"version\":1");
    refuse_file(&with, SHW_ERROR_FORMAT, SHW_LOG_RECORD_FOREST, "a format version without sets, but the texture has");
    replace(&without, "\"version\":1", "\"version\":2");
    refuse_file(&without, SHW_ERROR_FORMAT, SHW_LOG_RECORD_FOREST,
                "a format version with sets, but the texture has 0 words");
    close_file(&with);
    close_file(&without);
}

/* Counts that would take much memory are compared with the size of the texture first. */
TESTING_CASE(wrong_words_are_told)
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
        struct file file = open_file(&samples[CLASSES]);
        set_word(&file, cases[i].texel, cases[i].word, cases[i].value);
        refuse_file(&file, SHW_ERROR_FORMAT, SHW_LOG_RECORD_FOREST, cases[i].words);
        close_file(&file);
    }
}

TESTING_CASE(wrong_metadata_is_told)
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
        struct file file = open_file(&samples[cases[i].sample]);
        struct shw_record_forest *forest = NULL;
        replace(&file, cases[i].old, cases[i].new);
        if (cases[i].words != NULL) {
            refuse_file(&file, SHW_ERROR_FORMAT, SHW_LOG_RECORD_FOREST, cases[i].words);
        } else {
            assert_int_equal(shw_record_forest_load_memory(file.bytes, file.size, "x", NULL, &forest), SHW_OK);
            assert_true(shw_record_forest_hash(forest) != shw_record_forest_hash(file.forest));
            shw_record_forest_destroy(&forest);
        }
        close_file(&file);
    }
}

TESTING_CASE(newer_files_are_told)
{
    struct file file = open_file(&samples[VALUES]);

    replace(&file, "\"version\":1", "\"version\":9");
    refuse_file(&file, SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION, "record forest format 9, but this version");
    close_file(&file);
}

/* Each loader tells what the other's file is. */
TESTING_CASE(record_forests_and_others_are_told_apart)
{
    struct file file = open_file(&samples[VALUES]);
    struct shw_forest *forest = random_forest(&(struct random_forest_params){.depth = 2}), *none = NULL;
    struct shw_record_forest *records = NULL;
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    void *bytes;
    size_t size;

    assert_int_equal(
        shw_forest_load_memory(file.bytes, file.size, "a.ktx2", &(struct shw_forest_load_params){.log = log}, &none),
        SHW_ERROR_FORMAT);
    assert_null(none);
    assert_string_equal(memory.last,
                        "a.ktx2: it is a record forest, which classifies records (shadewood records), not a forest");
    assert_int_equal(shw_forest_save_memory(forest, &bytes, &size), SHW_OK);
    assert_int_equal(shw_record_forest_load_memory(bytes, size, "b.ktx2", &log, &records), SHW_ERROR_FORMAT);
    assert_null(records);
    assert_string_equal(memory.last,
                        "b.ktx2: it is a forest, which labels pixels (shadewood label), not a record forest");
    free(bytes);
    shw_forest_destroy(&forest);
    close_file(&file);
}
