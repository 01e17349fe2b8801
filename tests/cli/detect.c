/* Detection by the program: images, lists, options, tables, pictures, evaluation, videos. The cascade finds bright
 * spots of 6 x 6 pixels in windows of 10 x 10, and the brighter ones have the higher score. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/image_file.h"
#include "image/image_write.h"
#include "program.h"
#include "video/video_name.h"
#include "video/video_read.h"
#include "video/video_write.h"

#define WIDTH  96
#define HEIGHT 64
#define GREY   256 /* of the values of a level for one of a pixel */
#define BITS   4

/* One size of windows. */
#define SPOTS "--max-size 10 --step 1 -t cpu "

#define HEADER "image,x,y,width,height,score,angle,neighbours\r\n"

/* A tree of one test: the window's centre and another of its pixels. */
static void add_tree(struct shw_cascade_node *nodes, uint32_t tree, int x, int y, int32_t threshold, int32_t less,
                     int32_t more)
{
    struct shw_cascade_node *node = &nodes[3 * tree];

    node[0] = (struct shw_cascade_node){.is_split = true,
                                        .left = 1,
                                        .x1 = 5,
                                        .y1 = 5,
                                        .x2 = (int16_t)x,
                                        .y2 = (int16_t)y,
                                        .threshold = threshold * GREY};
    node[1] = (struct shw_cascade_node){.left = 1, .value = less};
    node[2] = (struct shw_cascade_node){.left = 2, .value = more};
}

/* Four stages compare the centre with a border each, the others tell how bright it is: 0.0625 for 100, 1.0625 for 180.
 */
static struct shw_cascade *make_cascade(void)
{
    static const int borders[4][2] = {{5, 0}, {5, 9}, {0, 5}, {9, 5}};
    struct shw_cascade_stage stages[5];
    struct shw_cascade_tree trees[5];
    struct shw_cascade_node nodes[15];
    struct shw_cascade *cascade;
    struct shw_cascade_info info = {.kind = SHW_CASCADE_PIXELS,
                                    .name = "spot",
                                    .window_width = 10,
                                    .window_height = 10,
                                    .fraction_bits = BITS,
                                    .planes = {.shrink = 1},
                                    .levels_per_octave = 2,
                                    .stage_count = 5,
                                    .tree_count = 5,
                                    .node_count = 15,
                                    .stages = stages,
                                    .trees = trees,
                                    .nodes = nodes};

    for (uint32_t i = 0; i < 5; i++) {
        stages[i] = (struct shw_cascade_stage){i, 1, 0};
        trees[i] = (struct shw_cascade_tree){3 * i, 3};
        if (i < 4)
            add_tree(nodes, i, borders[i][0], borders[i][1], 50, -100, 0);
    }
    add_tree(nodes, 4, 5, 0, 140, 1, 17);
    assert_int_equal(shw_cascade_create(&info, NULL, &cascade), SHW_OK);
    return cascade;
}

struct spot {
    int x, y;
    uint8_t grey;
};

static void draw_spots(uint8_t *rgb, const struct spot *spots, int count)
{
    memset(rgb, 20, 3 * WIDTH * HEIGHT);
    for (int i = 0; i < count; i++)
        for (int y = 0; y < 6; y++)
            memset(rgb + 3 * ((spots[i].y + y) * WIDTH + spots[i].x), spots[i].grey, 18);
}

static void write_image(const char *name, const struct spot *spots, int count)
{
    uint8_t rgb[3 * WIDTH * HEIGHT];
    const struct shw_image image = {.pixels = rgb, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_RGB8};

    draw_spots(rgb, spots, count);
    assert_int_equal(shw_png_write(place(name), &image, NULL), SHW_OK);
}

/* Smaller than a window. */
static void write_small(const char *name)
{
    const uint8_t pixels[9] = {0, 255, 0};
    const struct shw_image image = {.pixels = pixels, .width = 3, .height = 3, .format = SHW_PIXEL_GREY8};

    assert_int_equal(shw_png_write(place(name), &image, NULL), SHW_OK);
}

static const struct spot spots_a[] = {{10, 10, 220}, {60, 30, 120}}, spots_b[] = {{40, 20, 220}};

static int prepare(void **state)
{
    struct shw_cascade *cascade = make_cascade();

    (void)state;
    assert_success(run("mkdir images"));
    assert_int_equal(shw_cascade_save(cascade, place("spot.ktx2"), NULL), SHW_OK);
    shw_cascade_destroy(&cascade);
    write_image("images/a.png", spots_a, 2);
    write_image("images/b.png", spots_b, 1);
    write_image("images/none.png", NULL, 0);
    write_small("small.png");
    return 0;
}

