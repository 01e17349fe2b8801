#include "detect_spots.h"

#include <stdlib.h>
#include <string.h>

#include "files/image/image_write.h"
#include "program.h"

#define GREY 256 /* of the values of a level for one of a pixel */
#define BITS 4

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

void draw_spots(uint8_t *rgb, const struct spot *spots, int count)
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

int prepare_spots(void **state)
{
    struct shw_cascade *cascade = make_cascade();

    (void)state;
    assert_success(run("mkdir -p images"));
    assert_int_equal(shw_cascade_save(cascade, place("spot.ktx2"), NULL), SHW_OK);
    shw_cascade_destroy(&cascade);
    write_image("images/a.png", spots_a, 2);
    write_image("images/b.png", spots_b, 1);
    write_image("images/none.png", NULL, 0);
    write_small("small.png");
    return 0;
}

void assert_file(const char *name, const char *expected)
{
    size_t size;
    char *bytes = file_bytes(name, &size);

    assert_string_equal(bytes, expected);
    free(bytes);
}
