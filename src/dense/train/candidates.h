/* Draws candidate features at random. */
#ifndef SHW_DENSE_TRAIN_CANDIDATES_H
#define SHW_DENSE_TRAIN_CANDIDATES_H

#include <shadewood/train.h>

/* Candidate `candidate` of `place`, which is the number of a node or of a round. */
struct shw_feature shw_candidate_draw(const struct shw_trainer_params *params, const struct shw_channel_list *set,
                                      uint32_t key, uint32_t place, uint32_t candidate);

#endif