static void assert_file(const char *name, const char *expected)
{
    size_t size;
    char *bytes = file_bytes(name, &size);

    assert_string_equal(bytes, expected);
    free(bytes);
}

#define ROWS                                                                                                           \
    "images/a.png,7,7,10,10,1.0625,0,9\r\n"                                                                            \
    "images/a.png,57,27,10,10,0.0625,0,9\r\n"                                                                          \
    "images/b.png,37,17,10,10,1.0625,0,9\r\n"

/* Nine windows see each spot, the first one at its left and upper edge; that is kept. */
static void images_have_their_rows(void **state)
{
    (void)state;
    assert_success(run("shadewood detect spot.ktx2 images " SPOTS "-o out"));
    assert_file("out/detections.csv", HEADER ROWS);
    assert_string_equal(run("shadewood detect spot.ktx2 images " SPOTS "-o same --threads 3").out,
                        "3 images, 3 detections, in same\n");
    assert_success(run("diff -r out same"));
    assert_int_equal(entry_count("out"), 4);
}

/* Of several sizes, one too small for any window. */
static void images_may_have_any_size(void **state)
{
    (void)state;
    assert_success(run("shadewood detect spot.ktx2 images/b.png small.png images/a.png " SPOTS
                       "-o sizes --json >said && "
                       "grep -q '\"windows\": 0$' said"));
    assert_file("sizes/detections.csv", HEADER "images/b.png,37,17,10,10,1.0625,0,9\r\n"
                                               "images/a.png,7,7,10,10,1.0625,0,9\r\n"
                                               "images/a.png,57,27,10,10,0.0625,0,9\r\n");
}

static void a_device_finds_the_same(void **state)
{
    static const char *const ways[] = {"compute", "compute --way global", "compute --way regroup --regroup 1,3",
                                       "fragment"};

    (void)state;
    if (run("shadewood devices").code != 0)
        testing_skip("no Vulkan device");
    assert_success(run("shadewood detect spot.ktx2 images -t cpu -o host -q --raw --no-pictures"));
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        assert_success(run("shadewood detect spot.ktx2 images -t %s -o device%zu -q --raw --no-pictures && "
                           "diff -r host device%zu",
                           ways[i], i, i));
}

static void a_list_names_images_beside_it(void **state)
{
    (void)state;
    make_file("images/list.txt", "# two\n\n b.png \r\na.png\n", 22);
    assert_success(run("shadewood detect spot.ktx2 images/list.txt " SPOTS "-o listed --no-pictures -q"));
    assert_file("listed/detections.csv", HEADER "images/b.png,37,17,10,10,1.0625,0,9\r\n"
                                                "images/a.png,7,7,10,10,1.0625,0,9\r\n"
                                                "images/a.png,57,27,10,10,0.0625,0,9\r\n");
    assert_int_equal(entry_count("listed"), 1);
    make_file("bad.txt", "images/a.png\nimages/c.png\n", 26);
    assert_one_line(run("shadewood detect spot.ktx2 bad.txt -o no"), 1, "bad.txt, line 2", "images/c.png", NULL);
    assert_false(exists("no"));
}

/* Tables are kept, pictures are known as ours and are not searched. */
static void a_second_run_replaces_pictures_alone(void **state)
{
    (void)state;
    assert_success(run("cp -r images beside && shadewood detect spot.ktx2 beside " SPOTS "-o beside -q"));
    assert_one_line(run("shadewood detect spot.ktx2 beside " SPOTS "-o beside -q"), 1, "beside/detections.csv",
                    "--overwrite", NULL);
    assert_success(run("cp beside/detections.csv first && "
                       "shadewood detect spot.ktx2 beside " SPOTS "-o beside -q --overwrite && "
                       "cmp beside/detections.csv first"));
    assert_success(run("mkdir taken && cp images/b.png taken/a_detections.png"));
    assert_one_line(run("shadewood detect spot.ktx2 images/a.png " SPOTS "-o taken"), 1, "taken/a_detections.png",
                    "--overwrite", NULL);
}

static void options_choose_detections(void **state)
{
    (void)state;
    assert_success(run("shadewood detect spot.ktx2 images/a.png " SPOTS "-o bright --min-score 1.0625 -q && "
                       "shadewood detect spot.ktx2 images/a.png " SPOTS "-o brighter --min-score 1.07 -q && "
                       "shadewood detect spot.ktx2 images/a.png " SPOTS "-o windows --group none -q --raw && "
                       "shadewood detect spot.ktx2 images/a.png " SPOTS "-o steps --group none --step 3 -q && "
                       "shadewood detect spot.ktx2 images/a.png -t cpu -o large --min-size 65 -q && "
                       "wc -l <windows/detections.csv && wc -l <windows/windows.csv"));
    assert_file("bright/detections.csv", HEADER "images/a.png,7,7,10,10,1.0625,0,9\r\n");
    assert_file("brighter/detections.csv", HEADER);
    assert_file("steps/detections.csv", HEADER "images/a.png,9,9,10,10,1.0625,0,1\r\n"
                                               "images/a.png,57,27,10,10,0.0625,0,1\r\n");
    assert_file("large/detections.csv", HEADER);
}

