/* Loads from buffers, and texel fetches. */
#include "bench/roofline_device.h"
#include "vulkan/barrier.h"
#include "vulkan/submit.h"

#define SCATTERED_GROUP 64u

SHW_SHADER_DECLARE(bench_roofline_loads_comp);
SHW_SHADER_DECLARE(bench_roofline_loads_scattered_comp);
SHW_SHADER_DECLARE(bench_roofline_fetches_comp);
SHW_SHADER_DECLARE(bench_roofline_fetches_wide_comp);
SHW_SHADER_DECLARE(bench_roofline_fetches_frag);
SHW_SHADER_DECLARE(bench_roofline_fetches_wide_frag);

static enum shw_result create_loads(struct shw_roofline_device *roofline, struct shw_roofline_case *made,
                                    struct shw_shader shader)
{
    const struct shw_binding bindings[] = {{SHW_ROOFLINE_SOURCE, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                           {SHW_ROOFLINE_RESULT, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const struct shw_program_params params = {.compute = shader, .bindings = bindings, .binding_count = 2};
    const struct shw_resource resources[] = {{.buffer = roofline->large.handle}, {.buffer = roofline->result.handle}};

    made->amount = (double)SHW_ROOFLINE_PIXELS * SHW_ROOFLINE_UNROLL;
    return shw_roofline_create_program(roofline, params, resources, made);
}

static enum shw_result create_coherent(struct shw_roofline_device *roofline, struct shw_roofline_case *made)
{
    return create_loads(roofline, made, SHW_SHADER(bench_roofline_loads_comp));
}

static enum shw_result create_scattered(struct shw_roofline_device *roofline, struct shw_roofline_case *made)
{
    return create_loads(roofline, made, SHW_SHADER(bench_roofline_loads_scattered_comp));
}

/* An image with the first words of the large buffer. */
static enum shw_result create_source(struct shw_roofline_device *roofline, struct shw_roofline_case *made, bool wide)
{
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

/* In a compute shader if `compute` has words, else in `fragment`. */
static enum shw_result create_fetches(struct shw_roofline_device *roofline, struct shw_roofline_case *made, bool wide,
                                      struct shw_shader compute, struct shw_shader fragment)
{
    const struct shw_binding bindings[] = {{SHW_ROOFLINE_SOURCE, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
                                           {SHW_ROOFLINE_RESULT, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const VkFormat format = VK_FORMAT_R32_UINT;
    bool drawn = fragment.words != NULL;
    const struct shw_program_params params = {.compute = compute,
                                              .fragment = fragment,
                                              .bindings = bindings,
                                              .binding_count = drawn ? 1 : 2,
                                              .attachment_count = drawn,
                                              .attachments = &format,
                                              .load = VK_ATTACHMENT_LOAD_OP_DONT_CARE};

    made->amount = (double)SHW_ROOFLINE_PIXELS * SHW_ROOFLINE_UNROLL;
    SHW_PROPAGATE(create_source(roofline, made, wide));
    const struct shw_resource resources[] = {{.view = made->source.view}, {.buffer = roofline->result.handle}};
    SHW_PROPAGATE(shw_roofline_create_program(roofline, params, resources, made));
    if (drawn)
        SHW_PROPAGATE(shw_roofline_create_drawn(roofline, format, SHW_ROOFLINE_WIDTH, SHW_ROOFLINE_HEIGHT, made));
    return SHW_OK;
}

static enum shw_result create_compute_fetches(struct shw_roofline_device *roofline, struct shw_roofline_case *made)
{
    return create_fetches(roofline, made, false, SHW_SHADER(bench_roofline_fetches_comp), (struct shw_shader){0});
}

static enum shw_result create_wide_compute_fetches(struct shw_roofline_device *roofline, struct shw_roofline_case *made)
{
    return create_fetches(roofline, made, true, SHW_SHADER(bench_roofline_fetches_wide_comp), (struct shw_shader){0});
}

static enum shw_result create_fragment_fetches(struct shw_roofline_device *roofline, struct shw_roofline_case *made)
{
    return create_fetches(roofline, made, false, (struct shw_shader){0}, SHW_SHADER(bench_roofline_fetches_frag));
}

static enum shw_result create_wide_fragment_fetches(struct shw_roofline_device *roofline,
                                                    struct shw_roofline_case *made)
{
    return create_fetches(roofline, made, true, (struct shw_shader){0}, SHW_SHADER(bench_roofline_fetches_wide_frag));
}

static void record_coherent(const struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                            VkCommandBuffer commands, const struct shw_roofline_push *push)
{
    shw_program_dispatch(roofline->device, commands, &made->program, made->set, push, SHW_ROOFLINE_WIDTH / 32,
                         SHW_ROOFLINE_HEIGHT / 4, 1);
}

static void record_scattered(const struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                             VkCommandBuffer commands, const struct shw_roofline_push *push)
{
    shw_program_dispatch(roofline->device, commands, &made->program, made->set, push,
                         SHW_ROOFLINE_PIXELS / SCATTERED_GROUP, 1, 1);
}

static void record_compute_fetches(const struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                                   VkCommandBuffer commands, const struct shw_roofline_push *push)
{
    shw_program_dispatch(roofline->device, commands, &made->program, made->set, push, SHW_ROOFLINE_WIDTH / 8,
                         SHW_ROOFLINE_HEIGHT / 8, 1);
}

static void record_fragment_fetches(const struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
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
        *good &=
            sums[i] == coherent_sum(i, push, made->kernel->near, made->source.format == VK_FORMAT_R32G32B32A32_UINT);
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
     .create = create_coherent,
     .record = record_coherent,
     .check = check_coherent},
    {.limit = "compute_buffer_loads_near",
     .title = "coherent loads of words in the nearest cache, compute",
     .unit = "loads",
     .create = create_coherent,
     .record = record_coherent,
     .check = check_coherent,
     .near = true},
    {.limit = "compute_buffer_loads_scattered",
     .title = "scattered loads of words from a storage buffer, compute",
     .unit = "loads",
     .create = create_scattered,
     .record = record_scattered,
     .check = check_scattered},
    {.limit = "compute_texel_fetches",
     .title = "fetches of R32_UINT texels, compute",
     .unit = "fetches",
     .create = create_compute_fetches,
     .record = record_compute_fetches,
     .check = check_coherent},
    {.limit = "compute_texel_fetches_near",
     .title = "fetches of R32_UINT texels in the nearest cache, compute",
     .unit = "fetches",
     .create = create_compute_fetches,
     .record = record_compute_fetches,
     .check = check_coherent,
     .near = true},
    {.limit = "compute_texel_fetches_wide",
     .title = "fetches of R32G32B32A32_UINT texels, compute",
     .unit = "fetches",
     .create = create_wide_compute_fetches,
     .record = record_compute_fetches,
     .check = check_coherent},
    {.limit = "fragment_texel_fetches",
     .title = "fetches of R32_UINT texels, fragment",
     .unit = "fetches",
     .create = create_fragment_fetches,
     .record = record_fragment_fetches,
     .check = check_coherent},
    {.limit = "fragment_texel_fetches_near",
     .title = "fetches of R32_UINT texels in the nearest cache, fragment",
     .unit = "fetches",
     .create = create_fragment_fetches,
     .record = record_fragment_fetches,
     .check = check_coherent,
     .near = true},
    {.limit = "fragment_texel_fetches_wide",
     .title = "fetches of R32G32B32A32_UINT texels, fragment",
     .unit = "fetches",
     .create = create_wide_fragment_fetches,
     .record = record_fragment_fetches,
     .check = check_coherent},
};

const uint32_t shw_roofline_read_count = sizeof shw_roofline_reads / sizeof *shw_roofline_reads;
