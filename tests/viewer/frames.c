/* Memory does not grow with frames, whatever they do. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/image/image_write.h"
#include "testing/random_forest.h"

static char forest_path[512], folder[512];

static int open_files(void **state)
{
    struct random_forest_params params = {.seed = 3, .classes = 5, .trees = 2, .depth = 4, .split_percent = 90};
    struct testing_random random = {1};
    struct shw_forest *forest = random_forest(&params);

    (void)state;
    snprintf(forest_path, sizeof forest_path, "%s", testing_path("forest.ktx2"));
    snprintf(folder, sizeof folder, "%s", testing_path("pictures"));
    assert_int_equal(shw_forest_save(forest, forest_path, NULL), SHW_OK);
    assert_int_equal(mkdir(folder, 0777), 0);
    for (int i = 0; i < 2; i++) {
        struct shw_image image = testing_image(&random, 20, 12, SHW_PIXEL_RGB8, 0);
        char path[1024];
        snprintf(path, sizeof path, "%s/%d.png", folder, i);
        assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK);
        free((void *)(uintptr_t)image.pixels);
    }
    shw_forest_destroy(&forest);
    return 0;
}

/* Pictures that are decoded, uploaded and labelled, and frames that only show them. Returns the memory that this run
 * used at most, in KiB: with the pages of libraries that the system happened to have in memory. */
static long memory_of(int steps, int frames)
{
    char path[512];
    struct rusage usage;
    int status;
    pid_t child;
    FILE *file;

    snprintf(path, sizeof path, "%s", testing_path("script"));
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "forest %s\nopen %s\noverlay blend\n", forest_path, folder);
    for (int i = 0; i < steps; i++)
        fprintf(file, "step forward\nwait 1\nstep back\nwait 1\n");
    fprintf(file, "wait %d\n", frames);
    fclose(file);
    child = fork();
    if (child == 0) {
        execl(SHADEWOOD_VIEWER_PROGRAM, SHADEWOOD_VIEWER_PROGRAM, "--headless", "--size", "40x30", "--script", path,
              (char *)NULL);
        _exit(127);
    }
    assert_true(child > 0);
    assert_int_equal(wait4(child, &status, 0, &usage), child);
    assert_int_equal(status, 0);
    return usage.ru_maxrss;
}

TESTING_CASE(ten_thousand_frames_need_the_memory_of_a_few)
{
    long few = 0, many = 0;

    for (int i = 0; i < 4; i++) { /* What frames keep, all runs keep. */
        few = memory_of(20, 100);
        many = memory_of(150, 9700);
        if (many <= few + 4096)
            return;
    }
    fail_msg("%ld KiB for many frames, %ld for a few", many, few);
}

TESTING_FIXTURE(open_files, NULL)
