/* Forests that read the previous frame, or depth: the viewer's labels are those of `shadewood label --frames` on the
 * same frames, of folders, data sets and videos, in order and after seeks, in frames and on the host. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_bytes.h"
#include "files/image/image_write.h"
#include "testing/random_forest.h"
#include "video_encode.h"

enum { FRAMES = 7, RATE = 25 };

/* Frames of key pictures alone, and of pictures that need others. */
static const struct testing_video video = {"matroska", "ffv1", "bgr0", 37, 29, FRAMES, RATE, 4, 0, {0}, 0, 0};
static const struct testing_video depth = {"matroska", "ffv1", "gray16le", 37, 29, FRAMES, RATE, 0, 0, {0}, 0, 0};

/* A path in the test's folder, valid for a few calls. */
__attribute__((format(printf, 1, 2))) static const char *in(const char *format, ...)
{
    static char names[8][FILE_PATH];
    static unsigned next;
    char *name = names[next++ % 8];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(name, sizeof *names, format, arguments);
    va_end(arguments);
    return name;
}

__attribute__((format(printf, 1, 2))) static void run(const char *format, ...)
{
    char command[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0)
        fail_msg("%s", command);
}

static void write_frame(int frame)
{
    uint8_t pixels[37 * 29 * 3];
    const struct shw_image image = {pixels, 37, 29, 0, SHW_PIXEL_RGB8};

    for (int i = 0; i < 37 * 29 * 3; i++)
        pixels[i] = (uint8_t)testing_video_sample(&video, frame, i / 3 % 37, i / 3 / 37, i % 3);
    assert_int_equal(shw_png_write(in("frames/%02d.png", frame), &image, NULL), SHW_OK);
}

static void write_depth(int frame)
{
    uint16_t pixels[37 * 29];
    const struct shw_image image = {pixels, 37, 29, 0, SHW_PIXEL_GREY16};

    for (int i = 0; i < 37 * 29; i++)
        pixels[i] = testing_video_sample(&depth, frame, i % 37, i / 37, 0);
    assert_int_equal(shw_png_write(in("depth/%02d.png", frame), &image, NULL), SHW_OK);
}

/* Frames and their labels, which need no other input, and videos of them: alone, and as the second track of colours. */
static void write_depth_files(void)
{
    struct random_forest_params params = {.seed = 9,
                                          .channels = "depth",
                                          .feature = shw_feature_type_by_name("depth-pixel-difference"),
                                          .classes = 4,
                                          .trees = 3,
                                          .depth = 6,
                                          .split_percent = 95,
                                          .offset_max = 9};
    struct shw_forest *forest = random_forest(&params);

    assert_int_equal(shw_forest_save(forest, "depth.ktx2", NULL), SHW_OK);
    shw_forest_destroy(&forest);
    assert_int_equal(mkdir("depth", 0777), 0);
    for (int frame = 0; frame < FRAMES; frame++)
        write_depth(frame);
    testing_write_video("depth.mkv", &depth);
    testing_write_tracks("both.mkv", (const struct testing_video *const[]){&video, &depth}, NULL, 2);
    run("'%s' label depth.ktx2 depth -q --no-overlay -o expected-depth", getenv("SHADEWOOD_PROGRAM"));
}

static int write_files(void **state)
{
    struct random_forest_params params = {.seed = 4,
                                          .channels = "rgb,dt,dt-gradient",
                                          .classes = 4,
                                          .trees = 3,
                                          .depth = 6,
                                          .split_percent = 95,
                                          .offset_max = 5};
    struct shw_forest *forest = random_forest(&params);

    (void)state;
    assert_int_equal(chdir(testing_path("")), 0);
    assert_int_equal(shw_forest_save(forest, "forest.ktx2", NULL), SHW_OK);
    shw_forest_destroy(&forest);
    assert_int_equal(mkdir("frames", 0777), 0);
    for (int frame = 0; frame < FRAMES; frame++)
        write_frame(frame);
    run("'%s' label forest.ktx2 frames --frames -q --no-overlay -o expected", getenv("SHADEWOOD_PROGRAM"));
    return 0;
}

static bool same_files(const char *a, const char *b)
{
    const struct shw_log log = {0};
    struct shw_file_bytes bytes[2];
    bool same;

    assert_int_equal(shw_file_bytes_read(a, UINT64_MAX, &log, &bytes[0]), SHW_OK);
    assert_int_equal(shw_file_bytes_read(b, UINT64_MAX, &log, &bytes[1]), SHW_OK);
    same = bytes[0].size == bytes[1].size && memcmp(bytes[0].bytes, bytes[1].bytes, bytes[0].size) == 0;
    shw_file_bytes_free(&bytes[0]);
    shw_file_bytes_free(&bytes[1]);
    return same;
}

