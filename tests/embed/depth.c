/* Depth as cameras and engines have it: every format and scale on the device against the technique `cpu`, and the depth
 * attachment of a render pass. What `cpu` makes of it is tested in tests/dense/shared.c, depth on the host and what is
 * refused in tests/dense/input_depth.c. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "channel_rig.h"
#include "dense/channels/pixels.h"
#include "dense/label/labeller.h"
#include "dense/own_kinds.h"
#include "texture.h"

enum { SIDE = 96, COUNT = SIDE * SIDE };

static const struct random_forest_params deep_forest = {.seed = 5,
                                                        .channels = "rgb,deep,depth",
                                                        .kinds = {{&own_deep}},
                                                        .depth = 6,
                                                        .split_percent = 80,
                                                        .trees = 2,
                                                        .classes = 3};

static const struct shw_depth depths[] = {
    {.kind = SHW_DEPTH_LINEAR, .unit = 1000},
    {.kind = SHW_DEPTH_PERSPECTIVE, .near_plane = 100, .far_plane = 30000},
    {.kind = SHW_DEPTH_REVERSED, .near_plane = 50.5f, .far_plane = INFINITY},
    {.kind = SHW_DEPTH_LINEAR, .unit = 0.2f},
    {.kind = SHW_DEPTH_PERSPECTIVE, .near_plane = 1000, .far_plane = INFINITY},
    {.kind = SHW_DEPTH_REVERSED, .near_plane = 300, .far_plane = 1e6f},
};

enum { DEPTHS = sizeof depths / sizeof *depths };

static uint32_t bits_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A float that lies between a millimetre and 70 m, often where rounding begins, or any other. */
static uint32_t random_float(struct testing_random *random, const struct shw_depth *depth)
{
    double millimetres = 1 + testing_random_below(random, 140000) * 0.5, t;

    if (testing_random_below(random, 4) == 0)
        return testing_random_below(random, UINT32_MAX);
    if (depth->kind == SHW_DEPTH_LINEAR)
        return bits_of((float)(millimetres / (double)depth->unit)) + testing_random_below(random, 3) - 1;
    millimetres += (double)depth->near_plane;
    t = (1 - (double)depth->near_plane / millimetres) / (1 - (double)depth->near_plane / (double)depth->far_plane);
    return bits_of((float)(depth->kind == SHW_DEPTH_REVERSED ? 1 - t : t)) + testing_random_below(random, 3) - 1;
}

/* What the format can store; a depth buffer has only numbers from 0 to 1. */
static uint32_t fit(uint32_t bits, const struct shw_source_format *format)
{
    uint32_t magnitude = bits & 0x7fffffff;

    if (format->pixel == SHW_PIXEL_GREY16_FLOAT)
        return shw_half_of_float(bits);
    if (format->aspect != VK_IMAGE_ASPECT_DEPTH_BIT)
        return bits;
    return magnitude <= 0x3f800000 ? magnitude : 0x3f800000 - magnitude % 0x800000;
}

static void *make_texels(const struct shw_source_format *format, const struct shw_depth *depth, uint64_t seed)
{
    static const uint32_t edges[] = {0,          0x80000000, 1,          0x7fffff,   0x800000,   0x3f800000, 0x3f7fffff,
                                     0x3f800001, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0xffffffff, 0x387fffff,
                                     0x38800000, 0x27800000, 0x277fffff, 0xbf800000, 0x80000001, 0x7f7fffff};
    struct testing_random random = {seed};
    size_t element = shw_pixel_size(format->pixel);
    bool is_float = format->pixel == SHW_PIXEL_GREY32_FLOAT || format->pixel == SHW_PIXEL_GREY16_FLOAT;
    uint8_t *texels = malloc(COUNT * element);

    assert_non_null(texels);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t value = testing_random_below(&random, UINT32_MAX);
        uint16_t narrow;
        if (is_float)
            value = fit(i < sizeof edges / sizeof *edges ? edges[i] : random_float(&random, depth), format);
        else if (i < 64)
            value = i % 2 != 0 ? i / 2 : 0u - 1 - i / 2;
        if (format->bits == 24)
            value &= 0xffffff;
        narrow = (uint16_t)value;
        memcpy(texels + i * element, element == 2 ? (void *)&narrow : (void *)&value, element);
    }
    return texels;
}

