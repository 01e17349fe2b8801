/* Samples and their responses. Include after train.glsl. */
#include "centre.h"

#define PLANES_BINDING SHW_TRAIN_INTEGRALS
layout(std430, set = 0, binding = SHW_TRAIN_IMAGES) readonly buffer Images {
    uint images[];
};

/* The sample whose response is computed. */
struct sample_place {
    uint first;         /* word of its image's planes */
    uint channels;      /* word of its channels beside integral images, or 0 */
    ivec2 size;
    shw_centre centre;
};
sample_place here;

#include "feature_type.h"
#include "planes.glsl"
#include "traverse.h"

uint shw_integral(uint channel, int x, int y)
{
    uint stride = uint(here.size.x) + 1u;
    return shw_integral_at(here.first + (channel * (uint(here.size.y) + 1u) + uint(y)) * stride + uint(x));
}

int shw_channel(uint channel, int x, int y)
{
    uint stride = SHW_CHANNEL_STRIDE(uint(here.size.x));
    uint first = SHW_FEATURE_READS == SHW_READS_CHANNELS ? here.first : here.channels;
    return shw_channel_at(2u * first + (channel * uint(here.size.y) + uint(y)) * stride + uint(x));
}

bool shw_has_pixels()
{
    return here.channels != 0u;
}

/* Whether the sample's image is in the bound chunk. */
bool find_sample(uint position, uint image, out sample_place place)
{
    uint entry = image * SHW_IMAGE_WORDS, size = images[entry + 1u];
    int x = int(position & 0xffffu), y = int(position >> 16u);
    place.first = images[entry];
    place.channels = images[entry + 3u];
    place.size = ivec2(size & 0xffffu, size >> 16u);
    if (images[entry + 2u] != push.chunk)
        return false;
    here = place;
    place.centre = shw_centre_at(x, y, shw_rect(0, 0, place.size.x, place.size.y));
    return true;
}

uint chunk_of(uint image)
{
    return images[image * SHW_IMAGE_WORDS + 2u];
}

shw_response respond(sample_place place, shw_feature_words feature)
{
    here = place;
    return shw_respond(feature, place.centre, shw_rect(0, 0, place.size.x, place.size.y));
}
