/* What a forest is written as, for engines that do not want a library (src/files/shader): a source that is flattened,
 * not compiled. Lines that begin with '@' remain as they are.
 *
 * Definitions come before it: SHW_TREES, SHW_CLASSES, SHW_TABLE_SHIFT (log2 of the texture's width), and 0 or 1:
 * IS_ARRAY (the texture has layers), HAS_INTEGRALS, HAS_BASE (there are filters), HAS_FILTERED (of derived kinds),
 * HAS_KINDS (that read inputs), HAS_TABLE (one of them has one), IS_DIRECT (labelling can make channels itself). What
 * is included from export_... depends on the channels. */

@#ifndef SHW_PASS
@#define SHW_PASS SHW_PASS_NONE
@#endif
@#define SHW_PASS_NONE 0
#if HAS_BASE
@#define SHW_PASS_BASE 1
@#define SHW_PASS_ROWS 2
#endif
#if HAS_FILTERED
@#define SHW_PASS_FILTERED 3
#endif
@#define SHW_PASS_CHANNELS 4
#if HAS_INTEGRALS
@#define SHW_PASS_SUMS 5
@#define SHW_PASS_MORE_SUMS 6
#endif
@#define SHW_PASS_LABELS 7
@
#if IS_DIRECT
@#ifndef SHW_DIRECT /* 1: without the pass CHANNELS; what a test reads of them is computed again and again */
@#define SHW_DIRECT 1
@#endif
#endif
@#ifdef SHW_SAMPLERS /* for OpenGL: textures with samplers */
@#define SHW_TEXTURE2D sampler2D
@#define SHW_UTEXTURE2D usampler2D
@#define SHW_ITEXTURE2DARRAY isampler2DArray
@#define SHW_UTEXTURE2DARRAY usampler2DArray
@#else
@#extension GL_EXT_samplerless_texture_functions : require
@#define SHW_TEXTURE2D texture2D
@#define SHW_UTEXTURE2D utexture2D
@#define SHW_ITEXTURE2DARRAY itexture2DArray
@#define SHW_UTEXTURE2DARRAY utexture2DArray
@#endif
@#ifndef SHW_SET
@#define SHW_SET 0
@#endif
@#ifndef SHW_AT /* for OpenGL: layout(binding = place) */
@#define SHW_AT(place) layout(set = SHW_SET, binding = place)
@#endif
@#ifndef SHW_TABLE_BINDING
@#define SHW_TABLE_BINDING 0
@#endif
@#ifndef SHW_PLANES_BINDING
@#define SHW_PLANES_BINDING 1
@#endif
#if HAS_TABLE
@#ifndef SHW_LAB_BINDING
@#define SHW_LAB_BINDING 2
@#endif
#endif
#if HAS_BASE
@#ifndef SHW_FILTER_BINDING
@#define SHW_FILTER_BINDING 3
@#endif
#endif
#if HAS_FILTERED
@#ifndef SHW_FILTERED_BINDING
@#define SHW_FILTERED_BINDING 4
@#endif
#endif
@#ifndef SHW_OUT_BINDING
@#define SHW_OUT_BINDING 5
@#endif
#include "export_bindings"

#include "types.h"

#if IS_DIRECT
@#if SHW_PASS == SHW_PASS_CHANNELS || (SHW_DIRECT && (SHW_PASS == SHW_PASS_NONE || SHW_PASS == SHW_PASS_LABELS))
#elif HAS_BASE && HAS_KINDS
@#if SHW_PASS == SHW_PASS_BASE || SHW_PASS == SHW_PASS_CHANNELS
#elif HAS_BASE
@#if SHW_PASS == SHW_PASS_BASE
#else
@#if SHW_PASS == SHW_PASS_CHANNELS
#endif
@/* The inputs. */
#include "export_inputs"
#if HAS_TABLE
@SHW_AT(SHW_LAB_BINDING) uniform SHW_UTEXTURE2D shw_lab_texture;
#endif
@#endif

