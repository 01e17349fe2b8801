/* Memory shared by two devices of one process: what one labels or writes, the other reads. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <shadewood/external.h>

#include "scene.h"
#include "vulkan/memory.h"

static const struct random_forest_params forest_params = {
    .seed = 3, .channels = SHW_CHANNELS_RGB, .depth = 5, .trees = 2, .classes = 4};

enum { WIDTH = 40, HEIGHT = 24, BYTES = WIDTH * HEIGHT * 2 };

/* An engine whose device has these extensions, as far as it can. */
struct side {
    struct engine engine;
    struct testing_log memory;
    struct shw_device *device;
};

static const char *const all_extensions[] = {
    VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME,
    VK_EXT_IMAGE_DRM_FORMAT_MODIFIER_EXTENSION_NAME, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME};

static void open_side(struct side *side, uint32_t extension_count)
{
    struct shw_device_import_params params;

    memset(side, 0, sizeof *side);
    engine_open_extended(&side->engine, all_extensions, extension_count);
    params = (struct shw_device_import_params){.instance = side->engine.instance,
                                               .physical_device = side->engine.physical,
                                               .device = side->engine.handle,
                                               .queue_family = side->engine.family,
                                               .api_version = ENGINE_VERSION,
                                               .instance_extensions = side->engine.extensions,
                                               .instance_extension_count = side->engine.extension_count,
                                               .device_extensions = side->engine.device_extensions,
                                               .device_extension_count = side->engine.device_extension_count,
                                               .get_instance_proc_addr = side->engine.get,
                                               .log = testing_log(&side->memory)};
    assert_int_equal(shw_device_import(&params, &side->device), SHW_OK);
}

static void close_side(struct side *side)
{
    shw_device_destroy(&side->device);
    engine_close(&side->engine);
}

static void open_sides(struct side sides[2])
{
    for (uint32_t s = 0; s < 2; s++)
        open_side(&sides[s], sizeof all_extensions / sizeof *all_extensions);
}

static void close_sides(struct side sides[2])
{
    for (uint32_t s = 0; s < 2; s++) {
        assert_int_equal(sides[s].memory.errors, 0);
        close_side(&sides[s]);
    }
}

/* Whether the last call on this side was refused because the driver or the device lacks something, which is then no
 * error. */
static bool lacks(struct side *side, enum shw_result result)
{
    if (result == SHW_OK)
        return false;
    assert_int_equal(result, SHW_ERROR_UNSUPPORTED);
    printf("# left out: %s\n", side->memory.last);
    side->memory.errors--;
    return true;
}

static struct shw_buffer create_host_buffer(struct side *side)
{
    struct shw_buffer buffer;

    assert_int_equal(shw_buffer_create(side->device, BYTES,
                                       VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                       SHW_MEMORY_READBACK, "bytes", &buffer),
                     SHW_OK);
    memset(buffer.mapped, 0, BYTES);
    return buffer;
}

static void fill_random(void *bytes, uint64_t seed)
{
    struct testing_random random = {seed};

    for (uint32_t b = 0; b < BYTES; b++)
        ((uint8_t *)bytes)[b] = (uint8_t)testing_random_below(&random, 256);
}

static void submit_and_wait(struct side *side, struct engine_frame *frame)
{
    engine_submit(&side->engine, frame);
    engine_wait(&side->engine, frame);
}

static const VkPipelineStageFlags copying = VK_PIPELINE_STAGE_TRANSFER_BIT;

/* Host memory after the copies. */
static void record_host_barrier(struct side *side, VkCommandBuffer commands)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_HOST_READ_BIT};

    side->engine.vk.CmdPipelineBarrier(commands, copying, VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
}

/* Buffers: the first side writes what the second reads. */

