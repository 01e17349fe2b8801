/* Video files for tests. */
#ifndef VIEW_TESTING_VIDEO_ENCODE_H
#define VIEW_TESTING_VIDEO_ENCODE_H

#include <stdint.h>

#include "source/picture.h"

struct testing_video {
    const char *container, *codec, *format; /* by libavformat's, libavcodec's and libavutil's names */
    int width, height, frames, rate;        /* rate: pictures a second */
    int key_distance, reordered;            /* 0: the encoder's own */
    int matrix[4];                /* display matrix: stored (x, y) is shown at (m0 x + m2 y, m1 x + m3 y); zero: none */
    int colour_space, full_range; /* of yuv444p: an AVColorSpace; zero: unsaid */
};

/* Writes the video; fails the test if it cannot. Supports the formats bgr0, rgb24, gbrp16le, gray, gray16le, gray16be,
 * yuv420p and yuv444p. */
void testing_write_video(const char *path, const struct testing_video *video);

/* The same with several tracks, up to 4, in the container of the first, which have titles if these are not NULL. */
void testing_write_tracks(const char *path, const struct testing_video *const videos[], const char *const titles[],
                          int count);

/* The sample of picture `frame`; `channel` 0..2 is R, G, B, or Y, U, V of yuv444p. Below 256 except for those of 16
 * bits, which are below 4096 of grey; grey is the same in all channels. */
uint16_t testing_video_sample(const struct testing_video *video, int frame, int x, int y, int channel);

/* The number of pictures of a video, and their size, as the viewer reads them. */
uint32_t testing_count_video_pictures(const char *path, uint32_t *width, uint32_t *height);

/* Fails the test unless it is picture `frame` of a video without loss, in RGB or 16-bit grey. */
void testing_check_video_picture(const struct testing_video *video, const struct view_picture *picture, int frame);

#endif