#if HAS_BASE
@#if SHW_PASS == SHW_PASS_BASE
ivec4 shw_values(ivec2 at, uint group)
{
#include "export_base"
    return ivec4(0);
}
@#endif

#if HAS_FILTERED
@#if SHW_PASS == SHW_PASS_ROWS || SHW_PASS == SHW_PASS_FILTERED || SHW_PASS == SHW_PASS_CHANNELS
#else
@#if SHW_PASS == SHW_PASS_ROWS || SHW_PASS == SHW_PASS_CHANNELS
#endif
@/* Filters: along rows of base planes, and along columns of what that makes. */
@SHW_AT(SHW_FILTER_BINDING) uniform SHW_ITEXTURE2DARRAY shw_filter_texture;
#include "export_weights"

int shw_weight(int index)
{
    return shw_weights[index];
}

int shw_plane_at(ivec2 at, int plane)
{
    return texelFetch(shw_filter_texture, ivec3(at, plane), 0).r;
}

#include "dense/channels/filter_sum.glsl"
#include "filter_push.h"

@#ifndef SHW_SIZE
@#define SHW_SIZE (textureSize(shw_filter_texture, 0).xy)
@#endif
int shw_filter_term(ivec2 at, ivec2 direction, uint filter_word)
{
    if (filter_word == 0u)
        return 0;
    return shw_filter_sum(at, direction, SHW_SIZE - 1, int(filter_word & 255u), int(filter_word >> 8u & 255u),
                          int(filter_word >> 16u & 32767u));
}

int shw_column(ivec2 at, uint first, uint second)
{
    int value = shw_round_shift(shw_filter_term(at, ivec2(0, 1), first) + shw_filter_term(at, ivec2(0, 1), second),
                                SHW_COLUMN_SHIFT);
    return first >> 31u != 0u ? abs(value) : value;
}
@#endif

@#if SHW_PASS == SHW_PASS_ROWS
ivec4 shw_values(ivec2 at, uint group)
{
    ivec4 values;

    for (uint i = 0u; i < 4u; i++)
        values[i] = shw_round_shift(shw_filter_term(at, ivec2(1, 0), shw_row_filters[4u * group + i]), SHW_ROW_SHIFT);
    return values;
}
@#endif
#endif

#if HAS_FILTERED
@#if SHW_PASS == SHW_PASS_FILTERED
ivec4 shw_values(ivec2 at, uint group)
{
    ivec4 values;

    for (uint i = 0u, term = 8u * group; i < 4u; i++, term += 2u)
        values[i] = shw_column(at, shw_derived_filters[term], shw_derived_filters[term + 1u]);
    return values;
}
@#endif
@#if SHW_PASS == SHW_PASS_CHANNELS
@SHW_AT(SHW_FILTERED_BINDING) uniform SHW_ITEXTURE2DARRAY shw_filtered_texture;
int shw_filtered(ivec2 at, uvec3 inputs, uint plane, int dx, int dy)
{
    at = clamp(at + ivec2(dx, dy), ivec2(0), SHW_SIZE - 1);
    return texelFetch(shw_filtered_texture, ivec3(at, inputs[plane]), 0).r;
}
@#endif
#endif

#if IS_DIRECT
@#if SHW_PASS == SHW_PASS_CHANNELS || (SHW_DIRECT && (SHW_PASS == SHW_PASS_NONE || SHW_PASS == SHW_PASS_LABELS))
#else
@#if SHW_PASS == SHW_PASS_CHANNELS
#endif
#if HAS_TABLE
uint shw_table(ivec2 at, uvec2 inputs, uint index)
{
    return texelFetch(shw_lab_texture, ivec2(index >> 2u & 63u, index >> 8u), 0)[index & 3u];
}
#endif
#if HAS_KINDS
uint shw_pixel(ivec2 at, uvec2 inputs, uint axis)
{
    return uint(at[axis]);
}
uint shw_extent(ivec2 at, uvec2 inputs, uint axis)
{
    return uint((SHW_SIZE)[axis]);
}
#endif
#include "export_kinds"
/* Channels 4 group to 4 group + 3. */
ivec4 shw_values(ivec2 at, uint group)
{
    ivec4 values = ivec4(0);

#if HAS_BASE
    for (uint i = 0u, term = 8u * group; i < 4u; i++, term += 2u)
        values[i] = shw_column(at, shw_column_filters[term], shw_column_filters[term + 1u]);
#endif
#include "export_channels"
    return values;
}
@#endif