static struct texture_params params_of(const struct shw_source_format *format)
{
    return (struct texture_params){.format = format->format,
                                   .aspect = format->aspect,
                                   .element = (uint32_t)shw_pixel_size(format->pixel),
                                   .extent = {SIDE, SIDE},
                                   .layers = 1,
                                   .mips = 1,
                                   .has_stencil = format->format == VK_FORMAT_D32_SFLOAT_S8_UINT ||
                                                  format->format == VK_FORMAT_D24_UNORM_S8_UINT};
}

/* Not every device has all of them. */
static bool has_format(const struct scene *scene, VkFormat format)
{
    PFN_vkGetPhysicalDeviceFormatProperties get;
    VkFormatProperties properties;
    PFN_vkVoidFunction found = scene->engine.get(scene->engine.instance, "vkGetPhysicalDeviceFormatProperties");

    memcpy(&get, &found, sizeof get);
    get(scene->engine.physical, format, &properties);
    return (properties.optimalTilingFeatures & VK_FORMAT_FEATURE_SAMPLED_IMAGE_BIT) != 0;
}

/* A colour image, on the host and on the device. */
struct source_texture {
    struct shw_image image;
    struct texture texture;
    struct shw_image_use use;
};

static void open_colour(struct scene *scene, struct source_texture *colour)
{
    const struct texture_params params = {.format = VK_FORMAT_R8G8B8A8_UNORM,
                                          .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                                          .element = 4,
                                          .extent = {SIDE, SIDE},
                                          .layers = 1,
                                          .mips = 1};
    struct testing_random random = {3};

    colour->image = testing_image(&random, SIDE, SIDE, SHW_PIXEL_RGBA8, 0);
    texture_open(scene, &params, &colour->texture);
    texture_write(scene, &colour->texture, 0, 0, colour->image.pixels);
    colour->use = texture_part(scene, &colour->texture, 0, 1, 0);
    colour->use.after = colour->use.before; /* for the next time */
}

static void close_colour(struct scene *scene, struct source_texture *colour)
{
    scene->engine.vk.DestroyImageView(scene->engine.handle, colour->use.view, NULL);
    texture_close(scene, &colour->texture);
    free((void *)(uintptr_t)colour->image.pixels);
}

/* Drivers decode 24 bits to floats each in its way; the code is then found again to within two. */
static bool is_near(const struct shw_source_format *format, const struct shw_depth *depth, uint32_t texel, uint32_t got)
{
    const shw_uint4 scale = shw_depth_scale(depth);

    for (uint32_t code = texel < 2 ? 0 : texel - 2; code <= texel + 2 && code <= 0xffffff; code++)
        if (shw_pixel_depth(format->pixel, &code, scale) == got)
            return true;
    return false;
}

static void expect_same(const struct channel_rig *rig, const struct shw_source_format *format, const uint32_t *texels,
                        const struct shw_depth *depth, const int16_t *got, const int16_t *expected)
{
    for (uint32_t i = 0; i < rig->list->channel_count * COUNT; i++) {
        uint32_t pixel = i % COUNT, first = 3 * COUNT + pixel; /* `rgb` comes first */
        if (got[i] == expected[i] ||
            (format->bits == 24 && i >= 3 * COUNT &&
             (i >= 5 * COUNT ||
              is_near(format, depth, texels[pixel], 256u * (uint32_t)got[first] + (uint32_t)got[first + COUNT]))))
            continue;
        fail_msg("%s, kind %d, unit %g, planes %g and %g, by %s: channel %u of pixel %u (%08x) is %d, not %d",
                 format->name, (int)depth->kind, (double)depth->unit, (double)depth->near_plane,
                 (double)depth->far_plane, rig->form == SHW_PLANES_IMAGE ? "fragment" : "compute", i / COUNT, pixel,
                 format->bits > 16 ? texels[pixel] : 0, got[i], expected[i]);
    }
}

