/* Videos and cameras: steps, seeks, playing, damage. Every picture is compared exactly with the same picture decoded in
 * order. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source_wait.h"
#include "testing/image_encode.h"
#include "video_encode.h"

static const struct testing_video small = {"matroska", "ffv1", "bgr0", 37, 29, 30, 25, 0, 0, {0}, 0, 0};
static const struct testing_video predicted = {"matroska", "mpeg4", "yuv420p", 64, 48, 60, 25, 12, 2, {0}, 0, 0};

static uint64_t hash_and_free(struct view_picture *picture)
{
    uint64_t hash = testing_hash(picture->image.pixels, picture->image.stride * picture->image.height);

    view_picture_free(picture);
    return hash;
}

/* The hash of each picture, decoded in order; released by free(). */
static uint64_t *hash_all(const char *path, int frames)
{
    uint64_t *hashes = malloc((size_t)frames * sizeof *hashes);
    struct view_source *source = source_open(path);

    for (int frame = 0; frame < frames; frame++) {
        struct view_picture *picture = source_wait(source, 0.0);

        assert_non_null(picture);
        hashes[frame] = hash_and_free(picture);
        view_source_step_forward(source);
    }
    assert_null(source_wait(source, 0.0));
    view_source_close(&source);
    return hashes;
}

static void check_next(struct view_source *source, const uint64_t *hashes, int frame)
{
    struct view_picture *picture = source_wait(source, 0.0);

    assert_non_null(picture);
    assert_true(fabs(picture->seconds - frame / 25.0) < 0.002);
    assert_int_equal(hash_and_free(picture), hashes[frame]);
}

static void check_seeks(const char *path, int frames)
{
    uint64_t *hashes = hash_all(path, frames);
    struct testing_random random = {5};
    struct view_source *source = source_open(path);

    check_next(source, hashes, 0);
    for (int i = 0; i < 40; i++) {
        int frame = (int)testing_random_below(&random, (uint32_t)frames);

        assert_int_equal(view_source_seek(source, frame / 25.0 + 0.001 * testing_random_below(&random, 39)), SHW_OK);
        check_next(source, hashes, frame);
        if (i % 2 == 0 && frame > 0) {
            view_source_step_back(source);
            check_next(source, hashes, frame - 1);
            view_source_step_forward(source);
            check_next(source, hashes, frame);
        }
    }
    view_source_seek(source, 1e30);
    check_next(source, hashes, frames - 1);
    view_source_seek(source, -1e30);
    check_next(source, hashes, 0);
    view_source_step_back(source);
    check_next(source, hashes, 0);
    view_source_seek(source, NAN);
    assert_int_equal(source_log_count(SHW_LOG_ERROR, SHW_LOG_ARGUMENT), 1);
    view_source_close(&source);
    free(hashes);
}

TESTING_CASE(test_seeks)
{
    const char *path = testing_path("predicted.mkv");

    testing_write_video(path, &predicted);
    check_seeks(path, predicted.frames);
    path = testing_path("seek.mkv");
    testing_write_video(path, &small);
    check_seeks(path, small.frames);
}

/* A stream of bare pictures, whose container cannot seek. */
TESTING_CASE(test_seeks_without_index)
{
    static const struct testing_video bare = {"m4v", "mpeg4", "yuv420p", 64, 48, 40, 25, 12, 0, {0}, 0, 0};
    const char *path = testing_path("bare.m4v");

    testing_write_video(path, &bare);
    check_seeks(path, bare.frames);
}

/* Asked for in a row, without waiting: each comes, in order. */
TESTING_CASE(test_queued_steps)
{
    static const int expected[] = {30, 29, 28, 27, 28, 29, 28};
    static const bool back[] = {true, true, true, false, false, true};
    const char *path = testing_path("queued.mkv");
    struct view_source *source;
    uint64_t *hashes;

    testing_write_video(path, &predicted);
    hashes = hash_all(path, predicted.frames);
    source = source_open(path);
    for (int round = 0; round < 10; round++) {
        view_source_seek(source, 30 / 25.0);
        if (round % 2 == 0)
            check_next(source, hashes, 30);
        for (size_t i = 0; i < sizeof back / sizeof *back; i++)
            assert_int_equal(back[i] ? view_source_step_back(source) : view_source_step_forward(source), SHW_OK);
        for (size_t i = round % 2 == 0 ? 1 : 0; i < sizeof expected / sizeof *expected; i++)
            check_next(source, hashes, expected[i]);
        assert_null(source_wait(source, 0.0));
    }
    view_source_close(&source);
    free(hashes);
}

/* Plays to the end with a clock of its own; returns how many pictures came. */
static int play_through(struct view_source *source, double speed, double tick)
{
    struct view_source_info info;
    double now = 100.0, begun = now, last = -1.0;
    int count = 0;

    view_source_set_speed(source, speed);
    view_source_play(source);
    do {
        struct view_picture *picture = view_source_poll(source, now);

        if (picture != NULL) {
            assert_true(picture->seconds > last);
            assert_true(picture->seconds <= (now - begun) * speed + 0.002);
            last = picture->seconds;
            count++;
        }
        view_picture_free(picture);
        now += tick;
        source_sleep(0.0005);
        view_source_info(source, &info);
        assert_true(info.playing);
        assert_true(now < 1e4);
    } while (!info.at_end);
    assert_true(fabs(last - 29 / 25.0) < 0.002);
    assert_true(now - begun >= 29 / 25.0 / speed);
    return count;
}

