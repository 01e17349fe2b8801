#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/ktx2.h"
#include "base/log.h"
#include "dense/forest/ferns.h"
#include "dense/forest/forest.h"

enum shw_result shw_forest_save_memory(const struct shw_forest *forest, void **bytes, size_t *size)
{
    SHW_REFUSE_NULL(NULL, forest);
    SHW_REFUSE_NULL(NULL, bytes);
    SHW_REFUSE_NULL(NULL, size);

    char *metadata = shw_forest_format_metadata(forest);
    uint32_t *texels = shw_forest_copy_texels(forest);
    const struct shw_ktx2 image = {
        .content = SHW_KTX2_FOREST,
        .width = forest->layout.width,
        .height = forest->layout.height,
        .layers = forest->layout.layers,
        .texels = texels,
        .metadata = metadata,
    };
    enum shw_result result = shw_ktx2_write(&image, bytes, size);

    free(metadata);
    free(texels);
    return result;
}

enum shw_result shw_forest_save(const struct shw_forest *forest, const char *path, const struct shw_log *log)
{
    SHW_REFUSE_NULL(log, forest);
    SHW_REFUSE_NULL(log, path);

    void *bytes;
    size_t size;
    enum shw_result result = shw_forest_save_memory(forest, &bytes, &size);

    if (result != SHW_OK)
        return shw_fail_memory(log, path);
    result = shw_atomic_file_write(path, bytes, size, log);
    free(bytes);
    return result;
}

#define BAD_STRUCTURE(source, format, ...)                                                                             \
    shw_fail((source)->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_STRUCTURE, "%s: " format, (source)->name, __VA_ARGS__)

/* The distributions of tree `t` are those up to the first one of the next tree, or up to the end. */
static enum shw_result read_leaf_count(struct shw_forest *forest, const struct shw_ktx2 *image, uint32_t t,
                                       const struct shw_forest_source *source)
{
    bool last = t + 1 == forest->info.tree_count;
    uint32_t words[8], leaves = forest->trees[t].node_count / 2 + 1, end;

    memcpy(words, (const char *)image->texels + 16 * (1 + (size_t)t), last ? 16 : 32);
    if (last)
        memcpy(&end, (const char *)image->texels + 12, sizeof end);
    else
        end = words[7];
    if (end <= words[3] || end - words[3] > leaves)
        return BAD_STRUCTURE(source, "tree %u: its distributions begin at %u and end before %u, but it has %u leaves",
                             t, words[3], end, leaves);
    forest->trees[t].leaf_count = end - words[3];
    return SHW_OK;
}

/* Reads the sizes of the trees from the texture, as far as they are plausible. */
static enum shw_result read_sizes(struct shw_forest *forest, const struct shw_ktx2 *image,
                                  const struct shw_forest_source *source)
{
    uint32_t header[4];
    uint64_t texel_count = (uint64_t)image->width * image->height * image->layers;

    memcpy(header, image->texels, sizeof header);
    if (header[0] < 1 || header[0] > SHW_TREES_MAX || header[0] >= texel_count)
        return BAD_STRUCTURE(source, "texel 0: %u trees; there must be 1 to %u", header[0], SHW_TREES_MAX);
    if (header[1] != forest->info.class_count)
        return BAD_STRUCTURE(source, "texel 0: %u classes, but the metadata names %u", header[1],
                             forest->info.class_count);
    forest->info.tree_count = header[0];
    forest->trees = calloc(header[0], sizeof *forest->trees);
    if (forest->trees == NULL)
        return shw_fail_memory(source->log, "the trees of a forest");
    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        uint32_t words[4];
        memcpy(words, (const char *)image->texels + sizeof words * (1 + (size_t)t), sizeof words);
        if (words[1] % 2 != 1 || words[1] > SHW_NODES_MAX)
            return BAD_STRUCTURE(source, "tree %u: %u nodes; there must be an odd number up to %u", t, words[1],
                                 SHW_NODES_MAX);
        forest->trees[t].node_count = words[1];
    }
    for (uint32_t t = 0; t < forest->info.tree_count; t++)
        SHW_PROPAGATE(read_leaf_count(forest, image, t, source));
    return SHW_OK;
}

