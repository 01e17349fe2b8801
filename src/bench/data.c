#include "bench/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>
#include <shadewood/train.h>

#include "base/image.h"
#include "base/log.h"
#include "bench/setting.h"
#include "files/dataset/dataset.h"
#include "files/io/image_paths.h"
#include "files/synth/synth.h"

struct scenes {
    struct shw_synth_params params;
    uint8_t *rgb;
    uint16_t *labels, *depths;
    struct shw_input *inputs; /* per image: its depth */
    char (*names)[16];
    enum shw_result *results; /* per image */
};

static void render(void *user, uint32_t index, uint32_t thread)
{
    struct scenes *scenes = user;
    size_t pixels = (size_t)scenes->params.width * scenes->params.height;

    (void)thread;
    snprintf(scenes->names[index], sizeof scenes->names[index], "%05u", index);
    scenes->results[index] = shw_synth_render(&scenes->params, index, scenes->rgb + 3 * pixels * index,
                                              scenes->labels + pixels * index, scenes->depths + pixels * index);
    scenes->inputs[index] = (struct shw_input){.name = SHW_DEPTH,
                                               .image = {.pixels = scenes->depths + pixels * index,
                                                         .width = scenes->params.width,
                                                         .height = scenes->params.height,
                                                         .format = SHW_PIXEL_GREY16}};
}

static enum shw_result read_scene(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct scenes *scenes = user;
    uint32_t width = scenes->params.width, height = scenes->params.height;
    size_t pixels = (size_t)width * height;

    *example = (struct shw_labelled_image){.name = scenes->names[index],
                                           .image = {.pixels = scenes->rgb + 3 * pixels * index,
                                                     .width = width,
                                                     .height = height,
                                                     .format = SHW_PIXEL_RGB8},
                                           .inputs = {1, &scenes->inputs[index]},
                                           .labels = scenes->labels + pixels * index};
    return SHW_OK;
}

static void release_scene(void *user, struct shw_labelled_image *example)
{
    (void)user, (void)example;
}

enum shw_result shw_bench_scenes_open(struct shw_bench *bench, uint32_t width, uint32_t height, uint32_t count,
                                      struct shw_dataset *dataset)
{
    struct scenes *scenes = calloc(1, sizeof *scenes);
    size_t pixels = (size_t)width * height * count;
    enum shw_result result = SHW_OK;

    *dataset = (struct shw_dataset){.count = count,
                                    .class_count = shw_synth_class_count,
                                    .user = scenes,
                                    .read = read_scene,
                                    .release = release_scene};
    if (scenes == NULL)
        return shw_fail_memory(&bench->log, "the scenes of the bench");
    scenes->params = (struct shw_synth_params){.width = width, .height = height, .count = count, .noise = 15};
    scenes->rgb = malloc(3 * pixels);
    scenes->labels = malloc(pixels * sizeof *scenes->labels);
    scenes->depths = malloc(pixels * sizeof *scenes->depths);
    scenes->inputs = calloc(count, sizeof *scenes->inputs);
    scenes->names = calloc(count, sizeof *scenes->names);
    scenes->results = calloc(count, sizeof *scenes->results);
    if (scenes->rgb == NULL || scenes->labels == NULL || scenes->depths == NULL || scenes->inputs == NULL ||
        scenes->names == NULL || scenes->results == NULL) {
        result = shw_fail_memory(&bench->log, "the scenes of the bench");
        goto fail;
    }
    shw_bench_say(bench, "rendering %u scenes of %ux%u", count, width, height);
    shw_thread_pool_run(bench->pool, count, render, scenes);
    for (uint32_t i = 0; i < count && result == SHW_OK; i++)
        result = scenes->results[i];

fail:
    if (result != SHW_OK)
        shw_bench_scenes_close(dataset);
    return result;
}

enum shw_result shw_bench_scenes_open_usual(struct shw_bench *bench, struct shw_dataset *dataset)
{
    return shw_bench_is_small(bench) ? shw_bench_scenes_open(bench, 160, 106, 10, dataset)
                                     : shw_bench_scenes_open(bench, 320, 213, 100, dataset);
}

void shw_bench_scenes_merge(struct shw_dataset *dataset, uint32_t classes)
{
    struct scenes *scenes = dataset->user;
    size_t pixels = (size_t)scenes->params.width * scenes->params.height * dataset->count;

    for (size_t p = 0; p < pixels; p++)
        if (scenes->labels[p] != SHW_LABEL_VOID)
            scenes->labels[p] = (uint16_t)(scenes->labels[p] % classes);
    dataset->class_count = classes;
}

