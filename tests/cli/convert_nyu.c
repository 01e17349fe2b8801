/* `shadewood convert`: MAT-files of NYU Depth v2. */
#include <stdlib.h>
#include <sys/stat.h>

#include <hdf5.h>

#include "converted.h"
#include "testing/mat_write.h"

enum { FRAMES = 5 };

/* In MATLAB's order, as the set has them. */
struct arrays {
    uint8_t images[FRAMES * 3 * PIXELS];
    float depths[FRAMES * PIXELS], raw_depths[FRAMES * PIXELS];
    uint16_t labels[FRAMES * PIXELS];
};

static struct arrays *make_arrays(void)
{
    struct arrays *arrays = calloc(1, sizeof *arrays);

    assert_non_null(arrays);
    for (uint32_t f = 0; f < FRAMES; f++)
        for (uint32_t x = 0; x < WIDTH; x++)
            for (uint32_t y = 0; y < HEIGHT; y++) {
                size_t i = (f * WIDTH + x) * HEIGHT + y;
                uint32_t millimetres = millimetres_of(f, x, y);
                arrays->raw_depths[i] = (float)millimetres / 1000;
                arrays->depths[i] = millimetres > 0 ? arrays->raw_depths[i] : 7.5f;
                arrays->labels[i] = (uint16_t)label_of(f, x, y);
                for (uint32_t c = 0; c < 3; c++)
                    arrays->images[((f * 3 + c) * WIDTH + x) * HEIGHT + y] = colour_of(f, x, y, c);
            }
    return arrays;
}

static struct testing_mat mat_of(const struct arrays *arrays, const char *const *names, bool in_chunks)
{
    return (struct testing_mat){.frames = FRAMES,
                                .width = WIDTH,
                                .height = HEIGHT,
                                .images = arrays->images,
                                .depths = arrays->depths,
                                .raw_depths = arrays->raw_depths,
                                .labels = arrays->labels,
                                .names = names,
                                .in_chunks = in_chunks};
}

TESTING_CASE(test_nyu)
{
    static const char *const names[] = {"wall", "night stand", "wall-decoration", NULL};
    static const char rules[] =
        "label,class\nwall,structure\nwall-decoration,structure\nnight stand,furniture\nlid,props\n";
    static const uint16_t classes[] = {SHW_LABEL_VOID, 0, 1, 2}, few[] = {SHW_LABEL_VOID, 0, 1, 0};
    struct arrays *arrays = make_arrays();
    struct testing_mat mat = mat_of(arrays, names, false);
    struct shw_dataset set;

    for (int chunks = 0; chunks < 2; chunks++) {
        mat.in_chunks = chunks == 1;
        testing_mat_write(place("nyu.mat"), &mat);
        assert_output(run("shadewood convert nyu.mat --depth raw -o nyu%d", chunks),
                      chunks == 0 ? "5 frames with 3 classes, in nyu0\n" : "5 frames with 3 classes, in nyu1\n");
        set = open_set(chunks == 0 ? "nyu0" : "nyu1", true);
        assert_string_equal(set.classes[1].name, "night stand");
        for (uint32_t f = 0; f < FRAMES; f++) {
            char name[] = "0001";
            name[3] = (char)('1' + f);
            check_example(&set, f, f, name, classes);
        }
        shw_dataset_close(&set);
    }
    make_file("four.csv", rules, sizeof rules - 1);
    assert_success(
        run("shadewood convert nyu.mat --depth raw --classes four.csv -o four 2>said; grep -q \"four.csv lists 1 "
            "labels that nyu.mat does not know, such as .lid.\" said"));
    set = open_set("four", true);
    assert_int_equal(set.class_count, 3);
    check_example(&set, 4, 4, "0005", few);
    shw_dataset_close(&set);
    assert_success(run("shadewood convert nyu.mat -o filled -q && cmp filled/0001_colors.png filled/0001_colors.png"));
    set = open_set("filled", true);
    {
        struct shw_labelled_image example;
        assert_int_equal(set.read(set.user, 0, &example), SHW_OK);
        assert_int_equal(((const uint16_t *)example.inputs.inputs[0].image.pixels)[0],
                         7500); /* the file's own filling */
        set.release(set.user, &example);
    }
    shw_dataset_close(&set);

    /* without names, and without labels */
    mat.names = NULL;
    testing_mat_write(place("nameless.mat"), &mat);
    assert_output(run("shadewood convert nameless.mat -o nameless"), "5 frames with 3 classes, in nameless\n");
    mat.labels = NULL;
    testing_mat_write(place("unlabelled.mat"), &mat);
    assert_output(run("shadewood convert unlabelled.mat -o unlabelled --every 3"),
                  "2 frames without labels, in unlabelled\n");
    free(arrays);
}

