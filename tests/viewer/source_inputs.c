/* What pictures come with: the previous frame, of videos, cameras, sequences and folders of frames, wherever they are
 * reached from. */
#include "testing/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "source_wait.h"
#include "testing/image_encode.h"
#include "video_encode.h"

enum { WIDTH = 7, HEIGHT = 5, RATE = 25 };

static struct view_source *open_with(const char *spec, const struct view_other_inputs *others)
{
    const struct view_source_params params = {.spec = spec, .others = others, .log = source_log()};
    struct view_source *source = NULL;

    assert_int_equal(view_source_open(&params, &source), SHW_OK);
    return source;
}

static uint64_t hash_of(const struct shw_image *image)
{
    return testing_hash(image->pixels, image->width * shw_pixel_size(image->format) * image->height);
}

/* Of the frame that a picture comes with; 0: none. */
static uint64_t previous_of(const struct view_picture *picture)
{
    const struct shw_input *input =
        shw_inputs_find(&(struct shw_inputs){picture->input_count, picture->inputs}, SHW_PREVIOUS);

    return input != NULL ? hash_of(&input->image) : 0;
}

/* Of each picture, decoded in order, which come without the previous frame then. */
static void hash_all(const char *spec, int count, uint64_t *hashes)
{
    struct view_source *source = source_open(spec);

    for (int i = 0; i < count; i++) {
        struct view_picture *picture = source_wait(source, 0.0);
        assert_non_null(picture);
        assert_true(previous_of(picture) == 0);
        hashes[i] = hash_of(&picture->image);
        view_picture_free(picture);
        view_source_step_forward(source);
    }
    view_source_close(&source);
}

/* The next picture must be `number`; the first ones of sequences have no previous frame. */
static void check_next(struct view_source *source, const uint64_t *hashes, int number, int first)
{
    struct view_picture *picture = source_wait(source, 0.0);

    assert_non_null(picture);
    assert_true(hash_of(&picture->image) == hashes[number]);
    if (previous_of(picture) != (number == first ? 0 : hashes[number - 1]))
        fail_msg("picture %d comes with another previous frame", number);
    view_picture_free(picture);
}

/* In order, and to and fro. `length` of sequences. */
static void check_all(const char *spec, const struct view_other_inputs *others, int count, int length, double rate)
{
    struct testing_random random = {3};
    struct view_source *source = open_with(spec, others);
    uint64_t hashes[64];

    hash_all(spec, count, hashes);
    for (int i = 0; i < count; i++) {
        check_next(source, hashes, i, i - i % length);
        view_source_step_forward(source);
    }
    assert_null(source_wait(source, 0.0));
    for (int i = 0; i < 30; i++) {
        int number = (int)testing_random_below(&random, (uint32_t)count - 1);
        view_source_seek(source, number / rate);
        check_next(source, hashes, number, number - number % length);
        view_source_step_forward(source);
        check_next(source, hashes, number + 1, number + 1 - (number + 1) % length);
        view_source_step_back(source);
        check_next(source, hashes, number, number - number % length);
    }
    view_source_close(&source);
}

static void of_videos(void **state)
{
    static const struct testing_video videos[] = {
        {"matroska", "ffv1", "bgr0", 37, 29, 20, RATE, 0, 0, {0}, 0, 0},
        {"matroska", "mpeg4", "yuv420p", 64, 48, 40, RATE, 12, 2, {0}, 0, 0},
        {"m4v", "mpeg4", "yuv420p", 64, 48, 30, RATE, 12, 0, {0}, 0, 0}}; /* whose container cannot seek */
    const struct view_other_inputs others = {.previous = true};

    (void)state;
    for (int v = 0; v < 3; v++) {
        const char *path = testing_path(v < 2 ? "video.mkv" : "video.m4v");
        testing_write_video(path, &videos[v]);
        check_all(path, &others, videos[v].frames, videos[v].frames, RATE);
    }
}

static void of_cameras(void **state)
{
    static const struct testing_video video = {"matroska", "ffv1", "bgr0", 37, 29, 8, 100, 0, 0, {0}, 0, 0};
    const struct view_other_inputs others = {.previous = true};
    struct view_source *source;
    uint64_t hashes[8];
    double began = source_clock();
    int without = 0, with = 0;
    char spec[600];

    (void)state;
    testing_write_video(testing_path("camera.mkv"), &video);
    hash_all(testing_path("camera.mkv"), 8, hashes);
    snprintf(spec, sizeof spec, "camera:%s", testing_path("camera.mkv"));
    source = open_with(spec, &others);
    while ((without < 2 || with < 8) && source_clock() - began < 20.0) { /* it begins again */
        struct view_picture *picture = view_source_poll(source, source_clock());
        int number = 0;
        source_sleep(0.001);
        if (picture == NULL)
            continue;
        while (number < 7 && hashes[number] != hash_of(&picture->image))
            number++;
        assert_true(previous_of(picture) == (number == 0 ? 0 : hashes[number - 1]));
        without += number == 0;
        with += number > 0;
        view_picture_free(picture);
    }
    assert_true(without >= 2 && with >= 8);
    view_source_close(&source);
}

static void write_image(const char *folder, const char *format, int number, unsigned samples)
{
    uint16_t values[WIDTH * HEIGHT * 3];
    char path[1024];
    int length = snprintf(path, sizeof path, "%s/", folder);

    snprintf(path + length, sizeof path - (size_t)length, format, number);
    for (unsigned i = 0; i < WIDTH * HEIGHT * samples; i++)
        values[i] = samples == 1 ? (uint16_t)(i % 2) : (uint16_t)(((unsigned)number * 31 + i) & 255);
    testing_write_file(path, testing_encode_png(&(struct testing_picture){
                                 .width = WIDTH, .height = HEIGHT, .bits = 8, .samples = samples, .values = values}));
}

static void of_folders(void **state)
{
    const struct view_other_inputs single = {.previous = true}, frames = {.frames = true, .previous = true};
    const char *folder = testing_path("frames");

    (void)state;
    assert_int_equal(mkdir(folder, 0777), 0);
    for (int i = 0; i < 6; i++)
        write_image(folder, "%d.png", i, 3);
    check_all(folder, &frames, 6, 6, 1.0);
    check_all(folder, &single, 6, 1, 1.0);
}

/* As `shadewood synth --frames` writes them. */
static void of_sequences(void **state)
{
    const struct view_other_inputs others = {.previous = true};
    const char *folder = testing_path("set");
    char path[600];
    FILE *file;

    (void)state;
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(path, sizeof path, "%s/sequences.txt", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 9; i++) {
        write_image(folder, "%d_colors.png", i, 3);
        write_image(folder, "%d_ground_truth.png", i, 1);
        fprintf(file, "%s%d\n", i % 3 == 0 ? "---\n" : "", i);
    }
    fclose(file);
    for (int i = 0; i < 9; i++) {
        uint16_t depth[WIDTH * HEIGHT] = {0};
        snprintf(path, sizeof path, "%s/%d_depth.png", folder, i);
        testing_write_file(path, testing_encode_png(&(struct testing_picture){
                                     .width = WIDTH, .height = HEIGHT, .bits = 16, .samples = 1, .values = depth}));
    }
    check_all(folder, &others, 9, 3, 1.0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_videos),
        cmocka_unit_test(of_cameras),
        cmocka_unit_test(of_folders),
        cmocka_unit_test(of_sequences),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
