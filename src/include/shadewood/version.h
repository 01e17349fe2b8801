/* The version of the library, and of its structs. Part of Shadewood; MIT licence, see LICENSE.
 *
 * Until version 1.0, a version with another minor number may have other structs, enumerators and functions, and the
 * shared library's name (SONAME) has both numbers: libshadewood.so.0.3. A new patch version only adds. Every change
 * of a struct, an enumerator or a function is found by a test (scripts/abi.py), which also gives SHW_ABI its number.
 *
 * Functions that take parameters without an object that was made before, or that make an object, are inline and call
 * their namesake with the ending _abi with SHW_ABI, the number of the structs with which the program was compiled. The
 * library compares it with its own before it reads anything, and fails with SHW_ERROR_ABI (without a message, as the
 * log is in a struct, too). So a program, an object file or a plug-in that was compiled with other headers gets that
 * error, whether the library is linked statically, shared, or opened at run time. Programs that open it with dlopen()
 * look up the names with _abi, for example
 *
 *     int (*create)(uint32_t, const struct shw_labeller_params *, struct shw_labeller **) = dlsym(library,
 *         "shw_labeller_create_abi");   ...   create(SHW_ABI, &params, &labeller);
 */
#ifndef SHADEWOOD_VERSION_H
#define SHADEWOOD_VERSION_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of these headers. CMake reads it here. */
#define SHW_VERSION_MAJOR 0
#define SHW_VERSION_MINOR 3
#define SHW_VERSION_PATCH 0

/* As a number that grows with the version: 300 for 0.3.0. */
#define SHW_VERSION (SHW_VERSION_MAJOR * 10000 + SHW_VERSION_MINOR * 100 + SHW_VERSION_PATCH)

/* As text: "0.3.0". */
#define SHW_VERSION_STRING        SHW_VERSION_JOIN(SHW_VERSION_MAJOR, SHW_VERSION_MINOR, SHW_VERSION_PATCH)
#define SHW_VERSION_JOIN(a, b, c) SHW_VERSION_TEXT(a) "." SHW_VERSION_TEXT(b) "." SHW_VERSION_TEXT(c)
#define SHW_VERSION_TEXT(number)  #number

/* The structs, enumerators and functions of these headers; written by scripts/abi.py --record. */
#define SHW_ABI 0x813fd366u

/* SHW_VERSION and SHW_VERSION_STRING of the library that is running. Static lifetime; any thread. */
SHW_API uint32_t shw_version(void);
SHW_API const char *shw_version_string(void);

/* Whether the library has the structs with which the program was compiled: true for shw_abi_fits(SHW_ABI). For programs
 * that want to know before they call anything else. Any thread. */
SHW_API bool shw_abi_fits(uint32_t abi);

#ifdef __cplusplus
}
#endif
#endif