/* Two spots of nine windows each; the same columns in another order, and the level. */
static void raw_windows_are_those_before_grouping(void **state)
{
    struct run result = run("wc -l <windows/windows.csv; head -n 2 windows/windows.csv; "
                            "tail -n +2 windows/windows.csv | cut -d, -f2-6 | sort >raw; "
                            "tail -n +2 windows/detections.csv | cut -d, -f2-6 | sort | cmp - raw");

    (void)state;
    assert_success(result);
    assert_string_equal(result.out, "19\nimage,x,y,width,height,score,angle,level\r\n"
                                    "images/a.png,7,7,10,10,1.0625,0,0\r\n");
}

static void coco_has_the_same_detections(void **state)
{
    json_t *results, *box;
    size_t size;
    char *bytes;

    (void)state;
    assert_success(run("shadewood detect spot.ktx2 images " SPOTS "-o coco --format coco --no-pictures -q"));
    assert_int_equal(entry_count("coco"), 1);
    bytes = file_bytes("coco/detections.json", &size);
    results = parse_json(bytes);
    assert_int_equal(json_array_size(results), 3);
    box = json_array_get(results, 1);
    assert_int_equal(json_integer_value(json_object_get(box, "image_id")), 1);
    assert_true(json_real_value(json_object_get(box, "score")) == 0.0625);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(box, "bbox"), 0)), 57);
    assert_string_equal(json_string_value(json_object_get(box, "file_name")), "images/a.png");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(results, 2), "image_id")), 2);
    json_decref(results);
    free(bytes);
    assert_success(run("shadewood detect spot.ktx2 images/none.png " SPOTS "-o nothing --format csv,coco -q"));
    bytes = file_bytes("nothing/detections.json", &size);
    results = parse_json(bytes);
    assert_int_equal(json_array_size(results), 0);
    json_decref(results);
    free(bytes);
}

/* Rectangles in orange around the spots, and nothing else but their scores. */
static void pictures_have_rectangles(void **state)
{
    static const uint8_t orange[3] = {230, 159, 0};
    struct shw_image_file before, after;
    unsigned changed = 0;

    (void)state;
    assert_int_equal(shw_image_file_read(place("images/a.png"), NULL, NULL, &before), SHW_OK);
    assert_int_equal(shw_image_file_read(place("out/a_detections.png"), NULL, NULL, &after), SHW_OK);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        const int x = i % WIDTH, y = i / WIDTH;
        const uint8_t *pixel = (const uint8_t *)after.pixels + 3 * i;
        const bool on_border =
            (x >= 57 && x < 67 && (y == 27 || y == 36)) || (y >= 27 && y < 37 && (x == 57 || x == 66));

        if (on_border)
            assert_memory_equal(pixel, orange, 3);
        changed += memcmp(pixel, (const uint8_t *)before.pixels + 3 * i, 3) != 0;
        if (y >= 40)
            assert_memory_equal(pixel, (const uint8_t *)before.pixels + 3 * i, 3);
    }
    assert_in_range(changed, 2 * 36, 2 * (36 + 30 * 9));
    shw_image_file_free(&before);
    shw_image_file_free(&after);
}

static void json_reports_each_image(void **state)
{
    struct run result = run("shadewood detect spot.ktx2 images/a.png images/none.png " SPOTS "-o json --json");
    json_t *report = parse_json(result.out), *image;

    (void)state;
    assert_success(result);
    image = json_array_get(json_object_get(report, "images"), 0);
    assert_string_equal(json_string_value(json_object_get(image, "image")), "images/a.png");
    assert_int_equal(json_integer_value(json_object_get(image, "windows")), (WIDTH - 9) * (HEIGHT - 9));
    assert_int_equal(json_integer_value(json_object_get(image, "detections")), 2);
    assert_int_equal(json_integer_value(json_object_get(report, "detections")), 2);
    assert_string_equal(json_string_value(json_object_get(report, "technique")), "cpu");
    json_decref(report);
}

