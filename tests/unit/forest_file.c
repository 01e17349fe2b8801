/* Forest files: the same bytes again, and every kind of damage told for what it is. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "testing/forest_seal.h"
#include "testing/random_forest.h"

/* Where things are in a file, by the KTX2 specification. */
enum {
    LEVEL_AT = 80,
    DFD_AT = 104,
    KVD_AT = 196,
    KVD_LENGTH = 60,
};

struct file {
    struct shw_forest *forest;
    uint8_t *bytes;
    size_t size;
};

static const struct random_forest_params small = {.seed = 9, .classes = 3, .trees = 2, .depth = 3, .split_percent = 60};

static void open_file(struct file *file, const struct random_forest_params *params)
{
    void *bytes;

    file->forest = random_forest(params);
    assert_int_equal(shw_forest_save_memory(file->forest, &bytes, &file->size), SHW_OK);
    file->bytes = bytes;
}

static void close_file(struct file *file)
{
    free(file->bytes);
    shw_forest_destroy(&file->forest);
}

static uint32_t word(const struct file *file, size_t at)
{
    uint32_t value;

    memcpy(&value, file->bytes + at, sizeof value);
    return value;
}

static void set_word(struct file *file, size_t at, uint32_t value)
{
    memcpy(file->bytes + at, &value, sizeof value);
}

static size_t texels_at(const struct file *file)
{
    return word(file, LEVEL_AT);
}

static size_t metadata_at(const struct file *file)
{
    size_t first = (4 + word(file, KVD_AT) + 3) / 4 * 4;

    return KVD_AT + first + 4 + sizeof "shadewood";
}

static void seal(struct file *file)
{
    assert_true(testing_forest_seal(file->bytes, file->size));
}

static void refuse(const struct file *file, size_t size, enum shw_result result, enum shw_log_item item,
                   const char *words)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_forest *forest = NULL;

    assert_int_equal(
        shw_forest_load_memory(file->bytes, size, "some.ktx2", &(struct shw_forest_load_params){.log = log}, &forest),
        result);
    assert_null(forest);
    assert_int_equal(memory.errors, 1);
    assert_int_equal(memory.last_item, item);
    if (strncmp(memory.last, "some.ktx2: ", 11) != 0 || strstr(memory.last, words) == NULL)
        fail_msg("no '%s' in: %s", words, memory.last);
}

static void loading_gives_the_same_forest_and_bytes(void **state)
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

    (void)state;
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

static void files_hold_the_same_bytes_as_memory(void **state)
{
    const char *path = testing_path("forest.ktx2");
    struct shw_forest *again = NULL;
    struct file file;

    (void)state;
    open_file(&file, &small);
    assert_int_equal(shw_forest_save(file.forest, path, NULL), SHW_OK);
    assert_int_equal(shw_forest_load(path, NULL, &again), SHW_OK);
    assert_true(shw_forest_hash(again) == shw_forest_hash(file.forest));
    shw_forest_destroy(&again);
    close_file(&file);
}

static void missing_files_are_named(void **state)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_forest *forest = NULL;
    struct file file;

    (void)state;
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
static void container_is_ktx2(void **state)
{
    static const uint8_t identifier[12] = {0xab, 0x4b, 0x54, 0x58, 0x20, 0x32, 0x30, 0xbb, 0x0d, 0x0a, 0x1a, 0x0a};
    static const uint32_t expected[] = {107, 4, 0, 0, 0, 0, 1, 1, 0, DFD_AT, 92, KVD_AT};
    struct shw_forest_texture texture;
    const char *previous = "";
    struct file file;
    size_t at = KVD_AT, end;

    (void)state;
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

static void every_truncation_is_refused(void **state)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct file file;

    (void)state;
    open_file(&file, &small);
    log.level = SHW_LOG_ERROR;
    for (size_t size = 0; size < file.size; size++) {
        struct shw_forest *forest = NULL;
        uint8_t *copy = malloc(size + 1); /* so that a read behind the end is seen */
        assert_non_null(copy);
        memcpy(copy, file.bytes, size);
        copy = realloc(copy, size > 0 ? size : 1);
        assert_int_equal(
            shw_forest_load_memory(copy, size, "some.ktx2", &(struct shw_forest_load_params){.log = log}, &forest),
            SHW_ERROR_FORMAT);
        assert_int_equal(memory.last_item, SHW_LOG_FILE_READ);
        assert_null(forest);
        free(copy);
    }
    assert_int_equal(memory.errors, file.size);
    file.bytes = realloc(file.bytes, file.size + 1);
    file.bytes[file.size] = 0;
    refuse(&file, file.size + 1, SHW_ERROR_FORMAT, SHW_LOG_FOREST_CONTAINER, "bytes follow the last texel");
    close_file(&file);
}

