/* In builds without an XML library: OpenCV's cascades are refused. */
#include "base/log.h"
#include "files/formats/opencv_cascade.h"

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

void shw_opencv_cascade_free(struct shw_opencv_cascade *cascade)
{
    (void)cascade;
}
