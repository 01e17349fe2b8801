/* A small training set of cascades, and what tests of their training have in common. */
#ifndef SHW_TESTS_DETECTION_CASCADE_SET_H
#define SHW_TESTS_DETECTION_CASCADE_SET_H

#include <shadewood/detect_train.h>

#include "testing/testing.h"

/* A set in memory: noise, and in some images discs, which are the objects. */
enum { IMAGES = 14, WIDTH = 47, HEIGHT = 39, OBJECTS = 48 };

struct set {
    uint8_t pixels[IMAGES][WIDTH * HEIGHT];
    uint32_t sizes[IMAGES][2];
    struct shw_cascade_object objects[OBJECTS];
    bool backgrounds[IMAGES];
    struct shw_cascade_dataset dataset;
};

/* To be freed. Images from OBJECTS / 6 on have no objects. */
struct set *make_set(void);

/* Parameters for it, with a log in memory. */
struct shw_cascade_trainer_params usual_params(void);

struct shw_cascade_trainer *begin(const struct shw_cascade_trainer_params *params, const struct set *set);

/* Makes at most `stages` more; true if that was all. */
bool step(struct shw_cascade_trainer *trainer, uint32_t stages);

struct bytes {
    void *bytes;
    size_t size;
};

/* Of the cascade's file, to be freed. */
struct bytes bytes_of(struct shw_cascade_trainer *trainer);

/* Frees those that are. */
void assert_same(struct bytes expected, struct bytes is);

#endif
