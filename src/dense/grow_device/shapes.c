#include "dense/grow_device/shapes.h"

#include "dense/feature/feature_types.h"
#include "dense/grow/proposal.h"
#include "shared/candidate.h"

/* Sixteen saved time on the device, but not from files to file (docs/performance.md#training-with-few-shapes). */
#define SHAPES_MAX 9u

/* Of every labelled pixel, neighbours are read together, from lines of the cache that they share, and planes save
 * nothing. */
static bool is_of_use(const struct shw_trainer *trainer, bool *is_sum)
{
    return trainer->backend->technique == SHW_TECHNIQUE_COMPUTE && shw_means_serve(trainer->params.feature, is_sum) &&
           trainer->params.proposer == NULL && trainer->params.pixels_per_image != SHW_PIXELS_ALL;
}

/* The sides that candidates of a training without proposer can have, in ascending order; false: there are too many. */
static bool list_sides(const struct shw_trainer_params *params, struct shw_train_shapes *shapes)
{
    const struct shw_candidate_space space = {.size_max = params->size_max, .shapes = params->shapes};
    const uint32_t count = params->shapes > 0 ? params->shapes : params->size_max;

    for (uint32_t number = 0; number < count; number++) {
        const uint32_t side = params->shapes > 0 ? shw_candidate_side(space, number) : number + 1;
        if (shapes->side_count > 0 && side == shapes->sides[shapes->side_count - 1])
            continue;
        if (shapes->side_count == SHW_TRAIN_SIDES_MAX || side > SHW_MEANS_SIDE_MAX)
            return false;
        shapes->sides[shapes->side_count++] = (uint8_t)side;
    }
    return true;
}

struct shw_train_shapes shw_train_shapes_of(const struct shw_trainer *trainer)
{
    const struct shw_trainer_params *params = &trainer->params;
    struct shw_train_shapes shapes = {0};
    uint32_t area;
    bool is_sum;

    if (!is_of_use(trainer, &is_sum) || !list_sides(params, &shapes))
        return (struct shw_train_shapes){0};
    shapes.heights = params->shapes > 0 ? 0 : shapes.side_count;
    shapes.count = shapes.side_count * (shapes.heights > 0 ? shapes.heights : 1);
    shapes.margin = shapes.sides[shapes.side_count - 1] - 1u;
    area = (shapes.margin + 1) * (shapes.margin + 1);
    for (uint32_t c = 0; is_sum && c < trainer->channels.channel_count; c++)
        if ((uint64_t)trainer->channels.channels[c].max_abs * area > INT16_MAX)
            return (struct shw_train_shapes){0};
    return shapes.count <= SHAPES_MAX ? shapes : (struct shw_train_shapes){0};
}

struct shw_means *shw_train_shapes_means(const struct shw_train_shapes *shapes, const struct shw_trainer *trainer)
{
    const uint32_t count = trainer->channels.channel_count * shapes->count;
    struct shw_mean_plane planes[SHW_CHANNELS_MAX * SHAPES_MAX];
    bool is_sum;

    (void)shw_means_serve(trainer->params.feature, &is_sum);
    for (uint32_t p = 0; p < count; p++) {
        const uint32_t shape = p % shapes->count, width = shapes->sides[shape % shapes->side_count];
        const uint32_t height = shapes->heights > 0 ? shapes->sides[shape / shapes->side_count] : width;
        planes[p] = (struct shw_mean_plane){p / shapes->count, width, height};
    }
    return shw_means_make_planes(planes, count, is_sum);
}
