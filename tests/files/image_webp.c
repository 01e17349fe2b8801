/* WebP files in: against the pixels that were encoded, and where there was loss against libwebp's plainest function. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>
#include <webp/encode.h>

#include "files/image/decode.h"
#include "files/image/image_file.h"

#define WIDTH  19
#define HEIGHT 11

struct file {
    uint8_t bytes[1 << 16];
    size_t size;
};

static uint8_t pixels[WIDTH * HEIGHT * 4];
static struct file file;

static void put(struct file *to, const void *bytes, size_t size)
{
    assert_true(to->size + size <= sizeof to->bytes);
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void put_number(struct file *to, uint32_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        put(to, &(uint8_t){(uint8_t)(number >> 8 * i)}, 1);
}

static void put_chunk(struct file *to, const char *type, const void *bytes, size_t size)
{
    put(to, type, 4);
    put_number(to, (uint32_t)size, 4);
    put(to, bytes, size);
    put(to, "", size % 2);
}

/* Writes the size of what is in the file into its header. */
static void end_file(struct file *to)
{
    struct file size = {.size = 0};

    put_number(&size, (uint32_t)to->size - 8, 4);
    memcpy(to->bytes + 4, size.bytes, 4);
}

/* A file of `channels` samples per pixel, 3 or 4. */
static struct file encode(unsigned channels, bool lossless)
{
    WebPConfig config;
    WebPPicture picture;
    WebPMemoryWriter writer;
    struct file made = {.size = 0};

    assert_true(WebPConfigInit(&config) && WebPPictureInit(&picture));
    config.lossless = picture.use_argb = lossless;
    config.exact = 1; /* colours where alpha is 0 are kept */
    picture.width = WIDTH;
    picture.height = HEIGHT;
    WebPMemoryWriterInit(&writer);
    picture.writer = WebPMemoryWrite;
    picture.custom_ptr = &writer;
    assert_true(channels == 3 ? WebPPictureImportRGB(&picture, pixels, WIDTH * 3)
                              : WebPPictureImportRGBA(&picture, pixels, WIDTH * 4));
    assert_true(WebPEncode(&config, &picture));
    put(&made, writer.mem, writer.size);
    WebPPictureFree(&picture);
    WebPMemoryWriterClear(&writer);
    return made;
}

static void put_canvas(struct file *to, uint8_t flags, uint32_t width, uint32_t height)
{
    put(to, "RIFF    WEBPVP8X", 16);
    put_number(to, 10, 4);
    put_number(to, flags, 4);
    put_number(to, width - 1, 3);
    put_number(to, height - 1, 3);
}

/* The same image with an orientation. */
static struct file add_exif(const struct file *plain, unsigned orientation, bool signed_block)
{
    uint8_t block[] = {
        'E', 'x', 'i', 'f', 0, 0, 'I', 'I', 42, 0, 8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, (uint8_t)orientation,
        0,   0,   0,   0,   0, 0, 0};
    size_t skipped = signed_block ? 0 : 6;
    struct file made = {.size = 0};

    put_canvas(&made, 0x08, WIDTH, HEIGHT);
    put(&made, plain->bytes + 12, plain->size - 12);
    put_chunk(&made, "EXIF", block + skipped, sizeof block - skipped);
    end_file(&made);
    return made;
}

/* An animation of `count` frames, all of them the image, at (6, 4) of a larger canvas. */
static struct file animate(const struct file *plain, unsigned count, uint32_t width, uint32_t height)
{
    struct file made = {.size = 0};

    put_canvas(&made, 0x12, width, height); /* animation, alpha */
    put_chunk(&made, "ANIM", "\0\0\0\0\0\0", 6);
    for (unsigned i = 0; i < count; i++) {
        struct file frame = {.size = 0};
        put_number(&frame, 6 / 2, 3);
        put_number(&frame, 4 / 2, 3);
        put_number(&frame, WIDTH - 1, 3);
        put_number(&frame, HEIGHT - 1, 3);
        put_number(&frame, 100, 3);
        put_number(&frame, 0, 1);
        put(&frame, plain->bytes + 12, plain->size - 12);
        put_chunk(&made, "ANMF", frame.bytes, frame.size);
    }
    end_file(&made);
    return made;
}

