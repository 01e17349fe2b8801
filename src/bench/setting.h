/* What is labelled with what: the setting of a row, its names, and how much work its stages are. */
#ifndef SHW_BENCH_SETTING_H
#define SHW_BENCH_SETTING_H

#include <jansson.h>

#include <shadewood/label.h>

#include "bench/content.h"

enum shw_bench_stage {
    SHW_BENCH_STAGE_CHANNELS,
    SHW_BENCH_STAGE_INTEGRATE,
    SHW_BENCH_STAGE_EVALUATE,
    SHW_BENCH_STAGE_WHOLE, /* the three in one recording, from an image that is on the device */
    SHW_BENCH_STAGE_LABEL, /* from pixels in the host's memory to labels there: shw_labeller_run() */
    SHW_BENCH_STAGE_COUNT
};

extern const char *const shw_bench_stage_names[SHW_BENCH_STAGE_COUNT];

struct shw_bench_setting {
    uint32_t width, height;
    struct shw_bench_forest_params forest;
    uint32_t output; /* one of enum shw_output */
};

/* The setting that the suite pipeline varies: 640 x 480, 8 trees of 256 leaves, 23 classes, 16 channels, ArgMax. */
struct shw_bench_setting shw_bench_base(void);

/* "tree-leaf", "forest-leaves", "distribution" or "argmax". */
const char *shw_bench_output_name(uint32_t output);

uint32_t shw_bench_setting_channels(const struct shw_bench_setting *setting);
uint64_t shw_bench_setting_leaves(const struct shw_bench_setting *setting); /* of a tree */
uint32_t shw_bench_setting_planes(const struct shw_bench_setting *setting); /* of the output */

/* The part of a row's id between stage and technique. */
void shw_bench_setting_name(const struct shw_bench_setting *setting, enum shw_bench_stage stage, char *name,
                            size_t size);

/* A row's `setting`. NULL without memory. */
json_t *shw_bench_setting_describe(const struct shw_bench_setting *setting, enum shw_bench_stage stage);

/* What one run of a stage does at least, and in which unit: bytes moved, node visits, pixels. */
double shw_bench_setting_work(const struct shw_bench_setting *setting, enum shw_bench_stage stage, const char **unit);

#endif
