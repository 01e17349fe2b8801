/* `shadewood convert`: folders and point clouds become data sets; what is there already is skipped, what is of others
 * is kept, and what is damaged is reported. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "converted.h"
#include "testing/cloud_write.h"

/* Three frames, of which depth comes later and in fifths of a millimetre. */
static void make_tum(const char *folder)
{
    static const char *const times[] = {"1305031102.175304", "1305031102.211214", "1305031102.243211"};
    static const char *const depth_times[] = {"1305031102.160407", "1305031102.226738", "1305031102.262886"};
    char name[256];
    uint8_t colours[PIXELS * 3];
    uint16_t depth[PIXELS], labels[PIXELS];

    assert_success(run("mkdir -p %s/rgb %s/depth %s/labels", folder, folder, folder));
    for (uint32_t f = 0; f < 3; f++) {
        fill(f, 5000, colours, depth, labels);
        snprintf(name, sizeof name, "%s/rgb/%s.png", folder, times[f]);
        write_image(name, SHW_PIXEL_RGB8, WIDTH, HEIGHT, colours);
        snprintf(name, sizeof name, "%s/depth/%s.png", folder, depth_times[f]);
        write_image(name, SHW_PIXEL_GREY16, WIDTH, HEIGHT, depth);
        snprintf(name, sizeof name, "%s/labels/%s.png", folder, times[f]);
        write_image(name, SHW_PIXEL_GREY16, WIDTH, HEIGHT, labels);
    }
    assert_success(run("cd %s; for k in rgb depth; do { echo '# a list'; for f in $k/*; do t=${f#*/}; "
                       "echo \"${t%%.png} $f\"; done; } >$k.txt; done",
                       folder));
}

TESTING_CASE(test_tum)
{
    static const char *const names[] = {"1305031102.175304", "1305031102.211214", "1305031102.243211"};
    static const uint16_t classes[] = {SHW_LABEL_VOID, 0, 1, 2}, all[] = {0, 1, 2, 3};
    struct shw_dataset set;
    char *list;
    size_t size;

    make_tum("desk");
    assert_output(run("shadewood convert desk -o a"), "3 frames without labels, in a\n");
    set = open_set("a", false);
    assert_int_equal(set.count, 3);
    for (uint32_t f = 0; f < 3; f++)
        check_example(&set, f, f, names[f], NULL);
    shw_dataset_close(&set);
    list = file_bytes("a/sequences.txt", &size);
    assert_string_equal(strchr(list, '\n'), "\n---\n1305031102.175304\n1305031102.211214\n1305031102.243211\n");
    free(list);

    assert_output(run("shadewood convert desk --labels desk/labels -o b --prefix one-"),
                  "3 frames with 3 classes, in b\n");
    assert_true(exists("b/one-sequences.txt"));
    set = open_set("b", true);
    check_example(&set, 2, 2, "one-1305031102.243211", classes);
    shw_dataset_close(&set);
    assert_output(run("shadewood convert desk --labels desk/labels -o c --void none --every 2"),
                  "2 frames with 4 classes, in c\n");
    set = open_set("c", true);
    assert_string_equal(set.classes[3].name, "class 3");
    check_example(&set, 0, 0, names[0], all);
    check_example(&set, 1, 2, names[2], all);
    shw_dataset_close(&set);

    /* without lists, and with pairs */
    assert_success(run("cp -r desk plain; rm plain/*.txt; shadewood convert plain -o d"));
    set = open_set("d", false);
    for (uint32_t f = 0; f < 3; f++)
        check_example(&set, f, f, names[f], NULL);
    shw_dataset_close(&set);
    assert_success(run("cp -r desk paired; printf '7 depth/1305031102.226738.png 9 rgb/1305031102.211214.png\\n' "
                       ">paired/associations.txt"));
    assert_output(run("shadewood convert paired -o e"), "1 frame without labels, in e\n");
    set = open_set("e", false);
    check_example(&set, 0, 1, names[1], NULL);
    shw_dataset_close(&set);

    /* less than that apart */
    assert_success(run("shadewood convert desk -o f --apart 15 && test $(ls f | wc -l) = 3"));
    assert_success(run("shadewood convert desk -o g --units 2500 && cmp g/*.175304_colors.png a/*.175304_colors.png; "
                       "! cmp g/*.175304_depth.png a/*.175304_depth.png"));
    assert_one_line(run("shadewood convert desk -o h --apart 1"), 1, "desk has no frame with colour and depth", NULL);
}

