/* Label images and label files that become what is painted, and the other way round; and what a project refuses. */
#include <stdio.h>
#include <string.h>

#include "files/image/image_write.h"
#include "painted_project.h"

TESTING_CASE(label_images_are_taken_over)
{
    struct testing_random random = {9};

    for (uint32_t run = 0; run < 30; run++) {
        struct shw_project *project = make_project(3);
        uint32_t width = 1 + testing_random_below(&random, 20), height = 1 + testing_random_below(&random, 20);
        uint32_t picture = add_picture(project, "a", width, height), seen = 0;
        uint16_t labels[400], before[400];
        uint64_t hash, counts[3];
        const uint16_t *shown;

        if (run % 3 > 0) /* a picture without strokes gets what the import has painted, also after an undo */
            testing_paint_stroke(project, picture, &random);
        if (run % 3 == 1)
            assert_true(shw_project_undo(project, NULL));
        shown = testing_labels(project, picture);
        memcpy(before, shown, width * height * sizeof *shown);
        hash = hash_all(project);
        shw_project_lock_class(project, 1, run % 2 == 0);
        for (uint32_t p = 0; p < width * height; p++) {
            labels[p] = (uint16_t)testing_random_below(&random, 4);
            labels[p] = labels[p] == 3 ? SHW_LABEL_VOID : labels[p];
            seen |= labels[p] != SHW_LABEL_VOID;
        }
        assert_int_equal(shw_project_import_labels(project, picture, labels), SHW_OK);
        shown = testing_labels(project, picture);
        for (uint32_t p = 0; p < width * height; p++)
            assert_int_equal(shown[p],
                             labels[p] == SHW_LABEL_VOID || (run % 2 == 0 && before[p] == 1) ? before[p] : labels[p]);
        assert_int_equal(shw_project_count_labels(project, picture, counts), SHW_OK);
        for (uint32_t c = 0; c < 3; c++) {
            uint32_t count = 0;
            for (uint32_t p = 0; p < width * height; p++)
                count += shown[p] == c;
            assert_int_equal(counts[c], count);
        }
        if (seen) {
            uint64_t after = hash_all(project);

            assert_true(shw_project_undo(project, NULL));
            assert_true(hash_all(project) == hash);
            assert_true(shw_project_redo(project, NULL));
            assert_true(hash_all(project) == after);
            assert_false(shw_project_redo(project, NULL));
        }
        labels[width * height - 1] = 3;
        hash = hash_all(project);
        assert_int_equal(shw_project_import_labels(project, picture, labels), SHW_ERROR_ARGUMENT);
        assert_true(hash_all(project) == hash);
        shw_project_destroy(&project);
    }
}

TESTING_CASE(label_files_are_taken_over)
{
    static const uint8_t colours[4][3] = {{9, 9, 9}, {200, 0, 0}, {0, 0, 0}, {1, 2, 3}};
    static const uint8_t pixels[6] = {0, 1, 1, 0, 2, 1};
    static const char *const names[] = {"a", "b"};
    uint8_t rgb[6][3];
    struct shw_image image = {rgb, 3, 2, 0, SHW_PIXEL_RGB8};
    struct shw_project *project = make_project(0);
    uint32_t picture = add_picture(project, "x", 3, 2), other = add_picture(project, "y", 2, 3);
    const char *path = testing_path("labels.png");
    const uint16_t *labels;

    for (uint32_t c = 0; c < 2; c++)
        assert_int_equal(shw_project_add_class(project, names[c], colours[c]), SHW_OK);
    for (uint32_t p = 0; p < 6; p++)
        memcpy(rgb[p], colours[pixels[p]], 3);
    for (int kind = 0; kind < 2; kind++) {
        if (kind == 0)
            assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
        else /* 2 is neither of the classes, and void */
            assert_int_equal(shw_png_write_indexed(path, pixels, 3, 2, colours, 3, NULL), SHW_OK);
        assert_int_equal(shw_project_import_label_file(project, picture, path), SHW_OK);
        labels = testing_labels(project, picture);
        assert_memory_equal(labels, ((uint16_t[]){0, 1, 1, 0, SHW_LABEL_VOID, 1}), 12);
        assert_true(shw_project_undo(project, NULL));
    }
    assert_int_equal(shw_project_import_label_file(project, other, path), SHW_ERROR_FORMAT);
    memcpy(rgb[5], colours[3], 3);
    assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
    assert_int_equal(shw_project_import_label_file(project, picture, path), SHW_ERROR_FORMAT);
    assert_int_equal(shw_project_get_picture(project, picture).stroke_count, 0);
    shw_project_destroy(&project);
}

TESTING_CASE(what_is_painted_is_written_and_taken_over)
{
    struct testing_random random = {12};
    const char *path = testing_path("painted.png");

    for (uint32_t classes = 1; classes < 600; classes += classes < 3 ? 1 : 252) {
        struct shw_project *project = make_project(0);
        uint32_t picture = add_picture(project, "a", 31, 17), copy = add_picture(project, "b", 31, 17);
        const uint16_t *painted, *read;

        for (uint32_t c = 0; c < classes; c++) { /* the first are black and what comes in its place */
            char name[16];

            snprintf(name, sizeof name, "%u", c);
            assert_int_equal(shw_project_add_class(project, name, (uint8_t[]){(uint8_t)c, (uint8_t)(c >> 8), 0}),
                             SHW_OK);
        }
        for (uint32_t s = 0; s < 20; s++)
            testing_paint_stroke(project, picture, &random);
        testing_write_labels(project, picture, path);
        assert_int_equal(shw_project_import_label_file(project, copy, path), SHW_OK);
        painted = testing_labels(project, picture);
        read = testing_labels(project, copy);
        assert_memory_equal(painted, read, 31 * 17 * sizeof *read);
        shw_project_destroy(&project);
    }
}

TESTING_CASE(nonsense_is_refused)
{
    struct shw_project *project = make_project(2);
    uint32_t picture = add_picture(project, "a", 4, 4), other = 77;
    uint64_t before = hash_all(project);
    char longest[257];

    memset(longest, 'a', 256);
    longest[256] = '\0';
    assert_int_equal(shw_project_add_class(project, longest, grey), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_add_class(project, "line\nbreak", grey), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_add_class(project, "\xe4", grey), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_change_class(project, 0, longest, grey), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_add_class(project, "sky", grey), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_add_class(project, "", grey), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_change_class(project, 1, "sky", grey), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_change_class(project, 2, "new", grey), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_delete_class(project, 2), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_find_picture(project, "a", 4, 5, &other), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_find_picture(project, "", 4, 5, &other), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_find_picture(project, "b", 0, 5, &other), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_find_picture(project, "b\xff", 4, 5, &other), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_rename_pictures(project, (const char *const[]){"b\xff"}), SHW_ERROR_ARGUMENT);
    assert_int_equal(other, 77);
    assert_int_equal(shw_project_begin_stroke(project, picture, 2, 1, (struct shw_point){1, 1}), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_begin_stroke(project, picture + 1, 0, 1, (struct shw_point){1, 1}),
                     SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_begin_stroke(project, picture, 0, 1025, (struct shw_point){1, 1}), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_project_set_training(project, &(struct shw_project_training){.depth = 65}),
                     SHW_ERROR_ARGUMENT);
    assert_true(before == hash_all(project));
    shw_project_destroy(&project);
}
