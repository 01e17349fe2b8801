#include "files/serve/pack.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *reserve(struct shw_pack *pack, size_t size)
{
    const size_t needed = pack->size + size;
    uint8_t *grown;

    if (!pack->failed && needed > pack->capacity) {
        pack->capacity = needed > 2 * pack->capacity ? needed + 64 : 2 * pack->capacity;
        grown = realloc(pack->bytes, pack->capacity);
        pack->failed = grown == NULL;
        if (grown != NULL)
            pack->bytes = grown;
    }
    if (pack->failed)
        return NULL;
    pack->size = needed;
    return pack->bytes + needed - size;
}

void shw_pack_bytes(struct shw_pack *pack, const void *bytes, size_t size)
{
    uint8_t *place = reserve(pack, size);

    if (place != NULL && size > 0)
        memcpy(place, bytes, size);
}

static void pack_number(struct shw_pack *pack, uint64_t number, size_t size)
{
    uint8_t *place = reserve(pack, size);

    for (size_t i = 0; place != NULL && i < size; i++)
        place[i] = (uint8_t)(number >> 8 * i);
}

void shw_pack_u8(struct shw_pack *pack, uint8_t number)
{
    pack_number(pack, number, 1);
}

void shw_pack_u16(struct shw_pack *pack, uint16_t number)
{
    pack_number(pack, number, 2);
}

void shw_pack_u32(struct shw_pack *pack, uint32_t number)
{
    pack_number(pack, number, 4);
}

void shw_pack_u64(struct shw_pack *pack, uint64_t number)
{
    pack_number(pack, number, 8);
}

void shw_pack_f32(struct shw_pack *pack, float number)
{
    uint32_t bits;

    memcpy(&bits, &number, sizeof bits);
    shw_pack_u32(pack, bits);
}

void shw_pack_varint(struct shw_pack *pack, uint64_t number)
{
    for (; number > 127; number >>= 7)
        shw_pack_u8(pack, (uint8_t)(number | 128));
    shw_pack_u8(pack, (uint8_t)number);
}

void shw_pack_text(struct shw_pack *pack, const char *text)
{
    const size_t length = strlen(text);

    shw_pack_u32(pack, (uint32_t)length);
    shw_pack_bytes(pack, text, length);
}

const uint8_t *shw_unpack_bytes(struct shw_unpack *unpack, size_t size)
{
    const uint8_t *bytes = unpack->at;

    if (unpack->failed || size > unpack->left) {
        unpack->failed = true;
        return NULL;
    }
    unpack->at += size;
    unpack->left -= size;
    return bytes;
}

static uint64_t unpack_number(struct shw_unpack *unpack, size_t size)
{
    const uint8_t *bytes = shw_unpack_bytes(unpack, size);
    uint64_t number = 0;

    for (size_t i = 0; bytes != NULL && i < size; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

uint8_t shw_unpack_u8(struct shw_unpack *unpack)
{
    return (uint8_t)unpack_number(unpack, 1);
}

uint16_t shw_unpack_u16(struct shw_unpack *unpack)
{
    return (uint16_t)unpack_number(unpack, 2);
}

uint32_t shw_unpack_u32(struct shw_unpack *unpack)
{
    return (uint32_t)unpack_number(unpack, 4);
}

uint64_t shw_unpack_u64(struct shw_unpack *unpack)
{
    return unpack_number(unpack, 8);
}

float shw_unpack_f32(struct shw_unpack *unpack)
{
    const uint32_t bits = shw_unpack_u32(unpack);
    float number;

    memcpy(&number, &bits, sizeof number);
    return number;
}

uint32_t shw_unpack_varint(struct shw_unpack *unpack)
{
    uint64_t number = 0;

    for (unsigned shift = 0; shift < 35; shift += 7) {
        const uint8_t byte = shw_unpack_u8(unpack);

        number |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            unpack->failed = unpack->failed || number > UINT32_MAX;
            return unpack->failed ? 0 : (uint32_t)number;
        }
    }
    unpack->failed = true;
    return 0;
}

char *shw_unpack_text(struct shw_unpack *unpack, size_t most)
{
    const uint32_t length = shw_unpack_u32(unpack);
    const uint8_t *bytes = length <= most ? shw_unpack_bytes(unpack, length) : NULL;
    char *text = bytes != NULL && memchr(bytes, 0, length) == NULL ? malloc(length + (size_t)1) : NULL;

    if (text != NULL) {
        memcpy(text, bytes, length);
        text[length] = '\0';
        return text;
    }
    unpack->failed = true;
    return NULL;
}

bool shw_unpack_ended(const struct shw_unpack *unpack)
{
    return !unpack->failed && unpack->left == 0;
}
