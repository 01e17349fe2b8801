/* Luma and chroma on the device: the pixels of shw_ycbcr_convert(), bit for bit, and labels of them. */
#include <stdlib.h>
#include <string.h>

#include "testing/frames.h"
#include "texture.h"

enum { WIDTH = 37, HEIGHT = 26, SLOTS = 2 };

static const struct random_forest_params forest_params = {
    .seed = 3, .channels = SHW_CHANNELS_WINN16, .depth = 6, .split_percent = 75, .trees = 3, .classes = 5};

/* A frame on the device; `cr` has no image if chroma is interleaved. */
struct uploaded {
    struct texture textures[4]; /* luma, Cb, Cr, the target */
    struct shw_image_use uses[4];
    struct shw_ycbcr_planes planes;
    uint32_t planes_count;
};

static void open_texture(struct scene *scene, struct uploaded *uploaded, uint32_t t, VkFormat format, uint32_t element,
                         uint32_t width, uint32_t height, const void *bytes)
{
    const struct texture_params params = {format,   VK_IMAGE_ASPECT_COLOR_BIT, element, {width, height}, .layers = 1,
                                          .mips = 1};

    texture_open(scene, &params, &uploaded->textures[t]);
    if (bytes != NULL)
        texture_write(scene, &uploaded->textures[t], 0, 0, bytes);
    uploaded->uses[t] = texture_part(scene, &uploaded->textures[t], 0, 1, 0);
}

static void upload(struct scene *scene, const struct shw_ycbcr_image *frame, struct uploaded *uploaded)
{
    const bool wide = frame->encoding.bits > 8, both = frame->interleaved;
    const uint32_t sample = wide ? 2 : 1;
    const VkFormat one = wide ? VK_FORMAT_R16_UNORM : VK_FORMAT_R8_UNORM;
    const VkFormat two = wide ? VK_FORMAT_R16G16_UNORM : VK_FORMAT_R8G8_UNORM;

    *uploaded = (struct uploaded){.planes_count = both ? 2 : 3};
    open_texture(scene, uploaded, 0, one, sample, frame->width, frame->height, frame->luma);
    open_texture(scene, uploaded, 1, both ? two : one, both ? 2 * sample : sample, frame->chroma_width,
                 frame->chroma_height, frame->cb);
    if (!both)
        open_texture(scene, uploaded, 2, one, sample, frame->chroma_width, frame->chroma_height, frame->cr);
    open_texture(scene, uploaded, 3, wide ? VK_FORMAT_R16G16B16A16_UNORM : VK_FORMAT_R8G8B8A8_UNORM, 4 * sample,
                 frame->width, frame->height, NULL);
    uploaded->planes = (struct shw_ycbcr_planes){uploaded->uses[0], uploaded->uses[1], uploaded->uses[2]};
}

static void close_uploaded(struct scene *scene, struct uploaded *uploaded)
{
    for (uint32_t t = 0; t < 4; t++)
        if (uploaded->uses[t].view != VK_NULL_HANDLE) {
            scene->engine.vk.DestroyImageView(scene->engine.handle, uploaded->uses[t].view, NULL);
            texture_close(scene, &uploaded->textures[t]);
        }
}

static struct shw_ycbcr_converter *open_converter(struct scene *scene, const struct shw_ycbcr *encoding)
{
    const struct shw_ycbcr_converter_params params = {.device = scene->device,
                                                      .encoding = *encoding,
                                                      .width = WIDTH,
                                                      .height = HEIGHT,
                                                      .slots = SLOTS,
                                                      .log = testing_log(&scene->memory)};
    struct shw_ycbcr_converter *converter = NULL;

    assert_int_equal(shw_ycbcr_converter_create(&params, &converter), SHW_OK);
    return converter;
}

/* The pixels of the host, without padding. */
static void *expected_pixels(const struct shw_ycbcr_image *frame)
{
    const enum shw_pixel_format format = frame->encoding.bits > 8 ? SHW_PIXEL_RGBA16 : SHW_PIXEL_RGBA8;
    void *pixels = malloc(shw_pixel_size(format) * frame->width * frame->height);

    assert_non_null(pixels);
    assert_int_equal(shw_ycbcr_convert(frame, format, pixels, 0, NULL), SHW_OK);
    return pixels;
}