/* Colour and labels are twice as large as depth. */
static void make_scannet(const char *folder)
{
    char name[256];
    uint8_t colours[PIXELS * 3], large[PIXELS * 12];
    uint16_t depth[PIXELS], labels[PIXELS], large_labels[PIXELS * 4];

    assert_success(run("mkdir -p %s/color %s/depth %s/label-filt", folder, folder, folder));
    for (uint32_t f = 0; f < 2; f++) {
        fill(f, 1000, colours, depth, labels);
        for (uint32_t y = 0; y < 2 * HEIGHT; y++)
            for (uint32_t x = 0; x < 2 * WIDTH; x++) {
                size_t from = (y / 2) * WIDTH + x / 2, to = y * 2 * WIDTH + x;
                int change = (x + y) % 2 == 0 ? 1 : -1; /* which the mean is without */
                large_labels[to] = labels[from];
                for (size_t c = 0; c < 3; c++)
                    large[3 * to + c] = (uint8_t)(colours[3 * from + c] > 0 && colours[3 * from + c] < 255
                                                      ? colours[3 * from + c] + change
                                                      : colours[3 * from + c]);
            }
        snprintf(name, sizeof name, "%s/color/%u.png", folder, 8 + 4 * f); /* 8 and 12 */
        write_image(name, SHW_PIXEL_RGB8, 2 * WIDTH, 2 * HEIGHT, large);
        snprintf(name, sizeof name, "%s/depth/%u.png", folder, 8 + 4 * f);
        write_image(name, SHW_PIXEL_GREY16, WIDTH, HEIGHT, depth);
        snprintf(name, sizeof name, "%s/label-filt/%u.png", folder, 8 + 4 * f);
        write_image(name, SHW_PIXEL_GREY16, 2 * WIDTH, 2 * HEIGHT, large_labels);
    }
}

TESTING_CASE(test_scannet)
{
    static const uint16_t classes[] = {SHW_LABEL_VOID, 0, 1, 0}, merged[] = {SHW_LABEL_VOID, 1, 0, 1};
    static const char table[] = "id\tnyu40class\n1\tchair\n2\twall\n3\tchair\n",
                      rules[] = "wall,structure\n*,furniture\n";
    struct shw_dataset set;

    make_scannet("scans/scene0");
    make_file("scannetv2-labels.combined.tsv", table, sizeof table - 1);
    make_file("rules.csv", rules, sizeof rules - 1);
    assert_output(run("shadewood convert scans/scene0 -o rooms"), "2 frames with 2 classes, in rooms\n");
    set = open_set("rooms", true);
    assert_int_equal(set.count, 2);
    assert_string_equal(set.classes[0].name, "chair");
    check_example(&set, 0, 0, "000008", classes);
    check_example(&set, 1, 1, "000012", classes);
    shw_dataset_close(&set);

    assert_output(run("shadewood convert scans/scene0 -o two --classes rules.csv"),
                  "2 frames with 2 classes, in two\n");
    set = open_set("two", true);
    assert_string_equal(set.classes[0].name, "structure");
    check_example(&set, 1, 1, "000012", merged);
    shw_dataset_close(&set);

    /* another scene in the same folder, with the same classes, or not */
    make_scannet("scans/scene1");
    assert_success(run("rm scans/scene1/label-filt/12.png; rm scans/scene1/depth/8.png"));
    assert_output(run("shadewood convert scans/scene1 -o two --prefix b- -q"), "1 frame without labels, in two\n");
    assert_one_line(run("shadewood convert scans/scene0 -o two"), 1,
                    "two/palette.json has other classes than scans/scene0", "--classes", NULL);

    /* the table elsewhere, by another name */
    assert_success(run("mkdir apart && cp -r scans/scene0 apart && sed 's/chair/stool/' scannetv2-labels.combined.tsv "
                       ">names.tsv"));
    assert_output(run("shadewood convert apart/scene0 --label-names names.tsv -o named"),
                  "2 frames with 2 classes, in named\n");
    set = open_set("named", true);
    assert_string_equal(set.classes[0].name, "stool");
    check_example(&set, 0, 0, "000008", classes);
    shw_dataset_close(&set);

    /* a number that the table lacks */
    assert_success(run("sed -i '/^3/d' scannetv2-labels.combined.tsv"));
    assert_one_line(run("shadewood convert scans/scene0 -o three -q"), 1,
                    "scans/scene0, frame 000008: pixel (3, 0) has label 3", NULL);
}

