/* Finding the labelled pixels of an example. */
#ifndef SHW_DENSE_TRAIN_LABELLED_H
#define SHW_DENSE_TRAIN_LABELLED_H

#include <stdint.h>
#include <string.h>

#include <shadewood/dataset.h>

/* The first pixel from `from` on that is not void, or `count` if there is none. Strokes leave most of a picture void,
 * so four pixels are looked at together. */
static inline uint32_t shw_next_labelled(const uint16_t *labels, uint32_t from, uint32_t count)
{
    uint64_t four;

    for (; count - from >= 4; from += 4) {
        memcpy(&four, labels + from, sizeof four);
        if (four != UINT64_MAX)
            break;
    }
    while (from < count && labels[from] == SHW_LABEL_VOID)
        from++;
    return from;
}

/* The end of the run of pixels with the label of pixel `from`. */
static inline uint32_t shw_label_end(const uint16_t *labels, uint32_t from, uint32_t count)
{
    uint16_t label = labels[from++];

    while (from < count && labels[from] == label)
        from++;
    return from;
}

#endif