void shw_bench_scenes_split(struct shw_dataset *dataset, uint32_t classes)
{
    struct scenes *scenes = dataset->user;
    uint32_t width = scenes->params.width;
    size_t pixels = (size_t)width * scenes->params.height * dataset->count;

    for (size_t p = 0; p < pixels; p++)
        if (p % width >= width / 2 && scenes->labels[p] != SHW_LABEL_VOID &&
            scenes->labels[p] + dataset->class_count < classes)
            scenes->labels[p] = (uint16_t)(scenes->labels[p] + dataset->class_count);
    dataset->class_count = classes;
}

void shw_bench_scenes_close(struct shw_dataset *dataset)
{
    struct scenes *scenes = dataset->user;

    if (scenes != NULL) {
        free(scenes->rgb);
        free(scenes->labels);
        free(scenes->depths);
        free(scenes->inputs);
        free(scenes->names);
        free(scenes->results);
        free(scenes);
    }
    *dataset = (struct shw_dataset){0};
}

#define SCENE_WIDTH         320u
#define SCENE_HEIGHT        240u
#define DEPTH_OF_LEAVES_MAX 8u /* of a complete tree with as many leaves as a trained one may have */

/* Opens splits of --data. */
static enum shw_result open_splits(const struct shw_bench *bench, const char *const names[], uint32_t count,
                                   struct shw_dataset *dataset)
{
    const char *data = bench->options.data;
    char *splits[2] = {NULL};
    struct shw_dataset_params params = {.root = data,
                                        .images = "images/{}.png",
                                        .labels = "labels/{}.png",
                                        .splits = (const char *const *)splits,
                                        .split_count = count,
                                        .log = bench->log};
    enum shw_result result;

    for (uint32_t i = 0; i < count; i++) {
        splits[i] = shw_path_join(data, "/splits/", names[i]);
        if (splits[i] == NULL) {
            result = shw_fail_memory(&bench->log, "the names of splits");
            goto fail;
        }
    }
    SHW_TRY(shw_dataset_open(&params, dataset));

fail:
    for (uint32_t i = 0; i < count; i++)
        free(splits[i]);
    return result;
}

enum shw_result shw_bench_data_open(struct shw_bench *bench, struct shw_dataset *dataset)
{
    static const char *const names[] = {"Train.txt", "Val.txt"};
    struct shw_labelled_image example;

    if (bench->options.data == NULL)
        return shw_bench_scenes_open_usual(bench, dataset);
    SHW_PROPAGATE(open_splits(bench, names, 2, dataset));
    for (uint32_t i = 0; i < dataset->count; i++) {
        SHW_PROPAGATE(dataset->read(dataset->user, i, &example));
        dataset->release(dataset->user, &example);
    }
    return SHW_OK;
}

void shw_bench_data_close(const struct shw_bench *bench, struct shw_dataset *dataset)
{
    if (bench->options.data != NULL)
        shw_dataset_close(dataset);
    else
        shw_bench_scenes_close(dataset);
}

static enum shw_result copy_image(const struct shw_bench *bench, const struct shw_image *from, struct shw_image *to)
{
    size_t row = (size_t)from->width * shw_pixel_size(from->format);
    size_t stride = from->stride > 0 ? from->stride : row;
    uint8_t *pixels = malloc(row * from->height);

    if (pixels == NULL)
        return shw_fail_memory(&bench->log, "an image of the bench");
    for (uint32_t y = 0; y < from->height; y++)
        memcpy(pixels + y * row, (const uint8_t *)from->pixels + y * stride, row);
    *to = *from;
    to->pixels = pixels;
    to->stride = 0;
    return SHW_OK;
}

/* Its seed is far from those of the training set. */
static enum shw_result render_held_out(const struct shw_bench *bench, struct shw_image *image)
{
    struct shw_synth_params params = {
        .width = SCENE_WIDTH, .height = SCENE_HEIGHT, .noise = 15, .seed = 1000, .log = bench->log};
    uint8_t *pixels = malloc(3 * SCENE_WIDTH * SCENE_HEIGHT);
    enum shw_result result;

    if (pixels == NULL)
        return shw_fail_memory(&bench->log, "an image of the bench");
    result = shw_synth_render(&params, 0, pixels, NULL, NULL);
    if (result != SHW_OK)
        free(pixels);
    else
        *image = (struct shw_image){
            .pixels = pixels, .width = SCENE_WIDTH, .height = SCENE_HEIGHT, .format = SHW_PIXEL_RGB8};
    return result;
}

/* An image that is not in the training set: the first of the split Test of --data, or a scene of 320 x 240 pixels. Free
 * the pixels with free(). Errors: MEMORY, those of shw_dataset_open() and of reading. */
static enum shw_result data_held_out(struct shw_bench *bench, struct shw_image *image)
{
    static const char *const name = "Test.txt";
    struct shw_dataset dataset = {0};
    struct shw_labelled_image example;
    enum shw_result result;

