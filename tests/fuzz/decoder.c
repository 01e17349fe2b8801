#include "fuzz/decoder.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz/messages.h"
#include "testing/testing.h"

int fuzz_decoder(enum shw_result (*decode)(const struct shw_source *source, struct shw_decoded *decoded),
                 const uint8_t *data, size_t size)
{
    static volatile uint64_t sink;
    uint8_t *exact = malloc(size > 0 ? size : 1); /* of exactly this size, so that a read behind the end is seen */

    if (exact == NULL)
        return 0;
    if (size > 0)
        memcpy(exact, data, size);
    for (int stored = 0; stored < 2; stored++) {
        struct fuzz_messages messages;
        struct shw_log log = fuzz_log(&messages);
        struct shw_source source = {
            .bytes = exact, .size = size, .name = FUZZ_NAME, .stored = stored != 0, .log = &log};
        struct shw_decoded decoded = {0};
        enum shw_result result = decode(&source, &decoded);

        if (result == SHW_OK)
            result = shw_decoded_turn_upright(&source, &decoded);
        fuzz_check(result, &messages);
        if (result != SHW_OK && decoded.pixels != NULL)
            abort();
        if (result == SHW_OK)
            sink +=
                testing_hash(decoded.pixels, (size_t)decoded.width * decoded.height * shw_pixel_size(decoded.format));
        free(decoded.pixels);
    }
    (void)sink;
    free(exact);
    return 0;
}