/* Two frames at a time, in two slots. */
TESTING_CASE(frames_are_those_of_the_host)
{
    struct testing_random random = {7};
    struct scene scene;

    open_scene(&scene, &forest_params);
    for (int run = 0; run < 20; run++) {
        const struct shw_ycbcr encoding = testing_encoding(&random);
        struct shw_ycbcr_converter *converter = open_converter(&scene, &encoding);
        struct shw_ycbcr_image frames[SLOTS];
        struct uploaded uploaded[SLOTS];
        struct engine_frame work;

        for (uint32_t s = 0; s < SLOTS; s++) {
            const uint32_t halved = testing_random_below(&random, 4);
            frames[s] = testing_frame(&random, &encoding, 1 + testing_random_below(&random, WIDTH),
                                      1 + testing_random_below(&random, HEIGHT), (halved & 1) != 0, halved > 1,
                                      testing_random_below(&random, 2) != 0, 0);
            upload(&scene, &frames[s], &uploaded[s]);
        }
        engine_begin(&scene.engine, &work);
        for (uint32_t s = 0; s < SLOTS; s++) {
            const unsigned allocated = scene.counts.allocated;
            assert_int_equal(
                shw_ycbcr_converter_record(converter, work.commands, s, &uploaded[s].planes, &uploaded[s].uses[3]),
                SHW_OK);
            assert_int_equal(scene.counts.allocated, allocated);
        }
        engine_submit(&scene.engine, &work);
        engine_wait(&scene.engine, &work);
        for (uint32_t s = 0; s < SLOTS; s++) {
            void *expected = expected_pixels(&frames[s]), *got = NULL;
            for (uint32_t t = 0; t < 4; t++) /* planes are as before, and all are in the layout after */
                if (uploaded[s].uses[t].view != VK_NULL_HANDLE) {
                    const void *const bytes[4] = {frames[s].luma, frames[s].cb, frames[s].cr, expected};
                    got = texture_read(&scene, &uploaded[s].textures[t], uploaded[s].uses, 4);
                    assert_memory_equal(got, bytes[t], texture_part_size(&uploaded[s].textures[t], 1, 0));
                    free(got);
                }
            free(expected);
            close_uploaded(&scene, &uploaded[s]);
            testing_frame_free(&frames[s]);
        }
        shw_ycbcr_converter_destroy(&converter);
    }
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

/* Converted and labelled in one command buffer. */
static void check_labels(struct scene *scene, const struct shw_ycbcr *encoding, enum shw_technique technique)
{
    const struct shw_labeller_params params = {.forest = scene->forest,
                                               .device = scene->device,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .channels = technique,
                                               .integrate = technique,
                                               .evaluate = technique,
                                               .width = WIDTH,
                                               .height = HEIGHT,
                                               .log = testing_log(&scene->memory)};
    const struct shw_labeller_params cpu = {.forest = scene->forest, .outputs = SHW_OUTPUT_ARGMAX, .threads = 1};
    const struct texture_params target = {
        VK_FORMAT_R16_UINT, VK_IMAGE_ASPECT_COLOR_BIT, 2, {WIDTH, HEIGHT}, .layers = 1, .mips = 1};
    struct testing_random random = {9};
    struct shw_ycbcr_converter *converter = open_converter(scene, encoding);
    struct shw_ycbcr_image frame = testing_frame(&random, encoding, WIDTH, HEIGHT, true, true, true, 0);
    struct shw_image image = {
        .width = WIDTH, .height = HEIGHT, .format = encoding->bits > 8 ? SHW_PIXEL_RGBA16 : SHW_PIXEL_RGBA8};
    struct shw_labeller *labeller = NULL;
    struct testing_labelling expected;
    struct shw_label_targets targets = {0};
    struct shw_image_use pixels;
    struct uploaded uploaded;
    struct texture labels;
    struct engine_frame work;
    void *got;

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    upload(scene, &frame, &uploaded);
    texture_open(scene, &target, &labels);
    targets.argmax = texture_part(scene, &labels, 0, 1, 0);
    pixels = uploaded.uses[3];
    pixels.after.layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
    pixels.after.stages = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;
    pixels.after.access = VK_ACCESS_SHADER_READ_BIT;
    engine_begin(&scene->engine, &work);
    assert_int_equal(shw_ycbcr_converter_record(converter, work.commands, 0, &uploaded.planes, &pixels), SHW_OK);
    pixels.before.layout = pixels.after.layout;
    pixels.before.stages = pixels.after.stages;
    pixels.before.access = pixels.after.access;
    assert_int_equal(shw_labeller_record(labeller, work.commands, 0, SHW_COLOUR_USE(pixels), &targets), SHW_OK);
    engine_submit(&scene->engine, &work);
    engine_wait(&scene->engine, &work);

    image.pixels = expected_pixels(&frame);
    expected = testing_label(&cpu, &image);
    got = texture_read(scene, &labels, &targets.argmax, 1);
    assert_memory_equal(got, expected.out.argmax, sizeof(uint16_t) * WIDTH * HEIGHT);
    free(got);
    testing_labelling_free(&expected);
    free((void *)(uintptr_t)image.pixels);
    scene->engine.vk.DestroyImageView(scene->engine.handle, targets.argmax.view, NULL);
    texture_close(scene, &labels);
    close_uploaded(scene, &uploaded);
    testing_frame_free(&frame);
    shw_labeller_destroy(&labeller);
    shw_ycbcr_converter_destroy(&converter);
}

TESTING_CASE(labels_are_those_of_the_host)
{
    const struct shw_ycbcr nv12 = {.full_range = true}, p010 = {.matrix = SHW_YCBCR_BT2020, .bits = 10};
    struct scene scene;

    open_scene(&scene, &forest_params);
    check_labels(&scene, &nv12, SHW_TECHNIQUE_COMPUTE);
    check_labels(&scene, &p010, SHW_TECHNIQUE_FRAGMENT);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

/* A recording into a command buffer that could take it is refused. */
static void refused(struct scene *scene, struct shw_ycbcr_converter *converter, uint32_t slot,
                    const struct shw_ycbcr_planes *planes, const struct shw_image_use *target, const char *why)
{
    const unsigned errors = scene->memory.errors;
    struct engine_frame work;

    engine_begin(&scene->engine, &work);
    assert_int_equal(shw_ycbcr_converter_record(converter, work.commands, slot, planes, target), SHW_ERROR_ARGUMENT);
    assert_int_equal(scene->memory.errors, errors + 1);
    if (strstr(scene->memory.last, why) == NULL)
        fail_msg("'%s' does not say '%s'", scene->memory.last, why);
    engine_submit(&scene->engine, &work);
    engine_wait(&scene->engine, &work);
}

#define REFUSED(member, value, why)                                                                                    \
    do {                                                                                                               \
        struct shw_ycbcr_planes changed = uploaded.planes;                                                             \
        changed.member = value;                                                                                        \
        refused(&scene, converter, 0, &changed, &uploaded.uses[3], why);                                               \
    } while (0)

#define REFUSED_TARGET(member, value, why)                                                                             \
    do {                                                                                                               \
        struct shw_image_use changed = uploaded.uses[3];                                                               \
        changed.member = value;                                                                                        \
        refused(&scene, converter, 0, &uploaded.planes, &changed, why);                                                \
    } while (0)

TESTING_CASE(what_is_wrong_is_refused)
{
    const struct shw_ycbcr encoding = {0};
    struct testing_random random = {5};
    struct shw_ycbcr_image frame = testing_frame(&random, &encoding, WIDTH, HEIGHT, true, true, false, 0);
    struct shw_ycbcr_converter_params params = {.width = WIDTH, .height = HEIGHT};
    struct shw_ycbcr_converter *converter;
    struct uploaded uploaded;
    struct scene scene;

    open_scene(&scene, &forest_params);
    converter = open_converter(&scene, &encoding);
    upload(&scene, &frame, &uploaded);
    refused(&scene, converter, SLOTS, &uploaded.planes, &uploaded.uses[3], "slot 2");
    REFUSED(luma.image, VK_NULL_HANDLE, "luma: `image`");
    REFUSED(luma.view, VK_NULL_HANDLE, "luma: `view`");
    REFUSED(cb.view, VK_NULL_HANDLE, "cb: `view`");
    REFUSED(cr.view, VK_NULL_HANDLE, "cb must have VK_FORMAT_R8G8_UNORM");
    REFUSED(luma.format, VK_FORMAT_R16_UNORM, "luma must have VK_FORMAT_R8_UNORM");
    REFUSED(cr.extent.width, 1, "different sizes");
    REFUSED(luma.extent.width, WIDTH + 4, "as large");
    REFUSED(cb.before.stages, 0, "stages");
    REFUSED(luma.after.layout, VK_IMAGE_LAYOUT_UNDEFINED, "VK_IMAGE_LAYOUT_UNDEFINED");
    REFUSED(luma.before.layout, VK_IMAGE_LAYOUT_UNDEFINED, "luma is in VK_IMAGE_LAYOUT_UNDEFINED");
    REFUSED(cr.before.layout, VK_IMAGE_LAYOUT_UNDEFINED, "cr is in VK_IMAGE_LAYOUT_UNDEFINED");
    REFUSED_TARGET(image, VK_NULL_HANDLE, "the target: `image`");
    REFUSED_TARGET(format, VK_FORMAT_R16G16B16A16_UNORM, "VK_FORMAT_R8G8B8A8_UNORM or _SRGB");
    REFUSED_TARGET(layers, 2, "one layer");
    REFUSED_TARGET(after.stages, 0, "stages");
    REFUSED_TARGET(image, uploaded.planes.luma.image, "the plane luma and the target are the same subresource");
    REFUSED_TARGET(image, uploaded.planes.cr.image, "the plane cr and the target are the same subresource");
    REFUSED(cr.image, uploaded.planes.cb.image, "the plane cb and the plane cr are the same subresource");
    uploaded.planes.luma.extent.width = uploaded.uses[3].extent.width = WIDTH + 1;
    uploaded.planes.cb.extent.width = uploaded.planes.cr.extent.width = WIDTH + 1;
    refused(&scene, converter, 0, &uploaded.planes, &uploaded.uses[3], "for a converter of 37 x 26");
    assert_int_equal(shw_ycbcr_converter_record(converter, VK_NULL_HANDLE, 0, &uploaded.planes, &uploaded.uses[3]),
                     SHW_ERROR_ARGUMENT);
    shw_ycbcr_converter_destroy(&converter);
    close_uploaded(&scene, &uploaded);
    testing_frame_free(&frame);

    params.log = testing_log(&scene.memory);
    assert_int_equal(shw_ycbcr_converter_create(&params, &converter), SHW_ERROR_ARGUMENT); /* no device */
    assert_non_null(strstr(scene.memory.last, "shw_ycbcr_converter_create: "));
    params.device = scene.device;
    params.width = 0;
    assert_int_equal(shw_ycbcr_converter_create(&params, &converter), SHW_ERROR_ARGUMENT);
    params.width = params.height = SHW_IMAGE_SIZE_MAX;
    assert_int_equal(shw_ycbcr_converter_create(&params, &converter), SHW_ERROR_LIMIT);
    params.width = params.height = 1;
    params.slots = 1000000;
    assert_int_equal(shw_ycbcr_converter_create(&params, &converter), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(scene.memory.last, "1000000 slots; at most 1024"));
    params.slots = 0;
    params.encoding.bits = 7;
    assert_int_equal(shw_ycbcr_converter_create(&params, &converter), SHW_ERROR_ARGUMENT);
    assert_null(converter);
    close_scene(&scene);
}
