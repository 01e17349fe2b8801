/* Memory that functions return. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_MEMORY_H
#define SHADEWOOD_MEMORY_H

#include <shadewood/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Frees what a function of the library has returned "to be freed with shw_free()"; accepts NULL. Where a program and
 * the shared library have different C libraries, as they may on Windows, free() would be another's. Any thread. */
SHW_API void shw_free(void *memory);

#ifdef __cplusplus
}
#endif
#endif