TESTING_CASE(test_playing)
{
    const char *path = testing_path("playing.mkv");
    struct view_source *source;
    struct view_source_params params = {.spec = path, .every_picture = true};

    testing_write_video(path, &small);
    source = source_open(path);
    assert_in_range(play_through(source, 1.0, 0.01), 1, 30); /* on a busy machine, only the last */
    assert_in_range(play_through(source, 16.0, 0.01), 1, 30);
    view_source_pause(source);
    view_source_close(&source);
    params.log = source_log();
    assert_int_equal(view_source_open(&params, &source), SHW_OK);
    assert_int_equal(play_through(source, 1.0, 0.25), 30);
    view_source_close(&source);
}

TESTING_CASE(test_slow)
{
    const char *path = testing_path("slow.mkv");
    struct view_source_info info;
    struct view_source *source;

    testing_write_video(path, &small);
    source = source_open(path);
    view_picture_free(source_wait(source, 0.0));
    view_source_set_speed(source, 0.0);
    view_source_info(source, &info);
    assert_true(info.speed == VIEW_SPEED_MIN);
    source_sleep(0.05); /* there are pictures waiting now, but none is due */
    view_source_play(source);
    for (int i = 0; i < 39; i++)
        assert_null(view_source_poll(source, 0.01 * i));
    view_source_set_speed(source, 1e9);
    view_source_info(source, &info);
    assert_true(info.speed == VIEW_SPEED_MAX);
    view_source_close(&source);
}

/* Whatever a file is like, the source says what is wrong or ends; what came before the damage comes. */
static void drain(const char *path)
{
    struct view_source *source = source_open(path);
    struct view_picture *picture;
    unsigned pictures = 0;

    while ((picture = source_wait(source, 0.0)) != NULL) {
        view_picture_free(picture);
        view_source_step_forward(source);
        assert_true(pictures++ < 1000);
    }
    if (!source_wait_open(source))
        assert_true(source_log_errors() >= 1);
    view_source_seek(source, 0.5);
    view_picture_free(source_wait(source, 0.0));
    view_source_close(&source);
}

TESTING_CASE(test_truncated)
{
    const char *path = testing_path("whole.mkv"), *cut = testing_path("cut.mkv");
    struct testing_bytes whole;

    testing_write_video(path, &predicted);
    whole = testing_read_file(path);
    for (size_t i = 0; i < 16; i++) {
        struct testing_bytes part = {malloc(whole.size), i < 4 ? i * 20 : whole.size * i / 16};

        memcpy(part.bytes, whole.bytes, whole.size);
        testing_write_file(cut, part);
        drain(cut);
    }
    free(whole.bytes);
}

TESTING_CASE(test_damaged)
{
    const char *path = testing_path("sound.mkv"), *damaged = testing_path("damaged.mkv");
    struct testing_random random = {9};
    struct testing_bytes whole;

    testing_write_video(path, &predicted);
    whole = testing_read_file(path);
    for (size_t i = 0; i < 20; i++) {
        struct testing_bytes part = {malloc(whole.size), whole.size};

        memcpy(part.bytes, whole.bytes, whole.size);
        for (unsigned k = 0; k < 1u << (i % 8); k++)
            part.bytes[testing_random_below(&random, (uint32_t)whole.size)] = (uint8_t)testing_random_next(&random);
        testing_write_file(damaged, part);
        drain(damaged);
    }
    free(whole.bytes);
}

/* No picture can be decoded, which is reported. */
TESTING_CASE(test_nothing_left)
{
    static const uint8_t picture_start[4] = {0, 0, 1, 0xb6}; /* of MPEG-4 */
    const char *path = testing_path("pictures.mkv"), *empty = testing_path("empty.mkv");
    struct view_source *source;
    struct testing_bytes whole;

    testing_write_video(path, &predicted);
    whole = testing_read_file(path);
    for (size_t i = 0; i + 4 <= whole.size; i++)
        if (memcmp(whole.bytes + i, picture_start, 4) == 0)
            whole.bytes[i + 3] = 0xff;
    testing_write_file(empty, whole);
    source = source_open(empty);
    assert_true(source_wait_open(source));
    assert_null(source_wait(source, 0.0));
    assert_int_equal(source_log_errors(), 1);
    assert_int_equal(source_log_count(SHW_LOG_ERROR, SHW_LOG_FILE_READ), 1);
    view_source_step_forward(source);
    assert_null(source_wait(source, 0.0));
    assert_int_equal(source_log_errors(), 1);
    view_source_close(&source);
}

