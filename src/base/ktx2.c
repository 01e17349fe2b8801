#include "base/ktx2.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/input_file.h"
#include "base/integers.h"
#include "base/log.h"
#include "shared/forest_texture.h"

#define HEADER_SIZE     SHW_KTX2_HEADER_SIZE
#define LEVEL_SIZE      24u
#define DFD_OFFSET      (HEADER_SIZE + LEVEL_SIZE)
#define DFD_SIZE        ((uint32_t)sizeof data_format)
#define KVD_OFFSET      (DFD_OFFSET + DFD_SIZE)
#define TEXEL_SIZE      16u
#define CHECKSUM_DIGITS 16u
#define WIDTH_MIN       16u /* of shw_ktx2_fit() */

static const uint8_t identifier[12] = {0xab, 'K', 'T', 'X', ' ', '2', '0', 0xbb, '\r', '\n', 0x1a, '\n'};

/* The beginning of the key/value data: keys are sorted, each entry is padded to four bytes. */
static const char writer_key[] = "KTXwriter";
static const char metadata_key[] = "shadewood";
static const char below_key[] = "shadewood.below"; /* only of a forest that has one below it */
static const char checksum_key[] = "shadewood.checksum";

/* The writer's value ends with the version of the container, a digit. */
static const struct {
    const char *name, *writer, *use;
} contents[] = {
    [SHW_KTX2_FOREST] = {"forest", "Shadewood, forest format 1", "which labels pixels (shadewood label)"},
    [SHW_KTX2_CASCADE] = {"cascade", "Shadewood, cascade format 1", "which finds objects (shadewood detect)"},
    [SHW_KTX2_RECORD_FOREST] = {"record forest", "Shadewood, record forest format 1",
                                "which classifies records (shadewood records)"},
};
#define CONTENT_COUNT (sizeof contents / sizeof *contents)

/* Khronos data format descriptor, basic block version 2: R, G, B, A, unsigned 32 bits each. */
static const uint32_t data_format[] = {
    92,                      /* total size in bytes */
    0,                       /* Khronos, basic descriptor */
    2u | 88u << 16,          /* version, size of the block */
    1u | 1u << 8 | 1u << 16, /* RGBSDA, BT.709 primaries, linear, straight alpha */
    0,                       /* texel block of 1 x 1 x 1 x 1 */
    TEXEL_SIZE,              /* bytes in plane 0 */
    0,
#define SAMPLE(bit, channel) (bit) | 31u << 16 | (channel) << 24, 0, 0, 1
    SAMPLE(0u, 0u),
    SAMPLE(32u, 1u),
    SAMPLE(64u, 2u),
    SAMPLE(96u, 15u),
#undef SAMPLE
};

/* The header's 32-bit fields after the identifier that are the same in every file. */
enum field {
    VK_FORMAT,
    TYPE_SIZE,
    WIDTH,
    HEIGHT,
    DEPTH,
    LAYERS,
    FACES,
    LEVELS,
    SUPERCOMPRESSION,
    DFD_AT,
    DFD_LENGTH,
    KVD_AT,
    KVD_LENGTH,
    FIELD_COUNT
};

static const struct {
    const char *name;
    bool fixed;
    uint32_t value;
} fields[FIELD_COUNT] = {
    [VK_FORMAT] = {"vkFormat", true, 107}, /* VK_FORMAT_R32G32B32A32_UINT */
    [TYPE_SIZE] = {"typeSize", true, 4},
    [WIDTH] = {"pixelWidth", false, 0},
    [HEIGHT] = {"pixelHeight", false, 0},
    [DEPTH] = {"pixelDepth", true, 0},
    [LAYERS] = {"layerCount", false, 0},
    [FACES] = {"faceCount", true, 1},
    [LEVELS] = {"levelCount", true, 1},
    [SUPERCOMPRESSION] = {"supercompressionScheme", true, 0},
    [DFD_AT] = {"dfdByteOffset", true, DFD_OFFSET},
    [DFD_LENGTH] = {"dfdByteLength", true, DFD_SIZE},
    [KVD_AT] = {"kvdByteOffset", true, KVD_OFFSET},
    [KVD_LENGTH] = {"kvdByteLength", false, 0},
};

