/* From a sample and a candidate to a cell of the histogram. Include after blend.glsl. */
layout(std430, set = 0, binding = SHW_TRAIN_SAMPLES) readonly buffer Samples {
    uint samples[];
};
layout(set = 0, binding = SHW_BLEND_LEAVES) uniform utexture2D leaves;
layout(set = 0, binding = SHW_BLEND_RESPONSES) uniform itexture2DArray responses;

#include "bin.glsl"
#include "tables.glsl"

/* The cell for sample `number` of the group and the candidate in layer `layer`; SHW_BLEND_NONE if it is not counted. */
uint cell_of(uint number, uint layer)
{
    uint component = uint(number >= push.begins[1]) + uint(number >= push.begins[2]) + uint(number >= push.begins[3]);
    uint place = number - component_begin(component);
    ivec2 texel = ivec2(place % SHW_BLEND_WIDTH, place / SHW_BLEND_WIDTH);
    uint open = texelFetch(leaves, texel, 0)[component] - push.open_begin, candidate = push.candidate + layer;
    uint row = open * push.candidate_count + candidate;
    if (open >= push.open_count || !has_thresholds(row))
        return SHW_BLEND_NONE;
    uint node = open + push.open_begin, classes = node_word(node, SHW_NODE_CLASSES);
    uint label = samples[2u * push.sample_capacity + push.first + number];
    int response = texelFetch(responses, ivec3(texel, layer), 0)[component];
    uint bin = response != SHW_UNDEFINED_RESPONSE ? bin_of(thresholds_of(row), response) : push.bins;
    return node_word(node, SHW_NODE_HISTOGRAM) + (candidate * push.all_bins + bin) * classes +
           tables[node_word(node, SHW_NODE_CLASS_INDEX) + label];
}
