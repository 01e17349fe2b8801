/* In builds without an XML library: OpenCV's cascades are refused. */
#include "base/log.h"
#include "formats/cascade_formats.h"
#include "formats/source.h"

enum shw_result shw_opencv_cascade_parse(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                         struct shw_opencv_cascade *cascade)
{
    (void)bytes;
    (void)size;
    (void)cascade;
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_FILE_READ,
                    "cannot read %s: this build has no XML library, which OpenCV's cascades need (libexpat1-dev)",
                    name);
}

enum shw_result shw_opencv_cascade_read(const struct shw_import_source *source, const struct shw_cascade_import *import,
                                        const struct shw_log *log, struct shw_cascade **cascade)
{
    (void)import;
    (void)cascade;
    return shw_opencv_cascade_parse(NULL, 0, shw_source_name(source), log, NULL);
}

void shw_opencv_cascade_free(struct shw_opencv_cascade *cascade)
{
    (void)cascade;
}
