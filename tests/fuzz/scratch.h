/* A file for readers that want one. */
#ifndef SHW_FUZZ_SCRATCH_H
#define SHW_FUZZ_SCRATCH_H

#include <stddef.h>

/* Makes the file hold these bytes. Aborts where that is impossible. */
void fuzz_write(const char *path, const void *bytes, size_t size);

#endif
