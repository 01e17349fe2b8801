#include "testing/forest_seal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/testing.h"

/* By the KTX2 specification: where the level's offset stands, and where key/value data begins in a forest. */
enum { LEVEL_AT = 80, KVD_AT = 196 };

static uint8_t *value_of(uint8_t *bytes, size_t end, const char *key)
{
    size_t size = strlen(key) + 1;

    for (size_t at = KVD_AT; at + size <= end; at++)
        if (memcmp(bytes + at, key, size) == 0)
            return bytes + at + size;
    return NULL;
}

bool testing_forest_seal(uint8_t *bytes, size_t size)
{
    uint64_t texels;
    uint8_t *metadata, *checksum, *all;
    size_t length;
    char digits[17];

    if (size < KVD_AT)
        return false;
    memcpy(&texels, bytes + LEVEL_AT, sizeof texels);
    if (texels > size)
        return false;
    metadata = value_of(bytes, (size_t)texels, "shadewood");
    checksum = value_of(bytes, (size_t)texels, "shadewood.checksum");
    if (metadata == NULL || checksum == NULL || checksum + 16 > bytes + texels)
        return false;
    length = strnlen((const char *)metadata, (size_t)(bytes + texels - metadata));
    all = malloc(length + size - (size_t)texels + 1);
    if (all == NULL)
        abort();
    memcpy(all, metadata, length);
    memcpy(all + length, bytes + texels, size - (size_t)texels);
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)testing_hash(all, length + size - (size_t)texels));
    memcpy(checksum, digits, 16);
    free(all);
    return true;
}
