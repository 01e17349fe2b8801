/* Objects in label images by plain definitions: what is smoothed, filled and numbered. */
#ifndef SHW_TESTS_UNIT_PLAIN_OBJECTS_H
#define SHW_TESTS_UNIT_PLAIN_OBJECTS_H

#include "testing/testing.h"

#define SIDE_MAX   64
#define PIXELS_MAX (SIDE_MAX * SIDE_MAX)
#define CLASSES    300u

struct picture {
    uint32_t width, height, class_count;
    uint16_t labels[PIXELS_MAX];
    uint16_t *distribution; /* CLASSES planes of PIXELS_MAX */
};

bool is_inside(const struct picture *picture, int64_t x, int64_t y);

void smooth_plainly(struct picture *picture, int32_t radius);

/* Components of classes that are not void, numbered by first pixels. */
uint32_t number_plainly(const struct picture *picture, bool four, uint32_t *numbers);

/* Whether the region of a mark touches the padding's corner, that is, is outside. */
void fill_plainly(struct picture *picture, bool four, uint32_t hole_max);

#endif
