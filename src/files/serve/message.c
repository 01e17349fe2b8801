#include "files/serve/message.h"

#include <string.h>

#include "base/hash.h"

static const struct shw_message_trait traits[] = {
    {SHW_MESSAGE_ALIVE, "ALIVE", SHW_CLIENT | SHW_SERVER, 0, 0},
    {SHW_MESSAGE_SETTINGS, "SETTINGS", SHW_CLIENT, 49, 4u << 20},
    {SHW_MESSAGE_PICTURE, "PICTURE", SHW_CLIENT, 21, 64u << 10},
    {SHW_MESSAGE_STROKES, "STROKES", SHW_CLIENT, 8, 8u << 20},
    {SHW_MESSAGE_LABELS, "LABELS", SHW_CLIENT, 4, 1u << 20},
    {SHW_MESSAGE_FORGET, "FORGET", SHW_CLIENT, 4, 4},
    {SHW_MESSAGE_TRAIN, "TRAIN", SHW_CLIENT, 4, 4},
    {SHW_MESSAGE_MEASURE, "MEASURE", SHW_CLIENT, 0, 0},
    {SHW_MESSAGE_CANCEL, "CANCEL", SHW_CLIENT, 0, 0},
    {SHW_MESSAGE_INPUTS, "INPUTS", SHW_CLIENT, 28, 16u << 10},
    {SHW_MESSAGE_PIXELS, "PIXELS", SHW_CLIENT, 24, 8u << 20},
    {SHW_MESSAGE_READY, "READY", SHW_SERVER, 12, 4u << 10},
    {SHW_MESSAGE_WANT, "WANT", SHW_SERVER, 12, 64u << 10},
    {SHW_MESSAGE_PROGRESS, "PROGRESS", SHW_SERVER, 4, 4},
    {SHW_MESSAGE_FOREST, "FOREST", SHW_SERVER, 16, 16},
    {SHW_MESSAGE_PART, "PART", SHW_SERVER, 1, 1u << 20},
    {SHW_MESSAGE_ACCURACY, "ACCURACY", SHW_SERVER, 28, 16u << 20},
    {SHW_MESSAGE_CANCELLED, "CANCELLED", SHW_SERVER, 0, 0},
    {SHW_MESSAGE_FAILED, "FAILED", SHW_SERVER, 8, 4u << 10},
};

const struct shw_message_trait *shw_message_find(uint32_t type)
{
    for (size_t i = 0; i < sizeof traits / sizeof *traits; i++)
        if ((uint32_t)traits[i].type == type)
            return &traits[i];
    return NULL;
}

bool shw_message_is_usual(void)
{
    const uint32_t one = 1;

    return *(const uint8_t *)&one == 1;
}

void shw_put_u32(uint8_t *place, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++)
        place[i] = (uint8_t)(number >> 8 * i);
}

uint32_t shw_get_u32(const uint8_t *place)
{
    return (uint32_t)place[0] | (uint32_t)place[1] << 8 | (uint32_t)place[2] << 16 | (uint32_t)place[3] << 24;
}

void shw_message_greet(uint8_t greeting[SHW_SERVE_GREETING_SIZE])
{
    memcpy(greeting, SHW_SERVE_MAGIC, 8);
    shw_put_u32(greeting + 8, SHW_SERVE_VERSION);
    shw_put_u32(greeting + 12, 0);
}

uint64_t shw_message_checksum(const uint8_t header[SHW_SERVE_HEADER_SIZE], const void *contents, size_t length)
{
    return XXH3_64bits_withSeed(length > 0 ? contents : header, length, XXH3_64bits(header, 12));
}

uint64_t shw_message_stated(const uint8_t header[SHW_SERVE_HEADER_SIZE])
{
    return shw_get_u32(header + 12) | (uint64_t)shw_get_u32(header + 16) << 32;
}

void shw_message_head(uint8_t header[SHW_SERVE_HEADER_SIZE], uint32_t type, uint32_t request, const void *contents,
                      uint32_t length)
{
    uint64_t checksum;

    shw_put_u32(header, type);
    shw_put_u32(header + 4, length);
    shw_put_u32(header + 8, request);
    checksum = shw_message_checksum(header, contents, length);
    shw_put_u32(header + 12, (uint32_t)checksum);
    shw_put_u32(header + 16, (uint32_t)(checksum >> 32));
}
