#include "bench/roofline_device.h"

#include "bench/roofline_push.h"
#include "vulkan/commands.h"

#define SEED          0x5eedu
#define RESULT_BYTES  ((VkDeviceSize)4 << SHW_ROOFLINE_GLOBAL_SHIFT)
#define STAGING_BYTES ((VkDeviceSize)4 << 2 * SHW_ROOFLINE_TARGET_SHIFT)

SHW_SHADER_DECLARE(bench_roofline_fill_comp);

_Static_assert(RESULT_BYTES >= (VkDeviceSize)4 * SHW_ROOFLINE_PIXELS, "the result has a word for each pixel");

static enum shw_result create_fill(struct shw_roofline_device *roofline)
{
    const struct shw_binding binding = {SHW_ROOFLINE_RESULT, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    const struct shw_program_params params = {.name = "bench fill",
                                              .compute = SHW_SHADER(bench_roofline_fill_comp),
                                              .bindings = &binding,
                                              .binding_count = 1,
                                              .push_bytes = sizeof(struct shw_roofline_push)};

    SHW_PROPAGATE(shw_program_create(roofline->device, &params, &roofline->fill));
    SHW_PROPAGATE(shw_sets_create(roofline->device, &roofline->fill, 1, &roofline->fill_sets));
    shw_set_write(roofline->device, &roofline->fill, roofline->fill_sets.handles[0],
                  &(struct shw_resource){.buffer = roofline->large.handle});
    return SHW_OK;
}

static enum shw_result fill_large(struct shw_roofline_device *roofline)
{
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_submit_begin(roofline->device, &commands));
    shw_roofline_record_fill(roofline, commands, 0);
    shw_roofline_barrier(roofline, commands);
    return shw_submit_wait(roofline->device, commands);
}

enum shw_result shw_roofline_device_create(struct shw_device *device, uint64_t large_bytes, const struct shw_log *log,
                                           struct shw_roofline_device *roofline)
{
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    enum shw_result result;

    *roofline = (struct shw_roofline_device){.device = device, .log = log};
    shw_device_describe(device, &roofline->description);
    SHW_TRY(shw_buffer_create(device, large_bytes, usage, SHW_MEMORY_DEVICE, "bench words", &roofline->large));
    SHW_TRY(shw_buffer_create(device, RESULT_BYTES, usage, SHW_MEMORY_DEVICE, "bench result", &roofline->result));
    SHW_TRY(shw_buffer_create(device, STAGING_BYTES, VK_BUFFER_USAGE_TRANSFER_DST_BIT, SHW_MEMORY_READBACK,
                              "bench staging", &roofline->staging));
    SHW_TRY(create_fill(roofline));
    SHW_TRY(fill_large(roofline));
    return SHW_OK;

fail:
    shw_roofline_device_destroy(roofline);
    return result;
}

void shw_roofline_device_destroy(struct shw_roofline_device *roofline)
{
    struct shw_device *device = roofline->device;

    if (device == NULL)
        return;
    shw_buffer_destroy(device, &roofline->large);
    shw_buffer_destroy(device, &roofline->result);
    shw_buffer_destroy(device, &roofline->staging);
    shw_sets_destroy(device, &roofline->fill_sets);
    shw_program_destroy(device, &roofline->fill);
    *roofline = (struct shw_roofline_device){0};
}

void shw_roofline_case_destroy(struct shw_device *device, struct shw_roofline_case *made)
{
    shw_target_destroy(device, &made->target);
    shw_vulkan_image_destroy(device, &made->drawn);
    shw_vulkan_image_destroy(device, &made->source);
    shw_buffer_destroy(device, &made->other);
    shw_sets_destroy(device, &made->sets);
    shw_program_destroy(device, &made->program);
    *made = (struct shw_roofline_case){0};
}

