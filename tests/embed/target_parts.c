/* Parts of images, with every k-th pixel, and buffers as targets: what is written is what a recording of the whole
 * image writes at these pixels, and nothing else is written. embed_targets compares whole images with `cpu`. */
#include <stdlib.h>
#include <string.h>

#include "dense/label/labeller.h"
#include "texture.h"

enum { WIDTH = 53, HEIGHT = 41, SLOTS = 2, TREES = 3, CLASSES = 6, TARGETS = 6, PARTS = 7 };

static const struct random_forest_params forest_params = {.seed = 12,
                                                          .channels = "rgb,gauss:1",
                                                          .depth = 6,
                                                          .split_percent = 75,
                                                          .trees = TREES,
                                                          .classes = CLASSES,
                                                          .offset_max = 4,
                                                          .size_max = 3};

static const struct shw_part parts[PARTS] = {{0, 0, WIDTH, HEIGHT, 1}, {0, 0, (WIDTH + 1) / 2, (HEIGHT + 1) / 2, 2},
                                             {3, 5, 7, 8, 4},          {1, 0, 7, 6, 7},
                                             {6, 2, 3, 2, 8},          {WIDTH - 1, HEIGHT - 1, 1, 1, 1},
                                             {9, 1, 30, 17, 1}};

/* Of each target: the format, the bytes of an element, the layers. */
static const struct {
    VkFormat format;
    uint32_t element, layers;
} kinds_of[TARGETS] = {{VK_FORMAT_R32_UINT, 4, 1},       {VK_FORMAT_R16_UINT, 2, TREES},
                       {VK_FORMAT_R16_UINT, 2, CLASSES}, {VK_FORMAT_R8_UNORM, 1, 1},
                       {VK_FORMAT_R8G8B8A8_UNORM, 4, 2}, {VK_FORMAT_R16G16B16A16_UNORM, 8, 1}};

static const enum shw_technique techniques[][SHW_STAGE_COUNT] = {
    {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT},
    {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE},
    {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT}};

static struct shw_labeller *open_labeller(struct scene *scene, uint32_t mixture, enum shw_fill fill)
{
    const struct shw_labeller_params params = {.forest = scene->forest,
                                               .device = scene->device,
                                               .outputs = TESTING_ALL_OUTPUTS,
                                               .channels = techniques[mixture][0],
                                               .integrate = techniques[mixture][1],
                                               .evaluate = techniques[mixture][2],
                                               .width = WIDTH,
                                               .height = HEIGHT,
                                               .slots = SLOTS,
                                               .fill = fill,
                                               .formats = {.forest_leaves = kinds_of[1].format,
                                                           .argmax = kinds_of[3].format,
                                                           .probabilities = kinds_of[4].format,
                                                           .overlay = kinds_of[5].format},
                                               .log = testing_log(&scene->memory)};
    struct shw_labeller *labeller = NULL;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    return labeller;
}

/* The images that are labelled. */
struct source {
    struct texture colour, depth;
    struct shw_input inputs[2];
    uint32_t count;
};

static void open_source(struct scene *scene, bool has_depth, struct source *source)
{
    struct testing_random random = {5};
    struct shw_image image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGBA8, 0);

    *source = (struct source){.count = has_depth ? 2 : 1};
    source->inputs[0].use = texture_open_image(scene, &kinds[0], &image, &source->colour);
    free((void *)(uintptr_t)image.pixels);
    if (!has_depth)
        return;
    image = testing_depth(&random, WIDTH, HEIGHT);
    source->inputs[1] =
        (struct shw_input){.name = SHW_DEPTH, .use = texture_open_image(scene, &depth_kind, &image, &source->depth)};
    free((void *)(uintptr_t)image.pixels);
}

static void close_source(struct scene *scene, struct source *source)
{
    for (uint32_t i = 0; i < source->count; i++) {
        scene->engine.vk.DestroyImageView(scene->engine.handle, source->inputs[i].use.view, NULL);
        texture_close(scene, i == 0 ? &source->colour : &source->depth);
    }
}

/* Records, and waits. Images of inputs are read from TRANSFER_SRC_OPTIMAL after the first time. */
static void label(struct scene *scene, struct shw_labeller *labeller, struct source *source, uint64_t piece,
                  const struct shw_label_targets *targets)
{
    const struct shw_inputs inputs = {source->count, source->inputs};
    struct engine_frame frame;

    engine_begin(&scene->engine, &frame);
    record_labelling(labeller, frame.commands, 1, &inputs, targets, piece);
    engine_submit(&scene->engine, &frame);
    engine_wait(&scene->engine, &frame);
    for (uint32_t i = 0; i < source->count; i++) {
        source->inputs[i].use.before.layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
        source->inputs[i].use.before.access = VK_ACCESS_TRANSFER_READ_BIT;
    }
}