#if HAS_INTEGRALS
@#if SHW_PASS == SHW_PASS_SUMS || SHW_PASS == SHW_PASS_MORE_SUMS
@/* Integral images: the sum of what is above and to the left, modulo 2^32. */
@#if SHW_PASS == SHW_PASS_SUMS
@SHW_AT(SHW_PLANES_BINDING) uniform SHW_ITEXTURE2DARRAY shw_planes_texture; /* channels */
@#ifndef SHW_SIZE
@#define SHW_SIZE (textureSize(shw_planes_texture, 0).xy)
@#endif
@#elif !defined SHW_COMPUTE
@SHW_AT(SHW_PLANES_BINDING) uniform SHW_UTEXTURE2DARRAY shw_planes_texture; /* sums */
@#endif
@#ifdef SHW_COMPUTE
@/* A work group adds up a row (SUMS) or, in place, a column (MORE_SUMS) of an integral image. */
layout(local_size_x = 64) in;
@SHW_AT(SHW_OUT_BINDING) layout(r32ui) uniform uimage2DArray shw_out;
shared uint shw_parts[64];

@#if SHW_PASS == SHW_PASS_SUMS
ivec2 shw_place(int line, int index)
{
    return ivec2(index, line);
}
int shw_length()
{
    return SHW_SIZE.x + 1;
}
uint shw_summand(ivec2 at, int plane)
{
    if (at.x == 0 || at.y == 0)
        return 0u;
    return uint(texelFetch(shw_planes_texture, ivec3(at - 1, plane), 0).r);
}
@#else
@#ifndef SHW_SIZE
@#define SHW_SIZE (imageSize(shw_out).xy - 1)
@#endif
ivec2 shw_place(int line, int index)
{
    return ivec2(line, index);
}
int shw_length()
{
    return SHW_SIZE.y + 1;
}
uint shw_summand(ivec2 at, int plane)
{
    return imageLoad(shw_out, ivec3(at, plane)).r;
}
@#endif

void main()
{
    int line = int(gl_WorkGroupID.x), plane = int(gl_WorkGroupID.y), thread = int(gl_LocalInvocationID.x);
    int part = (shw_length() + 63) / 64, begin = part * thread, end = min(begin + part, shw_length());
    uint sum = 0u;

    for (int i = begin; i < end; i++)
        sum += shw_summand(shw_place(line, i), plane);
    shw_parts[thread] = sum;
    barrier();
    sum = 0u;
    for (int i = 0; i < thread; i++)
        sum += shw_parts[i];
    for (int i = begin; i < end; i++) {
        sum += shw_summand(shw_place(line, i), plane);
        imageStore(shw_out, ivec3(shw_place(line, i), plane), uvec4(sum, 0u, 0u, 0u));
    }
}
@#else
uint shw_summand(ivec2 at, int plane)
{
    return uint(texelFetch(shw_planes_texture, ivec3(at, plane), 0).r);
}
#include "dense/integrate/sum_of_four.glsl"
@#endif
@#endif
#endif