static void make_cloud_file(const char *name, uint32_t frame, bool labelled, enum testing_cloud_data data)
{
    float points[3 * PIXELS];
    uint32_t colours[PIXELS], labels[PIXELS];
    struct testing_cloud cloud = {.width = WIDTH, .height = HEIGHT, .points = points, .colours = colours, .data = data};
    size_t size;
    uint8_t *bytes;

    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            uint32_t i = y * WIDTH + x, millimetres = millimetres_of(frame, x, y);
            points[3 * i] = points[3 * i + 1] = 0.1f;
            points[3 * i + 2] = millimetres > 0 ? (float)millimetres / 1000 : NAN;
            colours[i] = (uint32_t)colour_of(frame, x, y, 0) << 16 | (uint32_t)colour_of(frame, x, y, 1) << 8 |
                         colour_of(frame, x, y, 2);
            labels[i] = label_of(frame, x, y);
        }
    if (labelled)
        cloud.labels = labels;
    bytes = testing_cloud_write(&cloud, &size);
    make_file(name, bytes, size);
    free(bytes);
}

TESTING_CASE(test_clouds)
{
    static const uint16_t classes[] = {SHW_LABEL_VOID, 0, 1, 2}, without[] = {0, 1, SHW_LABEL_VOID, SHW_LABEL_VOID};
    struct shw_dataset set;

    assert_success(run("mkdir clouds"));
    make_cloud_file("clouds/a-2.pcd", 1, true, TESTING_CLOUD_BINARY);
    make_cloud_file("clouds/a.pcd", 0, true, TESTING_CLOUD_ASCII);
    make_cloud_file("clouds/b.pcd", 2, true, TESTING_CLOUD_COMPRESSED);
    assert_output(run("shadewood convert clouds -o people"), "3 frames with 3 classes, in people\n");
    set = open_set("people", true);
    check_example(&set, 0, 0, "a", classes);
    check_example(&set, 1, 1, "a-2", classes);
    check_example(&set, 2, 2, "b", classes);
    shw_dataset_close(&set);
    assert_false(exists("people/sequences.txt"));

    assert_output(run("shadewood convert clouds/b.pcd --void 3,2 -o one"), "1 frame with 2 classes, in one\n");
    set = open_set("one", true);
    check_example(&set, 0, 2, "b", without);
    shw_dataset_close(&set);

    make_cloud_file("clouds/c.pcd", 2, false, TESTING_CLOUD_BINARY);
    assert_one_line(run("shadewood convert clouds -o mixed"), 1,
                    "clouds/c.pcd has no field label, but clouds/b.pcd has one", NULL);
    assert_output(run("shadewood convert clouds/c.pcd -o plain-cloud"), "1 frame without labels, in plain-cloud\n");
    assert_one_line(run("shadewood convert clouds/c.pcd -o p --classes rules.csv"), 1, "clouds/c.pcd has no labels",
                    NULL);

    assert_output(run("shadewood convert clouds/b.pcd -o part --crop 2x3+4+1"), "1 frame with 3 classes, in part\n");
    assert_one_line(run("shadewood convert clouds/b.pcd -o part2 --crop 3x3+4+1"), 1,
                    "clouds/b.pcd has 6 x 4 pixels: 3x3+4+1 is not within it", NULL);
    assert_success(run("head -c 300 clouds/b.pcd >cut.pcd"));
    assert_one_line(run("shadewood convert cut.pcd -o part3"), 1, "cannot read cut.pcd: it is truncated", NULL);
}

