/* GLSL to SPIR-V inside the test: a compiler that is a program takes twenty times as long to start as to compile one of
 * these shaders. */
#ifndef SHW_TESTS_EXPORT_COMPILE_H
#define SHW_TESTS_EXPORT_COMPILE_H

#include "base/file_bytes.h"

/* Compiles a .comp, .frag or .vert file, which may include others beside it, for Vulkan 1.1. `options` are definitions,
 * "-DNAME=VALUE -DNAME", separated by blanks. Fails the test with the compiler's message. */
void compile_file(const char *path, const char *options, struct shw_file_bytes *spirv);

#endif
