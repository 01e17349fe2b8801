/* By what MAT-files are recognised. */
#ifndef SHW_FILES_CONVERT_MAT_SIGNATURE_H
#define SHW_FILES_CONVERT_MAT_SIGNATURE_H

#include "files/convert/source.h"

#define SHW_SOURCE_NYU_TEXT "NYU Depth v2's labelled set (a MAT-file of version 7.3)"

/* Whether the file begins like a MAT-file, of any version. */
bool shw_mat_signature_recognise(const char *path);

/* Refuses files that are MAT-files of another version than 7.3. Errors: FORMAT, IO. */
enum shw_result shw_mat_signature_check(const char *path, const struct shw_log *log);

#endif
