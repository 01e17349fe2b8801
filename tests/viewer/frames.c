/* Memory does not grow with frames, whatever they do. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "image/image_write.h"
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

/* Pictures that are decoded, uploaded and labelled, and frames that only show them. Returns the memory that was used at
 * most, in KiB, by this run or one before. */
static long memory_of(int steps, int frames)
{
    char path[512], command[2048];
    struct rusage usage;
    FILE *file;

    snprintf(path, sizeof path, "%s", testing_path("script"));
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "forest %s\nopen %s\noverlay blend\n", forest_path, folder);
    for (int i = 0; i < steps; i++)
        fprintf(file, "step forward\nwait 1\nstep back\nwait 1\n");
    fprintf(file, "wait %d\n", frames);
    fclose(file);
    snprintf(command, sizeof command, "'%s' --headless --size 40x30 --script '%s'", SHADEWOOD_VIEWER_PROGRAM, path);
    assert_int_equal(system(command), 0);
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &usage), 0);
    return usage.ru_maxrss;
}

static void ten_thousand_frames_need_the_memory_of_a_few(void **state)
{
    long few = memory_of(20, 100), many = memory_of(150, 9700);

    (void)state;
    if (many > few + 4096)
        fail_msg("%ld KiB for many frames, %ld for a few", many, few);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ten_thousand_frames_need_the_memory_of_a_few)};

    return cmocka_run_group_tests(tests, open_files, NULL);
}
