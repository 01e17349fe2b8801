#include "source_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "source_wait.h"
#include "testing/image_encode.h"

void write_image(const char *path, unsigned bits, unsigned samples, unsigned number)
{
    uint16_t values[WIDTH * HEIGHT * 3];

    for (unsigned i = 0; i < WIDTH * HEIGHT * samples; i++)
        values[i] = (uint16_t)((number * 31 + i) & ((1u << bits) - 1));
    testing_write_file(path,
                       testing_encode_png(&(struct testing_picture){
                           .width = WIDTH, .height = HEIGHT, .bits = bits, .samples = samples, .values = values}));
}

char *folder_path(const char *folder, const char *name)
{
    char *path = malloc(1024);

    snprintf(path, 1024, "%s/%s", folder, name);
    return path;
}

void write_in(const char *folder, const char *name, unsigned bits, unsigned samples, unsigned number)
{
    char *path = folder_path(folder, name);

    write_image(path, bits, samples, number);
    free(path);
}

void write_text(const char *folder, const char *name, const char *text)
{
    char *path = folder_path(folder, name);

    testing_write_file(path, (struct testing_bytes){(uint8_t *)strdup(text), strlen(text)});
    free(path);
}

void make_folder(const char *path)
{
    assert_int_equal(mkdir(path, 0777), 0);
}

void check_next(struct view_source *source, unsigned number)
{
    struct view_picture *picture = source_wait(source, 0.0);
    const uint8_t *pixels;

    assert_non_null(picture);
    pixels = picture->image.pixels;
    assert_int_equal(picture->image.width, WIDTH);
    assert_int_equal(picture->image.height, HEIGHT);
    for (unsigned i = 0; i < WIDTH * HEIGHT * 3; i++)
        assert_int_equal(pixels[i], (number * 31 + i) & 255);
    view_picture_free(picture);
}

void check_info(struct view_source *source, enum view_source_kind kind, uint32_t count, uint32_t index, bool at_end)
{
    struct view_source_info info;

    while (view_source_info(source, &info), at_end && !info.at_end)
        source_sleep(0.001); /* the thread looks for the one after it */
    assert_int_equal(info.state, VIEW_SOURCE_READY);
    assert_int_equal(info.kind, kind);
    assert_int_equal(info.count, count);
    assert_int_equal(info.index, index);
}
