#include "teach/uncertain.h"

#include <stddef.h>

#include <shadewood/dataset.h>

bool view_find_uncertain(const uint16_t *distribution, uint32_t class_count, uint32_t width, uint32_t height,
                         const struct shw_picture_labels *labels, uint32_t *x, uint32_t *y)
{
    size_t pixels = (size_t)width * height, found = pixels;
    uint64_t least = UINT64_MAX;

    for (size_t p = 0; p < pixels; p++) {
        uint64_t sum = 0;

        if (labels != NULL &&
            shw_picture_labels_get(labels, (uint32_t)(p % width), (uint32_t)(p / width)) != SHW_LABEL_VOID)
            continue;
        for (uint32_t c = 0; c < class_count; c++) {
            uint64_t probability = distribution[c * pixels + p];

            sum += probability * probability;
        }
        if (sum < least) {
            least = sum;
            found = p;
        }
    }
    if (found == pixels)
        return false;
    *x = (uint32_t)(found % width);
    *y = (uint32_t)(found / width);
    return true;
}
