/* Evaluation by render passes (Sharp 2008): records and forest are textures. A texel of the first pass is the leaf of a
 * record in a tree; sums and classes are passes of their own. */
#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "records/evaluate/device.h"
#include "records/model/record_forest.h"
#include "shared/record.h"
#include "shared/record_draw.h"
#include "vulkan/commands.h"
#include "vulkan/program.h"

SHW_SHADER_DECLARE(record_draw_leaves_frag);
SHW_SHADER_DECLARE(record_draw_leaves_sets_frag);
SHW_SHADER_DECLARE(record_draw_sums_frag);
SHW_SHADER_DECLARE(record_draw_classes_frag);

#define RECORDS_MOST 65536u              /* of a piece */
#define VALUES_MOST  ((uint64_t)1 << 24) /* attributes of a piece */
#define TEXELS_MOST  ((uint64_t)1 << 22) /* of an image of results: 2048 by 2048 */
#define REGIONS      64u                 /* of one copy */

enum pass { LEAVES, SUMS, CLASSES, PASSES };

/* A pass and the image that it draws: a row of `per_record` texels for each record of a piece. */
struct result {
    struct shw_vulkan_image image;
    struct shw_program program;
    struct shw_sets set;
    VkFramebuffer framebuffer;
    uint32_t per_record;
};

struct fragment {
    const struct shw_record_evaluator_params *params;
    const struct shw_record_forest_info *info;
    struct shw_device *device;
    uint32_t piece, row_shift, folds; /* records of a piece; how they are arranged: see shared/record_draw.h */
    struct shw_vulkan_image forest, records;
    struct shw_buffer texels; /* of the forest; if the device is the caller's, every recording copies them */
    struct shw_buffer bases;
    struct result results[PASSES];
    struct shw_record_transfer transfer;
};

static uint32_t shift_of(uint64_t power)
{
    uint32_t shift = 0;

    while ((uint64_t)1 << shift < power)
        shift++;
    return shift;
}

/* As many records as fit all images and limits, a power of two. */
static void choose_piece(struct fragment *fragment)
{
    const struct shw_record_forest_info *info = fragment->info;
    uint64_t attributes = shw_max_u32(info->attribute_count, 1), visits = 0, records = RECORDS_MOST;

    for (uint32_t t = 0; t < info->tree_count; t++)
        visits += info->trees[t].depth;
    visits = shw_max_u64(visits, (uint64_t)info->tree_count * info->output_count);
    while (records > 1 && (records * attributes > VALUES_MOST || records * info->tree_count > TEXELS_MOST ||
                           records * info->output_count > TEXELS_MOST || records * visits > SHW_RECORD_VISITS_MOST))
        records /= 2;
    fragment->piece = (uint32_t)records;
    fragment->row_shift = shw_min_u32(shift_of(records), SHW_RECORD_DRAW_SIDE_SHIFT);
    fragment->folds = (uint32_t)((attributes + SHW_RECORD_DRAW_SIDE - 1) / SHW_RECORD_DRAW_SIDE);
}

static enum shw_result check(const struct fragment *fragment)
{
    const struct shw_log *log = &fragment->params->log;
    uint64_t values = (uint64_t)fragment->info->leaf_count * fragment->info->values_per_leaf;

    if (!fragment->device->has_graphics)
        return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "the technique fragment needs a queue family with graphics, which family %u lacks: use compute",
                        fragment->device->queue_family);
    if (values > UINT32_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                        "records: the forest has %llu leaf values, too many for shaders: use the technique cpu",
                        (unsigned long long)values);
    return SHW_OK;
}

static void copy_texels(const struct fragment *fragment, VkCommandBuffer commands)
{
    const struct shw_vulkan_image *forest = &fragment->forest;
    const VkBufferImageCopy copy = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, forest->layers},
                                    .imageExtent = {forest->width, forest->height, 1}};

    shw_image_barrier(fragment->device, commands, forest->handle, shw_use_discarded, shw_use_copy_target);
    fragment->device->vk.CmdCopyBufferToImage(commands, fragment->texels.handle, forest->handle,
                                              VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    shw_image_barrier(fragment->device, commands, forest->handle, shw_use_copy_target, shw_use_fragment_sampled);
}

