/* Snapshots, recordings, and exports of whole videos; by reading the files back. */
#include "teaching.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/video/video_write.h"
#include "source/reader.h"
#include "video_encode.h"

enum { FRAMES = 7 };

static const struct testing_video video = {.codec = "ffv1",
                                           .container = "matroska",
                                           .format = "bgr0",
                                           .width = 40,
                                           .height = 30,
                                           .frames = FRAMES,
                                           .rate = 25};
static char forest[FILE_PATH], video_path[FILE_PATH];

static int make_files(void **state)
{
    char picture[FILE_PATH];

    (void)state;
    write_forest_and_picture(24, 16, forest, picture);
    snprintf(video_path, sizeof video_path, "%s", testing_path("clip.mkv"));
    testing_write_video(video_path, &video);
    return open_taught(state);
}

/* Every frame gets files of its own. */
TESTING_CASE(whole_videos_are_exported)
{
    char command[2048], out[FILE_PATH];

    snprintf(out, sizeof out, "%s", testing_path("frames"));
    script("forest %s\nexport-add %s\nexport-count labels,overlays %s\nexport labels,overlays %s", forest, video_path,
           out, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    snprintf(command, sizeof command, "%d files would be written", 2 * FRAMES + 1);
    assert_non_null(strstr(script_output(), command));
    snprintf(command, sizeof command, "exported 1 of 1 video (%d frames) to", FRAMES);
    assert_non_null(strstr(script_output(), command));
    snprintf(command, sizeof command,
             "cd '%s' && test $(ls | wc -l) = %d && test -f clip-000001_labels.png && test -f clip-%06d_overlay.png",
             out, 2 * FRAMES + 1, FRAMES);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "cd '%s' && rm clip-000003_labels.png && echo mine >clip-000005_labels.png", out);
    assert_int_equal(system(command), 0);
    script("forest %s\nexport-add %s\nexport labels %s", forest, video_path, out); /* one is in the way */
    assert_int_equal(run_script(32, 32, NULL), 1);
    assert_int_equal(access(testing_path("frames/clip-000003_labels.png"), F_OK), -1);
    script("forest %s\nopen %s\nexport-of source\nexport-existing missing\nexport labels %s", forest, video_path, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_int_equal(access(testing_path("frames/clip-000003_labels.png"), F_OK), 0);

    /* the table of objects names the files of each frame */
    script("forest %s\nexport-add %s\nexport objects %s", forest, video_path, testing_path("frames-of-objects"));
    assert_int_equal(run_script(32, 32, NULL), 0);
    snprintf(command, sizeof command,
             "cd '%s' && test -f clip-000002_instances.png && cut -d, -f1,15 objects.csv | grep -q 'clip.mkv @ "
             ".*,clip-000002'",
             testing_path("frames-of-objects"));
    assert_int_equal(system(command), 0);
}

/* The overlay of a video is a video, and nothing else is made or changed. */
TESTING_CASE(overlays_of_videos_are_videos)
{
    char command[2048], out[FILE_PATH];
    uint32_t width, height;

    snprintf(out, sizeof out, "%s", testing_path("films"));
    snprintf(command, sizeof command, "mkdir '%s' && echo mine >'%s/mine' && ln -s mine '%s/clip_overlay.mkv.part'",
             out, out, out);
    assert_int_equal(system(command), 0);
    script("forest %s\nexport-add %s\nexport videos %s", forest, video_path, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_int_equal(testing_count_video_pictures(testing_path("films/clip_overlay.mkv"), &width, &height), FRAMES);
    snprintf(command, sizeof command,
             "cd '%s' && test \"$(ls -A | tr '\\n' ' ')\" = '.shadewood-export.jsonl classes.json clip_overlay.mkv "
             "clip_overlay.mkv.part mine ' "
             "&& test \"$(cat mine)\" = mine && test ! -L clip_overlay.mkv",
             out);
    assert_int_equal(system(command), 0);
    script("forest %s\nexport-add %s\nexport videos %s", forest, video_path, out); /* a video has no mark */
    assert_int_equal(run_script(32, 32, NULL), 1);
    script("forest %s\nopen %s\nexport videos %s", forest, taught.folder, out);
    assert_int_equal(run_script(32, 32, NULL), 1);
}

TESTING_CASE(recordings_can_be_played)
{
    static const char *const endings[] = {"mkv", "mp4", "avi"};
    char path[FILE_PATH];
    uint32_t width, height;

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(path, sizeof path, "%s.%s", testing_path("recorded"), endings[i]);
        script("forest %s\nopen %s\nwait 1\nrecord %s\nplay on\nwait 60\nrecord off", forest, video_path, path);
        assert_int_equal(run_script(32, 32, NULL), 0);
        assert_non_null(strstr(script_output(), "recorded 7 pictures to"));
        assert_int_equal(testing_count_video_pictures(path, &width, &height), FRAMES);
        assert_int_equal(width, 40);
        assert_int_equal(height, 30);
    }
    /* with a name of its own beside the project; the first one's end is reported, although the next one begins at once
     */
    script("project new\nsave %s\nopen %s\nwait 1\nrecord on\nplay on\nwait 3\nrecord off\nrecord %s\nwait 3",
           testing_path("beside.json"), video_path, testing_path("next.mkv"));
    assert_int_equal(run_script(32, 32, NULL), 0);
    snprintf(path, sizeof path, "%s", testing_path("clip_recording.mkv"));
    assert_int_equal(access(path, F_OK), 0);
    assert_non_null(strstr(script_output(), path));
    assert_non_null(strstr(script_output(), testing_path("next.mkv")));
    script("open %s\nwait 1\nrecord %s", video_path, path); /* a video has no mark */
    assert_int_equal(run_script(32, 32, NULL), 1);
    script("open %s\nwait 1\nrecord nowhere.png", video_path);
    assert_int_equal(run_script(32, 32, NULL), 1);
    script("record off");
    assert_int_equal(run_script(32, 32, NULL), 1);
}

/* The longest run of nearly white pixels in a row of a video's first picture; its colours are not exact. */
static uint32_t bar_of(const char *path)
{
    const struct view_other_inputs none = {.count = 0};
    const struct shw_log log = {0};
    atomic_bool stop = false;
    const struct view_stream_params params = {.url = path, .name = path, .stop = &stop, .others = &none, .log = &log};
    struct view_reader reader;
    struct view_reading reading;
    const struct shw_image *image;
    uint32_t longest = 0;
    size_t pixel;

    assert_int_equal(view_read_stream(&params, &reader), SHW_OK);
    assert_int_equal(reader.next(reader.user, &reading), SHW_OK);
    assert_non_null(reading.picture);
    image = &reading.picture->image;
    pixel = shw_pixel_size(image->format);
    assert_true(pixel >= 3);
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0, run = 0; x < image->width; x++) {
            const uint8_t *at = (const uint8_t *)image->pixels +
                                y * (image->stride > 0 ? image->stride : pixel * image->width) + x * pixel;

            run = at[0] > 200 && at[1] > 200 && at[2] > 200 ? run + 1 : 0;
            longest = run > longest ? run : longest;
        }
    view_picture_free(reading.picture);
    reader.close(reader.user);
    return longest;
}