/* Images of all targets. */
struct images {
    struct texture textures[TARGETS];
    struct shw_image_use uses[TARGETS];
};

static struct shw_label_targets open_images(struct scene *scene, uint32_t width, uint32_t height, struct images *images)
{
    for (uint32_t t = 0; t < TARGETS; t++) {
        const struct texture_params params = {kinds_of[t].format,
                                              VK_IMAGE_ASPECT_COLOR_BIT,
                                              kinds_of[t].element,
                                              {width, height},
                                              kinds_of[t].layers,
                                              1,
                                              false,
                                              false};
        texture_open(scene, &params, &images->textures[t]);
        images->uses[t] = texture_part(scene, &images->textures[t], 0, kinds_of[t].layers, 0);
    }
    return (struct shw_label_targets){.tree_leaf = images->uses[0],
                                      .forest_leaves = images->uses[1],
                                      .distribution = images->uses[2],
                                      .argmax = images->uses[3],
                                      .probabilities = images->uses[4],
                                      .overlay = {.use = images->uses[5], .by_probability = true}};
}

static void close_images(struct scene *scene, struct images *images)
{
    for (uint32_t t = 0; t < TARGETS; t++) {
        scene->engine.vk.DestroyImageView(scene->engine.handle, images->uses[t].view, NULL);
        texture_close(scene, &images->textures[t]);
    }
}

/* An element of a target of the whole image, rows without padding. */
static const uint8_t *whole_element(const uint8_t *whole, uint32_t target, uint32_t layer, uint32_t x, uint32_t y)
{
    return whole + (((size_t)layer * HEIGHT + y) * WIDTH + x) * kinds_of[target].element;
}

/* Images of `width` x `height`, in which the part is at (x, y), and TEXTURE_FILL elsewhere. */
static void check_images(struct scene *scene, const struct images *images, uint32_t width, uint32_t height, uint32_t x,
                         uint32_t y, const struct shw_part *part, uint8_t *const whole[TARGETS])
{
    for (uint32_t t = 0; t < TARGETS; t++) {
        const uint32_t element = kinds_of[t].element;
        uint8_t *got = texture_read(scene, &images->textures[t], &images->uses[t], 1);
        for (uint32_t layer = 0; layer < kinds_of[t].layers; layer++)
            for (uint32_t row = 0; row < height; row++)
                for (uint32_t column = 0; column < width; column++) {
                    uint32_t i = column - x, j = row - y; /* wraps outside */
                    uint8_t fill[8] = {TEXTURE_FILL, TEXTURE_FILL, TEXTURE_FILL, TEXTURE_FILL,
                                       TEXTURE_FILL, TEXTURE_FILL, TEXTURE_FILL, TEXTURE_FILL};
                    const uint8_t *expected =
                        i < part->width && j < part->height
                            ? whole_element(whole[t], t, layer, part->x + part->step * i, part->y + part->step * j)
                            : fill;
                    if (memcmp(got + (((size_t)layer * height + row) * width + column) * element, expected, element) !=
                        0)
                        fail_msg("target %u, layer %u at (%u, %u) of a part with step %u", t, layer, column, row,
                                 part->step);
                }
        free(got);
    }
}

static void check_part_images(struct scene *scene, struct shw_labeller *labeller, struct source *source,
                              const struct shw_part *part, uint32_t place, uint64_t piece,
                              uint8_t *const whole[TARGETS])
{
    const uint32_t width = part->width + 2 * place, height = part->height + 3 * place;
    struct shw_label_targets targets;
    struct images images;

    targets = open_images(scene, width, height, &images);
    targets.part = *part;
    targets.x = place;
    targets.y = 2 * place;
    label(scene, labeller, source, piece, &targets);
    check_images(scene, &images, width, height, place, 2 * place, part, whole);
    close_images(scene, &images);
}

