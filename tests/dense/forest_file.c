/* Forest files: the same bytes again, by the specification of KTX2. */
#include <stdlib.h>
#include <string.h>

#include "forest_files.h"

static void assert_same(const void *a, const void *b)
{
    const struct shw_forest_info *x = shw_forest_get_info(a), *y = shw_forest_get_info(b);
    struct shw_forest_texture t = shw_forest_get_texture(a), u = shw_forest_get_texture(b);

    assert_true(t.width == u.width && t.height == u.height && t.layers == u.layers);
    assert_memory_equal(t.texels, u.texels, (size_t)16 * t.width * t.height * t.layers);
    assert_int_equal(shw_forest_get_reach(a), shw_forest_get_reach(b));
    assert_string_equal(x->channels, y->channels);
    assert_ptr_equal(x->feature, y->feature);
    assert_int_equal(x->class_count, y->class_count);
    assert_int_equal(x->combine, y->combine);
    assert_string_equal(x->training, y->training);
    for (uint32_t c = 0; c < x->class_count; c++)
        assert_string_equal(x->classes[c].name, y->classes[c].name);
    for (uint32_t n = 0; n < x->tree_count; n++)
        assert_int_equal(shw_forest_get_tree(a, n).depth, shw_forest_get_tree(b, n).depth);
}

TESTING_CASE(loading_gives_the_same_forest_and_bytes)
{
    static const struct random_forest_params forests[] = {
        {.classes = 1},
        {.seed = 1, .classes = 300, .trees = 3, .depth = 6, .split_percent = 80},
        {.seed = 2,
         .channels = SHW_CHANNELS_WIDE,
         .trees = 40,
         .depth = 5,
         .split_percent = 80,
         .feature = &shw_feature_sum_difference},
        {.seed = 4, .classes = 5, .trees = 3, .depth = 6, .split_percent = 80, .shares_leaves = true},
        {.seed = 3, .classes = 21, .trees = 2, .depth = 20, .split_percent = 90, .single_percent = 50, .extreme = true},
        {.seed = 4, .classes = 11, .trees = 3, .depth = 5, .split_percent = 90, .combine = SHW_COMBINE_VOTE},
    };

    for (size_t i = 0; i < sizeof forests / sizeof *forests; i++) {
        struct model_file file = open_file(&forests[i]);
        model_file_check_again(&file, assert_same);
        model_file_close(&file);
    }
}

TESTING_CASE(missing_files_are_named)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_forest *forest = NULL;
    struct model_file file;

    assert_int_equal(
        shw_forest_load(testing_path("nothing.ktx2"), &(struct shw_forest_load_params){.log = log}, &forest),
        SHW_ERROR_IO);
    assert_int_equal(memory.last_item, SHW_LOG_FILE_OPEN);
    assert_non_null(strstr(memory.last, "nothing.ktx2"));
    assert_int_equal(shw_forest_load("/", &(struct shw_forest_load_params){.log = log}, &forest), SHW_ERROR_IO);
    assert_int_equal(memory.last_item, SHW_LOG_FILE_READ);
    assert_null(forest);
    file = open_file(&small);
    assert_int_equal(shw_forest_save(file.model, testing_path("no/folder.ktx2"), &log), SHW_ERROR_IO);
    model_file_close(&file);
}

/* Any reader of KTX2 must find its way by the specification alone. */
TESTING_CASE(container_is_ktx2)
{
    static const uint8_t identifier[12] = {0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a};
    static const uint32_t expected[] = {107, 4, 0, 0, 0, 0, 1, 1, 0, DFD_AT, 92, KVD_AT};
    struct shw_forest_texture texture;
    const char *previous = "";
    struct model_file file = open_file(&small);
    size_t at = KVD_AT, end;

    texture = shw_forest_get_texture(file.model);
    assert_memory_equal(file.bytes, identifier, 12);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(model_file_get_word(&file, 12 + 4 * i), i == 2   ? texture.width
                                                                 : i == 3 ? texture.height
                                                                          : expected[i]);
    end = KVD_AT + model_file_get_word(&file, KVD_LENGTH);
    while (at < end) { /* keys in order, padded to four bytes */
        const char *key = (const char *)file.bytes + at + 4;
        assert_true(strcmp(previous, key) < 0);
        previous = key;
        at += (4 + model_file_get_word(&file, at) + 3) / 4 * 4;
    }
    assert_int_equal(at, end);
    assert_int_equal(model_file_texels_at(&file) % 16, 0);
    assert_int_equal(file.size, model_file_texels_at(&file) + (size_t)16 * texture.width * texture.height);
    assert_memory_equal(file.bytes + model_file_texels_at(&file), texture.texels,
                        file.size - model_file_texels_at(&file));
    model_file_close(&file);
}