static bool is_own(const struct fragment *fragment)
{
    return fragment->device->own != NULL;
}

static enum shw_result create_forest(struct fragment *fragment)
{
    const struct shw_record_forest_texture texture = shw_record_forest_get_texture(fragment->params->forest);
    const VkDeviceSize bytes = (VkDeviceSize)16 * texture.width * texture.height * texture.layers;
    struct shw_device *device = fragment->device;
    VkCommandBuffer commands;

    SHW_PROPAGATE(shw_vulkan_image_create(device, VK_FORMAT_R32G32B32A32_UINT, texture.width, texture.height,
                                          texture.layers, VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                                          "record forest", &fragment->forest));
    SHW_PROPAGATE(shw_buffer_create(device, bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, SHW_MEMORY_UPLOAD, "record forest",
                                    &fragment->texels));
    memcpy(fragment->texels.mapped, texture.texels, bytes);
    if (!is_own(fragment))
        return SHW_OK;
    SHW_PROPAGATE(shw_submit_begin(device, &commands));
    copy_texels(fragment, commands);
    SHW_PROPAGATE(shw_submit_wait(device, commands));
    shw_buffer_destroy(device, &fragment->texels);
    return SHW_OK;
}

static enum shw_result create_bases(struct fragment *fragment)
{
    const struct shw_record_forest_info *info = fragment->info;
    const uint64_t bytes = info->output_count * sizeof *info->base;

    SHW_PROPAGATE(shw_buffer_create(fragment->device, bytes, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_TABLE,
                                    "bases", &fragment->bases));
    memcpy(fragment->bases.mapped, info->base, bytes);
    return SHW_OK;
}

static enum shw_result create_records(struct fragment *fragment)
{
    uint32_t rows = 1u << fragment->row_shift, layers = fragment->piece / rows * fragment->folds;
    uint32_t columns = shw_min_u32(shw_max_u32(fragment->info->attribute_count, 1), SHW_RECORD_DRAW_SIDE);

    return shw_vulkan_image_create(fragment->device, VK_FORMAT_R32_UINT, columns, rows, layers,
                                   VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "records",
                                   &fragment->records);
}