/* How many of the folder's labels are those that are expected. */
static int count_same(const char *labels)
{
    int same = 0;

    for (int frame = 0; frame < FRAMES; frame++)
        same += same_files(in("%s/%02d_labels.png", labels, frame), in("expected/%02d_labels.png", frame));
    return same;
}

static void check_run(const char *options)
{
    const char *said;
    int status = run_script_with(options, 80, 60, &said);

    if (status != 0 || said[0] != '\0')
        fail_msg("exit status %d and %s", status, said);
}

TESTING_CASE(of_folders)
{
    const char *said;

    script("forest forest.ktx2\nopen frames\nexport labels by-folder");
    check_run("--frames");
    assert_int_equal(count_same("by-folder"), FRAMES);
    script("forest forest.ktx2\nopen frames\nexport labels still");
    assert_int_equal(run_script(80, 60, &said), 0);
    assert_non_null(strstr(said, "nothing moves in them, unless the viewer is started with --frames"));
    script("forest forest.ktx2\nopen frames\nstep forward\nstep forward\nstep forward\nstep forward\nexport-of "
           "shown\nexport labels alone"); /* as it is shown */
    check_run("--frames");
    assert_int_equal(access(in("alone/00_labels.png"), F_OK), -1);
    assert_true(same_files(in("alone/04_labels.png"), in("expected/04_labels.png")));
    assert_true(count_same("still") < FRAMES); /* motion matters */
}

/* The frame before as files of their own. */
TESTING_CASE(of_files)
{
    assert_int_equal(mkdir("before", 0777), 0);
    for (int frame = 1; frame < FRAMES; frame++)
        run("cp '%s' '%s'", in("frames/%02d.png", frame - 1), in("before/%02d.png", frame));
    run("cp '%s' '%s'", "frames/00.png", "before/00.png");
    script("forest forest.ktx2\nopen frames\nexport labels by-files");
    check_run("--input 'previous=before/{}.png'");
    assert_int_equal(count_same("by-files"), FRAMES);
}

/* Labels that are shown and those of files, at each frame in a random order; the forest comes before the video, or
 * after. */
TESTING_CASE(of_videos)
{
    static const char *const techniques[] = {"cpu", "compute", "fragment"};
    static const int order[] = {0, 1, 2, 5, 4, 6, 3, 0, 3};

    testing_write_video("clip.mkv", &video);
    for (int later = 0; later < 2; later++) {
        script(later ? "open clip.mkv\nseek 0.2\nforest forest.ktx2" : "forest forest.ktx2\nopen clip.mkv");
        for (int i = 0; i < 9; i++) {
            if (i > 1 && order[i] == order[i - 1] + 1)
                script("step forward");
            else if (i > 1 && order[i] == order[i - 1] - 1)
                script("step back");
            else if (i > 0 || !later)
                script("seek %f", order[i] / (double)RATE);
            script("export labels %s", in("video-%d", later * 10 + i));
            for (int technique = 0; technique < 3; technique++)
                script("technique %s\nscreenshot %d-%d.png", techniques[technique], later * 10 + i, technique);
        }
        check_run("");
        for (int i = 0; i < 9; i++) {
            int run_of = later * 10 + i, frame = i == 0 && later ? 5 : order[i];
            if (!same_files(in("video-%d/clip.mkv @ %.3f s_labels.png", run_of, frame / (double)RATE),
                            in("expected/%02d_labels.png", frame)))
                fail_msg("other labels of frame %d at place %d", frame, i);
            assert_true(same_files(in("%d-0.png", run_of), in("%d-1.png", run_of)));
            assert_true(same_files(in("%d-0.png", run_of), in("%d-2.png", run_of)));
        }
    }
}

#define TAUGHT                                                                                                         \
    "project new\nopen clip.mkv\nadd-class one #102030\nadd-class two #a0b0c0\ntraining trees 3\ntraining depth 5\n"
#define FRAME(seconds) "\nseek " seconds "\nstroke one 2 5 5 30 5\nstroke two 2 5 20 30 20"

/* Motion may be chosen before frames are painted on, or later. */
TESTING_CASE(of_painted_frames)
{
    testing_write_video("clip.mkv", &video);
    script(TAUGHT "learn-from motion on" FRAME("0.08") FRAME("0.2")
               FRAME("0") "\nwait trained\nexport forest before.ktx2");
    script(TAUGHT FRAME("0.08") FRAME("0.2") FRAME(
        "0") "\nwait trained\nexport forest still.ktx2\nlearn-from motion on\n"
             "wait trained\nexport forest later.ktx2\nsave later.json\nwait trained\nexport forest saved.ktx2");
    check_run("");
    assert_true(same_files("before.ktx2", "later.ktx2"));
    assert_false(same_files("before.ktx2", "still.ktx2"));
    run("test $(ls later-frames/previous | wc -l) = 2 && '%s' train later.json -q -t cpu -o trained.ktx2 && cmp "
        "trained.ktx2 saved.ktx2",
        getenv("SHADEWOOD_PROGRAM"));
}

