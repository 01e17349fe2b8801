/* Forest files: the same bytes again, by the specification of KTX2. */
#include <stdlib.h>
#include <string.h>

#include "forest_bytes.h"

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
        struct shw_forest *again = NULL;
        struct shw_forest_texture a, b;
        const struct shw_forest_info *info, *info_again;
        struct file file;
        void *bytes;
        size_t size;
        open_file(&file, &forests[i]);
        assert_int_equal(shw_forest_load_memory(file.bytes, file.size, "x", NULL, &again), SHW_OK);
        a = shw_forest_get_texture(file.forest);
        b = shw_forest_get_texture(again);
        assert_int_equal(a.width, b.width);
        assert_int_equal(a.height, b.height);
        assert_int_equal(a.layers, b.layers);
        assert_memory_equal(a.texels, b.texels, (size_t)16 * a.width * a.height * a.layers);
        assert_true(shw_forest_hash(file.forest) == shw_forest_hash(again));
        assert_int_equal(shw_forest_get_reach(file.forest), shw_forest_get_reach(again));
        info = shw_forest_get_info(file.forest);
        info_again = shw_forest_get_info(again);
        assert_string_equal(info->channels, info_again->channels);
        assert_int_equal(info->feature, info_again->feature);
        assert_int_equal(info->class_count, info_again->class_count);
        assert_int_equal(info->combine, info_again->combine);
        assert_string_equal(info->training, info_again->training);
        for (uint32_t c = 0; c < info->class_count; c++)
            assert_string_equal(info->classes[c].name, info_again->classes[c].name);
        for (uint32_t t = 0; t < info->tree_count; t++)
            assert_int_equal(shw_forest_get_tree(file.forest, t).depth, shw_forest_get_tree(again, t).depth);
        assert_int_equal(shw_forest_save_memory(again, &bytes, &size), SHW_OK);
        assert_int_equal(size, file.size);
        assert_memory_equal(bytes, file.bytes, size);
        free(bytes);
        shw_forest_destroy(&again);
        close_file(&file);
    }
}

TESTING_CASE(files_hold_the_same_bytes_as_memory)
{
    const char *path = testing_path("forest.ktx2");
    struct shw_forest *again = NULL;
    struct file file;

    open_file(&file, &small);
    assert_int_equal(shw_forest_save(file.forest, path, NULL), SHW_OK);
    assert_int_equal(shw_forest_load(path, NULL, &again), SHW_OK);
    assert_true(shw_forest_hash(again) == shw_forest_hash(file.forest));
    shw_forest_destroy(&again);
    close_file(&file);
}

TESTING_CASE(missing_files_are_named)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_forest *forest = NULL;
    struct file file;

    assert_int_equal(
        shw_forest_load(testing_path("nothing.ktx2"), &(struct shw_forest_load_params){.log = log}, &forest),
        SHW_ERROR_IO);
    assert_int_equal(memory.last_item, SHW_LOG_FILE_OPEN);
    assert_non_null(strstr(memory.last, "nothing.ktx2"));
    assert_int_equal(shw_forest_load("/", &(struct shw_forest_load_params){.log = log}, &forest), SHW_ERROR_IO);
    assert_int_equal(memory.last_item, SHW_LOG_FILE_READ);
    assert_null(forest);
    open_file(&file, &small);
    assert_int_equal(shw_forest_save(file.forest, testing_path("no/folder.ktx2"), &log), SHW_ERROR_IO);
    close_file(&file);
}