static void errors_are_one_line(void **state)
{
    static const struct {
        const char *arguments, *text, *more;
        int code;
    } cases[] = {
        {"", "a cascade, and at least one image", NULL, 2},
        {"spot.ktx2", "a cascade, and at least one image", NULL, 2},
        {"missing.ktx2 images/a.png", "missing.ktx2", NULL, 1},
        {"images/a.png images/a.png", "images/a.png", NULL, 1},
        {"spot.ktx2 missing.png", "missing.png", NULL, 1},
        {"spot.ktx2 images/list.txt images/a.png", "same name", NULL, 2},
        {"spot.ktx2 images/a.png --angles 7", "--angles", "multiple of 11.25", 2},
        {"spot.ktx2 images/a.png --angles 0,45,0", "twice", NULL, 2},
        {"spot.ktx2 images/a.png --regroup 8,4", "--regroup", "increasing", 2},
        {"spot.ktx2 images/a.png --regroup 8 -t cpu", "--regroup", "compute", 2},
        {"spot.ktx2 images/a.png --way shared -t fragment", "--way", "compute", 2},
        {"spot.ktx2 images/a.png --way mipmap --regroup 2", "--regroup", "--way mipmap", 2},
        {"spot.ktx2 images/a.png --way mipmap --survivors s.ktx2", "--survivors", "--way", 2},
        {"spot.ktx2 images/a.png --format xml", "--format", "xml", 2},
        {"spot.ktx2 images/a.png --overlap 1.5", "--overlap", "at most 1", 2},
        {"spot.ktx2 images/a.png --group mean --overlap 0.5", "--overlap", "--group mean", 2},
        {"spot.ktx2 images/a.png --stride 0.5", "--stride", "pixels", 2},
        {"spot.ktx2 images/a.png --scale-factor 1.2", "--scale-factor", "pixels", 2},
        {"spot.ktx2 images/a.png --min-size 20 --max-size 10", "--max-size", "--min-size", 2},
        {"spot.ktx2 images/a.png --min-score 1e12", "--min-score", "from", 2},
        {"spot.ktx2 images/a.png --match-overlap 0.5", "--match-overlap", "--evaluate", 2},
        {"spot.ktx2 images/a.png --label face", "--label", "--evaluate", 2},
        {"spot.ktx2 images/a.png -e missing.csv", "missing.csv", NULL, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct run result = run("shadewood detect %s -o errors", cases[i].arguments);

        assert_one_line(result, cases[i].code, cases[i].text, cases[i].more, NULL);
    }
    make_file("bad.csv", "a.png,1,2,3,4\na.png,1,2,three,4\n", 33);
    assert_one_line(run("shadewood detect spot.ktx2 -e bad.csv -o errors"), 1, "bad.csv", "2", "three", NULL);
}

/* One tree: at the centre a pixel that is brighter than the one at the left adds 1. */
static void other_formats_are_read_as_they_are(void **state)
{
    static const char pico[] = "\x03\0\0\0\xff\xff\xff\xff\x01\0\0\0\x01\0\0\0" /* a tree of one test */
                               "\0\x80\0\0"                                     /* row, column, twice */
                               "\0\0\0\0\0\0\x80\x3f"                           /* 0, 1 */
                               "\0\0\0\x3f";                                    /* above 0.5 */

    (void)state;
    make_file("left", pico, sizeof pico - 1);
    assert_success(run("shadewood import --from pico left -o left.ktx2 -q && "
                       "shadewood detect left.ktx2 images/b.png -t cpu -o imported -q && "
                       "shadewood detect left images/b.png -t cpu -o direct -q && "
                       "diff -r imported direct && wc -l <direct/detections.csv"));
    make_file("almost", pico, sizeof pico - 2);
    assert_one_line(run("shadewood detect almost images/b.png -o no"), 1, "almost", NULL);
    assert_one_line(run("shadewood detect images images/b.png -o no"), 1, "images", NULL);
}

/* An image that cannot be read leaves the others. */
static void a_damaged_image_leaves_the_others(void **state)
{
    (void)state;
    assert_success(run("mkdir mixed && cp images/b.png mixed && head -c 60 images/a.png >mixed/a.png"));
    assert_one_line(run("shadewood detect spot.ktx2 mixed " SPOTS "-o partly -q"), 1, "mixed/a.png", NULL);
    assert_file("partly/detections.csv", HEADER "mixed/b.png,37,17,10,10,1.0625,0,9\r\n");
    assert_one_line(run("shadewood detect spot.ktx2 mixed/a.png " SPOTS "-o none -q"), 1, "mixed/a.png", NULL);
    assert_int_equal(entry_count("none"), 0);
}

static void an_image_too_large_is_named(void **state)
{
    const struct shw_image image = {
        .pixels = calloc(46341, 10), .width = 46341, .height = 10, .format = SHW_PIXEL_GREY8};

    (void)state;
    assert_non_null(image.pixels);
    assert_int_equal(shw_png_write(place("wide.png"), &image, NULL), SHW_OK);
    free((void *)(uintptr_t)image.pixels);
    assert_one_line(run("shadewood detect spot.ktx2 wide.png images/a.png " SPOTS "-o wide --no-pictures -q"), 1,
                    "wide.png: an image of 46341 x 10", "46340", NULL);
    assert_file("wide/detections.csv", HEADER "images/a.png,7,7,10,10,1.0625,0,9\r\n"
                                              "images/a.png,57,27,10,10,0.0625,0,9\r\n");
}

/* Of four objects two are found, one by too little; one detection is false, and another image has no objects. */
static void evaluation_counts_a_small_set(void **state)
{
    static const char annotations[] = "image,x,y,width,height,label\n"
                                      "images/a.png,7,7,10,10,spot\n"
                                      "images/a.png,60,30,10,10,spot\n"
                                      "images/a.png,0,50,8,8,spot\n"
                                      "images/a.png,57,27,10,10,other\n"
                                      "images/none.png\n"
                                      "images/b.png,36,17,10,10,spot\n";

    (void)state;
    make_file("spots.csv", annotations, sizeof annotations - 1);
    assert_success(run("shadewood detect spot.ktx2 --evaluate spots.csv " SPOTS "-o measured >summary"));
    assert_file("summary", "3 images, 3 detections, in measured\n"
                           "objects             4 in 3 images\n"
                           "found               2, by an overlap of 0.65 or more\n"
                           "missed              2\n"
                           "false detections    1, 0.3333 per image, 6.97e-05 per window\n"
                           "recall              50.00 %\n"
                           "precision           66.67 %\n"
                           "average precision   50.00 %\n");
    assert_file("measured/matches.csv", "image,result,x,y,width,height,score,overlap\r\n"
                                        "images/a.png,found,7,7,10,10,1.0625,1.0000\r\n"
                                        "images/a.png,false,57,27,10,10,0.0625,0.3245\r\n"
                                        "images/a.png,missed,60,30,10,10,,\r\n"
                                        "images/a.png,missed,0,50,8,8,,\r\n"
                                        "images/b.png,found,37,17,10,10,1.0625,0.8182\r\n");
    assert_file("measured/images.csv", "image,annotated,windows,objects,found,missed,false\r\n"
                                       "images/a.png,yes,4785,3,1,2,1\r\n"
                                       "images/none.png,yes,4785,0,0,0,0\r\n"
                                       "images/b.png,yes,4785,1,1,0,0\r\n");
    assert_file("measured/curve.csv", "score,found,missed,false,precision,recall,false_per_image,false_per_window\r\n"
                                      "1.0625,2,2,0,1,0.5,0,0\r\n"
                                      "0.0625,2,2,1,0.666666667,0.5,0.333333333,6.96621386e-05\r\n");
    assert_true(exists("measured/precision-recall.png") && exists("measured/roc.png"));
    assert_true(exists("measured/images/a_detections.png"));
}

/* By intersection over union of 0.5, another label, and images that are given. */
static void evaluation_has_its_options(void **state)
{
    struct run result =
        run("shadewood detect spot.ktx2 images/a.png images/none.png -e spots.csv --match-overlap 0.3 " SPOTS
            "-o looser --no-pictures --json -q");
    json_t *report = parse_json(result.out), *measured = json_object_get(report, "evaluation");

    (void)state;
    assert_success(result);
    assert_int_equal(json_integer_value(json_object_get(measured, "found")), 2);
    assert_int_equal(json_integer_value(json_object_get(measured, "objects")), 3);
    assert_int_equal(json_integer_value(json_object_get(measured, "annotated_images_not_searched")), 1);
    json_decref(report);
    assert_success(run("shadewood detect spot.ktx2 -e spots.csv --label other " SPOTS
                       "-o others --no-pictures -q && grep -c found others/matches.csv"));
    assert_one_line(run("shadewood detect spot.ktx2 -e spots.csv --label nobody -o nobody"), 1, "spots.csv", "nobody",
                    NULL);
}

static void make_text(const char *name, const char *text)
{
    make_file(name, text, strlen(text));
}

/* Of images with the same name, the end of the path tells which it is; what it does not tell is refused. */
static void annotations_apart_are_found_by_the_ends_of_paths(void **state)
{
    (void)state;
    assert_success(run("mkdir -p days/1 days/2 days/3 notes && cp images/a.png days/1/x.png && "
                       "cp images/b.png days/2/x.png && cp images/none.png days/3/x.png"));
    make_text("notes/days.csv", "1/x.png,7,7,10,10\n2/x.png,37,17,10,10\n");
    assert_success(run("shadewood detect spot.ktx2 -e notes/days.csv days/2 " SPOTS "-o day --no-pictures -q"));
    assert_file("day/images.csv", "image,annotated,windows,objects,found,missed,false\r\n"
                                  "days/2/x.png,yes,4785,1,1,0,0\r\n");
    assert_one_line(run("shadewood detect spot.ktx2 -e notes/days.csv days/3/x.png " SPOTS "-o tie --no-pictures -q"),
                    1, "days/3/x.png", "1/x.png", "2/x.png", "notes/days.csv", NULL);
    assert_success(run("ln -s days/1/x.png l1.png && ln -s days/2/x.png l2.png"));
    make_text("notes/one.csv", "x.png,7,7,10,10\n");
    assert_one_line(run("shadewood detect spot.ktx2 -e notes/one.csv l1.png l2.png " SPOTS "-o tie --no-pictures -q"),
                    1, "l1.png", "l2.png", "x.png of notes/one.csv", NULL);
    /* beside its annotations it is the same file or none */
    make_text("days/beside.csv", "1/x.png,7,7,10,10\n");
    assert_success(run("shadewood detect spot.ktx2 -e days/beside.csv days/2 " SPOTS "-o beside-it --no-pictures -q"));
    assert_file("beside-it/images.csv", "image,annotated,windows,objects,found,missed,false\r\n"
                                        "days/2/x.png,no,4785,0,0,0,1\r\n");
}

/* However it is called, and a rectangle that is given twice counts once. */
static void an_image_of_two_names_is_measured_once(void **state)
{
    struct run result;

    (void)state;
    assert_success(run("ln -sf a.png images/link.png"));
    make_text("twice.csv", "images/a.png,7,7,10,10\n./images/a.png,57,27,10,10\nimages/link.png,7,7,10,10\n");
    result = run("shadewood detect spot.ktx2 -e twice.csv " SPOTS "-o twice --no-pictures");
    assert_success(result);
    assert_non_null(strstr(result.err, "twice.csv, line 3"));
    assert_non_null(strstr(result.err, "twice.csv, line 1"));
    assert_file("twice/images.csv", "image,annotated,windows,objects,found,missed,false\r\n"
                                    "images/a.png,yes,4785,2,2,0,0\r\n");
    result = run("shadewood detect spot.ktx2 -e twice.csv images/a.png images/link.png " SPOTS
                 "-o again --no-pictures && cmp again/images.csv twice/images.csv && rm images/link.png");
    assert_success(result);
    assert_non_null(strstr(result.err, "images/link.png is the same image as images/a.png"));
}

static void rectangles_outside_are_left_out(void **state)
{
    struct run result;

    (void)state;
    make_text("outside.csv", "images/a.png,7,7,10,10\nimages/a.png,96,7,10,10\nimages/a.png,-10,7,10,10\n"
                             "images/a.png,95,63,10,10\n");
    result = run("shadewood detect spot.ktx2 -e outside.csv " SPOTS "-o outside --no-pictures");
    assert_success(result);
    assert_non_null(strstr(result.err, "outside.csv, line 2"));
    assert_non_null(strstr(result.err, "images/a.png"));
    assert_file("outside/images.csv", "image,annotated,windows,objects,found,missed,false\r\n"
                                      "images/a.png,yes,4785,2,1,1,1\r\n");
}

#define TRAIN                                                                                                          \
    "shadewood train-cascade --window 8x8 --stages 2 --candidates 9 --copies 2 --shift 5 --background-count 99 "       \
    "-t cpu --threads 1 "

/* The same objects in one file, in several with other spellings, and twice make the same cascade; and so do
 * backgrounds that are annotated, and rectangles outside. */
static void training_takes_a_file_as_one_image(void **state)
{
    static const char *const same[] = {
        "--annotations first.csv --annotations second.csv --backgrounds images/none.png",
        "--annotations all.csv --annotations second.csv --backgrounds images/none.png",
        "--annotations all.csv --backgrounds images/none.png --backgrounds images/a.png --backgrounds images/none.png",
    };
    char first[600] = "", second[600] = "", all[1200];
    struct run result;

    (void)state;
    for (int i = 0; i < 12; i++) {
        snprintf(first + strlen(first), 64, "images/a.png,%d,%d,10,10\n", 5 + i, 20 - i);
        snprintf(second + strlen(second), 64, "./images/a.png,%d,%d,10,10\n", 55 + i, 20 + i);
    }
    snprintf(all, sizeof all, "%s%s", first, second);
    make_text("first.csv", first);
    make_text("second.csv", second);
    make_text("all.csv", all);
    assert_success(run(TRAIN "--annotations all.csv --backgrounds images/none.png -o one.ktx2"));
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        char line[600];
        snprintf(line, sizeof line, TRAIN "%s -o other.ktx2 --overwrite && cmp one.ktx2 other.ktx2", same[i]);
        result = run("%s", line);
        assert_success(result);
        assert_true(i == 0 || strstr(result.err, i == 1 ? "second.csv, line 1" : "images/a.png") != NULL);
    }
    make_text("apart.csv", "images/b.png,500,20,10,10\nimages/b.png,20,500,10,10\nimages/b.png,-90,-9,10,10\n");
    result = run(TRAIN "--annotations apart.csv --backgrounds images/none.png -o none.ktx2 2>&1 >/dev/null");
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.out, "apart.csv, line 1"));
    assert_non_null(strstr(result.out, "images/b.png"));
    assert_non_null(strstr(result.out, "3 objects of which 0 lie in their images"));
}

