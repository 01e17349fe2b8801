/* The objectives of LightGBM's models, as far as they say how predictions follow from sums. */
#ifndef SHW_FILES_FORMATS_LIGHTGBM_OBJECTIVE_H
#define SHW_FILES_FORMATS_LIGHTGBM_OBJECTIVE_H

#include <shadewood/record_forest.h>

#include "files/formats/lightgbm_text.h"

struct shw_lightgbm_objective {
    enum shw_record_task task;
    enum shw_record_link link;
    double scale; /* of LOGISTIC */
};

/* Understands a value such as "binary sigmoid:1" for a model of `class_count` classes; without one (the objective was
 * the user's own) predictions are the sums. Errors: FORMAT, also for other objectives. */
enum shw_result shw_lightgbm_objective_read(const struct shw_lightgbm_text *text,
                                            const struct shw_lightgbm_value *value, uint32_t class_count,
                                            struct shw_lightgbm_objective *objective);

#endif
