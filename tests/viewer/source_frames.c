/* From decoded frames to pictures: exactly what was encoded without loss, upright, and in the right colours. */
#include "testing/testing.h"

#include <math.h>
#include <string.h>

#include "source_wait.h"
#include "video_encode.h"

static const struct testing_video small = {"matroska", "ffv1", "bgr0", 37, 29, 30, 25, 0, 0, {0}, 0, 0};

/* Steps through the whole video, which must be as it was made. */
static void check_exact(const struct testing_video *video, const char *name)
{
    const char *path = testing_path(name);
    struct view_source_info info;
    struct view_source *source;

    testing_write_video(path, video);
    source = source_open(path);
    for (int frame = 0; frame < video->frames; frame++) {
        struct view_picture *picture = source_wait(source, 0.0);

        assert_non_null(picture);
        testing_check_video_picture(video, picture, frame);
        assert_int_equal(picture->number, frame + 1);
        assert_true(fabs(picture->seconds - (double)frame / video->rate) < 0.002);
        assert_null(picture->labels);
        assert_non_null(strstr(picture->name, name));
        view_picture_free(picture);
        assert_null(view_source_poll(source, 0.0));
        view_source_step_forward(source);
    }
    assert_null(source_wait(source, 0.0));
    view_source_info(source, &info);
    assert_true(info.at_end);
    assert_false(info.playing);
    assert_int_equal(info.kind, VIEW_SOURCE_VIDEO);
    assert_int_equal(info.count, 0);
    assert_true(fabs(info.frame_rate - video->rate) < 0.01);
    /* some containers tell where the last picture begins */
    assert_true(fabs(info.duration - (double)video->frames / video->rate) < 1.0 / video->rate + 0.01);
    assert_int_equal(source_log_errors(), 0);
    view_source_close(&source);
    assert_null(source);
}

TESTING_CASE(test_8_bits)
{
    check_exact(&small, "small.mkv");
}

TESTING_CASE(test_16_bits)
{
    static const struct testing_video deep = {"matroska", "ffv1", "gbrp16le", 33, 17, 6, 10, 0, 0, {0}, 0, 0};
    struct view_display_range range;
    struct view_picture *picture;
    struct view_source *source;

    check_exact(&deep, "deep.mkv");
    source = source_open(testing_path("deep.mkv"));
    picture = source_wait(source, 0.0);
    range = picture->range;
    view_picture_free(picture);
    assert_true(range.low > 0 && range.low < 1000 && range.high < 65535 && range.high > 64535);
    view_source_close(&source);
}

TESTING_CASE(test_grey)
{
    static const struct testing_video grey = {"nut", "rawvideo", "gray", 40, 30, 5, 5, 0, 0, {0}, 0, 0};

    check_exact(&grey, "grey.nut");
}

/* Videos of telephones are stored lying on the side. */
TESTING_CASE(test_turned)
{
    static const int matrices[][4] = {{0, 1, -1, 0}, {-1, 0, 0, -1}, {0, -1, 1, 0}, {-1, 0, 0, 1}, {1, 0, 0, 1}};

    for (size_t i = 0; i < sizeof matrices / sizeof *matrices; i++) {
        const int *m = matrices[i];
        struct testing_video video = {"mov", "png", "rgb24", 9, 5, 2, 25, 0, 0, {m[0], m[1], m[2], m[3]}, 0, 0};
        const char *path = testing_path("turned.mov");
        int width = m[0] != 0 ? 9 : 5, height = m[0] != 0 ? 5 : 9;
        struct view_picture *picture;
        struct view_source *source;

        testing_write_video(path, &video);
        source = source_open(path);
        picture = source_wait(source, 0.0);
        assert_non_null(picture);
        assert_int_equal(picture->image.width, width);
        assert_int_equal(picture->image.height, height);
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 9; x++) {
                int to_x = m[0] * x + m[2] * y, to_y = m[1] * x + m[3] * y;
                const uint8_t *pixels = picture->image.pixels;

                to_x += m[0] < 0 || m[2] < 0 ? width - 1 : 0;
                to_y += m[1] < 0 || m[3] < 0 ? height - 1 : 0;
                for (int channel = 0; channel < 3; channel++)
                    assert_int_equal(pixels[3 * (to_y * width + to_x) + channel],
                                     testing_video_sample(&video, 0, x, y, channel));
            }
        view_picture_free(picture);
        view_source_close(&source);
    }
}

static double clamp_sample(double value)
{
    return value < 0.0 ? 0.0 : value > 255.0 ? 255.0 : value;
}

/* Whether limited range has these samples: of others, libswscale makes black where they should be far too bright. */
static bool is_limited(int y, int u, int v)
{
    return y >= 16 && y <= 235 && u >= 16 && u <= 240 && v >= 16 && v <= 240;
}

/* The definitions of BT.601 and BT.709 in floating point, within the rounding of libswscale's integers. */
static void check_colours(const struct testing_video *video, double red, double blue)
{
    const char *path = testing_path("colours.mkv");
    double scale = video->full_range ? 1.0 : 255.0 / 219.0, colour_scale = video->full_range ? 1.0 : 255.0 / 224.0;
    struct view_picture *picture;
    struct view_source *source;

    testing_write_video(path, video);
    source = source_open(path);
    picture = source_wait(source, 0.0);
    assert_non_null(picture);
    for (int y = 0; y < video->height; y++)
        for (int x = 0; x < video->width; x++) {
            int yuv[] = {testing_video_sample(video, 0, x, y, 0), testing_video_sample(video, 0, x, y, 1),
                         testing_video_sample(video, 0, x, y, 2)};
            double luma = (yuv[0] - (video->full_range ? 0 : 16)) * scale;
            double u = (yuv[1] - 128) * colour_scale * 2.0 * (1.0 - blue);
            double v = (yuv[2] - 128) * colour_scale * 2.0 * (1.0 - red);
            double rgb[] = {luma + v, luma - (red * v + blue * u) / (1.0 - red - blue), luma + u};
            const uint8_t *row = (const uint8_t *)picture->image.pixels + (size_t)y * picture->image.stride;

            for (int channel = 0; channel < 3 && (video->full_range || is_limited(yuv[0], yuv[1], yuv[2])); channel++)
                assert_true(fabs(row[3 * x + channel] - clamp_sample(rgb[channel])) < 2.0);
        }
    view_picture_free(picture);
    view_source_close(&source);
}

TESTING_CASE(test_colours)
{
    enum { BT709 = 1, BT470BG = 5 };
    struct testing_video video = {"matroska", "ffv1", "yuv444p", 64, 48, 1, 25, 0, 0, {0}, 0, 0};

    check_colours(&video, 0.299, 0.114);
    video.colour_space = BT470BG;
    check_colours(&video, 0.299, 0.114);
    video.full_range = 1;
    check_colours(&video, 0.299, 0.114);
    video.colour_space = BT709;
    check_colours(&video, 0.2126, 0.0722);
    video.full_range = 0;
    check_colours(&video, 0.2126, 0.0722);
}
