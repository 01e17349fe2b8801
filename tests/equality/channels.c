/* Channels and integral images on the device against the CPU, bit for bit, for every mixture of techniques. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/channels.h"
#include "dense/channels/channels_stage.h"
#include "dense/integrate/integral.h"
#include "dense/pipeline/registry.h"
#include "dense/stage/passes.h"
#include "testing/device.h"
#include "vulkan/commands.h"

/* Stages for regions of up to width x height, with what is needed to feed them and to read them back. */
struct rig {
    struct shw_device *device;
    uint32_t width, height, count;
    enum shw_technique channels_technique, integrate_technique;
    struct shw_planes channels, integrals;
    struct shw_channels_stage *channels_stage;
    const struct shw_passes *integrate;
    struct shw_arena memory;
    void *integrator;
    struct shw_buffer upload, upload_before, channels_read, integrals_read;
};

static void open_rig(struct rig *rig, const char *set, enum shw_technique channels, enum shw_technique integrate,
                     uint32_t width, uint32_t height)
{
    uint32_t both = SHW_PLANES_IMAGE | SHW_PLANES_BUFFER;

    *rig = (struct rig){.device = testing_device(),
                        .width = width,
                        .height = height,
                        .count = testing_channels(set)->channel_count,
                        .channels_technique = channels,
                        .integrate_technique = integrate,
                        .integrate = shw_passes_of(shw_registry_get(SHW_STAGE_INTEGRATE, integrate))};
    assert_int_equal(
        shw_planes_create(rig->device, VK_FORMAT_R16_SINT, width, height, rig->count, both, "channels", &rig->channels),
        SHW_OK);
    assert_int_equal(shw_planes_create(rig->device, VK_FORMAT_R32_UINT, width + 1, height + 1, rig->count, both,
                                       "integrals", &rig->integrals),
                     SHW_OK);
    assert_int_equal(shw_channels_stage_create(rig->device, testing_channels(set),
                                               shw_registry_get(SHW_STAGE_CHANNELS, channels)->form, &rig->channels, 1,
                                               &rig->channels_stage),
                     SHW_OK);
    assert_int_equal(shw_passes_make(rig->integrate,
                                     &(struct shw_stage_create){.owner = rig->device, .slots = 1, .scratch_sets = 1},
                                     &rig->channels, &rig->integrals, &rig->memory, &rig->integrator),
                     SHW_OK);
    assert_int_equal(shw_buffer_create(rig->device, (VkDeviceSize)8 * width * height + 65536,
                                       VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, "upload", &rig->upload),
                     SHW_OK);
    assert_int_equal(shw_buffer_create(rig->device, rig->upload.size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                       SHW_MEMORY_UPLOAD, "upload", &rig->upload_before),
                     SHW_OK);
    assert_int_equal(shw_buffer_create(rig->device, rig->channels.buffer.size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       SHW_MEMORY_READBACK, "channels back", &rig->channels_read),
                     SHW_OK);
    assert_int_equal(shw_buffer_create(rig->device, rig->integrals.buffer.size, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       SHW_MEMORY_READBACK, "integrals back", &rig->integrals_read),
                     SHW_OK);
}

static void close_rig(struct rig *rig)
{
    shw_buffer_destroy(rig->device, &rig->integrals_read);
    shw_buffer_destroy(rig->device, &rig->channels_read);
    shw_buffer_destroy(rig->device, &rig->upload);
    shw_buffer_destroy(rig->device, &rig->upload_before);
    rig->integrate->destroy(rig->device, rig->integrator);
    shw_arena_end(&rig->memory);
    shw_channels_stage_destroy(rig->device, &rig->channels_stage);
    shw_planes_destroy(rig->device, &rig->integrals);
    shw_planes_destroy(rig->device, &rig->channels);
    testing_device_check();
}

/* A source image on the device, of a format that holds the same samples as the image in memory, more or less
 * swizzled. */
struct source {
    struct shw_vulkan_image image;
    VkImageView view;
    VkFormat format;
};

static void write_texel(uint8_t *to, VkFormat format, const struct shw_image *image, uint32_t x, uint32_t y)
{
    const uint8_t *at = (const uint8_t *)image->pixels + y * image->stride + x * shw_pixel_size(image->format);
    static const uint8_t rgba[] = {0, 1, 2, 3}, bgra[] = {2, 1, 0, 3};
    size_t sample = image->format >= SHW_PIXEL_GREY16 ? 2 : 1, samples = shw_pixel_size(image->format) / sample;

    for (size_t i = 0; i < (samples == 1 ? 1 : 4); i++) {
        size_t from = format == VK_FORMAT_B8G8R8A8_UNORM ? bgra[i] : rgba[i];
        if (from < samples)
            memcpy(to + i * sample, at + from * sample, sample);
        else
            memset(to + i * sample, 0xa5, sample);
    }
}

