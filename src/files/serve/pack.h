/* Contents of messages: little-endian numbers and texts (docs/serve.md). */
#ifndef SHW_FILES_SERVE_PACK_H
#define SHW_FILES_SERVE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Contents that are being written. Zero-initialised; free() `bytes`. */
struct shw_pack {
    uint8_t *bytes;
    size_t size, capacity;
    bool failed; /* out of memory */
};

void shw_pack_bytes(struct shw_pack *pack, const void *bytes, size_t size);
void shw_pack_u8(struct shw_pack *pack, uint8_t number);
void shw_pack_u16(struct shw_pack *pack, uint16_t number);
void shw_pack_u32(struct shw_pack *pack, uint32_t number);
void shw_pack_u64(struct shw_pack *pack, uint64_t number);
void shw_pack_f32(struct shw_pack *pack, float number);
void shw_pack_varint(struct shw_pack *pack, uint64_t number);
void shw_pack_text(struct shw_pack *pack, const char *text);

/* Contents that are being read. What is not there reads as zeros. */
struct shw_unpack {
    const uint8_t *at;
    size_t left;
    bool failed; /* something was not there, or was invalid */
};

/* NULL: not so many. */
const uint8_t *shw_unpack_bytes(struct shw_unpack *unpack, size_t size);
uint8_t shw_unpack_u8(struct shw_unpack *unpack);
uint16_t shw_unpack_u16(struct shw_unpack *unpack);
uint32_t shw_unpack_u32(struct shw_unpack *unpack);
uint64_t shw_unpack_u64(struct shw_unpack *unpack);
float shw_unpack_f32(struct shw_unpack *unpack);
/* Below 2^32. */
uint32_t shw_unpack_varint(struct shw_unpack *unpack);

/* A copy, to be freed; NULL: invalid, longer than `most` bytes, or out of memory, which is a failure, too. */
char *shw_unpack_text(struct shw_unpack *unpack, size_t most);

/* Whether all was read, and valid. */
bool shw_unpack_ended(const struct shw_unpack *unpack);

#endif