#if IS_DIRECT
@#if SHW_PASS == SHW_PASS_LABELS || SHW_PASS == SHW_PASS_NONE
@#if !SHW_DIRECT
@SHW_AT(SHW_PLANES_BINDING) uniform SHW_ITEXTURE2DARRAY shw_planes_texture; /* channels */
@#ifndef SHW_SIZE
@#define SHW_SIZE (textureSize(shw_planes_texture, 0).xy)
@#endif
@#endif
int shw_channel(uint channel, int x, int y)
{
@#if SHW_DIRECT
    return shw_values(ivec2(x, y), channel >> 2u)[channel & 3u];
@#else
    return texelFetch(shw_planes_texture, ivec3(x, y, channel), 0).r;
@#endif
}
#elif HAS_INTEGRALS
@#if SHW_PASS == SHW_PASS_LABELS || SHW_PASS == SHW_PASS_NONE
@/* Integral images, one column and row larger than the image. */
@SHW_AT(SHW_PLANES_BINDING) uniform SHW_UTEXTURE2DARRAY shw_planes_texture;
@#ifndef SHW_SIZE
@#define SHW_SIZE (textureSize(shw_planes_texture, 0).xy - 1)
@#endif
uint shw_integral(uint channel, int x, int y)
{
    return texelFetch(shw_planes_texture, ivec3(x, y, channel), 0).r;
}
#else
@#if SHW_PASS == SHW_PASS_LABELS || SHW_PASS == SHW_PASS_NONE
@SHW_AT(SHW_PLANES_BINDING) uniform SHW_ITEXTURE2DARRAY shw_planes_texture; /* channels */
@#ifndef SHW_SIZE
@#define SHW_SIZE (textureSize(shw_planes_texture, 0).xy)
@#endif
int shw_channel(uint channel, int x, int y)
{
    return texelFetch(shw_planes_texture, ivec3(x, y, channel), 0).r;
}
#endif

#if IS_ARRAY
@SHW_AT(SHW_TABLE_BINDING) uniform SHW_UTEXTURE2DARRAY shw_table_texture;
uvec4 shw_forest_texel(uint index)
{
    uint row = index >> SHW_TABLE_SHIFT;
    return texelFetch(shw_table_texture, ivec3(index & ((1u << SHW_TABLE_SHIFT) - 1u), row & 4095u, row >> 12u), 0);
}
#else
@SHW_AT(SHW_TABLE_BINDING) uniform SHW_UTEXTURE2D shw_table_texture;
uvec4 shw_forest_texel(uint index)
{
    return texelFetch(shw_table_texture, ivec2(index & ((1u << SHW_TABLE_SHIFT) - 1u), index >> SHW_TABLE_SHIFT), 0);
}
#endif

#include "feature_type.h"
#include "traverse.h"

/* The leaf that a pixel reaches in each tree, among the leaves of all trees. */
void shw_leaves(ivec2 pixel, out uint leaves[SHW_TREES])
{
    shw_rect image = shw_rect(0, 0, SHW_SIZE.x, SHW_SIZE.y);
    shw_centre centre = shw_centre_at(pixel.x, pixel.y, image);

    for (uint tree = 0u; tree < SHW_TREES; tree++) {
        uvec4 entry = shw_forest_texel(1u + tree);
        leaves[tree] =
            shw_leaf_or_none(entry.w + shw_forest_texel(shw_traverse(entry.x, entry.z, centre, image)).z, centre);
    }
}

#define SUM_TREES   SHW_TREES
#define SUM_CLASSES SHW_CLASSES
#define SUM_FOREST  SHW_TREES
#define SUM_PIXEL   uint[SHW_TREES]
#define row_at       shw_leaf_of
#define sum_part     shw_sum_part
#define sum_of       shw_sum_of
#define mean_of      shw_mean_of
#define find_largest shw_find_largest
uint row_at(uint tree, uint leaves[SHW_TREES])
{
    return leaves[tree];
}
#define SUM_MAY_BE_VOID SHW_FEATURE_READS_DEPTH
#include "dense/traverse/evaluate_sums.glsl"

/* The most probable class of those leaves, the lowest among equals; -1: the pixel has no depth. */
int shw_label_of(uint leaves[SHW_TREES])
{
    uint best = SHW_ARGMAX_VOID, best_sum = 0u;

    for (uint part = 0u; part < SHW_DISTRIBUTION_TEXELS(SHW_CLASSES); part++) {
        uvec4 even, odd;
        sum_part(part, leaves, even, odd);
        find_largest(even, odd, part, best, best_sum);
    }
    return best == SHW_ARGMAX_VOID ? -1 : int(best);
}

