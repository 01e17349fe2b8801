/* Cascade files: the same cascade and bytes again; damage of every kind is reported for what it is. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "testing/cascades.h"
#include "testing/forest_seal.h"
#include "testing/random_forest.h"

enum { PYRAMID, SCALED, SCORED };

static const struct random_cascade_params samples[] = {
    [PYRAMID] = {.kind = SHW_CASCADE_PIXELS,
                 .planes = {.shrink = 4, .blur_before = true, .octaves = true},
                 .has_survivors = true},
    [SCALED] = {.kind = SHW_CASCADE_SCALED, .stages = 40, .depth = 5},
    [SCORED] = {.kind = SHW_CASCADE_PIXELS, .min_score = -12345, .has_min_score = true},
    {.kind = SHW_CASCADE_PIXELS, .window_width = 128, .window_height = 2, .stages = 1, .trees = 1, .depth = 16},
    {.kind = SHW_CASCADE_HAAR, .restarts = true, .has_survivors = true},
    {.kind = SHW_CASCADE_HAAR, .window_width = 255, .window_height = 20, .stumps = true},
    {.kind = SHW_CASCADE_LBP, .restarts = true, .trees = 7},
};
#define SAMPLE_COUNT (sizeof samples / sizeof *samples)

struct file {
    struct shw_cascade *cascade;
    uint8_t *bytes;
    size_t size;
};

static struct file open_file(const struct random_cascade_params *params)
{
    struct file file = {.cascade = random_cascade(params)};
    void *bytes;

    assert_int_equal(shw_cascade_save_memory(file.cascade, &bytes, &file.size), SHW_OK);
    file.bytes = bytes;
    return file;
}

static void close_file(struct file *file)
{
    shw_cascade_destroy(&file->cascade);
    free(file->bytes);
}

static void assert_same(const struct shw_cascade *a, const struct shw_cascade *b)
{
    const struct shw_cascade_info *x = shw_cascade_get_info(a), *y = shw_cascade_get_info(b);
    struct shw_cascade_texture t = shw_cascade_get_texture(a), u = shw_cascade_get_texture(b);

    assert_int_equal(x->kind, y->kind);
    assert_string_equal(x->name, y->name);
    assert_string_equal(x->training, y->training);
    assert_int_equal(x->window_width, y->window_width);
    assert_int_equal(x->window_height, y->window_height);
    assert_int_equal(x->fraction_bits, y->fraction_bits);
    assert_int_equal(x->restarts, y->restarts);
    assert_int_equal(x->score_base, y->score_base);
    assert_int_equal(x->planes.shrink, y->planes.shrink);
    assert_int_equal(x->planes.blur_before, y->planes.blur_before);
    assert_int_equal(x->planes.blur_after, y->planes.blur_after);
    assert_int_equal(x->planes.octaves, y->planes.octaves);
    assert_int_equal(x->levels_per_octave, y->levels_per_octave);
    assert_true(x->scale_factor == y->scale_factor);
    assert_int_equal(x->has_min_score, y->has_min_score);
    assert_int_equal(x->min_score, y->min_score);
    assert_int_equal(x->stage_count, y->stage_count);
    assert_int_equal(x->tree_count, y->tree_count);
    assert_int_equal(x->node_count, y->node_count);
    assert_int_equal(x->feature_count, y->feature_count);
    assert_memory_equal(x->stages, y->stages, x->stage_count * sizeof *x->stages);
    assert_memory_equal(x->trees, y->trees, x->tree_count * sizeof *x->trees);
    for (uint32_t n = 0; n < x->node_count; n++) {
        const struct shw_cascade_node *v = &x->nodes[n], *w = &y->nodes[n];
        assert_true(v->is_split == w->is_split && v->left == w->left && v->x1 == w->x1 && v->y1 == w->y1 &&
                    v->x2 == w->x2 && v->y2 == w->y2 && v->feature == w->feature && v->threshold == w->threshold &&
                    v->value == w->value && memcmp(v->subset, w->subset, sizeof v->subset) == 0);
    }
    for (uint32_t f = 0; f < x->feature_count; f++) {
        assert_int_equal(x->features[f].tilted, y->features[f].tilted);
        assert_int_equal(x->features[f].rectangle_count, y->features[f].rectangle_count);
        assert_memory_equal(x->features[f].rectangles, y->features[f].rectangles, sizeof x->features[f].rectangles);
    }
    assert_int_equal(x->survivors != NULL, y->survivors != NULL);
    if (x->survivors != NULL)
        assert_memory_equal(x->survivors, y->survivors, (x->stage_count + 1) * sizeof *x->survivors);
    assert_int_equal(t.width, u.width);
    assert_int_equal(t.height, u.height);
    assert_memory_equal(t.texels, u.texels, (size_t)16 * t.width * t.height);
    assert_true(shw_cascade_hash(a) == shw_cascade_hash(b));
}

TESTING_CASE(loading_gives_the_same_cascade_and_bytes)
{
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        const char *path = testing_path("cascade.ktx2");
        struct file file = open_file(&samples[i]);
        struct shw_cascade *again = NULL;
        void *bytes;
        size_t size;
        assert_int_equal(shw_cascade_load_memory(file.bytes, file.size, "x", NULL, &again), SHW_OK);
        assert_same(file.cascade, again);
        assert_int_equal(shw_cascade_save_memory(again, &bytes, &size), SHW_OK);
        assert_int_equal(size, file.size);
        assert_memory_equal(bytes, file.bytes, size);
        free(bytes);
        shw_cascade_destroy(&again);
        assert_int_equal(shw_cascade_save(file.cascade, path, NULL), SHW_OK);
        assert_int_equal(shw_cascade_load(path, NULL, &again), SHW_OK);
        assert_same(file.cascade, again);
        shw_cascade_destroy(&again);
        close_file(&file);
    }
}

TESTING_CASE(every_truncation_and_every_wrong_bit_is_refused)
{
    const struct random_cascade_params params = {
        .kind = SHW_CASCADE_HAAR, .stages = 2, .trees = 1, .depth = 1, .features = 2, .has_survivors = true};
    struct file file = open_file(&params);
    struct shw_cascade *cascade = NULL;

    for (size_t size = 0; size < file.size; size++) {
        uint8_t *copy = malloc(size + 1); /* so that a read behind the end is seen */
        assert_non_null(copy);
        memcpy(copy, file.bytes, size);
        copy = realloc(copy, size > 0 ? size : 1);
        assert_int_equal(shw_cascade_load_memory(copy, size, "some.ktx2", NULL, &cascade), SHW_ERROR_FORMAT);
        free(copy);
    }
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (shw_cascade_load_memory(file.bytes, file.size, "some.ktx2", NULL, &cascade) == SHW_OK)
            fail_msg("bit %zu of byte %zu does not matter", bit % 8, bit / 8);
        file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_null(cascade);
    close_file(&file);
}

