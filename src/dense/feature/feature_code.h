/* Responses of training samples on the CPU. */
#ifndef SHW_DENSE_FEATURE_FEATURE_CODE_H
#define SHW_DENSE_FEATURE_FEATURE_CODE_H

#include <stddef.h>

#include <shadewood/feature.h>
#include <shadewood/forest.h>

#include "base/simd.h"
#include "dense/feature/evaluate_cpu.h"
#include "dense/feature/mirror.h"
#include "shared/candidate.h"
#include "shared/feature.h"
#include "vulkan/shader.h"

/* Most samples that are prepared together. */
#define SHW_BLOCK 1024u

/* One side of a feature whose response is a difference: the first is added to the response, the second subtracted. */
struct shw_feature_side {
    uint32_t channel, is_second, words[2];
};

/* Samples of one image, and the size of its planes. If `mirror` is not NULL, the samples are in the mirror image, and
   the planes are those of the image, from which they are read as shared/mirror.h says. Vector code reads and writes
   groups of eight, so every run of samples begins at a multiple of eight. */
#define SHW_LANES_UP(count) (((count) + 7u) & ~7u)
struct shw_image_block {
    int32_t width, height;
    int32_t stride, pitch; /* from row to row, from channel to channel */
    const struct shw_mirror *mirror;
    int32_t x[SHW_BLOCK], y[SHW_BLOCK];
    /* What shw_respond.prepare() keeps of the samples' depths, as in struct shw_centre. */
    uint32_t depth[SHW_BLOCK], factor[SHW_BLOCK], shift[SHW_BLOCK], is_complete;
};

/* Features as a structure of arrays: words[w] holds word w of each. Up to seven beyond the last may be read. */
struct shw_feature_lanes {
    const uint32_t *words[5];
};

/* Computes responses; undefined ones are SHW_UNDEFINED_RESPONSE. `planes` are those of the image: integral images or
 * channels, whichever the feature type reads.
 * prepare: NULL, or called before the others, for samples place..place+count-1 in whole groups of eight.
 * features: `count` features for one sample; `responses` has room for whole groups of eight.
 * run: one feature for samples place..place+count-1 of one image; may write whole groups.
 * sides, side: NULL unless responses are differences. sides lists the sides that count and returns their number; side
 * adds to `responses` what one contributes, for samples place..place+count-1, in whole groups.
 * mirrors: blocks may have a `mirror`; if not, the portable functions compute those. */
struct shw_respond {
    void (*prepare)(const void *planes, struct shw_image_block *block, uint32_t place, uint32_t count);
    void (*features)(const void *planes, const struct shw_image_block *block, uint32_t sample,
                     const struct shw_feature_lanes *features, uint32_t count, int32_t *responses);
    void (*run)(const void *planes, const struct shw_image_block *block, uint32_t place, uint32_t count,
                const struct shw_feature *feature, int32_t *responses);
    uint32_t (*sides)(const struct shw_feature *feature, struct shw_feature_side sides[2]);
    void (*side)(const void *planes, const struct shw_image_block *block, uint32_t place, uint32_t count,
                 const struct shw_feature_side *side, int32_t *responses);
    bool mirrors;
};

/* The code compiled from a feature type's header. This file and what it includes are installed, for types of other
   projects. */

/* The shaders: X(role, name). shadewood_feature() in cmake/shaders.cmake uses the same names. */
#define SHW_FEATURE_SHADERS(X)                                                                                         \
    X(SHW_ROLE_EVALUATE_TREES, evaluate_trees)                                                                         \
    X(SHW_ROLE_EVALUATE_LEAVES1, evaluate_leaves1)                                                                     \
    X(SHW_ROLE_EVALUATE_LEAVES4, evaluate_leaves4)                                                                     \
    X(SHW_ROLE_CANDIDATES, train_candidates)                                                                           \
    X(SHW_ROLE_PROBES, train_probes)                                                                                   \
    X(SHW_ROLE_HISTOGRAM, train_histogram)                                                                             \
    X(SHW_ROLE_SIDES, train_sides)                                                                                     \
    X(SHW_ROLE_PROBES_WINDOWS, train_probes_windows)                                                                   \
    X(SHW_ROLE_HISTOGRAM_WINDOWS, train_histogram_windows)                                                             \
    X(SHW_ROLE_SIDES_WINDOWS, train_sides_windows)                                                                     \
    X(SHW_ROLE_BLEND_LEAVES, train_blend_leaves)                                                                       \
    X(SHW_ROLE_BLEND_RESPOND, train_blend_respond)

#define SHW_ROLE(role, name) role,
enum shw_feature_role { SHW_FEATURE_SHADERS(SHW_ROLE) SHW_ROLE_COUNT };
#undef SHW_ROLE

/* Planes that are read one value at a time. */
struct shw_feature_source {
    void *user;
    uint32_t (*integral)(void *user, uint32_t channel, int32_t x, int32_t y);
    int32_t (*channel)(void *user, uint32_t channel, int32_t x, int32_t y);
};

