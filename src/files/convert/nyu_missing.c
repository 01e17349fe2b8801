/* In builds without HDF5: the kind is recognised, and refused. */
#include "base/log.h"
#include "files/convert/source.h"

static enum shw_result open_set(const struct shw_source_params *params, void **source)
{
    (void)source;
    return shw_fail(&params->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_DATASET,
                    "cannot read %s: this build has no HDF5 library, which MAT-files of version 7.3 need "
                    "(libhdf5-dev)",
                    params->path);
}

const struct shw_source_kind shw_source_nyu = {
    .name = "nyu",
    .text = SHW_SOURCE_NYU_TEXT,
    .has_raw_depth = true,
    .recognise = shw_mat_signature_recognise,
    .open = open_set,
};
