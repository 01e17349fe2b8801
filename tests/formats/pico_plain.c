#include "pico_plain.h"

#include <stdlib.h>
#include <string.h>

static void put_float(uint8_t *to, double value)
{
    float number = (float)value;

    memcpy(to, &number, sizeof number);
}

size_t pico_size(uint32_t depth, uint32_t trees)
{
    return 16 + (size_t)trees * ((2u << depth) * 4);
}

uint8_t *make_pico(struct testing_random *random, uint32_t depth, uint32_t trees)
{
    uint8_t *bytes = calloc(1, pico_size(depth, trees)), *at = bytes + 16;

    assert_non_null(bytes);
    memcpy(bytes, (int32_t[]){3, 0, (int32_t)depth, (int32_t)trees}, 16);
    for (uint32_t t = 0; t < trees; t++) {
        for (uint32_t n = 0; n + 1 < 1u << depth; n++, at += 4)
            for (int i = 0; i < 4; i++)
                at[i] = (uint8_t)testing_random_next(random);
        for (uint32_t leaf = 0; leaf < 1u << depth; leaf++, at += 4)
            put_float(at, testing_random_range(random, -4096, 4096) / 4096.0);
        put_float(at, testing_random_range(random, -8192, -1024) / 4096.0);
        at += 4;
    }
    return bytes;
}

static int32_t pixel(const uint8_t *image, int32_t width, int32_t row, int32_t column, int32_t size, int8_t y, int8_t x)
{
    return image[((256 * row + y * size) >> 8) * width + ((256 * column + x * size) >> 8)];
}

/* A test that holds goes to child 2 i + 1 of node i, counted from 1; a window is rejected unless its score exceeds the
 * threshold. */
bool walk_pico(const uint8_t *bytes, const uint8_t *image, int32_t width, int32_t row, int32_t column, int32_t size,
               double *score)
{
    int32_t depth, trees;
    const uint8_t *at = bytes + 16;
    float value, threshold = 0;

    memcpy(&depth, bytes + 8, 4);
    memcpy(&trees, bytes + 12, 4);
    *score = 0;
    for (int32_t t = 0; t < trees; t++) {
        uint32_t node = 1;
        for (int32_t d = 0; d < depth; d++) {
            const int8_t *code = (const int8_t *)at + 4 * (node - 1);
            node = 2 * node + (pixel(image, width, row, column, size, code[0], code[1]) <=
                               pixel(image, width, row, column, size, code[2], code[3]));
        }
        at += 4 * ((1u << depth) - 1);
        memcpy(&value, at + 4 * (node - (1u << depth)), 4);
        at += 4u << depth;
        memcpy(&threshold, at, 4);
        at += 4;
        *score += value;
        if (*score <= threshold)
            return false;
    }
    *score -= threshold;
    return true;
}
