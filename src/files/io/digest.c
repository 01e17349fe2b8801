#include "files/io/digest.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "files/io/file_bytes.h"

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