/* The image stands at (x, y) of the source, in noise. */
static void record_source(struct rig *rig, VkCommandBuffer commands, const struct shw_buffer *upload,
                          const struct shw_image *image, VkFormat format, uint32_t x, uint32_t y, struct source *source)
{
    size_t texel = format == VK_FORMAT_R8_UNORM            ? 1
                   : format == VK_FORMAT_R16_UINT          ? 2
                   : format == VK_FORMAT_R16G16B16A16_UINT ? 8
                                                           : 4;
    uint32_t width = image->width + x, height = image->height + y;
    VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                .imageExtent = {width, height, 1}};
    uint8_t *to = upload->mapped;

    assert_true(upload->size >= width * height * texel);
    memset(to, 0x5a, width * height * texel);
    for (uint32_t v = 0; v < image->height; v++)
        for (uint32_t u = 0; u < image->width; u++)
            write_texel(to + ((v + y) * width + u + x) * texel, format, image, u, v);
    assert_int_equal(shw_vulkan_image_create(rig->device, format, width, height, 1,
                                             VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "source",
                                             &source->image),
                     SHW_OK);
    assert_int_equal(shw_image_view_create(rig->device, source->image.handle, format, 0, 1, false, &source->view),
                     SHW_OK);
    source->format = format;
    shw_image_barrier(rig->device, commands, source->image.handle, shw_use_nothing, shw_use_copy_target);
    rig->device->vk.CmdCopyBufferToImage(commands, upload->handle, source->image.handle,
                                         VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    shw_image_barrier(rig->device, commands, source->image.handle, shw_use_copy_target,
                      rig->channels_technique == SHW_TECHNIQUE_FRAGMENT ? shw_use_fragment_sampled
                                                                        : shw_use_compute_sampled);
}

static void destroy_source(struct rig *rig, struct source *source)
{
    rig->device->vk.DestroyImageView(rig->device->handle, source->view, rig->device->allocator);
    shw_vulkan_image_destroy(rig->device, &source->image);
}

/* From the technique's form to both forms. `ready` is how the next reader wants the form of its technique. */
static void record_conversion(struct rig *rig, VkCommandBuffer commands, const struct shw_planes *planes,
                              enum shw_technique made_by, uint32_t width, uint32_t height)
{
    const struct shw_device *device = rig->device;

    if (made_by == SHW_TECHNIQUE_FRAGMENT) {
        shw_image_barrier(device, commands, planes->image.handle, shw_use_attachment, shw_use_copy_source);
        shw_buffer_barrier(device, commands, planes->buffer.handle, shw_use_nothing, shw_use_copy_target);
        shw_planes_copy_to_buffer(device, commands, planes, width, height);
        shw_image_barrier(device, commands, planes->image.handle, shw_use_copy_source, shw_use_fragment_sampled);
        shw_buffer_barrier(device, commands, planes->buffer.handle, shw_use_copy_target, shw_use_compute_read);
        shw_buffer_barrier(device, commands, planes->buffer.handle, shw_use_copy_target, shw_use_copy_source);
    } else {
        shw_buffer_barrier(device, commands, planes->buffer.handle, shw_use_compute_write, shw_use_copy_source);
        shw_image_barrier(device, commands, planes->image.handle, shw_use_nothing, shw_use_copy_target);
        shw_planes_copy_to_image(device, commands, planes, width, height);
        shw_buffer_barrier(device, commands, planes->buffer.handle, shw_use_compute_write, shw_use_compute_read);
        shw_image_barrier(device, commands, planes->image.handle, shw_use_copy_target, shw_use_fragment_sampled);
    }
}

static void record_readback(struct rig *rig, VkCommandBuffer commands, const struct shw_planes *planes,
                            const struct shw_buffer *download)
{
    VkBufferCopy whole = {.size = planes->buffer.size};

    rig->device->vk.CmdCopyBuffer(commands, planes->buffer.handle, download->handle, 1, &whole);
    shw_buffer_barrier(rig->device, commands, download->handle, shw_use_copy_target, shw_use_host_read);
}

