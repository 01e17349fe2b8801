/* Images and folders as sources, and what of 16-bit samples is shown. */
#include "testing/testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/recent.h"
#include "source_folder.h"
#include "source_wait.h"
#include "testing/image_encode.h"

/* The same as PPM, whose size does not depend on what it shows. */
static void write_ppm(const char *path, unsigned number)
{
    uint16_t values[WIDTH * HEIGHT * 3];

    for (unsigned i = 0; i < WIDTH * HEIGHT * 3; i++)
        values[i] = (uint16_t)((number * 31 + i) & 255);
    testing_write_file(path, testing_encode_pnm(&(struct testing_picture){
                                 .width = WIDTH, .height = HEIGHT, .bits = 8, .samples = 3, .values = values}));
}

TESTING_CASE(test_image)
{
    const char *path = testing_path("one.png");
    struct view_source *source;
    struct view_picture *picture;
    uint32_t count;

    write_image(path, 8, 3, 3);
    source = source_open(path);
    picture = source_wait(source, 0.0);
    assert_non_null(picture);
    assert_string_equal(picture->name, path);
    assert_int_equal(picture->number, 1);
    assert_null(picture->labels);
    check_info(source, VIEW_SOURCE_IMAGE, 1, 0, true);
    view_source_step_forward(source);
    assert_null(source_wait(source, 0.0));
    view_source_step_back(source);
    check_next(source, 3);
    assert_null(view_source_classes(source, &count));
    assert_int_equal(count, 0);
    view_source_close(&source);
    assert_int_equal(((const uint8_t *)picture->image.pixels)[0], 93); /* it outlives its source */
    view_picture_free(picture);
    assert_int_equal(source_log_errors(), 0);
}

TESTING_CASE(test_16_bits)
{
    const char *path = testing_path("deep.png");
    uint16_t values[100];
    struct view_picture *picture;
    struct view_source *source;

    for (unsigned i = 0; i < 100; i++)
        values[i] = (uint16_t)(1000 + 20 * i);
    testing_write_file(path, testing_encode_png(&(struct testing_picture){
                                 .width = 10, .height = 10, .bits = 16, .samples = 1, .values = values}));
    source = source_open(path);
    picture = source_wait(source, 0.0);
    assert_int_equal(picture->image.format, SHW_PIXEL_GREY16);
    assert_memory_equal(picture->image.pixels, values, sizeof values);
    assert_int_equal(picture->range.low, 1000);
    assert_int_equal(picture->range.high, 2980);
    view_picture_free(picture);
    view_source_close(&source);
}

