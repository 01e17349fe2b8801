#include <stdlib.h>
#include <string.h>

#include "bench/document.h"
#include "bench/roofline_device.h"
#include "bench/timing.h"
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

#define LARGE_BYTES       ((uint64_t)512 << 20) /* larger than the caches of devices */
#define LARGE_BYTES_CPU   ((uint64_t)64 << 20)
#define LARGE_BYTES_LEAST ((uint64_t)32 << 20) /* holds the planes */
#define RUN_MS            8.0                  /* at least, on a device */
#define RUN_MS_CPU        3.0
#define STEPS_MAX         (1u << 15)
#define PLANES_BYTES      (4 * SHW_ROOFLINE_STRIDE * SHW_ROOFLINE_ROWS * SHW_ROOFLINE_LAYERS)

_Static_assert(PLANES_BYTES <= LARGE_BYTES_LEAST, "the large buffer holds the planes");

/* A limit that was not measured. */
static enum shw_result add_skipped(struct shw_bench *bench, const char *limit, const char *title, const char *unit,
                                   const char *why)
{
    json_t *entry = json_pack("{s:s, s:s, s:s, s:s}", "limit", limit, "title", title, "unit", unit, "skipped", why);

    if (entry == NULL || json_array_append_new(json_object_get(bench->document, "limits"), entry) != 0)
        return shw_fail_memory(&bench->log, "the report");
    return SHW_OK;
}

static double median(const double *ms, uint32_t runs)
{
    double sorted[SHW_BENCH_RUNS_MAX];

    memcpy(sorted, ms, runs * sizeof *sorted);
    return shw_bench_summarise(sorted, runs).median;
}

struct timed {
    const struct shw_roofline_device *roofline;
    const struct shw_roofline_case *made;
    uint32_t steps;
};

static void record(void *user, VkCommandBuffer commands)
{
    const struct timed *timed = user;
    const struct shw_roofline_push push = shw_roofline_push_of(timed->roofline, timed->made->kernel, timed->steps);

    shw_roofline_record(timed->roofline, timed->made, commands, &push);
    shw_roofline_barrier(timed->roofline, commands);
}

/* Enough steps to make the overhead negligible. */
static enum shw_result find_steps(struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                                  uint32_t *steps)
{
    double wanted = roofline->description.is_cpu ? RUN_MS_CPU : RUN_MS, start;

    for (*steps = 1; *steps < STEPS_MAX; *steps *= 2) {
        start = shw_bench_now();
        SHW_PROPAGATE(shw_roofline_run(roofline, made, *steps));
        if (shw_bench_now() - start >= wanted)
            break;
    }
    return SHW_OK;
}

static enum shw_result measure(struct shw_bench *bench, struct shw_roofline_device *roofline,
                               const struct shw_roofline_kernel *kernel, struct shw_bench_times *times)
{
    const struct shw_roofline_push push = shw_roofline_push_of(roofline, kernel, 1);
    struct shw_roofline_case made = {.kernel = kernel};
    struct timed timed = {.roofline = roofline, .made = &made};
    const struct shw_bench_work work = {.record = record, .user = &timed, .most = 1};
    const char *cannot = kernel->cannot != NULL ? kernel->cannot(roofline) : NULL;
    bool good = false;
    double ms;
    enum shw_result result;

    if (cannot != NULL)
        return add_skipped(bench, kernel->limit, kernel->title, kernel->unit, cannot);
    shw_bench_say(bench, "roofline: %s", kernel->title);
    SHW_TRY(kernel->create(roofline, &made));
    SHW_TRY(shw_roofline_run(roofline, &made, 1));
    SHW_TRY(kernel->check(roofline, &made, &push, &good));
    if (!good) {
        result = add_skipped(bench, kernel->limit, kernel->title, kernel->unit, "the device gave wrong results");
        goto fail;
    }
    SHW_TRY(find_steps(roofline, &made, &timed.steps));
    SHW_TRY(shw_bench_time(bench, &work, times));
    ms = median(times->device_runs > 0 ? times->device : times->wall, times->runs);
    SHW_TRY(shw_bench_add_limit(bench, kernel->limit, kernel->title, 1e3 * made.amount * timed.steps / ms, kernel->unit,
                                times));

fail:
    shw_roofline_case_destroy(roofline->device, &made);
    return result;
}

