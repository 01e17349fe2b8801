#include "base/file_bytes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/input_file.h"
#include "base/log.h"

/* A file being read, up to a limit in bytes. */
struct reading {
    const char *path;
    const struct shw_log *log;
    uint64_t most;
    bool whole; /* a longer one is refused */
};

enum shw_result shw_file_check_size(const char *path, uint64_t size, uint64_t most, const struct shw_log *log)
{
    const bool is_small = most < 1u << 20;

    return size <= most ? SHW_OK
                        : shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "cannot read %s: it is larger than %llu %s",
                                   path, (unsigned long long)(most >> (is_small ? 10 : 20)), is_small ? "KiB" : "MiB");
}

static enum shw_result read_bytes(const struct reading *reading, FILE *stream, uint64_t length,
                                  struct shw_file_bytes *file)
{
    const char *path = reading->path;
    const struct shw_log *log = reading->log;
    size_t size;

    if (reading->whole)
        SHW_PROPAGATE(shw_file_check_size(path, length, reading->most, log));
    size = (size_t)(length < reading->most ? length : reading->most);
    file->bytes = malloc(size + 1);
    if (file->bytes == NULL)
        return shw_fail_memory(log, path);
    file->size = fread(file->bytes, 1, size, stream);
    file->bytes[file->size] = 0;
    if (file->size < size)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "cannot read %s: %s", path,
                        ferror(stream) != 0 ? strerror(errno) : "it was truncated during reading");
    return SHW_OK;
}

static enum shw_result read_file(const struct reading *reading, struct shw_file_bytes *file)
{
    FILE *stream;
    uint64_t length;
    enum shw_result result;

    *file = (struct shw_file_bytes){0};
    SHW_PROPAGATE(shw_file_open(reading->path, reading->log, &stream, &length));
    result = read_bytes(reading, stream, length, file);
    fclose(stream);
    if (result != SHW_OK)
        shw_file_bytes_free(file);
    return result;
}

enum shw_result shw_file_bytes_read(const char *path, uint64_t size_max, const struct shw_log *log,
                                    struct shw_file_bytes *file)
{
    return read_file(&(struct reading){path, log, size_max, true}, file);
}

enum shw_result shw_file_bytes_read_start(const char *path, size_t size, const struct shw_log *log,
                                          struct shw_file_bytes *file)
{
    return read_file(&(struct reading){path, log, size, false}, file);
}

const char *shw_skip_byte_order_mark(const void *text, size_t *size)
{
    static const char mark[3] = "\xef\xbb\xbf";
    size_t skipped = *size >= sizeof mark && memcmp(text, mark, sizeof mark) == 0 ? sizeof mark : 0;

    *size -= skipped;
    return (const char *)text + skipped;
}

void shw_file_bytes_free(struct shw_file_bytes *file)
{
    free(file->bytes);
    *file = (struct shw_file_bytes){0};
}

#define BLOCK_BYTES ((size_t)1 << 16)

struct shw_digester {
    XXH3_state_t *state;
    char block[BLOCK_BYTES];
};

struct shw_digester *shw_digester_create(void)
{
    struct shw_digester *digester = malloc(sizeof *digester);

    if (digester == NULL)
        return NULL;
    digester->state = XXH3_createState();
    if (digester->state != NULL) {
        XXH3_128bits_reset(digester->state);
        return digester;
    }
    free(digester);
    return NULL;
}

void shw_digester_add(struct shw_digester *digester, const void *bytes, size_t size)
{
    XXH3_128bits_update(digester->state, bytes, size);
}

void shw_digester_add_text(struct shw_digester *digester, const char *text)
{
    shw_digester_add(digester, text, strlen(text) + 1);
}

static bool add_stream(struct shw_digester *digester, FILE *stream)
{
    uint64_t sum = 0;
    size_t size;

    while ((size = fread(digester->block, 1, BLOCK_BYTES, stream)) > 0) {
        shw_digester_add(digester, digester->block, size);
        sum += size;
    }
    shw_digester_add(digester, &sum, sizeof sum);
    return ferror(stream) == 0;
}

bool shw_digester_add_file(struct shw_digester *digester, const char *path)
{
    FILE *stream;
    uint64_t size;
    bool added;

    if (shw_file_open(path, NULL, &stream, &size) != SHW_OK)
        return false;
    added = add_stream(digester, stream);
    fclose(stream);
    return added;
}

struct shw_digest shw_digester_end(struct shw_digester **digester)
{
    struct shw_digest digest = {""};
    XXH128_hash_t hash;

    if (*digester == NULL)
        return digest;
    hash = XXH3_128bits_digest((*digester)->state);
    snprintf(digest.text, sizeof digest.text, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
    XXH3_freeState((*digester)->state);
    free(*digester);
    *digester = NULL;
    return digest;
}

bool shw_digest_file(const char *path, struct shw_digest *digest)
{
    struct shw_digester *digester = shw_digester_create();
    bool read = digester != NULL && shw_digester_add_file(digester, path);

    *digest = shw_digester_end(&digester);
    return read;
}

bool shw_digest_stream(FILE *stream, struct shw_digest *digest)
{
    struct shw_digester *digester = shw_digester_create();
    bool read = digester != NULL && fflush(stream) == 0 && fseeko(stream, 0, SEEK_SET) == 0 &&
                add_stream(digester, stream) && fseeko(stream, 0, SEEK_END) == 0;

    *digest = shw_digester_end(&digester);
    return read;
}
