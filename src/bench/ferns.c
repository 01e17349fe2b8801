/* Ferns beside trees of the same depth, with features of colours alone and scaled by depth. */
#include "bench/labelling.h"

static const struct variant {
    const char *channels;
    const struct shw_feature_type *feature;
    uint32_t depth;
} variants[] = {{SHW_CHANNELS_LAB, &shw_feature_mean_difference, 12},
                {SHW_CHANNELS_LAB, &shw_feature_mean_difference, 14},
                {"depth,lab", &shw_feature_depth_mean_difference, 12},
                {"depth,lab", &shw_feature_depth_mean_difference, 14}};

static enum shw_result time_variant(struct shw_bench *bench, const struct variant *variant, bool ferns)
{
    struct shw_bench_labelling labelling = {.suite = "ferns",
                                            .title = ferns ? "ferns" : "trees",
                                            .setting = shw_bench_base(),
                                            .stages = 1u << SHW_BENCH_STAGE_EVALUATE};

    labelling.setting.forest = (struct shw_bench_forest_params){.trees = 3,
                                                                .depth = variant->depth,
                                                                .full_depth = variant->depth,
                                                                .classes = 8,
                                                                .channels = variant->channels,
                                                                .feature = variant->feature,
                                                                .offset_max = 60,
                                                                .size_max = 32,
                                                                .ferns = ferns};
    return shw_bench_time_labelling(bench, &labelling);
}

enum shw_result shw_bench_ferns(struct shw_bench *bench)
{
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
        for (int ferns = 0; ferns < 2; ferns++)
            SHW_PROPAGATE(time_variant(bench, &variants[v], ferns != 0));
    return SHW_OK;
}
