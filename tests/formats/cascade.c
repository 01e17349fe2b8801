/* Cascades of other programs: pico's binary files and tables in CSV, against plain readings of them. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_bytes.h"
#include "formats/cascade_formats.h"
#include "formats/csv_cascade.h"
#include "pico_plain.h"
#include "testing/cascades.h"

static const struct shw_cascade_import plain = {.training = "{\"imported_from\":\"test\"}"};

static void put_float(uint8_t *to, double value)
{
    float number = (float)value;

    memcpy(to, &number, sizeof number);
}

enum { SIDE = 64 };

static int32_t pixel(const uint8_t *image, int32_t row, int32_t column, int32_t size, int8_t y, int8_t x)
{
    return image[((256 * row + y * size) >> 8) * SIDE + ((256 * column + x * size) >> 8)];
}

static bool walk_cascade(const struct shw_cascade *cascade, const uint8_t *image, int32_t row, int32_t column,
                         int32_t size, double *score)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    int32_t sum = 0;

    for (uint32_t s = 0; s < info->stage_count; s++) {
        for (uint32_t t = 0; t < info->stages[s].tree_count; t++) {
            const struct shw_cascade_node *nodes = info->nodes + info->trees[info->stages[s].first_tree + t].first_node;
            uint32_t n = 0;
            while (nodes[n].is_split)
                n = nodes[n].left + (pixel(image, row, column, size, (int8_t)nodes[n].y1, (int8_t)nodes[n].x1) -
                                         pixel(image, row, column, size, (int8_t)nodes[n].y2, (int8_t)nodes[n].x2) >
                                     nodes[n].threshold);
            sum += nodes[n].value;
        }
        if (sum < info->stages[s].threshold)
            return false;
    }
    *score = ldexp(sum - info->score_base, -(int)info->fraction_bits);
    return true;
}

TESTING_CASE(picos_windows_and_scores_are_the_same)
{
    struct testing_random random = {5};
    uint32_t passed = 0, rejected = 0;
    uint8_t image[SIDE * SIDE];

    for (uint32_t round = 0; round < 8; round++) {
        uint32_t depth = 1 + testing_random_below(&random, 6), trees = 1 + testing_random_below(&random, 9);
        uint8_t *bytes = make_pico(&random, depth, trees);
        struct shw_cascade *cascade = NULL;
        struct testing_log memory;
        const struct shw_log log = testing_log(&memory);
        assert_int_equal(shw_pico_cascade_parse(bytes, pico_size(depth, trees), "a", &plain, &log, &cascade), SHW_OK);
        assert_int_equal(shw_cascade_get_info(cascade)->kind, SHW_CASCADE_SCALED);
        assert_int_equal(shw_cascade_get_info(cascade)->stage_count, trees);
        for (uint32_t i = 0; i < SIDE * SIDE; i++) /* few grey levels, so that many pixels are equal */
            image[i] = (uint8_t)testing_random_below(&random, 4);
        for (int w = 0; w < 500; w++) {
            int32_t size = testing_random_range(&random, 2, 62), room = SIDE - 1 - (size + 1) / 2;
            int32_t row = testing_random_range(&random, (size + 1) / 2, room);
            int32_t column = testing_random_range(&random, (size + 1) / 2, room);
            double expected, score = 0;
            bool passes = walk_pico(bytes, image, SIDE, row, column, size, &expected);
            assert_int_equal(walk_cascade(cascade, image, row, column, size, &score), passes);
            if (passes && score != expected)
                fail_msg("a score of %.9g instead of %.9g", score, expected);
            passed += passes;
            rejected += !passes;
        }
        shw_cascade_destroy(&cascade);
        free(bytes);
    }
    assert_true(passed > 400 && rejected > 400);
}

