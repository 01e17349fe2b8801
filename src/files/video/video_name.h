/* Names of video files. What a file is, its contents tell. */
#ifndef SHW_FILES_VIDEO_VIDEO_NAME_H
#define SHW_FILES_VIDEO_VIDEO_NAME_H

#include <stdbool.h>

/* Whether a name has one of the usual endings of videos. */
bool shw_is_video_name(const char *name);

/* Whether a name has the ending of a container that can be written: .mkv, .mp4, .mov or .avi. */
bool shw_video_can_be_written(const char *name);

#endif
