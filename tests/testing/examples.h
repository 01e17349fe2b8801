/* A small labelled data set in memory, for tests of training. */
#ifndef SHW_TESTING_EXAMPLES_H
#define SHW_TESTING_EXAMPLES_H

#include <shadewood/dataset.h>

#define TESTING_EXAMPLES_MAX 8

/* Random patches whose colour tells their class, more or less, with noise. Zero means what stands at the field. */
struct testing_examples_params {
    uint64_t seed;
    uint32_t count;         /* 4 */
    uint32_t classes;       /* 3 */
    uint32_t width, height; /* 24 x 20; sizes vary from image to image by up to 7 pixels, unless `equal` */
    bool equal;
    uint32_t void_percent; /* of patches */
};

struct testing_example {
    uint32_t width, height;
    uint8_t *pixels; /* RGB, and then those of the frame before, which every third example has not */
    uint16_t *labels;
    uint16_t *depths;           /* and then heights */
    struct shw_input inputs[3]; /* depth, height and, with two of three examples, the frame before */
};

/* `fail_at` and `fail_with` may be changed: reading that example then fails. Every read must have been followed by a
 * release before testing_examples_free(). */
struct testing_examples {
    struct shw_dataset dataset;
    struct testing_example examples[TESTING_EXAMPLES_MAX];
    uint32_t fail_at;
    enum shw_result fail_with;
    unsigned held; /* read, but not released */
};

void testing_examples_make(const struct testing_examples_params *params, struct testing_examples *examples);
void testing_examples_free(struct testing_examples *examples);

#endif