/* 468 trees of depth 6, as pico's cascade for faces has, whose values have no exact fraction. */
static void check_read_exactly(const char *path)
{
    struct shw_cascade_import face = {.object = "face"};
    struct shw_cascade *cascade = NULL;
    const struct shw_cascade_info *info;
    struct shw_file_bytes file;
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    double worst = 0;

    assert_int_equal(shw_pico_cascade_read(&(const struct shw_import_source){.path = path}, &face, &log, &cascade),
                     SHW_OK);
    assert_int_equal(shw_file_bytes_read(path, 1 << 20, &log, &file), SHW_OK);
    info = shw_cascade_get_info(cascade);
    assert_string_equal(info->name, "face");
    assert_int_equal(info->stage_count, 468);
    assert_int_equal(info->node_count, 468 * 127);
    assert_int_equal(info->fraction_bits, 22);
    for (uint32_t t = 0; t < info->tree_count; t++) {
        const struct shw_cascade_node *nodes = info->nodes + info->trees[t].first_node;
        const uint8_t *tree = file.bytes + 16 + 512 * (size_t)t;
        float value;
        for (uint32_t n = 0; n < 127; n++) {
            memcpy(&value, tree + 4 * n, 4);
            assert_int_equal(nodes[n].is_split, n < 63);
            if (n >= 63)
                worst = fmax(worst, fabs(ldexp(nodes[n].value, -22) - value));
        }
        memcpy(&value, tree + 508, 4);
        worst = fmax(worst, fabs(ldexp(info->stages[t].threshold - 1, -22) - value));
    }
    assert_true(worst > 0 && worst <= ldexp(1, -23));
    assert_true(468 * worst < 1e-4);
    assert_int_equal(info->score_base, info->stages[467].threshold - 1);
    shw_file_bytes_free(&file);
    shw_cascade_destroy(&cascade);
}

TESTING_CASE(large_cascades_are_read_exactly)
{
    struct testing_random random = {8};
    uint8_t *bytes = make_pico(&random, 6, 468);
    const char *path = testing_path("facefinder"), *real = testing_data("pico/facefinder");
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    for (uint32_t t = 0; t < 468; t++)
        for (uint32_t leaf = 63; leaf < 127; leaf++)
            put_float(bytes + 16 + 512 * (size_t)t + 4 * (size_t)leaf,
                      testing_random_range(&random, -1000000, 1000000) / 1500000.0);
    assert_int_equal(fwrite(bytes, 1, pico_size(6, 468), file), pico_size(6, 468));
    assert_int_equal(fclose(file), 0);
    check_read_exactly(path);
    if (real != NULL)
        check_read_exactly(real);
    free(bytes);
}

static void refuse_pico(uint8_t *bytes, size_t size, enum shw_result expected, const char *words)
{
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    struct shw_cascade *cascade = NULL;

    assert_int_equal(shw_pico_cascade_parse(bytes, size, "some", &plain, &log, &cascade), expected);
    assert_null(cascade);
    assert_int_equal(memory.errors, 1);
    if (strstr(memory.last, words) == NULL || strncmp(memory.last, "some: ", 6) != 0)
        fail_msg("'%s' is not in: %s", words, memory.last);
}

