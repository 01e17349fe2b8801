/* NYU Depth v2's labelled set, as a module that is loaded when there is a MAT-file to read (io/module.h). */
#ifndef SHW_FILES_CONVERT_NYU_H
#define SHW_FILES_CONVERT_NYU_H

#include "files/convert/source.h"
#include "files/io/module.h"

#define SHW_NYU_MODULE  "shadewood-hdf5.so"
#define SHW_NYU_EXPORTS "shw_nyu_exports"

/* What the kind has in any program. */
#define SHW_NYU_KIND                                                                                                   \
    .name = "nyu", .text = "NYU Depth v2's labelled set (a MAT-file of version 7.3)", .has_raw_depth = true,           \
    .recognise = shw_mat_signature_recognise

struct shw_nyu_exports {
    struct shw_module_exports module;
    const struct shw_source_kind *kind;
};

#endif
