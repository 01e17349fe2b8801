/* Samples, their rows, and responses. Include after boost.glsl. */
#ifndef SAMPLES_ACCESS
#define SAMPLES_ACCESS readonly
#endif
layout(std430, set = 0, binding = SHW_BOOST_SAMPLES) SAMPLES_ACCESS buffer Samples {
    uint samples[];
};
layout(std430, set = 0, binding = SHW_BOOST_TABLES) readonly buffer Tables {
    uint tables[];
};

uint node_of(uint number)
{
    return samples[push.capacity + push.first + number];
}

/* The cell of bin 0 in the histograms of a candidate, and the weight; SHW_BOOST_NO_ROW: the sample is not counted. */
uvec2 cell_of(uint number)
{
    if (number >= push.count)
        return uvec2(SHW_BOOST_NO_ROW, 0u);
    uint word = samples[push.first + number], row = tables[node_of(number)] - push.row_begin;
    uint weight = word & 0xffffffu;
    return uvec2(row < push.row_count && weight > 0u ? row * push.bins * 2u + (word >> 24u) : SHW_BOOST_NO_ROW, weight);
}

/* The responses of two samples in succession, an even one and the next. */
ivec2 respond(uint points, uint word)
{
    uint a = patches[(points & 0xffffu) * push.stride + word], b = patches[(points >> 16u) * push.stride + word];
    return ivec2(a & 0xffffu, a >> 16u) - ivec2(b & 0xffffu, b >> 16u);
}