static const struct {
    enum shw_pixel_format pixel;
    VkFormat format;
    uint32_t before; /* number of the format of the previous frame, which has as many bits */
} formats[] = {{SHW_PIXEL_RGB8, VK_FORMAT_R8G8B8A8_UNORM, 4},
               {SHW_PIXEL_RGB16, VK_FORMAT_R16G16B16A16_UINT, 3},
               {SHW_PIXEL_RGBA8, VK_FORMAT_B8G8R8A8_UNORM, 0},
               {SHW_PIXEL_GREY16, VK_FORMAT_R16_UINT, 1},
               {SHW_PIXEL_GREY8, VK_FORMAT_R8_UNORM, 2}};

#define FORMATS (sizeof formats / sizeof formats[0])

static VkFormat format_of(enum shw_pixel_format pixel)
{
    uint32_t f = 0;

    while (formats[f].pixel != pixel)
        f++;
    return formats[f].format;
}

/* `before`: the frame before, which is in noise, too; or NULL. */
static void run_rig(struct rig *rig, const struct shw_image *image, const struct shw_image *before, VkFormat format,
                    uint32_t source_x, uint32_t source_y, const struct shw_region *region)
{
    VkCommandBuffer commands;
    struct shw_recording recording;
    struct source source, source_before;
    struct shw_channel_source sources[SHW_INPUT_ROLES] = {{.format = format, .x = source_x, .y = source_y}};
    uint32_t width = image->width, height = image->height;

    assert_int_equal(shw_submit_begin(rig->device, &commands), SHW_OK);
    recording = shw_recording_whole(rig->device, commands);
    record_source(rig, commands, &rig->upload, image, format, source_x, source_y, &source);
    sources[SHW_INPUT_COLOUR].view = source.view;
    if (before != NULL) {
        VkFormat other = format_of(before->format);
        record_source(rig, commands, &rig->upload_before, before, other, source_y + 1, source_x, &source_before);
        sources[1] =
            (struct shw_channel_source){.view = source_before.view, .format = other, .x = source_y + 1, .y = source_x};
    }
    shw_channels_stage_record(rig->channels_stage, &recording, 0, sources, region);
    record_conversion(rig, commands, &rig->channels, rig->channels_technique, width, height);
    record_readback(rig, commands, &rig->channels, &rig->channels_read);
    rig->integrate->record(rig->integrator, &recording, 0, &(struct shw_stage_frame){.width = width, .height = height});
    record_conversion(rig, commands, &rig->integrals, rig->integrate_technique, width + 1, height + 1);
    record_readback(rig, commands, &rig->integrals, &rig->integrals_read);
    assert_int_equal(shw_submit_wait(rig->device, commands), SHW_OK);
    destroy_source(rig, &source);
    if (before != NULL)
        destroy_source(rig, &source_before);
}

/* What was read back, without padding. */
static void pack(const struct shw_planes *planes, const struct shw_buffer *download, uint32_t width, uint32_t height,
                 void *packed)
{
    const char *from = download->mapped;
    char *to = packed;

    for (uint32_t plane = 0; plane < planes->count; plane++)
        for (uint32_t y = 0; y < height; y++, to += (size_t)width * planes->element)
            memcpy(to, from + ((size_t)plane * planes->height + y) * planes->stride * planes->element,
                   (size_t)width * planes->element);
}

static void assert_same(const char *what, const void *got, const void *expected, size_t size, size_t element)
{
    if (testing_hash(got, size) == testing_hash(expected, size))
        return;
    for (size_t i = 0; i < size; i += element)
        if (memcmp((const char *)got + i, (const char *)expected + i, element) != 0) {
            if (element == 2)
                fail_msg("%s: element %zu is %d, not %d", what, i / 2, ((const int16_t *)got)[i / 2],
                         ((const int16_t *)expected)[i / 2]);
            fail_msg("%s: element %zu is %u, not %u", what, i / 4, ((const uint32_t *)got)[i / 4],
                     ((const uint32_t *)expected)[i / 4]);
        }
}

static void compare_with_cpu(struct rig *rig, const char *set, const struct shw_image *image,
                             const struct shw_image *before, const struct shw_region *region)
{
    size_t pixels = (size_t)image->width * image->height, sums = shw_integral_size(image->width, image->height);
    int16_t *channels = malloc(2 * rig->count * pixels * sizeof *channels);
    uint32_t *integrals = malloc(2 * rig->count * sums * sizeof *integrals);
    char what[512];

    assert_non_null(channels);
    assert_non_null(integrals);
    snprintf(what, sizeof what, "%.400s %ux%u by %s and %s", set, image->width, image->height,
             rig->channels_technique == SHW_TECHNIQUE_FRAGMENT ? "fragment" : "compute",
             rig->integrate_technique == SHW_TECHNIQUE_FRAGMENT ? "fragment" : "compute");
    assert_int_equal(shw_channels_cpu(testing_channels(set), &(struct shw_channel_images){.of = {image, before}},
                                      region, channels, NULL),
                     SHW_OK);
    shw_integrate_cpu(channels, image->width, image->height, rig->count, integrals, NULL);
    pack(&rig->channels, &rig->channels_read, image->width, image->height, channels + rig->count * pixels);
    pack(&rig->integrals, &rig->integrals_read, image->width + 1, image->height + 1, integrals + rig->count * sums);
    assert_same(what, channels + rig->count * pixels, channels, rig->count * pixels * sizeof *channels,
                sizeof *channels);
    assert_same(what, integrals + rig->count * sums, integrals, rig->count * sums * sizeof *integrals,
                sizeof *integrals);
    free(integrals);
    free(channels);
}

