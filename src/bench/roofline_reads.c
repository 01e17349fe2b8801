/* Loads from buffers, and texel fetches. */
#include "bench/roofline_device.h"
#include "vulkan/commands.h"

#define SCATTERED_GROUP 64u

SHW_SHADER_DECLARE(bench_roofline_loads_comp);
SHW_SHADER_DECLARE(bench_roofline_loads_scattered_comp);
SHW_SHADER_DECLARE(bench_roofline_fetches_comp);
SHW_SHADER_DECLARE(bench_roofline_fetches_wide_comp);
SHW_SHADER_DECLARE(bench_roofline_fetches_frag);
SHW_SHADER_DECLARE(bench_roofline_fetches_wide_frag);

static enum shw_result create_loads(struct shw_roofline_device *roofline, struct shw_roofline_case *made)
{
    const struct shw_binding bindings[] = {{SHW_ROOFLINE_SOURCE, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                           {SHW_ROOFLINE_RESULT, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const struct shw_program_params params = {
        .compute = shw_roofline_shader(made->kernel), .bindings = bindings, .binding_count = 2};
    const struct shw_resource resources[] = {{.buffer = roofline->large.handle}, {.buffer = roofline->result.handle}};

    made->amount = (double)SHW_ROOFLINE_PIXELS * SHW_ROOFLINE_UNROLL;
    return shw_roofline_create_program(roofline, params, resources, made);
}

/* An image with the first words of the large buffer. */
static enum shw_result create_source(struct shw_roofline_device *roofline, struct shw_roofline_case *made)
{
    bool wide = made->kernel->wide;
    const VkBufferImageCopy copy = {
        .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, wide ? 1 : SHW_ROOFLINE_LAYERS},
        .imageExtent = {SHW_ROOFLINE_STRIDE, SHW_ROOFLINE_ROWS, 1}};
    const struct shw_use sampled = {VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                    VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                    VK_ACCESS_SHADER_READ_BIT};
    struct shw_device *device = roofline->device;
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_vulkan_image_create(device, wide ? VK_FORMAT_R32G32B32A32_UINT : VK_FORMAT_R32_UINT,
                                          SHW_ROOFLINE_STRIDE, SHW_ROOFLINE_ROWS, copy.imageSubresource.layerCount,
                                          VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "bench texels",
                                          &made->source));
    SHW_PROPAGATE(shw_submit_begin(device, &commands));
    shw_image_barrier(device, commands, made->source.handle, shw_use_nothing, shw_use_copy_target);
    device->vk.CmdCopyBufferToImage(commands, roofline->large.handle, made->source.handle,
                                    VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    shw_image_barrier(device, commands, made->source.handle, shw_use_copy_target, sampled);
    return shw_submit_wait(device, commands);
}

static enum shw_result create_fetches(struct shw_roofline_device *roofline, struct shw_roofline_case *made)
{
    const struct shw_binding bindings[] = {{SHW_ROOFLINE_SOURCE, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
                                           {SHW_ROOFLINE_RESULT, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const VkFormat format = VK_FORMAT_R32_UINT;
    const struct shw_shader shader = shw_roofline_shader(made->kernel), none = {0};
    bool drawn = made->kernel->record != NULL;
    const struct shw_program_params params = {.compute = drawn ? none : shader,
                                              .fragment = drawn ? shader : none,
                                              .bindings = bindings,
                                              .binding_count = drawn ? 1 : 2,
                                              .attachment_count = drawn,
                                              .attachments = &format,
                                              .load = VK_ATTACHMENT_LOAD_OP_DONT_CARE};

    made->amount = (double)SHW_ROOFLINE_PIXELS * SHW_ROOFLINE_UNROLL;
    SHW_PROPAGATE(create_source(roofline, made));
    const struct shw_resource resources[] = {{.view = made->source.view}, {.buffer = roofline->result.handle}};
    SHW_PROPAGATE(shw_roofline_create_program(roofline, params, resources, made));
    if (drawn)
        SHW_PROPAGATE(shw_roofline_create_drawn(roofline, format, SHW_ROOFLINE_WIDTH, SHW_ROOFLINE_HEIGHT, made));
    return SHW_OK;
}

static void draw_fetches(const struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                         VkCommandBuffer commands, const struct shw_roofline_push *push)
{
    shw_program_draw(roofline->device, commands, &made->program, made->set, push, made->target.framebuffer,
                     SHW_ROOFLINE_WIDTH, SHW_ROOFLINE_HEIGHT);
}

/* The sum of a pixel in one step: consecutive planes, rows of SHW_ROOFLINE_STRIDE texels. */
static uint32_t coherent_sum(uint32_t pixel, const struct shw_roofline_push *push, bool near, bool wide)
{
    uint32_t x = pixel % SHW_ROOFLINE_WIDTH, y = pixel / SHW_ROOFLINE_WIDTH, draw = push->seed, sum = 0;

    for (uint32_t i = 0; i < SHW_ROOFLINE_UNROLL; i++) {
        uint32_t column, row, plane, place;
        draw = draw * 1664525u + 1013904223u;
        column = (draw >> 25) % (near ? 8u : 128u);
        row = (draw >> 18) % (near ? 8u : 128u);
        plane = near ? 0 : (draw >> 15) % 8u;
        place = (y + row) * SHW_ROOFLINE_STRIDE + x + column;
        if (!wide)
            sum += shw_roofline_word(place + plane * SHW_ROOFLINE_STRIDE * SHW_ROOFLINE_ROWS);
        for (uint32_t word = 0; wide && word < 4; word++)
            sum += shw_roofline_word(4 * place + word);
    }
    return sum;
}

static uint32_t scattered_sum(uint32_t pixel, const struct shw_roofline_push *push)
{
    uint32_t draw = shw_roofline_begin(pixel, push->seed), sum = 0;

    for (uint32_t i = 0; i < SHW_ROOFLINE_UNROLL; i++) {
        draw = draw * 1664525u + 1013904223u;
        sum += shw_roofline_word(draw >> push->shift);
    }
    return sum;
}

static enum shw_result read_sums(struct shw_roofline_device *roofline, const struct shw_roofline_case *made)
{
    if (made->drawn.handle != VK_NULL_HANDLE)
        return shw_roofline_read_image(roofline, &made->drawn);
    return shw_roofline_read_buffer(roofline, &roofline->result, 0, (VkDeviceSize)4 * SHW_ROOFLINE_PIXELS);
}

static enum shw_result check_coherent(struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                                      const struct shw_roofline_push *push, bool *good)
{
    const uint32_t *sums = roofline->staging.mapped;

    SHW_PROPAGATE(read_sums(roofline, made));
    *good = true;
    for (uint32_t i = 0; i < SHW_ROOFLINE_PIXELS; i++)
        *good &= sums[i] == coherent_sum(i, push, made->kernel->near, made->kernel->wide);
    return SHW_OK;
}

static enum shw_result check_scattered(struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                                       const struct shw_roofline_push *push, bool *good)
{
    const uint32_t *sums = roofline->staging.mapped;

    SHW_PROPAGATE(read_sums(roofline, made));
    *good = true;
    for (uint32_t i = 0; i < SHW_ROOFLINE_PIXELS; i++)
        *good &= sums[i] == scattered_sum(i, push);
    return SHW_OK;
}

const struct shw_roofline_kernel shw_roofline_reads[] = {
    {.limit = "compute_buffer_loads",
     .title = "coherent loads of words from a storage buffer, compute",
     .unit = "loads",
     SHW_ROOFLINE_SHADER(bench_roofline_loads_comp),
     .groups = {SHW_ROOFLINE_WIDTH / 32, SHW_ROOFLINE_HEIGHT / 4},
     .create = create_loads,
     .check = check_coherent},
    {.limit = "compute_buffer_loads_near",
     .title = "coherent loads of words in the nearest cache, compute",
     .unit = "loads",
     SHW_ROOFLINE_SHADER(bench_roofline_loads_comp),
     .groups = {SHW_ROOFLINE_WIDTH / 32, SHW_ROOFLINE_HEIGHT / 4},
     .create = create_loads,
     .check = check_coherent,
     .near = true},
    {.limit = "compute_buffer_loads_scattered",
     .title = "scattered loads of words from a storage buffer, compute",
     .unit = "loads",
     SHW_ROOFLINE_SHADER(bench_roofline_loads_scattered_comp),
     .groups = {SHW_ROOFLINE_PIXELS / SCATTERED_GROUP, 1},
     .create = create_loads,
     .check = check_scattered},
    {.limit = "compute_texel_fetches",
     .title = "fetches of R32_UINT texels, compute",
     .unit = "fetches",
     SHW_ROOFLINE_SHADER(bench_roofline_fetches_comp),
     .groups = {SHW_ROOFLINE_WIDTH / 8, SHW_ROOFLINE_HEIGHT / 8},
     .create = create_fetches,
     .check = check_coherent},
    {.limit = "compute_texel_fetches_near",
     .title = "fetches of R32_UINT texels in the nearest cache, compute",
     .unit = "fetches",
     SHW_ROOFLINE_SHADER(bench_roofline_fetches_comp),
     .groups = {SHW_ROOFLINE_WIDTH / 8, SHW_ROOFLINE_HEIGHT / 8},
     .create = create_fetches,
     .check = check_coherent,
     .near = true},
    {.limit = "compute_texel_fetches_wide",
     .title = "fetches of R32G32B32A32_UINT texels, compute",
     .unit = "fetches",
     SHW_ROOFLINE_SHADER(bench_roofline_fetches_wide_comp),
     .groups = {SHW_ROOFLINE_WIDTH / 8, SHW_ROOFLINE_HEIGHT / 8},
     .create = create_fetches,
     .check = check_coherent,
     .wide = true},
    {.limit = "fragment_texel_fetches",
     .title = "fetches of R32_UINT texels, fragment",
     .unit = "fetches",
     SHW_ROOFLINE_SHADER(bench_roofline_fetches_frag),
     .create = create_fetches,
     .record = draw_fetches,
     .check = check_coherent},
    {.limit = "fragment_texel_fetches_near",
     .title = "fetches of R32_UINT texels in the nearest cache, fragment",
     .unit = "fetches",
     SHW_ROOFLINE_SHADER(bench_roofline_fetches_frag),
     .create = create_fetches,
     .record = draw_fetches,
     .check = check_coherent,
     .near = true},
    {.limit = "fragment_texel_fetches_wide",
     .title = "fetches of R32G32B32A32_UINT texels, fragment",
     .unit = "fetches",
     SHW_ROOFLINE_SHADER(bench_roofline_fetches_wide_frag),
     .create = create_fetches,
     .record = draw_fetches,
     .check = check_coherent,
     .wide = true},
};

const uint32_t shw_roofline_read_count = sizeof shw_roofline_reads / sizeof *shw_roofline_reads;
