/* What a program of FFmpeg's has already: frames from a video to its Vulkan device, and frames from there to an
 * encoder; label_video.c is about what is in between. Every function ends the program where something fails. Part of
 * Shadewood; MIT licence, see LICENSE. */
#ifndef EXAMPLE_VIDEO_H
#define EXAMPLE_VIDEO_H

#include <stdbool.h>

#include <libavutil/frame.h>
#include <libavutil/hwcontext_vulkan.h>

struct video_reader;
struct video_writer;

/* Frames in memory of the device: as the video has them if its pixel format is one of `formats`, as "nv12|rgba". */
struct video_reader *video_open_reader(const char *path, const char *formats, AVBufferRef *device);
bool video_read(struct video_reader *reader, AVFrame *frame); /* false: there are no more */
void video_close_reader(struct video_reader **reader);

/* A pool of frames on the device, of the size and pixel format of a first frame. */
AVBufferRef *video_open_frames(AVBufferRef *device, enum AVPixelFormat format, const AVFrame *size);

/* Encodes frames of such a pool, which have the times of the reader's. */
struct video_writer *video_open_writer(const char *path, const char *codec, const char *pixel_format,
                                       AVBufferRef *frames, const struct video_reader *times);
void video_write(struct video_writer *writer, AVFrame *frame); /* takes the frame's reference */
void video_close_writer(struct video_writer **writer);

#endif
