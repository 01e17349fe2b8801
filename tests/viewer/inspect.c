/* Looking inside: what is shown about a pixel is what labelling makes of it, and what is drawn lies where tests look.
 */
#include "viewer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/image/image_write.h"
#include "testing/random_forest.h"

enum { CLASSES = 4, TREES = 3, WIDTH = 60, HEIGHT = 44, CANVAS_WIDTH = 150, CANVAS_HEIGHT = 110, SHOTS = 16 };

static struct {
    char forest_path[512], image_path[512];
    struct shw_forest *forest;
    struct shw_image image;
    struct shw_channel_reader *reader;
    struct testing_labelling labels;
    uint8_t colours[CLASSES][3];
} scene;

static int make_scene(void **state)
{
    struct random_forest_params params = {
        .seed = 21, .classes = CLASSES, .trees = TREES, .depth = 5, .split_percent = 80, .single_percent = 30};
    struct shw_labeller_params labeller = {
        .channels = SHW_TECHNIQUE_CPU, .integrate = SHW_TECHNIQUE_CPU, .evaluate = SHW_TECHNIQUE_CPU, .threads = 1};
    struct shw_channel_reader_params reader = {.threads = 1};
    struct testing_random random = {5};

    (void)state;
    snprintf(scene.forest_path, sizeof scene.forest_path, "%s", testing_path("forest.ktx2"));
    snprintf(scene.image_path, sizeof scene.image_path, "%s", testing_path("image.png"));
    scene.forest = random_forest(&params);
    assert_int_equal(shw_forest_save(scene.forest, scene.forest_path, NULL), SHW_OK);
    scene.image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 0);
    assert_int_equal(shw_png_write(scene.image_path, &scene.image, NULL), SHW_OK);
    for (uint32_t c = 0; c < CLASSES; c++)
        memcpy(scene.colours[c], shw_forest_get_info(scene.forest)->classes[c].colour, 3);
    labeller.forest = scene.forest;
    scene.labels = testing_label(&labeller, &scene.image);
    reader.inputs = SHW_COLOUR_IMAGE(scene.image);
    reader.channels = shw_forest_get_info(scene.forest)->channels;
    reader.inputs = SHW_COLOUR_IMAGE(scene.image);
    return shw_channel_reader_create(&reader, &scene.reader) == SHW_OK ? 0 : -1;
}

static int free_scene(void **state)
{
    (void)state;
    shw_channel_reader_destroy(&scene.reader);
    testing_labelling_free(&scene.labels);
    free((void *)(uintptr_t)scene.image.pixels);
    shw_forest_destroy(&scene.forest);
    return 0;
}

static struct view scene_view(void)
{
    struct view view = {.image = &scene.image,
                        .labels = &scene.labels,
                        .classes = CLASSES,
                        .colours = scene.colours,
                        .mode = "argmax",
                        .opacity = 50,
                        .width = CANVAS_WIDTH,
                        .height = CANVAS_HEIGHT};

    view_fit(&view);
    script("forest %s\nopen %s", scene.forest_path, scene.image_path);
    return view;
}

static struct shot {
    char path[512];
    struct view view;
    struct outline outlines[2 * SHW_DEPTH_MAX + 1];
} shots[SHOTS];
static uint32_t shot_count;

static void add_outline(struct view *view, struct outline *outlines, struct shw_image_rectangle rect, uint8_t r,
                        uint8_t g, uint8_t b)
{
    outlines[view->outline_count++] = (struct outline){rect.x0, rect.y0, rect.x1, rect.y1, {r, g, b}};
}

/* The rectangles of the tests on the way of a pixel through a tree: of all, or of test number `test`. Returns how many
 * tests there are. */
