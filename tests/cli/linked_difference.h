/* The mean difference under another name, for a plugin that has functions of the library. */
#include "../../shaders/dense/feature/mean_difference.h"
