/* Forests that read the depth, from data sets to label images: pixels without depth are void in all that is written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_file.h"
#include "program.h"

#define TRAIN                                                                                                          \
    "shadewood train --data scenes --trees 2 --depth 6 --pixels 200 --candidates 40 --offset 40 --technique cpu -q "

static int prepare(void **state)
{
    (void)state;
    assert_success(run("shadewood synth --size 64x48 --holes --count 6 -q -o scenes"));
    assert_success(run("mkdir photos && cp scenes/00005_colors.png photos/a.png && "
                       "cp scenes/00005_depth.png photos/a.depth"));
    assert_success(run(TRAIN "--feature depth-mean-difference --channels depth,lab -o depth.ktx2"));
    return 0;
}

static void read_depth(struct shw_image_file *file)
{
    assert_int_equal(shw_input_file_read(SHW_DEPTH, testing_path("work/photos/a.depth"), NULL, NULL, file), SHW_OK);
}

static uint32_t count_holes(void)
{
    struct shw_image_file depth;
    uint32_t holes = 0;

    read_depth(&depth);
    for (uint32_t i = 0; i < 64 * 48; i++)
        holes += ((const uint16_t *)depth.image.pixels)[i] == 0;
    shw_image_file_free(&depth);
    return holes;
}

static uint32_t count_in_objects(const char *path)
{
    struct run result =
        run("python3 -c \"import csv; print(sum(int(r['area_px']) for r in csv.DictReader(open('%s'))))\"", path);

    assert_success(result);
    return (uint32_t)atoi(result.out);
}

TESTING_CASE(void_pixels_have_no_class)
{
    uint32_t holes = count_holes();

    assert_in_range(holes, 50, 64 * 48 / 2);
    for (int smooth = 0; smooth < 4; smooth += 3) {
        assert_success(run("rm -rf out && shadewood label depth.ktx2 photos/a.png --input depth=photos/a.depth -o out "
                           "-t cpu -q --objects --objects-smooth %d --probabilities png",
                           smooth));
        assert_int_equal(count_in_objects("out/objects.csv"), 64 * 48 - holes);
    }
    /* labels are read again by their classes: void where there is no depth, and nowhere else */
    assert_success(run("mkdir -p again && cp photos/a.png again/a.png && cp out/a_labels.png again/a_L.png && "
                       "cp photos/a.depth again/a.depth"));
    assert_success(run("shadewood evaluate depth.ktx2 --data again --images '{}.png' --labels '{}_L.png' "
                       "--input 'depth={}.depth' --palette out/classes.json -t cpu -q --json >again.json"));
}

TESTING_CASE(the_report_tells_void)
{
    struct run result = run("python3 - <<'E'\nimport json\na = json.load(open('again.json'))\n"
                            "print(a['pixels'], a['void_pixels'], round(100 * a['pixel_accuracy']))\nE");
    char expected[64];

    snprintf(expected, sizeof expected, "%u %u 100\n", 64 * 48 - count_holes(), count_holes());
    assert_success(result);
    assert_string_equal(result.out, expected);
}

/* A 16-bit grey image is its own depth for a forest that reads nothing else. */
TESTING_CASE(images_of_depth_need_no_other)
{
    assert_success(run(TRAIN "--feature depth-pixel-difference --channels depth -o alone.ktx2"));
    assert_success(run("mkdir -p own && cp photos/a.depth own/a.png"));
    assert_success(
        run("shadewood label alone.ktx2 photos/a.png --input depth=photos/a.depth -o given -q --no-overlay"));
    assert_success(run("shadewood label alone.ktx2 own/a.png -o alone -q --no-overlay"));
    assert_success(run("cmp given/a_labels.png alone/a_labels.png"));
    assert_success(run("shadewood explain alone.ktx2 own/a.png 30 20"));
    assert_int_equal(run("shadewood explain depth.ktx2 own/a.png 30 20").code, 1); /* which reads colours, too */
}

TESTING_CASE(explain_tells_void)
{
    struct shw_image_file depth;
    uint32_t first = 0;
    struct run result;

    read_depth(&depth);
    while (((const uint16_t *)depth.image.pixels)[first] != 0)
        first++;
    shw_image_file_free(&depth);
    result =
        run("shadewood explain depth.ktx2 photos/a.png %u %u --input depth=photos/a.depth", first % 64, first / 64);
    assert_success(result);
    assert_non_null(strstr(result.out, "void, because it has no depth"));
    result = run("shadewood explain depth.ktx2 photos/a.png %u %u --input depth=photos/a.depth --json", first % 64,
                 first / 64);
    assert_success(result);
    assert_non_null(strstr(result.out, "\"class\": null"));
}