static enum shw_result check_layout(const struct shw_forest *forest, const struct shw_ktx2 *image,
                                    const struct shw_forest_source *source)
{
    const struct shw_forest_layout *layout = &forest->layout;
    uint32_t words[4];

    if (layout->width != image->width || layout->height != image->height || layout->layers != image->layers)
        return BAD_STRUCTURE(source, "a texture of %u x %u x %u texels, but its trees and leaves take %u x %u x %u",
                             image->width, image->height, image->layers, layout->width, layout->height, layout->layers);
    memcpy(words, image->texels, sizeof words);
    if (words[2] != layout->distributions || words[3] != layout->leaf_count)
        return BAD_STRUCTURE(source, "texel 0: %u leaves at texel %u instead of %u at %u", words[3], words[2],
                             layout->leaf_count, layout->distributions);
    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        memcpy(words, (const char *)image->texels + sizeof words * (1 + (size_t)t), sizeof words);
        if (words[0] != forest->trees[t].first || words[3] != forest->trees[t].first_leaf)
            return BAD_STRUCTURE(source, "tree %u begins at texel %u and leaf %u instead of texel %u and leaf %u", t,
                                 words[0], words[3], forest->trees[t].first, forest->trees[t].first_leaf);
    }
    return SHW_OK;
}

static enum shw_result check_depths(const struct shw_forest *forest, const struct shw_forest_source *source)
{
    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        uint32_t depth = forest->texels[4 * (1 + (size_t)t) + 2];
        if (depth != forest->trees[t].depth)
            return BAD_STRUCTURE(source, "tree %u: depth %u, but its longest path has %u tests", t, depth,
                                 forest->trees[t].depth);
    }
    return SHW_OK;
}

static enum shw_result read_texture(struct shw_forest *forest, const struct shw_ktx2 *image,
                                    const struct shw_forest_source *source)
{
    size_t size;

    SHW_PROPAGATE(read_sizes(forest, image, source));
    if (!shw_forest_place(forest->trees, forest->info.tree_count, forest->info.class_count, &forest->layout))
        return BAD_STRUCTURE(source, "%s", "trees and leaves take more texels than a texture has");
    SHW_PROPAGATE(check_layout(forest, image, source));
    size = (size_t)16 * shw_forest_texel_count(&forest->layout);
    forest->texels = malloc(size);
    if (forest->texels == NULL)
        return shw_fail_memory(source->log, source->name);
    memcpy(forest->texels, image->texels, size);
    SHW_PROPAGATE(shw_forest_check(forest, source));
    return check_depths(forest, source);
}

enum shw_result shw_forest_load_memory_abi(uint32_t abi, const void *bytes, size_t size, const char *name,
                                           const struct shw_forest_load_params *params, struct shw_forest **out)
{
    SHW_REFUSE_ABI(abi);
    const struct shw_log *log = params != NULL ? &params->log : NULL;
    SHW_REFUSE_NULL(log, bytes);
    SHW_REFUSE_NULL(log, out);

    struct shw_forest_source source = {.name = name != NULL ? name : "forest", .log = log, .params = params};
    const struct shw_ktx2_source file = {.name = source.name, .log = log, .content = SHW_KTX2_FOREST};
    struct shw_ktx2 image = {0};
    struct shw_forest *forest;
    enum shw_result result;

    if (out == NULL || (bytes == NULL && size > 0))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: the bytes or the pointer for the forest are NULL", source.name);
    forest = calloc(1, sizeof *forest);
    if (forest == NULL)
        return shw_fail_memory(log, source.name);
    result = shw_ktx2_read_metadata(bytes, size, &file, &image);
    if (result == SHW_OK)
        result = shw_forest_parse_metadata(forest, image.metadata, image.metadata_length, &source);
    if (result == SHW_OK)
        result = shw_ktx2_read(bytes, size, &file, &image);
    if (result == SHW_OK)
        result = read_texture(forest, &image, &source);
    if (result == SHW_OK &&
        (!shw_forest_set_hash(forest) || !shw_forest_set_votes(forest) || !shw_forest_find_ferns(forest)))
        result = shw_fail_memory(log, source.name);
    if (result == SHW_OK)
        *out = forest;
    else
        shw_forest_destroy(&forest);
    return result;
}

enum shw_result shw_forest_load_abi(uint32_t abi, const char *path, const struct shw_forest_load_params *params,
                                    struct shw_forest **forest)
{
    SHW_REFUSE_ABI(abi);
    const struct shw_log *log = params != NULL ? &params->log : NULL;
    SHW_REFUSE_NULL(log, path);
    SHW_REFUSE_NULL(log, forest);

    void *bytes;
    size_t size;
    enum shw_result result;

    SHW_PROPAGATE(shw_ktx2_read_file(path, log, &bytes, &size));
    result = shw_forest_load_memory(bytes, size, path, params, forest);
    free(bytes);
    return result;
}
