/* The portable code of a feature type and the table of its shaders. The file that includes this defines
 * SHW_FEATURE_NAME and provides the type's header as feature_type.h (shadewood_feature() in cmake/shaders.cmake). */
#include "dense/feature/feature_code.h"
#include "shared/mirror.h"

#if defined(__GNUC__)
#define FLAT   __attribute__((flatten)) /* inlines the header's functions, so that constants of the context are known */
#define UNUSED __attribute__((unused))
#define APART  __attribute__((noinline)) /* where FLAT would inline it */
#else
#define FLAT
#define UNUSED
#define APART
#endif

#define PASTE(a, b)  a##b
#define PASTED(a, b) PASTE(a, b)

struct context {
    const void *planes; /* of the image or region: integral images or channels */
    size_t stride, pitch;
    const struct shw_feature_source *source; /* read instead of `planes` unless NULL */
    const shw_uint4 *texels;
    const struct shw_mirror *mirror; /* planes are read as those of the mirror image; or NULL */
};

#define SHW_CONTEXT_PARAMETER   UNUSED const struct context *context,
#define SHW_CONTEXT             context,
#define SHW_CANDIDATE_PARAMETER UNUSED const struct shw_channel_list *channels,
#define SHW_CANDIDATE           channels,

static inline shw_uint4 shw_forest_texel(const struct context *context, shw_uint index)
{
    return context->texels[index];
}

static inline shw_uint is_turned(const struct context *context, shw_uint channel)
{
    return shw_mirror_bit(context->mirror->turned[0], context->mirror->turned[1], channel);
}

static inline shw_uint is_negated(const struct context *context, shw_uint channel)
{
    return shw_mirror_bit(context->mirror->negated[0], context->mirror->negated[1], channel);
}

/* A row of a channel's plane, or of that of its partner. */
static inline size_t row_of(const struct context *context, shw_uint channel, shw_int y)
{
    return (context->mirror != NULL ? context->mirror->partners[channel] : channel) * context->pitch +
           (size_t)y * context->stride;
}

static inline shw_uint shw_integral(const struct context *context, shw_uint channel, shw_int x, shw_int y)
{
    size_t row = row_of(context, channel, y);
    shw_uint turned, value;

    if (context->source != NULL)
        return context->source->integral(context->source->user, channel, x, y);
    if (context->mirror == NULL)
        return ((const uint32_t *)context->planes)[row + (size_t)x];
    turned = is_turned(context, channel);
    x = shw_mirror_column(x, (shw_int)context->stride - 1, turned);
    value = ((const uint32_t *)context->planes)[row + (size_t)x];
    return shw_mirror_value(value, turned ^ is_negated(context, channel));
}

static inline shw_int shw_channel(const struct context *context, shw_uint channel, shw_int x, shw_int y)
{
    size_t row = row_of(context, channel, y);
    shw_int value;

    if (context->source != NULL)
        return context->source->channel(context->source->user, channel, x, y);
    if (context->mirror == NULL)
        return ((const int16_t *)context->planes)[row + (size_t)x];
    x = shw_mirror_column(x, (shw_int)context->stride - 1, is_turned(context, channel));
    value = ((const int16_t *)context->planes)[row + (size_t)x];
    return (shw_int)shw_mirror_value((shw_uint)value, is_negated(context, channel));
}

static inline shw_uint shw_channel_max(const struct shw_channel_list *channels, shw_uint channel)
{
    return channels->channels[channel].max_abs;
}

static inline shw_uint shw_channel_content(const struct shw_channel_list *channels, shw_uint channel)
{
    return (shw_uint)channels->channels[channel].content;
}

#include "feature_type.h"
#include "traverse.h"

/* The elements of a plane, and by how many it exceeds the image in width and in height. */
#if SHW_FEATURE_READS == SHW_READS_INTEGRALS
#define MORE 1u
typedef uint32_t element;
#else
#define MORE 0u
typedef int16_t element;
#endif

static inline struct shw_rect held_by(const struct shw_evaluate_tile *tile)
{
    return shw_rect_held(tile->image, (int32_t)tile->width, (int32_t)tile->height);
}

