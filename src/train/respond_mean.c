#define SHW_FEATURE_IS_MEAN 1
#define RESPOND             shw_respond_mean
#include "train/respond_row.h"
