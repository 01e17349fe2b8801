/* Video devices: what is asked of them, pictures in order, the newest only, and devices that stop, vanish or cannot be
 * used. The device is camera_stand_in.c, which is preloaded. */
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/spec.h"
#include "source_wait.h"
#include "testing/image_encode.h"
#include "testing/testing.h"

static char messages[4096];

static void keep_message(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    static atomic_flag busy = ATOMIC_FLAG_INIT;

    (void)user, (void)item;
    while (atomic_flag_test_and_set(&busy))
        ;
    if (level <= SHW_LOG_WARNING)
        snprintf(messages + strlen(messages), sizeof messages - strlen(messages), "%s\n", text);
    atomic_flag_clear(&busy);
}

static struct view_source *open_camera(const char *camera, const char *spec)
{
    const struct shw_log log = {keep_message, NULL, SHW_LOG_WARNING};
    struct view_source *source = NULL;

    messages[0] = '\0';
    setenv("SHW_CAMERA", camera, 1);
    if (view_source_open(&(struct view_source_params){.spec = spec, .log = log}, &source) != SHW_OK)
        return NULL;
    return source;
}

/* The next picture, after whatever time. */
static struct view_picture *wait_picture(struct view_source *source)
{
    return source_wait_due(source, source_clock());
}

/* The number that the stand-in has painted into a picture. */
static int number_of(const struct view_picture *picture)
{
    const uint8_t *pixels = picture->image.pixels;
    double level = pixels[0] * 219.0 / 255.0 + 16.0; /* full range to that of video */

    assert_int_equal(pixels[0], pixels[1]);
    assert_int_equal(pixels[0], pixels[2]);
    return (int)lround(level) - 16;
}

TESTING_CASE(pictures_come_in_order)
{
    struct view_source *source = open_camera("rate=200", "/dev/video0");
    double captured = 0.0;
    int last = -1;

    for (int i = 0; i < 12; i++) {
        struct view_picture *picture = wait_picture(source);
        int number = number_of(picture);
        assert_int_equal(picture->image.width, 64);
        assert_int_equal(picture->image.height, 48);
        assert_true(number > last || last > 150); /* they begin again after 200 */
        assert_true(picture->captured > captured && picture->captured <= source_clock());
        last = number;
        captured = picture->captured;
        view_picture_free(picture);
    }
    view_source_close(&source);
    assert_string_equal(messages, "");
}

/* The stand-in has four pictures at once: three of them are old when they can be read. */
TESTING_CASE(only_the_newest_is_read)
{
    struct view_source *source = open_camera("rate=200 burst=4", "/dev/video0");
    int first = -1;

    for (int i = 0; i < 8; i++) {
        struct view_picture *picture = wait_picture(source);
        int number = number_of(picture);
        first = first < 0 ? number : first;
        assert_int_equal((number - first + 400) % 4, 0);
        view_picture_free(picture);
    }
    view_source_close(&source);
}

TESTING_CASE(sizes_and_rates_are_asked_for)
{
    static const struct {
        const char *spec;
        uint32_t width;
        double rate;
        const char *message;
    } cases[] = {{"camera:0", 64, 50, ""},
                 {"camera:/dev/video0", 64, 50, ""},
                 {"camera:0?size=32x24", 32, 50, ""},
                 {"camera:/dev/video0?rate=25&size=64x48", 64, 25, ""},
                 {"camera:0?format=yuyv422", 64, 50, ""},
                 {"camera:0?size=1280x720", 64, 50, "gives pictures of 64 x 48, not 1280 x 720"},
                 {"camera:0?rate=30", 64, 25, "gives 25 pictures per second, not 30"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_source *source = open_camera("", cases[i].spec);
        struct view_picture *picture;
        struct view_source_info info;
        char *again;

        assert_non_null(source);
        picture = wait_picture(source);
        view_source_info(source, &info);
        assert_int_equal(info.kind, VIEW_SOURCE_CAMERA);
        assert_int_equal(picture->image.width, cases[i].width);
        assert_true(info.frame_rate == cases[i].rate);
        if (strstr(messages, cases[i].message) == NULL || (cases[i].message[0] == '\0' && messages[0] != '\0'))
            fail_msg("%s: %s", cases[i].spec, messages);
        again = view_source_spec(source);
        assert_non_null(strstr(again, "camera:/dev/video0"));
        free(again);
        view_picture_free(picture);
        view_source_close(&source);
    }
}

TESTING_CASE(jpeg_is_decoded)
{
    static uint16_t values[64 * 48 * 3];
    const struct testing_picture plain = {.width = 64, .height = 48, .bits = 8, .samples = 3, .values = values};
    const char *path = testing_path("picture.jpg");
    struct view_source *source;
    struct view_picture *picture;
    char camera[600];

    for (int i = 0; i < 64 * 48; i++)
        values[3 * i] = 200;
    testing_write_file(path, testing_encode_jpeg(&plain));
    snprintf(camera, sizeof camera, "formats=MJPG jpeg=%s", path);
    source = open_camera(camera, "camera:0");
    picture = wait_picture(source);
    assert_int_equal(picture->image.width, 64);
    assert_in_range(((const uint8_t *)picture->image.pixels)[0], 190, 210); /* red */
    assert_in_range(((const uint8_t *)picture->image.pixels)[1], 0, 10);
    assert_true(picture->captured > 0.0);
    view_picture_free(picture);
    view_source_close(&source);
}

/* As depth cameras give it. */
TESTING_CASE(depth_is_read)
{
    static const struct {
        const char *camera, *spec;
    } cases[] = {{"formats=Z16_", "/dev/video0"},
                 {"formats=Z16_", "camera:0?rate=25"},
                 {"formats=Z16_", "depth:/dev/video0"},
                 {"formats=Z16_", "depth:camera:0?size=64x48"}};

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct view_source *source = open_camera(cases[c].camera, cases[c].spec);
        struct view_picture *picture = wait_picture(source);
        const uint16_t *depth = picture->image.pixels;
        assert_int_equal(picture->image.format, SHW_PIXEL_GREY16);
        assert_true(picture->captured > 0.0 && picture->shows_range);
        assert_int_equal(depth[0], 0);
        assert_in_range(depth[1], 1010, 1209);
        for (uint32_t i = 1; i < 64 * 48; i++)
            assert_int_equal(depth[i], depth[1] + 10 * (i - 1));
        view_picture_free(picture);
        view_source_close(&source);
        assert_string_equal(messages, "");
    }
}