static uint32_t read32(const uint8_t *bytes)
{
    uint32_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint64_t read64(const uint8_t *bytes)
{
    uint64_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint32_t read_field(const uint8_t *bytes, enum field field)
{
    return read32(bytes + sizeof identifier + 4u * (size_t)field);
}

static uint64_t compute_checksum(const struct shw_ktx2 *image, uint64_t size)
{
    XXH3_state_t *state = XXH3_createState();
    uint64_t hash = 0;

    if (state == NULL)
        return 0;
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, image->metadata, image->metadata_length);
    if (image->below != NULL)
        XXH3_64bits_update(state, image->below, image->below_size);
    XXH3_64bits_update(state, image->texels, (size_t)size);
    hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return hash;
}

bool shw_ktx2_fit(uint64_t texel_count, struct shw_ktx2 *image)
{
    uint32_t width = WIDTH_MIN;
    uint64_t rows;

    while (texel_count > (uint64_t)width * width && width < SHW_TEXTURE_SIZE_MAX)
        width *= 2;
    rows = texel_count / width + (texel_count % width > 0);
    if (rows > (uint64_t)SHW_TEXTURE_SIZE_MAX * SHW_TEXTURE_LAYERS_MAX)
        return false;
    image->width = width;
    image->height = (uint32_t)shw_min_u64(rows, SHW_TEXTURE_SIZE_MAX);
    image->layers = (uint32_t)((rows + SHW_TEXTURE_SIZE_MAX - 1) / SHW_TEXTURE_SIZE_MAX);
    return true;
}

static uint64_t texel_bytes(const struct shw_ktx2 *image)
{
    return (uint64_t)image->width * image->height * image->layers * TEXEL_SIZE;
}

static uint8_t *write32(uint8_t *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
    return to + sizeof value;
}

static uint8_t *write64(uint8_t *to, uint64_t value)
{
    memcpy(to, &value, sizeof value);
    return to + sizeof value;
}

static uint64_t entry_size(size_t key_size, size_t value_length)
{
    return shw_align_up(4 + (uint64_t)key_size + value_length + 1, 4);
}

/* `to` is zeroed: the value's terminating zero and the padding are already there. */
static uint8_t *write_entry(uint8_t *to, const char *key, size_t key_size, const void *value, size_t value_length)
{
    write32(to, (uint32_t)(key_size + value_length + 1));
    memcpy(to + 4, key, key_size);
    memcpy(to + 4 + key_size, value, value_length);
    return to + entry_size(key_size, value_length);
}

static void *write_bytes(const struct shw_ktx2 *image, size_t *size)
{
    const char *writer = contents[image->content].writer;
    uint64_t kvd_length = entry_size(sizeof writer_key, strlen(writer)) +
                          entry_size(sizeof metadata_key, image->metadata_length) +
                          (image->below != NULL ? entry_size(sizeof below_key, image->below_size) : 0) +
                          entry_size(sizeof checksum_key, CHECKSUM_DIGITS);
    uint64_t level_at = shw_align_up(KVD_OFFSET + kvd_length, TEXEL_SIZE), level_length = texel_bytes(image);
    char checksum[CHECKSUM_DIGITS + 1];
    uint8_t *bytes = kvd_length <= UINT32_MAX ? calloc(1, (size_t)(level_at + level_length)) : NULL, *to = bytes;

    if (bytes == NULL)
        return NULL;
    snprintf(checksum, sizeof checksum, "%016" PRIx64, compute_checksum(image, level_length));
    memcpy(to, identifier, sizeof identifier);
    to += sizeof identifier;
    for (int f = 0; f < FIELD_COUNT; f++) {
        uint32_t value = fields[f].value;
        switch (f) {
        case WIDTH: value = image->width; break;
        case HEIGHT: value = image->height; break;
        case LAYERS: value = image->layers > 1 ? image->layers : 0; break;
        case KVD_LENGTH: value = (uint32_t)kvd_length; break;
        default: break;
        }
        to = write32(to, value);
    }
    to += 16; /* no supercompression global data */
    to = write64(to, level_at);
    to = write64(to, level_length);
    to = write64(to, level_length);
    memcpy(to, data_format, sizeof data_format);
    to += sizeof data_format;
    to = write_entry(to, writer_key, sizeof writer_key, writer, strlen(writer));
    to = write_entry(to, metadata_key, sizeof metadata_key, image->metadata, image->metadata_length);
    if (image->below != NULL)
        to = write_entry(to, below_key, sizeof below_key, image->below, image->below_size);
    write_entry(to, checksum_key, sizeof checksum_key, checksum, CHECKSUM_DIGITS);
    memcpy(bytes + level_at, image->texels, (size_t)level_length);
    *size = (size_t)(level_at + level_length);
    return bytes;
}

enum shw_result shw_ktx2_write(const struct shw_ktx2 *image, void **bytes, size_t *size)
{
    struct shw_ktx2 whole = *image;
    void *file = NULL;

    if (image->metadata != NULL && image->texels != NULL) {
        whole.metadata_length = strlen(image->metadata);
        file = write_bytes(&whole, size);
    }
    if (file == NULL)
        return SHW_ERROR_MEMORY;
    *bytes = file;
    return SHW_OK;
}

#define BAD_CONTAINER(source, format, ...)                                                                             \
    shw_fail((source)->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_CONTAINER, "%s: " format, (source)->name, __VA_ARGS__)

const char *shw_ktx2_content_name(enum shw_ktx2_content content)
{
    return contents[content].name;
}

static const char *name_of(const struct shw_ktx2_source *source)
{
    return shw_ktx2_content_name(source->content);
}

static enum shw_result fail_short(const struct shw_ktx2_source *source, size_t size, uint64_t needed)
{
    return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ,
                    "%s: the file ends after %zu bytes; at least %" PRIu64 " are needed", source->name, size, needed);
}

