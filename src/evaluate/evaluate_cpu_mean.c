#define SHW_FEATURE_IS_MEAN 1
#define EVALUATE_ROW        shw_evaluate_row_mean
#include "evaluate/evaluate_row.h"