static uint32_t shoot(const struct view *view, uint32_t x, uint32_t y, uint32_t tree, int test)
{
    struct shot *shot = &shots[shot_count];
    struct shw_explanation *explanation;
    uint32_t count;
    char name[32];

    assert_true(shot_count < SHOTS);
    snprintf(name, sizeof name, "shot-%u.png", shot_count++);
    snprintf(shot->path, sizeof shot->path, "%s", testing_path(name));
    remove(shot->path);
    script("screenshot %s", shot->path);
    shot->view = *view;
    assert_int_equal(shw_explain(scene.forest, scene.reader, x, y, &explanation), SHW_OK);
    count = explanation->trees[tree].test_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct shw_explained_test *looked = &explanation->trees[tree].tests[i];
        if (test >= 0 && (uint32_t)test != i)
            continue;
        if (looked->region_count > 1)
            add_outline(&shot->view, shot->outlines, looked->regions[1].rectangle, 86, 180, 233);
        add_outline(&shot->view, shot->outlines, looked->regions[0].rectangle, 230, 159, 0);
    }
    add_outline(&shot->view, shot->outlines, (struct shw_image_rectangle){x, y, x + 1, y + 1}, 255, 255, 255);
    shot->view.outlines = shot->outlines;
    shw_explanation_free(&explanation);
    return count;
}

static void run_and_compare(void)
{
    uint32_t count = shot_count;

    shot_count = 0;
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    for (uint32_t i = 0; i < count; i++)
        assert_view(shots[i].path, &shots[i].view);
}

TESTING_CASE(rectangles_lie_where_tests_look)
{
    struct view view = scene_view();
    uint32_t tests;

    script("inspect 20 13");
    tests = shoot(&view, 20, 13, 0, -1);
    assert_true(tests >= 3);
    script("test 1");
    shoot(&view, 20, 13, 0, 1);
    script("test +1");
    shoot(&view, 20, 13, 0, 2);
    script("test all\ntest -1");
    shoot(&view, 20, 13, 0, (int)tests - 1);
    script("test all\ntree 2\ninspect 0 43");
    shoot(&view, 0, 43, 2, -1);
    script("tree +1\nzoom 9\ncentre 0 43");
    view.zoom = 9 * 256;
    view.offset_x = CANVAS_WIDTH / 2 * 256 - view.zoom / 2;
    view.offset_y = CANVAS_HEIGHT / 2 * 256 - 43 * view.zoom - view.zoom / 2;
    shoot(&view, 0, 43, 0, -1);
    script("zoom fit\nzoom 0.2\ntree -1\ninspect 59 0");
    view_fit(&view);
    view_zoom(&view, 51);
    shoot(&view, 59, 0, 2, -1);
    run_and_compare();
}

/* The cursor's pixel, until it is told to stay. */
TESTING_CASE(the_explanation_follows_the_cursor)
{
    struct view view = scene_view();

    script("zoom 1\ninspect on\ntree 1");
    view_zoom(&view, 256);
    script("mouse move %d %d", (int)(view.offset_x / 256) + 31, (int)(view.offset_y / 256) + 7);
    shoot(&view, 31, 7, 1, -1);
    script("mouse move %d %d", (int)(view.offset_x / 256) + 5, (int)(view.offset_y / 256) + 40);
    shoot(&view, 5, 40, 1, -1);
    script("inspect stay\nmouse move %d %d", (int)(view.offset_x / 256) + 50, (int)(view.offset_y / 256) + 20);
    shoot(&view, 5, 40, 1, -1);
    script("inspect stay");
    shoot(&view, 50, 20, 1, -1);
    run_and_compare();
}

static uint32_t best_class(uint32_t tree, uint32_t leaf)
{
    const uint16_t *distribution = shw_forest_get_distribution(scene.forest, tree, leaf);
    uint32_t best = 0;

    for (uint32_t c = 1; c < CLASSES; c++)
        best = distribution[c] > distribution[best] ? c : best;
    return best;
}

static uint8_t folded(uint32_t word)
{
    return (uint8_t)((word >> 24) ^ (word >> 16 & 255) ^ (word >> 8 & 255) ^ (word & 255));
}