static bool is_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Whether the entry there has that key. */
static bool has_key(const uint8_t *bytes, uint64_t end, uint64_t at, const char *key, size_t key_size)
{
    return end - at >= 4 && read32(bytes + at) > key_size && end - at - 4 >= key_size &&
           memcmp(bytes + at + 4, key, key_size) == 0;
}

/* Reads the entry at *at, which must have that key, and advances *at. */
static enum shw_result read_entry(const uint8_t *bytes, uint64_t end, uint64_t *at, const char *key, size_t key_size,
                                  const struct shw_ktx2_source *source, const char **value, size_t *length)
{
    uint64_t size, padded;

    if (end - *at < 4)
        return BAD_CONTAINER(source, "key/value data ends before the key '%s'", key);
    size = read32(bytes + *at);
    padded = (size + 3) / 4 * 4;
    if (padded > end - *at - 4)
        return BAD_CONTAINER(source, "the key/value entry at byte %" PRIu64 " is longer than the key/value data", *at);
    if (size < key_size + 1 || memcmp(bytes + *at + 4, key, key_size) != 0)
        return BAD_CONTAINER(source, "the key '%s' is not at byte %" PRIu64 "; not a %s", key, *at + 4,
                             name_of(source));
    *value = (const char *)bytes + *at + 4 + key_size;
    *length = (size_t)size - key_size - 1;
    if ((*value)[*length] != '\0' || !is_zero(bytes + *at + 4 + size, (size_t)(padded - size)))
        return BAD_CONTAINER(source, "the value of '%s' does not end with zeros", key);
    *at += 4 + padded;
    return SHW_OK;
}

static enum shw_result parse_checksum(const char *value, size_t length, const struct shw_ktx2_source *source,
                                      uint64_t *checksum)
{
    *checksum = 0;
    for (size_t i = 0; i < length; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = value[i] != '\0' ? strchr(digits, value[i]) : NULL;
        if (digit == NULL || length != CHECKSUM_DIGITS)
            break;
        *checksum = *checksum << 4 | (uint64_t)(digit - digits);
        if (i + 1 == length)
            return SHW_OK;
    }
    return BAD_CONTAINER(source, "the value of '%s' is not %u hexadecimal digits", checksum_key, CHECKSUM_DIGITS);
}

uint64_t shw_ktx2_head_size(const void *header)
{
    if (memcmp(header, identifier, sizeof identifier) != 0)
        return 0;
    return (uint64_t)read_field(header, KVD_AT) + read_field(header, KVD_LENGTH);
}

bool shw_ktx2_is_other_file(const char *path)
{
    uint8_t start[sizeof identifier];
    uint64_t whole;
    FILE *file;
    size_t size;
    bool failed;

    if (shw_file_open(path, NULL, &file, &whole) != SHW_OK)
        return false;
    size = fread(start, 1, sizeof start, file);
    failed = ferror(file) != 0;
    fclose(file);
    return !failed && memcmp(start, identifier, size) != 0;
}

bool shw_ktx2_begins(const void *bytes, size_t size)
{
    return size >= SHW_KTX2_START && memcmp(bytes, identifier, SHW_KTX2_START) == 0;
}

uint64_t shw_ktx2_file_size(const void *start)
{
    uint64_t head = shw_ktx2_head_size(start), level[2], end;

    memcpy(level, (const char *)start + HEADER_SIZE, sizeof level); /* offset and length */
    end = level[0] <= UINT64_MAX - level[1] ? level[0] + level[1] : UINT64_MAX;
    return head == 0 || head > end ? head : end;
}