struct shw_feature_code {
    enum shw_feature_reads reads; /* as in the type */
    bool may_be_undefined, reads_depth, labels_all;
    bool has_places;   /* what prepare() fills in begins with the places of two values and a mask of the second */
    bool reads_pixels; /* as well as integral images, where that is faster and they exist */
    /* The leaves that `count` pixels of row y of the region, from x on and a step of the tile apart, reach in tree
     * `tree`. */
    void (*evaluate_row)(const struct shw_evaluate_tile *tile, uint32_t tree, uint32_t x, uint32_t y, uint32_t count,
                         uint32_t *leaves);
    /* The response at one pixel. */
    struct shw_response (*look)(const struct shw_feature *feature, const struct shw_feature_source *source, int32_t x,
                                int32_t y, struct shw_rect image);
    struct shw_respond respond;
    /* Candidate `candidate` of `place`, which is the number of a node or of a round. */
    struct shw_feature (*draw)(const struct shw_channel_list *channels, const struct shw_candidate_space *space,
                               uint32_t place, uint32_t candidate);
    /* Fills in the words that compute's walk reads where nothing is clipped (shared/walk_node.h): of types that read
       integral images, for ferns only. They are zero before.
       May be NULL. */
    void (*prepare)(const struct shw_feature *feature, uint32_t stride, uint32_t pitch, uint32_t words[8]);
    struct {
        const uint32_t *words;
        const size_t *size;
    } shaders[SHW_ROLE_COUNT];
    /* Instead of `shaders`, where these are made when something asks for them: those of `count` roles, at once, which
     * last as long as the type. NULL: `shaders` has them. Any thread. Errors: MEMORY, UNSUPPORTED, FORMAT; logged. */
    enum shw_result (*get_shaders)(const struct shw_feature_code *code, uint32_t count,
                                   const enum shw_feature_role *roles, const struct shw_log *log,
                                   struct shw_shader *shaders);
};

/* The same with vector instructions; entries may be NULL. */
struct shw_feature_vectors {
    /* The leaves that the pixels of a patch reach in a tree, indexed by enum shw_simd. */
    void (*patch[SHW_SIMD_AVX512 + 1])(const struct shw_evaluate_patch *patch, uint32_t tree, uint64_t *blocks,
                                       uint32_t *leaves);
    /* With AVX2, usable if the planes of an image have less than 2^31 values. */
    const struct shw_respond *respond;
};

/* What a type is about to be used for. */
enum shw_feature_use { SHW_FEATURE_FOR_EVALUATION, SHW_FEATURE_FOR_TRAINING };

/* Refuses an incomplete type; the message names what is missing. Errors: ARGUMENT. */
enum shw_result shw_feature_type_check(const struct shw_feature_type *type, enum shw_feature_use use,
                                       const struct shw_log *log);

/* Whether a feature can be evaluated: whether its type takes the words, its sums are exact, and its regions and its
 * reach are possible. If so, *reach is how far it reads, at most SHW_REACH_ALL; otherwise `why` says what is wrong, and
 * *item what that is about. */
bool shw_feature_is_valid(const struct shw_feature_type *type, const struct shw_feature *feature,
                          const struct shw_channel_list *channels, uint32_t *reach, enum shw_log_item *item,
                          char why[SHW_WHY_SIZE]);

/* The number of a library type, which goes into the hash of forests in its place to keep hashes from before types had
 * names; 0: hash the name. */
uint32_t shw_feature_type_number(const struct shw_feature_type *type);

/* The shaders of `count` roles, of a type that has passed shw_feature_type_check(). Types that make them do so once,
 * those that are asked for together at the same time. Any thread. Errors: those of get_shaders(). */
enum shw_result shw_feature_shaders(const struct shw_feature_type *type, uint32_t count,
                                    const enum shw_feature_role *roles, const struct shw_log *log,
                                    struct shw_shader *shaders);

/* The feature of a node in the forest texture. */
static inline struct shw_feature shw_feature_of_node(const uint32_t node[8])
{
    return (struct shw_feature){{node[1] & ~(1u << SHW_NODE_SPLIT_SHIFT), node[4], node[5], node[6], node[7]}};
}

/* By how many pixels the planes that the type reads exceed the image in width and in height. */
static inline uint32_t shw_feature_more(const struct shw_feature_type *type)
{
    return type->reads == SHW_FEATURE_READS_INTEGRALS ? 1 : 0;
}

static inline size_t shw_feature_element(const struct shw_feature_type *type)
{
    return type->reads == SHW_FEATURE_READS_INTEGRALS ? sizeof(uint32_t) : sizeof(int16_t);
}

/* Lists the sides that count, for a type whose response is the difference of two. */
static inline uint32_t shw_feature_list_sides(const struct shw_feature *feature, struct shw_feature_side sides[2])
{
    const uint32_t *words = feature->words;

    sides[0] = (struct shw_feature_side){shw_node_channel(words[0], 0), 0, {words[1], words[2]}};
    sides[1] = (struct shw_feature_side){shw_node_channel(words[0], 1), 1, {words[3], words[4]}};
    return 1 + (words[0] >> SHW_NODE_SECOND_SHIFT & 1);
}

static inline struct shw_feature_words shw_feature_get_words(const struct shw_feature *feature)
{
    const uint32_t *words = feature->words;

    return (struct shw_feature_words){words[0], {words[1], words[2], words[3], words[4]}};
}

#endif