/* A run that was interrupted goes on; files that somebody has changed, or of others, are kept. */
TESTING_CASE(test_again)
{
    make_tum("again");
    assert_success(run("shadewood convert again -o out --labels again/labels && cp -rp out before"));
    assert_output(run("shadewood convert again -o out --labels again/labels"),
                  "3 frames with 3 classes, 3 of which were there already, in out\n");
    assert_success(run("diff -r out before && test -z \"$(find out -name '*.png' -newer before/palette.json -newer "
                       "before/1305031102.243211_colors.png)\""));
    assert_success(run("rm out/*243211_depth.png out/palette.json"));
    assert_output(run("shadewood convert again -o out --labels again/labels"),
                  "3 frames with 3 classes, 2 of which were there already, in out\n");
    assert_success(run("diff -r out before"));
    assert_success(
        run("shadewood convert again -o out --labels again/labels --units 1000 && ! cmp -s "
            "out/1305031102.243211_depth.png before/1305031102.243211_depth.png")); /* ours, of other settings */

    assert_success(run("shadewood convert again -o out --labels again/labels; cp again/rgb/*175304.png "
                       "out/1305031102.175304_ground_truth.png"));
    assert_one_line(run("shadewood convert again -o out --labels again/labels"), 1,
                    "out/1305031102.175304_ground_truth.png exists, and is not a converted label image", "--overwrite",
                    NULL);
    assert_success(run("cmp again/rgb/1305031102.175304.png out/1305031102.175304_ground_truth.png"));
    assert_output(run("shadewood convert again -o out --labels again/labels --overwrite"),
                  "3 frames with 3 classes, 2 of which were there already, in out\n");
    assert_success(run("diff -r out before"));
    assert_success(run("mv again/labels/*175304.png again/x.png"));
    assert_success(
        run("shadewood convert again -o out --labels again/labels 2>said; grep -q '1 of 3 frames have no label "
            "image; they are void everywhere' said"));
}

/* What does not fit the kind is refused, and so is everything that is no source. */
TESTING_CASE(test_errors)
{
    json_t *document;

    make_tum("errors");
    assert_one_line(run("shadewood convert errors"), 2, "--output DIR", NULL);
    assert_one_line(run("shadewood convert -o x"), 2, "a source is needed", NULL);
    assert_one_line(run("shadewood convert errors more -o x"), 2, "unexpected argument 'more'", NULL);
    assert_one_line(run("shadewood convert errors -o x --depth raw"), 2,
                    "--depth does not apply to sources of the kind tum", NULL);
    assert_one_line(run("shadewood convert errors -o x --label-column a"), 2, "--label-column", NULL);
    assert_one_line(run("shadewood convert errors -o x --crop 10x10"), 2, "--crop takes WIDTHxHEIGHT+X+Y", NULL);
    assert_one_line(run("shadewood convert errors -o x --void 1,a"), 2, "--void takes label numbers", NULL);
    assert_one_line(run("shadewood convert errors -o x --prefix a/b"), 2, "--prefix", NULL);
    assert_one_line(run("shadewood convert errors -o x --kind nyu"), is_for_windows() ? 3 : 1, "errors", NULL);
    assert_one_line(run("shadewood convert missing -o x"), 1, "cannot open missing", NULL);
    assert_one_line(run("mkdir empty; shadewood convert empty -o x"), 1, "empty looks like none of the sources", NULL);
    assert_one_line(run("shadewood convert errors -o x --labels empty"), 1, "empty has no label image of any frame",
                    NULL);
    assert_one_line(run("shadewood convert empty -k pcd -o x"), 1, "empty has no point cloud", NULL);
    assert_one_line(run("echo '1 rgb/1 x' >>errors/rgb.txt; shadewood convert errors -o x"), 1,
                    "errors/rgb.txt, line 5: ", NULL);
    assert_one_line(run("rm -r errors; mkdir errors errors/rgb errors/depth; "
                        "touch errors/rgb/a.png; shadewood convert errors -o x"),
                    1, "errors/rgb/a.png: the name is not a time", NULL);
    assert_false(exists("x/palette.json"));
    document = parse_json(run("shadewood convert clouds/a.pcd -o json --json").out);
    assert_int_equal(json_integer_value(json_object_get(document, "images")), 1);
    assert_int_equal(json_integer_value(json_object_get(document, "classes")), 3);
    assert_string_equal(json_string_value(json_object_get(document, "kind")), "pcd");
    json_decref(document);
}

/* The result is a data set for the other commands. */
TESTING_CASE(test_train)
{
    assert_success(run_blind(
        "shadewood train --data people -o people.ktx2 -t cpu -q --trees 1 --depth 3 --candidates 20 --channels rgb"));
    assert_success(run_blind("shadewood evaluate people.ktx2 --data people -t cpu -q"));
    assert_success(
        run_blind("shadewood label people.ktx2 people -t cpu -q -o labelled && test -e labelled/b_colors_labels.png"));
}