/* Reports a file whose writer's value is that of another content, of any version. */
static enum shw_result check_content(const struct shw_ktx2_source *source, const char *writer, size_t length)
{
    for (size_t c = 0; c < CONTENT_COUNT; c++)
        if (c != source->content && length == strlen(contents[c].writer) &&
            memcmp(writer, contents[c].writer, length - 1) == 0)
            return BAD_CONTAINER(source, "it is a %s, %s, not a %s", contents[c].name, contents[c].use,
                                 name_of(source));
    return SHW_OK;
}

enum shw_result shw_ktx2_read_metadata(const void *data, size_t size, const struct shw_ktx2_source *source,
                                       struct shw_ktx2 *image)
{
    const uint8_t *bytes = data;
    uint64_t at, end;
    const char *value;
    size_t length;

    if (size < sizeof identifier || memcmp(bytes, identifier, sizeof identifier) != 0)
        return size > 0 && memcmp(bytes, identifier, size < sizeof identifier ? size : sizeof identifier) != 0
                   ? BAD_CONTAINER(source, "not a KTX2 file; %ss have the extension .ktx2", name_of(source))
                   : fail_short(source, size, HEADER_SIZE);
    if (size < HEADER_SIZE)
        return fail_short(source, size, HEADER_SIZE);
    at = read_field(bytes, KVD_AT);
    end = at + read_field(bytes, KVD_LENGTH);
    if (end > size)
        return fail_short(source, size, end);
    SHW_PROPAGATE(read_entry(bytes, end, &at, writer_key, sizeof writer_key, source, &value, &length));
    SHW_PROPAGATE(check_content(source, value, length));
    return read_entry(bytes, end, &at, metadata_key, sizeof metadata_key, source, &image->metadata,
                      &image->metadata_length);
}

static enum shw_result check_header(const uint8_t *bytes, const struct shw_ktx2_source *source, struct shw_ktx2 *image)
{
    for (int f = 0; f < FIELD_COUNT; f++)
        if (fields[f].fixed && read_field(bytes, (enum field)f) != fields[f].value)
            return BAD_CONTAINER(source, "%s is %u instead of %u", fields[f].name, read_field(bytes, (enum field)f),
                                 fields[f].value);
    if (!is_zero(bytes + HEADER_SIZE - 16, 16))
        return BAD_CONTAINER(source, "supercompression data, which a %s does not have", name_of(source));
    if (memcmp(bytes + DFD_OFFSET, data_format, DFD_SIZE) != 0)
        return BAD_CONTAINER(source, "the data format descriptor at byte %u is not that of R32G32B32A32_UINT",
                             DFD_OFFSET);
    image->width = read_field(bytes, WIDTH);
    image->height = read_field(bytes, HEIGHT);
    image->layers = read_field(bytes, LAYERS);
    if (image->width < 1 || image->width > SHW_TEXTURE_SIZE_MAX || image->height < 1 ||
        image->height > SHW_TEXTURE_SIZE_MAX || image->layers == 1 || image->layers > SHW_TEXTURE_LAYERS_MAX)
        return BAD_CONTAINER(source, "%u x %u texels in %u layers; a %s has 1 to %u each way, and 0 or 2 to %u layers",
                             image->width, image->height, image->layers, name_of(source), SHW_TEXTURE_SIZE_MAX,
                             SHW_TEXTURE_LAYERS_MAX);
    if (image->layers == 0)
        image->layers = 1;
    return SHW_OK;
}

/* The level follows the key/value data, which ends at `end`, and ends the file. */
static enum shw_result check_level(const uint8_t *bytes, size_t size, uint64_t end,
                                   const struct shw_ktx2_source *source, struct shw_ktx2 *image)
{
    uint64_t at = read64(bytes + HEADER_SIZE), length = read64(bytes + HEADER_SIZE + 8);
    uint64_t expected_at = shw_align_up(end, TEXEL_SIZE), expected = texel_bytes(image);

    if (at != expected_at)
        return BAD_CONTAINER(source, "the texels begin at byte %" PRIu64 " instead of %" PRIu64, at, expected_at);
    if (length != expected || read64(bytes + HEADER_SIZE + 16) != expected)
        return BAD_CONTAINER(source, "%" PRIu64 " bytes of texels, but %u x %u x %u texels are %" PRIu64, length,
                             image->width, image->height, image->layers, expected);
    if (size < at || size - at < length)
        return fail_short(source, size, at + length);
    if (size - at > length)
        return BAD_CONTAINER(source, "%s", "more bytes follow the last texel");
    if (!is_zero(bytes + end, (size_t)(at - end)))
        return BAD_CONTAINER(source, "%s", "the padding before the texels is not zero");
    image->texels = bytes + at;
    return SHW_OK;
}

