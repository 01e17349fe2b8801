/* Reading of videos and cameras as a module that is loaded when one is opened (src/files/io/module.h). */
#ifndef VIEW_SOURCE_STREAM_MODULE_H
#define VIEW_SOURCE_STREAM_MODULE_H

#include "files/io/module.h"
#include "source/reader.h"

#define VIEW_STREAM_MODULE  "shadewood-viewer-video.so"
#define VIEW_STREAM_EXPORTS "view_stream_exports"

struct view_stream_exports {
    struct shw_module_exports module;
    enum shw_result (*read_stream)(const struct view_stream_params *params, struct view_reader *reader);
};

#endif