/* Texels that are read with a scale, which are freed. `expected` and `texture` are for use in between. */
static void compare_texels(struct channel_rig rigs[2], const struct source_texture *colour,
                           const struct shw_source_format *format, const struct shw_depth *depth, void *texels,
                           struct texture *texture, int16_t *expected)
{
    struct scene *scene = rigs[0].scene;
    const struct shw_image image = {texels, SIDE, SIDE, 0, format->pixel};
    const struct shw_image_use parts[2] = {colour->use, texture_part(scene, texture, 0, 1, 0)};

    texture_write(scene, texture, 0, 0, texels);
    assert_int_equal(
        shw_channels_cpu(rigs[0].list,
                         &(struct shw_channel_images){.of = {&colour->image, &image}, .depth = {{0}, *depth}}, NULL,
                         expected, NULL),
        SHW_OK);
    for (int r = 0; r < 2; r++) {
        int16_t *got = channel_rig_run(&rigs[r], parts, depth);
        expect_same(&rigs[r], format, texels, depth, got, expected);
        free(got);
    }
    scene->engine.vk.DestroyImageView(scene->engine.handle, parts[1].view, NULL);
    free(texels);
}

/* One format in three of the scales. */
static void compare_format(struct channel_rig rigs[2], const struct source_texture *colour,
                           const struct shw_source_format *format, uint32_t number)
{
    struct scene *scene = rigs[0].scene;
    const struct texture_params params = params_of(format);
    int16_t *expected = malloc(sizeof *expected * rigs[0].list->channel_count * COUNT);
    struct texture texture;

    assert_non_null(expected);
    texture_open(scene, &params, &texture);
    for (uint32_t d = number % 2 * 3; d < number % 2 * 3 + 3; d++) {
        compare_texels(rigs, colour, format, &depths[d], make_texels(format, &depths[d], 100 * number + d), &texture,
                       expected);
    }
    texture_close(scene, &texture);
    free(expected);
}