struct shw_roofline_push shw_roofline_push_of(const struct shw_roofline_device *roofline,
                                              const struct shw_roofline_kernel *kernel, uint32_t steps)
{
    return (struct shw_roofline_push){.steps = steps,
                                      .seed = SEED,
                                      .shift = (uint32_t)__builtin_clz((uint32_t)(roofline->large.size / 4)) + 1,
                                      .mask = kernel->near ? SHW_ROOFLINE_NEAR : SHW_ROOFLINE_FAR};
}

void shw_roofline_barrier(const struct shw_roofline_device *roofline, VkCommandBuffer commands)
{
    const struct shw_use all = {VK_IMAGE_LAYOUT_UNDEFINED, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};

    shw_memory_barrier(roofline->device, commands, all, all);
}

void shw_roofline_record_fill(const struct shw_roofline_device *roofline, VkCommandBuffer commands, uint32_t seed)
{
    const struct shw_roofline_push push = {.seed = seed};
    uint32_t groups = (uint32_t)(roofline->large.size / 16 / SHW_ROOFLINE_WORKGROUP);

    shw_program_dispatch(roofline->device, commands, &roofline->fill, roofline->fill_sets.handles[0], &push,
                         SHW_ROOFLINE_FILL_COLUMNS, groups / SHW_ROOFLINE_FILL_COLUMNS, 1);
}

enum shw_result shw_roofline_create_program(struct shw_roofline_device *roofline, struct shw_program_params params,
                                            const struct shw_resource *resources, struct shw_roofline_case *made)
{
    params.name = made->kernel->limit;
    params.push_bytes = sizeof(struct shw_roofline_push);
    SHW_PROPAGATE(shw_program_create(roofline->device, &params, &made->program));
    if (params.binding_count == 0)
        return SHW_OK;
    SHW_PROPAGATE(shw_sets_create(roofline->device, &made->program, 1, &made->sets));
    made->set = made->sets.handles[0];
    shw_set_write(roofline->device, &made->program, made->set, resources);
    return SHW_OK;
}

struct shw_shader shw_roofline_shader(const struct shw_roofline_kernel *kernel)
{
    return (struct shw_shader){kernel->words, *kernel->size};
}

void shw_roofline_record(const struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                         VkCommandBuffer commands, const struct shw_roofline_push *push)
{
    if (made->kernel->record != NULL)
        made->kernel->record(roofline, made, commands, push);
    else
        shw_program_dispatch(roofline->device, commands, &made->program, made->set, push, made->kernel->groups[0],
                             made->kernel->groups[1], 1);
}

enum shw_result shw_roofline_run(struct shw_roofline_device *roofline, const struct shw_roofline_case *made,
                                 uint32_t steps)
{
    const struct shw_roofline_push push = shw_roofline_push_of(roofline, made->kernel, steps);
    struct shw_device *device = roofline->device;
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_submit_begin(device, &commands));
    device->vk.CmdFillBuffer(commands, roofline->result.handle, 0, VK_WHOLE_SIZE, 0);
    shw_roofline_barrier(roofline, commands);
    shw_roofline_record(roofline, made, commands, &push);
    shw_roofline_barrier(roofline, commands);
    return shw_submit_wait(device, commands);
}

enum shw_result shw_roofline_create_drawn(struct shw_roofline_device *roofline, VkFormat format, uint32_t width,
                                          uint32_t height, struct shw_roofline_case *made)
{
    struct shw_device *device = roofline->device;
    const uint32_t layer = 0;
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_vulkan_image_create(device, format, width, height, 1,
                                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                          "bench pixels", &made->drawn));
    SHW_PROPAGATE(shw_target_create(device, &made->program, &made->drawn, &layer, &made->target));
    SHW_PROPAGATE(shw_submit_begin(device, &commands));
    shw_image_barrier(device, commands, made->drawn.handle, shw_use_nothing, shw_use_blended);
    return shw_submit_wait(device, commands);
}

