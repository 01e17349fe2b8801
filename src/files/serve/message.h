/* The messages of the protocol (docs/serve.md). */
#ifndef SHW_FILES_SERVE_MESSAGE_H
#define SHW_FILES_SERVE_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SHW_SERVE_MAGIC         "SHWSERVE"
#define SHW_SERVE_VERSION       1u
#define SHW_SERVE_GREETING_SIZE 16u
#define SHW_SERVE_HEADER_SIZE   20u

enum shw_message_type {
    SHW_MESSAGE_ALIVE = 1,
    SHW_MESSAGE_SETTINGS = 16,
    SHW_MESSAGE_PICTURE,
    SHW_MESSAGE_STROKES,
    SHW_MESSAGE_LABELS,
    SHW_MESSAGE_FORGET,
    SHW_MESSAGE_TRAIN,
    SHW_MESSAGE_MEASURE,
    SHW_MESSAGE_CANCEL,
    SHW_MESSAGE_INPUTS,
    SHW_MESSAGE_PIXELS,
    SHW_MESSAGE_READY = 48,
    SHW_MESSAGE_WANT,
    SHW_MESSAGE_PROGRESS,
    SHW_MESSAGE_FOREST,
    SHW_MESSAGE_PART,
    SHW_MESSAGE_ACCURACY,
    SHW_MESSAGE_CANCELLED,
    SHW_MESSAGE_FAILED
};

/* Flags of WANT. */
#define SHW_WANT_PIXELS 1u /* also of squares that were sent before */
#define SHW_WANT_INPUTS 2u

enum shw_side { SHW_CLIENT = 1, SHW_SERVER = 2 };

struct shw_message_trait {
    enum shw_message_type type;
    const char *name;
    unsigned by;          /* bits of enum shw_side */
    uint32_t least, most; /* bytes of contents */
};

/* NULL: there is no such type. */
const struct shw_message_trait *shw_message_find(uint32_t type);

/* Whether this machine is little-endian, as samples of pixels are in messages. */
bool shw_message_is_usual(void);

/* Little-endian, for headers. */
void shw_put_u32(uint8_t *place, uint32_t number);
uint32_t shw_get_u32(const uint8_t *place);

/* Writes the first bytes of a connection, and the header of a message with these contents. */
void shw_message_greet(uint8_t greeting[SHW_SERVE_GREETING_SIZE]);
void shw_message_head(uint8_t header[SHW_SERVE_HEADER_SIZE], uint32_t type, uint32_t request, const void *contents,
                      uint32_t length);

/* The checksum of contents that follow the header. */
uint64_t shw_message_checksum(const uint8_t header[SHW_SERVE_HEADER_SIZE], const void *contents, size_t length);
/* The one that the header states. */
uint64_t shw_message_stated(const uint8_t header[SHW_SERVE_HEADER_SIZE]);

#endif
