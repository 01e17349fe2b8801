#version 450
#extension GL_GOOGLE_include_directive : require
#ifdef HALVES
#extension GL_EXT_shader_16bit_storage : require
#endif
/* The leaves that pixels reach and, from them, the most probable class and the mean distribution. A work group covers
 * as many columns of pixels as its rows have threads, two rows of pixels for each, and walks several trees in parallel.
 * The two pixels of a thread share reads of large nodes as long as they are at the same one. */
#define SHW_MAY_BRANCH 1
#include "evaluate_push.h"
#include "walk_node.h"

layout(local_size_x_id = 7, local_size_y_id = 0, local_size_z_id = 1) in;
/* The number of trees; a constant, so that loops over trees are unrolled. */
layout(constant_id = 2) const uint tree_count = 1;
layout(constant_id = 3) const bool makes_leaves = true;
layout(constant_id = 4) const bool makes_argmax = false;
layout(constant_id = 5) const bool makes_distribution = false;
layout(constant_id = 6) const bool is_ferns = false;
/* Whether tests of nodes of places can have an upper threshold; if so, `push` says whether any has one. */
layout(constant_id = 8) const bool may_have_intervals = true;

layout(push_constant) uniform Push {
    shw_evaluate_push push;
};
layout(std430, set = 0, binding = SHW_EVALUATE_FOREST) readonly buffer Forest {
    uvec4 forest[];
};
#define PLANES_BINDING SHW_EVALUATE_INTEGRALS
layout(std430, set = 0, binding = SHW_EVALUATE_LEAVES) writeonly buffer Leaves {
    uint leaves[];
};
layout(std430, set = 0, binding = SHW_EVALUATE_NODES) readonly buffer Nodes {
    uvec4 nodes[];
};
/* The same, for the tables of ferns. */
layout(std430, set = 0, binding = SHW_EVALUATE_NODES) readonly buffer Words {
    uint node_words[];
};
layout(std430, set = 0, binding = SHW_EVALUATE_ARGMAX) writeonly buffer Argmax {
    uint argmax[]; /* pairs of half-words */
};
layout(std430, set = 0, binding = SHW_EVALUATE_DISTRIBUTION) writeonly buffer Distribution {
    uint distribution[]; /* pairs of half-words */
};

const uint columns = gl_WorkGroupSize.x;
const uint pixel_count = columns * 2u * gl_WorkGroupSize.y;
const uint thread_count = columns * gl_WorkGroupSize.y * gl_WorkGroupSize.z;
const uint pair_count = pixel_count / 2u;

shared uint reached[tree_count * pixel_count]; /* [tree][pixel]: number of the leaf among all leaves */
shared uint best_sum[thread_count * 2u], best_class[thread_count * 2u];

#include "feature_type.h"
#include "traverse.h"
#include "planes.glsl"

uint place_of(uint channel, int x, int y)
{
    return channel * push.integral_pitch + uint(y) * push.integral_stride + uint(x);
}
uint shw_integral(uint channel, int x, int y)
{
    return shw_integral_at(place_of(channel, x, y));
}
int shw_channel(uint channel, int x, int y)
{
    return shw_channel_at(place_of(channel, x, y));
}

#ifndef SHW_FEATURE_HAS_INSIDE
const bool is_prepared = false;
#elif SHW_FEATURE_READS == SHW_READS_INTEGRALS
const bool is_prepared = is_ferns;
#else
const bool is_prepared = true;
#endif
const uint walk_texels = is_prepared ? SHW_WALK_TEXELS : SHW_WALK_TEXELS_PLAIN;

struct shw_walk_node {
    uvec4 links, first, second; /* inside: the prepared feature; otherwise `first` has the rest of the feature */
};

shw_walk_node fetch_node(uint texel, bool inside)
{
    shw_walk_node node;
    node.links = nodes[texel];
    node.first = nodes[texel + (inside ? 2u : 1u)];
    if (inside)
        node.second = nodes[texel + 3u];
    return node;
}

/* 1: right, 0: left. */
uint side(shw_walk_node node, shw_centre centre, uint word, bool inside)
{
    shw_response response;
#ifdef SHW_FEATURE_HAS_INSIDE
    if (inside)
        response = shw_feature_respond_inside(node.first, node.second, word);
    else
#endif
        response = shw_respond(shw_feature_of(node.links.w, node.first), centre,
                               shw_rect(push.image_x0, push.image_y0, push.image_x1, push.image_y1));
    return shw_goes_right(response, int(node.links.y), int(node.links.z));
}

uint child(shw_walk_node node, shw_centre centre, uint word, bool inside)
{
    uint right = side(node, centre, word, inside);
#if SHW_FEATURE_MAY_BE_UNDEFINED
    right &= node.links.w >> SHW_NODE_SPLIT_SHIFT; /* in a leaf, only undefined responses would go right */
#endif
    return node.links.x + right * walk_texels;
}

