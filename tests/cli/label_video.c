/* Labelled videos: the same as their frames as images. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "files/video/video_read.h"
#include "files/video/video_write.h"
#include "program.h"

#define WIDTH  48
#define HEIGHT 40
#define FRAMES 5
#define LABEL  "shadewood label forest.ktx2 -t cpu "

static const struct shw_log silent = {0};

/* Patches that move. */
static void draw(uint8_t *rgb, int frame)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++)
                rgb[3 * (y * WIDTH + x) + c] = ((x + 3 * frame) / 16 + y / 20) % 3 == c ? 200 : 60;
}

static void write_video(const char *name)
{
    const struct shw_video_params params = {.path = place(name), .width = WIDTH, .height = HEIGHT, .frame_rate = 25.0};
    struct shw_video_file *video;
    uint8_t rgb[3 * WIDTH * HEIGHT];
    enum shw_result result = shw_video_create(&params, &silent, &video);

    if (result == SHW_ERROR_UNSUPPORTED)
        testing_skip("no FFmpeg");
    assert_int_equal(result, SHW_OK);
    for (int i = 0; i < FRAMES; i++) {
        draw(rgb, i);
        assert_int_equal(shw_video_add(video, rgb, i / 25.0), SHW_OK);
    }
    assert_int_equal(shw_video_close(&video), SHW_OK);
}

/* Reads a video frame by frame into NAME-000001.png and so on, unless `name` is NULL. Returns the number of frames. */
static int read_video(const char *video, const char *name)
{
    struct shw_video_reader *reader;
    struct shw_video_frame frame;
    char path[64];
    int count = 0;

    assert_int_equal(shw_video_open(place(video), &silent, &reader), SHW_OK);
    for (;; count++) {
        assert_int_equal(shw_video_next(reader, &frame), SHW_OK);
        if (frame.image.pixels == NULL)
            break;
        assert_int_equal(frame.image.width, WIDTH);
        assert_int_equal(frame.image.height, HEIGHT);
        snprintf(path, sizeof path, "%s-%06d.png", name != NULL ? name : "", count + 1);
        if (name != NULL)
            assert_int_equal(shw_png_write_marked(place(path), NULL, &frame.image, &silent), SHW_OK);
        free((void *)(uintptr_t)frame.image.pixels);
    }
    shw_video_close_reader(&reader);
    return count;
}

static int prepare(void **state)
{
    (void)state;
    make_data("data", 3);
    assert_success(
        run_blind("shadewood train --data data --images '{}.png' --labels '{}_L.png' --trees 2 --depth 5 "
                  "--candidates 30 --pixels 200 --offset 10 --size 9 --channels rgb -q -t cpu -o forest.ktx2"));
    return 0;
}

TESTING_CASE(frames_are_labelled_like_images)
{
    struct run result;

    write_video("walk.mp4");
    assert_success(run_blind("mkdir frames"));
    assert_int_equal(read_video("walk.mp4", "frames/walk"), FRAMES);
    result = run_blind(LABEL "walk.mp4 -o video --leaves --objects --objects-format csv,instances");
    assert_success(result);
    assert_string_equal(result.out, "1 video with 5 frames labelled, in video\n");
    assert_success(run_blind(LABEL "frames -o images --leaves --objects --objects-format csv,instances -q"));
    for (int i = 1; i <= FRAMES; i++)
        assert_success(run_blind("for e in labels.png leaves.npy instances.png; do cmp video/walk-00000%d_$e "
                                 "images/walk-00000%d_$e || exit 1; done",
                                 i, i));
    assert_success(run_blind("cmp video/classes.json images/classes.json"));
    /* The tables differ in the names of the pictures. */
    assert_success(run_blind("cut -d, -f2- video/walk_objects.csv >v; cut -d, -f2- images/objects.csv >i; cmp v i && "
                             "grep -q '^walk.mp4-000005,1,' video/walk_objects.csv"));
    assert_int_equal(entry_count("video"), 3 * FRAMES + 3);
    assert_int_equal(read_video("video/walk_overlay.mp4", NULL), FRAMES);
    for (int jobs = 2; jobs <= 9; jobs += 7) /* several frames at a time */
        assert_success(run_blind(LABEL "walk.mp4 -o many --leaves --objects --objects-format csv,instances -q "
                                       "--overwrite --jobs %d && diff -r video many",
                                 jobs));
}

