/* Marks the symbols that a shared library exports. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_API_H
#define SHADEWOOD_API_H

#if defined(__GNUC__)
#define SHW_API __attribute__((visibility("default")))
#else
#define SHW_API
#endif

#endif
