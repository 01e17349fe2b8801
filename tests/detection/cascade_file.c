/* Cascade files: the same cascade and bytes again; damage of every kind is reported for what it is. */
#include <string.h>

#include "testing/cascades.h"
#include "testing/model_file.h"

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

static struct model_file open_file(const struct random_cascade_params *params)
{
    return model_file_open(&model_cascade, random_cascade(params));
}

static void assert_same(const void *a, const void *b)
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
}

TESTING_CASE(loading_gives_the_same_cascade_and_bytes)
{
    for (size_t i = 0; i < SAMPLE_COUNT; i++) {
        struct model_file file = open_file(&samples[i]);
        model_file_check_again(&file, assert_same);
        model_file_close(&file);
    }
}

TESTING_CASE(every_truncation_and_every_wrong_bit_is_refused)
{
    struct model_file file = open_file(&(struct random_cascade_params){
        .kind = SHW_CASCADE_HAAR, .stages = 2, .trees = 1, .depth = 1, .features = 2, .has_survivors = true});

    model_file_check_damage(&file);
    model_file_close(&file);
}

TESTING_CASE(every_bit_of_the_texture_has_a_meaning)
{
    for (int kind = 0; kind < (int)SHW_CASCADE_KIND_COUNT; kind++) {
        struct model_file file = open_file(&(struct random_cascade_params){
            .kind = (enum shw_cascade_kind)kind, .stages = 1, .trees = 1, .depth = 1, .features = 1});
        model_file_check_bits(&file, "has bits without a meaning");
        model_file_close(&file);
    }
}

TESTING_CASE(wrong_metadata_is_reported)
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
        struct model_file file = open_file(&samples[cases[i].sample]);
        model_file_replace(&file, cases[i].old, cases[i].new);
        model_file_refuse(&file, file.size, cases[i].result, cases[i].item, cases[i].words);
        model_file_close(&file);
    }
}

TESTING_CASE(other_loaders_say_that_it_is_a_cascade)
{
    struct model_file file = open_file(&samples[SCALED]);

    model_file_check_others(&file, "which finds objects (shadewood detect)");
    model_file_close(&file);
}
