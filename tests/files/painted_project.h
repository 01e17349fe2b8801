/* Projects for tests of painting. */
#ifndef SHW_TESTS_UNIT_PAINTED_PROJECT_H
#define SHW_TESTS_UNIT_PAINTED_PROJECT_H

#include "testing/painting.h"

extern const uint8_t grey[3];

struct shw_project *make_project(uint32_t classes);

uint32_t add_picture(struct shw_project *project, const char *name, uint32_t width, uint32_t height);

/* Labels of all pictures and the names of the classes. */
uint64_t hash_all(struct shw_project *project);

#endif
