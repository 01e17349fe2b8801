/* The features of a batch. Include after types.h and feature.h. */
layout(std430, set = 0, binding = SHW_TRAIN_FEATURES) readonly buffer Features {
    uint features[];
};

shw_feature_words feature_of(uint row)
{
    uint at = row * SHW_FEATURE_WORDS;
    return shw_feature_of(features[at],
                          uvec4(features[at + 1u], features[at + 2u], features[at + 3u], features[at + 4u]));
}