static void every_wrong_bit_is_noticed(void **state)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct file file;

    (void)state;
    open_file(&file, &small);
    log.function = NULL;
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        struct shw_forest *forest = NULL;
        file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (shw_forest_load_memory(file.bytes, file.size, "some.ktx2", &(struct shw_forest_load_params){.log = log},
                                   &forest) == SHW_OK)
            fail_msg("bit %zu of byte %zu does not matter", bit % 8, bit / 8);
        assert_null(forest);
        file.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    close_file(&file);
}

static void container_damage_is_told(void **state)
{
    static const struct {
        size_t at;
        uint32_t value;
        enum shw_log_item item;
        const char *words;
    } cases[] = {
        {0, 0, SHW_LOG_FOREST_CONTAINER, "not a KTX2 file"},
        {12, 37, SHW_LOG_FOREST_CONTAINER, "vkFormat is 37"},
        {16, 1, SHW_LOG_FOREST_CONTAINER, "typeSize is 1"},
        {20, 0, SHW_LOG_FOREST_CONTAINER, "0 x"},
        {20, 8192, SHW_LOG_FOREST_CONTAINER, "8192 x"},
        {24, 4097, SHW_LOG_FOREST_CONTAINER, "x 4097"},
        {28, 1, SHW_LOG_FOREST_CONTAINER, "pixelDepth is 1"},
        {32, 1, SHW_LOG_FOREST_CONTAINER, "1 layers"},
        {32, 256, SHW_LOG_FOREST_CONTAINER, "256 layers"},
        {36, 6, SHW_LOG_FOREST_CONTAINER, "faceCount is 6"},
        {40, 2, SHW_LOG_FOREST_CONTAINER, "levelCount is 2"},
        {44, 2, SHW_LOG_FOREST_CONTAINER, "supercompressionScheme is 2"},
        {48, 108, SHW_LOG_FOREST_CONTAINER, "dfdByteOffset is 108"},
        {52, 96, SHW_LOG_FOREST_CONTAINER, "dfdByteLength is 96"},
        {56, 200, SHW_LOG_FOREST_CONTAINER, ""},
        {60, 0, SHW_LOG_FOREST_CONTAINER, "ends before the key"},
        {60, 0xffffff00, SHW_LOG_FILE_READ, "the file ends"},
        {64, 1, SHW_LOG_FOREST_CONTAINER, "supercompression data"},
        {72, 1, SHW_LOG_FOREST_CONTAINER, "supercompression data"},
        {80, 16, SHW_LOG_FOREST_CONTAINER, "the texels begin at byte 16"},
        {88, 16, SHW_LOG_FOREST_CONTAINER, "16 bytes of texels"},
        {92, 1, SHW_LOG_FOREST_CONTAINER, "bytes of texels"},
        {96, 16, SHW_LOG_FOREST_CONTAINER, "bytes of texels"},
        {124, 0, SHW_LOG_FOREST_CONTAINER, "data format descriptor"},
        {KVD_AT, 0xffffffff, SHW_LOG_FOREST_CONTAINER, "longer than the key/value data"},
        {KVD_AT, 3, SHW_LOG_FOREST_CONTAINER, "KTXwriter"},
        {KVD_AT + 4, 0, SHW_LOG_FOREST_CONTAINER, "not a forest"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct file file;
        open_file(&file, &small);
        set_word(&file, cases[i].at, cases[i].value);
        refuse(&file, file.size, SHW_ERROR_FORMAT, cases[i].item, cases[i].words);
        close_file(&file);
    }
}

/* Replaces the JSON by one of the same length or shorter, filled up with spaces. */
static void check_metadata(const char *from, const char *to, enum shw_result result, enum shw_log_item item,
                           const char *words)
{
    struct file file;
    char *json, *place, *rest;
    size_t length;

    open_file(&file, &small);
    json = (char *)file.bytes + metadata_at(&file);
    length = strlen(json);
    place = strstr(json, from);
    assert_non_null(place);
    assert_true(strlen(to) <= strlen(from));
    rest = place + strlen(from);
    memcpy(place, to, strlen(to));
    memmove(place + strlen(to), rest, strlen(rest));
    memset(json + length - (strlen(from) - strlen(to)), ' ', strlen(from) - strlen(to));
    seal(&file);
    if (result == SHW_OK) {
        struct shw_forest *forest = NULL;
        assert_int_equal(shw_forest_load_memory(file.bytes, file.size, "x", NULL, &forest), SHW_OK);
        shw_forest_destroy(&forest);
    } else {
        refuse(&file, file.size, result, item, words);
    }
    close_file(&file);
}

#define BAD_METADATA(from, to, words) check_metadata(from, to, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, words)

static void metadata_damage_is_told(void **state)
{
    (void)state;
    check_metadata("\"chance\"", "\"hazard\"", SHW_OK, SHW_LOG_ARGUMENT, "");
    check_metadata("\"version\":2", "\"version\":1", SHW_OK, SHW_LOG_ARGUMENT, "");
    check_metadata("\"version\":2", "\"version\":5", SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION, "use a newer one");
    BAD_METADATA("\"version\":2", "\"version\":0", "no format version");
    BAD_METADATA("\"version\":2", "\"vision\":1", "no format version");
    BAD_METADATA("\"winn16\"", "\"winn99\"", "no channel kind 'winn99'");
    BAD_METADATA("\"winn16\"", "16", "metadata");
    BAD_METADATA("\"mean-difference\"", "\"mean\"", "no feature type 'mean'");
    BAD_METADATA("\"feature\"", "\"future\"", "metadata");
    BAD_METADATA("{\"made_by\":\"chance\"}", "[]", "training record");
    BAD_METADATA("\"class 1\"", "\"\"", "name of class 1");
    BAD_METADATA("\"class 1\"", "1", "class 1");
    BAD_METADATA("\"colour\":[", "\"colour\":", "metadata, byte");
    BAD_METADATA("\"colour\"", "\"color\"", "class 0");
    BAD_METADATA("\"class 0\"", "\"cl\\u00\"", "metadata, byte");
    BAD_METADATA("\"class 0\"", "\"a\\u0007\"", "name of class 0");
    BAD_METADATA("{", "[", "metadata, byte");
}

/* A newer version may look different in every other respect. */
static void newer_versions_are_told_first(void **state)
{
    struct file file;
    char *version;

    (void)state;
    open_file(&file, &small);
    version = strstr((char *)file.bytes + metadata_at(&file), "\"version\":2");
    version[10] = '9';
    set_word(&file, 12, 37);
    set_word(&file, 44, 2);
    refuse(&file, file.size, SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION, "forest format 9");
    close_file(&file);
}

static void texture_damage_is_told(void **state)
{
    struct shw_forest *forest = random_forest(&small);
    uint32_t distributions = shw_forest_get_texture(forest).texels[2], root = shw_forest_get_texture(forest).texels[4];
    const struct {
        uint32_t texel, word, value;
        enum shw_log_item item;
        const char *words;
    } cases[] = {
        {0, 0, 0, SHW_LOG_FOREST_STRUCTURE, "0 trees"},
        {0, 0, 4097, SHW_LOG_FOREST_STRUCTURE, "4097 trees"},
        {0, 0, 3, SHW_LOG_FOREST_STRUCTURE, "tree 2"},
        {0, 0, 1, SHW_LOG_FOREST_STRUCTURE, ""},
        {0, 1, 4, SHW_LOG_FOREST_STRUCTURE, "4 classes"},
        {0, 2, 0, SHW_LOG_FOREST_STRUCTURE, "at texel 0"},
        {0, 3, 0xffffffff, SHW_LOG_FOREST_STRUCTURE, "but it has"},
        {1, 0, 0xffffffff, SHW_LOG_FOREST_STRUCTURE, "tree 0 begins"},
        {1, 1, 0xffffffff, SHW_LOG_FOREST_STRUCTURE, "nodes"},
        {1, 1, 0x00ffffff, SHW_LOG_FOREST_STRUCTURE, "texels"},
        {1, 1, 2, SHW_LOG_FOREST_STRUCTURE, "2 nodes"},
        {1, 2, 64, SHW_LOG_FOREST_STRUCTURE, "depth 64"},
        {1, 3, 1, SHW_LOG_FOREST_STRUCTURE, "instead of 8"},
        {2, 3, 0, SHW_LOG_FOREST_STRUCTURE, "tree 0: its distributions"},
        {0, 3, 1, SHW_LOG_FOREST_STRUCTURE, "tree 1: its distributions"},
        {5, 0, 1, SHW_LOG_FOREST_STRUCTURE, "texel 5 is unused"},
        {root, 0, 0, SHW_LOG_FOREST_STRUCTURE, "does not come after"},
        {root, 0, 3, SHW_LOG_FOREST_STRUCTURE, "child 3"},
        {root, 1, 1u << 26 | 1u << 24, SHW_LOG_FOREST_FEATURE, "unknown flags"},
        {root, 1, 16 | 1u << 24, SHW_LOG_FOREST_FEATURE, "channel 16"},
        {root, 3, 0x80000000, SHW_LOG_FOREST_FEATURE, "thresholds"},
        {root + 1, 1, 0x80008000, SHW_LOG_FOREST_FEATURE, "is empty"},
        {root + 1, 3, 0x80008000, SHW_LOG_FOREST_FEATURE, "is empty"},
        {root + 1, 1, 0x7fff7fff, SHW_LOG_FOREST_SUM_RANGE, "must be smaller"},
        {distributions, 0, 0xffffffff, SHW_LOG_FOREST_STRUCTURE, "the distribution sums to"},
        {distributions, 3, 1, SHW_LOG_FOREST_STRUCTURE, "after the last class"},
    };

    (void)state;
    shw_forest_destroy(&forest);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct file file;
        open_file(&file, &small);
        set_word(&file, texels_at(&file) + 16 * cases[i].texel + 4 * cases[i].word, cases[i].value);
        refuse(&file, file.size, SHW_ERROR_FORMAT, SHW_LOG_FOREST_CHECKSUM, "checksum");
        seal(&file);
        refuse(&file, file.size, SHW_ERROR_FORMAT, cases[i].item, cases[i].words);
        close_file(&file);
    }
}