/* Of both clocks that drivers use. */
TESTING_CASE(the_time_of_capture_is_known)
{
    static const char *const cameras[] = {"late=5000", "late=5000 clock=real"};

    for (int i = 0; i < 2; i++) {
        double before = source_clock(), after;
        struct view_source *source = open_camera(cameras[i], "/dev/video0");
        struct view_picture *picture = wait_picture(source);
        after = source_clock();
        assert_true(picture->captured > before - 5.1 && picture->captured < after - 4.9);
        view_picture_free(picture);
        view_source_close(&source);
    }
}

/* It is reported, and pictures go on as soon as it is back. */
TESTING_CASE(a_camera_that_vanishes_is_waited_for)
{
    struct view_source *source = open_camera("rate=100 gone=5 away=700", "/dev/video0");
    double begun = source_clock(), gap = 0.0, last = 0.0;

    while (gap < 0.6 && source_clock() - begun < 300.0) {
        struct view_picture *picture = wait_picture(source);
        gap = last > 0.0 ? picture->captured - last : 0.0;
        last = picture->captured;
        view_picture_free(picture);
    }
    assert_true(gap >= 0.6);
    view_picture_free(wait_picture(source));
    view_source_close(&source);
    assert_non_null(strstr(messages, "/dev/video0 has stopped: No such device"));
    assert_non_null(strstr(messages, "/dev/video0 is back"));
    assert_null(strstr(messages, "cannot open"));
}

/* Closing does not wait for a device that never answers. */
TESTING_CASE(a_camera_that_stalls_is_told_and_closed)
{
    struct view_source *source = open_camera("rate=100 stall=3", "/dev/video0");
    double begun;

    view_picture_free(wait_picture(source));
    for (begun = source_clock(); messages[0] == '\0' && source_clock() - begun < 300.0; source_sleep(0.01))
        view_picture_free(view_source_poll(source, source_clock()));
    begun = source_clock();
    view_source_close(&source);
    assert_true(source_clock() - begun < 60.0);
    assert_string_equal(messages, "/dev/video0 sends no pictures; it is waited for\n");
    source = open_camera("gone=0 away=3600000", "/dev/video0");
    while (strstr(messages, "has stopped") == NULL)
        source_sleep(0.01);
    view_source_close(&source);
}

TESTING_CASE(what_cannot_be_opened_is_told)
{
    static const struct {
        const char *camera, *spec, *message;
    } cases[] = {{"busy=1", "/dev/video0", "cannot open /dev/video0: Device or resource busy"},
                 {"formats=XYZ0", "camera:0", "/dev/video0"},
                 {"", "camera:0?format=h264", "/dev/video0?format=h264"},
                 {"", "depth:/dev/video0", "/dev/video0"}};
    static const char *const wrong[] = {"",
                                        "size",
                                        "size=",
                                        "size=64",
                                        "size=64x",
                                        "size=0x48",
                                        "size=64x48x3",
                                        "rate=",
                                        "rate=0",
                                        "rate=-3",
                                        "rate=1e9",
                                        "rate=nan",
                                        "format=",
                                        "format=a/b",
                                        "zoom=3",
                                        "size=64x48&",
                                        "size=99999999999x3",
                                        "format=averyverylongname",
                                        "rate=25,size=3x3"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct view_source *source = open_camera(cases[i].camera, cases[i].spec);
        assert_non_null(source);
        assert_false(source_wait_open(source));
        view_source_close(&source);
        if (strstr(messages, cases[i].message) == NULL || strchr(messages, '\n')[1] != '\0')
            fail_msg("%s: %s", cases[i].camera, messages);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char spec[128];
        snprintf(spec, sizeof spec, "camera:0?%s", wrong[i]);
        assert_null(open_camera("", spec));
        assert_non_null(strstr(messages, "a camera can be asked for size=WIDTHxHEIGHT"));
    }
    assert_null(open_camera("", "camera:7?size=64x48"));
    assert_non_null(strstr(messages, "cannot open /dev/video7: No such file"));
}
