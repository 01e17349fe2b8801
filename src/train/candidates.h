/* Features as candidates: drawn at random, packed as the forest stores them. */
#ifndef SHW_TRAIN_CANDIDATES_H
#define SHW_TRAIN_CANDIDATES_H

#include <shadewood/train.h>

/* A feature as the forest texture stores it. */
struct shw_packed_feature {
    uint32_t channels;      /* both and the flag of the second rectangle */
    uint32_t rectangles[4]; /* the four words of a node's second texel */
};
struct shw_packed_feature shw_feature_pack(const struct shw_feature *feature);
struct shw_feature shw_feature_unpack(const struct shw_packed_feature *packed);

/* Candidate `candidate` of `place`, which is a node's number or a round's. */
struct shw_feature shw_candidate_draw(const struct shw_trainer_params *params, const struct shw_channel_set_info *set,
                                      uint32_t key, uint32_t place, uint32_t candidate);

/* One rectangle of a feature: added to the response or, the second, subtracted. */
struct shw_feature_side {
    uint32_t channel, is_second, begin, end; /* the two words of the rectangle */
};

/* The rectangles that count; returns how many. */
uint32_t shw_feature_sides(const struct shw_packed_feature *feature, struct shw_feature_side sides[2]);

#endif