TESTING_CASE(channels_without_depth_are_refused)
{
    assert_one_line(run(TRAIN "--feature depth-mean-difference --channels lab -o no.ktx2"), 1, "must begin with depth",
                    NULL);
    assert_one_line(run(TRAIN "--feature depth-mean-difference --channels constant-depth:1000 -o no.ktx2"), 1,
                    "no channel to compare", NULL);
    assert_one_line(run(TRAIN "--feature depth-pixel-difference --channels constant-depth:1000,lab -o no.ktx2"), 1,
                    "it compares depths alone", NULL);
    assert_one_line(run(TRAIN "--feature kinect-difference --channels constant-depth:1000,depth -o no.ktx2"), 1,
                    "it compares depths alone", NULL);
    assert_one_line(run("shadewood label depth.ktx2 photos/a.png -o missing -q"), 1, "depth", NULL);
}

/* In CURFIL's layout the depth is beside the image; patterns may name it by either name. */
TESTING_CASE(folders_have_their_depth)
{
    assert_success(
        run("shadewood label depth.ktx2 scenes -o found -t cpu -q --no-overlay && "
            "shadewood label depth.ktx2 scenes/0000?_colors.png --input 'depth=scenes/{}_depth.png' -o named "
            "-t cpu -q --no-overlay && diff -r found named && test -f found/00005_colors_labels.png"));
    assert_success(run("shadewood label depth.ktx2 photos/a.png --input depth=photos/a.depth -o apart -t cpu -q && "
                       "cmp apart/a_labels.png found/00005_colors_labels.png"));
    assert_success(run("mkdir -p whole && cp scenes/00004_depth.png whole/00005_colors_depth.png && "
                       "cp scenes/00005_depth.png whole/00005_depth.png && shadewood label depth.ktx2 "
                       "scenes/00005_colors.png --input 'depth=whole/{}_depth.png' -o whole -t cpu -q"));
    assert_int_equal(run("cmp -s whole/00005_colors_labels.png found/00005_colors_labels.png").code, 1);
    assert_success(run("shadewood explain depth.ktx2 scenes/00005_colors.png 9 9 >found.txt && shadewood explain "
                       "depth.ktx2 scenes/00005_colors.png 9 9 --input depth=photos/a.depth >named.txt && "
                       "cmp found.txt named.txt"));
    assert_success(run("mkdir -p bare && cp scenes/00005_colors.png bare"));
    assert_one_line(run("shadewood label depth.ktx2 bare -o missing -q"), 1, "bare/00005_colors.png", "reads depth",
                    "--input depth=PATTERN", NULL);
    assert_one_line(run("shadewood explain depth.ktx2 photos/a.png 1 2"), 1, "photos/a.png", "reads depth", NULL);
}

#define SAME(forest, options, name)                                                                                    \
    "shadewood label " forest " scenes/00005_colors.png " options " -o " name " -t cpu -q --no-overlay && "

/* The same as files that were filled before, in labelling and in training; what a forest says is reported and kept. */
TESTING_CASE(missing_depth_is_filled)
{
    static const char filled[] = "--images '{}_colors.png' --labels '{}_ground_truth.png' --input "
                                 "'depth=../filled/{}_depth.png' --layout pairs";

    assert_success(run("shadewood depth scenes -o filled -q"));
    assert_success(run(SAME("depth.ktx2", "--fill simple", "told") SAME(
        "depth.ktx2", "--input 'depth=filled/{}_depth.png'", "before") "cmp told/*_labels.png before/*_labels.png"));
    assert_int_equal(run("cmp -s told/00005_colors_labels.png found/00005_colors_labels.png").code, 1);
    assert_success(run(TRAIN "--feature depth-mean-difference --channels depth,lab --fill simple -o fills.ktx2"));
    assert_success(run(TRAIN "--feature depth-mean-difference --channels depth,lab %s -o files.ktx2", filled));
    assert_success(run("for t in 0 1; do shadewood inspect fills.ktx2 --tree $t >a.txt && shadewood inspect files.ktx2 "
                       "--tree $t >b.txt && cmp a.txt b.txt || exit 1; done"));
    assert_success(run("shadewood inspect fills.ktx2 | grep -q 'fills depth   simple' && shadewood inspect fills.ktx2 "
                       "--json | grep -q '\"fill\": \"simple\"'"));
    assert_success(run(SAME("fills.ktx2", "", "kept") SAME("files.ktx2", "--fill simple", "told-too")
                           SAME("fills.ktx2", "--fill none", "not") "cmp kept/*_labels.png told-too/*_labels.png"));
    assert_int_equal(run("cmp -s kept/00005_colors_labels.png not/00005_colors_labels.png").code, 1);
    assert_success(run("shadewood evaluate fills.ktx2 -d scenes -t cpu -q --json | grep -q '\"void_pixels\": 0'"));
    assert_one_line(run(TRAIN "--channels lab --fill simple -o no.ktx2"), 1, "there is no depth to fill", NULL);
    assert_success(
        run("shadewood train --data scenes --channels rgb --trees 1 --depth 3 --technique cpu -q -o rgb.ktx2"));
    assert_one_line(run("shadewood label rgb.ktx2 photos/a.png --fill simple -o no"), 1, "there is no depth to fill",
                    NULL);
}

TESTING_FIXTURE(prepare, NULL)