TESTING_CASE(wrong_files_of_pico_are_refused)
{
    static const struct {
        size_t at;
        int32_t value;
        enum shw_result result;
        const char *words;
    } cases[] = {
        {8, 0, SHW_ERROR_FORMAT, "byte 8: trees of depth 0"},
        {8, -1, SHW_ERROR_FORMAT, "byte 8: trees of depth -1"},
        {8, 17, SHW_ERROR_FORMAT, "byte 8: trees of depth 17"},
        {8, 3, SHW_ERROR_FORMAT, "take 336"},
        {12, 0, SHW_ERROR_FORMAT, "byte 12: 0 trees"},
        {12, 65537, SHW_ERROR_FORMAT, "byte 12: 65537 trees"},
        {12, 6, SHW_ERROR_FORMAT, "176 bytes, but 6 trees of depth 2 take 208"},
        {16 + 12, 0x7fc00000, SHW_ERROR_FORMAT, "tree 0, leaf 0: its value is not a finite"},
        {16 + 32 + 24, 0x7f800000, SHW_ERROR_FORMAT, "tree 1, leaf 3: its value is not a finite"},
        {16 + 32 + 28, (int32_t)0xff800000, SHW_ERROR_FORMAT, "tree 1: its threshold is not a finite"},
        {16 + 12, 0x4f800000, SHW_ERROR_FORMAT, "do not fit into 32 bits"},
        {16 + 4 * 32 + 28, 0x7f000000, SHW_ERROR_FORMAT, "do not fit into 32 bits"},
    };
    struct testing_random random = {1};
    size_t size = pico_size(2, 5), whole = pico_size(13, 128);
    uint8_t *bytes = make_pico(&random, 2, 5), *large = calloc(1, whole);

    assert_non_null(large);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t kept[4];
        memcpy(kept, bytes + cases[i].at, 4);
        memcpy(bytes + cases[i].at, &cases[i].value, 4);
        refuse_pico(bytes, size, cases[i].result, cases[i].words);
        memcpy(bytes + cases[i].at, kept, 4);
    }
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *copy = malloc(cut + 1);
        assert_non_null(copy);
        memcpy(copy, bytes, cut);
        copy = realloc(copy, cut > 0 ? cut : 1);
        refuse_pico(copy, cut, SHW_ERROR_FORMAT, "bytes");
        free(copy);
    }
    memcpy(large, (int32_t[]){3, 0, 13, 128}, 16);
    refuse_pico(large, whole, SHW_ERROR_LIMIT, "128 trees of depth 13");
    free(large);
    free(bytes);
}

/* Thresholds beyond every score stay so. */
TESTING_CASE(thresholds_may_be_out_of_reach)
{
    struct testing_random random = {3};
    uint8_t *bytes = make_pico(&random, 1, 2);
    struct shw_cascade *cascade = NULL;

    put_float(bytes + 16 + 12, -1e30);
    assert_int_equal(shw_pico_cascade_parse(bytes, pico_size(1, 2), "a", &plain, NULL, &cascade), SHW_OK);
    assert_int_equal(shw_cascade_get_info(cascade)->stages[0].threshold, INT32_MIN + 1);
    shw_cascade_destroy(&cascade);
    put_float(bytes + 16 + 12, 1e30);
    assert_int_equal(shw_pico_cascade_parse(bytes, pico_size(1, 2), "a", &plain, NULL, &cascade), SHW_OK);
    assert_int_equal(shw_cascade_get_info(cascade)->stages[0].threshold, INT32_MAX);
    shw_cascade_destroy(&cascade);
    free(bytes);
}

TESTING_CASE(scores_have_as_many_bits_as_fit)
{
    uint32_t bits = 99;

    assert_true(shw_score_bits(0, 0, &bits));
    assert_int_equal(bits, 30);
    assert_true(shw_score_bits(1.5, 10, &bits));
    assert_int_equal(bits, 30);
    assert_true(shw_score_bits(2, 1, &bits));
    assert_int_equal(bits, 29);
    assert_true(shw_score_bits(INT32_MAX, 0, &bits));
    assert_int_equal(bits, 0);
    assert_false(shw_score_bits(INT32_MAX, 1, &bits));
    assert_false(shw_score_bits(INFINITY, 1, &bits));
    assert_false(shw_score_bits(NAN, 1, &bits));
    assert_int_equal(shw_score_round(0.625, 2), 3);
    assert_int_equal(shw_score_round(-0.625, 2), -3);
    assert_int_equal(shw_score_round(1e30, 2), INT32_MAX);
    assert_int_equal(shw_score_round(-1e30, 2), INT32_MIN);
    assert_int_equal(shw_score_floor(-0.3, 1), -1);
    assert_int_equal(shw_score_floor(0.99, 0), 0);
}

