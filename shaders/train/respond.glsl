/* Samples and their responses. After train.glsl. */
layout(std430, set = 0, binding = SHW_TRAIN_INTEGRALS) readonly buffer Integrals {
    uint integrals[];
};
layout(std430, set = 0, binding = SHW_TRAIN_IMAGES) readonly buffer Images {
    uint images[];
};

/* Where the sample is whose response is asked for. */
struct sample_place {
    uint first;         /* of its image's integral images */
    ivec2 pixel, size;
};
sample_place here;

uint shw_integral(uint channel, int x, int y)
{
    uint stride = uint(here.size.x) + 1u;
    return integrals[here.first + (channel * (uint(here.size.y) + 1u) + uint(y)) * stride + uint(x)];
}

#include "feature_type.h"
#include "traverse.h"

/* Whether the sample's image is in the bound chunk. */
bool find_sample(uint position, uint image, out sample_place place)
{
    uint entry = image * SHW_IMAGE_WORDS, size = images[entry + 1u];
    place = sample_place(images[entry], ivec2(position & 0xffffu, position >> 16u), ivec2(size & 0xffffu, size >> 16u));
    return images[entry + 2u] == push.chunk;
}

uint chunk_of(uint image)
{
    return images[image * SHW_IMAGE_WORDS + 2u];
}

shw_response respond(sample_place place, shw_feature_words feature)
{
    here = place;
    return shw_feature_respond(feature, place.pixel.x, place.pixel.y, shw_rect(0, 0, place.size.x, place.size.y));
}