/* The same as walk() for a fern: all pixels take the same tests, which do not depend on each other. */
uvec2 walk_fern(uvec4 entry, shw_centre upper, shw_centre lower, uvec2 words, bool inside)
{
    uvec2 place = uvec2(0u);

    for (uint level = 0u; level < entry.y; ++level) {
        shw_walk_node test = fetch_node(entry.x + walk_texels * level, inside);
        place = 2u * place + uvec2(side(test, upper, words.x, inside), side(test, lower, words.y, inside));
    }
    return uvec2(shw_leaf_or_none(node_words[entry.w + place.x], upper),
                 shw_leaf_or_none(node_words[entry.w + place.y], lower));
}

#ifdef SHW_FEATURE_HAS_PLACES
/* The child of a node of places for a pixel; `inside` as below. */
uint place_child(uvec4 node, uint texel, shw_centre centre, uint place, bool inside)
{
    int response, mask = int(node.x) >> 31, t1 = 0x7fffffff;

    if (inside) {
        response = shw_channel_at(place + node.z) - (shw_channel_at(place + node.w) & mask);
        if (may_have_intervals && push.has_intervals != 0u)
            t1 = int(nodes[texel + 1u].x);
    } else {
        uvec4 more = nodes[texel + 1u];
        response = shw_respond(shw_feature_of(more.y, more.zzww), centre,
                               shw_rect(push.image_x0, push.image_y0, push.image_x1, push.image_y1)).value;
        t1 = int(more.x);
    }
    return (node.x & ~SHW_WALK_PAIR) + SHW_WALK_TEXELS_PLAIN * shw_goes_right(shw_defined(response), int(node.y), t1);
}

/* Nodes are small enough to be loaded for both pixels at once, although they are mostly the same: then no branch comes
 * between the values of one pixel and those of the other. */
uvec2 walk_places(uvec4 entry, shw_centre upper, shw_centre lower, uvec2 words, bool inside)
{
    uvec2 at = entry.xx;

    for (uint level = 0u; level < entry.y; ++level) {
        uvec4 node0 = nodes[at.x], node1 = nodes[at.y];
        at = uvec2(place_child(node0, at.x, upper, words.x, inside), place_child(node1, at.y, lower, words.y, inside));
    }
    return uvec2(nodes[at.x].y, nodes[at.y].y) - 1u;
}
#endif

/* The leaves of two pixels, one below the other, as numbers within the tree. */
uvec2 walk(uint tree, shw_centre upper, shw_centre lower, bool inside)
{
    uvec4 entry = nodes[tree];
    uvec2 at = entry.xx, words = uvec2(upper.y, lower.y) * push.integral_stride + uint(upper.x);

    if (is_ferns)
        return walk_fern(entry, upper, lower, words, inside);
#ifdef SHW_FEATURE_HAS_PLACES
    return walk_places(entry, upper, lower, words, inside);
#else
    for (uint level = 0u; level < entry.y; ++level) {
        shw_walk_node node = fetch_node(at.x, inside);
        uint child0 = child(node, upper, words.x, inside);
        if (at.y != at.x)
            node = fetch_node(at.y, inside);
        at = uvec2(child0, child(node, lower, words.y, inside));
    }
    return uvec2(shw_leaf_or_none(nodes[at.x].y, upper), shw_leaf_or_none(nodes[at.y].y, lower));
#endif
}

#define SUM_TREES tree_count
#define SUM_PIXEL uint
uvec4 shw_forest_texel(uint index)
{
    return forest[index];
}
uint row_at(uint tree, uint pixel)
{
    return reached[tree * pixel_count + pixel];
}
#define SUM_MAY_BE_VOID SHW_FEATURE_READS_DEPTH
#include "evaluate_sums.glsl"

/* The first pixel of the work group. */
uvec2 group_place()
{
    return gl_WorkGroupID.xy * uvec2(columns, 2u * gl_WorkGroupSize.y);
}

/* The position of pixel pair `pair` in the tile, and whether it is inside. */
bool place(uint pair, out uvec2 pixel)
{
    pixel = group_place() +
            uvec2(2u * pair % columns, 2u * pair / columns);
    return pixel.x < push.tile_width && pixel.y < push.tile_height;
}

/* The class of a pixel, from the maxima that `share` threads, `stride` apart, have found. */
uint choose(uint item, uint share, uint stride)
{
    uint best = best_class[item], sum = best_sum[item];

    for (uint k = 1u; k < share; ++k) {
        uint other = item + k * stride;
        if (best_sum[other] > sum || (best_sum[other] == sum && best_class[other] < best)) {
            sum = best_sum[other];
            best = best_class[other];
        }
    }
    return best;
}

/* Neighbouring threads share the distribution texels of a pixel; then one thread combines their maxima for two pixels,
 * which share a word. */