/* Videos of overlays and recordings have a scale bar, if one is shown: of 20 mm, since a quarter is 32 mm. */
TESTING_CASE(scale_bars_are_in_videos)
{
    struct testing_video wide = video;
    char path[3][FILE_PATH], command[4 * FILE_PATH];

    wide.width = 128;
    wide.height = 96;
    for (int i = 0; i < 3; i++)
        snprintf(path[i], sizeof *path, "%s", testing_path(i == 0 ? "wide.mkv" : i == 1 ? "bar.mkv" : "bars"));
    testing_write_video(path[0], &wide);
    script("forest %s\nopen %s\npixel-size 1 mm\nscale-bar on\nrecord %s\nstep forward\nwait 2\nrecord off\n"
           "export-add %s\nexport videos %s\nscale-bar off\nexport videos %s-plain\nquit",
           forest, path[0], path[1], path[0], path[2], path[2]);
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_in_range(bar_of(path[1]), 18, 22);
    snprintf(command, sizeof command, "%s/wide_overlay.mkv", path[2]);
    assert_in_range(bar_of(command), 18, 22);
    snprintf(command, sizeof command, "%s-plain/wide_overlay.mkv", path[2]);
    assert_in_range(bar_of(command), 0, 10);
    snprintf(command, sizeof command,
             "'%s' label -q -t cpu '%s' '%s' -o '%s-label' --no-labels --scale-bar --pixel-size '1 mm'",
             getenv("SHADEWOOD_PROGRAM"), forest, path[0], path[2]);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s-label/wide_overlay.mkv", path[2]);
    assert_in_range(bar_of(command), 18, 22);
}