/* A newer version may look different in every other respect. */
TESTING_CASE(newer_versions_are_reported_first)
{
    struct model_file file = open_file(&small);
    char *version;

    version = strstr(model_file_metadata(&file), "\"version\":2");
    version[10] = '9';
    model_file_set_word(&file, 12, 37);
    model_file_set_word(&file, 44, 2);
    model_file_refuse(&file, file.size, SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION, "forest format 9");
    model_file_close(&file);
}

static struct shw_forest *load_as(const struct model_file *file, enum shw_combine combine)
{
    struct shw_forest *forest = NULL;

    assert_int_equal(shw_forest_load_memory(file->bytes, file->size, "x",
                                            &(struct shw_forest_load_params){.combine = combine}, &forest),
                     SHW_OK);
    return forest;
}

static void assert_saved_as(const struct shw_forest *forest, const struct model_file *file)
{
    void *bytes;
    size_t size;

    assert_int_equal(shw_forest_save_memory(forest, &bytes, &size), SHW_OK);
    assert_int_equal(size, file->size);
    assert_memory_equal(bytes, file->bytes, size);
    free(bytes);
}

/* A file that votes differs from one that does not by its metadata alone; which of them is loaded can be chosen. */
TESTING_CASE(votes_are_a_property_of_the_file)
{
    struct random_forest_params params = {.seed = 11, .classes = 9, .trees = 3, .depth = 4, .split_percent = 70};
    struct model_file means, votes;
    uint32_t one_hot = 0;

    means = open_file(&params);
    params.combine = SHW_COMBINE_VOTE;
    votes = open_file(&params);
    assert_true(shw_forest_hash(means.model) != shw_forest_hash(votes.model));
    assert_memory_equal(means.bytes + model_file_texels_at(&means), votes.bytes + model_file_texels_at(&votes),
                        means.size - model_file_texels_at(&means));
    assert_non_null(strstr(model_file_metadata(&votes), "\"combine\":\"vote\""));
    assert_non_null(strstr(model_file_metadata(&votes), "\"version\":3"));
    assert_null(strstr(model_file_metadata(&means), "combine"));
    assert_non_null(strstr(model_file_metadata(&means), "\"version\":2"));
    for (int c = SHW_COMBINE_DEFAULT; c <= SHW_COMBINE_VOTE; c++) {
        struct shw_forest *from_means = load_as(&means, (enum shw_combine)c);
        struct shw_forest *from_votes = load_as(&votes, (enum shw_combine)c);
        assert_int_equal(shw_forest_get_info(from_means)->combine, c > 0 ? c : SHW_COMBINE_MEAN);
        assert_int_equal(shw_forest_get_info(from_votes)->combine, c > 0 ? c : SHW_COMBINE_VOTE);
        assert_saved_as(from_means, c == SHW_COMBINE_VOTE ? &votes : &means);
        assert_saved_as(from_votes, c == SHW_COMBINE_MEAN ? &means : &votes);
        shw_forest_destroy(&from_means);
        shw_forest_destroy(&from_votes);
    }
    for (uint32_t t = 0; t < 3; t++)
        for (uint32_t l = 0; l < shw_forest_get_tree(votes.model, t).leaf_count; l++) {
            const uint16_t *kept = shw_forest_get_distribution(votes.model, t, l);
            assert_memory_equal(kept, shw_forest_get_distribution(means.model, t, l), 9 * sizeof *kept);
            for (uint32_t c = 0; c < 9; c++)
                one_hot += kept[c] == 65535;
        }
    assert_true(one_hot < shw_forest_get_texture(votes.model).texels[3]); /* or nothing would be tested */
    model_file_close(&means);
    model_file_close(&votes);
}

TESTING_CASE(unknown_combinations_are_refused)
{
    struct random_forest_params params = small;
    struct shw_forest *forest = NULL;
    struct model_file file;

    params.combine = SHW_COMBINE_VOTE;
    file = open_file(&params);
    assert_int_equal(shw_forest_load_memory(file.bytes, file.size, "x",
                                            &(struct shw_forest_load_params){.combine = (enum shw_combine)3}, &forest),
                     SHW_ERROR_ARGUMENT);
    assert_null(forest);
    memcpy(strstr(model_file_metadata(&file), "vote"), "veto", 4);
    model_file_seal(&file);
    model_file_refuse(&file, file.size, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, "is 'veto' instead of mean or vote");
    model_file_close(&file);
}
