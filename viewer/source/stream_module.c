#include "source/stream_module.h"

#include <shadewood/api.h>

extern SHW_API const struct view_stream_exports view_stream_exports;
const struct view_stream_exports view_stream_exports = {.module = {SHW_MODULE_VERSION},
                                                        .read_stream = view_read_stream};