static enum shw_result decode(const struct file *from, struct shw_image_file *image, struct testing_log *memory)
{
    struct shw_log log = testing_log(memory);
    uint8_t *exact = malloc(from->size + 1); /* so that AddressSanitizer sees a read behind the end */
    enum shw_result result;

    memcpy(exact, from->bytes, from->size);
    *image = (struct shw_image_file){0};
    result = shw_image_file_decode(exact, from->size, "some.webp", NULL, &log, image);
    free(exact);
    assert_int_equal(memory->errors, result != SHW_OK);
    if (result != SHW_OK)
        assert_non_null(strstr(memory->last, "some.webp"));
    return result;
}

static int setup(void **state)
{
    struct testing_random random = {11};

    (void)state;
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)testing_random_below(&random, 256);
    return 0;
}

TESTING_CASE(test_lossless)
{
    for (unsigned channels = 3; channels <= 4; channels++) {
        struct shw_image_file image;
        struct testing_log memory;

        file = encode(channels, true);
        assert_int_equal(decode(&file, &image, &memory), SHW_OK);
        assert_int_equal(image.image.format, channels == 3 ? SHW_PIXEL_RGB8 : SHW_PIXEL_RGBA8);
        assert_int_equal(image.image.width, WIDTH);
        assert_int_equal(image.image.height, HEIGHT);
        assert_memory_equal(image.pixels, pixels, WIDTH * HEIGHT * channels);
        shw_image_file_free(&image);
    }
}

TESTING_CASE(test_lossy)
{
    for (unsigned channels = 3; channels <= 4; channels++) {
        struct shw_image_file image;
        struct testing_log memory;
        uint8_t *expected;
        int width, height;

        file = encode(channels, false);
        expected = (channels == 3 ? WebPDecodeRGB : WebPDecodeRGBA)(file.bytes, file.size, &width, &height);
        assert_int_equal(decode(&file, &image, &memory), SHW_OK);
        assert_int_equal(image.image.format, channels == 3 ? SHW_PIXEL_RGB8 : SHW_PIXEL_RGBA8);
        assert_memory_equal(image.pixels, expected, WIDTH * HEIGHT * channels);
        WebPFree(expected);
        shw_image_file_free(&image);
    }
}

/* Where pixel (x, y) of the upright picture is in the file, by EXIF's words for its eight orientations. */
static size_t stored_place(unsigned orientation, uint32_t x, uint32_t y)
{
    const uint32_t right = WIDTH - 1, bottom = HEIGHT - 1;

    switch (orientation) {
    case 2: return y * WIDTH + right - x;
    case 3: return (bottom - y) * WIDTH + right - x;
    case 4: return (bottom - y) * WIDTH + x;
    case 5: return x * WIDTH + y;
    case 6: return (bottom - x) * WIDTH + y;
    case 7: return (bottom - x) * WIDTH + right - y;
    case 8: return x * WIDTH + right - y;
    default: return y * WIDTH + x;
    }
}

TESTING_CASE(test_orientation)
{
    const struct file plain = encode(3, true);

    for (unsigned i = 0; i < 18; i++) {
        unsigned orientation = i / 2;
        struct shw_image_file image;
        struct testing_log memory;

        file = add_exif(&plain, orientation, i % 2 == 1);
        assert_int_equal(decode(&file, &image, &memory), SHW_OK);
        assert_int_equal(image.image.width, orientation >= 5 ? HEIGHT : WIDTH);
        for (uint32_t y = 0; y < image.image.height; y++)
            for (uint32_t x = 0; x < image.image.width; x++)
                assert_memory_equal((uint8_t *)image.pixels + ((size_t)y * image.image.width + x) * 3,
                                    pixels + stored_place(orientation, x, y) * 3, 3);
        shw_image_file_free(&image);
    }
}