/* COCO's annotations by number, and a crowd that is neither right nor wrong to be found. */
static void evaluation_reads_coco(void **state)
{
    static const char annotations[] =
        "{\"images\": [{\"id\": 17, \"file_name\": \"images/a.png\"}, {\"id\": 4, \"file_name\": \"images/b.png\"}],"
        "\"categories\": [{\"id\": 3, \"name\": \"spot\"}], \"annotations\": ["
        "{\"id\": 1, \"image_id\": 17, \"category_id\": 3, \"bbox\": [7, 7, 10, 10]},"
        "{\"id\": 2, \"image_id\": 17, \"category_id\": 3, \"bbox\": [50, 20, 40, 40], \"iscrowd\": 1}]}";
    struct run result;
    json_t *report, *measured;

    (void)state;
    make_file("spots.json", annotations, sizeof annotations - 1);
    result = run("shadewood detect spot.ktx2 -e spots.json " SPOTS "-o crowd --format coco --json");
    assert_success(result);
    report = parse_json(result.out);
    measured = json_object_get(report, "evaluation");
    assert_int_equal(json_integer_value(json_object_get(measured, "found")), 1);
    assert_int_equal(json_integer_value(json_object_get(measured, "false")), 1);
    assert_int_equal(json_integer_value(json_object_get(measured, "missed")), 0);
    assert_success(run("grep -q ignored crowd/matches.csv"));
    assert_success(
        run("grep -q '^{\"image_id\": 17, \"category_id\": 3, \"bbox\": .7, 7, 10, 10.' crowd/detections.json "
            "&& grep -q '\"image_id\": 4,' crowd/detections.json"));
    json_decref(report);
}

