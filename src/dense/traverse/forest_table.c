#include "dense/traverse/forest_table.h"

#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/feature/feature_code.h"
#include "dense/forest/ferns.h"
#include "shared/evaluate_push.h"
#include "shared/forest_texture.h"
#include "shared/walk_node.h"
#include "vulkan/commands.h"

/* Nodes in the layout that compute walks. */

static const uint32_t *find_tree(const uint32_t *texels, uint32_t tree)
{
    return texels + 4 * (size_t)(1 + tree);
}

static const uint32_t *find_node(const uint32_t *texels, const uint32_t *tree, uint32_t number)
{
    return texels + 4 * ((size_t)tree[0] + (size_t)SHW_NODE_TEXELS * number);
}

static bool is_split(const uint32_t *node)
{
    return (node[1] >> SHW_NODE_SPLIT_SHIFT & 1u) != 0;
}

uint32_t shw_walk_node_texels(const struct shw_feature_type *type, bool as_ferns)
{
    return type->code->prepare != NULL &&
                   (as_ferns || (type->reads != SHW_FEATURE_READS_INTEGRALS && !type->code->has_places))
               ? SHW_WALK_TEXELS
               : SHW_WALK_TEXELS_PLAIN;
}

static void extend(struct shw_reach *reach, struct shw_reach by)
{
    reach->x0 = shw_min(reach->x0, by.x0);
    reach->y0 = shw_min(reach->y0, by.y0);
    reach->x1 = shw_max(reach->x1, by.x1);
    reach->y1 = shw_max(reach->y1, by.y1);
}

uint64_t shw_walk_tree_texels(const struct shw_forest *forest, uint32_t tree)
{
    return 1 + (uint64_t)shw_walk_node_texels(shw_forest_get_info(forest)->feature, false) *
                   shw_forest_get_tree(forest, tree).node_count;
}

struct shw_walk_group shw_walk_group_next(const struct shw_forest *forest, uint32_t trees, uint64_t most,
                                          struct shw_walk_group previous)
{
    struct shw_walk_group group = {.first = previous.first + previous.count,
                                   .begin = shw_align_up(previous.begin + previous.texels, SHW_WALK_GROUP_TEXELS)};

    for (uint32_t t = group.first; t < trees; t++) {
        uint64_t texels = shw_walk_tree_texels(forest, t);
        if (group.texels + texels > most)
            break;
        group.texels += texels;
        group.count++;
    }
    return group.count > 0 ? group : (struct shw_walk_group){0};
}

static void measure_groups(const struct shw_forest *forest, uint32_t trees, uint64_t most, struct shw_walk_nodes *nodes)
{
    struct shw_walk_group group = {0}, next;

    while (next = shw_walk_group_next(forest, trees, most, group), next.count > 0) {
        group = next;
        nodes->groups++;
    }
    nodes->texels = group.begin + group.texels;
    if (group.first + group.count < trees)
        nodes->groups = 0;
}

struct shw_walk_nodes shw_walk_nodes_measure(const struct shw_forest *forest, uint32_t trees, uint64_t most)
{
    const struct shw_feature_type *type = shw_forest_get_info(forest)->feature;
    const uint32_t *texels = shw_forest_get_texture(forest).texels;
    struct shw_walk_nodes nodes = {0};

    measure_groups(forest, trees, most, &nodes);
    for (uint32_t t = 0; t < trees; t++) {
        const uint32_t *tree = find_tree(texels, t);
        for (uint32_t n = 0; n < tree[1]; n++) {
            const uint32_t *node = find_node(texels, tree, n);
            struct shw_feature feature = shw_feature_of_node(node);
            if (!is_split(node))
                continue;
            extend(&nodes.reach, type->get_reach(&feature));
            nodes.has_intervals = nodes.has_intervals || (int32_t)node[3] != INT32_MAX;
        }
    }
    return nodes;
}