/* The texture as a picture, tree by tree and leaf by leaf, by what docs/forest-format.md says of their places. */
static uint8_t *paint_texture(const struct shw_forest_texture *texture)
{
    uint8_t *pixels = malloc((size_t)texture->width * texture->height * 3);
    uint32_t row = (1 + TREES + texture->width - 1) / texture->width, leaf = 0;

    assert_non_null(pixels);
    assert_int_equal(texture->layers, 1);
    memset(pixels, 16, (size_t)texture->width * texture->height * 3);
    memset(pixels, 255, 3);
    memset(pixels + 3, 192, 3 * TREES);
    for (uint32_t t = 0; t < TREES; t++) {
        uint32_t nodes = shw_forest_get_tree(scene.forest, t).node_count;
        for (uint32_t n = 0; n < 2 * nodes; n++) {
            size_t at = (size_t)row * texture->width + n;
            struct shw_node node = shw_forest_get_node(scene.forest, t, n / 2);
            for (uint32_t k = 0; k < 3; k++) {
                uint8_t full = node.is_split ? folded(texture->texels[4 * at + k + 1])
                                             : scene.colours[best_class(t, node.leaf)][k];
                pixels[3 * at + k] = n % 2 == 0 ? full : full / 2;
            }
        }
        row += (2 * nodes + texture->width - 1) / texture->width;
    }
    for (uint32_t t = 0; t < TREES; t++)
        for (uint32_t l = 0; l < shw_forest_get_tree(scene.forest, t).leaf_count; l++, leaf++)
            for (uint32_t k = 0; k < 3; k++) {
                double sum = 0.0;
                for (uint32_t c = 0; c < CLASSES; c++)
                    sum += (double)shw_forest_get_distribution(scene.forest, t, l)[c] * scene.colours[c][k];
                pixels[3 * ((size_t)row * texture->width + leaf) + k] = (uint8_t)floor((sum + 32767.0) / 65535.0);
            }
    return pixels;
}

/* With the way of pixel (9, 9) through tree 0, whose test number `test` is chosen, and a texel; or with neither. */
static void shoot_texture(const struct view *view, bool marked, uint32_t test)
{
    struct shw_forest_texture texture = shw_forest_get_texture(scene.forest);
    struct shot *shot = &shots[shot_count];
    struct shw_explanation *explanation;
    char name[32];

    assert_true(shot_count < SHOTS);
    snprintf(name, sizeof name, "shot-%u.png", shot_count++);
    snprintf(shot->path, sizeof shot->path, "%s", testing_path(name));
    remove(shot->path);
    script("screenshot %s", shot->path);
    shot->view = *view;
    shot->view.outlines = shot->outlines;
    if (!marked)
        return;
    assert_int_equal(shw_explain(scene.forest, scene.reader, 9, 9, &explanation), SHW_OK);
    for (uint32_t i = 0; i <= explanation->trees[0].test_count; i++) {
        bool leaf = i == explanation->trees[0].test_count, chosen = i == test;
        uint32_t node = leaf ? explanation->trees[0].node : explanation->trees[0].tests[i].node;
        uint32_t x = 2 * node % texture.width, y = 1 + 2 * node / texture.width;
        add_outline(&shot->view, shot->outlines, (struct shw_image_rectangle){x, y, x + 2, y + 1}, chosen ? 86 : 230,
                    chosen ? 180 : 159, chosen ? 233 : 0);
    }
    add_outline(&shot->view, shot->outlines, (struct shw_image_rectangle){1, 0, 2, 1}, 255, 255, 255);
    shw_explanation_free(&explanation);
}

/* It has a place of its own; picture, overlay and explanation are as they were after it. Before any picture it can be
 * seen, too. */
TESTING_CASE(the_texture_is_looked_at_like_a_picture)
{
    struct shw_forest_texture texture = shw_forest_get_texture(scene.forest);
    uint8_t *pixels = paint_texture(&texture);
    struct shw_image image = {pixels, texture.width, texture.height, 0, SHW_PIXEL_RGB8};
    struct view picture, view = {.image = &image, .mode = "none", .width = CANVAS_WIDTH, .height = CANVAS_HEIGHT};

    view_fit(&view);
    script("forest %s\ntexture on\nwait 1", scene.forest_path);
    shoot_texture(&view, false, 0);
    picture = scene_view();
    shoot_texture(&view, false, 0);
    script("texture off\nzoom 3\nwipe 20\ninspect 9 9");
    view_zoom(&picture, 3 * 256);
    picture.wipe = 20;
    shoot(&picture, 9, 9, 0, -1);
    script("texture toggle\noverlay heat\nzoom in\ninspect 1 0");
    view_zoom(&view, 2 * view.zoom);
    shoot_texture(&view, true, UINT32_MAX);
    script("texture toggle\noverlay argmax");
    shoot(&picture, 9, 9, 0, -1);
    script("texture on\ntest 2");
    shoot_texture(&view, true, 2);
    run_and_compare();
    free(pixels);
}

