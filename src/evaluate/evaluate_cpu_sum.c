#define SHW_FEATURE_IS_MEAN 0
#define EVALUATE_ROW        shw_evaluate_row_sum
#include "evaluate/evaluate_row.h"
