#include <shadewood/api.h>

#include "files/ranks/functions.h"

extern SHW_API const struct shw_ranks_functions shw_ranks_exports;
const struct shw_ranks_functions shw_ranks_exports = {.module = {SHW_MODULE_VERSION},
                                                      .begin = shw_ranks_begin,
                                                      .gather = shw_ranks_gather,
                                                      .scatter = shw_ranks_scatter,
                                                      .collect = shw_ranks_collect,
                                                      .stop = shw_ranks_stop,
                                                      .end = shw_ranks_end,
                                                      .abort = shw_ranks_abort};