/* Standard output of a script's run. */
static char *run_and_read(void)
{
    char path[512], *text = calloc(1, 65536);
    FILE *file;
    int saved;

    assert_non_null(text);
    snprintf(path, sizeof path, "%s", testing_path("output"));
    fflush(stdout);
    saved = dup(STDOUT_FILENO);
    assert_non_null(freopen(path, "w", stdout));
    run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    file = fopen(path, "r");
    assert_non_null(file);
    assert_true(fread(text, 1, 65535, file) < 65535);
    fclose(file);
    return text;
}

TESTING_CASE(what_is_told_is_what_labelling_makes)
{
    static const uint32_t pixels[][2] = {{0, 0}, {59, 43}, {17, 30}};
    char expected[4096] = "", *told;
    size_t length = 0;

    scene_view();
    for (size_t p = 0; p < sizeof pixels / sizeof *pixels; p++) {
        size_t i = (size_t)pixels[p][1] * WIDTH + pixels[p][0];
        const uint8_t *samples = (const uint8_t *)scene.image.pixels + 3 * i;
        struct shw_explanation *explanation;
        assert_int_equal(shw_explain(scene.forest, scene.reader, pixels[p][0], pixels[p][1], &explanation), SHW_OK);
        script("inspect %u %u\ninspect print", pixels[p][0], pixels[p][1]);
        length += (size_t)snprintf(expected + length, sizeof expected - length, "pixel %u %u: %u %u %u\n", pixels[p][0],
                                   pixels[p][1], samples[0], samples[1], samples[2]);
        for (uint32_t c = 0; c < CLASSES; c++)
            length += (size_t)snprintf(expected + length, sizeof expected - length, "class %s: %u\n",
                                       shw_forest_get_info(scene.forest)->classes[c].name,
                                       scene.labels.out.distribution[c * WIDTH * HEIGHT + i]);
        for (uint32_t t = 0; t < TREES; t++)
            length += (size_t)snprintf(expected + length, sizeof expected - length, "tree %u: leaf %u after %u tests\n",
                                       t, scene.labels.out.forest_leaves[t * WIDTH * HEIGHT + i],
                                       explanation->trees[t].test_count);
        shw_explanation_free(&explanation);
    }
    script("inspect off\ninspect print\ninspect 60 0\ninspect print");
    told = run_and_read();
    assert_string_equal(told, expected);
    free(told);
}

TESTING_CASE(texels_are_told_in_words)
{
    struct shw_forest_texture texture = shw_forest_get_texture(scene.forest);
    struct shw_tree_info tree = shw_forest_get_tree(scene.forest, 1);
    const uint16_t *distribution = shw_forest_get_distribution(scene.forest, 0, 0);
    uint32_t leaf_row = texture.texels[2] / texture.width, length;
    char expected[1024], *told;

    script("forest %s\ntexture on\ninspect 0 0\ninspect print\ninspect 2 0\ninspect print\ninspect 4 0\ninspect print",
           scene.forest_path);
    script("inspect 0 %u\ninspect print\ninspect %u 0\ninspect print", leaf_row, texture.width);
    length =
        (uint32_t)snprintf(expected, sizeof expected,
                           "texel 0 0: header: %d trees, %d classes\ntexel 2 0: tree 1: %u nodes, %u leaves, depth %u\n"
                           "texel 4 0: nothing\ntexel 0 %u: tree 0, leaf 0, node",
                           TREES, CLASSES, tree.node_count, tree.leaf_count, tree.depth, leaf_row);
    told = run_and_read();
    assert_int_equal(strncmp(told, expected, length), 0);
    for (uint32_t c = 0; c < CLASSES; c++) {
        snprintf(expected, sizeof expected, " %s %.1f %%", shw_forest_get_info(scene.forest)->classes[c].name,
                 100.0 * distribution[c] / 65535);
        assert_int_equal(strstr(told + length, expected) != NULL, distribution[c] > 0);
    }
    assert_int_equal(strchr(told + length, '\n')[1], '\0');
    free(told);
}

/* Writes a picture of what follows upon the lines, from the same state each time. */
static void picture_after(const char *lines, unsigned number)
{
    char name[32];

    snprintf(name, sizeof name, "seen-%u.png", number);
    script("texture off\ninspect 20 13\ntree 0\ntest all\noverlay argmax\nwait 2\n%s\nwait 4\nmouse move 350 5\nwait "
           "2\nscreenshot %s",
           lines, testing_path(name));
}