/* Writes a node of the forest texture as one of `node_texels` texels, whose tree begins at texel `root`. */
static void write_walk_node(const uint32_t *node, uint32_t root, const struct shw_feature_type *type,
                            uint32_t node_texels, uint32_t stride, uint32_t pitch, uint32_t *words)
{
    struct shw_feature feature = shw_feature_of_node(node);

    memset(words, 0, 4 * node_texels * sizeof *words);
    words[0] = root + node_texels * node[0];
    words[1] = node[2];
    words[2] = 0x80000000u;
    if (!is_split(node))
        return;
    words[2] = node[3];
    words[3] = node[1];
    memcpy(words + 4, node + 4, 4 * sizeof *words);
    if (node_texels == SHW_WALK_TEXELS)
        type->code->prepare(&feature, stride, pitch, words + 8);
}

/* The same for types whose nodes are places. */
static void write_place_node(const uint32_t *node, uint32_t root, const struct shw_feature_type *type, uint32_t stride,
                             uint32_t pitch, uint32_t *words)
{
    const struct shw_feature feature = shw_feature_of_node(node);
    uint32_t prepared[8] = {0};

    memset(words, 0, (size_t)4 * SHW_WALK_TEXELS_PLAIN * sizeof *words);
    words[0] = (root + SHW_WALK_TEXELS_PLAIN * node[0]) | SHW_WALK_PAIR;
    words[1] = node[2] + 1;
    words[4] = 0x80000000u;
    if (!is_split(node))
        return;
    type->code->prepare(&feature, stride, pitch, prepared);
    words[0] &= prepared[2] != 0 ? ~0u : ~SHW_WALK_PAIR;
    words[1] = node[2];
    words[2] = prepared[0];
    words[3] = prepared[1];
    words[4] = node[3];
    words[5] = node[1];
    words[6] = node[4];
    words[7] = node[6];
}

static void write_group(const struct shw_forest *forest, const struct shw_walk_group *group, uint32_t stride,
                        uint32_t pitch, uint32_t *nodes)
{
    const struct shw_feature_type *type = shw_forest_get_info(forest)->feature;
    const uint32_t *texels = shw_forest_get_texture(forest).texels;
    const uint32_t node_texels = shw_walk_node_texels(type, false);
    uint32_t root = group->count;

    for (uint32_t t = 0; t < group->count; t++) {
        const uint32_t *tree = find_tree(texels, group->first + t);
        const uint32_t entry[4] = {root, tree[2], tree[3], 0};
        memcpy(nodes + 4 * (size_t)t, entry, sizeof entry);
        for (uint32_t n = 0; n < tree[1]; n++) {
            const uint32_t *node = find_node(texels, tree, n);
            uint32_t *words = nodes + 4 * ((size_t)root + (size_t)node_texels * n);
            if (type->code->has_places)
                write_place_node(node, root, type, stride, pitch, words);
            else
                write_walk_node(node, root, type, node_texels, stride, pitch, words);
        }
        root += node_texels * tree[1];
    }
}

void shw_walk_nodes_write(const struct shw_forest *forest, uint32_t trees, uint64_t most, uint32_t stride,
                          uint32_t pitch, uint32_t *nodes)
{
    struct shw_walk_group group = {0};

    while (group = shw_walk_group_next(forest, trees, most, group), group.count > 0)
        write_group(forest, &group, stride, pitch, nodes + 4 * (size_t)group.begin);
}

/* Ferns: the test of each level, and the leaves by the results of the tests. */

static uint32_t leaf_texels(const struct shw_fern *fern)
{
    return ((1u << fern->levels) + 3) / 4;
}

uint64_t shw_fern_table_texels(const struct shw_forest *forest, uint32_t trees, uint32_t test_texels)
{
    const struct shw_fern *ferns = shw_forest_get_ferns(forest);
    uint64_t texels = trees;

    for (uint32_t t = 0; ferns != NULL && t < trees; t++)
        texels += (uint64_t)test_texels * ferns[t].levels + leaf_texels(&ferns[t]);
    return ferns != NULL ? texels : 0;
}

/* Writes 4 * shw_fern_table_texels() words; numbers of texels and words are relative to their beginning. `stride` and
 * `pitch` are those of the integral images, for tests that the feature type prepares. */