int shw_label(ivec2 pixel)
{
    uint leaves[SHW_TREES];

    shw_leaves(pixel, leaves);
    return shw_label_of(leaves);
}

/* The probability of a class by those leaves, 0 to 65535. */
uint shw_probability(uint leaves[SHW_TREES], uint number)
{
    uvec4 even, odd;

    sum_part(number >> 3u, leaves, even, odd);
    return mean_of(sum_of(even, odd, number & 7u));
}
@#endif

@#if SHW_PASS != SHW_PASS_NONE
@#ifdef SHW_COMPUTE
#if HAS_INTEGRALS
@#if SHW_PASS != SHW_PASS_SUMS && SHW_PASS != SHW_PASS_MORE_SUMS
#endif
layout(local_size_x = 8, local_size_y = 8) in;
@#if SHW_PASS == SHW_PASS_LABELS
@SHW_AT(SHW_OUT_BINDING) layout(r16ui) uniform writeonly uimage2D shw_out;
@#else
@SHW_AT(SHW_OUT_BINDING) layout(r16i) uniform writeonly iimage2DArray shw_out;
@#endif

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);

    if (at.x >= SHW_SIZE.x || at.y >= SHW_SIZE.y)
        return;
@#if SHW_PASS == SHW_PASS_LABELS
    imageStore(shw_out, at, uvec4(uint(shw_label(at)) & 0xffffu, 0u, 0u, 0u));
@#else
    ivec4 values = shw_values(at, gl_GlobalInvocationID.z);
    for (int i = 0; i < 4; i++)
        imageStore(shw_out, ivec3(at, 4 * int(gl_GlobalInvocationID.z) + i), ivec4(values[i], 0, 0, 0));
@#endif
}
#if HAS_INTEGRALS
@#endif
#endif
@#else
@#if SHW_PASS != SHW_PASS_LABELS && !defined SHW_GROUP
@layout(push_constant) uniform shw_push_block {
@    int group, step_x, step_y;
@} shw_push;
@#define SHW_GROUP uint(shw_push.group) /* of four layers, which are written */
@#define SHW_STEP ivec2(shw_push.step_x, shw_push.step_y)
@#endif
@#if SHW_PASS == SHW_PASS_LABELS
@layout(location = 0) out uint shw_out0;
@
void main()
{
    shw_out0 = uint(shw_label(ivec2(gl_FragCoord.xy))) & 0xffffu;
}
#if HAS_INTEGRALS
@#elif SHW_PASS == SHW_PASS_SUMS || SHW_PASS == SHW_PASS_MORE_SUMS
@layout(location = 0) out uint shw_out0;
@layout(location = 1) out uint shw_out1;
@layout(location = 2) out uint shw_out2;
@layout(location = 3) out uint shw_out3;
@
void main()
{
    ivec2 at = ivec2(gl_FragCoord.xy);
    int plane = 4 * int(SHW_GROUP);

@#if SHW_PASS == SHW_PASS_SUMS
    at -= 1;
@#endif
    shw_out0 = shw_sum_of_four(at, SHW_STEP, plane);
    shw_out1 = shw_sum_of_four(at, SHW_STEP, plane + 1);
    shw_out2 = shw_sum_of_four(at, SHW_STEP, plane + 2);
    shw_out3 = shw_sum_of_four(at, SHW_STEP, plane + 3);
}
#endif
@#else
@layout(location = 0) out int shw_out0;
@layout(location = 1) out int shw_out1;
@layout(location = 2) out int shw_out2;
@layout(location = 3) out int shw_out3;
@
void main()
{
    ivec4 values = shw_values(ivec2(gl_FragCoord.xy), SHW_GROUP);

    shw_out0 = values.x;
    shw_out1 = values.y;
    shw_out2 = values.z;
    shw_out3 = values.w;
}
@#endif
@#endif
@#endif
