#include "seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/image/image_file.h"

char seen_forest[FILE_PATH], seen_picture[FILE_PATH];

int seen_open_files(void **state)
{
    (void)state;
    write_forest_and_picture(64, 48, seen_forest, seen_picture);
    return 0;
}

/* Pictures that one run of the program makes, each from the same state. */
static unsigned picture_count;

const char *seen_path(unsigned number)
{
    char name[32];

    snprintf(name, sizeof name, "seen-%u.png", number);
    return testing_path(name);
}

/* Lets the next run write what is seen after the lines; returns the picture's number. */
unsigned seen_after(const char *lines)
{
    if (picture_count == 0)
        script("forest %s", seen_forest);
    script("open %s\npanels off\npanel inspect off\npanels width left auto\npanels width right auto\n"
           "panels left auto\npanels right auto\nscale 1\n"
           "overlay argmax\nopacity 50\ncontours off\nwipe 0\nmouse move 600 5\nzoom fit\nwait 1\n%s",
           seen_picture, lines);
    script("screenshot %s", seen_path(picture_count));
    return picture_count++;
}

void seen_run(void)
{
    picture_count = 0;
    script("quit");
    assert_int_equal(run_script(SEEN_WIDTH, SEEN_HEIGHT, NULL), 0);
}

/* The number of pixels that differ, from a column on. */
size_t seen_differences(unsigned one, unsigned other, uint32_t from)
{
    struct shw_image_file files[2];
    size_t count = 0;

    assert_int_equal(shw_image_file_read(seen_path(one), NULL, NULL, &files[0]), SHW_OK);
    assert_int_equal(shw_image_file_read(seen_path(other), NULL, NULL, &files[1]), SHW_OK);
    assert_int_equal(files[0].image.width, files[1].image.width);
    assert_int_equal(files[0].image.height, files[1].image.height);
    for (uint32_t y = 0; y < files[0].image.height; y++)
        for (uint32_t x = from; x < files[0].image.width; x++) {
            size_t at = ((size_t)y * files[0].image.width + x) * 3;
            count += memcmp((uint8_t *)files[0].pixels + at, (uint8_t *)files[1].pixels + at, 3) != 0;
        }
    shw_image_file_free(&files[0]);
    shw_image_file_free(&files[1]);
    return count;
}

static const char *same[16][2];
static unsigned same_count;

/* The next seen_assert_same() will find the same picture after both. */
void seen_same(const char *lines, const char *others)
{
    assert_true(same_count < 16);
    same[same_count][0] = lines;
    same[same_count++][1] = others;
}

void seen_assert_same(void)
{
    unsigned count = same_count;

    same_count = 0;
    for (unsigned i = 0; i < count; i++) {
        seen_after(same[i][0]);
        seen_after(same[i][1]);
    }
    seen_run();
    for (unsigned i = 0; i < count; i++) {
        size_t wrong = seen_differences(2 * i, 2 * i + 1, 0);
        if (wrong > 0)
            fail_msg("%zu pixels differ between what these give:\n%s\nand these:\n%s", wrong, same[i][0], same[i][1]);
    }
}
