/* Filling of holes of components. */
#ifndef SHW_FILES_OBJECTS_HOLES_H
#define SHW_FILES_OBJECTS_HOLES_H

#include "files/objects/objects.h"

/* Gives the pixels of holes of at most `hole_max` pixels the labels of their components (objects.h). `numbers`: of the
 * components, connected as `four` says. *filled: whether there were such holes. Errors: MEMORY. */
enum shw_result shw_fill_holes(uint16_t *labels, const uint32_t *numbers, uint32_t width, uint32_t height, bool four,
                               uint32_t hole_max, const struct shw_log *log, bool *filled);

#endif