/* The example of docs/exchange.md: a stage of two trees and one of a single leaf. */
static const char *const example[SHW_CSV_FILE_COUNT] = {
    [SHW_CSV_CASCADE] = "name,face\nwindow_width,8\nwindow_height,6\nshrink,4\n",
    [SHW_CSV_STAGES] = "0,1,-0.5\n2,2,0.25\n",
    [SHW_CSV_CHILDREN] = "1,-1,-1,,\n3,-1,-1,1,-1\n-1,,,,\n",
    [SHW_CSV_PROB] = "0,-1,0.5,,\n0,0.25,-0.75,0,0.5\n1,,,,\n",
    [SHW_CSV_THR] = "0.5,0,0,,\n-2,0,0,0.001,0\n0,,,,\n",
    [SHW_CSV_Y1] = "0,0,0,,\n5,0,0,1,0\n0,,,,\n",
    [SHW_CSV_X1] = "7,0,0,,\n2,0,0,3,0\n0,,,,\n",
    [SHW_CSV_Y2] = "5,0,0,,\n4,0,0,0,0\n0,,,,\n",
    [SHW_CSV_X2] = "1,0,0,,\n6,0,0,2,0\n0,,,,\n",
};

static enum shw_result parse(const char *const texts[SHW_CSV_FILE_COUNT], const struct shw_cascade_import *import,
                             struct testing_log *memory, struct shw_cascade **cascade)
{
    struct shw_csv_text files[SHW_CSV_FILE_COUNT];
    const struct shw_log log = testing_log(memory);

    for (int f = 0; f < SHW_CSV_FILE_COUNT; f++)
        files[f] = (struct shw_csv_text){
            .name = shw_csv_files[f], .text = texts[f], .size = texts[f] != NULL ? strlen(texts[f]) : 0};
    return shw_csv_cascade_parse(files, import, &log, cascade);
}

static void assert_is_example(const struct shw_cascade *cascade)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    const struct shw_cascade_node expected[] = {
        {.is_split = true, .left = 1, .x1 = 7, .y1 = 0, .x2 = 1, .y2 = 5, .threshold = 2040},
        {.left = 1, .value = -(1 << 29)},
        {.left = 2, .value = 1 << 28},
        {.is_split = true, .left = 1, .x1 = 2, .y1 = 5, .x2 = 6, .y2 = 4, .threshold = -8160},
        {.is_split = true, .left = 3, .x1 = 3, .y1 = 1, .x2 = 2, .y2 = 0, .threshold = 4},
        {.left = 2, .value = 1 << 28},
        {.left = 3, .value = 1 << 27},
        {.left = 4, .value = -3 * (1 << 27)},
        {.left = 0, .value = 1 << 30},
    };

    assert_int_equal(info->kind, SHW_CASCADE_PIXELS);
    assert_string_equal(info->name, "face");
    assert_int_equal(info->window_width, 8);
    assert_int_equal(info->window_height, 6);
    assert_int_equal(info->planes.shrink, 4);
    assert_true(info->planes.blur_before && info->planes.blur_after && !info->planes.octaves);
    assert_int_equal(info->levels_per_octave, 4);
    assert_int_equal(info->fraction_bits, 30);
    assert_int_equal(info->stage_count, 2);
    assert_int_equal(info->stages[0].tree_count, 2);
    assert_int_equal(info->stages[0].threshold, -(1 << 29) + 1);
    assert_int_equal(info->stages[1].tree_count, 1);
    assert_int_equal(info->stages[1].threshold, (1 << 28) + 1);
    assert_int_equal(info->node_count, 9);
    for (int n = 0; n < 9; n++) {
        const struct shw_cascade_node *a = &info->nodes[n], *b = &expected[n];
        assert_true(a->is_split == b->is_split && a->left == b->left && a->x1 == b->x1 && a->y1 == b->y1 &&
                    a->x2 == b->x2 && a->y2 == b->y2 && a->threshold == b->threshold && a->value == b->value);
    }
}