#define FRAMES 12

/* A spot that moves by two pixels a frame, again and again. */
static void write_video(const char *name, int frames)
{
    const struct shw_video_params params = {.path = place(name), .width = WIDTH, .height = HEIGHT, .frame_rate = 25.0};
    const struct shw_log log = {0};
    struct shw_video_file *video;
    uint8_t rgb[3 * WIDTH * HEIGHT];
    enum shw_result result = shw_video_create(&params, &log, &video);

    if (result == SHW_ERROR_UNSUPPORTED)
        testing_skip("no FFmpeg");
    assert_int_equal(result, SHW_OK);
    for (int i = 0; i < frames; i++) {
        draw_spots(rgb, &(struct spot){10 + 2 * (i % FRAMES), 20, 220}, 1);
        assert_int_equal(shw_video_add(video, rgb, i / 25.0), SHW_OK);
    }
    assert_int_equal(shw_video_close(&video), SHW_OK);
}

static void videos_have_a_row_per_frame(void **state)
{
    char expected[2048] = "frame,seconds,x,y,width,height,score,angle,neighbours\r\n";

    (void)state;
    write_video("walk.mp4", FRAMES);
    assert_success(run("shadewood detect spot.ktx2 walk.mp4 " SPOTS "-o video >said && cut -d, -f1-6 "
                       "video/walk_detections.csv >rows"));
    assert_file("said", "1 video with 12 frames, 12 detections, in video\n");
    strcpy(expected, "frame,seconds,x,y,width,height\n");
    for (int i = 0; i < FRAMES; i++)
        snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%d,0.%03d,%d,17,10,10\n", i, 40 * i,
                 7 + 2 * i);
    assert_success(run("tr -d '\\r' <rows >plain"));
    assert_file("plain", expected);
    assert_int_equal(entry_count("video"), 2);
}

