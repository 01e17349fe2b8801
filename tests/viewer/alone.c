/* The viewer without its modules: pictures are shown, and whoever opens a video or a camera is told what is missing. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char program[FILE_PATH], forest[FILE_PATH], picture[FILE_PATH];

static int copy_program(void **state)
{
    char folder[FILE_PATH], command[3 * FILE_PATH];

    (void)state;
    write_forest_and_picture(64, 48, forest, picture);
    snprintf(folder, sizeof folder, "%s", testing_path("alone"));
    assert_int_equal(mkdir(folder, 0777), 0);
    snprintf(program, sizeof program, "%.480s/shadewood-viewer", folder);
    snprintf(command, sizeof command, "cp '%s' '%s'", SHADEWOOD_VIEWER_PROGRAM, program);
    assert_int_equal(system(command), 0);
    return 0;
}

TESTING_CASE(pictures_need_no_module)
{
    const char *said;

    script("forest %s\nopen %s\nwait 2", forest, picture);
    assert_int_equal(run_script_by(program, 64, 48, &said), 0);
    assert_null(strstr(said, ".so"));
}

static void assert_is_missed(const char *opened, const char *name)
{
    char start[2 * FILE_PATH];
    const char *said;

    script("forest %s\nopen %s\nwait 2", forest, opened);
    assert_int_equal(run_script_by(program, 64, 48, &said), 1);
    snprintf(start, sizeof start, "%s cannot be opened: ", name);
    if (strstr(said, start) == NULL || strstr(said, "shadewood-viewer-video.so") == NULL)
        fail_msg("'%s' and the module are not in: %s", start, said);
}

TESTING_CASE(videos_and_cameras_need_it)
{
    char video[FILE_PATH], camera[FILE_PATH];
    FILE *file;

    snprintf(video, sizeof video, "%s", testing_path("film.mkv"));
    file = fopen(video, "w");
    assert_non_null(file);
    fputs("no picture", file);
    fclose(file);
    assert_is_missed(video, video);
    snprintf(camera, sizeof camera, "camera:%.490s", video);
    assert_is_missed(camera, video);
}

TESTING_FIXTURE(copy_program, NULL)