/* Nodes in another order, with spaces, comments, empty lines, ends of lines as in DOS and unused fields. */
TESTING_CASE(tables_mean_what_is_documented)
{
    const char *texts[SHW_CSV_FILE_COUNT];
    struct shw_cascade *cascade = NULL;
    struct testing_log memory;

    memcpy(texts, example, sizeof texts);
    assert_int_equal(parse(texts, &plain, &memory, &cascade), SHW_OK);
    assert_is_example(cascade);
    shw_cascade_destroy(&cascade);
    texts[SHW_CSV_CHILDREN] = "# one\r\n1,-1,-1\r\n\r\n 3 , -1,-1,1\t,-1,77\r\n#,\n-1";
    texts[SHW_CSV_CASCADE] = "# all\r\n\nshrink,4\r\nblur_before,1\nwindow_height,6\nwindow_width,8\r\nname,face";
    texts[SHW_CSV_Z1] = "0,0,0\n\n0\n"; /* which may be there */
    texts[SHW_CSV_PROB] = ",-1.0,5e-1\n,.25,-.75,,+0.5,\n1";
    assert_int_equal(parse(texts, &plain, &memory, &cascade), SHW_OK);
    assert_is_example(cascade);
    shw_cascade_destroy(&cascade);
    texts[SHW_CSV_CASCADE] = "name,face\nwindow_width,8\nwindow_height,6\nshrink,1\nblur_after,0\noctaves,1\n"
                             "levels_per_octave,7\nfraction_bits,4\nscore_base,-1.5\n";
    assert_int_equal(parse(texts, &(struct shw_cascade_import){.object = "head", .training = "{}"}, &memory, &cascade),
                     SHW_OK);
    assert_string_equal(shw_cascade_get_info(cascade)->name, "head");
    assert_false(shw_cascade_get_info(cascade)->planes.blur_after);
    assert_true(shw_cascade_get_info(cascade)->planes.octaves);
    assert_int_equal(shw_cascade_get_info(cascade)->levels_per_octave, 7);
    assert_int_equal(shw_cascade_get_info(cascade)->fraction_bits, 4);
    assert_int_equal(shw_cascade_get_info(cascade)->score_base, -24);
    assert_int_equal(shw_cascade_get_info(cascade)->nodes[0].threshold, 32640);
    shw_cascade_destroy(&cascade);
}

TESTING_CASE(tables_that_were_written_are_the_same_cascade)
{
    static const struct random_cascade_params samples[] = {
        {.seed = 1},
        {.seed = 2, .stages = 30, .trees = 5, .depth = 6, .fraction_bits = 20, .planes = {.shrink = 3}},
        {.seed = 3, .stumps = true, .planes = {.shrink = 16, .octaves = true, .blur_after = true}},
        {.seed = 4, .trees = 7, .window_width = 128, .window_height = 127, .fraction_bits = 1},
    };

    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        struct shw_cascade *cascade = random_cascade(&samples[i]), *again = NULL;
        struct testing_log memory;
        char *texts[SHW_CSV_FILE_COUNT] = {0};
        for (int f = 0; f < SHW_CSV_WRITTEN_COUNT; f++)
            assert_int_equal(shw_csv_cascade_format(cascade, (enum shw_csv_file)f, "a", NULL, &texts[f]), SHW_OK);
        assert_int_equal(parse((const char *const *)texts, &plain, &memory, &again), SHW_OK);
        assert_true(shw_cascade_hash(again) == shw_cascade_hash(cascade));
        assert_string_equal(shw_cascade_get_info(again)->training, plain.training);
        for (int f = 0; f < SHW_CSV_FILE_COUNT; f++)
            free(texts[f]);
        shw_cascade_destroy(&again);
        shw_cascade_destroy(&cascade);
    }
}

