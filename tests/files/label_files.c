/* The files of a labelled image, and the list of classes beside them. */
#include "files/output/label_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/dataset/palette.h"
#include "files/image/draw.h"
#include "files/image/image_file.h"
#include "files/io/mark.h"
#include "files/output/classes_file.h"
#include "testing/testing.h"

enum { WIDTH = 13, HEIGHT = 7, PIXELS = WIDTH * HEIGHT };

static const char *ending_of(const struct shw_label_files *files, enum shw_label_output output, uint32_t number)
{
    for (uint32_t i = 0; i < files->count; i++)
        if (files->entries[i].output == output && files->entries[i].number == number)
            return files->entries[i].ending;
    fail_msg("there is no file %d of class %u", (int)output, number);
    return NULL;
}

/* Names of classes become names of files. */
TESTING_CASE(masks_have_safe_and_different_names)
{
    static char long_name[256];
    const struct shw_class classes[] = {{"grass", {1, 0, 0}}, {"a/b", {2, 0, 0}},     {"a_b", {3, 0, 0}},
                                        {"..", {4, 0, 0}},    {"labels", {5, 0, 0}},  {long_name, {6, 0, 0}},
                                        {"a:b", {7, 0, 0}},   {"\xc3\xa4", {8, 0, 0}}};
    const uint32_t count = sizeof classes / sizeof *classes;
    struct shw_label_files_params params = {.forms = {[SHW_LABEL_OUTPUT_LABELS] = 1, [SHW_LABEL_OUTPUT_MASKS] = 1},
                                            .classes = classes,
                                            .class_count = count,
                                            .tree_count = 1};
    struct shw_label_files files, alone;

    for (int i = 0; i < 127; i++) /* of two bytes each: it must be cut between two characters */
        memcpy(long_name + 1 + 2 * i, "\xc3\xa4", 2);
    long_name[0] = 'x';
    assert_int_equal(shw_label_files_make(&params, NULL, &files), SHW_OK);
    assert_int_equal(files.count, count + 1);
    assert_string_equal(ending_of(&files, SHW_LABEL_OUTPUT_MASKS, 0), "_grass.png");
    assert_string_equal(ending_of(&files, SHW_LABEL_OUTPUT_MASKS, 1), "_a_b.png");
    assert_string_equal(ending_of(&files, SHW_LABEL_OUTPUT_MASKS, 2), "_a_b-2.png");
    assert_string_equal(ending_of(&files, SHW_LABEL_OUTPUT_MASKS, 6), "_a_b-3.png");
    assert_string_equal(ending_of(&files, SHW_LABEL_OUTPUT_MASKS, 4), "_labels-2.png");
    assert_string_equal(ending_of(&files, SHW_LABEL_OUTPUT_MASKS, 7), "_\xc3\xa4.png");
    assert_int_equal(strlen(ending_of(&files, SHW_LABEL_OUTPUT_MASKS, 5)), 1 + 99 + 4);
    params.forms[SHW_LABEL_OUTPUT_LABELS] = 0; /* names do not depend on what else is written */
    assert_int_equal(shw_label_files_make(&params, NULL, &alone), SHW_OK);
    for (uint32_t c = 0; c < count; c++)
        assert_string_equal(ending_of(&files, SHW_LABEL_OUTPUT_MASKS, c), ending_of(&alone, SHW_LABEL_OUTPUT_MASKS, c));
    shw_label_files_free(&files);
    shw_label_files_free(&alone);
}

static const char *write(const struct shw_label_files *files, enum shw_label_output output, uint32_t number,
                         const struct shw_label_results *results)
{
    static char path[512];

    for (uint32_t i = 0; i < files->count; i++)
        if (files->entries[i].output == output && files->entries[i].number == number) {
            char *made = shw_label_file_path(&files->entries[i], testing_path("image"));
            snprintf(path, sizeof path, "%s", made);
            free(made);
            assert_int_equal(shw_label_file_write(files, &files->entries[i], path, results, NULL), SHW_OK);
            assert_true(files->entries[i].form->kind->is_ours(path, files->entries[i].form->kind->name));
        }
    return path;
}