/* Level by level, so that a test is prepared once for all pixels of the row, at most SHW_PATCH_WIDTH. */
FLAT APART static void evaluate_fern_row(const struct context *context, const struct shw_evaluate_tile *tile,
                                         const struct shw_fern *fern, uint32_t x, uint32_t y, uint32_t count,
                                         uint32_t *leaves)
{
    struct shw_centre centres[SHW_PATCH_WIDTH];

    for (uint32_t i = 0; i < count; i++) {
        centres[i] = shw_centre_at(context, (int32_t)(x + i * tile->step), (int32_t)y, held_by(tile));
        leaves[i] = 0;
    }
    for (uint32_t level = 0; level < fern->levels; level++) {
        const uint32_t *test = fern->tests + (size_t)4 * SHW_NODE_TEXELS * level;
        const struct shw_feature_words feature =
            shw_feature_of(test[1], (shw_uint4){test[4], test[5], test[6], test[7]});
        for (uint32_t i = 0; i < count; i++) {
            struct shw_response response = shw_respond(context, feature, centres[i], tile->image);
            leaves[i] = leaves[i] << 1 | shw_goes_right(response, (int32_t)test[2], (int32_t)test[3]);
        }
    }
    for (uint32_t i = 0; i < count; i++)
        leaves[i] = shw_leaf_or_none(fern->leaves[leaves[i]], centres[i]);
}

FLAT static void evaluate_row(const struct shw_evaluate_tile *tile, uint32_t tree, uint32_t x, uint32_t y,
                              uint32_t count, uint32_t *leaves)
{
    struct context context = {.texels = (const shw_uint4 *)(const void *)tile->texels,
                              .planes = tile->planes,
                              .stride = tile->width + MORE,
                              .pitch = (size_t)(tile->width + MORE) * (tile->height + MORE)};
    shw_uint4 entry = shw_forest_texel(&context, 1 + tree);

    if (tile->ferns != NULL) {
        evaluate_fern_row(&context, tile, &tile->ferns[tree], x, y, count, leaves);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct shw_centre centre = shw_centre_at(&context, (int32_t)(x + i * tile->step), (int32_t)y, held_by(tile));
        uint32_t texel = shw_traverse(&context, entry.x, entry.z, centre, tile->image);
        leaves[i] = shw_leaf_or_none(shw_forest_texel(&context, texel).z, centre);
    }
}

static struct shw_response look(const struct shw_feature *feature, const struct shw_feature_source *source, int32_t x,
                                int32_t y, struct shw_rect image)
{
    struct context context = {.source = source};
    struct shw_response response =
        shw_respond(&context, shw_feature_get_words(feature), shw_centre_at(&context, x, y, image), image);

    response.undefined &= SHW_FEATURE_MAY_BE_UNDEFINED;
    return response;
}

static struct shw_feature draw(const struct shw_channel_list *channels, const struct shw_candidate_space *space,
                               uint32_t place, uint32_t candidate)
{
    struct shw_feature_words words = shw_feature_draw(channels, *space, place, candidate);

    return (struct shw_feature){{words.head, words.words.x, words.words.y, words.words.z, words.words.w}};
}

/* `mirror` is an argument so that code for images themselves is compiled without what mirror images need. */
static inline struct context image_context(const void *planes, const struct shw_image_block *block,
                                           const struct shw_mirror *mirror)
{
    return (struct context){planes, (size_t)block->stride, (size_t)block->pitch, NULL, NULL, mirror};
}

#if SHW_FEATURE_READS_DEPTH && !SHW_FEATURE_LABELS_ALL
#define SHW_FEATURE_HAS_PREPARE

FLAT static void prepare_samples(const void *planes, struct shw_image_block *block, uint32_t place, uint32_t count)
{
    struct context context = image_context(planes, block, block->mirror);
    struct shw_rect image = {0, 0, block->width, block->height};

    for (uint32_t i = place; i < place + count; i++) {
        struct shw_centre centre = shw_centre_at(&context, block->x[i], block->y[i], image);
        block->depth[i] = centre.depth;
        block->factor[i] = centre.factor;
        block->shift[i] = centre.shift;
        block->is_complete = centre.is_complete;
    }
}
#endif

static inline struct shw_centre centre_of(const struct shw_image_block *block, uint32_t sample)
{
    struct shw_centre centre = shw_centre_without_depth(block->x[sample], block->y[sample]);

#ifdef SHW_FEATURE_HAS_PREPARE
    centre.depth = block->depth[sample];
    centre.factor = block->factor[sample];
    centre.shift = block->shift[sample];
    centre.is_void = centre.depth == 0;
    centre.is_complete = block->is_complete;
#endif
    return centre;
}

static inline void features_of(const struct shw_mirror *mirror, const void *planes, const struct shw_image_block *block,
                               uint32_t sample, const struct shw_feature_lanes *features, uint32_t count,
                               int32_t *responses)
{
    const uint32_t *const *words = features->words;
    struct context context = image_context(planes, block, mirror);
    struct shw_rect image = {0, 0, block->width, block->height};
    struct shw_centre centre = centre_of(block, sample);

    for (uint32_t i = 0; i < count; i++) {
        const struct shw_feature_words feature = {words[0][i], {words[1][i], words[2][i], words[3][i], words[4][i]}};
        responses[i] = shw_stored(shw_respond(&context, feature, centre, image));
    }
}

