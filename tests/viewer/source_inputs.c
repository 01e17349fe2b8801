/* What pictures come with: the previous frame, of videos, cameras, sequences and folders of frames, wherever they are
 * reached from; and the depth of videos. */
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

TESTING_CASE(of_videos)
{
    static const struct testing_video videos[] = {
        {"matroska", "ffv1", "bgr0", 37, 29, 20, RATE, 0, 0, {0}, 0, 0},
        {"matroska", "mpeg4", "yuv420p", 64, 48, 40, RATE, 12, 2, {0}, 0, 0},
        {"m4v", "mpeg4", "yuv420p", 64, 48, 30, RATE, 12, 0, {0}, 0, 0}}; /* whose container cannot seek */
    const struct view_other_inputs others = {.previous = true};

    for (int v = 0; v < 3; v++) {
        const char *path = testing_path(v < 2 ? "video.mkv" : "video.m4v");
        testing_write_video(path, &videos[v]);
        check_all(path, &others, videos[v].frames, videos[v].frames, RATE);
    }
}

TESTING_CASE(of_cameras)
{
    static const struct testing_video video = {"matroska", "ffv1", "bgr0", 37, 29, 8, 100, 0, 0, {0}, 0, 0};
    const struct view_other_inputs others = {.previous = true};
    struct view_source *source;
    uint64_t hashes[8];
    int without = 0, with = 0;
    char spec[600];

    testing_write_video(testing_path("camera.mkv"), &video);
    hash_all(testing_path("camera.mkv"), 8, hashes);
    snprintf(spec, sizeof spec, "camera:%s", testing_path("camera.mkv"));
    source = open_with(spec, &others);
    for (int i = 0; i < 5000 && (without < 2 || with < 8); i++) { /* it begins again */
        struct view_picture *picture = source_wait_due(source, source_clock());
        int number = 0;
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

TESTING_CASE(of_folders)
{
    const struct view_other_inputs single = {.previous = true}, frames = {.frames = true, .previous = true};
    const char *folder = testing_path("frames");

    assert_int_equal(mkdir(folder, 0777), 0);
    for (int i = 0; i < 6; i++)
        write_image(folder, "%d.png", i, 3);
    check_all(folder, &frames, 6, 6, 1.0);
    check_all(folder, &single, 6, 1, 1.0);
}

/* As `shadewood synth --frames` writes them. */
TESTING_CASE(of_sequences)
{
    const struct view_other_inputs others = {.previous = true};
    const char *folder = testing_path("set");
    char path[600];
    FILE *file;

    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(path, sizeof path, "%s/sequences.txt", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < 9; i++) {
        write_image(folder, "%d_colors.png", 8 + i, 3); /* 8 to 16: sequences are not in bytewise order */
        write_image(folder, "%d_ground_truth.png", 8 + i, 1);
        fprintf(file, "%s%d\n", i % 3 == 0 ? "---\n" : "", 8 + i);
    }
    fclose(file);
    for (int i = 0; i < 9; i++) {
        uint16_t depth[WIDTH * HEIGHT] = {0};
        snprintf(path, sizeof path, "%s/%d_depth.png", folder, 8 + i);
        testing_write_file(path, testing_encode_png(&(struct testing_picture){
                                     .width = WIDTH, .height = HEIGHT, .bits = 16, .samples = 1, .values = depth}));
    }
    check_all(folder, &others, 9, 3, 1.0);
}

/* Colours at 25 pictures a second, depth at 10, and infrared, which is 16-bit grey, too. */
static const struct testing_video colours = {"matroska", "ffv1", "bgr0", 37, 29, 40, RATE, 0, 0, {0}, 0, 0};
static const struct testing_video depths = {"matroska", "ffv1", "gray16le", 37, 29, 15, 10, 0, 0, {0}, 0, 0};
static const struct testing_video infrared = {"matroska", "ffv1", "gray16le", 37, 29, 25, RATE, 0, 0, {0}, 0, 0};

static const struct shw_image *depth_of(const struct view_picture *picture)
{
    const struct shw_input *input =
        shw_inputs_find(&(struct shw_inputs){picture->input_count, picture->inputs}, SHW_DEPTH);

    return input != NULL ? &input->image : NULL;
}

/* The depth nearest to that picture: 10 in the time of 25, the last one after the end. */
static int nearest_depth(int frame)
{
    int number = (frame * 10 + 12) / 25;

    return number < depths.frames ? number : depths.frames - 1;
}

/* The next picture must be that of the colours, with the nearest depth. */
static void check_coloured(struct view_source *source, int frame)
{
    struct view_picture *picture = source_wait(source, 0.0);

    assert_non_null(picture);
    testing_check_video_picture(&colours, picture, frame);
    assert_int_equal(picture->input_count, 1);
    assert_non_null(depth_of(picture));
    assert_int_equal(depth_of(picture)->format, SHW_PIXEL_GREY16);
    for (int i = 0; i < 37 * 29; i++)
        assert_int_equal(((const uint16_t *)depth_of(picture)->pixels)[i],
                         testing_video_sample(&depths, nearest_depth(frame), i % 37, i / 37, 0));
    view_picture_free(picture);
}

static void check_depths(struct view_source *source)
{
    struct testing_random random = {5};

    for (int frame = 0; frame < 36; frame++) {
        check_coloured(source, frame);
        view_source_step_forward(source);
    }
    check_coloured(source, 36);
    for (int i = 0; i < 20; i++) {
        int frame = 1 + (int)testing_random_below(&random, 34);
        view_source_seek(source, frame / (double)RATE);
        check_coloured(source, frame);
        view_source_step_forward(source);
        check_coloured(source, frame + 1);
        view_source_step_back(source);
        check_coloured(source, frame);
    }
    view_source_close(&source);
}

/* As a track of the file, wherever it stands, or in another file. */
TESTING_CASE(depth_of_videos)
{
    static const struct testing_video *const tracks[][3] = {{&colours, &depths}, {&infrared, &depths, &colours}};
    static const char *const titles[] = {"IR", "Depth", NULL};
    const struct shw_input_file file = {.name = SHW_DEPTH, .path = testing_path("{}_depth.mkv")};
    const struct view_other_inputs others = {.files = &file, .count = 1};

    testing_write_tracks(testing_path("two.mkv"), tracks[0], NULL, 2);
    check_depths(source_open(testing_path("two.mkv")));
    testing_write_tracks(testing_path("three.mkv"), tracks[1], titles, 3);
    check_depths(source_open(testing_path("three.mkv")));
    testing_write_video(testing_path("walk.mkv"), &colours);
    testing_write_video(testing_path("walk_depth.mkv"), &depths);
    check_depths(open_with(testing_path("walk.mkv"), &others));
    assert_int_equal(source_log_errors(), 0);
}

static void check_alone(const char *spec, const struct testing_video *video)
{
    struct view_source *source = source_open(spec);
    char *again = view_source_spec(source);

    assert_string_equal(again, spec);
    free(again);
    for (int frame = 0; frame < 5; frame++) {
        struct view_picture *picture = source_wait(source, 0.0);
        assert_non_null(picture);
        assert_int_equal(picture->input_count, 0);
        testing_check_video_picture(video, picture, frame);
        view_picture_free(picture);
        view_source_step_forward(source);
    }
    view_source_close(&source);
}

/* With the values that the file has, in either order of bytes. */
TESTING_CASE(depth_alone)
{
    static const struct testing_video big = {"matroska", "png", "gray16be", 21, 13, 6, 10, 0, 0, {0}, 0, 0};
    char spec[600];

    testing_write_video(testing_path("big.mkv"), &big);
    check_alone(testing_path("big.mkv"), &big);
    check_alone(testing_path("walk_depth.mkv"), &depths);
    snprintf(spec, sizeof spec, "depth:%s", testing_path("three.mkv"));
    check_alone(spec, &depths);
}

/* Beyond the end of the depth, it is missing; of another size, it is left out. Each is said once. */
TESTING_CASE(depth_that_does_not_fit)
{
    static const struct testing_video brief = {"matroska", "ffv1", "gray16le", 37, 29, 3, 10, 0, 0, {0}, 0, 0};
    static const struct testing_video small = {"matroska", "ffv1", "gray16le", 36, 29, 14, 10, 0, 0, {0}, 0, 0};
    static const struct testing_video *const tracks[][2] = {{&colours, &brief}, {&colours, &small}};

    for (int t = 0; t < 2; t++) {
        struct view_source *source;
        testing_write_tracks(testing_path("unfit.mkv"), tracks[t], NULL, 2);
        source = source_open(testing_path("unfit.mkv"));
        for (int frame = 0; frame < 20; frame++) {
            struct view_picture *picture = source_wait(source, 0.0);
            uint32_t there = 0;
            assert_non_null(picture);
            testing_check_video_picture(&colours, picture, frame);
            for (int i = 0; t == 0 && i < 37 * 29; i++)
                there += ((const uint16_t *)depth_of(picture)->pixels)[i] != 0;
            if (t == 0)
                assert_true(frame <= 7 ? there > 37 * 28 : there == 0); /* 0.2 s and a tenth */
            else
                assert_int_equal(picture->input_count, 0);
            view_picture_free(picture);
            view_source_step_forward(source);
        }
        view_source_close(&source);
        assert_int_equal(source_log_count(SHW_LOG_WARNING, SHW_LOG_FILE_READ), 1);
        assert_int_equal(source_log_errors(), 0);
    }
}

/* Opens what cannot be, at once or by the thread. */
static void check_refused(const char *spec, const struct shw_input_file *file)
{
    const struct view_other_inputs others = {.files = file, .count = file != NULL};
    const struct view_source_params params = {.spec = spec, .others = &others, .log = source_log()};
    struct view_source *source = NULL;

    if (view_source_open(&params, &source) == SHW_OK)
        assert_false(source_wait_open(source));
    view_source_close(&source);
    assert_true(source_log_errors() > 0);
}

TESTING_CASE(what_has_no_depth_is_refused)
{
    const struct shw_input_file missing = {.name = SHW_DEPTH, .path = testing_path("no/{}.mkv")},
                                colour = {.name = SHW_DEPTH, .path = testing_path("walk.mkv")},
                                other = {.name = "infrared", .path = testing_path("walk_depth.mkv")};
    char specs[3][600];

    snprintf(specs[0], sizeof *specs, "depth:%s", testing_path("walk.mkv"));
    snprintf(specs[1], sizeof *specs, "depth:%s", testing_path("frames"));
    snprintf(specs[2], sizeof *specs, "depth:%s", testing_path("frames/1.png"));
    for (int s = 0; s < 3; s++)
        check_refused(specs[s], NULL);
    check_refused(testing_path("walk.mkv"), &missing);
    check_refused(testing_path("walk.mkv"), &colour);
    check_refused(testing_path("walk.mkv"), &other);
    snprintf(specs[0], sizeof *specs, "depth:%s", testing_path("three.mkv"));
    check_refused(specs[0], &(struct shw_input_file){.name = SHW_DEPTH, .path = testing_path("walk_depth.mkv")});
}

/* A folder of depth images takes the place of a video or a camera. */
TESTING_CASE(depth_of_folders)
{
    const struct view_other_inputs others = {0};
    const char *folder = testing_path("depths");
    char path[600], spec[600];
    struct view_source *source;
    uint64_t hash;
    char *again;

    assert_int_equal(mkdir(folder, 0777), 0);
    for (uint16_t i = 0; i < 3; i++) {
        uint16_t depth[WIDTH * HEIGHT];

        for (unsigned p = 0; p < WIDTH * HEIGHT; p++)
            depth[p] = (uint16_t)(1000 * i + p);
        snprintf(path, sizeof path, "%s/%u.png", folder, i);
        testing_write_file(path, testing_encode_png(&(struct testing_picture){
                                     .width = WIDTH, .height = HEIGHT, .bits = 16, .samples = 1, .values = depth}));
    }
    snprintf(spec, sizeof spec, "depth:%s", folder);
    source = open_with(spec, &others);
    assert_true(source_wait_open(source));
    assert_true(view_source_name(source, 2) != NULL && view_source_name(source, 3) == NULL);
    again = view_source_spec(source);
    assert_string_equal(again, spec);
    free(again);
    view_source_close(&source);
    check_all(spec, &others, 3, 1, 1.0);
    snprintf(spec, sizeof spec, "depth:%s/1.png", folder);
    hash_all(spec, 1, &hash);
    snprintf(spec, sizeof spec, "depth:%s", testing_path("set"));
    check_refused(spec, NULL);
}