/* Any reader of KTX2 must find its way by the specification alone. */
TESTING_CASE(container_is_ktx2)
{
    static const uint8_t identifier[12] = {0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a};
    static const uint32_t expected[] = {107, 4, 0, 0, 0, 0, 1, 1, 0, DFD_AT, 92, KVD_AT};
    struct shw_forest_texture texture;
    const char *previous = "";
    struct file file;
    size_t at = KVD_AT, end;

    open_file(&file, &small);
    texture = shw_forest_get_texture(file.forest);
    assert_memory_equal(file.bytes, identifier, 12);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_int_equal(word(&file, 12 + 4 * i), i == 2 ? texture.width : i == 3 ? texture.height : expected[i]);
    end = KVD_AT + word(&file, KVD_LENGTH);
    while (at < end) { /* keys in order, padded to four bytes */
        const char *key = (const char *)file.bytes + at + 4;
        assert_true(strcmp(previous, key) < 0);
        previous = key;
        at += (4 + word(&file, at) + 3) / 4 * 4;
    }
    assert_int_equal(at, end);
    assert_int_equal(texels_at(&file) % 16, 0);
    assert_int_equal(file.size, texels_at(&file) + (size_t)16 * texture.width * texture.height);
    assert_memory_equal(file.bytes + texels_at(&file), texture.texels, file.size - texels_at(&file));
    close_file(&file);
}

/* A newer version may look different in every other respect. */
TESTING_CASE(newer_versions_are_told_first)
{
    struct file file;
    char *version;

    open_file(&file, &small);
    version = strstr((char *)file.bytes + metadata_at(&file), "\"version\":2");
    version[10] = '9';
    set_word(&file, 12, 37);
    set_word(&file, 44, 2);
    refuse(&file, file.size, SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION, "forest format 9");
    close_file(&file);
}

static struct shw_forest *load_as(const struct file *file, enum shw_combine combine)
{
    struct shw_forest *forest = NULL;

    assert_int_equal(shw_forest_load_memory(file->bytes, file->size, "x",
                                            &(struct shw_forest_load_params){.combine = combine}, &forest),
                     SHW_OK);
    return forest;
}

static void assert_saved_as(const struct shw_forest *forest, const struct file *file)
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
    struct file means, votes;
    uint32_t one_hot = 0;

    open_file(&means, &params);
    params.combine = SHW_COMBINE_VOTE;
    open_file(&votes, &params);
    assert_true(shw_forest_hash(means.forest) != shw_forest_hash(votes.forest));
    assert_memory_equal(means.bytes + texels_at(&means), votes.bytes + texels_at(&votes),
                        means.size - texels_at(&means));
    assert_non_null(strstr((char *)votes.bytes + metadata_at(&votes), "\"combine\":\"vote\""));
    assert_non_null(strstr((char *)votes.bytes + metadata_at(&votes), "\"version\":3"));
    assert_null(strstr((char *)means.bytes + metadata_at(&means), "combine"));
    assert_non_null(strstr((char *)means.bytes + metadata_at(&means), "\"version\":2"));
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
        for (uint32_t l = 0; l < shw_forest_get_tree(votes.forest, t).leaf_count; l++) {
            const uint16_t *kept = shw_forest_get_distribution(votes.forest, t, l);
            assert_memory_equal(kept, shw_forest_get_distribution(means.forest, t, l), 9 * sizeof *kept);
            for (uint32_t c = 0; c < 9; c++)
                one_hot += kept[c] == 65535;
        }
    assert_true(one_hot < shw_forest_get_texture(votes.forest).texels[3]); /* or nothing would be tested */
    close_file(&means);
    close_file(&votes);
}

TESTING_CASE(unknown_combinations_are_refused)
{
    struct random_forest_params params = small;
    struct shw_forest *forest = NULL;
    struct file file;

    params.combine = SHW_COMBINE_VOTE;
    open_file(&file, &params);
    assert_int_equal(shw_forest_load_memory(file.bytes, file.size, "x",
                                            &(struct shw_forest_load_params){.combine = (enum shw_combine)3}, &forest),
                     SHW_ERROR_ARGUMENT);
    assert_null(forest);
    memcpy(strstr((char *)file.bytes + metadata_at(&file), "vote"), "veto", 4);
    seal(&file);
    refuse(&file, file.size, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, "is 'veto' instead of mean or vote");
    close_file(&file);
}
