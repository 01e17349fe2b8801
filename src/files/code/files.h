/* The sources that a text is compiled with, inside the program: shaders, and the C files that they share. */
#ifndef SHW_FILES_CODE_FILES_H
#define SHW_FILES_CODE_FILES_H

#include <stddef.h>
#include <stdint.h>

struct shw_code_file {
    const char *path; /* in the sources: "shaders/shared/types.h" */
    const char *text;
    size_t size;
};
extern const struct shw_code_file shw_code_files[];
extern const uint32_t shw_code_file_count;

/* NULL: there is none. */
const struct shw_code_file *shw_code_file_find(const char *path);

#endif
