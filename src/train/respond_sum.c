#define SHW_FEATURE_IS_MEAN 0
#define RESPOND             shw_respond_sum
#include "train/respond_row.h"