static void check_buffer(enum shw_external_kind kind, uint64_t seed)
{
    const struct shw_external_buffer_params params = {
        .size = BYTES, .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    const struct shw_external_use written = {.stages = copying, .access = VK_ACCESS_TRANSFER_WRITE_BIT},
                                  read = {.stages = copying, .access = VK_ACCESS_TRANSFER_READ_BIT};
    const VkBufferCopy region = {.size = BYTES};
    struct shw_external_memory memory;
    struct shw_external mine, theirs;
    struct side sides[2];

    open_sides(sides);
    if (!lacks(&sides[0], shw_external_buffer_create(sides[0].device, &params, kind, &mine))) {
        struct shw_buffer from = create_host_buffer(&sides[0]), to = create_host_buffer(&sides[1]);
        struct engine_frame frame;

        fill_random(from.mapped, seed);
        assert_int_equal(shw_external_export(sides[0].device, &mine, &memory), SHW_OK);
        assert_true(memory.fd >= 0 && memory.kind == kind && memory.dedicated && memory.size >= BYTES);
        assert_int_equal(shw_external_buffer_import(sides[1].device, &params, &memory, &theirs), SHW_OK);
        assert_int_equal(close(memory.fd), 0); /* the library has one of its own */
        engine_begin(&sides[0].engine, &frame);
        sides[0].engine.vk.CmdCopyBuffer(frame.commands, from.handle, mine.buffer, 1, &region);
        assert_int_equal(shw_external_release(sides[0].device, frame.commands, &mine, &written), SHW_OK);
        submit_and_wait(&sides[0], &frame);
        engine_begin(&sides[1].engine, &frame);
        assert_int_equal(shw_external_acquire(sides[1].device, frame.commands, &theirs, &read), SHW_OK);
        sides[1].engine.vk.CmdCopyBuffer(frame.commands, theirs.buffer, to.handle, 1, &region);
        record_host_barrier(&sides[1], frame.commands);
        submit_and_wait(&sides[1], &frame);
        assert_memory_equal(to.mapped, from.mapped, BYTES);

        shw_external_destroy(sides[0].device, &mine);
        shw_external_destroy(sides[1].device, &theirs);
        assert_true(theirs.buffer == VK_NULL_HANDLE && theirs.memory == VK_NULL_HANDLE);
        shw_buffer_destroy(sides[0].device, &from);
        shw_buffer_destroy(sides[1].device, &to);
    }
    close_sides(sides);
}

TESTING_CASE(buffers_by_opaque_descriptors)
{
    check_buffer(SHW_EXTERNAL_OPAQUE_FD, 1);
}

TESTING_CASE(buffers_by_dma_buf)
{
    check_buffer(SHW_EXTERNAL_DMA_BUF, 2);
}

/* Images: the first side labels into one, the second reads the labels. */

static void record_labels(struct side *side, struct shw_labeller *labeller, VkCommandBuffer commands,
                          const struct shw_vulkan_image *source, VkImageView view, VkImage labels)
{
    const struct shw_image_use colour = {
        .image = source->handle,
        .view = view,
        .format = source->format,
        .extent = {WIDTH, HEIGHT},
        .before = {VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, copying, VK_ACCESS_TRANSFER_WRITE_BIT},
        .after = {VK_IMAGE_LAYOUT_GENERAL, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0}};
    const struct shw_label_targets targets = {
        .argmax = {.image = labels,
                   .format = VK_FORMAT_R16_UINT,
                   .extent = {WIDTH, HEIGHT},
                   .before = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0},
                   .after = {VK_IMAGE_LAYOUT_GENERAL, copying, VK_ACCESS_TRANSFER_WRITE_BIT}}};

    (void)side;
    assert_int_equal(shw_labeller_record(labeller, commands, 0, SHW_COLOUR_USE(colour), &targets), SHW_OK);
}

static void record_source(struct side *side, VkCommandBuffer commands, const struct shw_buffer *upload,
                          const struct shw_vulkan_image *source)
{
    const VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                          .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
                                          .oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,
                                          .newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                          .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                          .image = source->handle,
                                          .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {WIDTH, HEIGHT, 1}};

    side->engine.vk.CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, copying, 0, 0, NULL, 0, NULL, 1,
                                       &barrier);
    side->engine.vk.CmdCopyBufferToImage(commands, upload->handle, source->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                         1, &copy);
}

