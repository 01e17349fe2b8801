/* TIFF files whose directories are damaged: types, counts and values of tags, sizes of tiles, offsets of strips. They
 * are read as a whole or refused with one message, and in pieces give what the whole gives, in little memory. */
#include "tiff_pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "files/image/pieces.h"
#include "files/image/planes.h"
#include "files/image/resolution.h"
#include "files/image/tiff_place.h"
#include "fuzz/memory.h"

enum { BASES = 6, ROOM = 1 << 16, USUAL = 150, SLOW = 2000 };

#define MEMORY_MAX ((size_t)96 << 20) /* beyond what the program has */

static const struct layout layouts[BASES] = {
    {16, SAMPLEFORMAT_UINT, 4, COMPRESSION_ADOBE_DEFLATE, 2, PHOTOMETRIC_MINISBLACK, true, false, false, "w", 5},
    {8, SAMPLEFORMAT_UINT, 3, COMPRESSION_LZW, 1, PHOTOMETRIC_RGB, false, true, false, "w8", 0},
    {16, SAMPLEFORMAT_UINT, 1, COMPRESSION_NONE, 1, PHOTOMETRIC_MINISBLACK, false, false, false, "w", 13},
    {16, SAMPLEFORMAT_UINT, 5, COMPRESSION_NONE, 1, PHOTOMETRIC_MINISBLACK, false, true, false, "wb", 0},
    {8, SAMPLEFORMAT_UINT, 3, COMPRESSION_JPEG, 1, PHOTOMETRIC_RGB, false, true, false, "w", 0},
    {32, SAMPLEFORMAT_IEEEFP, 2, COMPRESSION_NONE, 1, PHOTOMETRIC_MINISBLACK, false, false, false, "wb8", 4},
};

static const char ome[] = "<OME><Image><Pixels DimensionOrder=\"XYZCT\" SizeZ=\"1\" SizeC=\"3\" SizeT=\"1\" "
                          "PhysicalSizeX=\"0.5\" PhysicalSizeY=\"0.5\"><Channel Name=\"dapi\"/><Channel "
                          "Name=\"nir\"/></Pixels></Image></OME>";

static const TIFFFieldInfo places[] = {
    {33550, TIFF_VARIABLE, TIFF_VARIABLE, TIFF_DOUBLE, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "scale"},
    {34735, TIFF_VARIABLE, TIFF_VARIABLE, TIFF_SHORT, FIELD_CUSTOM, 1, 1, (char *)(uintptr_t) "keys"},
    {42112, TIFF_ASCII, -1, TIFF_ASCII, FIELD_CUSTOM, 1, 0, (char *)(uintptr_t) "gdal"}};

static uint8_t bases[BASES][ROOM], mutant[ROOM];
static size_t sizes[BASES];

static void make_base(uint32_t number)
{
    static const double scale[] = {10, 10, 0};
    static const uint16_t keys[] = {1, 1, 0, 1, 1024, 0, 1, 1};
    const char *path = testing_path("base.tif");
    TIFF *tiff = TIFFOpen(path, layouts[number].mode);
    FILE *file;

    assert_non_null(tiff);
    TIFFMergeFieldInfo(tiff, places, sizeof places / sizeof *places);
    for (uint32_t page = 0; page < (number == 2 ? 3u : 1u); page++) {
        if (number == 2 && page == 0)
            TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, ome);
        if (number == 3) {
            TIFFSetField(tiff, 33550, 3, scale);
            TIFFSetField(tiff, 34735, 8, keys);
            TIFFSetField(tiff, 42112, "<Item name=\"DESCRIPTION\" sample=\"1\" role=\"description\">red</Item>");
        }
        fill(&layouts[number], number);
        write_page(tiff, &layouts[number]);
    }
    TIFFClose(tiff);
    file = fopen(path, "rb");
    assert_non_null(file);
    sizes[number] = fread(bases[number], 1, ROOM, file);
    fclose(file);
    assert_true(sizes[number] > 100 && sizes[number] < ROOM);
}

/* Where a directory's fields are, in a file that may be damaged. */
struct file {
    uint8_t *bytes;
    size_t size;
    bool little, big;
};

static uint64_t get(const struct file *file, uint64_t at, uint32_t count)
{
    uint64_t value = 0;

    for (uint32_t b = 0; b < count && at + count <= file->size; b++)
        value = value << 8 | file->bytes[at + (file->little ? count - 1 - b : b)];
    return value;
}