enum shw_result shw_roofline_read_buffer(struct shw_roofline_device *roofline, const struct shw_buffer *buffer,
                                         VkDeviceSize from, VkDeviceSize bytes)
{
    const VkBufferCopy copy = {.srcOffset = from, .size = bytes};
    struct shw_device *device = roofline->device;
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_submit_begin(device, &commands));
    shw_roofline_barrier(roofline, commands);
    device->vk.CmdCopyBuffer(commands, buffer->handle, roofline->staging.handle, 1, &copy);
    shw_buffer_barrier(device, commands, roofline->staging.handle, shw_use_copy_target, shw_use_host_read);
    return shw_submit_wait(device, commands);
}

enum shw_result shw_roofline_read_image(struct shw_roofline_device *roofline, const struct shw_vulkan_image *image)
{
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1},
                                    .imageExtent = {image->width, image->height, 1}};
    struct shw_device *device = roofline->device;
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_submit_begin(device, &commands));
    shw_image_barrier(device, commands, image->handle, shw_use_blended, shw_use_copy_source);
    device->vk.CmdCopyImageToBuffer(commands, image->handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                    roofline->staging.handle, 1, &copy);
    shw_image_barrier(device, commands, image->handle, shw_use_copy_source, shw_use_blended);
    shw_buffer_barrier(device, commands, roofline->staging.handle, shw_use_copy_target, shw_use_host_read);
    return shw_submit_wait(device, commands);
}

#define SHIFT (32u - SHW_GATHERS_BITS)

static uint32_t gather_words(const uint32_t *table, uint32_t seed, uint32_t steps)
{
    uint32_t draws[SHW_GATHERS_LANES], sum = 0;

    for (uint32_t lane = 0; lane < SHW_GATHERS_LANES; lane++)
        draws[lane] = shw_roofline_begin(lane, seed);
    for (uint32_t step = 0; step < steps; step++)
        for (uint32_t lane = 0; lane < SHW_GATHERS_LANES; lane++) {
            draws[lane] = shw_roofline_next(draws[lane]);
            sum += table[draws[lane] >> SHIFT];
        }
    return sum;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#define VECTORS (SHW_GATHERS_LANES / 8u)

__attribute__((target("avx2"))) static uint32_t gather_vectors(const uint32_t *table, uint32_t seed, uint32_t steps)
{
    const __m256i factor = _mm256_set1_epi32(1664525), addend = _mm256_set1_epi32(1013904223);
    __m256i draws[VECTORS], sums[VECTORS];
    uint32_t words[8], sum = 0;

    for (uint32_t v = 0; v < VECTORS; v++) {
        for (uint32_t lane = 0; lane < 8; lane++)
            words[lane] = shw_roofline_begin(8 * v + lane, seed);
        draws[v] = _mm256_loadu_si256((const __m256i *)words);
        sums[v] = _mm256_setzero_si256();
    }
    for (uint32_t step = 0; step < steps; step++)
        for (uint32_t v = 0; v < VECTORS; v++) {
            draws[v] = _mm256_add_epi32(_mm256_mullo_epi32(draws[v], factor), addend);
            sums[v] = _mm256_add_epi32(
                sums[v], _mm256_i32gather_epi32((const int *)table, _mm256_srli_epi32(draws[v], SHIFT), 4));
        }
    for (uint32_t v = 0; v < VECTORS; v++) {
        _mm256_storeu_si256((__m256i *)words, sums[v]);
        for (uint32_t lane = 0; lane < 8; lane++)
            sum += words[lane];
    }
    return sum;
}

bool shw_gathers_have_vector(void)
{
    return __builtin_cpu_supports("avx2");
}

uint32_t shw_gathers(const uint32_t *table, uint32_t seed, uint32_t steps, bool vector)
{
    return vector && shw_gathers_have_vector() ? gather_vectors(table, seed, steps) : gather_words(table, seed, steps);
}

#else

bool shw_gathers_have_vector(void)
{
    return false;
}

uint32_t shw_gathers(const uint32_t *table, uint32_t seed, uint32_t steps, bool vector)
{
    (void)vector;
    return gather_words(table, seed, steps);
}

#endif
