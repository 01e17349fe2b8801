#include "base/log.h"
#include "detection/cascade/cascade.h"
#include "files/formats/opencv_cascade.h"
#include "files/formats/xml.h"
#include "files/io/file_bytes.h"

enum shw_result shw_opencv_cascade_read(const char *path, const struct shw_cascade_import *import,
                                        const struct shw_log *log, struct shw_cascade **cascade)
{
    const struct shw_cascade_source source = {path, log};
    struct shw_opencv_cascade read;
    struct shw_file_bytes file;
    enum shw_result result;

    SHW_PROPAGATE(shw_file_bytes_read(path, SHW_XML_SIZE_MAX, log, &file));
    result = shw_opencv_cascade_parse(file.bytes, file.size, path, log, &read);
    shw_file_bytes_free(&file);
    if (result != SHW_OK)
        return result;
    read.info.name = import->object;
    read.info.training = import->training;
    result = shw_cascade_make(&read.info, &source, cascade);
    shw_opencv_cascade_free(&read);
    return result;
}
