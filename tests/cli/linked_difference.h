/* The mean difference under another name, for a plugin that has functions of the library. */
#include "dense/feature/mean_difference.h"
