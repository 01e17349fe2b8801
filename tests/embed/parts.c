/* Parts of images as inputs and targets: layers, mip levels, cube faces. What is not part of a use keeps its contents
 * and its layout, which reading it back shows: the validation layers protest if its layout has changed. */
#include <stdlib.h>
#include <string.h>

#include "texture.h"

enum { WIDTH = 37, HEIGHT = 37, SLOTS = 2, TREES = 5, CLASSES = 6 };

static const struct random_forest_params forest_params = {
    .seed = 3, .channels = SHW_CHANNELS_WINN16, .depth = 6, .split_percent = 75, .trees = TREES, .classes = CLASSES};

/* Where in their images the parts are. */
struct places {
    uint32_t source_layer, source_layers, source_mip;
    uint32_t target_layer, layers_after, target_mip; /* of each target; the layers after the part */
    bool cube, shared; /* shared: argmax goes to a layer of the source's image, which is R16_UINT then */
};

/* One labelling under way. */
struct labelling {
    struct engine_frame work;
    struct shw_image image;
    struct texture textures[1 + OUTPUTS];
    struct shw_image_use uses[1 + OUTPUTS];
    uint32_t texture_count;
};

static struct shw_labeller *open_labeller(struct scene *scene, const enum shw_technique techniques[3])
{
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_params params = {.forest = scene->forest,
                                         .device = scene->device,
                                         .outputs = TESTING_ALL_OUTPUTS,
                                         .channels = techniques[0],
                                         .integrate = techniques[1],
                                         .evaluate = techniques[2],
                                         .width = WIDTH,
                                         .height = HEIGHT,
                                         .slots = SLOTS,
                                         .log = testing_log(&scene->memory)};

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    return labeller;
}

static void begin(struct scene *scene, const struct places *places, uint64_t seed, struct labelling *labelling)
{
    static const VkFormat formats[OUTPUTS] = {VK_FORMAT_R32_UINT, VK_FORMAT_R32_UINT, VK_FORMAT_R16_UINT,
                                              VK_FORMAT_R16_UINT};
    static const uint32_t layers[OUTPUTS] = {1, TREES, CLASSES, 1};
    struct testing_random random = {seed};
    struct texture_params source = {.format = places->shared ? VK_FORMAT_R16_UINT : VK_FORMAT_R8G8B8A8_UNORM,
                                    .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                                    .element = places->shared ? 2 : 4,
                                    .extent = {WIDTH << places->source_mip, HEIGHT << places->source_mip},
                                    .layers = places->source_layers,
                                    .mips = places->source_mip + 2,
                                    .cube = places->cube};

    *labelling = (struct labelling){0};
    labelling->image = testing_image(&random, WIDTH, HEIGHT, places->shared ? SHW_PIXEL_GREY16 : SHW_PIXEL_RGBA8, 0);
    texture_open(scene, &source, &labelling->textures[0]);
    texture_write(scene, &labelling->textures[0], places->source_layer, places->source_mip, labelling->image.pixels);
    labelling->uses[0] = texture_part(scene, &labelling->textures[0], places->source_layer, 1, places->source_mip);
    labelling->texture_count = places->shared ? OUTPUTS : 1 + OUTPUTS;
    for (uint32_t t = 0; t < OUTPUTS; t++) {
        struct texture_params target = {.format = formats[t],
                                        .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                                        .element = t < 2 ? 4 : 2,
                                        .extent = {WIDTH << places->target_mip, HEIGHT << places->target_mip},
                                        .layers = places->target_layer + layers[t] + places->layers_after,
                                        .mips = places->target_mip + 1};
        struct texture *texture = &labelling->textures[1 + t];
        if (places->shared && t == OUTPUTS - 1) {
            labelling->uses[1 + t] =
                texture_part(scene, &labelling->textures[0], places->source_layer + 1, 1, places->source_mip);
            continue;
        }
        texture_open(scene, &target, texture);
        labelling->uses[1 + t] = texture_part(scene, texture, places->target_layer, layers[t], places->target_mip);
    }
}

static void record(struct scene *scene, struct shw_labeller *labeller, uint32_t slot, struct labelling *labelling)
{
    const struct shw_label_targets targets = {.tree_leaf = labelling->uses[1],
                                              .forest_leaves = labelling->uses[2],
                                              .distribution = labelling->uses[3],
                                              .argmax = labelling->uses[4]};

    engine_begin(&scene->engine, &labelling->work);
    assert_int_equal(
        shw_labeller_record(labeller, labelling->work.commands, slot, SHW_COLOUR_USE(labelling->uses[0]), &targets),
        SHW_OK);
    engine_submit(&scene->engine, &labelling->work);
}

/* The texture holds `expected` for each of its uses, and elsewhere what it was filled with. */
static void check_texture(struct scene *scene, const struct labelling *labelling, const struct texture *texture,
                          const void *const expected[1 + OUTPUTS])
{
    uint8_t *bytes = texture_read(scene, texture, labelling->uses, 1 + OUTPUTS);
    uint32_t parts = 0;

    for (uint32_t u = 0; u < 1 + OUTPUTS; u++) {
        const struct shw_image_use *use = &labelling->uses[u];
        VkDeviceSize size = texture_part_size(texture, use->layers, use->mip);
        uint8_t *part = bytes + texture_offset(texture, use->first_layer, use->mip);
        if (use->image != texture->handle)
            continue;
        parts++;
        assert_memory_equal(part, expected[u], size);
        memset(part, TEXTURE_FILL, size);
    }
    assert_true(parts > 0);
    for (uint32_t mip = 0; mip < texture->mips; mip++) {
        const uint8_t *level = bytes + texture_offset(texture, 0, mip);
        for (VkDeviceSize i = 0; i < texture_part_size(texture, texture->layers, mip); i++)
            assert_int_equal(level[i], TEXTURE_FILL);
    }
    free(bytes);
}

