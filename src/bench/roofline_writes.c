/* Blended points, atomic additions, copies and fills. */
#include "bench/roofline_device.h"

#include <stdlib.h>
#include <string.h>

#define POINTS      (1u << 16) /* of one step */
#define TARGET_SIDE (1u << SHW_ROOFLINE_TARGET_SHIFT)

SHW_SHADER_DECLARE(bench_roofline_atomics_shared_comp);
SHW_SHADER_DECLARE(bench_roofline_atomics_global_comp);
SHW_SHADER_DECLARE(bench_roofline_points_vert);
SHW_SHADER_DECLARE(train_blend_one_frag);

static const char *cannot_blend(const struct shw_roofline_device *roofline)
{
    return roofline->description.blends_r32_sfloat ? NULL : "the device does not blend R32_SFLOAT";
}

static enum shw_result create_points(struct shw_roofline_device *roofline, struct shw_roofline_case *made)
{
    const VkFormat format = VK_FORMAT_R32_SFLOAT;
    const struct shw_program_params params = {.vertex = SHW_SHADER(bench_roofline_points_vert),
                                              .fragment = SHW_SHADER(train_blend_one_frag),
                                              .attachment_count = 1,
                                              .attachments = &format,
                                              .load = VK_ATTACHMENT_LOAD_OP_CLEAR,
                                              .additive = true,
                                              .topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST};

    made->amount = POINTS;
    SHW_PROPAGATE(shw_roofline_create_program(roofline, params, NULL, made));
    return shw_roofline_create_drawn(roofline, format, TARGET_SIDE, TARGET_SIDE, made);
}

static void record_points(const struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                          VkCommandBuffer commands, const struct shw_roofline_push *push)
{
    const struct shw_device *device = roofline->device;
    const VkClearValue clear = {0};
    const VkRect2D area = {.extent = {TARGET_SIDE, TARGET_SIDE}};
    const VkViewport viewport = {.width = TARGET_SIDE, .height = TARGET_SIDE, .maxDepth = 1.0f};
    const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
                                         .renderPass = made->program.render_pass,
                                         .framebuffer = made->target.framebuffer,
                                         .renderArea = area,
                                         .clearValueCount = 1,
                                         .pClearValues = &clear};

    device->vk.CmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    device->vk.CmdSetViewport(commands, 0, 1, &viewport);
    device->vk.CmdSetScissor(commands, 0, 1, &area);
    shw_program_bind(device, commands, &made->program, made->set, push);
    device->vk.CmdDraw(commands, push->steps * POINTS, 1, 0, 0);
    device->vk.CmdEndRenderPass(commands);
}

static enum shw_result check_points(struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                                    const struct shw_roofline_push *push, bool *good)
{
    float *expected = calloc((size_t)TARGET_SIDE * TARGET_SIDE, sizeof *expected);
    enum shw_result result;

    if (expected == NULL)
        return shw_fail_memory(roofline->log, "counts");
    for (uint32_t i = 0; i < POINTS; i++) {
        uint32_t draw = shw_roofline_begin(i, push->seed);
        expected[draw % TARGET_SIDE * TARGET_SIDE + draw / (UINT32_MAX / TARGET_SIDE + 1)] += 1.0f;
    }
    SHW_TRY(shw_roofline_read_image(roofline, &made->drawn));
    *good = memcmp(expected, roofline->staging.mapped, (size_t)TARGET_SIDE * TARGET_SIDE * sizeof *expected) == 0;

fail:
    free(expected);
    return result;
}

static enum shw_result create_atomics(struct shw_roofline_device *roofline, struct shw_roofline_case *made)
{
    const struct shw_binding binding = {SHW_ROOFLINE_RESULT, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    const struct shw_program_params params = {
        .compute = shw_roofline_shader(made->kernel), .bindings = &binding, .binding_count = 1};

    made->amount = (double)SHW_ROOFLINE_PIXELS * SHW_ROOFLINE_UNROLL;
    return shw_roofline_create_program(roofline, params, &(struct shw_resource){.buffer = roofline->result.handle},
                                       made);
}

static enum shw_result check_atomics(struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                                     const struct shw_roofline_push *push, bool *good)
{
    uint32_t bits = made->kernel->counters_log2;
    uint32_t *expected = calloc((size_t)1 << bits, sizeof *expected);
    enum shw_result result;

