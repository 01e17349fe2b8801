/* Forest files with damage of every kind, which is reported for what it is. */
#include <stdlib.h>
#include <string.h>

#include "forest_files.h"

TESTING_CASE(every_truncation_and_every_wrong_bit_is_refused)
{
    struct model_file file = open_file(&small);

    model_file_check_damage(&file);
    model_file_close(&file);
}

TESTING_CASE(container_damage_is_reported)
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

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model_file file = open_file(&small);
        model_file_set_word(&file, cases[i].at, cases[i].value);
        model_file_refuse(&file, file.size, SHW_ERROR_FORMAT, cases[i].item, cases[i].words);
        model_file_close(&file);
    }
}

static void check_metadata(const char *from, const char *to, enum shw_result result, enum shw_log_item item,
                           const char *words)
{
    struct model_file file = open_file(&small);

    model_file_replace(&file, from, to);
    if (result == SHW_OK) {
        struct shw_forest *forest = NULL;
        assert_int_equal(shw_forest_load_memory(file.bytes, file.size, "x", NULL, &forest), SHW_OK);
        shw_forest_destroy(&forest);
    } else {
        model_file_refuse(&file, file.size, result, item, words);
    }
    model_file_close(&file);
}

#define BAD_METADATA(from, to, words) check_metadata(from, to, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, words)

TESTING_CASE(metadata_damage_is_reported)
{
    check_metadata("\"chance\"", "\"hazard\"", SHW_OK, SHW_LOG_ARGUMENT, "");
    check_metadata("\"version\":2", "\"version\":1", SHW_OK, SHW_LOG_ARGUMENT, "");
    check_metadata("\"version\":2", "\"version\":7", SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION, "use a newer one");
    BAD_METADATA("\"version\":2", "\"version\":0", "no format version");
    BAD_METADATA("\"version\":2", "\"vision\":1", "no format version");
    BAD_METADATA("\"winn16\"", "\"winn99\"", "no channel kind 'winn99'");
    BAD_METADATA("\"winn16\"", "16", "metadata");
    BAD_METADATA("\"mean-difference\"", "\"mean\"", "no feature type 'mean'");
    BAD_METADATA("\"feature\"", "\"future\"", "metadata");
    BAD_METADATA("{\"made_by\":\"chance\"}", "[]", "provenance");
    BAD_METADATA("\"class 1\"", "\"\"", "name of class 1");
    BAD_METADATA("\"class 1\"", "1", "class 1");
    BAD_METADATA("\"colour\":[", "\"colour\":", "metadata, byte");
    BAD_METADATA("\"colour\"", "\"color\"", "class 0");
    BAD_METADATA("\"class 0\"", "\"cl\\u00\"", "metadata, byte");
    BAD_METADATA("\"class 0\"", "\"a\\u0007\"", "name of class 0");
    BAD_METADATA("{", "[", "metadata, byte");
}

/* The same with a forest that smooths. Names and numbers are no longer than the right ones. */
static void check_smoothing(const char *to, const char *words)
{
    struct random_forest_params params = small;
    struct model_file file;

    params.smoothing = (struct shw_smoothing){100, 1000};
    file = open_file(&params);
    model_file_replace(&file, "{\"epsilon\":1000,\"radius\":100}", to);
    if (words != NULL) {
        model_file_refuse(&file, file.size, SHW_ERROR_FORMAT, SHW_LOG_FOREST_METADATA, words);
    } else {
        struct shw_forest *forest = NULL;
        assert_int_equal(shw_forest_load_memory(file.bytes, file.size, "x", NULL, &forest), SHW_OK);
        assert_int_equal(shw_forest_get_info(forest)->smoothing.radius, 120);
        shw_forest_destroy(&forest);
    }
    model_file_close(&file);
}

TESTING_CASE(damaged_smoothing_is_reported)
{
    static const char *const wrong[] = {"{\"epsilon\":1000,\"radius\":0}",
                                        "{\"epsilon\":1000,\"radius\":121}",
                                        "{\"epsilon\":1000,\"radius\":-1}",
                                        "{\"epsilon\":0,\"radius\":100}",
                                        "{\"epsilon\":4097,\"radius\":100}",
                                        "{\"epsilon\":-7,\"radius\":100}",
                                        "{\"epsilon\":1e9,\"radius\":100}",
                                        "{\"epsilon\":1000,\"radius\":1.5}",
                                        "{\"epsilon\":1000,\"radius\":\"\"}",
                                        "{\"epsilon\":null,\"radius\":1}",
                                        "{\"epsilon\":1000,\"radius\":[]}",
                                        "{\"epsilon\":1000}",
                                        "{\"radius\":100}",
                                        "{\"epsilom\":1000,\"radius\":100}",
                                        "{\"epsilon\":1,\"radius\":1,\"\":1}",
                                        "{\"epsilon\":1,\"radius\":300000}",
                                        "[1000,100]",
                                        "\"smooth\"",
                                        "100",
                                        "null",
                                        "true",
                                        "{}"};

    check_smoothing("{\"epsilon\":4096,\"radius\":120}", NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        check_smoothing(wrong[i], "smooth");
    check_smoothing("{\"epsilon\":1000,\"radius\":9999", "metadata, byte");
}

TESTING_CASE(texture_damage_is_reported)
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

    shw_forest_destroy(&forest);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct model_file file = open_file(&small);
        model_file_set_word(&file, model_file_texels_at(&file) + 16 * cases[i].texel + 4 * cases[i].word,
                            cases[i].value);
        model_file_refuse(&file, file.size, SHW_ERROR_FORMAT, SHW_LOG_FOREST_CHECKSUM, "checksum");
        model_file_seal(&file);
        model_file_refuse(&file, file.size, SHW_ERROR_FORMAT, cases[i].item, cases[i].words);
        model_file_close(&file);
    }
}

/* Damage behind a right checksum: anything may come out but a crash, and a forest that is accepted is a forest. */
TESTING_CASE(sealed_noise_does_no_harm)
{
    struct testing_random random = {77};
    unsigned accepted = 0;
    struct model_file file = open_file(&small);
    uint8_t *good;

    good = malloc(file.size);
    assert_non_null(good);
    memcpy(good, file.bytes, file.size);
    for (int i = 0; i < 5000; i++) {
        struct shw_forest *forest = NULL;
        for (uint32_t n = 1 + testing_random_below(&random, 3); n > 0; n--) {
            size_t texels = model_file_texels_at(&file),
                   at = texels + testing_random_below(&random, (uint32_t)(file.size - texels));
            if (testing_random_below(&random, 4) == 0) /* aim at what is used */
                at = texels + testing_random_below(&random, 64);
            file.bytes[at] = (uint8_t)testing_random_below(&random, 256);
        }
        model_file_seal(&file);
        if (shw_forest_load_memory(file.bytes, file.size, "x", NULL, &forest) == SHW_OK) {
            accepted++;
            shw_forest_destroy(&forest);
        }
        memcpy(file.bytes, good, file.size);
    }
    assert_in_range(accepted, 1, 4999);
    free(good);
    model_file_close(&file);
}