/* Noise, or (every other round) only black and white, which drives sums to their extremes. */
static void fill(uint8_t *pixels, size_t size, struct testing_random *random, bool extreme)
{
    for (size_t i = 0; i < size; i++)
        pixels[i] =
            (uint8_t)(extreme ? (testing_random_below(random, 2) != 0 ? 255 : 0) : testing_random_below(random, 256));
}

/* One rig for the largest size, so that smaller regions use a part of its planes, in every format and at some
 * origin. */
static void check_set(const char *set, enum shw_technique channels, enum shw_technique integrate)
{
    static const uint32_t sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {33, 31}, {2, 2}, {70, 45}, {64, 17}};
    static uint8_t pixels[2][70 * 45 * 8];
    struct testing_random random = {31 + strlen(set)};
    struct rig rig;

    open_rig(&rig, set, channels, integrate, 71, 45);
    for (uint32_t round = 0; round < sizeof sizes / sizeof sizes[0]; round++) {
        uint32_t f = round % FORMATS, source_x = round % 3, source_y = round % 2;
        struct shw_image image = {.pixels = pixels[0], .width = sizes[round][0], .height = sizes[round][1]};
        struct shw_image before;
        struct shw_region region = {image.width, image.height, 17 * round, 5 * round, image.width + 30 * round, 1000};
        image.format = formats[f].pixel;
        image.stride = image.width * shw_pixel_size(image.format);
        for (int i = 0; i < 2; i++)
            fill(pixels[i], (size_t)image.width * image.height * 8, &random, round % 2 == 1);
        before = image;
        before.pixels = pixels[1];
        before.format = formats[formats[f].before].pixel;
        before.stride = image.width * shw_pixel_size(before.format);
        run_rig(&rig, &image, round != 3 ? &before : NULL, formats[f].format, source_x, source_y, &region);
        compare_with_cpu(&rig, set, &image, round != 3 ? &before : NULL, &region);
    }
    close_rig(&rig);
}

#define DEFINE_SET_TEST(name, set, channels, integrate)                                                                \
    TESTING_CASE(name)                                                                                                 \
    {                                                                                                                  \
        check_set(set, SHW_TECHNIQUE_##channels, SHW_TECHNIQUE_##integrate);                                           \
    }
DEFINE_SET_TEST(winn16_fragment, SHW_CHANNELS_WINN16, FRAGMENT, FRAGMENT)
DEFINE_SET_TEST(winn16_compute, SHW_CHANNELS_WINN16, COMPUTE, COMPUTE)
DEFINE_SET_TEST(winn17_fragment_then_compute, SHW_CHANNELS_WINN17, FRAGMENT, COMPUTE)
DEFINE_SET_TEST(winn17_compute_then_fragment, SHW_CHANNELS_WINN17, COMPUTE, FRAGMENT)
DEFINE_SET_TEST(wide_fragment, SHW_CHANNELS_WIDE, FRAGMENT, FRAGMENT)
DEFINE_SET_TEST(wide_compute, SHW_CHANNELS_WIDE, COMPUTE, COMPUTE)
DEFINE_SET_TEST(rgb_fragment, SHW_CHANNELS_RGB, FRAGMENT, COMPUTE)
DEFINE_SET_TEST(rgb_compute, SHW_CHANNELS_RGB, COMPUTE, FRAGMENT)
DEFINE_SET_TEST(lab_fragment, SHW_CHANNELS_LAB, FRAGMENT, FRAGMENT)
DEFINE_SET_TEST(lab_compute, SHW_CHANNELS_LAB, COMPUTE, COMPUTE)
DEFINE_SET_TEST(motion_fragment, "dt,dt-gradient", FRAGMENT, COMPUTE)
DEFINE_SET_TEST(motion_compute, "dt-gradient,dt", COMPUTE, FRAGMENT)

/* The library's kinds that read the image, and the frame before at most. */
static uint32_t kinds_of_images(struct testing_kind kinds[TESTING_KINDS_MAX])
{
    uint32_t all = testing_channel_kinds(kinds), count = 0;

    for (uint32_t k = 0; k < all; k++)
        if (kinds[k].kind->input == NULL && kinds[k].kind->naming == SHW_NAMES_NONE)
            kinds[count++] = kinds[k];
    return count;
}

/* Every one of them with each of its parameters, by both techniques. */
TESTING_CASE(every_kind)
{
    static struct testing_kind kinds[TESTING_KINDS_MAX];
    uint32_t count = kinds_of_images(kinds), next = 0;

    while (next < count) {
        char text[SHW_CHANNEL_LIST_NAME_SIZE] = "";
        for (uint32_t channels = 0; next < count && channels + kinds[next].kind->channel_count <= SHW_CHANNELS_MAX;
             next++) {
            channels += kinds[next].kind->channel_count;
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] != '\0' ? "," : "",
                     kinds[next].text);
        }
        check_set(text, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE);
        check_set(text, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT);
    }
}

