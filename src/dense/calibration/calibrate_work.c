/* The data of a calibration. */
#include <stdlib.h>

#include <shadewood/label.h>

#include "base/log.h"
#include "dense/calibration/calibrate.h"
#include "dense/pipeline/registry.h"
#include "shared/random.h"

#define TREES    4u
#define DEPTH    8u
#define CLASSES  16u
#define OFFSET   40u
#define SIDE     31u
#define CHANNELS 16u
#define PATCH    24u

#define WIDTH  512u
#define HEIGHT 384u

/* Smaller on a device that is a CPU. */
static const uint32_t sizes[2][SHW_CALIBRATE_SIZES][2] = {{{128, 96}, {WIDTH, HEIGHT}}, {{128, 96}, {256, 192}}};

/* Random number `draw` of object `number`: 0..bound-1. */
static uint32_t draw(uint32_t number, uint32_t draw, uint32_t bound)
{
    return shw_random_below(shw_random(0x5eedu, number, draw), bound);
}

static void random_rectangle(uint32_t number, struct shw_rectangle *rectangle)
{
    uint32_t width = 1 + draw(number, 0, SIDE), height = 1 + draw(number, 1, SIDE);

    rectangle->x0 = (int16_t)((int32_t)draw(number, 2, 2 * OFFSET + 2 - width) - (int32_t)OFFSET);
    rectangle->y0 = (int16_t)((int32_t)draw(number, 3, 2 * OFFSET + 2 - height) - (int32_t)OFFSET);
    rectangle->x1 = (int16_t)(rectangle->x0 + (int32_t)width);
    rectangle->y1 = (int16_t)(rectangle->y0 + (int32_t)height);
}

/* A complete tree: its nodes in breadth-first order are a heap. */
static void fill_tree(uint32_t tree, struct shw_node *nodes, uint16_t *distributions)
{
    uint32_t splits = (1u << DEPTH) - 1;

    for (uint32_t n = 0; n < 2 * splits + 1; n++) {
        uint32_t number = (tree << 16 | n) * 4;
        struct shw_rectangle_difference difference = {0};
        if (n >= splits) {
            nodes[n] = (struct shw_node){.left = n, .leaf = n - splits};
            continue;
        }
        nodes[n] = (struct shw_node){.is_split = true, .left = 2 * n + 1, .t1 = INT32_MAX};
        for (uint32_t r = 0; r < 2; r++) {
            random_rectangle(number + r, &difference.rectangle[r]);
            difference.channel[r] = (uint16_t)draw(number + 2, r, CHANNELS);
        }
        nodes[n].feature = shw_rectangle_difference_pack(&difference);
        nodes[n].t0 = (int32_t)draw(number + 3, 0, 64) - 32;
    }
    for (uint32_t leaf = 0; leaf < splits + 1; leaf++) {
        uint16_t *distribution = distributions + leaf * CLASSES;
        uint32_t left = UINT16_MAX;
        for (uint32_t c = 0; c < CLASSES; c++) {
            uint32_t share = c + 1 < CLASSES ? draw(tree << 16 | leaf, 4 + c, left + 1) : left;
            distribution[c] = (uint16_t)share;
            left -= share;
        }
    }
}

static enum shw_result make_forest(struct shw_calibrator *calibrator)
{
    uint32_t splits = (1u << DEPTH) - 1;
    struct shw_node *nodes = calloc((size_t)TREES * (2 * splits + 1), sizeof *nodes);
    uint16_t *distributions = calloc((size_t)TREES * (splits + 1) * CLASSES, sizeof *distributions);
    struct shw_tree trees[TREES];
    struct shw_forest_params params = {
        .info = {.channels = SHW_CHANNELS_WINN16, .class_count = CLASSES, .tree_count = TREES},
        .trees = trees,
        .log = calibrator->log};
    enum shw_result result;

    if (nodes == NULL || distributions == NULL) {
        result = shw_fail_memory(&calibrator->log, "a calibration");
        goto fail;
    }
    for (uint32_t t = 0; t < TREES; t++) {
        trees[t] = (struct shw_tree){.nodes = nodes + t * (2 * splits + 1),
                                     .node_count = 2 * splits + 1,
                                     .distributions = distributions + t * (splits + 1) * CLASSES};
        fill_tree(t, nodes + t * (2 * splits + 1), distributions + t * (splits + 1) * CLASSES);
    }
    result = shw_forest_create(&params, &calibrator->forest);

fail:
    free(nodes);
    free(distributions);
    return result;
}

/* Patches with noise; the colour of a patch is its class. */
static void fill_image(struct shw_calibrator *calibrator)
{
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            uint32_t class = draw(x / PATCH, y / PATCH, CLASSES), noise = shw_random(0xda7au, x, y);
            uint8_t *pixel = calibrator->pixels + 3 * ((size_t)y * WIDTH + x);
            for (uint32_t c = 0; c < 3; c++)
                pixel[c] = (uint8_t)(draw(class, 100 + c, 224) + (noise >> 8 * c & 31));
            calibrator->labels[(size_t)y * WIDTH + x] = (uint16_t) class;
        }
}

struct shw_pipeline_params shw_calibrate_pipeline(const struct shw_calibrator *calibrator,
                                                  const struct shw_calibrate_frame *frame, enum shw_technique technique)
{
    struct shw_pipeline_params params = {.device = calibrator->device,
                                         .forest = calibrator->forest,
                                         .outputs = frame->work.outputs,
                                         .keeps_planes = true,
                                         .pool = calibrator->pool,
                                         .log = calibrator->log};

    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        params.techniques[s] = shw_registry_find((enum shw_stage)s, technique);
    return params;
}

enum shw_result shw_calibrate_make_work(struct shw_calibrator *calibrator)
{
    struct shw_pipeline_params params;

    calibrator->pixels = malloc((size_t)3 * WIDTH * HEIGHT);
    calibrator->labels = malloc((size_t)WIDTH * HEIGHT * sizeof *calibrator->labels);
    if (calibrator->pixels == NULL || calibrator->labels == NULL)
        return shw_fail_memory(&calibrator->log, "a calibration");
    SHW_PROPAGATE(make_forest(calibrator));
    fill_image(calibrator);
    for (uint32_t s = 0; s < SHW_CALIBRATE_SIZES; s++) {
        struct shw_calibrate_frame *frame = &calibrator->frames[s];
        uint32_t width = sizes[calibrator->is_cpu][s][0], height = sizes[calibrator->is_cpu][s][1];
        frame->work = shw_calibration_work_of(calibrator->forest, SHW_OUTPUT_ARGMAX);
        frame->work.width = width;
        frame->work.height = height;
        frame->image = (struct shw_image){.pixels = calibrator->pixels,
                                          .width = width,
                                          .height = height,
                                          .stride = (size_t)3 * WIDTH,
                                          .format = SHW_PIXEL_RGB8};
        params = shw_calibrate_pipeline(calibrator, frame, SHW_TECHNIQUE_CPU);
        shw_pipeline_begin(&params, &frame->cpu);
        SHW_PROPAGATE(shw_pipeline_host_planes(&frame->cpu, width, height));
    }
    return SHW_OK;
}

void shw_calibrate_free_work(struct shw_calibrator *calibrator)
{
    for (uint32_t s = 0; s < SHW_CALIBRATE_SIZES; s++)
        shw_pipeline_end(&calibrator->frames[s].cpu);
    shw_forest_destroy(&calibrator->forest);
    free(calibrator->pixels);
    free(calibrator->labels);
}
