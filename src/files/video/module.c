#include <shadewood/api.h>

#include "files/video/functions.h"

extern SHW_API const struct shw_video_functions shw_video_exports;
const struct shw_video_functions shw_video_exports = {.module = {SHW_MODULE_VERSION},
                                                      .open = shw_video_open,
                                                      .frame_rate = shw_video_frame_rate,
                                                      .duration = shw_video_duration,
                                                      .next = shw_video_next,
                                                      .close_reader = shw_video_close_reader,
                                                      .create = shw_video_create,
                                                      .check_size = shw_video_check_size,
                                                      .add = shw_video_add,
                                                      .close = shw_video_close};
