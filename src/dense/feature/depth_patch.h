/* Evaluation of the feature types that divide by the depth at the pixel with vector instructions: the body. The
 * including file defines PATCH(kind) (the functions' names) and includes one of lanes_*.h before.
 *
 * Regions of neighbouring pixels differ, so that corners are loaded one by one in any case, and pixels need not stay
 * together: those of a patch descend level by level, each lane with a pixel and a node of its own, and lanes whose
 * pixel has reached a leaf get another. What divides by the depths is computed once, before the descent. */
#include "dense/feature/depth_lanes.h"

#define NODE_WORDS (4u * SHW_NODE_TEXELS)
#define PLACES     (SHW_PATCH_WIDTH * SHW_PATCH_HEIGHT)

/* Place of a pixel in a patch: row * SHW_PATCH_WIDTH + column. */
#define PLACE_Y_SHIFT 6
_Static_assert(SHW_PATCH_WIDTH == 1u << PLACE_Y_SHIFT, "rows of places are shifted");
#define PLACE_X(place) ((place) % SHW_PATCH_WIDTH)
#define PLACE_Y(place) ((place) / SHW_PATCH_WIDTH)

/* What divides by the depths of a patch's pixels, by place; and the depths. */
struct depths {
    bool is_there;
    uint32_t depth[PLACES], factor[PLACES], shift[PLACES];
};

/* Pixels that are at splits, and their nodes; vectors read past the end. */
struct walkers {
    uint32_t count;
    uint32_t place[PLACES + LANES], node[PLACES + LANES];
};

struct descent {
    const struct shw_evaluate_patch *patch;
    struct depth_source source;
    const uint32_t *root;
    /* [1]: by the depths of the pixels to the right and below, if a test asks for that. */
    struct depths depths[2];
    struct walkers walkers;
};

/* Tests of these types may read the whole image, so that the planes of a tile hold it unless the forest has no tests;
 * what they do not hold is read by nothing. */
VECTOR struct depth_source source_of(const struct shw_evaluate_tile *tile, enum shw_depth_feature kind)
{
    const int32_t more = kind == SHW_DEPTH_FEATURE_MEANS || kind == SHW_DEPTH_FEATURE_CURFIL;
    const int32_t stride = (int32_t)tile->width + more, pitch = stride * ((int32_t)tile->height + more);
    const struct shw_rect held = shw_rect_held(tile->image, (int32_t)tile->width, (int32_t)tile->height);
    bool is_complete = false;

    if (kind == SHW_DEPTH_FEATURE_MEANS) {
        const uint32_t *counts = (const uint32_t *)tile->planes + pitch;
        const uint32_t *top = counts + held.y0 * stride, *bottom = counts + held.y1 * stride;
        is_complete = bottom[held.x1] - bottom[held.x0] - top[held.x1] + top[held.x0] == shw_rect_area(held);
    }
    return (struct depth_source){tile->planes,    spread(stride),  spread(pitch),   spread(held.x0),
                                 spread(held.y0), spread(held.x1), spread(held.y1), is_complete};
}

VECTOR lanes column_of(const struct shw_evaluate_patch *patch, lanes place)
{
    lanes column = bits_and(place, spread(SHW_PATCH_WIDTH - 1));

    return add(multiply(column, spread((int32_t)patch->tile->step)), spread((int32_t)patch->x));
}

VECTOR lanes row_of(const struct shw_evaluate_patch *patch, lanes place)
{
    lanes row = shift_right(place, PLACE_Y_SHIFT);

    return add(multiply(row, spread((int32_t)patch->tile->step)), spread((int32_t)patch->y));
}

/* For patches of any width: columns past the end are clamped into the image. */
VECTOR void divide_by_depths(struct descent *descent, int ahead, enum shw_depth_feature kind)
{
    struct depths *depths = &descent->depths[ahead];
    const struct depth_source *source = &descent->source;

    for (uint32_t place = 0; place < descent->patch->height * SHW_PATCH_WIDTH; place += LANES) {
        lanes places = add(spread((int32_t)place), count_lanes());
        lanes x = minimum(column_of(descent->patch, places), subtract(source->x1, spread(1)));
        lanes y = row_of(descent->patch, places);
        struct centres centres = centres_of(x, y, depth_at(source, x, y, ahead, kind), kind);
        store(depths->depth + place, centres.depth);
        store(depths->factor + place, centres.factor);
        store(depths->shift + place, centres.shift);
    }
    depths->is_there = true;
}