    if (expected == NULL)
        return shw_fail_memory(roofline->log, "counters");
    for (uint32_t i = 0; i < SHW_ROOFLINE_PIXELS; i++) {
        uint32_t draw = shw_roofline_begin(i, push->seed);
        for (uint32_t k = 0; k < SHW_ROOFLINE_UNROLL; k++) {
            draw = draw * 1664525u + 1013904223u;
            expected[draw >> (32 - bits)]++;
        }
    }
    SHW_TRY(shw_roofline_read_buffer(roofline, &roofline->result, 0, (VkDeviceSize)4 << bits));
    *good = memcmp(expected, roofline->staging.mapped, (size_t)4 << bits) == 0;

fail:
    free(expected);
    return result;
}

static enum shw_result create_copy(struct shw_roofline_device *roofline, struct shw_roofline_case *made)
{
    made->amount = (double)roofline->large.size;
    return shw_buffer_create(roofline->device, roofline->large.size,
                             VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_DEVICE,
                             "bench copy", &made->other);
}

static void record_copy(const struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                        VkCommandBuffer commands, const struct shw_roofline_push *push)
{
    const VkBufferCopy copy = {.size = roofline->large.size};

    for (uint32_t i = 0; i < push->steps; i++) {
        roofline->device->vk.CmdCopyBuffer(commands, roofline->large.handle, made->other.handle, 1, &copy);
        shw_roofline_barrier(roofline, commands);
    }
}

/* The last words of a buffer with the words from `seed`. */
static enum shw_result check_end(struct shw_roofline_device *roofline, const struct shw_buffer *buffer, uint32_t seed,
                                 bool *good)
{
    const uint32_t *words = roofline->staging.mapped;
    VkDeviceSize bytes = buffer->size < roofline->staging.size ? buffer->size : roofline->staging.size;
    uint32_t first = (uint32_t)((buffer->size - bytes) / 4) + seed;

    SHW_PROPAGATE(shw_roofline_read_buffer(roofline, buffer, buffer->size - bytes, bytes));
    *good = true;
    for (uint32_t i = 0; i < bytes / 4; i++)
        *good &= words[i] == shw_roofline_word(first + i);
    return SHW_OK;
}

static enum shw_result check_copy(struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                                  const struct shw_roofline_push *push, bool *good)
{
    (void)push;
    return check_end(roofline, &made->other, 0, good);
}

static enum shw_result create_fill(struct shw_roofline_device *roofline, struct shw_roofline_case *made)
{
    made->amount = (double)roofline->large.size;
    return SHW_OK;
}

static void record_fill(const struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                        VkCommandBuffer commands, const struct shw_roofline_push *push)
{
    (void)made;
    for (uint32_t i = 0; i < push->steps; i++) {
        shw_roofline_record_fill(roofline, commands, push->seed);
        shw_roofline_barrier(roofline, commands);
    }
}

static enum shw_result check_fill(struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                                  const struct shw_roofline_push *push, bool *good)
{
    (void)made;
    return check_end(roofline, &roofline->large, push->seed, good);
}

/* The fill is last: the reads need the initial words of the large buffer. */
const struct shw_roofline_kernel shw_roofline_writes[] = {
    {.limit = "point_blends",
     .title = "points added by blending to R32_SFLOAT pixels drawn at random",
     .unit = "points",
     .create = create_points,
     .record = record_points,
     .check = check_points,
     .cannot = cannot_blend},
    {.limit = "shared_atomics",
     .title = "atomic additions in shared memory",
     .unit = "adds",
     SHW_ROOFLINE_SHADER(bench_roofline_atomics_shared_comp),
     .groups = {SHW_ROOFLINE_PIXELS / SHW_ROOFLINE_WORKGROUP, 1},
     .create = create_atomics,
     .check = check_atomics,
     .counters_log2 = SHW_ROOFLINE_SHARED_SHIFT},
    {.limit = "global_atomics",
     .title = "atomic additions in device memory",
     .unit = "adds",
     SHW_ROOFLINE_SHADER(bench_roofline_atomics_global_comp),
     .groups = {SHW_ROOFLINE_PIXELS / SHW_ROOFLINE_WORKGROUP, 1},
     .create = create_atomics,
     .check = check_atomics,
     .counters_log2 = SHW_ROOFLINE_GLOBAL_SHIFT},
    {.limit = "copy",
     .title = "copy from buffer to buffer",
     .unit = "bytes",
     .create = create_copy,
     .record = record_copy,
     .check = check_copy},
    {.limit = "fill",
     .title = "stores to a storage buffer, compute",
     .unit = "bytes",
     .create = create_fill,
     .record = record_fill,
     .check = check_fill},
};

const uint32_t shw_roofline_write_count = sizeof shw_roofline_writes / sizeof *shw_roofline_writes;