static void refuse_file(const struct file *file, enum shw_result expected, enum shw_log_item item, const char *words)
{
    struct shw_cascade *cascade = NULL;
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);

    assert_int_equal(shw_cascade_load_memory(file->bytes, file->size, "some.ktx2", &log, &cascade), expected);
    assert_null(cascade);
    assert_int_equal(memory.last_item, item);
    if (strstr(memory.last, words) == NULL || strncmp(memory.last, "some.ktx2: ", 11) != 0)
        fail_msg("'%s' is not in: %s", words, memory.last);
}

/* Bits without meaning in any texel, with a correct checksum: all are noticed. */
TESTING_CASE(every_bit_of_the_texture_has_a_meaning)
{
    for (int kind = 0; kind < (int)SHW_CASCADE_KIND_COUNT; kind++) {
        struct file file = open_file(&(struct random_cascade_params){
            .kind = (enum shw_cascade_kind)kind, .stages = 1, .trees = 1, .depth = 1, .features = 1});
        struct shw_cascade_texture texture = shw_cascade_get_texture(file.cascade);
        size_t size = (size_t)16 * texture.width * texture.height;
        for (size_t bit = 0; bit < 8 * size; bit++) {
            uint8_t *byte = file.bytes + file.size - size + bit / 8;
            struct shw_cascade *cascade = NULL;
            *byte ^= (uint8_t)(1u << bit % 8);
            assert_true(testing_forest_seal(file.bytes, file.size));
            if (shw_cascade_load_memory(file.bytes, file.size, "x", NULL, &cascade) == SHW_OK)
                assert_true(shw_cascade_hash(cascade) != shw_cascade_hash(file.cascade));
            shw_cascade_destroy(&cascade);
            *byte ^= (uint8_t)(1u << bit % 8);
        }
        file.bytes[file.size - 1] ^= 1;
        assert_true(testing_forest_seal(file.bytes, file.size));
        refuse_file(&file, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "has bits without a meaning");
        close_file(&file);
    }
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

TESTING_CASE(wrong_metadata_is_told)
{
    static const struct {
        size_t sample;
        const char *old, *new;
        enum shw_result result;
        enum shw_log_item item;
        const char *words;
    } cases[] = {
        {PYRAMID, "\"version\":1", "\"version\":9", SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION, "cascade format 9"},
        {PYRAMID, "\"version\":1", "\"version\":0", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "no format version"},
        {PYRAMID, "\"pixels\"", "\"pixel5\"", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "no kind of cascade 'pixel5'"},
        {PYRAMID, "\"shrink\"", "\"shrank\"", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "planes in the metadata"},
        {PYRAMID, "\"shrink\":4", "\"shrink\":0", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "shrink by 0"},
        {PYRAMID, "\"blur_after\":false", "\"blur_after\":    0", SHW_ERROR_FORMAT, SHW_LOG_CASCADE,
         "Expected true or false"},
        {PYRAMID, "\"shrink\":4},\"survivors\":[1000000,700000,", "\"shrink\":4294967300},\"survivors\":[  9,8,",
         SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "shrink by 4294967295"},
        {PYRAMID, "\"planes\"", "\"plains\"", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "plains"},
        {PYRAMID, "1000000,", "1000000 ", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "byte"},
        {PYRAMID, "[1000000,", "[      1,", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "survive stage 0"},
        {PYRAMID, "[1000000,", "[       -", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "survivors[0] is not"},
        {PYRAMID, "1000000,", "        ", SHW_ERROR_FORMAT, SHW_LOG_CASCADE,
         "6 survivors in the metadata, but 6 stages"},
        {SCALED, "\"scale_factor\":1.25", "\"scale_factor\":0.25", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "0.25"},
        {SCORED, "\"version\":2", "\"version\":1", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "has no min_score"},
        {PYRAMID, "\"version\":1", "\"version\":2", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "needs min_score"},
        {SCORED, "\"min_score\":-12345", "\"min_score\":9e3000", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "metadata"},
        {SCORED, "\"min_score\":-12345", "\"min_score\":  true", SHW_ERROR_FORMAT, SHW_LOG_CASCADE,
         "not a number of 32 bits"},
        {SCALED, "\"training\":{}", "\"training\":[]", SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "provenance"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct file file = open_file(&samples[cases[i].sample]);
        replace(&file, cases[i].old, cases[i].new);
        refuse_file(&file, cases[i].result, cases[i].item, cases[i].words);
        close_file(&file);
    }
}

/* Each loader tells what the other's file is. */
TESTING_CASE(cascades_and_forests_are_told_apart)
{
    struct file file = open_file(&samples[SCALED]);
    struct shw_forest *forest = random_forest(&(struct random_forest_params){.depth = 2}), *none = NULL;
    struct shw_cascade *cascade = NULL;
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    void *bytes;
    size_t size;

    assert_int_equal(
        shw_forest_load_memory(file.bytes, file.size, "a.ktx2", &(struct shw_forest_load_params){.log = log}, &none),
        SHW_ERROR_FORMAT);
    assert_null(none);
    assert_string_equal(memory.last, "a.ktx2: it is a cascade, which finds objects (shadewood detect), not a forest");
    assert_int_equal(shw_forest_save_memory(forest, &bytes, &size), SHW_OK);
    assert_int_equal(shw_cascade_load_memory(bytes, size, "b.ktx2", &log, &cascade), SHW_ERROR_FORMAT);
    assert_null(cascade);
    assert_string_equal(memory.last, "b.ktx2: it is a forest, which labels pixels (shadewood label), not a cascade");
    free(bytes);
    shw_forest_destroy(&forest);
    close_file(&file);
}
