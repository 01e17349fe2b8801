/* What XGBoost's objectives mean for predictions. */
#ifndef SHW_FILES_FORMATS_XGBOOST_OBJECTIVE_H
#define SHW_FILES_FORMATS_XGBOOST_OBJECTIVE_H

#include <stdbool.h>

#include <shadewood/record_forest.h>

struct shw_xgboost_objective {
    const char *name;
    enum shw_record_task task; /* with one output per record, or one per class */
    enum shw_record_link link;
    float (*to_margin)(float base_score); /* the number that sums begin with */
    bool per_class;                       /* an output for each of num_class classes */
};

/* NULL if it is not known. */
const struct shw_xgboost_objective *shw_xgboost_objective_find(const char *name);

#endif