static enum shw_result create_result(struct fragment *fragment, enum pass pass)
{
    static const struct shw_binding bindings[SHW_RECORD_DRAW_BINDINGS] = {
        {SHW_RECORD_DRAW_FOREST, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
        {SHW_RECORD_DRAW_INPUT, VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE},
        {SHW_RECORD_DRAW_BASES, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const uint32_t sets_at = shw_record_forest_get_sets_texel(fragment->info);
    const struct shw_shader shaders[PASSES] = {[LEAVES] = sets_at != 0 ? SHW_SHADER(record_draw_leaves_sets_frag)
                                                                       : SHW_SHADER(record_draw_leaves_frag),
                                               [SUMS] = SHW_SHADER(record_draw_sums_frag),
                                               [CLASSES] = SHW_SHADER(record_draw_classes_frag)};
    const char *const names[PASSES] = {"leaves of records", "sums of records", "classes of records"};
    const uint32_t per_record[PASSES] = {fragment->info->tree_count, fragment->info->output_count, 1};
    const VkSpecializationMapEntry entry = {0, 0, sizeof sets_at};
    const VkSpecializationInfo specialization = {1, &entry, sizeof sets_at, &sets_at};
    const VkFormat format = pass == SUMS ? VK_FORMAT_R32G32_UINT : VK_FORMAT_R32_UINT;
    const struct shw_program_params params = {.name = names[pass],
                                              .fragment = shaders[pass],
                                              .bindings = bindings,
                                              .binding_count = SHW_RECORD_DRAW_BINDINGS,
                                              .push_bytes = sizeof(struct shw_record_draw_push),
                                              .attachment_count = 1,
                                              .attachments = &format,
                                              .specialization = pass == LEAVES && sets_at != 0 ? &specialization : NULL,
                                              .load = VK_ATTACHMENT_LOAD_OP_DONT_CARE};
    struct result *result = &fragment->results[pass];
    const VkImageView input =
        pass == LEAVES ? fragment->records.view : fragment->results[pass == SUMS ? LEAVES : SUMS].image.view;
    const struct shw_resource resources[SHW_RECORD_DRAW_BINDINGS] = {
        {.view = fragment->forest.view}, {.view = input}, {.buffer = fragment->bases.handle}};
    uint64_t texels = (uint64_t)fragment->piece * per_record[pass];
    uint32_t width = 1u << (shift_of(texels) + 1) / 2;

    result->per_record = per_record[pass];
    SHW_PROPAGATE(shw_vulkan_image_create(fragment->device, format, width, (uint32_t)((texels + width - 1) / width), 1,
                                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_SAMPLED_BIT |
                                              VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                          names[pass], &result->image));
    SHW_PROPAGATE(shw_program_create(fragment->device, &params, &result->program));
    SHW_PROPAGATE(shw_sets_create(fragment->device, &result->program, 1, &result->set));
    shw_set_write(fragment->device, &result->program, result->set.handles[0], resources);
    return shw_framebuffer_create(fragment->device, &result->program, &result->image.view, result->image.width,
                                  result->image.height, &result->framebuffer);
}

static void destroy(void *state)
{
    struct fragment *fragment = state;

    if (fragment == NULL)
        return;
    shw_record_transfer_end(&fragment->transfer);
    for (uint32_t p = 0; p < PASSES; p++) {
        struct result *result = &fragment->results[p];
        if (result->framebuffer != VK_NULL_HANDLE)
            fragment->device->vk.DestroyFramebuffer(fragment->device->handle, result->framebuffer,
                                                    fragment->device->allocator);
        shw_sets_destroy(fragment->device, &result->set);
        shw_program_destroy(fragment->device, &result->program);
        shw_vulkan_image_destroy(fragment->device, &result->image);
    }
    shw_vulkan_image_destroy(fragment->device, &fragment->records);
    shw_vulkan_image_destroy(fragment->device, &fragment->forest);
    shw_buffer_destroy(fragment->device, &fragment->texels);
    shw_buffer_destroy(fragment->device, &fragment->bases);
    free(fragment);
}

/* Copies column by column, whatever the strides. */
static void copy_columns(const struct fragment *fragment, VkCommandBuffer commands,
                         const struct shw_record_source *source, uint64_t first, uint32_t count)
{
    VkBufferImageCopy regions[REGIONS];
    uint32_t rows = 1u << fragment->row_shift, used = 0;

    for (uint32_t begin = 0; begin < count; begin += rows)
        for (uint32_t a = 0; a < fragment->info->attribute_count; a++) {
            regions[used++] = (VkBufferImageCopy){
                .bufferOffset = source->offset + sizeof(float) * ((first + begin) * source->record_stride +
                                                                  (uint64_t)a * source->attribute_stride),
                .bufferRowLength = source->record_stride,
                .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0,
                                     begin / rows * fragment->folds + a / SHW_RECORD_DRAW_SIDE, 1},
                .imageOffset = {(int32_t)(a % SHW_RECORD_DRAW_SIDE), 0, 0},
                .imageExtent = {1, shw_min_u32(rows, count - begin), 1}};
            if (used < REGIONS && (a + 1 < fragment->info->attribute_count || begin + rows < count))
                continue;
            fragment->device->vk.CmdCopyBufferToImage(commands, source->buffer, fragment->records.handle,
                                                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, used, regions);
            used = 0;
        }
}

static void copy_rows(const struct fragment *fragment, VkCommandBuffer commands, const struct shw_record_source *source,
                      uint64_t first, uint32_t count)
{
    uint32_t rows = 1u << fragment->row_shift, attributes = fragment->info->attribute_count;

    for (uint32_t begin = 0; begin < count; begin += rows)
        for (uint32_t fold = 0; fold < fragment->folds; fold++) {
            const VkBufferImageCopy region = {
                .bufferOffset = source->offset + sizeof(float) * ((first + begin) * source->record_stride +
                                                                  (uint64_t)fold * SHW_RECORD_DRAW_SIDE),
                .bufferRowLength = source->record_stride,
                .imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, begin / rows * fragment->folds + fold, 1},
                .imageExtent = {shw_min_u32(SHW_RECORD_DRAW_SIDE, attributes - fold * SHW_RECORD_DRAW_SIDE),
                                shw_min_u32(rows, count - begin), 1}};
            fragment->device->vk.CmdCopyBufferToImage(commands, source->buffer, fragment->records.handle,
                                                      VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
        }
}

static void copy_records(const struct fragment *fragment, VkCommandBuffer commands,
                         const struct shw_record_source *source, uint64_t first, uint32_t count)
{
    shw_image_barrier(fragment->device, commands, fragment->records.handle, shw_use_discarded, shw_use_copy_target);
    if (source->record_stride == 0)
        count = 1;
    if (source->attribute_stride == 1 && source->record_stride >= fragment->info->attribute_count)
        copy_rows(fragment, commands, source, first, count);
    else
        copy_columns(fragment, commands, source, first, count);
    shw_image_barrier(fragment->device, commands, fragment->records.handle, shw_use_copy_target,
                      shw_use_fragment_sampled);
}

static struct shw_record_draw_push push_of(const struct fragment *fragment, const struct shw_record_source *source,
                                           uint32_t count)
{
    const struct shw_record_forest_info *info = fragment->info;

    return (struct shw_record_draw_push){.count = count,
                                         .record_step = source->record_stride != 0,
                                         .row_shift = fragment->row_shift,
                                         .folds = fragment->folds,
                                         .missing = source->has_missing ? shw_record_code_of(source->missing)
                                                                        : SHW_RECORD_MISSING,
                                         .trees = info->tree_count,
                                         .outputs = info->output_count,
                                         .values = info->values_per_leaf,
                                         .forest_shift = shift_of(fragment->forest.width),
                                         .cut_low = (uint32_t)(uint64_t)info->cut,
                                         .cut_high = (uint32_t)((uint64_t)info->cut >> 32)};
}

static void draw(const struct fragment *fragment, VkCommandBuffer commands, enum pass pass,
                 struct shw_record_draw_push push)
{
    const struct result *result = &fragment->results[pass];
    const struct shw_vulkan_image *image = &result->image;
    uint64_t texels = (uint64_t)push.count * result->per_record;

    push.width = image->width;
    if (pass != LEAVES)
        push.input_width = fragment->results[pass - 1].image.width;
    shw_image_barrier(fragment->device, commands, image->handle, shw_use_nothing, shw_use_attachment);
    shw_program_draw_rows(fragment->device, commands, &result->program, result->set.handles[0], &push,
                          result->framebuffer, (VkRect2D){.extent = {image->width, image->height}}, 0,
                          (uint32_t)((texels + image->width - 1) / image->width));
    shw_image_barrier(fragment->device, commands, image->handle, shw_use_attachment, shw_use_fragment_sampled);
}

/* The rows that are full, and what remains. */
static void copy_result(const struct fragment *fragment, VkCommandBuffer commands, enum pass pass,
                        const struct shw_record_target_buffer *target, uint64_t first, uint32_t count)
{
    const struct result *result = &fragment->results[pass];
    uint32_t texel = pass == SUMS ? 8 : 4, width = result->image.width, used = 0;
    uint32_t texels = count * result->per_record, rows = texels / width;
    const VkDeviceSize offset = target->offset + first * result->per_record * texel;
    const VkImageSubresourceLayers layer = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    VkBufferImageCopy regions[2];

    if (target->buffer == VK_NULL_HANDLE)
        return;
    if (rows > 0)
        regions[used++] =
            (VkBufferImageCopy){.bufferOffset = offset, .imageSubresource = layer, .imageExtent = {width, rows, 1}};
    if (texels > rows * width)
        regions[used++] = (VkBufferImageCopy){.bufferOffset = offset + (VkDeviceSize)rows * width * texel,
                                              .imageSubresource = layer,
                                              .imageOffset = {0, (int32_t)rows, 0},
                                              .imageExtent = {texels - rows * width, 1, 1}};
    shw_image_barrier(fragment->device, commands, result->image.handle, shw_use_fragment_sampled, shw_use_copy_source);
    fragment->device->vk.CmdCopyImageToBuffer(commands, result->image.handle, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                                              target->buffer, used, regions);
}

static enum shw_result record(void *state, VkCommandBuffer commands, uint32_t slot,
                              const struct shw_record_source *source, const struct shw_record_target *target)
{
    const struct fragment *fragment = state;
    const struct shw_use before = shw_record_use_before(source, target), after = shw_record_use_after(target),
                         copies = {.stages = VK_PIPELINE_STAGE_TRANSFER_BIT,
                                   .access = VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
    bool wants_classes = target->classes.buffer != VK_NULL_HANDLE;

    (void)slot;
    SHW_PROPAGATE(shw_record_device_check(fragment->params, source, target));
    if (target->sums.buffer != VK_NULL_HANDLE && target->sums.offset % sizeof(int64_t) != 0)
        return shw_fail(&fragment->params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "records: by the technique fragment, the offset of sums must be a multiple of 8");
    shw_memory_barrier(fragment->device, commands, before, copies);
    if (!is_own(fragment))
        copy_texels(fragment, commands);
    for (uint64_t first = 0; first < source->count; first += fragment->piece) {
        uint32_t count = (uint32_t)shw_min_u64(fragment->piece, source->count - first);
        struct shw_record_draw_push push = push_of(fragment, source, count);
        copy_records(fragment, commands, source, first, count);
        draw(fragment, commands, LEAVES, push);
        if (wants_classes || target->sums.buffer != VK_NULL_HANDLE)
            draw(fragment, commands, SUMS, push);
        if (wants_classes)
            draw(fragment, commands, CLASSES, push);
        copy_result(fragment, commands, LEAVES, &target->leaves, first, count);
        copy_result(fragment, commands, SUMS, &target->sums, first, count);
        copy_result(fragment, commands, CLASSES, &target->classes, first, count);
    }
    shw_memory_barrier(fragment->device, commands, copies, after);
    return SHW_OK;
}

static enum shw_result run(void *state, const struct shw_records *records, const struct shw_record_results *results,
                           double *inner_seconds)
{
    struct fragment *fragment = state;

    return shw_record_transfer_run(&fragment->transfer, records, results, inner_seconds);
}

static enum shw_result create(const struct shw_record_evaluator_params *params, void **state)
{
    struct fragment *fragment = calloc(1, sizeof *fragment);
    enum shw_result result = SHW_OK;

    if (fragment == NULL)
        return shw_fail_memory(&params->log, "an evaluator of records");
    fragment->params = params;
    fragment->info = shw_record_forest_get_info(params->forest);
    fragment->device = params->device;
    SHW_TRY(check(fragment));
    choose_piece(fragment);
    SHW_TRY(create_forest(fragment));
    SHW_TRY(create_bases(fragment));
    SHW_TRY(create_records(fragment));
    for (enum pass pass = LEAVES; pass < PASSES; pass++)
        SHW_TRY(create_result(fragment, pass));
    shw_record_transfer_begin(params, fragment, record, &fragment->transfer);
    *state = fragment;
    return SHW_OK;

fail:
    destroy(fragment);
    return result;
}

const struct shw_record_variant shw_record_variant_fragment = {
    .create = create, .destroy = destroy, .run = run, .record = record};
