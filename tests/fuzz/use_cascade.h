/* What fuzz targets do with a cascade that was accepted. */
#ifndef SHW_FUZZ_USE_CASCADE_H
#define SHW_FUZZ_USE_CASCADE_H

#include <shadewood/cascade.h>

/* Walks its texture, finds with it in a small image, saves and loads it. Aborts if something is not as it must be. */
void fuzz_use_cascade(const struct shw_cascade *cascade);

#endif
