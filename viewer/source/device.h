/* What is special about video devices, as FFmpeg's libavdevice reads them: only the newest picture counts, and they may
 * stop, or vanish and come back. */
#ifndef VIEW_SOURCE_DEVICE_H
#define VIEW_SOURCE_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

#include <libavformat/avformat.h>

#include "source/camera_choice.h"

struct view_device {
    struct view_camera_choice choice;
    AVPacket *spare;
    double fed;      /* when the last packet came, in seconds of CLOCK_MONOTONIC */
    double captured; /* when the last picture was captured, likewise */
    double first;    /* and the first one; 0: there was none */
    bool told_stall;
    int lost; /* the AVERROR code because of which it is to be opened again, or 0 */
};

/* Options for avformat_open_input(). Returns an AVERROR code or 0. */
int view_device_options(const struct view_camera_choice *choice, AVDictionary **options);

/* It has been opened, perhaps again. */
void view_device_opened(struct view_device *device);

/* Reads the newest packet, and drops those that have been waiting before it unless the codec needs them. False: there
 * is none yet, after waiting a little, or device->lost says why there will be none. Says, once, that none has come for
 * long. */
bool view_device_read(struct view_device *device, AVFormatContext *container, enum AVCodecID codec, AVPacket *packet,
                      const char *name, const struct shw_log *log);

/* Notes a picture with that timestamp, in seconds, of whatever clock; returns its time since the first one. */
double view_device_note(struct view_device *device, double timestamp);

/* Warns if the device gives other pictures than it was asked for. */
void view_device_compare(const struct view_camera_choice *choice, const AVStream *track, const char *name,
                         const struct shw_log *log);

#endif