/* Every 32-bit number comes back: the digits that are written suffice. */
TESTING_CASE(extreme_numbers_are_written_exactly)
{
    static const int32_t values[] = {0, 1, -1, 715827881, -715827881, 65279, -65280, 1073741823, INT32_MAX, -INT32_MAX};
    struct shw_cascade *cascade = random_cascade(&(struct random_cascade_params){.trees = 1, .stages = 1, .depth = 1});
    struct shw_cascade_info info = *shw_cascade_get_info(cascade);
    struct shw_cascade_stage stage = info.stages[0];
    struct shw_cascade_node nodes[3];

    info.stages = &stage;
    memcpy(nodes, info.nodes, sizeof nodes);
    info.nodes = nodes;
    info.score_base = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (uint32_t bits = 0; bits <= 30; bits += 5) {
            struct shw_cascade *made = NULL, *again = NULL;
            struct testing_log memory;
            char *texts[SHW_CSV_FILE_COUNT] = {0};
            info.fraction_bits = bits;
            info.planes.shrink = 1 + bits / 2;
            stage.threshold = nodes[0].threshold = nodes[1].value = values[i];
            assert_int_equal(shw_cascade_create(&info, NULL, &made), SHW_OK);
            for (int f = 0; f < SHW_CSV_WRITTEN_COUNT; f++)
                assert_int_equal(shw_csv_cascade_format(made, (enum shw_csv_file)f, "a", NULL, &texts[f]), SHW_OK);
            assert_int_equal(parse((const char *const *)texts, &plain, &memory, &again), SHW_OK);
            assert_true(shw_cascade_hash(again) == shw_cascade_hash(made));
            for (int f = 0; f < SHW_CSV_FILE_COUNT; f++)
                free(texts[f]);
            shw_cascade_destroy(&again);
            shw_cascade_destroy(&made);
        }
    shw_cascade_destroy(&cascade);
}

TESTING_CASE(other_kinds_cannot_be_written)
{
    struct shw_cascade *scaled = random_cascade(&(struct random_cascade_params){.kind = SHW_CASCADE_SCALED});
    struct shw_cascade *restarting = random_cascade(&(struct random_cascade_params){.restarts = true});
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    char *text = NULL;

    assert_int_equal(shw_csv_cascade_format(scaled, SHW_CSV_THR, "a.ktx2", &log, &text), SHW_ERROR_FORMAT);
    assert_string_equal(memory.last,
                        "a.ktx2: a cascade of the kind scaled-pixels; CSV files hold those of the kind pixels");
    assert_int_equal(shw_csv_cascade_format(restarting, SHW_CSV_THR, "a.ktx2", &log, &text), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "restart"));
    assert_null(text);
    shw_cascade_destroy(&scaled);
    shw_cascade_destroy(&restarting);
}

