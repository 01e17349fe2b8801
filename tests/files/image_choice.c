/* Chosen channels and ranges: in files of any format, in projects, forests and names; and reading that is given up. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "files/image/decode.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"
#include "testing/image_encode.h"
#include "tiff_pages.h"

/* Channels are chosen in files of any format. */
TESTING_CASE(test_channels_of_png)
{
    uint16_t values[5 * 4 * 4];
    struct testing_picture picture = {.width = 5, .height = 4, .bits = 16, .samples = 4, .values = values};
    struct shw_image_params params = {.choice = {.channels = {3, {4, 0, 2}}, .range = {0, 1000}}};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct testing_bytes bytes;
    struct shw_image_file file;

    for (size_t i = 0; i < 80; i++)
        values[i] = (uint16_t)(i * 13);
    bytes = testing_encode_png(&picture);
    assert_int_equal(shw_image_file_decode(bytes.bytes, bytes.size, "a.png", &params, &log, &file), SHW_OK);
    assert_int_equal(file.image.format, SHW_PIXEL_RGB16);
    assert_int_equal(file.facts.channel_count, 4);
    for (size_t p = 0; p < 20; p++) {
        check_mapped(values[4 * p + 3], 0, 1000, sample(&file.image, 3 * p));
        assert_int_equal(sample(&file.image, 3 * p + 1), 0);
        check_mapped(values[4 * p + 1], 0, 1000, sample(&file.image, 3 * p + 2));
    }
    shw_image_file_free(&file);
    params.choice.channels.numbers[0] = 5;
    assert_int_equal(shw_image_file_decode(bytes.bytes, bytes.size, "a.png", &params, &log, &file), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "cannot read a.png: there is no channel 5, it has 4"));
    free(bytes.bytes);
}

/* Pixels that a project has kept are what was chosen already. */
TESTING_CASE(test_kept_frames)
{
    static const uint16_t values[12] = {1, 2, 3, 40, 50, 60, 700, 800, 900, 1000, 2000, 3000};
    const struct shw_image image = {.pixels = values, .width = 2, .height = 2, .format = SHW_PIXEL_RGB16};
    const struct shw_image_params params = {.choice = {.channels = {1, {9}}, .range = {0, 100}}};
    const char *path = testing_path("frame.png");
    struct shw_image_file file;

    assert_int_equal(shw_png_write_marked(path, SHW_MARK_FRAME, &image, NULL), SHW_OK);
    assert_int_equal(shw_image_file_read(path, &params, NULL, &file), SHW_OK);
    assert_int_equal(file.image.format, SHW_PIXEL_RGB16);
    assert_memory_equal(file.pixels, values, sizeof values);
    shw_image_file_free(&file);
    assert_int_equal(shw_png_write(path, &image, NULL), SHW_OK); /* another's */
    assert_int_equal(shw_image_file_read(path, &params, NULL, &file), SHW_ERROR_FORMAT);
}

/* Reading that is given up is no error to tell. */
TESTING_CASE(test_stop)
{
    struct layout layout = {.bits = 8,
                            .format = SAMPLEFORMAT_UINT,
                            .samples = 1,
                            .compression = COMPRESSION_NONE,
                            .photometric = PHOTOMETRIC_MINISBLACK};
    const char *path = write_file("stop.tif", &layout);
    atomic_bool stop;
    struct shw_image_params params = {.stop = &stop};
    uint16_t values[5 * 4 * 3] = {0};
    struct testing_picture picture = {.width = 5, .height = 4, .bits = 8, .samples = 3, .values = values};
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    struct shw_image_file file = {0};

    atomic_init(&stop, true);
    assert_int_equal(shw_image_file_read(path, &params, &log, &file), SHW_ERROR_CANCELLED);
    for (int i = 0; i < 4; i++) { /* between rows, and between scans of progressive JPEG files */
        struct testing_bytes bytes;
        struct shw_source source = {.name = "given up", .log = &log, .stop = &stop};
        struct shw_decoded decoded = {0};

        picture.interlaced = i % 2 == 1;
        bytes = i < 2 ? testing_encode_png(&picture) : testing_encode_jpeg(&picture);
        source.bytes = bytes.bytes;
        source.size = bytes.size;
        assert_int_equal((i < 2 ? shw_image_format_png.decode : shw_image_format_jpeg.decode)(&source, &decoded),
                         SHW_ERROR_CANCELLED);
        assert_null(decoded.pixels);
        free(bytes.bytes);
    }
    assert_int_equal(memory.errors, 0);
    assert_null(file.pixels);
}

TESTING_CASE(test_choice_as_text)
{
    const struct shw_image_choice choices[] = {{.range = {0, 4095}},
                                               {.channels = {1, {7}}},
                                               {.channels = {3, {4, 0, 1}}, .range = {-0.1, 1e-7}},
                                               {.range = {-1e20, 0x1.921fb54442d18p+1}}};
    static const char *const wrong[] = {
        "{\"intensity_range\": [2, 1]}", "{\"intensity_range\": [0, 0]}",       "{\"intensity_range\": [0, 1e301]}",
        "{\"intensity_range\": 5}",      "{\"image_channels\": [0]}",           "{\"image_channels\": [1, 2]}",
        "{\"image_channels\": [1.5]}",   "{\"image_channels\": [1, 2, 65536]}", "{\"image_channels\": [1, 2, -1]}"};
    bool fine;

    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        char *text = shw_image_choice_format(&choices[i], &fine);
        struct shw_forest_info info = {.training = text};
        struct shw_image_choice read = {0};

        assert_true(fine);
        if (i == 0)
            assert_string_equal(text, "{\"intensity_range\": [0, 4095]}"); /* as forests have always had it */
        shw_image_choice_recall(&info, &read);
        assert_true(shw_image_choice_equal(&choices[i], &read));
        read = (struct shw_image_choice){.range = {1, 2}}; /* what is chosen stays */
        shw_image_choice_recall(&info, &read);
        assert_true(read.range.low == 1 && read.range.high == 2);
        assert_int_equal(read.channels.count, choices[i].channels.count);
        free(text);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        json_t *object = json_loads(wrong[i], 0, NULL);
        struct shw_image_choice read = {.range = {1, 2}};

        assert_non_null(object);
        assert_non_null(shw_image_choice_unpack(object, &read));
        assert_true(read.range.high == 2);
        json_decref(object);
    }
    assert_null(shw_image_choice_format(&(struct shw_image_choice){0}, &fine));
    assert_true(fine);
}

TESTING_CASE(test_names)
{
    static const struct {
        const char *path, *name;
        uint32_t page;
    } names[] = {{"a/b/stack.ome.tif#12", "stack.ome_page12", 12},
                 {"stack.tif", "stack", 0},
                 {"a.b/stack#3", "stack_page3", 3},
                 {"stack.tif#", "stack", 0},
                 {"stack.tif#03", "stack", 0},
                 {"stack#3.tif", "stack#3", 0},
                 {"#4", "#4", 0},
                 {"a/#4", "#4", 0},
                 {".hidden", ".hidden", 0},
                 {"stack.tif#1234567", "stack", 0}};
    char name[SHW_BASE_NAME_SIZE];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint32_t page;

        assert_string_equal(shw_image_base_name(names[i].path, name), names[i].name);
        (void)shw_image_page_of(names[i].path, &page);
        assert_int_equal(page, names[i].page);
    }
}