FLAT static void respond_features(const void *planes, const struct shw_image_block *block, uint32_t sample,
                                  const struct shw_feature_lanes *features, uint32_t count, int32_t *responses)
{
    if (block->mirror == NULL)
        features_of(NULL, planes, block, sample, features, count, responses);
    else
        features_of(block->mirror, planes, block, sample, features, count, responses);
}

static inline void run_of(const struct shw_mirror *mirror, const void *planes, const struct shw_image_block *block,
                          uint32_t place, uint32_t count, const struct shw_feature *feature, int32_t *responses)
{
    const struct shw_feature_words words = shw_feature_get_words(feature);
    struct context context = image_context(planes, block, mirror);
    struct shw_rect image = {0, 0, block->width, block->height};

    for (uint32_t i = 0; i < count; i++)
        responses[i] = shw_stored(shw_respond(&context, words, centre_of(block, place + i), image));
}

FLAT static void respond_run(const void *planes, const struct shw_image_block *block, uint32_t place, uint32_t count,
                             const struct shw_feature *feature, int32_t *responses)
{
    if (block->mirror == NULL)
        run_of(NULL, planes, block, place, count, feature, responses);
    else
        run_of(block->mirror, planes, block, place, count, feature, responses);
}

#ifdef SHW_FEATURE_HAS_SIDES
static inline void side_of(const struct shw_mirror *mirror, const void *planes, const struct shw_image_block *block,
                           uint32_t place, uint32_t count, const struct shw_feature_side *side, int32_t *responses)
{
    const uint32_t *words = side->words;
    const struct shw_feature_words alone = {side->channel, {words[0], words[1], words[0], words[1]}};
    struct context context = image_context(planes, block, mirror);
    struct shw_rect image = {0, 0, block->width, block->height};

    for (uint32_t i = 0; i < count; i++) {
        struct shw_centre centre = centre_of(block, place + i);
        int32_t value = shw_respond(&context, alone, centre, image).value;
        responses[i] += side->is_second ? -value : value;
    }
}

FLAT static void respond_side(const void *planes, const struct shw_image_block *block, uint32_t place, uint32_t count,
                              const struct shw_feature_side *side, int32_t *responses)
{
    if (block->mirror == NULL)
        side_of(NULL, planes, block, place, count, side, responses);
    else
        side_of(block->mirror, planes, block, place, count, side, responses);
}
#endif

#ifdef SHW_FEATURE_HAS_INSIDE
static void prepare(const struct shw_feature *feature, uint32_t stride, uint32_t pitch, uint32_t words[8])
{
    shw_feature_prepare(shw_feature_get_words(feature), stride, pitch, words);
}
#endif

#define SPIRV(name) PASTED(PASTED(shw_spirv_, SHW_FEATURE_NAME), _##name)
#define DECLARE(role, name)                                                                                            \
    extern const uint32_t SPIRV(name)[];                                                                               \
    extern const size_t SPIRV(name##_size);
SHW_FEATURE_SHADERS(DECLARE)

#define SHADER(role, name) [role] = {SPIRV(name), &SPIRV(name##_size)},
extern const struct shw_feature_code PASTED(shw_feature_code_, SHW_FEATURE_NAME);
const struct shw_feature_code PASTED(shw_feature_code_, SHW_FEATURE_NAME) = {
    .reads = SHW_FEATURE_READS,
    .may_be_undefined = SHW_FEATURE_MAY_BE_UNDEFINED,
    .reads_depth = SHW_FEATURE_READS_DEPTH,
    .labels_all = SHW_FEATURE_LABELS_ALL,
    .reads_pixels = SHW_FEATURE_READS_PIXELS,
#ifdef SHW_FEATURE_HAS_PLACES
    .has_places = true,
#endif
    .evaluate_row = evaluate_row,
    .look = look,
    .respond =
        {
#ifdef SHW_FEATURE_HAS_PREPARE
            .prepare = prepare_samples,
#endif
            .features = respond_features,
            .run = respond_run,
#ifdef SHW_FEATURE_HAS_SIDES
            .sides = shw_feature_list_sides,
            .side = respond_side,
#endif
            .mirrors = true,
        },
    .draw = draw,
#ifdef SHW_FEATURE_HAS_INSIDE
    .prepare = prepare,
#endif
    .shaders = {SHW_FEATURE_SHADERS(SHADER)},
};
