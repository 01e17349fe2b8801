/* The program ends cleanly whatever is under way: decoding, labelling, training, measuring. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>

#include "files/image/image_write.h"
#include "testing/random_forest.h"

enum { WIDTH = 64, HEIGHT = 48, PICTURES = 60 };

static char forest_path[512], picture_path[512], video_path[512];

static void write_video(void)
{
    FILE *file = fopen(video_path, "wb");

    assert_non_null(file);
    fprintf(file, "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n", WIDTH, HEIGHT);
    for (int i = 0; i < PICTURES; i++) {
        fprintf(file, "FRAME\n");
        for (int k = 0; k < WIDTH * HEIGHT * 3 / 2; k++)
            fputc((k * 7 + i * 31) & 255, file);
    }
    fclose(file);
}

static int open_files(void **state)
{
    struct random_forest_params params = {.seed = 3, .classes = 4, .trees = 3, .depth = 6, .split_percent = 95};
    struct testing_random random = {1};
    struct shw_image image = testing_image(&random, WIDTH, HEIGHT, SHW_PIXEL_RGB8, 0);
    struct shw_forest *forest = random_forest(&params);

    (void)state;
    snprintf(forest_path, sizeof forest_path, "%s", testing_path("forest.ktx2"));
    snprintf(picture_path, sizeof picture_path, "%s", testing_path("picture.png"));
    snprintf(video_path, sizeof video_path, "%s", testing_path("video.y4m"));
    assert_int_equal(shw_forest_save(forest, forest_path, NULL), SHW_OK);
    assert_int_equal(shw_png_write(picture_path, &image, NULL), SHW_OK);
    write_video();
    shw_forest_destroy(&forest);
    free((void *)(uintptr_t)image.pixels);
    return 0;
}

/* Runs what was scripted until now for so many frames more. */
static void close_after(int frames)
{
    const char *said;
    int status;

    script("wait %d\nquit", frames);
    status = run_script(80, 60, &said);
    if (status != 0 || said[0] != '\0')
        fail_msg("after %d frames: exit status %d and %s", frames, status, said);
}

TESTING_CASE(while_decoding)
{
#ifdef SHADEWOOD_VIDEO
    for (int frames = 0; frames < 6; frames += 2) {
        script("open %s\nplay on", video_path);
        close_after(frames);
    }
    script("open camera:%s", video_path);
    close_after(3);
#else
    testing_skip("built without videos");
#endif
}

TESTING_CASE(while_labelling)
{
    static const char *const techniques[] = {"cpu", "compute", "fragment"};

    for (int t = 0; t < 3; t++) {
        script("technique %s\nbudget 1\nforest %s\nopen %s", techniques[t], forest_path, picture_path);
        close_after(t);
        script("technique %s\nbudget 1\nforest %s\nopen %s\nwait 2\ntechnique auto\nforest %s", techniques[t],
               forest_path, picture_path, forest_path);
        close_after(0);
    }
}

TESTING_CASE(while_training)
{
    static const char *const trainers[] = {"device", "cpu"};

    for (int t = 0; t < 2; t++)
        for (int frames = 0; frames < 12; frames += testing_is_slow() ? 5 : 10) {
            script("open %s\nproject new\ntrainer %s\nadd-class a\nadd-class b\nstroke a 2 5 5 40 9\nstroke b 3 9 30 "
                   "50 40",
                   picture_path, trainers[t]);
            close_after(frames);
        }
    script("open %s\nproject new\nadd-class a\nadd-class b\nstroke a 2 5 5\nstroke a 2 50 5\nstroke b 3 9 30\nstroke b "
           "3 40 30",
           picture_path);
    script("wait trained"); /* accuracy comes after */
    close_after(0);
}

TESTING_FIXTURE(open_files, NULL)