/* The annotated video has the frames of the other, at their times, with a rectangle around the spot. */
static void annotated_videos_can_be_read(void **state)
{
    const struct shw_log log = {0};
    struct shw_video_reader *reader;
    struct shw_video_frame frame;
    int count = 0;

    (void)state;
    if (!exists("video/walk_detections.mp4"))
        testing_skip("no FFmpeg");
    assert_int_equal(shw_video_open(place("video/walk_detections.mp4"), &log, &reader), SHW_OK);
    for (;; count++) {
        assert_int_equal(shw_video_next(reader, &frame), SHW_OK);
        if (frame.image.pixels == NULL)
            break;
        assert_int_equal(frame.image.width, WIDTH);
        assert_int_equal(frame.image.height, HEIGHT);
        assert_true(frame.seconds > count / 25.0 - 1e-3 && frame.seconds < count / 25.0 + 1e-3);
        /* orange: much more red than blue */
        for (int y = 18; y < 26; y++) {
            const uint8_t *pixel = (const uint8_t *)frame.image.pixels + 3 * (y * WIDTH + 7 + 2 * count);
            assert_true(pixel[0] > pixel[2] + 60);
        }
        free((void *)(uintptr_t)frame.image.pixels);
    }
    assert_int_equal(count, FRAMES);
    shw_video_close_reader(&reader);
}