/* Damage behind a right checksum: anything may come out but a crash, and a forest that is accepted is a forest. */
static void sealed_noise_does_no_harm(void **state)
{
    struct testing_random random = {77};
    unsigned accepted = 0;
    struct file file;
    uint8_t *good;

    (void)state;
    open_file(&file, &small);
    good = malloc(file.size);
    assert_non_null(good);
    memcpy(good, file.bytes, file.size);
    for (int i = 0; i < 5000; i++) {
        struct shw_forest *forest = NULL;
        for (uint32_t n = 1 + testing_random_below(&random, 3); n > 0; n--) {
            size_t texels = texels_at(&file),
                   at = texels + testing_random_below(&random, (uint32_t)(file.size - texels));
            if (testing_random_below(&random, 4) == 0) /* aim at what is used */
                at = texels + testing_random_below(&random, 64);
            file.bytes[at] = (uint8_t)testing_random_below(&random, 256);
        }
        seal(&file);
        if (shw_forest_load_memory(file.bytes, file.size, "x", NULL, &forest) == SHW_OK) {
            accepted++;
            shw_forest_destroy(&forest);
        }
        memcpy(file.bytes, good, file.size);
    }
    assert_in_range(accepted, 1, 4999);
    free(good);
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
static void votes_are_a_property_of_the_file(void **state)
{
    struct random_forest_params params = {.seed = 11, .classes = 9, .trees = 3, .depth = 4, .split_percent = 70};
    struct file means, votes;
    uint32_t one_hot = 0;

    (void)state;
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

static void unknown_combinations_are_refused(void **state)
{
    struct random_forest_params params = small;
    struct shw_forest *forest = NULL;
    struct file file;

    (void)state;
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

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading_gives_the_same_forest_and_bytes),
        cmocka_unit_test(votes_are_a_property_of_the_file),
        cmocka_unit_test(unknown_combinations_are_refused),
        cmocka_unit_test(files_hold_the_same_bytes_as_memory),
        cmocka_unit_test(missing_files_are_named),
        cmocka_unit_test(container_is_ktx2),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(every_wrong_bit_is_noticed),
        cmocka_unit_test(container_damage_is_told),
        cmocka_unit_test(metadata_damage_is_told),
        cmocka_unit_test(newer_versions_are_told_first),
        cmocka_unit_test(texture_damage_is_told),
        cmocka_unit_test(sealed_noise_does_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