/* Labels an image on the first side, into `mine`, and releases it. `expected` becomes what `cpu` finds. */
static void label(struct side *side, const struct shw_external *mine, uint16_t *expected)
{
    struct shw_forest *forest = random_forest(&forest_params);
    struct shw_labeller_params params = {.device = side->device,
                                         .forest = forest,
                                         .outputs = SHW_OUTPUT_ARGMAX,
                                         .width = WIDTH,
                                         .height = HEIGHT,
                                         .slots = 1,
                                         .log = testing_log(&side->memory)};
    const struct shw_external_use released = {.from = VK_IMAGE_LAYOUT_GENERAL,
                                              .to = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                              .stages = copying,
                                              .access = VK_ACCESS_TRANSFER_WRITE_BIT};
    struct shw_image image = {.width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_RGBA8};
    const struct shw_labelling labelling = {.argmax = expected};
    struct shw_vulkan_image source;
    struct shw_labeller *labeller;
    struct engine_frame frame;
    struct shw_buffer upload;
    VkImageView view;

    assert_int_equal(shw_buffer_create(side->device, 2 * BYTES, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD,
                                       "image", &upload),
                     SHW_OK);
    fill_random(upload.mapped, 5);
    fill_random((char *)upload.mapped + BYTES, 6);
    image.pixels = upload.mapped;
    assert_int_equal(shw_vulkan_image_create(side->device, VK_FORMAT_R8G8B8A8_UNORM, WIDTH, HEIGHT, 1,
                                             VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "source",
                                             &source),
                     SHW_OK);
    assert_int_equal(shw_image_view_create(side->device, source.handle, source.format, 0, 1, false, &view), SHW_OK);
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    engine_begin(&side->engine, &frame);
    record_source(side, frame.commands, &upload, &source);
    record_labels(side, labeller, frame.commands, &source, view, mine->image);
    assert_int_equal(shw_external_release(side->device, frame.commands, mine, &released), SHW_OK);
    submit_and_wait(side, &frame);
    shw_labeller_destroy(&labeller);

    params.device = NULL;
    params.slots = 0;
    params.channels = params.integrate = params.evaluate = SHW_TECHNIQUE_CPU;
    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    assert_int_equal(shw_labeller_run(labeller, SHW_COLOUR_IMAGE(image), &labelling), SHW_OK);
    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
    side->engine.vk.DestroyImageView(side->engine.handle, view, NULL);
    shw_vulkan_image_destroy(side->device, &source);
    shw_buffer_destroy(side->device, &upload);
}

static void read_labels(struct side *side, const struct shw_external *theirs, const struct shw_buffer *to)
{
    const struct shw_external_use acquired = {.from = VK_IMAGE_LAYOUT_GENERAL,
                                              .to = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                              .stages = copying,
                                              .access = VK_ACCESS_TRANSFER_READ_BIT};
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {WIDTH, HEIGHT, 1}};
    struct engine_frame frame;

    engine_begin(&side->engine, &frame);
    assert_int_equal(shw_external_acquire(side->device, frame.commands, theirs, &acquired), SHW_OK);
    side->engine.vk.CmdCopyImageToBuffer(frame.commands, theirs->image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                         to->handle, 1, &copy);
    record_host_barrier(side, frame.commands);
    submit_and_wait(side, &frame);
}

static void check_image(enum shw_external_kind kind)
{
    const struct shw_external_image_params params = {.format = VK_FORMAT_R16_UINT,
                                                     .extent = {WIDTH, HEIGHT},
                                                     .usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                                                              VK_IMAGE_USAGE_TRANSFER_DST_BIT};
    uint16_t expected[WIDTH * HEIGHT];
    struct shw_external_memory memory;
    struct shw_external mine, theirs;
    struct side sides[2];

    open_sides(sides);
    if (!lacks(&sides[0], shw_external_image_create(sides[0].device, &params, kind, &mine))) {
        struct shw_buffer to = create_host_buffer(&sides[1]);

        label(&sides[0], &mine, expected);
        assert_int_equal(shw_external_export(sides[0].device, &mine, &memory), SHW_OK);
        assert_true(memory.fd >= 0);
        if (kind == SHW_EXTERNAL_DMA_BUF) { /* linear, as by default */
            assert_int_equal(memory.modifier, 0);
            assert_int_equal(memory.plane_count, 1);
            assert_true(memory.planes[0].row_stride >= WIDTH * 2);
        }
        assert_int_equal(shw_external_image_import(sides[1].device, &params, &memory, &theirs), SHW_OK);
        assert_int_equal(close(memory.fd), 0);
        read_labels(&sides[1], &theirs, &to);
        assert_memory_equal(to.mapped, expected, sizeof expected);
        assert_int_equal(shw_external_export(sides[1].device, &theirs, &memory), SHW_ERROR_ARGUMENT);
        assert_int_equal(memory.fd, -1);
        sides[1].memory.errors--;
        shw_external_destroy(sides[0].device, &mine);
        shw_external_destroy(sides[1].device, &theirs);
        shw_buffer_destroy(sides[1].device, &to);
    }
    close_sides(sides);
}

