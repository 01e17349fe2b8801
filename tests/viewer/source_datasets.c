/* Data sets as sources: pictures with their labels and depth. */
#include <stdio.h>
#include <stdlib.h>

#include "source_folder.h"
#include "source_wait.h"
#include "testing/image_encode.h"

/* `depth`: number of the depth image, or -1 for none. */
static void check_truth(struct view_source *source, const char *name, uint16_t first, int depth)
{
    struct view_picture *picture = source_wait(source, 0.0);

    assert_non_null(picture);
    assert_string_equal(picture->name, name);
    assert_non_null(picture->labels);
    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        assert_int_equal(picture->labels[i], (first + i) % 4 == 0 ? SHW_LABEL_VOID : (first + i) % 4 - 1);
    assert_int_equal(view_picture_depth(picture) != NULL, depth >= 0);
    for (unsigned i = 0; depth >= 0 && i < WIDTH * HEIGHT; i++)
        assert_int_equal(view_picture_depth(picture)[i], ((unsigned)depth * 31 + i) & 65535);
    view_picture_free(picture);
}

static void write_labels(const char *folder, const char *name, unsigned first)
{
    uint16_t values[WIDTH * HEIGHT];
    char *path = folder_path(folder, name);

    for (unsigned i = 0; i < WIDTH * HEIGHT; i++)
        values[i] = (uint16_t)((first + i) % 4);
    testing_write_file(path, testing_encode_png(&(struct testing_picture){
                                 .width = WIDTH, .height = HEIGHT, .bits = 8, .samples = 1, .values = values}));
    free(path);
}

static void write_depths(const char *folder)
{
    make_folder(folder);
    write_in(folder, "a.png", 16, 1, 40);
    write_in(folder, "b.png", 16, 1, 41);
    write_in(folder, "c.png", 16, 1, 42);
}

TESTING_CASE(test_dataset)
{
    static const char palette[] =
        "{\"classes\": [{\"name\": \"rest\", \"colour\": [0, 0, 0], \"void\": true},"
        "{\"name\": \"red\", \"colour\": [255, 0, 0]}, {\"name\": \"green\", \"colour\": [0, 255, 0]},"
        "{\"name\": \"blue\", \"colour\": [0, 0, 255]}]}";
    const char *root = testing_path("set"), *images = testing_path("set/images"), *labels = testing_path("set/labels");
    const struct shw_class *classes;
    struct view_source *source;
    char spec[600];
    uint32_t count;

    make_folder(root);
    make_folder(images);
    make_folder(labels);
    write_text(root, "palette.json", palette);
    for (unsigned i = 0; i < 3; i++) {
        char name[2][20];

        snprintf(name[0], sizeof name[0], "%c.png", 'a' + (int)i);
        snprintf(name[1], sizeof name[1], "%c_L.png", 'a' + (int)i);
        write_in(images, name[0], 8, 3, i);
        write_labels(labels, name[1], i);
    }
    for (int round = 0; round < 3; round++) {
        snprintf(spec, sizeof spec, "%s%s", round == 0 ? "" : "dataset:", root);
        if (round == 2)
            write_depths(testing_path("set/depth"));
        source = source_open(spec);
        check_truth(source, "a", 0, round == 2 ? 40 : -1);
        view_source_step_forward(source);
        check_truth(source, "b", 1, round == 2 ? 41 : -1);
        view_source_go_to(source, 2);
        check_truth(source, "c", 2, round == 2 ? 42 : -1);
        check_info(source, VIEW_SOURCE_DATASET, 3, 2, true);
        classes = view_source_classes(source, &count);
        assert_int_equal(count, 3);
        assert_string_equal(classes[1].name, "green");
        assert_int_equal(classes[2].colour[2], 255);
        assert_int_equal(source_log_errors(), 0);
        view_source_close(&source);
    }
}

TESTING_CASE(test_curfil_layout)
{
    const char *root = testing_path("curfil");
    struct view_source *source;

    make_folder(root);
    write_in(root, "1_colors.png", 8, 3, 1);
    write_labels(root, "1_ground_truth.png", 0);
    write_text(root, "palette.json",
               "{\"classes\": [{\"name\": \"rest\", \"colour\": [0, 0, 0], \"void\": true}, {\"name\": \"a\", "
               "\"colour\": [1, 1, 1]},"
               "{\"name\": \"b\", \"colour\": [2, 2, 2]}, {\"name\": \"c\", \"colour\": [3, 3, 3]}]}");
    write_in(root, "1_depth.png", 16, 1, 500);
    source = source_open(root);
    check_truth(source, "1", 0, 500);
    check_info(source, VIEW_SOURCE_DATASET, 1, 0, true);
    assert_int_equal(source_log_errors(), 0);
    view_source_close(&source);
}

/* CURFIL's names without labels: depth is no picture, but comes with the colours. */
TESTING_CASE(test_unlabelled_layout)
{
    const char *root = testing_path("unlabelled");
    struct view_source *source;
    struct view_picture *picture;
    uint32_t count;

    make_folder(root);
    for (unsigned i = 0; i < 2; i++) {
        char name[20];

        snprintf(name, sizeof name, "%u_colors.png", i);
        write_in(root, name, 8, 3, i);
        snprintf(name, sizeof name, "%u_depth.png", i);
        write_in(root, name, 16, 1, 500 + i);
    }
    source = source_open(root);
    picture = source_wait(source, 0.0);
    assert_non_null(picture);
    assert_string_equal(picture->name, "0");
    assert_null(picture->labels);
    assert_non_null(view_picture_depth(picture));
    assert_int_equal(view_picture_depth(picture)[0], (500 * 31) & 65535);
    view_picture_free(picture);
    check_info(source, VIEW_SOURCE_DATASET, 2, 0, false);
    assert_null(view_source_classes(source, &count));
    assert_int_equal(source_log_errors(), 0);
    view_source_close(&source);
}

/* In the order in which people count, or that of sequences.txt. */
TESTING_CASE(test_order)
{
    static const char *const names[2][3] = {{"f8", "f9", "f10"}, {"f9", "f10", "f8"}};
    const char *root = testing_path("order");
    struct view_source *source;

    make_folder(root);
    for (unsigned i = 8; i <= 10; i++) {
        char name[32];

        snprintf(name, sizeof name, "f%u_colors.png", i);
        write_in(root, name, 8, 3, i);
        snprintf(name, sizeof name, "f%u_depth.png", i);
        write_in(root, name, 16, 1, 500 + i);
    }
    for (int round = 0; round < 2; round++) {
        source = source_open(root);
        for (uint32_t i = 0; i < 3; i++) {
            struct view_picture *picture = source_wait(source, 0.0);

            assert_non_null(picture);
            assert_string_equal(picture->name, names[round][i]);
            assert_string_equal(view_source_name(source, i), names[round][i]);
            view_picture_free(picture);
            view_source_step_forward(source);
        }
        view_source_close(&source);
        write_text(root, "sequences.txt", "---\nf9\nf10\n---\nf8\n");
    }
    assert_int_equal(source_log_errors(), 0);
}