/* The depths of a file become a link to those of another. */
static void link_depths(const char *name, const char *target)
{
    hid_t file = H5Fopen(place(name), H5F_ACC_RDWR, H5P_DEFAULT);

    assert_true(file >= 0 && H5Ldelete(file, "depths", H5P_DEFAULT) >= 0 &&
                H5Lcreate_external(target, "depths", file, "depths", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    H5Fclose(file);
}

/* Where the module is missing, or another version's, one line says so; what needs no module is done. */
TESTING_CASE(the_module_must_be_there)
{
    struct arrays *arrays = make_arrays();
    struct testing_mat mat = mat_of(arrays, NULL, false);

    mat.label_frames = 0;
    testing_mat_write(place("lone.mat"), &mat);
    free(arrays);
    assert_success(run("mkdir alone && cp \"$SHADEWOOD_PROGRAM\" alone/shadewood && alone/shadewood --version"));
    assert_one_line(run("alone/shadewood convert lone.mat -o lone"), 3,
                    "lone.mat cannot be read: ", "shadewood-hdf5.so", NULL);
    assert_success(run("cp '%s' alone/shadewood-hdf5.so", OLD_MODULE));
    assert_one_line(run("alone/shadewood convert lone.mat -o lone"), 3,
                    "lone.mat cannot be read: shadewood-hdf5.so is of version 0.0.1, not ", NULL);
}

/* Whatever is cut off, or not as it should be, is reported in one line, which names the file. */
TESTING_CASE(test_bad_nyu)
{
    static const char *const names[] = {"wall", "floor", NULL}, *const empty[] = {"wall", "a\x01", NULL};
    struct arrays *arrays = make_arrays();
    struct testing_mat mat = mat_of(arrays, names, true);
    struct stat status;

    testing_mat_write(place("bad.mat"), &mat);
    assert_one_line(run("shadewood convert bad.mat -o bad -q"), 1,
                    "bad.mat, frame 0001: pixel (3, 0) has label 3, for which", NULL);
    mat.names = empty;
    testing_mat_write(place("bad.mat"), &mat);
    assert_one_line(run("shadewood convert bad.mat -o bad -q"), 1, "cannot read bad.mat: text 2 of \"names\"", NULL);
    mat.names = NULL;
    mat.label_frames = FRAMES - 1;
    testing_mat_write(place("bad.mat"), &mat);
    assert_one_line(run("shadewood convert bad.mat -o bad -q"), 1,
                    "cannot read bad.mat: \"labels\" has 4 arrays of 6 x 4", NULL);
    mat.label_frames = 0;
    testing_mat_write(place("bad.mat"), &mat);
    assert_int_equal(stat(place("bad.mat"), &status), 0);
    for (int i = 1; i < 8; i++)
        assert_one_line(run("head -c %ld bad.mat >cut.mat; rm -rf bad; shadewood convert cut.mat -k nyu -o bad -q",
                            (long)status.st_size * i / 8),
                        1, "cut.mat", NULL);
    assert_success(run("cp bad.mat other.mat"));
    link_depths("bad.mat", "other.mat");
    assert_one_line(run("shadewood convert bad.mat -o bad -q"), 1, "cannot read bad.mat: \"depths\" is a link", NULL);
    assert_one_line(run("printf 'MATLAB 5.0 MAT-file' >old.mat; shadewood convert old.mat -o bad"), 1,
                    "cannot read old.mat: it is a MAT-file of version 5", NULL);
    free(arrays);
}

static void add_set(hid_t file, const char *name, int rank, const hsize_t *sizes, hid_t type, bool in_chunks,
                    const hsize_t *written)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE), space = H5Screate_simple(rank, sizes, NULL), set;
    const hsize_t chunk[4] = {1, rank == 4 ? 1 : 64, 64, 64}, none[4] = {0};

    if (in_chunks)
        assert_true(H5Pset_chunk(list, rank, chunk) >= 0 && H5Pset_deflate(list, 3) >= 0);
    set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    assert_true(set >= 0);
    if (written != NULL) {
        uint8_t *zeros = calloc(written[0] * written[1] * written[2] * (rank == 4 ? written[3] : 1), 8);
        hid_t memory = H5Screate_simple(rank, written, NULL);
        assert_non_null(zeros);
        assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, none, NULL, written, NULL) >= 0 &&
                    H5Dwrite(set, type, memory, space, H5P_DEFAULT, zeros) >= 0);
        H5Sclose(memory);
        free(zeros);
    }
    H5Dclose(set);
    H5Sclose(space);
    H5Pclose(list);
}

/* A set of a million frames of which nothing, or one frame, was ever written. */
static void make_empty(const char *name, bool in_chunks, bool has_one)
{
    static const hsize_t images[] = {1000000, 3, 64, 64}, depths[] = {1000000, 64, 64}, image[] = {1, 3, 64, 64},
                         depth[] = {1, 64, 64};
    hid_t list = H5Pcreate(H5P_FILE_CREATE), file;

    assert_true(H5Pset_userblock(list, 512) >= 0);
    file = H5Fcreate(place(name), H5F_ACC_TRUNC, list, H5P_DEFAULT);
    assert_true(file >= 0);
    add_set(file, "images", 4, images, H5T_STD_U8LE, in_chunks, has_one ? image : NULL);
    add_set(file, "depths", 3, depths, H5T_IEEE_F32LE, in_chunks, has_one ? depth : NULL);
    H5Fclose(file);
    H5Pclose(list);
}

TESTING_CASE(test_announced_frames_are_there)
{
    struct stat status;

    make_empty("announced.mat", true, false);
    assert_int_equal(stat(place("announced.mat"), &status), 0);
    assert_true(status.st_size < 10000);
    assert_one_line(run("shadewood convert announced.mat -k nyu -o announced -q"), 1,
                    "cannot read announced.mat: \"images\" announces 3000000 chunks, of which the file has 0", NULL);
    make_empty("announced.mat", true, true);
    assert_one_line(run("shadewood convert announced.mat -k nyu -o announced -q"), 1,
                    "cannot read announced.mat: \"images\" announces 3000000 chunks, of which the file has 3", NULL);
    make_empty("announced.mat", false, false);
    assert_one_line(run("shadewood convert announced.mat -k nyu -o announced -q"), 1,
                    "cannot read announced.mat: \"images\" was never written to the file", NULL);
    assert_false(exists("announced"));
}