VECTOR struct centres centres_at(const struct descent *descent, lanes place, int ahead)
{
    const struct depths *depths = &descent->depths[ahead];

    return (struct centres){column_of(descent->patch, place), row_of(descent->patch, place),
                            gather(depths->depth, place), gather(depths->factor, place), gather(depths->shift, place)};
}

/* CURFIL's tests ask for one depth or the other, mostly all of them for the same one. */
VECTOR struct centres curfil_centres_at(struct descent *descent, lanes place, lanes head)
{
    const lanes ahead = mask_of_bit(head, SHW_CURFIL_AHEAD_SHIFT);
    const uint32_t all = (1u << LANES) - 1, which = signs_of(ahead) & all;
    struct centres centres, other;

    for (int i = 0; i < 2; i++)
        if (which != (i == 0 ? all : 0) && !descent->depths[i].is_there)
            divide_by_depths(descent, i, SHW_DEPTH_FEATURE_CURFIL);
    centres = centres_at(descent, place, which != 0);
    if (which == 0 || which == all)
        return centres;
    other = centres_at(descent, place, 0);
    centres.depth = choose(ahead, centres.depth, other.depth);
    centres.factor = choose(ahead, centres.factor, other.factor);
    centres.shift = choose(ahead, centres.shift, other.shift);
    return centres;
}

/* Adds a pixel that is now at `node` to the walkers. If the node is a leaf, its number stays in `leaves`, and the next
 * pixel takes the walker's place. */
VECTOR void arrive(struct descent *descent, uint32_t place, uint32_t node, uint32_t *leaves)
{
    const uint32_t *words = descent->root + (size_t)NODE_WORDS * node;
    struct walkers *walkers = &descent->walkers;

    leaves[PLACE_Y(place) * descent->patch->width + PLACE_X(place)] = words[2];
    walkers->place[walkers->count] = place;
    walkers->node[walkers->count] = node;
    walkers->count += words[1] >> SHW_NODE_SPLIT_SHIFT & 1;
}

/* Pixels without depth are void, except by CURFIL's rule. */
VECTOR bool is_void(const struct descent *descent, uint32_t place, enum shw_depth_feature kind)
{
    return kind != SHW_DEPTH_FEATURE_CURFIL && descent->depths[0].depth[place] == 0;
}

VECTOR void begin(struct descent *descent, uint32_t *leaves, enum shw_depth_feature kind)
{
    const struct shw_evaluate_patch *patch = descent->patch;

    if (kind != SHW_DEPTH_FEATURE_CURFIL)
        divide_by_depths(descent, 0, kind);
    for (uint32_t y = 0; y < patch->height; y++)
        for (uint32_t x = 0; x < patch->width; x++) {
            uint32_t place = y * SHW_PATCH_WIDTH + x;
            if (is_void(descent, place, kind))
                leaves[y * patch->width + x] = SHW_LEAF_NONE;
            else
                arrive(descent, place, 0, leaves);
        }
}

/* The nodes that the pixels at `place` go to from nodes with these words. */
VECTOR lanes test(struct descent *descent, lanes place, const lanes words[NODE_WORDS], enum shw_depth_feature kind)
{
    const bool is_curfil = kind == SHW_DEPTH_FEATURE_CURFIL;
    const lanes has_second = mask_of_bit(words[1], SHW_NODE_SECOND_SHIFT);
    const struct depth_side first = side_of(&descent->source, 0, words[1], words[4], words[5]),
                            second = side_of(&descent->source, 1, words[1], words[6], words[7]);
    struct centres centres = is_curfil ? curfil_centres_at(descent, place, words[1]) : centres_at(descent, place, 0);
    struct responses response = difference_of(&descent->source, &centres, &first, &second, has_second, kind);
    lanes right;

    if (is_curfil)
        response.undefined = bits_or(response.undefined, curfil_void(&centres, words[1]));
    right = bits_and(is_greater(words[3], response.value), bits_xor(is_greater(words[2], response.value), spread(-1)));
    return subtract(words[0], bits_or(right, response.undefined)); /* a mask is -1 */
}