/* A forest of depth labels the shown frame of a video, wherever it finds the depth. */
static void check_depth_of(const char *spec, const char *name, const char *options)
{
    static const int order[] = {0, 3, 4, 1};

    script("forest depth.ktx2\nopen %s", spec);
    for (int i = 0; i < 4; i++) {
        script("seek %f\nexport labels %s", order[i] / (double)RATE, in("depth-%d", i));
        script("technique cpu\nscreenshot host.png\ntechnique compute\nscreenshot device.png");
    }
    check_run(options);
    assert_true(same_files("host.png", "device.png"));
    for (int i = 0; i < 4; i++) {
        const char *labels = in("depth-%d/%s @ %.3f s_labels.png", i, name, order[i] / (double)RATE);
        if (!same_files(labels, in("expected-depth/%02d_labels.png", order[i])))
            fail_msg("%s %s: other labels of frame %d", options, spec, order[i]);
        assert_int_equal(unlink(labels), 0);
    }
}

TESTING_CASE(of_depth)
{
    write_depth_files();
    check_depth_of("depth.mkv", "depth.mkv", "");
    check_depth_of("both.mkv", "both.mkv", "");
    check_depth_of("depth:both.mkv", "both.mkv", "");
    testing_write_video("clip.mkv", &video);
    check_depth_of("clip.mkv", "clip.mkv", "--input 'depth=depth.mkv'");
    script("forest depth.ktx2\nopen depth\nexport-of source\nexport labels images");
    check_run("");
    for (int frame = 0; frame < FRAMES; frame++)
        assert_true(same_files(in("images/%02d_labels.png", frame), in("expected-depth/%02d_labels.png", frame)));
    script("forest depth.ktx2\nopen both.mkv\nexport-of source\nexport labels frames-of");
    check_run("");
    for (int frame = 0; frame < FRAMES; frame++)
        assert_true(
            same_files(in("frames-of/both-%06d_labels.png", frame + 1), in("expected-depth/%02d_labels.png", frame)));
}

/* Without a chosen range, a frame of depth is seen in its own, from black to white. */
TESTING_CASE(depth_is_seen)
{
    static const char *const shots[] = {"own.png", "auto.png", "whole.png"};

    script("open depth.mkv\nscreenshot own.png\nrange auto\nscreenshot auto.png\nrange 0 65535\nscreenshot whole.png");
    script("open both.mkv\noverlay depth\nscreenshot overlay.png");
    check_run("");
    assert_true(same_files(shots[0], shots[1]));
    assert_false(same_files(shots[0], shots[2]));
}

TESTING_CASE(what_does_not_fit_is_refused)
{
    static const struct {
        const char *options, *source, *message;
    } cases[] = {{"--input infrared={}.png", "frames", "cannot open"},
                 {"--input 'infrared=frames/{}.png'", "frames", "has no plane infrared"},
                 {"--input infrared=wide.png", "frames", "the input infrared is not read by the forest"},
                 {"--input 'depth=frames/{}.png'", "frames", "it is not 16-bit grey"},
                 {"--input 'previous=small.png'", "frames", "but its previous image small.png has 2 x 1"},
                 {"--input 'previous=wide.png'", "frames", "previous must have the same bit depth"},
                 {"--input 'previous=frames/{}.png'", "clip.mkv", "has no files beside it for the input previous"},
                 {"--input 'previous=frames/{}.png'", "camera:clip.mkv", "has no files beside it"},
                 {"--input previous", "frames", "not NAME=PATTERN"}};
    static uint16_t samples[37 * 29];
    const char *said;

    assert_int_equal(chdir(testing_path("")), 0);
    assert_int_equal(shw_png_write("small.png", &(struct shw_image){samples, 2, 1, 0, SHW_PIXEL_GREY8}, NULL), SHW_OK);
    assert_int_equal(shw_png_write("wide.png", &(struct shw_image){samples, 37, 29, 0, SHW_PIXEL_GREY16}, NULL),
                     SHW_OK);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        script("forest forest.ktx2\nopen %s\nwait 1", cases[c].source);
        assert_int_equal(run_script_with(cases[c].options, 80, 60, &said),
                         c + 1 == sizeof cases / sizeof *cases ? 2 : 1);
        if (strstr(said, cases[c].message) == NULL)
            fail_msg("%s: %s", cases[c].options, said);
    }
}

TESTING_FIXTURE(write_files, NULL)