TESTING_CASE(techniques_make_the_same_depth)
{
    static const VkFormat formats[] = {
        VK_FORMAT_R32_SFLOAT,         VK_FORMAT_R32_SFLOAT, VK_FORMAT_D32_SFLOAT,         VK_FORMAT_D32_SFLOAT,
        VK_FORMAT_R16_SFLOAT,         VK_FORMAT_R16_SFLOAT, VK_FORMAT_D16_UNORM,          VK_FORMAT_D16_UNORM,
        VK_FORMAT_R16_UINT,           VK_FORMAT_R16_UNORM,  VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT,
        VK_FORMAT_X8_D24_UNORM_PACK32};
    struct shw_channel_list list;
    struct source_texture colour;
    struct channel_rig rigs[2];
    struct scene scene;

    assert_int_equal(shw_channel_list_parse("rgb,deep", &own_deep_kinds, NULL, &list), SHW_OK);
    open_scene(&scene, &deep_forest);
    open_colour(&scene, &colour);
    channel_rig_open(&scene, &list, SHW_PLANES_IMAGE, SIDE, SIDE, &rigs[0]);
    channel_rig_open(&scene, &list, SHW_PLANES_BUFFER, SIDE, SIDE, &rigs[1]);
    for (uint32_t f = 0; f < sizeof formats / sizeof *formats; f++)
        if (has_format(&scene, formats[f]))
            compare_format(rigs, &colour, shw_source_format_find(formats[f]), f);
        else
            print_message("the device cannot sample VkFormat %d\n", (int)formats[f]);
    channel_rig_close(&rigs[0]);
    channel_rig_close(&rigs[1]);
    close_colour(&scene, &colour);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

/* Numbers in the range and around it. */
static void *make_numbers(const struct shw_source_format *format, const struct shw_depth *range, uint64_t seed)
{
    struct testing_random random = {seed};
    size_t element = shw_pixel_size(format->pixel);
    uint8_t *texels = malloc(COUNT * element);

    assert_non_null(texels);
    for (uint32_t i = 0; i < COUNT; i++) {
        float place = (float)testing_random_range(&random, -200, 1200) / 1000;
        uint32_t value = testing_random_below(&random, UINT32_MAX);
        uint16_t narrow;
        if (format->bits > 16 || format->pixel == SHW_PIXEL_GREY16_FLOAT)
            value =
                fit(i % 8 == 0 ? value : bits_of(range->near_plane + place * (range->far_plane - range->near_plane)),
                    format);
        narrow = (uint16_t)value;
        if (element == 1)
            texels[i] = (uint8_t)value;
        else
            memcpy(texels + i * element, element == 2 ? (void *)&narrow : (void *)&value, element);
    }
    return texels;
}

/* What `cpu` makes of them is tested in tests/dense/planes.c. */
static void compare_ranges(struct channel_rig rigs[2], const struct source_texture *colour,
                           const struct shw_source_format *format)
{
    static const struct shw_depth ranges[] = {{SHW_DEPTH_RANGE, .near_plane = -0.5f, .far_plane = 2},
                                              {SHW_DEPTH_RANGE, .near_plane = 10, .far_plane = 10000},
                                              {SHW_DEPTH_RANGE, .near_plane = 0, .far_plane = 200},
                                              {SHW_DEPTH_MILLIMETRES, .unit = 0}};
    struct scene *scene = rigs[0].scene;
    const struct texture_params params = params_of(format);
    int16_t *expected = malloc(sizeof *expected * rigs[0].list->channel_count * COUNT);
    struct texture texture;

    assert_non_null(expected);
    texture_open(scene, &params, &texture);
    for (uint32_t d = 0; d < (format->bits > 16 ? 3 : 4); d++) {
        compare_texels(rigs, colour, format, &ranges[d], make_numbers(format, &ranges[d], d), &texture, expected);
    }
    texture_close(scene, &texture);
    free(expected);
}

TESTING_CASE(techniques_read_planes_alike)
{
    static const VkFormat formats[] = {VK_FORMAT_R32_SFLOAT, VK_FORMAT_D32_SFLOAT, VK_FORMAT_R16_SFLOAT,
                                       VK_FORMAT_R16_UINT,   VK_FORMAT_R16_UNORM,  VK_FORMAT_R8_UNORM,
                                       VK_FORMAT_R8_UINT};
    struct shw_channel_list list;
    struct source_texture colour;
    struct channel_rig rigs[2];
    struct scene scene;

    assert_int_equal(
        shw_channel_list_parse("rgb,plane:heat,deviation:1@heat,gauss:1@heat,log:2,log:1@heat,tensor:1@heat", NULL,
                               NULL, &list),
        SHW_OK);
    open_scene(&scene, &deep_forest);
    open_colour(&scene, &colour);
    channel_rig_open(&scene, &list, SHW_PLANES_IMAGE, SIDE, SIDE, &rigs[0]);
    channel_rig_open(&scene, &list, SHW_PLANES_BUFFER, SIDE, SIDE, &rigs[1]);
    for (uint32_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        if (has_format(&scene, formats[f]))
            compare_ranges(rigs, &colour, shw_source_format_find(formats[f]));
        else
            print_message("the device cannot sample VkFormat %d\n", (int)formats[f]);
    }
    channel_rig_close(&rigs[0]);
    channel_rig_close(&rigs[1]);
    close_colour(&scene, &colour);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

/* A pass that writes depth, as an engine's: the first clears everything, others keep what there is. */
struct depth_pass {
    VkRenderPass pass;
    VkFramebuffer framebuffer;
};

static struct depth_pass open_pass(struct scene *scene, VkFormat format, VkImageView view, bool is_first)
{
    const struct shw_vk *vk = &scene->engine.vk;
    const VkAttachmentDescription attachment = {
        .format = format,
        .samples = VK_SAMPLE_COUNT_1_BIT,
        .loadOp = is_first ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .stencilLoadOp = is_first ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD,
        .stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE,
        .initialLayout = is_first ? VK_IMAGE_LAYOUT_UNDEFINED : VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
        .finalLayout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL};
    const VkSubpassDescription subpass = {.pDepthStencilAttachment = &reference};
    const VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                         .attachmentCount = 1,
                                         .pAttachments = &attachment,
                                         .subpassCount = 1,
                                         .pSubpasses = &subpass};
    VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                           .attachmentCount = 1,
                                           .pAttachments = &view,
                                           .width = SIDE,
                                           .height = SIDE,
                                           .layers = 1};
    struct depth_pass made;

    assert_int_equal(vk->CreateRenderPass(scene->engine.handle, &info, NULL, &made.pass), VK_SUCCESS);
    framebuffer.renderPass = made.pass;
    assert_int_equal(vk->CreateFramebuffer(scene->engine.handle, &framebuffer, NULL, &made.framebuffer), VK_SUCCESS);
    return made;
}

