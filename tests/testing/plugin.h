/* Techniques in shared objects. */
#ifndef SHW_TESTING_PLUGIN_H
#define SHW_TESTING_PLUGIN_H

#include <shadewood/stage.h>

/* The first technique of the shared object at `path`, which stays loaded. Fails the test where there is none. */
const struct shw_stage_technique *testing_plugin(const char *path);

#endif
