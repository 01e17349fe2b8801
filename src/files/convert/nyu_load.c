/* The kind of source that nyu.c reads, which is a module; builds without HDF5 recognise it, and refuse it. */
#include "base/log.h"
#include "files/convert/nyu.h"

#if SHW_HAS_HDF5

static enum shw_result load(const char *path, const struct shw_log *log, const struct shw_source_kind **kind)
{
    static struct shw_module module = SHW_MODULE(SHW_NYU_MODULE, SHW_NYU_EXPORTS);
    const struct shw_module_exports *exports;

    SHW_PROPAGATE(shw_module_load(&module, path, "read", log, &exports));
    *kind = ((const struct shw_nyu_exports *)exports)->kind;
    return SHW_OK;
}

#else

static enum shw_result load(const char *path, const struct shw_log *log, const struct shw_source_kind **kind)
{
    (void)kind;
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_DATASET,
                    "cannot read %s: this build has no HDF5 library, which MAT-files of version 7.3 need (libhdf5-dev)",
                    path);
}

#endif

const struct shw_source_kind shw_source_nyu = {SHW_NYU_KIND, .load = load};
