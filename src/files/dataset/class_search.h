/* Classes as users name them: by name or by colour. */
#ifndef SHW_FILES_DATASET_CLASS_SEARCH_H
#define SHW_FILES_DATASET_CLASS_SEARCH_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/dataset.h>

/* The position of the class of that name, or if there is none, of that colour, "#rrggbb" or "R,G,B" with numbers up to
 * 255; UINT32_MAX if there is neither. */
uint32_t shw_class_find(const struct shw_class *classes, uint32_t count, const char *text);

/* What there is to choose from, for messages: "grass (#008000), sky (#0102ff) and 7 more", as many as fit. */
void shw_class_list(const struct shw_class *classes, uint32_t count, char *text, size_t size);

#endif