static uint8_t *read_picture(unsigned number, size_t *size)
{
    char name[32];
    uint8_t *bytes = malloc(1 << 22);
    FILE *file;

    snprintf(name, sizeof name, "seen-%u.png", number);
    file = fopen(testing_path(name), "rb");
    assert_non_null(file);
    assert_non_null(bytes);
    *size = fread(bytes, 1, 1 << 22, file);
    fclose(file);
    return bytes;
}

TESTING_CASE(the_panel_does_what_the_actions_do)
{
    const struct shw_forest_info *info = shw_forest_get_info(scene.forest);
    const struct shw_channel_list *set = info->channel_list;
    char tree[256], row[256];
    const char *const cases[][2] = {{"wait 1", "wait 1"},
                                    {tree, "tree 1"},
                                    {row, "test 1"},
                                    {"click Integral", "overlay integral"},
                                    {"click Show the texture", "texture on"},
                                    {"click Explain pixels", "inspect off"}};
    const unsigned count = sizeof cases / sizeof *cases;
    struct shw_explanation *explanation;
    const struct shw_explained_test *test;
    uint8_t *begin, *bytes[2];
    size_t sizes[3];
    uint32_t best;

    assert_int_equal(shw_explain(scene.forest, scene.reader, 20, 13, &explanation), SHW_OK);
    best = best_class(1, explanation->trees[1].leaf);
    snprintf(tree, sizeof tree, "click Tree 1: %s, %.0f %%", info->classes[best].name,
             100.0 * explanation->trees[1].distribution[best] / 65535);
    test = &explanation->trees[0].tests[1];
    snprintf(row, sizeof row, "click 1: %s%s%s = %d, %s", set->channels[test->regions[0].region.channel].name,
             test->region_count == 1 ? "" : " - ",
             test->region_count == 1 ? "" : set->channels[test->regions[1].region.channel].name, test->response,
             test->right ? "right" : "left");
    shw_explanation_free(&explanation);
    script("forest %s\nopen %s\npanels on\npanel classes off\npanel teach off\npanel pixel off\npanel inspect "
           "on\nmouse move 350 5",
           scene.forest_path, scene.image_path);
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; k < 2; k++)
            picture_after(cases[i][k], 2 * i + k);
    assert_int_equal(run_script(640, 860, NULL), 0);
    begin = read_picture(0, &sizes[2]);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < 2; k++)
            bytes[k] = read_picture(2 * i + k, &sizes[k]);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(bytes[0], bytes[1], sizes[0]);
        assert_int_equal(i == 0, sizes[0] == sizes[2] && memcmp(bytes[0], begin, sizes[0]) == 0);
        free(bytes[0]);
        free(bytes[1]);
    }
    free(begin);
}

/* Forests and pictures change below the explanation; without either there is none. */
TESTING_CASE(explanations_do_not_outlive_what_they_are_of)
{
    char small_path[512], other_path[512];
    struct random_forest_params params = {
        .seed = 2, .classes = 2, .trees = 1, .depth = 2, .channels = SHW_CHANNELS_RGB};
    struct shw_forest *other = random_forest(&params);
    struct testing_random random = {8};
    struct shw_image small = testing_image(&random, 9, 9, SHW_PIXEL_GREY16, 0);

    snprintf(small_path, sizeof small_path, "%s", testing_path("small.png"));
    snprintf(other_path, sizeof other_path, "%s", testing_path("other.ktx2"));
    assert_int_equal(shw_png_write(small_path, &small, NULL), SHW_OK);
    assert_int_equal(shw_forest_save(other, other_path, NULL), SHW_OK);
    script("inspect 30 30\nwait 1\nopen %s\nwait 2\ninspect print\ninspect 8 8\nwait 1\nforest %s", small_path,
           scene.forest_path);
    script(
        "tree 2\ntest 4\nwait 2\nforest %s\nwait 2\ntexture on\nopen %s\nwait 2\noverlay channel\ntexture off\nwait 1",
        other_path, scene.image_path);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    script("inspect somewhere");
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 1);
    script("tree 1");
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 1);
    shw_forest_destroy(&other);
    free((void *)(uintptr_t)small.pixels);
}

TESTING_FIXTURE(make_scene, free_scene)