void make_argmax(uint thread)
{
    uint share = max(thread_count / pixel_count, 1u), texels = SHW_DISTRIBUTION_TEXELS(push.classes);

    for (uint item = thread; item < pixel_count * share; item += thread_count) {
        uint best = SHW_ARGMAX_VOID, sum = 0u;
        for (uint part = item % share; part < texels; part += share) {
            uvec4 even, odd;
            sum_part(part, item / share, even, odd);
            find_largest(even, odd, part, best, sum);
        }
        best_sum[item] = sum;
        best_class[item] = best;
    }
    barrier();
    uvec2 pixel;
    if (thread < pair_count && place(thread, pixel)) {
        uint word = 0u;
        for (uint half_word = 0u; half_word < 2u; ++half_word)
            word |= choose((2u * thread + half_word) * share, share, 1u) << (16u * half_word);
        argmax[pixel.y * push.argmax_stride + pixel.x >> 1] = word;
    }
}

/* The threads of a row of the work group have neighbouring pairs of pixels, whose words are adjacent; several threads
 * share the texels of a pair. The sums also give the class if it is wanted. */
void make_distribution(uint thread)
{
    uint share = thread_count / pair_count, texels = SHW_DISTRIBUTION_TEXELS(push.classes), pair = thread % pair_count;
    uvec2 pixel, best = uvec2(SHW_ARGMAX_VOID), sum = uvec2(0u);
    bool there = place(pair, pixel);
    uint word = pixel.y * push.distribution_stride + pixel.x >> 1;

    for (uint part = thread / pair_count; there && part < texels; part += share) {
        uvec4 left[2], right[2];
        sum_part(part, 2u * pair, left[0], left[1]);
        sum_part(part, 2u * pair + 1u, right[0], right[1]);
        for (uint i = 0u; i < 8u; ++i)
            if (8u * part + i < push.classes)
                distribution[((8u * part + i) * push.distribution_pitch >> 1) + word] =
                    mean_of(sum_of(left[0], left[1], i)) | mean_of(sum_of(right[0], right[1], i)) << 16;
        if (makes_argmax) {
            find_largest(left[0], left[1], part, best.x, sum.x);
            find_largest(right[0], right[1], part, best.y, sum.y);
        }
    }
    if (!makes_argmax)
        return;
    for (uint k = 0u; k < 2u; ++k) {
        best_sum[2u * thread + k] = sum[k];
        best_class[2u * thread + k] = best[k];
    }
    barrier();
    if (thread < pair_count && there)
        argmax[pixel.y * push.argmax_stride + pixel.x >> 1] =
            choose(2u * pair, share, 2u * pair_count) | choose(2u * pair + 1u, share, 2u * pair_count) << 16u;
}

void main()
{
    ivec2 last = ivec2(push.tile_width, push.tile_height) - 1;
    ivec2 first = ivec2(group_place());
    ivec2 end = min(first + ivec2(columns, 2u * gl_WorkGroupSize.y), last + 1);
    ivec2 origin = ivec2(push.tile_x, push.tile_y);
    int step = int(push.step);
    /* Threads outside the tile repeat its last pixels. */
    uint column = gl_LocalInvocationID.x, row = 2u * gl_LocalInvocationID.y;
    ivec2 pixel = min(first + ivec2(column, row), last);
    int below = min(first.y + int(row) + 1, last.y);
    ivec2 lowest = step * first + origin + ivec2(push.reach_x0, push.reach_y0);
    ivec2 highest = step * (end - 1) + origin + ivec2(push.reach_x1, push.reach_y1);
    bool inside = all(greaterThanEqual(lowest, ivec2(push.image_x0, push.image_y0))) &&
                  all(lessThanEqual(highest, ivec2(push.image_x1, push.image_y1)));

    shw_rect image = shw_rect(push.image_x0, push.image_y0, push.image_x1, push.image_y1);
    shw_rect held = shw_rect_held(image, push.region_width, push.region_height);
    shw_centre upper = shw_centre_at(step * pixel.x + push.tile_x, step * pixel.y + push.tile_y, held);
    shw_centre lower = shw_centre_at(step * pixel.x + push.tile_x, step * below + push.tile_y, held);

    for (uint tree = gl_LocalInvocationID.z; tree < push.trees; tree += gl_WorkGroupSize.z) {
        uvec2 leaf = is_prepared && inside ? walk(tree, upper, lower, true) : walk(tree, upper, lower, false);
        if (makes_leaves) {
            uint word = (push.first + tree) * push.leaf_pitch + uint(pixel.x);
            leaves[word + uint(pixel.y) * push.leaf_stride] = leaf.x;
            leaves[word + uint(below) * push.leaf_stride] = leaf.y;
        }
        if (makes_argmax || makes_distribution) {
            uint at = tree * pixel_count + row * columns + column;
            reached[at] = shw_leaf_or_none(nodes[tree].z + leaf.x, upper);
            reached[at + columns] = shw_leaf_or_none(nodes[tree].z + leaf.y, lower);
        }
    }
    if (makes_argmax || makes_distribution)
        barrier();
    if (makes_distribution)
        make_distribution(gl_LocalInvocationIndex);
    else if (makes_argmax)
        make_argmax(gl_LocalInvocationIndex);
}