static void write_fern_table(const struct shw_forest *forest, uint32_t trees, uint32_t test_texels, uint32_t stride,
                             uint32_t pitch, uint32_t *words)
{
    const struct shw_feature_type *type = shw_forest_get_info(forest)->feature;
    const struct shw_fern *ferns = shw_forest_get_ferns(forest);
    const uint32_t *texels = shw_forest_get_texture(forest).texels;
    uint32_t next = trees;

    for (uint32_t t = 0; t < trees; t++) {
        const struct shw_fern *fern = &ferns[t];
        uint32_t tests = next, table = tests + test_texels * fern->levels;
        const uint32_t entry[4] = {tests, fern->levels, texels[4 * (1 + (size_t)t) + 3], 4 * table};
        memcpy(words + 4 * (size_t)t, entry, sizeof entry);
        for (uint32_t l = 0; l < fern->levels; l++)
            write_walk_node(fern->tests + (size_t)4 * SHW_NODE_TEXELS * l, 0, type, test_texels, stride, pitch,
                            words + 4 * ((size_t)tests + (size_t)test_texels * l));
        memcpy(words + 4 * (size_t)table, fern->leaves, sizeof *words << fern->levels);
        next = table + leaf_texels(fern);
    }
}

#define TEXEL 16u /* bytes */

static uint64_t texels_of(const struct shw_forest *forest)
{
    struct shw_forest_texture texture = shw_forest_get_texture(forest);

    return (uint64_t)texture.width * texture.height * texture.layers;
}

/* The texels of the forest and of its trees, with which the leaves begin. */
static uint64_t head_of(const struct shw_forest *forest)
{
    return 1 + (uint64_t)shw_forest_get_info(forest)->tree_count;
}

static uint64_t distribution_texels(const struct shw_forest *forest)
{
    const uint32_t *header = shw_forest_get_texture(forest).texels;

    return (uint64_t)header[3] * SHW_DISTRIBUTION_TEXELS(header[1]);
}

/* Of the texture, up to the end of the distributions. */
static uint64_t used_texels(const struct shw_forest *forest)
{
    return shw_forest_get_texture(forest).texels[2] + distribution_texels(forest);
}

static uint64_t image_ferns(const struct shw_forest *forest, uint32_t trees)
{
    return shw_fern_table_texels(forest, trees, SHW_WALK_TEXELS_PLAIN);
}

static uint64_t buffer_ferns(const struct shw_forest *forest, uint32_t trees)
{
    return shw_fern_table_texels(forest, trees, shw_walk_node_texels(shw_forest_get_info(forest)->feature, true));
}

uint64_t shw_forest_table_most(uint32_t range)
{
    return range / TEXEL;
}

uint64_t shw_forest_table_part(uint64_t most)
{
    uint64_t part = 1;

    while (2 * part <= most)
        part *= 2;
    return part;
}

struct shw_forest_table_size shw_forest_table_size_of(const struct shw_forest *forest, uint32_t trees, uint64_t most)
{
    uint64_t nodes = buffer_ferns(forest, trees);

    return (struct shw_forest_table_size){
        .texels = texels_of(forest),
        .leaves = head_of(forest) + distribution_texels(forest),
        .nodes = nodes > 0 && nodes <= most ? nodes : shw_walk_nodes_measure(forest, trees, most).texels,
        .ferns = image_ferns(forest, trees)};
}

bool shw_forest_table_holds_ferns(const struct shw_forest *forest, uint32_t trees, enum shw_planes_form form,
                                  struct shw_forest_table_size size, uint64_t most)
{
    uint64_t nodes = buffer_ferns(forest, trees);

    if (!shw_forest_is_ferns(forest))
        return false;
    return form == SHW_PLANES_IMAGE ? used_texels(forest) + image_ferns(forest, trees) <= size.texels + size.ferns
                                    : nodes <= size.nodes && nodes <= most;
}

/* Of two numbers of bytes. */
static bool refuse(const struct shw_log *log, const char *what, uint64_t size, const char *have, uint64_t most)
{
    if (log != NULL)
        shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
                 "%s %llu bytes; %s at most %llu bytes: use another technique, or prune the forest", what,
                 (unsigned long long)(TEXEL * size), have, (unsigned long long)(TEXEL * most));
    return false;
}

