#include "dense/train/candidates.h"

#include "dense/feature/feature_code.h"

struct shw_feature shw_candidate_draw(const struct shw_trainer_params *params, const struct shw_channel_list *set,
                                      uint32_t key, uint32_t place, uint32_t candidate)
{
    const struct shw_candidate_space space = {key, set->channel_count, params->size_max, params->offset_max,
                                              params->single_percent};

    return params->feature->code->draw(set, &space, place, candidate);
}