/* Masks say what labels say, and painted labels are read back with the list of classes as their palette. */
TESTING_CASE(files_are_read_back)
{
    static const struct shw_class classes[] = {{"black", {0, 0, 0}}, {"b", {0, 0, 255}}, {"c", {9, 9, 9}}};
    const struct shw_label_files_params params = {
        .forms = {[SHW_LABEL_OUTPUT_MASKS] = 1, [SHW_LABEL_OUTPUT_STROKES] = 1},
        .classes = classes,
        .class_count = 3,
        .stroke_classes = classes,
        .stroke_class_count = 3};
    const struct shw_classes_file file = {.classes = classes, .count = 3, .project = "p.json"};
    const char *path = testing_path(SHW_CLASSES_FILE);
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    struct testing_random random = {4};
    uint16_t labels[PIXELS], strokes[PIXELS];
    struct shw_label_results results = {
        .name = "folder/image.png", .width = WIDTH, .height = HEIGHT, .labelling.argmax = labels, .strokes = strokes};
    struct shw_label_files files;
    struct shw_image_file mask;
    char *text;
    struct shw_label_file read;
    struct shw_palette palette;

    for (int i = 0; i < PIXELS; i++) {
        labels[i] = (uint16_t)testing_random_below(&random, 3);
        strokes[i] = (uint16_t)testing_random_below(&random, 4);
        strokes[i] = strokes[i] == 3 ? SHW_LABEL_VOID : strokes[i];
    }
    assert_int_equal(shw_classes_file_write(path, &file, NULL), SHW_OK);
    assert_true(shw_file_classes.is_ours(path, shw_file_classes.name));
    assert_int_equal(shw_palette_read(path, NULL, &palette), SHW_OK);
    assert_int_equal(palette.class_count, 3);
    assert_int_equal(palette.entry_count, 4);
    assert_string_equal(palette.classes[1].name, "b");
    assert_memory_equal(palette.classes[2].colour, classes[2].colour, 3);

    assert_int_equal(shw_classes_file_write(path, &file, &log), SHW_OK);
    assert_int_equal(memory.count[SHW_LOG_PALETTE], 0);
    assert_int_equal(shw_classes_file_write(path, &(struct shw_classes_file){.classes = classes, .count = 2}, &log),
                     SHW_OK);
    assert_int_equal(memory.count[SHW_LOG_PALETTE], 1); /* others are replaced with a word */

    assert_int_equal(shw_label_files_make(&params, NULL, &files), SHW_OK);
    for (uint32_t c = 0; c < 3; c++) {
        assert_int_equal(shw_image_file_read(write(&files, SHW_LABEL_OUTPUT_MASKS, c, &results), NULL, NULL, &mask),
                         SHW_OK);
        assert_int_equal(mask.image.format, SHW_PIXEL_GREY8);
        for (int i = 0; i < PIXELS; i++)
            assert_int_equal(((const uint8_t *)mask.pixels)[i], labels[i] == c ? 255 : 0);
        shw_image_file_free(&mask);
        text = shw_png_read_text(write(&files, SHW_LABEL_OUTPUT_MASKS, c, &results), SHW_MASK_PICTURE);
        assert_string_equal(text, "image.png");
        free(text);
    }
    path = write(&files, SHW_LABEL_OUTPUT_STROKES, 0, &results);
    assert_int_equal(shw_label_file_read(path, SHW_LABELS_AUTO, NULL, &read), SHW_OK);
    for (int i = 0; i < PIXELS; i++)
        assert_int_equal(palette.entries[read.indices[i]].class_number, strokes[i]);
    shw_label_file_free(&read);
    assert_int_equal(shw_label_file_read(path, SHW_LABELS_COLOUR, NULL, &read), SHW_OK);
    for (int i = 0; i < PIXELS; i++)
        assert_int_equal(palette.entries[shw_palette_find(&palette, read.colours + 3 * i)].class_number, strokes[i]);
    shw_label_file_free(&read);
    shw_palette_free(&palette);
    shw_label_files_free(&files);
}

TESTING_CASE(void_pixels_of_an_overlay_show_the_image)
{
    static const struct shw_class class = {"a", {100, 0, 40}};
    const uint8_t pixels[6] = {10, 20, 30, 10, 20, 30};
    const uint16_t labels[2] = {SHW_LABEL_VOID, 0};
    const struct shw_image image = {.pixels = pixels, .width = 2, .height = 1, .format = SHW_PIXEL_RGB8};
    uint8_t *overlay = shw_overlay_image(&image, labels, &class, 50);

    assert_non_null(overlay);
    assert_memory_equal(overlay, ((const uint8_t[6]){10, 20, 30, 55, 10, 35}), 6);
    free(overlay);
}