bool shw_forest_table_fits(const struct shw_forest *forest, uint32_t trees, uint32_t range, const struct shw_log *log)
{
    uint64_t most = shw_forest_table_most(range), parts = SHW_EVALUATE_FOREST_PARTS * shw_forest_table_part(most);
    uint64_t leaves = head_of(forest) + distribution_texels(forest);
    char what[80];

    for (uint32_t t = 0; t < trees; t++)
        if (shw_walk_tree_texels(forest, t) > most) {
            snprintf(what, sizeof what, "the nodes of tree %u need a storage buffer of", t);
            return refuse(log, what, shw_walk_tree_texels(forest, t), "the device has", most);
        }
    if (leaves > most && leaves > parts)
        return refuse(log, "the distributions of the forest's leaves need storage buffers of", leaves,
                      "those of the device have together", parts);
    return true;
}

struct shw_forest_table_size shw_forest_table_size_for(const struct shw_forest *forest, uint32_t trees,
                                                       uint32_t classes, uint64_t nodes)
{
    uint64_t leaves = (nodes + trees) / 2; /* each tree has one leaf more than splits */
    uint64_t node_texels = (shw_walk_tree_texels(forest, 0) - 1) / shw_forest_get_tree(forest, 0).node_count;
    uint64_t parts =
        (uint64_t)trees + 2; /* begin at a row of the texture: the trees, what precedes and what follows them */
    uint64_t texels = 1 + (uint64_t)trees + SHW_NODE_TEXELS * nodes + leaves * SHW_DISTRIBUTION_TEXELS(classes),
             width = 16;

    while (width < SHW_TEXTURE_SIZE_MAX && texels / width + parts > width)
        width *= 2;
    return (struct shw_forest_table_size){.texels = texels + parts * width,
                                          .leaves = 1 + trees + leaves * SHW_DISTRIBUTION_TEXELS(classes),
                                          .nodes = trees * (uint64_t)SHW_WALK_GROUP_TEXELS + node_texels * nodes};
}

static enum shw_result add_buffers(struct shw_arena *arena, uint64_t texels, uint64_t most, const char *name,
                                   struct shw_buffer *upload, struct shw_buffer *buffer)
{
    const struct shw_device *device = arena->device;
    VkDeviceSize size = texels * TEXEL;

    if (size > most)
        return shw_fail(
            &device->log, SHW_ERROR_LIMIT, SHW_LOG_REQUIREMENT,
            "the forest needs a storage buffer of %llu bytes; the device has at most %llu bytes: use another technique",
            (unsigned long long)size, (unsigned long long)most);
    SHW_PROPAGATE(shw_arena_add_buffer(arena, shw_span_always, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                       SHW_MEMORY_UPLOAD, name, upload));
    return shw_arena_add_buffer(arena, shw_span_always, size,
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                SHW_MEMORY_DEVICE, name, buffer);
}

/* As square as possible; shaders address texels row by row, so the width does not matter to them. */
static VkExtent3D image_size(uint64_t texels, uint32_t *shift)
{
    uint64_t width = 1, rows, layers;

    *shift = 0;
    while (width < SHW_TEXTURE_SIZE_MAX && width * width < texels) {
        width *= 2;
        ++*shift;
    }
    rows = (texels + width - 1) / width;
    layers = (rows + SHW_TEXTURE_SIZE_MAX - 1) / SHW_TEXTURE_SIZE_MAX;
    return (VkExtent3D){(uint32_t)width, layers > 1 ? SHW_TEXTURE_SIZE_MAX : (uint32_t)rows, (uint32_t)layers};
}

static uint64_t image_bytes(VkExtent3D size)
{
    return (uint64_t)size.width * size.height * size.depth * TEXEL;
}

static enum shw_result add_image(struct shw_arena *arena, uint64_t texels, struct shw_forest_table *table)
{
    VkExtent3D size = image_size(texels, &table->texture_shift);

    SHW_PROPAGATE(shw_arena_add_buffer(arena, shw_span_always, image_bytes(size), VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                       SHW_MEMORY_UPLOAD, "forest upload", &table->upload));
    return shw_arena_add_image(arena, shw_span_always, VK_FORMAT_R32G32B32A32_UINT, size.width, size.height, size.depth,
                               VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT, "forest", &table->image);
}