TESTING_CASE(wrong_tables_are_told)
{
    static const struct {
        enum shw_csv_file file;
        const char *text, *words;
    } cases[] = {
        {SHW_CSV_CASCADE, "", "cascade.csv: there is no window_width"},
        {SHW_CSV_CASCADE, "window_width,8\nwindow_height,6\n", "cascade.csv: there is no shrink"},
        {SHW_CSV_CASCADE, "window_width,1\n", "line 1: window_width is 1 instead of a whole number from 2 to 128"},
        {SHW_CSV_CASCADE, "\nwindow_width,8.5\n", "line 2: window_width is 8.5 "},
        {SHW_CSV_CASCADE, "shrink,4\nshrink,4\n", "line 2: a second shrink"},
        {SHW_CSV_CASCADE, "shrunk,4\n", "line 1: \"shrunk\" is not a setting"},
        {SHW_CSV_CASCADE, "shrink\n", "line 1: \"shrink\" is not a setting"},
        {SHW_CSV_CASCADE, "shrink,\n", "line 1: the value of shrink is not a number"},
        {SHW_CSV_CASCADE, "score_base,inf\n", "line 1: the value of score_base is not a number"},
        {SHW_CSV_CASCADE, "name,\n", "line 1: the name is not 1 to 255 bytes"},
        {SHW_CSV_CASCADE, "window_width,8\nwindow_height,6\nshrink,4\nfraction_bits,30\nscore_base,2\n",
         "cascade.csv: stage 1: scores could leave 32 bits"},
        {SHW_CSV_STAGES, "", "stages.csv: there are no rows"},
        {SHW_CSV_STAGES, "0,1\n", "stages.csv, line 1: 2 fields instead of 3"},
        {SHW_CSV_STAGES, "0,1,0\n1,2,0\n", "stages.csv, line 2: the first tree is 1 instead of 2"},
        {SHW_CSV_STAGES, "0,1,0\n2,3,0\n", "stages.csv, line 2: column 2 is not a whole number from 2 to 2"},
        {SHW_CSV_STAGES, "0,1,0\n", "stages.csv: the trees from 2 on belong to no stage"},
        {SHW_CSV_STAGES, "0,1,\n2,2,0\n", "stages.csv, line 1: column 3 is empty"},
        {SHW_CSV_STAGES, "0,x,0\n", "stages.csv, line 1: \"x\" is not a number"},
        {SHW_CSV_STAGES, "0 1,0\n", "stages.csv, line 1: \"1\" follows a number"},
        {SHW_CSV_CHILDREN, "1,-1,-1\n", "prob.csv: 3 rows, but children.csv has 1"},
        {SHW_CSV_CHILDREN, "1,-1,-1\n3,-1,-1,1,-1\n-2\n", "children.csv, line 3: column 1 is not a whole number"},
        {SHW_CSV_CHILDREN, "2,-1,-1\n3,-1,-1,1,-1\n-1\n", "children.csv, line 1: column 1 is not a whole number from"},
        {SHW_CSV_CHILDREN, "0,-1,-1\n3,-1,-1,1,-1\n-1\n", "children.csv, line 1: node 0 is the child of two"},
        {SHW_CSV_CHILDREN, "1,-1,-1\n3,-1,-1,3,-1\n-1\n", "children.csv, line 2: node 3 is the child of two"},
        {SHW_CSV_CHILDREN, "1,,-1\n3,-1,-1,1,-1\n-1\n", "children.csv, line 1: column 2 is not a whole"},
        {SHW_CSV_PROB, "0,,0.5\n0,0.25,-0.75,0,0.5\n1\n", "prob.csv, line 1: column 2 is empty or missing"},
        {SHW_CSV_PROB, "0,1,0.5\n0,0.25,-0.75,0\n1\n", "prob.csv, line 2: column 5 is empty or missing"},
        {SHW_CSV_PROB, "0,1,0.5\n0,nan,-0.75,0,0\n1\n", "prob.csv, line 2: \"nan\" is not a number"},
        {SHW_CSV_PROB, "0,1e30,0.5\n0,0.25,-0.75,0,0\n1\n", "prob.csv: scores of up to 5e+29 do not fit"},
        {SHW_CSV_THR, "\n\n", "thr.csv: there are no rows"},
        {SHW_CSV_THR, "0.5\n-2,0,0,,0\n0\n", "thr.csv, line 2: column 4 is empty or missing"},
        {SHW_CSV_X1, "8,0,0\n2,0,0,3,0\n0\n", "x1.csv, line 1: column 1 is not a whole number from 0 to 7"},
        {SHW_CSV_Y1, "6,0,0\n5,0,0,1,0\n0\n", "y1.csv, line 1: column 1 is not a whole number from 0 to 5"},
        {SHW_CSV_X2, "1,0,0\n6,0,0,-1,0\n0\n", "x2.csv, line 2: column 4 is not a whole number"},
        {SHW_CSV_Z1, "0,0\n0,,0,2\n", "z1.csv, line 2: column 4 is layer 2 of the image"},
        {SHW_CSV_Z2, "-1\n", "z2.csv, line 1: column 1 is layer -1"},
        {SHW_CSV_Z2, "0,x\n", "z2.csv, line 1: \"x\" is not a number"},
        {SHW_CSV_Y2, "5\n4,0,0,0.5\n0\n", "y2.csv, line 2: column 4 is not a whole number"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *texts[SHW_CSV_FILE_COUNT];
        struct shw_cascade *cascade = NULL;
        struct testing_log memory;
        memcpy(texts, example, sizeof texts);
        texts[cases[i].file] = cases[i].text;
        assert_int_equal(parse(texts, &plain, &memory, &cascade), SHW_ERROR_FORMAT);
        assert_null(cascade);
        assert_int_equal(memory.errors, 1);
        if (strstr(memory.last, cases[i].words) == NULL)
            fail_msg("'%s' is not in: %s", cases[i].words, memory.last);
    }
}
