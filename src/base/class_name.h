/* Names of classes as forest files can store them. */
#ifndef SHW_BASE_CLASS_NAME_H
#define SHW_BASE_CLASS_NAME_H

#include <stdbool.h>

#define SHW_CLASS_NAME_MAX 255u /* bytes */

/* Why it is not 1 to SHW_CLASS_NAME_MAX bytes of UTF-8 without control characters (base/printable.h), as "is empty";
 * NULL if it is. A name of NULL is empty. */
const char *shw_class_name_fault(const char *name);

/* Whether it has no fault. */
bool shw_class_name_is_valid(const char *name);

#endif
