#include "files/formats/xgboost_objective.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* XGBoost computes these in single precision. */
static float same(float base_score)
{
    return base_score;
}

static float logit(float base_score)
{
    return -logf(1.0f / base_score - 1.0f);
}

static const struct shw_xgboost_objective objectives[] = {
    {"reg:squarederror", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"reg:linear", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"reg:squaredlogerror", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"reg:pseudohubererror", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"reg:absoluteerror", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"reg:quantileerror", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"reg:logistic", SHW_RECORD_VALUES, SHW_RECORD_LOGISTIC, logit, false},
    {"reg:gamma", SHW_RECORD_VALUES, SHW_RECORD_EXP, logf, false},
    {"reg:tweedie", SHW_RECORD_VALUES, SHW_RECORD_EXP, logf, false},
    {"count:poisson", SHW_RECORD_VALUES, SHW_RECORD_EXP, logf, false},
    {"survival:cox", SHW_RECORD_VALUES, SHW_RECORD_EXP, logf, false},
    {"survival:aft", SHW_RECORD_VALUES, SHW_RECORD_EXP, logf, false},
    {"rank:pairwise", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"rank:ndcg", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"rank:map", SHW_RECORD_VALUES, SHW_RECORD_IDENTITY, same, false},
    {"binary:logistic", SHW_RECORD_CLASSES, SHW_RECORD_LOGISTIC, logit, false},
    {"binary:logitraw", SHW_RECORD_CLASSES, SHW_RECORD_IDENTITY, same, false},
    {"binary:hinge", SHW_RECORD_CLASSES, SHW_RECORD_IDENTITY, same, false},
    {"multi:softmax", SHW_RECORD_CLASSES, SHW_RECORD_SOFTMAX, same, true},
    {"multi:softprob", SHW_RECORD_CLASSES, SHW_RECORD_SOFTMAX, same, true},
};

const struct shw_xgboost_objective *shw_xgboost_objective_find(const char *name)
{
    for (size_t o = 0; o < sizeof objectives / sizeof *objectives; o++)
        if (strcmp(objectives[o].name, name) == 0)
            return &objectives[o];
    return NULL;
}