TESTING_CASE(test_animation)
{
    const struct file plain = encode(4, true);
    const uint32_t width = WIDTH + 9, height = HEIGHT + 5;
    struct shw_image_file image;
    struct testing_log memory;
    static const uint8_t nothing[4];

    for (unsigned count = 1; count <= 3; count += 2) {
        file = animate(&plain, count, width, height);
        assert_int_equal(decode(&file, &image, &memory), SHW_OK);
        assert_int_equal(memory.count[SHW_LOG_IMAGE_FORMAT], count > 1);
        if (count > 1)
            assert_non_null(strstr(memory.last, "the first of its 3 frames"));
        assert_int_equal(image.image.width, width);
        assert_int_equal(image.image.height, height);
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                bool inside = x >= 6 && x < 6 + WIDTH && y >= 4 && y < 4 + HEIGHT;
                const uint8_t *expected = inside ? pixels + ((y - 4) * WIDTH + x - 6) * 4 : nothing;
                assert_memory_equal((uint8_t *)image.pixels + ((size_t)y * width + x) * 4, expected, 4);
            }
        shw_image_file_free(&image);
    }
    file = animate(&plain, 2, WIDTH + 3, HEIGHT + 5); /* the frame does not fit */
    assert_int_equal(decode(&file, &image, &memory), SHW_ERROR_FORMAT);
}

TESTING_CASE(test_cut_short)
{
    for (unsigned kind = 0; kind < 4; kind++) {
        struct file whole = encode(3 + kind % 2, kind >= 2);
        size_t size = whole.size;
        struct shw_image_file image;
        struct testing_log memory;

        for (whole.size = 0; whole.size < size; whole.size++)
            assert_int_equal(decode(&whole, &image, &memory), SHW_ERROR_FORMAT);
        assert_int_equal(decode(&whole, &image, &memory), SHW_OK);
        shw_image_file_free(&image);
    }
}

/* A header alone does not make room for pixels. */
TESTING_CASE(test_too_few_bytes)
{
    struct file plain = encode(3, false);
    struct shw_image_file image;
    struct testing_log memory;

    plain.bytes[26] = plain.bytes[28] = 0xff; /* of VP8's frame header: 16383 x 16383 */
    plain.bytes[27] = plain.bytes[29] = 0x3f;
    assert_int_equal(decode(&plain, &image, &memory), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "too few bytes"));
}

TESTING_CASE(test_given_up)
{
    for (unsigned lossless = 0; lossless < 2; lossless++) {
        const struct file whole = encode(4, lossless != 0);
        struct testing_log memory;
        struct shw_log log = testing_log(&memory);
        atomic_bool stop;
        struct shw_source source = {
            .bytes = whole.bytes, .size = whole.size, .name = "given up", .log = &log, .stop = &stop};
        struct shw_decoded decoded = {0};

        atomic_init(&stop, true);
        assert_int_equal(shw_image_format_webp.decode(&source, &decoded), SHW_ERROR_CANCELLED);
        assert_null(decoded.pixels);
        assert_int_equal(memory.errors, 0);
    }
}

TESTING_CASE(test_labels)
{
    struct shw_label_file labels;
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);

    file = encode(4, true); /* alpha does not count */
    assert_int_equal(shw_label_file_decode(file.bytes, file.size, "some.webp", SHW_LABELS_AUTO, &log, &labels), SHW_OK);
    for (size_t i = 0; i < WIDTH * HEIGHT * 3; i++)
        assert_int_equal(labels.colours[i], pixels[i / 3 * 4 + i % 3]);
    shw_label_file_free(&labels);
    file = encode(3, false);
    assert_int_equal(shw_label_file_decode(file.bytes, file.size, "some.webp", SHW_LABELS_AUTO, &log, &labels),
                     SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "some.webp as a label image: lossy WebP"));
}

TESTING_FIXTURE(setup, NULL)