/* It opens, but the table that finds its pictures is missing. */
TESTING_CASE(test_no_picture)
{
    static const struct testing_video video = {"mp4", "mpeg4", "yuv420p", 16, 16, 5, 25, 3, 0, {0}, 0, 0};
    const char *path = testing_path("blind.mp4");
    struct view_source *source;
    struct testing_bytes bytes;
    size_t at = 0;

    testing_write_video(path, &video);
    bytes = testing_read_file(path);
    while (at + 4 <= bytes.size && memcmp(bytes.bytes + at, "stsc", 4) != 0)
        at++;
    assert_true(at + 4 <= bytes.size);
    bytes.bytes[at] = 'x';
    testing_write_file(path, bytes);
    source = source_open(path);
    assert_true(source_wait_open(source));
    assert_null(source_wait(source, 0.0));
    view_source_seek(source, 0.1);
    assert_null(source_wait(source, 0.0));
    view_source_close(&source);
    assert_int_equal(source_log_count(SHW_LOG_ERROR, SHW_LOG_FILE_READ), 1);
}

TESTING_CASE(test_no_video)
{
    const char *path = testing_path("letter.txt");
    struct view_source *source = NULL;
    struct testing_bytes text = {(uint8_t *)strdup("Dear all,\n"), 10};

    testing_write_file(path, text);
    source = source_open(path);
    assert_false(source_wait_open(source));
    assert_null(source_wait(source, 0.0));
    assert_int_equal(source_log_errors(), 1);
    view_source_play(source);
    view_source_step_forward(source);
    view_source_seek(source, 3.0);
    assert_null(view_source_poll(source, 1.0));
    view_source_close(&source);
    assert_int_equal(
        view_source_open(&(struct view_source_params){.spec = testing_path("absent.mkv"), .log = source_log()},
                         &source),
        SHW_ERROR_IO);
    assert_int_equal(source_log_count(SHW_LOG_ERROR, SHW_LOG_FILE_OPEN), 1);
    assert_null(source);
}

TESTING_CASE(test_closing)
{
    const char *path = testing_path("closing.mkv");
    struct testing_random random = {11};
    char camera[600];

    testing_write_video(path, &predicted);
    snprintf(camera, sizeof camera, "camera:%s", path);
    for (int i = 0; i < 40; i++) {
        struct view_source *source = source_open(i % 4 == 3 ? camera : path);

        view_source_play(source);
        for (uint32_t k = testing_random_below(&random, 12); k > 0; k--) {
            view_picture_free(view_source_poll(source, k));
            if (i % 4 == 1)
                view_source_seek(source, 0.1 * k);
            if (i % 4 == 2)
                view_source_step_back(source);
            source_sleep(0.0001 * testing_random_below(&random, 20));
        }
        view_source_close(&source);
        view_source_close(&source);
    }
    view_source_close(NULL);
}

TESTING_CASE(test_camera)
{
    static const struct testing_video short_one = {"matroska", "ffv1", "bgr0", 16, 16, 10, 50, 0, 0, {0}, 0, 0};
    const char *path = testing_path("camera.mkv");
    double begun = source_clock();
    struct view_source_info info;
    struct view_source *source;
    int rounds = 0, last = -1;
    char spec[600];

    testing_write_video(path, &short_one);
    snprintf(spec, sizeof spec, "camera:%s", path);
    source = source_open(spec);
    while (rounds < 3) {
        struct view_picture *picture = source_wait_due(source, source_clock());
        int frame = (int)lround(picture->seconds * 50.0);

        testing_check_video_picture(&short_one, picture, frame);
        rounds += frame <= last;
        last = frame;
        view_picture_free(picture);
    }
    assert_true(source_clock() - begun >= 2.8 * 0.2);
    assert_int_equal(view_source_step_back(source), SHW_ERROR_UNSUPPORTED);
    assert_int_equal(view_source_seek(source, 0.0), SHW_ERROR_UNSUPPORTED);
    assert_int_equal(view_source_go_to(source, 0), SHW_ERROR_UNSUPPORTED);
    view_source_pause(source);
    source_sleep(0.05);
    assert_null(view_source_poll(source, source_clock()));
    view_source_step_forward(source);
    view_picture_free(source_wait_due(source, source_clock()));
    source_sleep(0.05);
    assert_null(view_source_poll(source, source_clock()));
    view_source_play(source);
    view_picture_free(source_wait_due(source, source_clock()));
    view_source_info(source, &info);
    assert_int_equal(info.kind, VIEW_SOURCE_CAMERA);
    assert_false(info.at_end);
    view_source_close(&source);
}

TESTING_CASE(test_camera_image)
{
    static const uint16_t values[] = {1, 2, 3, 4, 5, 6};
    const char *path = testing_path("still.png");
    struct view_source *source;
    char spec[600];

    testing_write_file(path, testing_encode_png(&(struct testing_picture){
                                 .width = 2, .height = 1, .bits = 8, .samples = 3, .values = values}));
    snprintf(spec, sizeof spec, "camera:%s", path);
    source = source_open(spec);
    for (int i = 0; i < 3; i++) {
        struct view_picture *picture = source_wait_due(source, source_clock());

        assert_memory_equal(picture->image.pixels, ((uint8_t[]){1, 2, 3, 4, 5, 6}), 6);
        view_picture_free(picture);
    }
    view_source_close(&source);
}