static void end(struct scene *scene, struct labelling *labelling)
{
    struct shw_labeller_params cpu = {.forest = scene->forest, .threads = 1};
    struct testing_labelling expected;
    const void *bytes[1 + OUTPUTS];

    engine_wait(&scene->engine, &labelling->work);
    expected = testing_label(&cpu, &labelling->image);
    bytes[0] = labelling->image.pixels;
    bytes[1] = expected.out.tree_leaf;
    bytes[2] = expected.out.forest_leaves;
    bytes[3] = expected.out.distribution;
    bytes[4] = expected.out.argmax;
    for (uint32_t t = 0; t < labelling->texture_count; t++)
        check_texture(scene, labelling, &labelling->textures[t], bytes);
    testing_labelling_free(&expected);
    for (uint32_t u = 0; u < 1 + OUTPUTS; u++)
        scene->engine.vk.DestroyImageView(scene->engine.handle, labelling->uses[u].view, NULL);
    for (uint32_t t = 0; t < labelling->texture_count; t++)
        texture_close(scene, &labelling->textures[t]);
    free((void *)(uintptr_t)labelling->image.pixels);
}

static void check(const struct places *places)
{
    static const enum shw_technique techniques[][3] = {
        {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT},
        {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE},
        {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT}};
    struct labelling labellings[SLOTS];
    struct scene scene;

    open_scene(&scene, &forest_params);
    for (uint32_t i = 0; i < sizeof techniques / sizeof *techniques; i++) {
        struct shw_labeller *labeller = open_labeller(&scene, techniques[i]);
        for (uint32_t s = 0; s < SLOTS; s++)
            begin(&scene, places, 10 * i + s, &labellings[s]);
        for (uint32_t s = 0; s < SLOTS; s++)
            record(&scene, labeller, s, &labellings[s]);
        for (uint32_t s = 0; s < SLOTS; s++)
            end(&scene, &labellings[s]);
        shw_labeller_destroy(&labeller);
    }
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

TESTING_CASE(targets_are_one_layer_of_several)
{
    check(&(struct places){.source_layers = 1, .target_layer = 1, .layers_after = 1});
}

TESTING_CASE(targets_are_on_a_mip_level)
{
    check(&(struct places){.source_layers = 1, .target_layer = 2, .target_mip = 1});
}

TESTING_CASE(the_source_is_a_mip_level)
{
    check(&(struct places){.source_layers = 1, .source_mip = 1});
}

TESTING_CASE(the_source_is_a_layer)
{
    check(&(struct places){.source_layers = 3, .source_layer = 2, .source_mip = 2, .target_layer = 3});
}

TESTING_CASE(the_source_is_a_face_of_a_cube)
{
    check(&(struct places){.source_layers = 6, .source_layer = 4, .cube = true});
}

TESTING_CASE(source_and_target_are_layers_of_one_image)
{
    check(&(struct places){.source_layers = 3, .source_layer = 1, .shared = true});
}

/* Refused before anything is recorded, with a message that names the image. */
static void refused(struct scene *scene, struct shw_labeller *labeller, struct shw_image_use source,
                    struct shw_label_targets targets, const char *message)
{
    assert_int_equal(shw_labeller_record(labeller, VK_NULL_HANDLE, 0, SHW_COLOUR_USE(source), &targets),
                     SHW_ERROR_ARGUMENT);
    if (strstr(scene->memory.last, message) == NULL)
        fail_msg("\"%s\" does not contain \"%s\"", scene->memory.last, message);
}

TESTING_CASE(what_cannot_be_a_part_is_refused)
{
    const enum shw_technique techniques[] = {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE};
    const struct places places = {.source_layers = 3, .source_layer = 1, .shared = true};
    struct shw_label_targets targets = {0}, changed;
    struct shw_image_use source;
    struct shw_labeller *labeller;
    struct labelling labelling;
    struct scene scene;

    open_scene(&scene, &forest_params);
    labeller = open_labeller(&scene, techniques);
    begin(&scene, &places, 1, &labelling);
    targets.argmax = labelling.uses[4];
    source = labelling.uses[0];
    source.layers = 2;
    refused(&scene, labeller, source, targets, "the input colour has several layers");
    source = labelling.uses[0];
    source.aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
    refused(&scene, labeller, source, targets, "the input colour has an aspect that its format does not have");
    changed = targets;
    changed.argmax.aspect = VK_IMAGE_ASPECT_STENCIL_BIT;
    refused(&scene, labeller, labelling.uses[0], changed, "argmax: a target has VK_IMAGE_ASPECT_COLOR_BIT only");
    changed = targets;
    changed.argmax.first_layer = labelling.uses[0].first_layer;
    refused(&scene, labeller, labelling.uses[0], changed, "colour and argmax are the same subresource of one image");
    record(&scene, labeller, 0, &labelling);
    end(&scene, &labelling);
    shw_labeller_destroy(&labeller);
    close_scene(&scene);
}
