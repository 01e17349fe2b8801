/* Palettes. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/dataset/forest_classes.h"
#include "files/dataset/palette.h"
#include "testing/image_encode.h"

static const char good[] = "{\"classes\": [{\"name\": \"nothing\", \"colour\": [0, 0, 0], \"void\": true}, "
                           "{\"name\": \"grass\", \"colour\": [0, 128, 0]}, "
                           "{\"name\": \"horse\", \"colour\": [9, 9, 9], \"void\": true}, "
                           "{\"name\": \"sky\", \"colour\": [1, 2, 255], \"void\": false}]}";

TESTING_CASE(test_read)
{
    static const uint8_t sky[3] = {1, 2, 255}, absent[3] = {1, 2, 254};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_palette palette;

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

TESTING_CASE(test_write)
{
    const char *path = testing_path("palette.json");
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_palette palette, back;

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

TESTING_CASE(test_refused)
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
        {"{\"classes\": [{\"name\": \"a\\u0001b\", \"colour\": [1, 2, 3]}]}",
         "entry 0 of \"classes\" has a \"name\" that is not 1 to 255 bytes of UTF-8 without control characters"},
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

TESTING_CASE(test_default_colours)
{
    static const uint8_t first[3] = {230, 159, 0}, eighth[3] = {153, 153, 153}, ninth[3] = {136, 0, 102};
    uint8_t *seen = calloc(1, (size_t)1 << 24), colour[3];

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

TESTING_CASE(test_largest)
{
    struct shw_palette_entry *entries = calloc(SHW_CLASSES_MAX + 1, sizeof *entries);
    char(*names)[16] = calloc(SHW_CLASSES_MAX + 1, sizeof *names);
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_palette palette;

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

TESTING_CASE(test_labels_to_classes)
{
    uint16_t indices[6] = {0, 1, 2, 3, 65535, 1}, *classes;
    uint8_t colours[12] = {0, 0, 0, 0, 128, 0, 0, 128, 0, 1, 2, 255};
    static const uint16_t by_index[6] = {SHW_LABEL_VOID, 0, SHW_LABEL_VOID, 1, SHW_LABEL_VOID, 0};
    static const uint16_t by_colour[4] = {SHW_LABEL_VOID, 0, 0, 1};
    struct shw_label_file index_file = {3, 2, indices, NULL}, colour_file = {2, 2, NULL, colours};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_palette palette;

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

TESTING_CASE(classes_are_found_by_name_and_colour)
{
    static const struct shw_class classes[] = {
        {"sky", {1, 2, 255}}, {"#0102ff", {3, 3, 3}}, {"3,3,3", {0, 0, 0}}, {"sea", {1, 2, 254}}};
    static const struct {
        const char *text;
        uint32_t found;
    } cases[] = {{"sky", 0},
                 {"sea", 3},
                 {"1,2,254", 3},
                 {"#0102fe", 3},
                 {"#0102FE", 3},
                 {"#0102ff", 1},
                 {"3,3,3", 2},
                 {"#030303", 1},
                 {"1,2,255", 0},
                 {"001,002,255", 0},
                 {"Sky", UINT32_MAX},
                 {"", UINT32_MAX},
                 {"1,2", UINT32_MAX},
                 {"#", UINT32_MAX},
                 {"1,2,254,", UINT32_MAX},
                 {"1,2,256", UINT32_MAX},
                 {",,", UINT32_MAX},
                 {"1,2,-1", UINT32_MAX},
                 {"#0102f", UINT32_MAX},
                 {"#0102fe0", UINT32_MAX},
                 {"# 102fe", UINT32_MAX},
                 {"1, 2,254", UINT32_MAX},
                 {"0x1,2,254", UINT32_MAX}};
    char text[80];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (shw_class_find(classes, 4, cases[i].text) != cases[i].found)
            fail_msg("'%s' is %u", cases[i].text, shw_class_find(classes, 4, cases[i].text));
    shw_class_list(classes, 4, text, sizeof text);
    assert_string_equal(text, "sky (#0102ff), #0102ff (#030303), 3,3,3 (#000000), sea (#0102fe)");
    shw_class_list(classes, 4, text, 60);
    assert_string_equal(text, "sky (#0102ff), #0102ff (#030303) and 2 more");
}

/* What the labels 0 to 5 of a palette of six entries become, void as -1. */
static void check_ignored(const struct shw_ignored *ignored, enum shw_result expected, const int classes[6],
                          const char *recorded)
{
    static const char six[] =
        "{\"classes\": [{\"name\": \"nothing\", \"colour\": [0, 0, 0], \"void\": true}, {\"name\": \"a\", \"colour\": "
        "[1, 0, 0]}, {\"name\": \"b\", \"colour\": [2, 0, 0]}, {\"name\": \"c\", \"colour\": [3, 0, 0]}, {\"name\": "
        "\"d\", \"colour\": [4, 0, 0]}, {\"name\": \"none\", \"colour\": [0, 0, 0], \"void\": true}]}";
    uint16_t indices[6] = {0, 1, 2, 3, 4, 5}, *found;
    uint8_t colours[18] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 0, 0, 0};
    const struct shw_label_file files[2] = {{6, 1, indices, NULL}, {6, 1, NULL, colours}};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_palette palette;
    json_t *names;
    char *text;

    assert_int_equal(shw_palette_decode(six, sizeof six - 1, "p", &log, &palette), SHW_OK);
    assert_int_equal(shw_ignored_apply(ignored, "p", &log, &palette), expected);
    for (int kind = 0; kind < 2; kind++) {
        assert_int_equal(shw_labels_to_classes(&files[kind], "l", &palette, &log, &found), SHW_OK);
        for (int i = 0; i < 6; i++)
            assert_int_equal(found[i], (uint16_t)classes[i]);
        free(found);
    }
    names = shw_ignored_pack(&palette);
    text = json_dumps(names, JSON_COMPACT);
    assert_string_equal(text, recorded);
    free(text);
    json_decref(names);
    if (expected != SHW_OK)
        assert_int_equal(memory.errors, 1);
    else if (ignored->forest == NULL)
        for (uint32_t e = 0; e < palette.entry_count; e++) /* the classes are those that labels can be */
            if (palette.entries[e].class_number != SHW_LABEL_VOID)
                assert_string_equal(palette.classes[palette.entries[e].class_number].name, palette.entries[e].name);
    shw_palette_free(&palette);
}

