/* Reading training images ahead: threads exist only while there is something to read. */
#include "testing/testing.h"

#include <dirent.h>
#include <stdlib.h>

#include "dense/grow_device/image_feed.h"
#include "testing/sanitizers.h"

enum { COUNT = 6, AHEAD = 4, THREADS = 3 };

static const uint8_t pixels[3];
static const uint16_t labels[1];

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    static char names[COUNT][2] = {"0", "1", "2", "3", "4", "5"};

    (void)user;
    *example =
        (struct shw_labelled_image){.name = names[index], .image = {pixels, 1, 1, 0, SHW_PIXEL_RGB8}, .labels = labels};
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    (void)user;
    example->name = NULL;
}

/* Threads of this process. */
static int count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    int count = 0;

    if (folder == NULL)
        return 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static struct shw_image_feed *open_feed(const struct shw_trainer_params *params, const struct shw_dataset *dataset)
{
    struct shw_image_feed *feed = NULL;

    assert_int_equal(shw_image_feed_create(params, dataset, AHEAD, THREADS, &feed), SHW_OK);
    return feed;
}

static void take(struct shw_image_feed *feed, const uint32_t *order, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct shw_labelled_image example;

        assert_int_equal(shw_image_feed_take(feed, order[i], &example), SHW_OK);
        assert_int_equal(example.name[0], (int)('0' + order[i]));
    }
}

/* ThreadSanitizer has a thread of its own, which it starts with the first one of the program's. */
static void check_threads(int expected)
{
    if (!TESTING_THREAD_SANITIZED)
        assert_int_equal(count_threads(), expected);
}

/* As after a stroke in the viewer: the pictures are on the device already. */
TESTING_CASE(plans_without_images_start_no_threads)
{
    static const uint32_t order[COUNT] = {5, 0, 3, 1, 4, 2};
    const struct shw_trainer_params params = {0};
    const struct shw_dataset dataset = {
        .count = COUNT, .class_count = 1, .read = read_example, .release = release_example};
    int before = count_threads();
    struct shw_image_feed *feed = open_feed(&params, &dataset);

    if (before == 0)
        testing_skip("no /proc/self/task");
    check_threads(before);
    assert_int_equal(shw_image_feed_plan(feed, order, 0), SHW_OK);
    check_threads(before);
    assert_int_equal(shw_image_feed_plan(feed, order, 1), SHW_OK);
    check_threads(before + 1);
    take(feed, order, 1);
    assert_int_equal(shw_image_feed_plan(feed, order, COUNT), SHW_OK);
    check_threads(before + THREADS);
    take(feed, order, COUNT);
    shw_image_feed_destroy(&feed);
}

/* Images come in the order of the plan, of one thread as of several, also if a plan is given up. */
TESTING_CASE(images_come_in_the_order_of_the_plan)
{
    static const uint32_t order[COUNT] = {2, 4, 1, 3, 0, 5};
    const struct shw_trainer_params params = {0};
    struct shw_dataset dataset = {.count = COUNT, .class_count = 1, .read = read_example, .release = release_example};

    for (int single = 0; single < 2; single++) {
        struct shw_image_feed *feed;

        dataset.single_threaded = single == 1;
        feed = open_feed(&params, &dataset);
        for (uint32_t taken = 0; taken <= COUNT; taken++) {
            assert_int_equal(shw_image_feed_plan(feed, order, COUNT), SHW_OK);
            take(feed, order, taken);
        }
        shw_image_feed_destroy(&feed);
    }
}