enum shw_result shw_ktx2_read(const void *data, size_t size, const struct shw_ktx2_source *source,
                              struct shw_ktx2 *image)
{
    const uint8_t *bytes = data;
    uint64_t at, end;
    const char *writer = contents[source->content].writer, *value;
    size_t length;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(shw_ktx2_read_metadata(data, size, source, image));
    if (size < KVD_OFFSET)
        return fail_short(source, size, KVD_OFFSET);
    SHW_PROPAGATE(check_header(bytes, source, image));
    at = KVD_OFFSET;
    end = at + read_field(bytes, KVD_LENGTH);
    result = read_entry(bytes, end, &at, writer_key, sizeof writer_key, source, &value, &length);
    if (result == SHW_OK && (length != strlen(writer) || memcmp(value, writer, length) != 0))
        result = BAD_CONTAINER(source, "the value of '%s' is not '%s'", writer_key, writer);
    if (result == SHW_OK)
        result = read_entry(bytes, end, &at, metadata_key, sizeof metadata_key, source, &value, &length);
    if (result == SHW_OK && source->content == SHW_KTX2_FOREST &&
        has_key(bytes, end, at, below_key, sizeof below_key)) {
        result = read_entry(bytes, end, &at, below_key, sizeof below_key, source, &value, &image->below_size);
        image->below = value;
    }
    if (result == SHW_OK)
        result = read_entry(bytes, end, &at, checksum_key, sizeof checksum_key, source, &value, &length);
    if (result == SHW_OK)
        result = parse_checksum(value, length, source, &image->checksum);
    if (result == SHW_OK && at != end)
        result = BAD_CONTAINER(source, "%" PRIu64 " bytes follow the key '%s'", end - at, checksum_key);
    if (result == SHW_OK)
        result = check_level(bytes, size, end, source, image);
    if (result == SHW_OK && compute_checksum(image, texel_bytes(image)) != image->checksum)
        result = shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_FOREST_CHECKSUM,
                          "%s: the contents do not match their checksum; the file is damaged, copy or train it again",
                          source->name);
    return result;
}

/* Reads a file as far as its beginning says that it goes, and of a regular file one byte more, which shows that it is
 * longer; a pipe may have no end. Memory grows with what is read, not with the size that a file claims. */
static enum shw_result read_all(FILE *stream, bool regular, const char *path, const struct shw_log *log,
                                uint8_t **bytes, size_t *size)
{
    uint64_t wanted = SHW_KTX2_START_SIZE;
    bool started = false;
    size_t capacity = 0;

    *bytes = NULL;
    *size = 0;
    do {
        if (*size == capacity) {
            uint8_t *larger = realloc(*bytes, capacity = capacity * 2 + 65536);
            if (larger == NULL)
                return shw_fail_memory(log, path);
            *bytes = larger;
        }
        *size += fread(*bytes + *size, 1, capacity < wanted ? capacity - *size : (size_t)(wanted - *size), stream);
        if (!started && *size == wanted) {
            uint64_t whole = shw_ktx2_file_size(*bytes);
            started = true;
            wanted = shw_max_u64(wanted, whole > 0 && regular && whole < UINT64_MAX ? whole + 1 : whole);
        }
    } while (*size < wanted && !feof(stream) && !ferror(stream));
    if (ferror(stream))
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "cannot read %s: %s", path, strerror(errno));
    return SHW_OK;
}

enum shw_result shw_ktx2_read_file(const char *path, const struct shw_log *log, void **bytes, size_t *size)
{
    struct stat status;
    FILE *stream;
    uint8_t *all = NULL;
    int descriptor;
    enum shw_result result;

    SHW_PROPAGATE(shw_input_open(path, SHW_INPUT_MAY_BE_PIPE, log, &descriptor, &status));
    stream = fdopen(descriptor, "rb");
    if (stream == NULL) {
        close(descriptor);
        return shw_fail_memory(log, path);
    }
    result = read_all(stream, S_ISREG(status.st_mode), path, log, &all, size);
    fclose(stream);
    if (result == SHW_OK)
        *bytes = all;
    else
        free(all);
    return result;
}
