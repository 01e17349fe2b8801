/* Palettes. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dataset/label_classes.h"
#include "dataset/palette.h"
#include "testing/image_encode.h"

static const char good[] = "{\"classes\": [{\"name\": \"nothing\", \"colour\": [0, 0, 0], \"void\": true}, "
                           "{\"name\": \"grass\", \"colour\": [0, 128, 0]}, "
                           "{\"name\": \"horse\", \"colour\": [9, 9, 9], \"void\": true}, "
                           "{\"name\": \"sky\", \"colour\": [1, 2, 255], \"void\": false}]}";

static void test_read(void **state)
{
    static const uint8_t sky[3] = {1, 2, 255}, absent[3] = {1, 2, 254};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_palette palette;

    (void)state;
    assert_int_equal(shw_palette_decode(good, sizeof good - 1, "p", &log, &palette), SHW_OK);
    assert_int_equal(palette.entry_count, 4);
    assert_int_equal(palette.class_count, 2);
    assert_string_equal(palette.classes[0].name, "grass");
    assert_string_equal(palette.classes[1].name, "sky");
    assert_int_equal(palette.classes[0].colour[1], 128);
    assert_int_equal(palette.entries[0].class_number, SHW_LABEL_VOID);
    assert_int_equal(palette.entries[1].class_number, 0);
    assert_int_equal(palette.entries[2].class_number, SHW_LABEL_VOID);
    assert_int_equal(palette.entries[3].class_number, 1);
    assert_int_equal(shw_palette_find(&palette, sky), 3);
    assert_int_equal(shw_palette_find(&palette, absent), UINT32_MAX);
    shw_palette_free(&palette);
    assert_null(palette.entries);
}

static void test_write(void **state)
{
    const char *path = testing_path("palette.json");
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_palette palette, back;

    (void)state;
    assert_int_equal(shw_palette_decode(good, sizeof good - 1, "p", &log, &palette), SHW_OK);
    assert_int_equal(shw_palette_write(path, &palette, &log), SHW_OK);
    assert_int_equal(shw_palette_read(path, &log, &back), SHW_OK);
    assert_int_equal(back.entry_count, palette.entry_count);
    assert_int_equal(back.class_count, palette.class_count);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(back.entries[i].name, palette.entries[i].name);
        assert_memory_equal(back.entries[i].colour, palette.entries[i].colour, 3);
        assert_int_equal(back.entries[i].class_number, palette.entries[i].class_number);
    }
    shw_palette_free(&palette);
    shw_palette_free(&back);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *part;
    } cases[] = {
        {"", "not JSON"},
        {"{\"classes\": [}", "line 1, column 14"},
        {"[]", "list \"classes\""},
        {"{\"classes\": 3}", "list \"classes\""},
        {"{\"classes\": []}", "empty"},
        {"{\"classes\": [3]}", "entry 0 of \"classes\" is not an object"},
        {"{\"classes\": [{\"colour\": [1, 2, 3]}]}", "entry 0 of \"classes\" has no \"name\""},
        {"{\"classes\": [{\"name\": \"\", \"colour\": [1, 2, 3]}]}", "has no \"name\""},
        {"{\"classes\": [{\"name\": \"a\"}]}", "has no \"colour\""},
        {"{\"classes\": [{\"name\": \"a\", \"colour\": [1, 2]}]}", "has no \"colour\""},
        {"{\"classes\": [{\"name\": \"a\", \"colour\": [1, 2, 256]}]}", "0 to 255"},
        {"{\"classes\": [{\"name\": \"a\", \"colour\": [1, -2, 6]}]}", "0 to 255"},
        {"{\"classes\": [{\"name\": \"a\", \"colour\": [1, 2.5, 6]}]}", "0 to 255"},
        {"{\"classes\": [{\"name\": \"a\", \"colour\": [1, 2, 3], \"void\": 1}]}", "neither true nor false"},
        {"{\"classes\": [{\"name\": \"a\", \"colour\": [1, 2, 3], \"void\": true}]}", "all entries are void"},
        {"{\"classes\": [{\"name\": \"a\", \"colour\": [1, 2, 3]}, {\"name\": \"b\", \"colour\": [1, 2, 3]}]}",
         "\"a\" and \"b\" have the same colour (1, 2, 3)"},
        {"{\"classes\": [{\"name\": \"a\", \"colour\": [1, 2, 3]}, {\"name\": \"a\", \"colour\": [1, 2, 4]}]}",
         "two classes have the name \"a\""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct testing_log memory;
        struct shw_log log = testing_log(&memory);
        struct shw_palette palette = {0};

        assert_int_equal(shw_palette_decode(cases[i].text, strlen(cases[i].text), "my/palette", &log, &palette),
                         SHW_ERROR_FORMAT);
        assert_int_equal(memory.errors, 1);
        assert_int_equal(memory.last_item, SHW_LOG_PALETTE);
        assert_non_null(strstr(memory.last, "my/palette"));
        assert_non_null(strstr(memory.last, cases[i].part));
        assert_null(palette.entries);
    }
}

static void test_default_colours(void **state)
{
    static const uint8_t first[3] = {230, 159, 0}, eighth[3] = {153, 153, 153}, ninth[3] = {136, 0, 102};
    uint8_t *seen = calloc(1, (size_t)1 << 24), colour[3];

    (void)state;
    shw_palette_default_colour(0, colour);
    assert_memory_equal(colour, first, 3);
    shw_palette_default_colour(7, colour);
    assert_memory_equal(colour, eighth, 3);
    shw_palette_default_colour(8, colour);
    assert_memory_equal(colour, ninth, 3);
    seen[0] = 1;
    for (uint32_t i = 0; i < SHW_CLASSES_MAX; i++) {
        size_t packed;

        shw_palette_default_colour(i, colour);
        packed = (size_t)colour[0] << 16 | (size_t)colour[1] << 8 | colour[2];
        assert_int_equal(seen[packed], 0);
        seen[packed] = 1;
    }
    free(seen);
}

static void test_largest(void **state)
{
    struct shw_palette_entry *entries = calloc(SHW_CLASSES_MAX + 1, sizeof *entries);
    char(*names)[16] = calloc(SHW_CLASSES_MAX + 1, sizeof *names);
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_palette palette;

    (void)state;
    for (uint32_t i = 0; i < SHW_CLASSES_MAX; i++) {
        snprintf(names[i], sizeof names[i], "%u", i);
        entries[i].name = names[i];
        shw_palette_default_colour(i, entries[i].colour);
    }
    assert_int_equal(shw_palette_make(entries, SHW_CLASSES_MAX, "p", &log, &palette), SHW_OK);
    for (uint32_t i = 0; i < SHW_CLASSES_MAX; i++)
        assert_int_equal(shw_palette_find(&palette, entries[i].colour), i);
    shw_palette_free(&palette);
    assert_int_equal(shw_palette_make(entries, SHW_CLASSES_MAX + 1, "p", &log, &palette), SHW_ERROR_LIMIT);
    free(entries);
    free(names);
}

static void test_labels_to_classes(void **state)
{
    uint16_t indices[6] = {0, 1, 2, 3, 65535, 1}, *classes;
    uint8_t colours[12] = {0, 0, 0, 0, 128, 0, 0, 128, 0, 1, 2, 255};
    static const uint16_t by_index[6] = {SHW_LABEL_VOID, 0, SHW_LABEL_VOID, 1, SHW_LABEL_VOID, 0};
    static const uint16_t by_colour[4] = {SHW_LABEL_VOID, 0, 0, 1};
    struct shw_label_file index_file = {3, 2, indices, NULL}, colour_file = {2, 2, NULL, colours};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_palette palette;

    (void)state;
    assert_int_equal(shw_palette_decode(good, sizeof good - 1, "p", &log, &palette), SHW_OK);
    assert_int_equal(shw_labels_to_classes(&index_file, "a.png", &palette, &log, &classes), SHW_OK);
    assert_memory_equal(classes, by_index, sizeof by_index);
    free(classes);
    assert_int_equal(shw_labels_to_classes(&colour_file, "a.png", &palette, &log, &classes), SHW_OK);
    assert_memory_equal(classes, by_colour, sizeof by_colour);
    free(classes);

    indices[5] = 4;
    assert_int_equal(shw_labels_to_classes(&index_file, "a.png", &palette, &log, &classes), SHW_ERROR_FORMAT);
    assert_int_equal(memory.last_item, SHW_LOG_LABEL_COLOUR);
    assert_string_equal(memory.last, "a.png: the label 4 of pixel (2, 1) is not in the palette, which has 4 entries");
    colours[8] = 3;
    assert_int_equal(shw_labels_to_classes(&colour_file, "a.png", &palette, &log, &classes), SHW_ERROR_FORMAT);
    assert_int_equal(memory.last_item, SHW_LOG_LABEL_COLOUR);
    assert_string_equal(memory.last, "a.png: the colour (0, 128, 3) of pixel (0, 1) is not in the palette");
    shw_palette_free(&palette);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),    cmocka_unit_test(test_write),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_default_colours),
        cmocka_unit_test(test_largest), cmocka_unit_test(test_labels_to_classes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