/* One level. */
VECTOR void step_down(struct descent *descent, uint32_t *leaves, enum shw_depth_feature kind)
{
    struct walkers *walkers = &descent->walkers;
    const uint32_t count = walkers->count;

    store(walkers->place + count, spread(0));
    store(walkers->node + count, spread(0));
    walkers->count = 0;
    for (uint32_t i = 0; i < count; i += LANES) {
        uint32_t places[LANES], nodes[LANES], active = count - i < LANES ? count - i : LANES;
        lanes words[NODE_WORDS], place = load(walkers->place + i);
        load_rows(descent->root, load(walkers->node + i), words);
        store(nodes, test(descent, place, words, kind));
        store(places, place);
        for (uint32_t l = 0; l < active; l++)
            arrive(descent, places[l], nodes[l], leaves);
    }
}

/* A fern: the nodes that pixels would be at are the results of the tests so far. */
VECTOR void evaluate_fern(struct descent *descent, const struct shw_fern *fern, uint32_t *leaves,
                          enum shw_depth_feature kind)
{
    const uint32_t width = descent->patch->width;
    uint32_t *place = descent->walkers.place, *result = descent->walkers.node, count = 0;

    if (kind != SHW_DEPTH_FEATURE_CURFIL)
        divide_by_depths(descent, 0, kind);
    for (uint32_t y = 0; y < descent->patch->height; y++)
        for (uint32_t x = 0; x < width; x++) {
            place[count] = y * SHW_PATCH_WIDTH + x;
            leaves[y * width + x] = SHW_LEAF_NONE;
            count += !is_void(descent, place[count], kind);
        }
    store(place + count, spread((int32_t)place[0]));
    for (uint32_t i = 0; i < count; i += LANES) {
        lanes places = load(place + i), results = spread(0);
        for (uint32_t level = 0; level < fern->levels; level++) {
            lanes words[NODE_WORDS];
            for (uint32_t w = 0; w < NODE_WORDS; w++)
                words[w] = spread((int32_t)fern->tests[NODE_WORDS * level + w]);
            words[0] = add(results, results);
            results = test(descent, places, words, kind);
        }
        store(result + i, results);
    }
    for (uint32_t i = 0; i < count; i++)
        leaves[PLACE_Y(place[i]) * width + PLACE_X(place[i])] = fern->leaves[result[i]];
}

VECTOR void evaluate(const struct shw_evaluate_patch *patch, uint32_t tree, uint32_t *leaves,
                     enum shw_depth_feature kind)
{
    const uint32_t *texels = patch->tile->texels;
    struct descent descent;

    descent.patch = patch;
    descent.source = source_of(patch->tile, kind);
    descent.root = texels + 4 * (size_t)texels[4 * (1 + (size_t)tree)];
    descent.depths[0].is_there = descent.depths[1].is_there = false;
    descent.walkers.count = 0;
    if (patch->tile->ferns != NULL) {
        evaluate_fern(&descent, &patch->tile->ferns[tree], leaves, kind);
        return;
    }
    begin(&descent, leaves, kind);
    while (descent.walkers.count > 0)
        step_down(&descent, leaves, kind);
}

#define EVALUATE(name, kind)                                                                                           \
    TARGET void PATCH(name)(const struct shw_evaluate_patch *patch, uint32_t tree, uint64_t *blocks, uint32_t *leaves) \
    {                                                                                                                  \
        (void)blocks;                                                                                                  \
        evaluate(patch, tree, leaves, kind);                                                                           \
    }

EVALUATE(depth_mean, SHW_DEPTH_FEATURE_MEANS)
EVALUATE(curfil, SHW_DEPTH_FEATURE_CURFIL)
EVALUATE(depth_pixel, SHW_DEPTH_FEATURE_PIXELS)
EVALUATE(kinect, SHW_DEPTH_FEATURE_KINECT)
