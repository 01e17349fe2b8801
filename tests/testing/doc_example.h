/* The feature of docs/shader-features.md, which tests run as it stands there. */
#ifndef SHW_TESTING_DOC_EXAMPLE_H
#define SHW_TESTING_DOC_EXAMPLE_H

#include "testing/testing.h"

/* The first text in GLSL of that document; to be freed with free(). */
char *testing_doc_example(void);

/* Writes it to a file. */
void testing_write_doc_example(const char *path);

#endif