static uint64_t large_bytes(const struct shw_bench *bench)
{
    const struct shw_device_description *device = &bench->description;
    uint64_t bytes = device->is_cpu || bench->options.quick ? LARGE_BYTES_CPU : LARGE_BYTES;

    while (bytes > LARGE_BYTES_LEAST && (bytes > device->storage_buffer_range_max || bytes > device->memory_bytes / 8))
        bytes /= 2;
    return bytes;
}

static enum shw_result measure_all(struct shw_bench *bench, struct shw_roofline_device *roofline,
                                   const struct shw_roofline_kernel *kernels, uint32_t count,
                                   struct shw_bench_times *times)
{
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < count; i++) {
        result = measure(bench, roofline, &kernels[i], times);
        if (result != SHW_OK && shw_bench_is_skip(result))
            result = add_skipped(bench, kernels[i].limit, kernels[i].title, kernels[i].unit, bench->message);
        if (result != SHW_OK)
            break;
    }
    return result;
}

static enum shw_result measure_device(struct shw_bench *bench, struct shw_bench_times *times)
{
    struct shw_roofline_device roofline = {0};
    enum shw_result result;

    SHW_TRY(shw_roofline_device_create(bench->device, large_bytes(bench), &bench->log, &roofline));
    SHW_TRY(measure_all(bench, &roofline, shw_roofline_reads, shw_roofline_read_count, times));
    SHW_TRY(measure_all(bench, &roofline, shw_roofline_writes, shw_roofline_write_count, times));

fail:
    shw_roofline_device_destroy(&roofline);
    return result;
}

struct gathers {
    struct shw_thread_pool *pool;
    const uint32_t *table;
    uint32_t *sums; /* per thread */
    uint32_t steps;
};

static void gather_part(void *user, uint32_t index, uint32_t thread)
{
    const struct gathers *gathers = user;

    (void)thread;
    gathers->sums[index] = shw_gathers(gathers->table, index, gathers->steps, true);
}

static enum shw_result gather(void *user)
{
    struct gathers *gathers = user;

    shw_thread_pool_run(gathers->pool, shw_thread_pool_size(gathers->pool), gather_part, gathers);
    return SHW_OK;
}

static bool gathers_are_good(const struct gathers *gathers)
{
    for (uint32_t i = 0; i < shw_thread_pool_size(gathers->pool); i++)
        if (gathers->sums[i] != shw_gathers(gathers->table, i, gathers->steps, false))
            return false;
    return true;
}

static enum shw_result measure_processor(struct shw_bench *bench, struct shw_bench_times *times)
{
    const char *limit = "cpu_gathers", *unit = "loads";
    const char *title = shw_gathers_have_vector() ? "scattered loads of words from a small table, cpu with AVX2 gathers"
                                                  : "scattered loads of words from a small table, cpu";
    uint32_t threads = shw_thread_pool_size(bench->pool), words = 1u << SHW_GATHERS_BITS;
    uint32_t *table = malloc(words * sizeof *table), *sums = malloc(threads * sizeof *sums);
    struct gathers gathers = {.pool = bench->pool, .table = table, .sums = sums, .steps = 1000};
    const struct shw_bench_work work = {.run = gather, .user = &gathers};
    double start, ms = 0;
    enum shw_result result;

    if (table == NULL || sums == NULL) {
        result = shw_fail_memory(&bench->log, "a table");
        goto fail;
    }
    for (uint32_t i = 0; i < words; i++)
        table[i] = shw_roofline_word(i);
    shw_bench_say(bench, "roofline: %s", title);
    SHW_TRY(gather(&gathers));
    if (!gathers_are_good(&gathers)) {
        result = add_skipped(bench, limit, title, unit, "the processor gave wrong results");
        goto fail;
    }
    for (; ms < RUN_MS_CPU && gathers.steps < 1u << 24; gathers.steps *= 2) {
        start = shw_bench_now();
        SHW_TRY(gather(&gathers));
        ms = shw_bench_now() - start;
    }
    SHW_TRY(shw_bench_time(bench, &work, times));
    ms = median(times->wall, times->runs);
    SHW_TRY(
        shw_bench_add_limit(bench, limit, title, 1e3 * gathers.steps * SHW_GATHERS_LANES * threads / ms, unit, times));

fail:
    free(sums);
    free(table);
    return result;
}

enum shw_result shw_bench_roofline(struct shw_bench *bench)
{
    struct shw_bench_times *times = malloc(sizeof *times);
    enum shw_result result;

    if (times == NULL)
        return shw_fail_memory(&bench->log, "times");
    if (bench->device != NULL)
        SHW_TRY(measure_device(bench, times));
    SHW_TRY(measure_processor(bench, times));

fail:
    free(times);
    return result;
}
