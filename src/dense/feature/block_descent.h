/* The descent of a patch of pixels through a tree. Adjacent pixels mostly take the same path, so the patch descends
 * together: each node that any of them reaches is visited once, with a list of blocks, each with a mask of the pixels
 * that have reached it.
 *
 * The including file defines before
 *   LANES, VECTOR   the pixels of a block, at most 16, and what functions begin with
 * and after
 *   test_node()     splits the blocks of a node by its test
 *   store_leaf()    for the pixels of the blocks that have reached a leaf */
#ifndef SHW_DENSE_FEATURE_BLOCK_DESCENT_H
#define SHW_DENSE_FEATURE_BLOCK_DESCENT_H

#include "dense/feature/evaluate_cpu.h"
#include "shared/forest_texture.h"

#define NODE_WORDS (4u * SHW_NODE_TEXELS)

/* A block: LANES successive pixels of a row. Bits 0-31: offset of its first pixel in an integral image, relative to the
 * patch; bits 32-39 and 40-47: its column and row in the patch; bits 48-63: mask of its active pixels. */
#define BLOCK_OFFSET(block) ((ptrdiff_t)((block)&0xffffffffu))
#define BLOCK_X(block)      ((uint32_t)((block) >> 32) & 0xff)
#define BLOCK_Y(block)      ((uint32_t)((block) >> 40) & 0xff)
#define BLOCK_MASK_SHIFT    48
#define BLOCK_PLACE         (((uint64_t)1 << BLOCK_MASK_SHIFT) - 1)

/* Position of a patch in the planes. */
struct place {
    const void *planes;
    ptrdiff_t stride, pitch;
    struct shw_rect image;
    int32_t x, y; /* of its first pixel */
    int32_t width, height;
    int32_t step; /* from pixel to pixel; known to the compiler if it is 1 */
};

/* The blocks of a node. After its test, `list` has those that go left, and `right`, behind it, those that go right. */
struct blocks {
    uint64_t *list, *right;
    uint32_t count, left_count, right_count;
};

VECTOR int lies_within(const struct shw_rect *range, const struct place *place, uint64_t block)
{
    int32_t x = (int32_t)BLOCK_X(block) * place->step, y = (int32_t)BLOCK_Y(block) * place->step;

    return x >= range->x0 && x <= range->x1 && y >= range->y0 && y <= range->y1;
}

/* `kind` is passed on. */
VECTOR void test_node(struct blocks *blocks, const struct place *place, const uint32_t *node, uint32_t kind);
VECTOR void store_leaf(const struct blocks *blocks, uint32_t leaf, uint32_t width, uint32_t *leaves);

VECTOR void descend(const struct place *place, const uint32_t *root, struct blocks blocks, uint32_t *leaves,
                    uint32_t kind)
{
    struct {
        const uint32_t *node;
        uint64_t *list;
        uint32_t count;
    } waiting[SHW_DEPTH_MAX];
    const uint32_t *node = root;
    uint32_t count = 0;

    for (;;) {
        if ((node[1] >> SHW_NODE_SPLIT_SHIFT & 1) == 0) {
            store_leaf(&blocks, node[2], (uint32_t)place->width, leaves);
            if (count == 0)
                break;
            node = waiting[--count].node;
            blocks.list = waiting[count].list;
            blocks.count = waiting[count].count;
            continue;
        }
        __builtin_prefetch(root + (size_t)NODE_WORDS * node[0]);
        test_node(&blocks, place, node, kind);
        node = root + (size_t)NODE_WORDS * node[0];
        if (blocks.right_count > 0) {
            if (blocks.left_count > 0) {
                waiting[count].node = node;
                waiting[count].list = blocks.list;
                waiting[count++].count = blocks.left_count;
            }
            node += NODE_WORDS;
            blocks.list = blocks.right;
            blocks.count = blocks.right_count;
        } else {
            blocks.count = blocks.left_count;
        }
    }
}

/* The last block of a row may overlap the one before. */
static uint32_t list_blocks(const struct place *place, uint64_t *list)
{
    uint32_t count = 0;

    for (int32_t y = 0; y < place->height; y++)
        for (int32_t x = 0; x < place->width; x += LANES) {
            int32_t begin = x <= place->width - LANES ? x : place->width - LANES;
            list[count++] = (uint64_t)((1u << LANES) - 1) << BLOCK_MASK_SHIFT | (uint64_t)y << 40 |
                            (uint64_t)begin << 32 | (uint64_t)((y * place->stride + begin) * place->step);
        }
    return count;
}

#endif