enum shw_result shw_forest_table_add(struct shw_arena *arena, enum shw_planes_form form,
                                     struct shw_forest_table_size size, struct shw_forest_table *table)
{
    uint32_t range = arena->device->properties.limits.maxStorageBufferRange;
    uint64_t largest = arena->device->allocation_max, part;

    *table = (struct shw_forest_table){.most = shw_forest_table_most(range)};
    if (form == SHW_PLANES_IMAGE)
        return add_image(arena, size.texels + size.ferns, table);
    if (size.nodes == 0)
        return add_buffers(arena, size.texels, range, "forest", &table->upload, &table->buffer);
    for (part = shw_forest_table_part(table->most); part > 1; part /= 2)
        table->texture_shift++;
    SHW_PROPAGATE(add_buffers(arena, size.leaves, largest, "forest leaves", &table->upload, &table->buffer));
    return add_buffers(arena, size.nodes, largest, "forest nodes", &table->nodes_upload, &table->nodes);
}

static void write_leaves(const struct shw_forest *forest, uint32_t *to)
{
    const uint32_t *texels = shw_forest_get_texture(forest).texels;
    size_t head = head_of(forest);

    memcpy(to, texels, head * TEXEL);
    memcpy(to + 4 * head, texels + 4 * (size_t)texels[2], distribution_texels(forest) * TEXEL);
    to[2] = (uint32_t)head; /* where distributions begin */
}

void shw_forest_table_fill(struct shw_forest_table *table, const struct shw_forest *forest, uint32_t trees,
                           bool as_ferns, uint32_t stride, uint32_t pitch)
{
    const uint32_t test_texels = shw_walk_node_texels(shw_forest_get_info(forest)->feature, true);
    struct shw_forest_texture texture = shw_forest_get_texture(forest);
    uint64_t size =
        texels_of(forest) * TEXEL; /* including unused ends of rows; a table may have room only for the rest */

    if (table->nodes_upload.mapped == NULL) {
        memcpy(table->upload.mapped, texture.texels, size < table->upload.size ? size : table->upload.size);
        if (as_ferns)
            write_fern_table(forest, trees, SHW_WALK_TEXELS_PLAIN, stride, pitch,
                             (uint32_t *)table->upload.mapped + 4 * used_texels(forest));
        return;
    }
    write_leaves(forest, table->upload.mapped);
    if (as_ferns)
        write_fern_table(forest, trees, test_texels, stride, pitch, table->nodes_upload.mapped);
    else
        shw_walk_nodes_write(forest, trees, table->most, stride, pitch, table->nodes_upload.mapped);
}

static void record_buffer(const struct shw_device *device, VkCommandBuffer commands, const struct shw_buffer *upload,
                          const struct shw_buffer *buffer)
{
    VkBufferCopy region = {.size = upload->size};

    if (upload->handle == VK_NULL_HANDLE)
        return;
    shw_buffer_barrier(device, commands, buffer->handle, shw_use_compute_read, shw_use_copy_target);
    device->vk.CmdCopyBuffer(commands, upload->handle, buffer->handle, 1, &region);
    shw_buffer_barrier(device, commands, buffer->handle, shw_use_copy_target, shw_use_compute_read);
}

void shw_forest_table_record(const struct shw_device *device, VkCommandBuffer commands,
                             const struct shw_forest_table *table)
{
    const struct shw_vulkan_image *image = &table->image;
    VkBufferImageCopy texels = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, image->layers},
                                .imageExtent = {image->width, image->height, 1}};

    if (image->handle == VK_NULL_HANDLE) {
        record_buffer(device, commands, &table->upload, &table->buffer);
        record_buffer(device, commands, &table->nodes_upload, &table->nodes);
        return;
    }
    shw_image_barrier(device, commands, image->handle, shw_use_discarded, shw_use_copy_target);
    device->vk.CmdCopyBufferToImage(commands, table->upload.handle, image->handle, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                    1, &texels);
    shw_image_barrier(device, commands, image->handle, shw_use_copy_target, shw_use_fragment_sampled);
}