    if (bench->options.data == NULL)
        return render_held_out(bench, image);
    SHW_TRY(open_splits(bench, &name, 1, &dataset));
    SHW_TRY(dataset.read(dataset.user, 0, &example));
    result = copy_image(bench, &example.image, image);
    dataset.release(dataset.user, &example);

fail:
    shw_dataset_close(&dataset);
    return result;
}

/* Tests on the way to each leaf of a tree, added over the leaves that the pixels reach. Children follow their parents.
 * `depths`: memory for twice the nodes of the tree. */
static uint64_t add_paths(const struct shw_forest *forest, uint32_t tree, const uint32_t *leaves, size_t pixels,
                          uint32_t *depths)
{
    uint32_t count = shw_forest_get_tree(forest, tree).node_count, *leaf_depths = depths + count;
    uint64_t sum = 0;

    depths[0] = 0;
    for (uint32_t n = 0; n < count; n++) {
        struct shw_node node = shw_forest_get_node(forest, tree, n);
        if (node.is_split)
            depths[node.left] = depths[node.left + 1] = depths[n] + 1;
        else
            leaf_depths[node.leaf] = depths[n];
    }
    for (size_t p = 0; p < pixels; p++)
        sum += leaf_depths[leaves[p]];
    return sum;
}

static enum shw_result measure_paths(const struct shw_bench *bench, struct shw_bench_trained_content *content)
{
    struct shw_labeller_params params = {.forest = content->forest,
                                         .outputs = SHW_OUTPUT_FOREST_LEAVES,
                                         .channels = SHW_TECHNIQUE_CPU,
                                         .integrate = SHW_TECHNIQUE_CPU,
                                         .evaluate = SHW_TECHNIQUE_CPU,
                                         .log = bench->log};
    uint32_t trees = shw_forest_get_info(content->forest)->tree_count, nodes = 0;
    size_t pixels = (size_t)content->image.width * content->image.height;
    struct shw_labelling out = {.forest_leaves = malloc(trees * pixels * sizeof *out.forest_leaves)};
    struct shw_labeller *labeller = NULL;
    uint32_t *depths = NULL;
    uint64_t sum = 0;
    enum shw_result result;

    for (uint32_t t = 0; t < trees; t++) {
        struct shw_tree_info tree = shw_forest_get_tree(content->forest, t);
        content->leaves += tree.leaf_count;
        content->depth = tree.depth > content->depth ? tree.depth : content->depth;
        nodes = tree.node_count > nodes ? tree.node_count : nodes;
    }
    depths = malloc(2 * (size_t)nodes * sizeof *depths);
    if (out.forest_leaves == NULL || depths == NULL) {
        result = shw_fail_memory(&bench->log, "the paths of pixels");
        goto fail;
    }
    SHW_TRY(shw_labeller_create(&params, &labeller));
    SHW_TRY(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(content->image), &out));
    for (uint32_t t = 0; t < trees; t++)
        sum += add_paths(content->forest, t, out.forest_leaves + t * pixels, pixels, depths);
    content->path_length = (double)sum / ((double)pixels * trees);

fail:
    shw_labeller_destroy(&labeller);
    free(out.forest_leaves);
    free(depths);
    return result;
}

enum shw_result shw_bench_trained_content_create(struct shw_bench *bench, uint32_t trees, uint32_t classes,
                                                 struct shw_bench_trained_content *content)
{
    const struct shw_bench_setting base = shw_bench_base();
    struct shw_trainer_params params = {.technique = SHW_TECHNIQUE_CPU,
                                        .channels = base.forest.channels,
                                        .feature = base.forest.feature,
                                        .tree_count = trees,
                                        .depth = 2 * DEPTH_OF_LEAVES_MAX,
                                        .leaf_max = 1u << DEPTH_OF_LEAVES_MAX,
                                        .candidates = 100,
                                        .offset_max = base.forest.offset_max,
                                        .size_max = base.forest.size_max,
                                        .pixels_per_image = 500,
                                        .log = bench->log};
    struct shw_dataset dataset = {0};
    enum shw_result result;

    *content = (struct shw_bench_trained_content){0};
    SHW_TRY(shw_bench_data_open(bench, &dataset));
    if (bench->options.data == NULL)
        shw_bench_scenes_split(&dataset, classes);
    shw_bench_say(bench, "training a forest on %u images", dataset.count);
    SHW_TRY(shw_train(&params, &dataset, &content->forest));
    SHW_TRY(data_held_out(bench, &content->image));
    SHW_TRY(measure_paths(bench, content));

fail:
    shw_bench_data_close(bench, &dataset);
    return result;
}

void shw_bench_trained_content_destroy(struct shw_bench_trained_content *content)
{
    shw_forest_destroy(&content->forest);
    free((void *)(uintptr_t)content->image.pixels);
    *content = (struct shw_bench_trained_content){0};
}