/* The definition, taken literally: sorted samples, cut at both ends. */
static int compare_samples(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

TESTING_CASE(test_display_range)
{
    enum { COUNT = 30 * 20 };
    struct testing_random random = {3};
    uint16_t samples[COUNT * 4], sorted[COUNT * 3];
    struct view_display_range range;

    for (int round = 0; round < 60; round++) {
        struct shw_image image = {samples, 30, 20, 0, round % 2 == 0 ? SHW_PIXEL_RGB16 : SHW_PIXEL_RGBA16};
        unsigned step = round % 2 == 0 ? 3 : 4;
        double cut = 0.01 * testing_random_below(&random, 30);
        unsigned most = (unsigned)(cut * (COUNT * 3));

        for (unsigned i = 0; i < COUNT; i++) {
            for (unsigned k = 0; k < step; k++)
                samples[i * step + k] =
                    k == 3 ? 65535 : (uint16_t)(500 + testing_random_below(&random, round % 3 == 0 ? 40 : 9000));
            memcpy(&sorted[3 * i], &samples[i * step], 3 * sizeof *sorted);
        }
        qsort(sorted, COUNT * 3, sizeof *sorted, compare_samples);
        assert_int_equal(view_display_range_find(&image, cut, &range), SHW_OK);
        assert_int_equal(range.low, sorted[most]);
        assert_int_equal(range.high, sorted[COUNT * 3 - 1 - most]);
    }
}

TESTING_CASE(test_display_range_of_one_value)
{
    static const uint16_t values[] = {0, 7, 65535};
    struct view_display_range range;

    for (unsigned i = 0; i < 3; i++) {
        struct shw_image image = {&values[i], 1, 1, 0, SHW_PIXEL_GREY16};

        assert_int_equal(view_display_range_find(&image, 0.25, &range), SHW_OK);
        assert_int_equal(range.high - range.low, 1);
        assert_true(range.low == values[i] || range.high == values[i]);
    }
    assert_int_equal(view_display_range_find(&(struct shw_image){"abc", 1, 1, 0, SHW_PIXEL_RGB8}, 0.1, &range), SHW_OK);
    assert_int_equal(range.low, 0);
    assert_int_equal(range.high, 65535);
}

TESTING_CASE(test_folder)
{
    const char *folder = testing_path("folder");
    struct view_source *source;

    make_folder(folder);
    write_in(folder, "c.png", 8, 3, 12);
    write_in(folder, "a.png", 8, 3, 10);
    write_in(folder, "b.PNG", 8, 3, 11);
    write_in(folder, "d.png", 8, 3, 13);
    write_in(folder, ".hidden.png", 8, 3, 14);
    write_text(folder, "notes.txt", "no image");
    source = source_open(folder);
    check_next(source, 10);
    for (unsigned i = 1; i < 4; i++) {
        view_source_step_forward(source);
        check_next(source, 10 + i);
        check_info(source, VIEW_SOURCE_FOLDER, 4, i, i == 3);
    }
    view_source_go_to(source, 1);
    check_next(source, 11);
    view_source_step_back(source);
    view_source_step_back(source);
    check_next(source, 10);
    check_next(source, 10);
    view_source_go_to(source, 99);
    check_next(source, 13);
    for (int i = 0; i < 3; i++)
        view_source_step_back(source);
    view_source_step_forward(source);
    check_next(source, 12);
    check_next(source, 11);
    check_next(source, 10);
    check_next(source, 11);
    assert_non_null(strstr(view_source_name(source, 0), folder));
    assert_string_not_equal(view_source_name(source, 0), view_source_name(source, 3));
    assert_null(view_source_name(source, 4));
    assert_int_equal(source_log_errors(), 0);
    view_source_close(&source);
}

/* As people count. */
TESTING_CASE(test_folder_with_numbers)
{
    const char *folder = testing_path("numbers");
    struct view_source *source;

    make_folder(folder);
    write_in(folder, "f10.png", 8, 3, 3);
    write_in(folder, "f8.png", 8, 3, 1);
    write_in(folder, "f011.png", 8, 3, 4);
    write_in(folder, "f9.png", 8, 3, 2);
    source = source_open(folder);
    for (unsigned i = 1; i <= 4; i++) {
        check_next(source, i);
        view_source_step_forward(source);
    }
    assert_int_equal(source_log_errors(), 0);
    view_source_close(&source);
}

/* One picture a second. */
TESTING_CASE(test_slide_show)
{
    const char *folder = testing_path("slides");
    struct view_source *source;
    double now = 5.0;

    make_folder(folder);
    write_in(folder, "a.png", 8, 3, 0);
    write_in(folder, "b.png", 8, 3, 1);
    write_in(folder, "c.png", 8, 3, 2);
    source = source_open(folder);
    view_source_play(source);
    view_picture_free(source_wait_due(source, now));
    for (int second = 1; second < 3; second++) {
        for (int i = 0; i < 98; i++, now += 0.01, source_sleep(0.0002))
            assert_null(view_source_poll(source, now));
        now = 5.0 + second + 0.01;
        view_picture_free(source_wait_due(source, now));
    }
    view_source_close(&source);
}

TESTING_CASE(test_bad_pictures)
{
    const char *folder = testing_path("spoiled");
    struct view_source *source;

    make_folder(folder);
    write_text(folder, "a.png", "not an image");
    write_in(folder, "b.png", 8, 3, 20);
    write_text(folder, "c.png", "\x89PNG\r\n\x1a\n");
    write_in(folder, "d.png", 8, 3, 22);
    write_text(folder, "e.png", "");
    source = source_open(folder);
    check_next(source, 20);
    view_source_step_forward(source);
    check_next(source, 22);
    view_source_step_back(source);
    check_next(source, 20);
    view_source_step_back(source);
    check_next(source, 20);
    view_source_go_to(source, 4);
    check_next(source, 22);
    view_source_close(&source); /* what reads ahead tells errors, too */
    assert_int_equal(source_log_count(SHW_LOG_ERROR, SHW_LOG_IMAGE_FORMAT), source_log_errors());
    assert_true(source_log_errors() >= 2);
}

/* With all that was in it: that is one message, besides one of a picture that was about to be read at that moment. */
TESTING_CASE(test_a_folder_that_is_gone)
{
    const char *folder = testing_path("gone");
    char elsewhere[600];
    struct view_source *source;

    make_folder(folder);
    for (unsigned i = 0; i < 20; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u.png", i);
        write_in(folder, name, 8, 3, i);
    }
    source = source_open(folder);
    check_next(source, 0);
    assert_int_equal(source_log_errors(), 0);
    snprintf(elsewhere, sizeof elsewhere, "%s-elsewhere", folder);
    assert_int_equal(rename(folder, elsewhere), 0);
    view_source_go_to(source, 9);
    assert_null(source_wait(source, 0.0));
    view_source_go_to(source, 12);
    assert_null(source_wait(source, 0.0));
    assert_in_range(source_log_errors(), 1, 2);
    view_source_close(&source);
}

TESTING_CASE(test_nothing_good)
{
    const char *folder = testing_path("ruins");
    struct view_source *source;

    make_folder(folder);
    write_text(folder, "a.png", "not an image");
    source = source_open(folder);
    assert_null(source_wait(source, 0.0));
    view_source_step_back(source);
    assert_null(source_wait(source, 0.0));
    view_source_play(source);
    assert_null(source_wait(source, 0.0));
    check_info(source, VIEW_SOURCE_FOLDER, 1, 0, true);
    view_source_close(&source);
}

static void refuse(const char *spec, enum shw_result result, enum shw_log_item item)
{
    struct view_source *source = NULL;

    assert_int_equal(view_source_open(&(struct view_source_params){.spec = spec, .log = source_log()}, &source),
                     result);
    assert_null(source);
    assert_int_equal(source_log_errors(), 1);
    assert_int_equal(source_log_count(SHW_LOG_ERROR, item), 1);
}

TESTING_CASE(test_refused)
{
    const char *folder = testing_path("empty"), *image = testing_path("only.png");
    char spec[600];

    make_folder(folder);
    write_image(image, 8, 3, 1);
    refuse(NULL, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT);
    refuse("", SHW_ERROR_IO, SHW_LOG_FILE_OPEN);
    refuse("camera:", SHW_ERROR_IO, SHW_LOG_FILE_OPEN);
    refuse("/absent/picture.png", SHW_ERROR_IO, SHW_LOG_FILE_OPEN);
    refuse(folder, SHW_ERROR_FORMAT, SHW_LOG_DATASET);
    snprintf(spec, sizeof spec, "dataset:%s", folder);
    refuse(spec, SHW_ERROR_FORMAT, SHW_LOG_DATASET);
    snprintf(spec, sizeof spec, "dataset:%s", image);
    refuse(spec, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT);
    snprintf(spec, sizeof spec, "camera:%s", folder);
    refuse(spec, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT);
}

/* A character device that is no camera. */
TESTING_CASE(test_no_camera)
{
    struct view_source *source = source_open("/dev/null");
    struct view_source_info info;

    assert_false(source_wait_open(source));
    view_source_info(source, &info);
    assert_int_equal(info.kind, VIEW_SOURCE_CAMERA);
    assert_false(info.pending);
    assert_int_equal(source_log_errors(), 1);
    view_source_close(&source);
}

/* A picture whose samples are all `value`, as if it had been read from a file. */
static struct view_picture *make_picture(const char *path, uint32_t side, uint8_t value)
{
    struct view_picture *picture = calloc(1, sizeof *picture);

    picture->image = (struct shw_image){
        .pixels = malloc((size_t)side * side), .width = side, .height = side, .format = SHW_PIXEL_GREY8};
    memset((void *)(uintptr_t)picture->image.pixels, value, (size_t)side * side);
    picture->name = strdup(path);
    return picture;
}

static void keep(struct view_recent *recent, uint32_t index, const char *path, uint32_t side, uint8_t value)
{
    struct view_picture *picture = make_picture(path, side, value);

    view_recent_keep(recent, index, picture);
    view_picture_free(picture);
}

static bool is_kept(struct view_recent *recent, uint32_t index, const struct shw_image_choice *choice, uint8_t value)
{
    struct view_picture *picture = view_recent_find(recent, index, choice);
    bool kept = picture != NULL;

    if (kept)
        assert_int_equal(*(const uint8_t *)picture->image.pixels, value);
    view_picture_free(picture);
    return kept;
}

/* The last few pictures are kept, until their files change or they are to be read otherwise. */
TESTING_CASE(test_recent_pictures)
{
    const struct shw_image_choice none = {0}, other = {.channels = {1, {2}}};
    struct view_recent recent = {.limit = 30000};
    char path[512];

    snprintf(path, sizeof path, "%s", testing_path("recent.png"));
    write_image(path, 8, 3, 1);
    for (uint32_t i = 0; i < VIEW_RECENT_PICTURES; i++)
        keep(&recent, i, path, 10, (uint8_t)i);
    assert_true(is_kept(&recent, 0, &none, 0)); /* so 1 is the one not used for longest */
    keep(&recent, 9, path, 10, 9);
    assert_false(is_kept(&recent, 1, &none, 1));
    assert_true(is_kept(&recent, 0, &none, 0) && is_kept(&recent, 2, &none, 2) && is_kept(&recent, 9, &none, 9));
    assert_false(is_kept(&recent, 2, &other, 2));
    assert_false(is_kept(&recent, 2, &none, 2)); /* it would be read again now */
    keep(&recent, 20, path, 123, 20);            /* more than half of what is kept */
    assert_false(is_kept(&recent, 20, &none, 20));
    keep(&recent, 21, path, 110, 21);
    keep(&recent, 22, path, 110, 22);
    assert_true(is_kept(&recent, 21, &none, 21) && is_kept(&recent, 22, &none, 22));
    keep(&recent, 23, path, 110, 23); /* the three together are more than is kept */
    assert_false(is_kept(&recent, 21, &none, 21));
    assert_true(is_kept(&recent, 22, &none, 22) && is_kept(&recent, 23, &none, 23));
    write_image(path, 16, 3, 2);
    assert_false(is_kept(&recent, 22, &none, 22));
    assert_int_equal(remove(path), 0);
    assert_false(is_kept(&recent, 23, &none, 23));
    view_recent_free(&recent);
}

/* Going back does not read the file again: contents that are exchanged behind the program's back are not seen. */
TESTING_CASE(test_going_back_reads_nothing)
{
    const char *folder = testing_path("back");
    struct view_source *source;
    struct timespec times[2];
    struct stat status;
    char *first;

    make_folder(folder);
    for (unsigned i = 0; i < 3; i++) {
        char name[8];
        snprintf(name, sizeof name, "%u.ppm", i);
        first = folder_path(folder, name);
        write_ppm(first, i);
        free(first);
    }
    source = source_open(folder);
    check_next(source, 0);
    view_source_step_forward(source);
    check_next(source, 1);
    view_source_step_forward(source);
    check_next(source, 2);
    first = folder_path(folder, "0.ppm"); /* which the source does not look at now: it reads 1 in advance */
    assert_int_equal(stat(first, &status), 0);
    times[0] = status.st_atim, times[1] = status.st_mtim;
    write_ppm(first, 7);
    assert_int_equal(utimensat(AT_FDCWD, first, times, 0), 0);
    view_source_step_back(source);
    check_next(source, 1);
    view_source_step_back(source);
    check_next(source, 0);
    write_ppm(first, 5); /* now its time differs, too */
    times[1].tv_sec += 10;
    assert_int_equal(utimensat(AT_FDCWD, first, times, 0), 0);
    view_source_step_forward(source);
    check_next(source, 1);
    view_source_step_back(source);
    check_next(source, 5);
    view_source_close(&source);
    free(first);
}