/* Of all aspects. */
static VkImageView attachment_view(struct scene *scene, const struct texture *texture, VkImageAspectFlags aspects)
{
    const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = texture->handle,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = texture->format,
                                        .subresourceRange = {aspects, 0, 1, 0, 1}};
    VkImageView view;

    assert_int_equal(scene->engine.vk.CreateImageView(scene->engine.handle, &info, NULL, &view), VK_SUCCESS);
    return view;
}

static void close_pass(struct scene *scene, const struct depth_pass *pass)
{
    scene->engine.vk.DestroyFramebuffer(scene->engine.handle, pass->framebuffer, NULL);
    scene->engine.vk.DestroyRenderPass(scene->engine.handle, pass->pass, NULL);
}

/* Rectangles nearer and nearer, in the attachment and on the host. */
static void record_pass(struct scene *scene, VkCommandBuffer commands, const struct depth_pass *pass,
                        const struct shw_depth *depth, float *values)
{
    PFN_vkCmdClearAttachments clear;
    PFN_vkVoidFunction found = scene->engine.get(scene->engine.instance, "vkCmdClearAttachments");
    const float nothing = depth->kind == SHW_DEPTH_REVERSED ? 0 : 1;
    const VkClearValue far = {.depthStencil = {nothing, 7}};
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = pass->pass,
                                         .framebuffer = pass->framebuffer,
                                         .renderArea = {{0, 0}, {SIDE, SIDE}},
                                         .clearValueCount = 1,
                                         .pClearValues = &far};

    memcpy(&clear, &found, sizeof clear);
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = nothing;
    scene->engine.vk.CmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    for (uint32_t r = 0; r < 40; r++) {
        float t = 1 - 0.024f * (float)r * (float)r / 40;
        const VkClearAttachment attachment = {
            VK_IMAGE_ASPECT_DEPTH_BIT, 0, {.depthStencil = {nothing == 0 ? 1 - t : t, 0}}};
        const VkClearRect rect = {{{(int32_t)(r * 11 % 60), (int32_t)(r * 7 % 60)}, {36, 20}}, 0, 1};
        clear(commands, 1, &attachment, 1, &rect);
        for (uint32_t i = 0; i < 36 * 20; i++)
            values[(r * 7 % 60 + i / 36) * SIDE + r * 11 % 60 + i % 36] = attachment.clearValue.depthStencil.depth;
    }
    scene->engine.vk.CmdEndRenderPass(commands);
}

static uint16_t *label_by_cpu(const struct shw_forest *forest, enum shw_fill fill, const struct shw_inputs *inputs)
{
    const struct shw_labeller_params params = {
        .forest = forest, .outputs = SHW_OUTPUT_ARGMAX, .fill = fill, .threads = 1};
    struct shw_labeller *labeller = NULL;
    uint16_t *labels = malloc(sizeof *labels * COUNT);

    assert_non_null(labels);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, inputs, &(struct shw_labelling){.argmax = labels}), SHW_OK);
    shw_labeller_destroy(&labeller);
    return labels;
}

