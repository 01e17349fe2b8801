/* A module of another version. */
#include "files/io/module.h"

extern const struct shw_module_exports shw_nyu_exports;
const struct shw_module_exports shw_nyu_exports = {"0.0.1"};
