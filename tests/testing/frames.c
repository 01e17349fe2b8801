#include "testing/frames.h"

#include <stdlib.h>

struct shw_ycbcr testing_encoding(struct testing_random *random)
{
    static const uint32_t bits[] = {0, 8, 10, 12, 16};

    return (struct shw_ycbcr){.matrix = (enum shw_ycbcr_matrix)testing_random_below(random, 3),
                              .siting = (enum shw_ycbcr_siting)testing_random_below(random, 3),
                              .full_range = testing_random_below(random, 2) != 0,
                              .bits = bits[testing_random_below(random, 5)],
                              .in_low_bits = testing_random_below(random, 2) != 0};
}

static void *random_bytes(struct testing_random *random, size_t size)
{
    uint8_t *bytes = malloc(size);

    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)testing_random_next(random);
    return bytes;
}

struct shw_ycbcr_image testing_frame(struct testing_random *random, const struct shw_ycbcr *encoding, uint32_t width,
                                     uint32_t height, bool x_halved, bool y_halved, bool interleaved, uint32_t padding)
{
    const size_t sample = encoding->bits > 8 ? 2 : 1;
    struct shw_ycbcr_image frame = {.encoding = *encoding,
                                    .width = width,
                                    .height = height,
                                    .chroma_width = x_halved ? (width + 1) / 2 : width,
                                    .chroma_height = y_halved ? (height + 1) / 2 : height,
                                    .interleaved = interleaved};

    frame.luma_stride = (width + padding) * sample;
    frame.chroma_stride = (frame.chroma_width * (interleaved ? 2 : 1) + padding) * sample;
    frame.luma = random_bytes(random, frame.luma_stride * height);
    frame.cb = random_bytes(random, frame.chroma_stride * frame.chroma_height);
    if (!interleaved)
        frame.cr = random_bytes(random, frame.chroma_stride * frame.chroma_height);
    return frame;
}

void testing_frame_free(struct shw_ycbcr_image *frame)
{
    free((void *)(uintptr_t)frame->luma);
    free((void *)(uintptr_t)frame->cb);
    free((void *)(uintptr_t)frame->cr);
}