static void set(const struct file *file, uint64_t at, uint32_t count, uint64_t value)
{
    for (uint32_t b = 0; b < count && at + count <= file->size; b++)
        file->bytes[at + (file->little ? b : count - 1 - b)] = (uint8_t)(value >> 8 * b);
}

static uint64_t bad_value(struct testing_random *random, const struct file *file, uint64_t old)
{
    const uint64_t values[] = {0,       1,          2,           3,          16,         255,
                               65535,   65536,      0x7fffffff,  0xffffffff, UINT64_MAX, file->size,
                               old + 1, old - 1,    old * 2,     old / 2,    old ^ 1,    file->size - 1,
                               1 << 20, 1000000000, 0x100000000, 4,          8,          32};
    const uint32_t count = sizeof values / sizeof *values, which = testing_random_below(random, count + 4);

    return which < count ? values[which] : testing_random_next(random) >> testing_random_below(random, 64);
}

/* Another directory of the chain, sometimes. */
static uint64_t find_directory(struct testing_random *random, const struct file *file)
{
    const uint32_t wide = file->big ? 8 : 4, count_bytes = file->big ? 8 : 2, entry = file->big ? 20 : 12;
    uint64_t at = get(file, file->big ? 8 : 4, wide);

    for (uint32_t i = testing_random_below(random, 3); i > 0; i--) {
        const uint64_t next = get(file, at + count_bytes + entry * get(file, at, count_bytes), wide);
        if (next == 0 || next >= file->size)
            break;
        at = next;
    }
    return at;
}

static void damage(struct testing_random *random, const struct file *file)
{
    static const uint32_t type_sizes[] = {1, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8};
    const uint32_t wide = file->big ? 8 : 4, count_bytes = file->big ? 8 : 2, entry_bytes = file->big ? 20 : 12;
    const uint64_t directory = find_directory(random, file), count = get(file, directory, count_bytes);
    const uint64_t entry =
        directory + count_bytes + entry_bytes * (uint64_t)testing_random_below(random, (uint32_t)(count % 64 + 1));
    const uint64_t value = entry + 4 + wide, type = get(file, entry + 2, 2), values = get(file, entry + 4, wide);
    const uint32_t size = type < 19 ? type_sizes[type] : 1;

    switch (testing_random_below(random, 12)) {
    case 0: set(file, entry, 2, 254 + testing_random_below(random, 100)); break;
    case 1: set(file, entry + 2, 2, testing_random_below(random, 20)); break;
    case 2: set(file, entry + 4, wide, bad_value(random, file, values)); break;
    case 3: set(file, directory, count_bytes, bad_value(random, file, count)); break;
    case 4: /* the next directory */
        set(file, directory + count_bytes + count * entry_bytes, wide,
            testing_random_below(random, 2) == 0 ? directory : bad_value(random, file, 0));
        break;
    case 5:
    case 6: /* an element of what the value points to */
        if (values * size > wide && values < ROOM) {
            const uint64_t at =
                get(file, value, wide) + size * (uint64_t)testing_random_below(random, (uint32_t)values);
            set(file, at, size, bad_value(random, file, get(file, at, size)));
            break;
        } /* fallthrough */
    default:
        if (size > 0 && size <= wide && values * size <= wide)
            set(file, value, size, bad_value(random, file, get(file, value, size)));
        else
            set(file, value, wide, bad_value(random, file, get(file, value, wide)));
    }
}

static const char *write_mutant(struct testing_random *random)
{
    const uint32_t number = testing_random_below(random, BASES);
    const char *path = testing_path("mutant.tif");
    struct file file = {mutant, sizes[number], false, false};
    FILE *stream;

    memcpy(mutant, bases[number], sizes[number]);
    file.little = mutant[0] == 'I';
    file.big = get(&file, 2, 2) == 43;
    for (uint32_t i = 1 + testing_random_below(random, 2); i > 0; i--)
        damage(random, &file);
    stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(mutant, 1, file.size, stream), file.size);
    assert_int_equal(fclose(stream), 0);
    return path;
}

struct messages {
    unsigned errors, nameless;
};

static void count_message(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct messages *messages = user;

    messages->errors += level == SHW_LOG_ERROR;
    messages->nameless += level == SHW_LOG_ERROR && item != SHW_LOG_OUT_OF_MEMORY && strstr(text, "mutant") == NULL;
}

static struct shw_log log_of(struct messages *messages)
{
    *messages = (struct messages){0};
    return (struct shw_log){.function = count_message, .user = messages, .level = SHW_LOG_INFO};
}