/* Some of all kinds and parameters in any order, by both techniques. */
TESTING_CASE(random_lists)
{
    static struct testing_kind kinds[TESTING_KINDS_MAX];
    uint32_t all = kinds_of_images(kinds);
    struct testing_random random = {33};

    for (int round = 0; round < (testing_is_slow() ? 12 : 4); round++) {
        char text[SHW_CHANNEL_LIST_NAME_SIZE] = "";
        uint32_t channels = 0;
        for (uint32_t count = 1 + testing_random_below(&random, all), i = 0; i < count; i++) {
            uint32_t other = i + testing_random_below(&random, all - i);
            struct testing_kind kept = kinds[i];
            kinds[i] = kinds[other];
            kinds[other] = kept;
            channels += kinds[i].kind->channel_count;
            if (channels <= SHW_CHANNELS_MAX)
                snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i > 0 ? "," : "", kinds[i].text);
        }
        check_set(text, round % 2 == 0 ? SHW_TECHNIQUE_FRAGMENT : SHW_TECHNIQUE_COMPUTE,
                  round % 4 < 2 ? SHW_TECHNIQUE_FRAGMENT : SHW_TECHNIQUE_COMPUTE);
    }
}

/* The size of the pictures of MSRC, the largest set. */
static void check_picture(enum shw_technique channels, enum shw_technique integrate)
{
    enum { WIDTH = 320, HEIGHT = 213 };
    uint8_t *pixels = malloc(WIDTH * HEIGHT * 3);
    struct shw_image image = {pixels, WIDTH, HEIGHT, WIDTH * 3, SHW_PIXEL_RGB8};
    struct shw_region region = {WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT};
    struct testing_random random = {32};
    struct rig rig;

    assert_non_null(pixels);
    fill(pixels, WIDTH * HEIGHT * 3, &random, false);
    open_rig(&rig, SHW_CHANNELS_WIDE, channels, integrate, WIDTH, HEIGHT);
    run_rig(&rig, &image, NULL, VK_FORMAT_R8G8B8A8_UNORM, 0, 0, &region);
    compare_with_cpu(&rig, SHW_CHANNELS_WIDE, &image, NULL, &region);
    close_rig(&rig);
    free(pixels);
}

TESTING_CASE(a_picture_by_fragment)
{
    check_picture(SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT);
}

TESTING_CASE(a_picture_by_compute)
{
    check_picture(SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE);
}

/* Sums over more pixels than a row of work groups has pieces, and beyond 2^32. */
static void check_long_sums(enum shw_technique technique, uint32_t width, uint32_t height)
{
    uint8_t *pixels = malloc((size_t)width * height);
    struct shw_image image = {pixels, width, height, width, SHW_PIXEL_GREY8};
    struct shw_region region = {width, height, 0, 0, width, height};
    struct rig rig;

    assert_non_null(pixels);
    memset(pixels, 255, (size_t)width * height);
    open_rig(&rig, SHW_CHANNELS_RGB, technique, technique, width, height);
    run_rig(&rig, &image, NULL, VK_FORMAT_R8_UNORM, 0, 0, &region);
    compare_with_cpu(&rig, SHW_CHANNELS_RGB, &image, NULL, &region);
    close_rig(&rig);
    free(pixels);
}

TESTING_CASE(long_sums)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE};

    for (int i = 0; i < 2; i++) {
        check_long_sums(techniques[i], 4095, 3);
        check_long_sums(techniques[i], 3, 4095);
        check_long_sums(techniques[i], 1100, 1000);
    }
}

TESTING_FIXTURE(NULL, testing_device_teardown)
