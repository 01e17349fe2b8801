/* Replaces read_stream.c if FFmpeg's libraries are missing. */
#include "base/log.h"
#include "source/reader.h"

enum shw_result view_read_stream(const struct view_stream_params *params, struct view_reader *reader)
{
    (void)reader;
    return shw_fail(
        params->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
        "%s is not an image, and this viewer was built without FFmpeg's libraries, which videos and cameras need",
        params->name);
}
