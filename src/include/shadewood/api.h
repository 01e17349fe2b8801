/* Marks the symbols that a shared library exports. Part of Shadewood; MIT licence, see LICENSE. */
#ifndef SHADEWOOD_API_H
#define SHADEWOOD_API_H

/* On Windows, programs that use the library as a DLL define SHADEWOOD_DLL; shadewood::shadewood of CMake and pkg-config
 * do that. SHADEWOOD_BUILDS_DLL is defined where the DLL itself is built. */
#if defined(_WIN32) && defined(SHADEWOOD_BUILDS_DLL)
#define SHW_API __declspec(dllexport)
#elif defined(_WIN32) && defined(SHADEWOOD_DLL)
#define SHW_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define SHW_API __attribute__((visibility("default")))
#else
#define SHW_API
#endif

#endif