/* Adds frames of noise until the file cannot grow any more. Returns the exit status of a process. */
static int fill_disk(const char *path)
{
    const struct shw_video_params params = {.path = path, .width = 64, .height = 48, .frame_rate = 25.0};
    const struct rlimit limit = {100000, 100000};
    struct testing_random random = {5};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_video_file *file;
    enum shw_result result = SHW_OK;
    uint8_t noise[64 * 48 * 3];

    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 || shw_video_create(&params, &log, &file) != SHW_OK)
        return 2;
    for (int frame = 0; result == SHW_OK && frame < 1000; frame++) {
        for (size_t i = 0; i < sizeof noise; i++)
            noise[i] = (uint8_t)testing_random_below(&random, 256);
        result = shw_video_add(file, noise, frame / 25.0);
    }
    shw_video_close(&file);
    return result == SHW_ERROR_IO && memory.errors == 1 ? 0 : 1;
}

/* What was written before the disk was full can be played. */
TESTING_CASE(a_full_disk_leaves_a_video)
{
    static const char *const files[] = {"full.mkv", "full.mp4"};
    uint32_t width, height;
    int status;

    for (int i = 0; i < 2; i++) {
        char path[FILE_PATH];
        pid_t child;
        snprintf(path, sizeof path, "%s", testing_path(files[i]));
        child = fork();
        if (child == 0)
            _exit(fill_disk(path));
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), 0);
        assert_true(testing_count_video_pictures(path, &width, &height) > 0);
        assert_int_equal(width, 64);
    }
}

/* A recording that is not ended ends with the program. */
TESTING_CASE(quitting_ends_a_recording)
{
    char path[FILE_PATH];
    uint32_t width, height;

    snprintf(path, sizeof path, "%s", testing_path("quit.mkv"));
    script("open %s\nwait 1\nrecord %s\nstep forward\nwait 1\nstep forward\nwait 1\nquit", video_path, path);
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_int_equal(testing_count_video_pictures(path, &width, &height), 3);
}

/* A snapshot is the picture as the canvas would show it at its own size. */
TESTING_CASE(snapshots_have_the_size_of_the_picture)
{
    struct testing_random random = {8};
    struct view view = picture_view(0);
    char path[FILE_PATH];

    begin(taught.folder);
    script("teach off\noverlay none\npanels on");
    paint(&random, 0);
    snprintf(path, sizeof path, "%s", testing_path("snapshot.png"));
    script("snapshot %s\nsnapshot %s", path, path);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    view.width = WIDTH;
    view.height = HEIGHT;
    view_fit(&view);
    {
        static uint16_t painted[WIDTH * HEIGHT];
        assert_int_equal(shw_project_copy_labels(taught.project, 0, 0, 0, WIDTH, HEIGHT, 1, painted), SHW_OK);
        view.painted = painted;
        assert_view(path, &view);
    }
    end();
    script("snapshot %s", path);
    assert_int_equal(run_script(64, 64, NULL), 1);
}

/* Recovered work on a frame is shown: in its video or, if that is gone, as it was kept. */
TESTING_CASE(frames_are_recovered_with_their_video)
{
    char options[2 * FILE_PATH], clip[FILE_PATH], gone[FILE_PATH];

    snprintf(options, sizeof options, "--recovery '%s'", testing_path("copies"));
    snprintf(clip, sizeof clip, "%s", testing_path("copied.mkv"));
    snprintf(gone, sizeof gone, "%s", testing_path("gone.mkv"));
    assert_int_equal(rename(video_path, clip), 0);
    script(
        "project new\nopen %s\nwait 1\nstep forward\nstep forward\nadd-class one\nteach off\nstroke one 0 5 5\nlabels\n"
        "recover keep\ndance",
        clip);
    assert_int_equal(run_script_with(options, 32, 32, NULL), 1); /* such an end leaves the copy */
    assert_string_equal(script_output(), "one: 1 pixels\n");
    for (int again = 0; again < 2; again++) {
        script("recover 1\nwait 1\nstroke one 0 %d 9\nlabels\nrecover keep\ndance", 5 + again);
        assert_int_equal(run_script_with(options, 32, 32, NULL), 1);
        assert_string_equal(script_output(), again == 0 ? "one: 2 pixels\n" : "one: 3 pixels\n");
        assert_int_equal(rename(again == 0 ? clip : gone, again == 0 ? gone : video_path), 0);
    }
}

TESTING_FIXTURE(make_files, close_taught)
