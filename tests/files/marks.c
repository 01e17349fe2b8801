/* Marks of files that Shadewood writes: what was changed since is no longer marked. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/image/image_write.h"
#include "files/io/mark.h"
#include "testing/image_encode.h"

#define WIDTH  70
#define HEIGHT 50

static uint8_t pixels[WIDTH * HEIGHT * 3];
static const struct shw_image image = {.pixels = pixels, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_RGB8};

static size_t word_at(const uint8_t *bytes)
{
    return (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
}

/* Makes the checksum of a PNG chunk right, bit by bit as the specification defines it. */
static void mend_chunk(uint8_t *chunk)
{
    size_t length = word_at(chunk);
    uint32_t crc = 0xffffffff;

    for (size_t i = 4; i < 8 + length; i++) {
        crc ^= chunk[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320 : 0);
    }
    for (int i = 0; i < 4; i++)
        chunk[8 + length + (size_t)i] = (uint8_t)(~crc >> (24 - 8 * i));
}

/* Whatever byte of a PNG file changes, with the checksums mended or not, and wherever it ends, it is no longer marked.
 */
TESTING_CASE(test_png_marks)
{
    struct testing_bytes whole;

    assert_int_equal(shw_png_write("plain.png", &image, NULL), SHW_OK);
    assert_false(shw_png_is_marked("plain.png", "overlay"));
    assert_int_equal(shw_png_write_marked("a.png", "overlay", &image, NULL), SHW_OK);
    assert_true(shw_png_is_marked("a.png", "overlay"));
    assert_false(shw_png_is_marked("a.png", "over"));
    assert_false(shw_png_is_marked("a.png", "overlays"));
    assert_false(shw_png_is_marked("missing.png", "overlay"));

    whole = testing_read_file("a.png");
    for (size_t i = 0; i < whole.size; i++) {
        struct testing_bytes changed = {malloc(whole.size), whole.size};

        memcpy(changed.bytes, whole.bytes, whole.size);
        changed.bytes[i] ^= 0x10;
        testing_write_file("b.png", changed);
        if (shw_png_is_marked("b.png", "overlay"))
            fail_msg("byte %zu", i);
    }
    for (size_t at = 8; at + 12 <= whole.size;) { /* the last byte of a chunk, with its checksum mended */
        size_t length = word_at(whole.bytes + at);
        struct testing_bytes changed = {malloc(whole.size), whole.size};

        memcpy(changed.bytes, whole.bytes, whole.size);
        changed.bytes[at + 7 + length] ^= 0x10;
        mend_chunk(changed.bytes + at);
        testing_write_file("b.png", changed);
        if (shw_png_is_marked("b.png", "overlay"))
            fail_msg("the chunk at %zu", at);
        at += 12 + length;
    }
    for (size_t size = 0; size <= whole.size + 1; size += size < 100 || size + 100 > whole.size ? 1 : 37) {
        struct testing_bytes cut = {calloc(size + 1, 1), size};

        memcpy(cut.bytes, whole.bytes, size < whole.size ? size : whole.size);
        testing_write_file("b.png", cut);
        assert_true(shw_png_is_marked("b.png", "overlay") == (size == whole.size));
    }
    free(whole.bytes);
}

TESTING_CASE(test_text_marks)
{
    static const char text[] = "---\n00000\n";
    char line[SHW_MARK_TEXT_SIZE], whole[256];
    json_t *document = json_pack("{s:[i, i], s:s}", "numbers", 1, 2, "name", "a");

    shw_make_text_mark("sequences", text, strlen(text), line);
    snprintf(whole, sizeof whole, "%s%s", line, text);
    assert_true(shw_text_is_marked(whole, strlen(whole), "sequences"));
    assert_false(shw_text_is_marked(whole, strlen(whole), "other"));
    for (size_t i = 0; i < strlen(whole); i++) {
        whole[i] ^= 1;
        assert_false(shw_text_is_marked(whole, strlen(whole), "sequences"));
        whole[i] ^= 1;
    }
    assert_false(shw_text_is_marked(whole, strlen(whole) - 1, "sequences"));
    assert_false(shw_text_is_marked("", 0, "sequences"));

    assert_false(shw_json_is_marked(document, "palette"));
    assert_true(shw_mark_json(document, "palette"));
    assert_true(shw_json_is_marked(document, "palette"));
    assert_false(shw_json_is_marked(document, "forest"));
    assert_non_null(json_object_get(document, "shadewood"));
    json_object_set_new(document, "name", json_string("b"));
    assert_false(shw_json_is_marked(document, "palette"));
    assert_false(shw_json_is_marked(NULL, "palette"));
    json_decref(document);
}

static int enter(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)(i * i >> 3);
    return chdir(testing_path(""));
}

TESTING_FIXTURE(enter, NULL)