TESTING_CASE(what_is_not_wanted_is_not_written)
{
    struct run result;
    json_t *document, *video;

    if (!exists("walk.mp4"))
        testing_skip("no FFmpeg");
    assert_success(run_blind("cp walk.mp4 other.mkv && " LABEL "other.mkv --no-labels -o plain -q"));
    assert_int_equal(entry_count("plain"), 2);
    assert_true(exists("plain/other_overlay.mkv"));
    result = run_blind(LABEL "walk.mp4 data/00.png --no-overlay -o both --json -q");
    assert_success(result);
    document = parse_json(result.out);
    assert_int_equal(json_array_size(json_object_get(document, "images")), 1);
    video = json_array_get(json_object_get(document, "videos"), 0);
    assert_int_equal(json_integer_value(json_object_get(video, "frames")), FRAMES);
    json_decref(document);
    assert_int_equal(entry_count("both"), FRAMES + 2);
    /* The same again replaces its own files. */
    assert_success(run_blind(LABEL "walk.mp4 --no-overlay -o both -q"));
}

/* A forest of motion sees the frame before. */
TESTING_CASE(the_previous_frame_is_known)
{
    if (!exists("walk.mp4"))
        testing_skip("no FFmpeg");
    assert_success(run("shadewood synth -o clip -n 4 --frames 4 --size 40x30 --scene heads -q"));
    assert_success(run("shadewood train --data clip --split clip/sequences.txt --channels dt,rgb --trees 2 --depth 5 "
                       "--candidates 50 --pixels all --technique cpu -q -o dt.ktx2"));
    assert_success(run_blind(
        "shadewood label dt.ktx2 walk.mp4 -t cpu -o moving --no-overlay 2>said && ! grep 'previous frame' said"));
    assert_success(run_blind("shadewood label dt.ktx2 frames --frames -t cpu -o moved --no-overlay -q"));
    for (int i = 1; i <= FRAMES; i++)
        assert_success(run_blind("cmp moving/walk-00000%d_labels.png moved/walk-00000%d_labels.png", i, i));
    assert_success(run_blind("shadewood label dt.ktx2 walk.mp4 -t cpu -o many_moving --no-overlay --jobs 3 -q && "
                             "diff -r moving many_moving"));
}

TESTING_CASE(files_of_others_are_kept)
{
    if (!exists("walk.mp4"))
        testing_skip("no FFmpeg");
    assert_success(
        run_blind("mkdir mine && echo mine >mine/walk-000002_labels.png && echo mine >mine/walk_overlay.mp4"));
    assert_one_line(run_blind(LABEL "walk.mp4 -o mine -q"), 1, "mine/walk_overlay.mp4", NULL);
    assert_int_equal(entry_count("mine"), 2);
    assert_one_line(run_blind(LABEL "walk.mp4 --no-overlay -o mine -q"), 1, "mine/walk-000002_labels.png", NULL);
    assert_success(run_blind("grep -q mine mine/walk-000002_labels.png && test ! -e mine/walk-000003_labels.png"));
    assert_success(run_blind(LABEL "walk.mp4 --overwrite -o mine -q"));
    assert_int_equal(run_blind("grep -q mine mine/walk-000002_labels.png").code, 1);
}

TESTING_CASE(wrong_videos_are_refused)
{
    if (!exists("walk.mp4"))
        testing_skip("no FFmpeg");
    assert_success(run_blind("head -c 300 walk.mp4 >short.mp4"));
    assert_one_line(run_blind(LABEL "short.mp4 -o short -q"), 1, "short.mp4", NULL);
    assert_int_equal(entry_count("short"), 0);
    assert_one_line(run_blind(LABEL "short.mp4 data/00.png -o short -q"), 1, "short.mp4", NULL);
    assert_true(exists("short/00_labels.png"));
    assert_one_line(run_blind(LABEL "missing.mp4 -o short"), 1, "missing.mp4", NULL);
    assert_success(run_blind("mkdir sub && cp walk.mp4 sub/walk.mkv"));
    assert_one_line(run_blind(LABEL "walk.mp4 sub/walk.mkv -o same"), 1, "files of the same name", NULL);
    assert_one_line(run_blind(LABEL "walk.mp4 --input previous=data/00.png -o same"), 1, "--input is for images", NULL);
    make_project("meadow.json", "data/00.png");
    assert_one_line(run_blind("shadewood label meadow.json walk.mp4 -o same"), 2, "walk.mp4 is a video", NULL);
    assert_success(run("shadewood synth -o deep -n 2 --size 40x30 -q && shadewood train --data deep --feature "
                       "depth-mean-difference --channels depth,rgb --trees 1 --depth 3 -t cpu -q -o deep.ktx2"));
    assert_one_line(run_blind("shadewood label deep.ktx2 walk.mp4 -o same"), 1, "reads the input depth", NULL);
}

TESTING_FIXTURE(prepare, NULL)