/* `padding`: elements between rows, and rows between planes. */
static void check_part_buffers(struct scene *scene, struct shw_labeller *labeller, struct source *source,
                               const struct shw_part *part, uint32_t padding, uint8_t *const whole[TARGETS])
{
    struct shw_buffer buffers[TARGETS];
    struct shw_buffer_use uses[TARGETS];
    struct shw_label_targets targets = {.overlay = {.by_probability = true}, .part = *part};

    for (uint32_t t = 0; t < TARGETS; t++) {
        const VkDeviceSize element = kinds_of[t].element, row = (part->width + padding) * element;
        const VkDeviceSize plane = row * (part->height + padding), offset = 3 * padding * element;
        assert_int_equal(shw_buffer_create(scene->device, offset + plane * kinds_of[t].layers + 16,
                                           VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK, "engine buffer",
                                           &buffers[t]),
                         SHW_OK);
        memset(buffers[t].mapped, TEXTURE_FILL, buffers[t].size);
        uses[t] = (struct shw_buffer_use){.buffer = buffers[t].handle,
                                          .format = t == 2 ? VK_FORMAT_UNDEFINED : kinds_of[t].format,
                                          .offset = offset,
                                          .row_stride = padding > 0 ? row : 0,
                                          .plane_stride = padding > 0 ? plane : 0,
                                          .before = {VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
                                          .after = {VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT}};
    }
    targets.buffers = (struct shw_label_buffers){uses[0], uses[1], uses[2], uses[3], uses[4], uses[5]};
    label(scene, labeller, source, 0, &targets);
    for (uint32_t t = 0; t < TARGETS; t++) {
        const size_t element = kinds_of[t].element, row = (part->width + padding) * element;
        const size_t plane = row * (part->height + padding);
        uint8_t *bytes = buffers[t].mapped;
        for (uint32_t layer = 0; layer < kinds_of[t].layers; layer++)
            for (uint32_t j = 0; j < part->height; j++)
                for (uint32_t i = 0; i < part->width; i++) {
                    uint8_t *got = bytes + 3 * padding * element + layer * plane + j * row + i * element;
                    assert_memory_equal(
                        got, whole_element(whole[t], t, layer, part->x + part->step * i, part->y + part->step * j),
                        element);
                    memset(got, TEXTURE_FILL, element);
                }
        for (VkDeviceSize i = 0; i < buffers[t].size; i++)
            assert_int_equal(bytes[i], TEXTURE_FILL);
        shw_buffer_destroy(scene->device, &buffers[t]);
    }
}

/* Images and buffers at once. */
static void check_both(struct scene *scene, struct shw_labeller *labeller, struct source *source,
                       uint8_t *const whole[TARGETS])
{
    struct shw_label_targets targets;
    struct shw_buffer buffer;
    struct images images;

    targets = open_images(scene, WIDTH, HEIGHT, &images);
    assert_int_equal(shw_buffer_create(scene->device, (VkDeviceSize)8 * WIDTH * HEIGHT,
                                       VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK, "engine buffer", &buffer),
                     SHW_OK);
    targets.buffers.overlay = (struct shw_buffer_use){.buffer = buffer.handle,
                                                      .format = kinds_of[5].format,
                                                      .before = {VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
                                                      .after = {VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT}};
    label(scene, labeller, source, 0, &targets);
    check_images(scene, &images, WIDTH, HEIGHT, 0, 0, &parts[0], whole);
    assert_memory_equal(buffer.mapped, whole[5], buffer.size);
    shw_buffer_destroy(scene->device, &buffer);
    close_images(scene, &images);
}

/* `steps`: parts with a step above 1 as well. */
static void check_forest(const struct random_forest_params *forest, uint32_t range, bool has_depth, bool steps,
                         uint32_t mixtures)
{
    struct source source;
    struct scene scene;

    open_scene(&scene, forest);
    if (range > 0)
        scene.device->properties.limits.maxStorageBufferRange = range;
    open_source(&scene, has_depth, &source);
    for (uint32_t mixture = range > 0 ? 1 : 0; mixture < mixtures; mixture++) {
        struct shw_labeller *labeller = open_labeller(&scene, mixture, has_depth ? SHW_FILL_SIMPLE : SHW_FILL_DEFAULT);
        struct shw_label_targets targets;
        uint8_t *whole[TARGETS];
        struct images images;

        assert_int_equal(shw_labeller_tiles_recordings(labeller), range > 0);
        targets = open_images(&scene, WIDTH, HEIGHT, &images);
        label(&scene, labeller, &source, 0, &targets);
        for (uint32_t t = 0; t < TARGETS; t++)
            whole[t] = texture_read(&scene, &images.textures[t], &images.uses[t], 1);
        for (uint32_t p = 0; p < PARTS; p++) {
            if (!steps && parts[p].step > 1)
                continue;
            check_part_images(&scene, labeller, &source, &parts[p], p % 3, p % 2 * 5000, whole);
            check_part_buffers(&scene, labeller, &source, &parts[p], p % 2, whole);
        }
        check_both(&scene, labeller, &source, whole);
        for (uint32_t t = 0; t < TARGETS; t++)
            free(whole[t]);
        close_images(&scene, &images);
        shw_labeller_destroy(&labeller);
    }
    close_source(&scene, &source);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

TESTING_CASE(parts_are_those_of_the_whole)
{
    check_forest(&forest_params, 0, false, true, 3);
}

TESTING_CASE(parts_are_smoothed)
{
    struct random_forest_params forest = forest_params;

    forest.smoothing.radius = 3;
    check_forest(&forest, 0, false, false, 2);
}

TESTING_CASE(parts_have_levels)
{
    struct random_forest_params forest = forest_params;

    forest.levels = 2;
    check_forest(&forest, 0, false, true, 2);
}

TESTING_CASE(parts_have_tiles)
{
    check_forest(&forest_params, 4 * 6 * 1500, false, true, 2);
}

/* Filling reads the whole image. */
TESTING_CASE(depth_is_filled)
{
    struct random_forest_params forest = forest_params;

    forest.channels = "depth,rgb";
    forest.feature = &shw_feature_depth_mean_difference;
    check_forest(&forest, 0, true, true, 2);
}

static void refused(struct scene *scene, struct shw_labeller *labeller, const struct source *source,
                    const struct shw_label_targets *targets, const char *message)
{
    const struct shw_inputs inputs = {source->count, source->inputs};
    struct engine_frame frame;

    engine_begin(&scene->engine, &frame);
    assert_int_equal(shw_labeller_record(labeller, frame.commands, 0, &inputs, targets), SHW_ERROR_ARGUMENT);
    if (strstr(scene->memory.last, message) == NULL)
        fail_msg("\"%s\" does not contain \"%s\"", scene->memory.last, message);
    engine_submit(&scene->engine, &frame);
    engine_wait(&scene->engine, &frame);
}

TESTING_CASE(wrong_parts_and_buffers_are_refused)
{
    struct random_forest_params smooth = forest_params;
    struct shw_label_targets targets, given;
    struct shw_labeller *labeller;
    struct shw_buffer buffer;
    struct source source;
    struct images images;
    struct scene scene;

    smooth.smoothing.radius = 3;
    open_scene(&scene, &smooth);
    open_source(&scene, false, &source);
    labeller = open_labeller(&scene, 1, SHW_FILL_DEFAULT);
    targets = open_images(&scene, 20, 10, &images);
    targets.part = (struct shw_part){1, 1, 20, 10, 2};
    refused(&scene, labeller, &source, &targets, "needs a labeller without smoothing");
    targets.part = (struct shw_part){WIDTH - 19, 1, 20, 10, 1};
    refused(&scene, labeller, &source, &targets, "this is not a part of an image");
    targets.part = (struct shw_part){0, 0, 20, 10, 0};
    refused(&scene, labeller, &source, &targets, "the step of a part is 0");
    targets.part = (struct shw_part){0, 0, 20, 10, 1};
    targets.x = 1;
    refused(&scene, labeller, &source, &targets, "has 20 x 10 pixels, too few for a part of 20 x 10 at (1, 0)");
    assert_int_equal(shw_buffer_create(scene.device, 1 << 16, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK,
                                       "engine buffer", &buffer),
                     SHW_OK);
    targets.part = (struct shw_part){0};
    refused(&scene, labeller, &source, &targets, "are for a part of the image, and there is none");
    targets = (struct shw_label_targets){.part = {0, 0, 20, 10, 1}};
    targets.buffers.tree_leaf = (struct shw_buffer_use){.buffer = buffer.handle,
                                                        .before = {VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
                                                        .after = {VK_PIPELINE_STAGE_TRANSFER_BIT, 0}};
    given = targets;
    given.buffers.tree_leaf.offset = 2;
    refused(&scene, labeller, &source, &given, "must be multiples of an element of 4 bytes");
    given = targets;
    given.buffers.tree_leaf.row_stride = 76;
    refused(&scene, labeller, &source, &given, "the strides are too small for 20 x 10 elements of 4 bytes");
    given.buffers.tree_leaf.row_stride = UINT64_C(1) << 40;
    refused(&scene, labeller, &source, &given, "rows are more than 4294967295 elements apart");
    given = targets;
    given.buffers.tree_leaf.format = VK_FORMAT_R16_UINT;
    refused(&scene, labeller, &source, &given, "tree_leaf has VK_FORMAT_R16_UINT, but the labeller was not created");
    given = targets;
    given.buffers.tree_leaf.after.stages = 0;
    refused(&scene, labeller, &source, &given,
            "buffers.tree_leaf: the stages that use it before and after must be given");
    given = targets;
    given.buffers.distribution = given.buffers.tree_leaf;
    given.buffers.distribution.offset = 796;
    refused(&scene, labeller, &source, &given, "buffers.tree_leaf and buffers.distribution share bytes");
    given = targets;
    given.buffers.overlay = given.buffers.tree_leaf;
    refused(&scene, labeller, &source, &given, "overlay cannot have VK_FORMAT_UNDEFINED");
    shw_buffer_destroy(scene.device, &buffer);
    close_images(&scene, &images);
    close_source(&scene, &source);
    shw_labeller_destroy(&labeller);
    close_scene(&scene);
}