static void check(enum shw_result result, const struct messages *messages)
{
    assert_int_equal(messages->errors, result != SHW_OK);
    assert_int_equal(messages->nameless, 0);
    assert_true(result == SHW_OK || result == SHW_ERROR_FORMAT || result == SHW_ERROR_LIMIT ||
                result == SHW_ERROR_MEMORY);
}

static void check_window(struct testing_random *random, struct shw_image_pieces *pieces,
                         const struct shw_image_file *whole, struct messages *messages)
{
    const struct shw_pieces_info *info = shw_image_pieces_info(pieces);
    const uint32_t x = testing_random_below(random, info->width), y = testing_random_below(random, info->height);
    const uint32_t width = 1 + testing_random_below(random, info->width - x < 40 ? info->width - x : 40);
    const uint32_t height = 1 + testing_random_below(random, info->height - y < 40 ? info->height - y : 40);
    struct shw_image_file files[2] = {{.pixels = NULL}, {.pixels = NULL}};
    enum shw_result result;

    messages->errors = 0;
    result = shw_image_pieces_read(pieces, x, y, width, height, files);
    check(result, messages);
    if (whole->pixels != NULL && result == SHW_OK) {
        const size_t pixel = shw_pixel_size(whole->image.format);
        assert_int_equal(info->width, whole->image.width);
        assert_int_equal(info->height, whole->image.height);
        assert_int_equal(files[0].image.format, whole->image.format);
        for (uint32_t row = 0; row < height; row++)
            assert_memory_equal((char *)files[0].pixels + row * width * pixel,
                                (char *)whole->pixels + ((size_t)(y + row) * whole->image.width + x) * pixel,
                                width * pixel);
    }
    shw_image_file_free(&files[0]);
    shw_image_file_free(&files[1]);
}

static uint32_t read_pieces(struct testing_random *random, const char *path, const struct shw_image_file *whole)
{
    static const char *const names[] = {"b1"};
    struct messages messages;
    struct shw_log log = log_of(&messages);
    struct shw_image_pieces *pieces;
    enum shw_result result = shw_image_pieces_open(
        &(struct shw_pieces_params){
            .path = path, .colours = true, .names = names, .name_count = 1, .cache = (uint64_t)4 << 20},
        &log, &pieces);

    check(result, &messages);
    if (result != SHW_OK || pieces == NULL)
        return 0;
    for (int i = 0; i < 4; i++)
        check_window(random, pieces, whole, &messages);
    shw_image_pieces_close(&pieces);
    return 1;
}

static void read_all(struct testing_random *random, const char *path, uint32_t *read, uint32_t *in_pieces)
{
    struct messages messages;
    struct shw_log log = log_of(&messages);
    struct shw_image_file whole = {.pixels = NULL}, plane = {.pixels = NULL};
    struct shw_plane_list planes;
    struct shw_tiff_place where;
    const char *name = "b1";
    uint32_t pages;
    enum shw_result result = shw_image_file_read(path, NULL, &log, &whole);

    check(result, &messages);
    *read += result == SHW_OK;
    *in_pieces += read_pieces(random, path, &whole);
    shw_image_file_free(&whole);
    log = log_of(&messages);
    check(shw_image_file_count_pages(path, &log, &pages), &messages);
    log = log_of(&messages);
    result = shw_image_planes_list(path, &log, &planes);
    check(result, &messages);
    if (result == SHW_OK)
        shw_plane_list_free(&planes);
    log = log_of(&messages);
    check(shw_image_planes_read(path, &name, 1, NULL, &log, &plane), &messages);
    shw_image_file_free(&plane);
    shw_tiff_place_read(path, &where);
    shw_tiff_place_free(&where);
    (void)shw_image_pixel_size(path);
}

TESTING_CASE(damaged_directories)
{
    const uint32_t count = testing_is_slow() ? SLOW : USUAL;
    uint32_t read = 0, in_pieces = 0;

    for (uint32_t i = 0; i < BASES; i++)
        make_base(i);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct testing_random random = {seed};
        const char *path = write_mutant(&random);

        fuzz_memory_begin();
        read_all(&random, path, &read, &in_pieces);
        if (fuzz_memory_peak() > MEMORY_MAX)
            fail_msg("mutant %u took %zu bytes", (unsigned)seed, fuzz_memory_peak());
    }
    print_message("# of %u mutants, %u were read as a whole, and pieces of %u\n", count, read, in_pieces);
    assert_true(read > count / 10 && read < count && in_pieces > count / 10);
}
