#include "random_label.h"

#include "dense/holes_type.h"
#include "dense/own_kinds.h"
#include "testing/cases.h"
#include "testing/labelling.h"

static void random_trees_of(struct testing_random *random, struct random_forest_params *params)
{
    struct testing_random of_shapes;

    params->seed = testing_random_next(random);
    of_shapes.state = params->seed;
    params->classes = random_size(random, random_chance(random, 10) ? 300 : 20);
    params->trees = random_size(random, random_chance(random, 10) ? 40 : 9);
    params->depth = testing_random_below(random, random_chance(random, 10) ? 25 : 9);
    params->split_percent = testing_random_below(random, 101);
    params->splits_max = random_size(random, 300);
    params->offset_max = (int32_t)random_size(random, random_chance(random, 10) ? 40000 : 30);
    params->size_max = (int32_t)random_size(random, random_chance(random, 10) ? 400 : 20);
    params->single_percent = random_chance(random, 50) ? testing_random_below(random, 101) : 0;
    params->shapes = random_chance(&of_shapes, 40) ? 1 + testing_random_below(&of_shapes, 4) : 0;
    params->extreme = random_chance(random, 20);
    params->combine = random_chance(random, 30) ? SHW_COMBINE_VOTE : SHW_COMBINE_MEAN;
    params->smoothing = (struct shw_smoothing){0};
    if (random_chance(random, 30))
        params->smoothing =
            (struct shw_smoothing){random_size(random, random_chance(random, 30) ? 120 : 12), random_size(random, 300)};
    testing_describe(
        " channels %s, feature %s, %u classes, %u trees, depth %u, %u %% splits up to %u, offset_max %d, size_max %d, "
        "%u shapes, %u %% single, extreme %d, combine %d, smoothing %u %u;",
        params->channels, params->feature->name, params->classes, params->trees, params->depth, params->split_percent,
        params->splits_max, params->offset_max, params->size_max, params->shapes, params->single_percent,
        params->extreme, (int)params->combine, params->smoothing.radius, params->smoothing.epsilon);
}

/* Several levels in every third case, if there is room for as many classes. */
static void random_levels_of(struct testing_random *random, struct random_forest_params *params)
{
    struct shw_channel_list list;

    if (random_chance(random, 66) || !random_forest_channels(params, &list))
        return;
    params->levels = 2 + testing_random_below(random, 2);
    testing_describe(" %u levels;", params->levels);
}

void random_shape_make(struct testing_random *random, struct random_shape *shape)
{
    const struct shw_feature_type *feature = random_chance(random, 10) ? &holes : random_feature_type(random);

    random_channels(random, feature, shape->channels);
    shape->params = (struct random_forest_params){.channels = shape->channels, .kinds = own_kinds, .feature = feature};
    random_trees_of(random, &shape->params);
    random_levels_of(random, &shape->params);
}

void random_shape_change(struct testing_random *random, struct random_shape *shape)
{
    const struct shw_smoothing smoothing = shape->params.smoothing;
    const uint32_t classes = shape->params.classes;

    testing_describe(" then, smoothed as before,");
    random_trees_of(random, &shape->params);
    shape->params.smoothing = smoothing;
    if (shape->params.levels > 1) /* which have the same channels */
        shape->params.classes = classes;
}

struct shw_image random_picture(struct testing_random *random, enum shw_pixel_format format, size_t padding)
{
    uint32_t width, height;

    random_extent(random, LABEL_SIDE_MAX, &width, &height);
    testing_describe(" image %ux%u, format %d;", width, height, (int)format);
    return testing_image(random, width, height, format, padding);
}

void random_mixture(struct testing_random *random, bool with_cpu, struct shw_labeller_params *params)
{
    static const enum shw_technique techniques[] = {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_CPU};
    uint32_t count = with_cpu ? 3 : 2;

    params->channels = techniques[testing_random_below(random, count)];
    params->integrate = techniques[testing_random_below(random, count)];
    params->evaluate = techniques[testing_random_below(random, count)];
    testing_describe(" by %s, %s, %s", shw_technique_name(params->channels), shw_technique_name(params->integrate),
                     shw_technique_name(params->evaluate));
}

uint32_t random_outputs(struct testing_random *random)
{
    uint32_t outputs =
        random_chance(random, 70) ? TESTING_ALL_OUTPUTS : 1 + testing_random_below(random, TESTING_ALL_OUTPUTS);

    testing_describe(", outputs %u", outputs);
    return outputs;
}
