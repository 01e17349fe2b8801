/* Forest files whose checksum is right whatever is in them, so that tests come past it. */
#ifndef SHW_TESTING_FOREST_SEAL_H
#define SHW_TESTING_FOREST_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Puts the checksum of metadata and texels into a forest file. False, and nothing done, where they cannot be found. */
bool testing_forest_seal(uint8_t *bytes, size_t size);

#endif
