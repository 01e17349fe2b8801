/* Which streams of a video have its pictures and their depth. */
#ifndef SHW_FILES_VIDEO_TRACK_H
#define SHW_FILES_VIDEO_TRACK_H

#include <stdbool.h>

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>

/* Pictures: the best stream of those that are not 16-bit grey, or of all if they all are. Depth: one of 16-bit grey,
 * the first that is called so if there are several. Returns its number, with the decoder, or an AVERROR code. */
int shw_track_find(AVFormatContext *container, bool depth, const AVCodec **codec);

#endif