/* The video comes through a pipe that stays open, so that the program is in the middle of it when the signal comes: it
 * has its two outputs open, which have no names yet. */
static void an_interrupted_video_leaves_nothing(void **state)
{
    struct run result;

    (void)state;
    write_video("pipe.mkv", 20 * FRAMES);
    result =
        run("rm -rf cut && mkdir cut && mkfifo live.mkv && "
            "{ cat pipe.mkv; exec sleep 100; } >live.mkv & writer=$!; "
            "\"$SHADEWOOD_PROGRAM\" detect spot.ktx2 live.mkv " SPOTS "-o cut -v & child=$!; "
            "until [ \"$(ls -l /proc/$child/fd | grep -c 'cut/')\" -ge 2 ] || ! kill -0 $child; do sleep 0.05; done; "
            "kill -TERM $child; wait $child; code=$?; kill $writer; echo interrupted; exit $code");
    assert_int_equal(result.code, 130);
    assert_string_equal(result.out, "interrupted\n");
    assert_int_equal(entry_count("cut"), 0);
}

static void wrong_videos_are_refused(void **state)
{
    (void)state;
    if (!exists("walk.mp4"))
        testing_skip("no FFmpeg");
    assert_success(run("head -c 300 walk.mp4 >short.mp4 && printf 'nothing of the kind' >text.mkv"));
    assert_one_line(run("shadewood detect spot.ktx2 short.mp4 " SPOTS "-o short"), 1, "short.mp4", NULL);
    assert_int_equal(entry_count("short"), 0);
    assert_one_line(run("shadewood detect spot.ktx2 text.mkv " SPOTS "-o text"), 1, "text.mkv", NULL);
    assert_int_equal(entry_count("text"), 0);
    assert_one_line(run("shadewood detect spot.ktx2 missing.mkv " SPOTS "-o text"), 1, "missing.mkv", NULL);
    assert_one_line(run("shadewood detect spot.ktx2 walk.mp4 -e spots.csv " SPOTS "-o text"), 2, "walk.mp4",
                    "--evaluate", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_have_their_rows),
        cmocka_unit_test(images_may_have_any_size),
        cmocka_unit_test(a_device_finds_the_same),
        cmocka_unit_test(a_list_names_images_beside_it),
        cmocka_unit_test(a_second_run_replaces_pictures_alone),
        cmocka_unit_test(options_choose_detections),
        cmocka_unit_test(raw_windows_are_those_before_grouping),
        cmocka_unit_test(coco_has_the_same_detections),
        cmocka_unit_test(pictures_have_rectangles),
        cmocka_unit_test(json_reports_each_image),
        cmocka_unit_test(errors_are_one_line),
        cmocka_unit_test(other_formats_are_read_as_they_are),
        cmocka_unit_test(a_damaged_image_leaves_the_others),
        cmocka_unit_test(an_image_too_large_is_named),
        cmocka_unit_test(evaluation_counts_a_small_set),
        cmocka_unit_test(evaluation_has_its_options),
        cmocka_unit_test(evaluation_reads_coco),
        cmocka_unit_test(annotations_apart_are_found_by_the_ends_of_paths),
        cmocka_unit_test(an_image_of_two_names_is_measured_once),
        cmocka_unit_test(rectangles_outside_are_left_out),
        cmocka_unit_test(training_takes_a_file_as_one_image),
        cmocka_unit_test(videos_have_a_row_per_frame),
        cmocka_unit_test(annotated_videos_can_be_read),
        cmocka_unit_test(an_interrupted_video_leaves_nothing),
        cmocka_unit_test(wrong_videos_are_refused),
    };
    return cmocka_run_group_tests_name("cli_detect", tests, prepare, NULL);
}
