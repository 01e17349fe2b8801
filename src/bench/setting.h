/* The setting of a row: image, forest and outputs, their names, and the work of the stages. */
#ifndef SHW_BENCH_SETTING_H
#define SHW_BENCH_SETTING_H

#include <jansson.h>

#include <shadewood/label.h>

#include "bench/content.h"
#include "bench/data.h"

enum shw_bench_stage {
    SHW_BENCH_STAGE_CHANNELS,
    SHW_BENCH_STAGE_INTEGRATE,
    SHW_BENCH_STAGE_EVALUATE,
    SHW_BENCH_STAGE_WHOLE, /* all three in one recording, from an image on the device */
    SHW_BENCH_STAGE_LABEL, /* from pixels to labels in host memory: shw_labeller_run() */
    SHW_BENCH_STAGE_COUNT
};

extern const char *const shw_bench_stage_names[SHW_BENCH_STAGE_COUNT];

struct shw_bench_setting {
    uint32_t width, height;
    struct shw_bench_forest_params forest;
    uint32_t output; /* one of enum shw_output */
    /* Labelled instead of random content; size, trees and classes above are its own. NULL: none. Borrowed. */
    const struct shw_bench_trained_content *trained;
};

/* The setting that the suite pipeline varies: 640 x 480, 8 trees of 256 leaves, 23 classes, 16 channels, ArgMax. */
struct shw_bench_setting shw_bench_base(void);

/* The setting of trained content. */
struct shw_bench_setting shw_bench_trained_setting(const struct shw_bench_trained_content *content);

uint32_t shw_bench_setting_channels(const struct shw_bench_setting *setting);
uint64_t shw_bench_setting_leaves(const struct shw_bench_setting *setting); /* per tree, rounded */
uint32_t shw_bench_setting_planes(const struct shw_bench_setting *setting); /* of the output */

/* The part of a row's id between stage and technique. */
void shw_bench_setting_name(const struct shw_bench_setting *setting, enum shw_bench_stage stage, char *name,
                            size_t size);

/* A row's `setting`. NULL if memory is exhausted. */
json_t *shw_bench_setting_describe(const struct shw_bench_setting *setting, enum shw_bench_stage stage);

/* The minimum work of a run of a stage, and its unit: bytes moved, node visits, pixels. */
double shw_bench_setting_work(const struct shw_bench_setting *setting, enum shw_bench_stage stage, const char **unit);

#endif