TESTING_CASE(images_by_opaque_descriptors)
{
    check_image(SHW_EXTERNAL_OPAQUE_FD);
}

TESTING_CASE(images_by_dma_buf)
{
    check_image(SHW_EXTERNAL_DMA_BUF);
}

/* What is wrong. */

static void refused(struct side *side, enum shw_result given, enum shw_result expected, const char *why)
{
    assert_int_equal(given, expected);
    assert_int_equal(side->memory.errors, 1);
    if (strstr(side->memory.last, why) == NULL)
        fail_msg("'%s' does not say '%s'", side->memory.last, why);
    side->memory.errors = 0;
}

static const struct shw_external_buffer_params buffer_params = {.size = 4096,
                                                                .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
static const struct shw_external_image_params image_params = {
    .format = VK_FORMAT_R8_UNORM, .extent = {WIDTH, HEIGHT}, .usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT};

TESTING_CASE(a_device_without_the_extensions_says_so)
{
    struct shw_external external = {.memory = (VkDeviceMemory)(uintptr_t)1};
    struct shw_external_memory memory = {.kind = SHW_EXTERNAL_OPAQUE_FD, .fd = 0, .size = 4096};
    struct side side;

    open_side(&side, 0);
    refused(&side, shw_external_buffer_create(side.device, &buffer_params, SHW_EXTERNAL_OPAQUE_FD, &external),
            SHW_ERROR_UNSUPPORTED, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    assert_true(external.memory == VK_NULL_HANDLE);
    refused(&side, shw_external_image_create(side.device, &image_params, SHW_EXTERNAL_DMA_BUF, &external),
            SHW_ERROR_UNSUPPORTED, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    refused(&side, shw_external_buffer_import(side.device, &buffer_params, &memory, &external), SHW_ERROR_UNSUPPORTED,
            VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME);
    refused(&side, shw_external_export(side.device, &external, &memory), SHW_ERROR_ARGUMENT, "neither");
    close_side(&side);
    open_side(&side, 1);
    if (side.engine.device_extension_count == 1) {
        refused(&side, shw_external_buffer_create(side.device, &buffer_params, SHW_EXTERNAL_DMA_BUF, &external),
                SHW_ERROR_UNSUPPORTED, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME);
        refused(&side, shw_external_image_create(side.device, &image_params, SHW_EXTERNAL_DMA_BUF, &external),
                SHW_ERROR_UNSUPPORTED, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME);
    }
    close_side(&side);
}

TESTING_CASE(what_is_wrong_is_refused)
{
    const struct shw_external_use use = {.stages = VK_PIPELINE_STAGE_TRANSFER_BIT};
    struct shw_external_memory memory = {.kind = SHW_EXTERNAL_OPAQUE_FD, .fd = -1, .size = 4096};
    struct shw_external_buffer_params no_size = buffer_params;
    struct shw_external_image_params no_format = image_params;
    static const VkFormat no_colours[] = {VK_FORMAT_D16_UNORM,
                                          VK_FORMAT_X8_D24_UNORM_PACK32,
                                          VK_FORMAT_D32_SFLOAT,
                                          VK_FORMAT_S8_UINT,
                                          VK_FORMAT_D24_UNORM_S8_UINT,
                                          VK_FORMAT_D32_SFLOAT_S8_UINT,
                                          VK_FORMAT_G8_B8R8_2PLANE_420_UNORM,
                                          VK_FORMAT_G16_B16_R16_3PLANE_444_UNORM,
                                          VK_FORMAT_G10X6_B10X6R10X6_2PLANE_444_UNORM_3PACK16};
    struct shw_external external, nothing = {.layout = {.kind = SHW_EXTERNAL_OPAQUE_FD}};
    enum shw_result imported;
    int ends[2];
    struct side side;

    open_side(&side, 1);
    refused(&side, shw_external_buffer_create(side.device, &buffer_params, 0, &external), SHW_ERROR_ARGUMENT, "`kind`");
    refused(&side, shw_external_buffer_create(side.device, &buffer_params, 3, &external), SHW_ERROR_ARGUMENT, "`kind`");
    for (uint32_t kind = 0; kind < 4; kind++) {
        nothing.layout.kind = (enum shw_external_kind)kind;
        refused(&side, shw_external_acquire(side.device, VK_NULL_HANDLE, &nothing, &use), SHW_ERROR_ARGUMENT,
                "neither");
        refused(&side, shw_external_release(side.device, VK_NULL_HANDLE, &nothing, &use), SHW_ERROR_ARGUMENT,
                "neither");
        refused(&side, shw_external_export(side.device, &nothing, &memory), SHW_ERROR_ARGUMENT, "neither");
    }
    memory = (struct shw_external_memory){.kind = SHW_EXTERNAL_OPAQUE_FD, .fd = -1, .size = 4096};
    if (side.engine.device_extension_count == 1) {
        no_size.size = 0;
        no_format.format = VK_FORMAT_UNDEFINED;
        refused(&side, shw_external_buffer_create(side.device, &no_size, SHW_EXTERNAL_OPAQUE_FD, &external),
                SHW_ERROR_ARGUMENT, "`size`");
        refused(&side, shw_external_image_create(side.device, &no_format, SHW_EXTERNAL_OPAQUE_FD, &external),
                SHW_ERROR_ARGUMENT, "`format`");
        for (size_t f = 0; f < sizeof no_colours / sizeof *no_colours; f++) {
            no_format.format = no_colours[f];
            refused(&side, shw_external_image_create(side.device, &no_format, SHW_EXTERNAL_OPAQUE_FD, &external),
                    SHW_ERROR_ARGUMENT, "a format of colour, with one plane, not VK_FORMAT_");
        }
    }
    if (side.engine.device_extension_count == 1 &&
        !lacks(&side, shw_external_buffer_create(side.device, &buffer_params, SHW_EXTERNAL_OPAQUE_FD, &external))) {
        memory.memory_type = external.layout.memory_type;
        refused(&side, shw_external_acquire(side.device, VK_NULL_HANDLE, &external, &use), SHW_ERROR_ARGUMENT,
                "`commands`");
        shw_external_destroy(side.device, &external);
        refused(&side, shw_external_buffer_import(side.device, &buffer_params, &memory, &external), SHW_ERROR_ARGUMENT,
                "not an open file descriptor");
        memory.fd = open("/dev/null", O_RDONLY);
        assert_true(memory.fd >= 0);
        imported = shw_external_buffer_import(side.device, &buffer_params, &memory, &external);
        if (imported == SHW_ERROR_ARGUMENT) /* drivers need not notice, and validation layers may report it */
            assert_non_null(strstr(side.memory.last, "as memory (opaque file descriptor)"));
        shw_external_destroy(side.device, &external);
        assert_int_equal(close(memory.fd), 0);
        side.memory.errors = 0;
        assert_int_equal(pipe(ends), 0);
        memory.fd = ends[0];
        refused(&side, shw_external_buffer_import(side.device, &buffer_params, &memory, &external), SHW_ERROR_ARGUMENT,
                "is a pipe or a socket");
        assert_int_equal(close(ends[0]) | close(ends[1]), 0);
        memory.fd = -1;
        memory.size = 4095;
        refused(&side, shw_external_buffer_import(side.device, &buffer_params, &memory, &external), SHW_ERROR_ARGUMENT,
                "too few");
        memory.size = 1 << 20;
        memory.offset = 1;
        refused(&side, shw_external_buffer_import(side.device, &buffer_params, &memory, &external), SHW_ERROR_ARGUMENT,
                "a multiple of");
        memory.offset = 1 << 18;
        memory.dedicated = true;
        refused(&side, shw_external_buffer_import(side.device, &buffer_params, &memory, &external), SHW_ERROR_ARGUMENT,
                "dedicated");
        memory.offset = 0;
        memory.memory_type = 32;
        refused(&side, shw_external_buffer_import(side.device, &buffer_params, &memory, &external), SHW_ERROR_ARGUMENT,
                "`memory_type` 32");
    }
    if (side.engine.device_extension_count == 1 &&
        !lacks(&side, shw_external_image_create(side.device, &image_params, SHW_EXTERNAL_OPAQUE_FD, &external))) {
        const VkCommandBuffer any = (VkCommandBuffer)(uintptr_t)1; /* nothing is recorded */

        refused(&side, shw_external_acquire(side.device, any, &external, &use), SHW_ERROR_ARGUMENT,
                "VK_IMAGE_LAYOUT_UNDEFINED");
        refused(&side, shw_external_release(side.device, any, &external, &use), SHW_ERROR_ARGUMENT,
                "VK_IMAGE_LAYOUT_UNDEFINED");
        shw_external_destroy(side.device, &external);
    }
    close_side(&side);
}