/* Draws depth, labels it, in tiles if `tiled`, and draws on, all in one command buffer. */
static void label_attachment(struct scene *scene, const struct source_texture *colour, VkFormat format,
                             const struct shw_depth *depth, enum shw_technique technique, enum shw_fill fill,
                             bool tiled)
{
    const struct shw_source_format *source = shw_source_format_find(format);
    const struct texture_params params = params_of(source), target_params = {.format = VK_FORMAT_R16_UINT,
                                                                             .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                                                                             .element = 2,
                                                                             .extent = {SIDE, SIDE},
                                                                             .layers = 1,
                                                                             .mips = 1};
    const struct shw_labeller_params labelling = {.forest = scene->forest,
                                                  .device = scene->device,
                                                  .outputs = SHW_OUTPUT_ARGMAX,
                                                  .channels = technique,
                                                  .integrate = technique,
                                                  .evaluate = technique,
                                                  .width = SIDE,
                                                  .height = SIDE,
                                                  .slots = 1,
                                                  .fill = fill,
                                                  .log = testing_log(&scene->memory)};
    const VkImageAspectFlags both = VK_IMAGE_ASPECT_DEPTH_BIT | (params.has_stencil ? VK_IMAGE_ASPECT_STENCIL_BIT : 0);
    uint32_t *most = &scene->device->properties.limits.maxStorageBufferRange, range = *most;
    float *values = malloc(sizeof *values * COUNT);
    struct shw_labeller *labeller = NULL;
    struct texture texture, target;
    struct shw_label_targets targets = {0};
    struct depth_pass passes[2];
    struct shw_input input[2] = {{.image = colour->image, .use = colour->use}, {.name = SHW_DEPTH, .depth = *depth}};
    const struct shw_inputs inputs = {2, input};
    struct engine_frame frame;
    uint16_t *labels, *got;
    VkImageView view;

    assert_non_null(values);
    texture_open(scene, &params, &texture);
    texture_open(scene, &target_params, &target);
    targets.argmax = texture_part(scene, &target, 0, 1, 0);
    input[1].use = texture_part(scene, &texture, 0, 1, 0);
    input[1].use.aspect = 0; /* that of the format */
    input[1].use.before.layout = input[1].use.after.layout = VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
    input[1].use.before.stages = VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
    input[1].use.before.access = VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    input[1].use.after.stages = input[1].use.before.stages;
    input[1].use.after.access =
        VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
    view = attachment_view(scene, &texture, both);
    passes[0] = open_pass(scene, format, view, true);
    passes[1] = open_pass(scene, format, view, false);
    if (tiled) /* room for the planes of half of the image */
        *most = 4 * shw_forest_get_info(scene->forest)->channel_list->channel_count * COUNT / 2;
    assert_int_equal(shw_labeller_create(&labelling, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_tiles_recordings(labeller), tiled);
    *most = range;

    engine_begin(&scene->engine, &frame);
    record_pass(scene, frame.commands, &passes[0], depth, values);
    assert_int_equal(shw_labeller_record(labeller, frame.commands, 0, &inputs, &targets), SHW_OK);
    record_pass(scene, frame.commands, &passes[1], depth, values);
    engine_submit(&scene->engine, &frame);
    engine_wait(&scene->engine, &frame);

    input[1].image = (struct shw_image){values, SIDE, SIDE, 0, source->pixel};
    labels = label_by_cpu(scene->forest, fill, &inputs);
    got = texture_read(scene, &target, &targets.argmax, 1);
    assert_memory_equal(got, labels, sizeof *labels * COUNT);

    free(got);
    free(labels);
    free(values);
    shw_labeller_destroy(&labeller);
    close_pass(scene, &passes[0]);
    close_pass(scene, &passes[1]);
    scene->engine.vk.DestroyImageView(scene->engine.handle, view, NULL);
    scene->engine.vk.DestroyImageView(scene->engine.handle, input[1].use.view, NULL);
    scene->engine.vk.DestroyImageView(scene->engine.handle, targets.argmax.view, NULL);
    texture_close(scene, &texture);
    texture_close(scene, &target);
}

TESTING_CASE(an_attachment_is_labelled)
{
    struct source_texture colour;
    struct scene scene;

    open_scene(&scene, &deep_forest);
    open_colour(&scene, &colour);
    for (int f = SHW_FILL_NONE; f <= SHW_FILL_SIMPLE; f++) {
        enum shw_fill fill = (enum shw_fill)f;
        label_attachment(&scene, &colour, VK_FORMAT_D32_SFLOAT, &depths[1], SHW_TECHNIQUE_FRAGMENT, fill, false);
        label_attachment(&scene, &colour, VK_FORMAT_D32_SFLOAT, &depths[2], SHW_TECHNIQUE_COMPUTE, fill, false);
        label_attachment(&scene, &colour, VK_FORMAT_D32_SFLOAT, &depths[1], SHW_TECHNIQUE_COMPUTE, fill, true);
        if (has_format(&scene, VK_FORMAT_D32_SFLOAT_S8_UINT))
            label_attachment(&scene, &colour, VK_FORMAT_D32_SFLOAT_S8_UINT, &depths[5], SHW_TECHNIQUE_FRAGMENT, fill,
                             false);
    }
    close_colour(&scene, &colour);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}