TESTING_CASE(ignored_classes_are_void)
{
    static const char *const none[] = {NULL}, *const some[] = {"3,0,0", "a", "a", "#000000", "none"},
                             *const all[] = {"a", "b", "c", "d"}, *const unknown[] = {"b", "e"};
    static const int as_before[] = {-1, 0, 1, 2, 3, -1};
    static const struct shw_class kept[] = {{"b", {0, 0, 0}}, {"d", {0, 0, 0}}};
    struct shw_forest_info forest = {.classes = kept, .class_count = 2, .training = "{}"};

    check_ignored(&(struct shw_ignored){none, 0, NULL}, SHW_OK, as_before, "[]");
    check_ignored(&(struct shw_ignored){some, 5, NULL}, SHW_OK, (const int[]){-1, -1, 0, -1, 1, -1}, "[\"a\",\"c\"]");
    check_ignored(&(struct shw_ignored){all, 4, NULL}, SHW_ERROR_ARGUMENT, as_before, "[]");
    check_ignored(&(struct shw_ignored){unknown, 2, NULL}, SHW_ERROR_ARGUMENT, as_before, "[]");

    /* a forest of b and d: the others become no classes, b stays one without pixels */
    forest.training = "{\"ignored\": [\"c\", \"gone\", 7, null, \"a\", \"nothing\"]}";
    check_ignored(&(struct shw_ignored){none, 0, &forest}, SHW_OK, (const int[]){-1, -1, 0, -1, 1, -1},
                  "[\"a\",\"c\"]");
    check_ignored(&(struct shw_ignored){all + 1, 1, &forest}, SHW_OK, (const int[]){-1, -1, -1, -1, 1, -1},
                  "[\"a\",\"b\",\"c\"]");
    forest.training = "{\"ignored\": {\"a\": 1}}";
    check_ignored(&(struct shw_ignored){none, 0, &forest}, SHW_OK, as_before, "[]");
    forest.training = "";
    check_ignored(&(struct shw_ignored){none, 0, &forest}, SHW_OK, as_before, "[]");
}

/* Three classes of CURFIL's, which has no names: black is one, (9, 9, 9) was ignored. */
static const struct shw_class by_colour[] = {
    {"#000000", {0, 0, 0}}, {"#0000ff", {0, 0, 255}}, {"#32cd32", {50, 205, 50}}};
static const struct shw_forest_info of_curfil = {
    .classes = by_colour,
    .class_count = 3,
    .training = "{\"imported_from\": \"curfil\", \"curfil\": {\"ignoredColors\": \"9,9,9, 0,0,0;7,7\"}}"};

