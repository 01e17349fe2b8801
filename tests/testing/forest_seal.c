#include "testing/forest_seal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/testing.h"

/* By the KTX2 specification: where the level's offset stands, and where key/value data begins in a forest. */
enum { LEVEL_AT = 80, KVD_AT = 196 };

/* The value of the first or last entry with this key. */
static uint8_t *value_of(uint8_t *bytes, size_t end, const char *key, bool is_last)
{
    size_t size = strlen(key) + 1;
    uint8_t *found = NULL;

    for (size_t at = KVD_AT; at + size <= end && (found == NULL || is_last); at++)
        if (memcmp(bytes + at, key, size) == 0)
            found = bytes + at + size;
    return found;
}

/* The file of the level below, sealed, and its size: 0 if there is none, or if its size is wrong. */
static uint8_t *below_of(uint8_t *bytes, size_t end, size_t *size)
{
    static const char key[] = "shadewood.below";
    uint8_t *below = value_of(bytes, end, key, false);
    uint32_t length = 0;

    *size = 0;
    if (below == NULL)
        return NULL;
    memcpy(&length, below - sizeof key - sizeof length, sizeof length);
    if (length <= sizeof key || length - sizeof key > (size_t)(bytes + end - below))
        return NULL;
    *size = length - sizeof key - 1; /* a zero byte follows */
    testing_forest_seal(below, *size);
    return below;
}

bool testing_forest_seal(uint8_t *bytes, size_t size)
{
    uint64_t texels;
    uint8_t *metadata, *checksum, *below, *all;
    size_t length, below_size, rest;
    char digits[17];

    if (size < KVD_AT)
        return false;
    memcpy(&texels, bytes + LEVEL_AT, sizeof texels);
    if (texels > size)
        return false;
    metadata = value_of(bytes, (size_t)texels, "shadewood", false);
    checksum = value_of(bytes, (size_t)texels, "shadewood.checksum", true); /* the level below has one, too */
    if (metadata == NULL || checksum == NULL || checksum + 16 > bytes + texels)
        return false;
    below = below_of(bytes, (size_t)texels, &below_size);
    length = strnlen((const char *)metadata, (size_t)(bytes + texels - metadata));
    rest = size - (size_t)texels;
    all = malloc(length + below_size + rest + 1);
    if (all == NULL)
        abort();
    memcpy(all, metadata, length);
    if (below != NULL)
        memcpy(all + length, below, below_size);
    memcpy(all + length + below_size, bytes + texels, rest);
    snprintf(digits, sizeof digits, "%016llx", (unsigned long long)testing_hash(all, length + below_size + rest));
    memcpy(checksum, digits, 16);
    free(all);
    return true;
}