TESTING_CASE(a_forest_is_a_palette)
{
    static const struct {
        uint8_t colour[3];
        uint16_t number;
    } entries[] = {
        {{0, 0, 0}, 0}, {{0, 0, 255}, 1}, {{50, 205, 50}, 2}, {{1, 0, 0}, SHW_LABEL_VOID}, {{9, 9, 9}, SHW_LABEL_VOID}};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_palette palette;

    assert_int_equal(shw_forest_palette_make(&of_curfil, "f", &log, &palette), SHW_OK);
    assert_int_equal(palette.entry_count, 5);
    assert_int_equal(palette.class_count, 3);
    for (uint32_t i = 0; i < 5; i++) {
        assert_memory_equal(palette.entries[i].colour, entries[i].colour, 3);
        assert_int_equal(palette.entries[i].class_number, entries[i].number);
        assert_int_equal(shw_palette_find(&palette, entries[i].colour), i);
    }
    shw_palette_free(&palette);
}

/* `numbers`: of the entries, void as -1; the classes of the forest are adopted unless `kept`. */
static void check_adopted(const struct shw_forest_info *forest, bool from_file, const char *ignored, const char *text,
                          bool kept, const int *numbers)
{
    const struct shw_ignored to_ignore = {&ignored, ignored != NULL, forest};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_palette palette;

    assert_int_equal(shw_palette_decode(text, strlen(text), "p", &log, &palette), SHW_OK);
    assert_int_equal(shw_ignored_apply(&to_ignore, "p", &log, &palette), SHW_OK);
    assert_int_equal(shw_forest_classes_adopt(forest, from_file, &log, &palette), SHW_OK);
    for (uint32_t i = 0; i < palette.entry_count; i++)
        assert_int_equal(palette.entries[i].class_number, (uint16_t)numbers[i]);
    assert_int_equal(palette.classes[0].name != forest->classes[0].name, kept);
    if (!kept)
        assert_int_equal(palette.class_count, forest->class_count);
    assert_int_equal(memory.errors, 0);
    shw_palette_free(&palette);
}

#define ENTRY(name, colour)      "{\"name\": \"" name "\", \"colour\": [" colour "]}"
#define VOID_ENTRY(name, colour) "{\"name\": \"" name "\", \"colour\": [" colour "], \"void\": true}"
#define ENTRIES(list)            "{\"classes\": [" list "]}"

TESTING_CASE(classes_are_the_forests_by_colour)
{
    static const char in_labels[] = ENTRIES(VOID_ENTRY("#000000", "0,0,0") ", " ENTRY("#32cd32", "50,205,50")),
                      named[] = ENTRIES(
                          ENTRY("lawn", "50,205,50") ", " ENTRY("sky", "0,0,255") ", " VOID_ENTRY("void", "0,0,0")),
                      more[] = ENTRIES(ENTRY("lawn", "50,205,50") ", " ENTRY("sea", "0,0,254")),
                      ignored[] = ENTRIES(ENTRY("lawn", "50,205,50") ", " ENTRY("grey", "9,9,9")),
                      numbers[] = ENTRIES(ENTRY("class 0", "50,205,50") ", " ENTRY("class 1", "0,0,255"));
    static const struct shw_class names[] = {{"sky", {0, 0, 255}}, {"lawn", {50, 205, 50}}},
                                  alike[] = {{"#0000ff", {0, 0, 255}}, {"#32cd32", {0, 0, 255}}};
    const struct shw_forest_info with_names = {.classes = names, .class_count = 2, .training = "{}"},
                                 of_equal = {
                                     .classes = alike, .class_count = 2, .training = "{\"imported_from\": \"curfil\"}"};
    struct shw_forest_info plain = of_curfil;

    plain.training = "{}";
    check_adopted(&of_curfil, false, NULL, in_labels, false, (const int[]){0, 2});
    check_adopted(&plain, false, NULL, in_labels, false, (const int[]){0, 2});
    check_adopted(&of_curfil, false, "0,0,0", in_labels, false, (const int[]){-1, 2});
    check_adopted(&of_curfil, true, NULL, named, false, (const int[]){2, 1, -1});
    check_adopted(&of_curfil, true, "sky", named, false, (const int[]){2, -1, -1});
    check_adopted(&of_curfil, true, NULL, ignored, false, (const int[]){2, -1});
    check_adopted(&of_curfil, true, NULL, more, true, (const int[]){0, 1});
    check_adopted(&of_curfil, false, NULL, numbers, true, (const int[]){0, 1});
    check_adopted(&with_names, false, NULL, in_labels, false, (const int[]){-1, 1});
    check_adopted(&with_names, true, NULL, named, true, (const int[]){0, 1, -1});
    check_adopted(&of_equal, true, NULL, named, true, (const int[]){0, 1, -1});
}
