/* Fuzz target: TIFF files. */
#include <stdlib.h>

#include "fuzz/decoder.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"

/* Another page, other channels, a range; and what is reported of the file before. */
static void choose(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_source source = {.bytes = data,
                                .size = size,
                                .name = FUZZ_NAME,
                                .log = &log,
                                .page = 2,
                                .choice = {.channels = {3, {2, 0, 1}}, .range = {-1.0, 300.0}}};
    struct shw_decoded decoded = {0};
    struct shw_image_choice choice = {0};
    uint32_t count = 0;
    enum shw_result result = shw_image_format_tiff.decode(&source, &decoded);

    fuzz_check(result, &messages);
    free(decoded.pixels);
    log = fuzz_log(&messages);
    result = shw_image_format_tiff.count_pages(&source, &count);
    fuzz_check(result, &messages);
    if (result == SHW_OK && (count < 1 || count > SHW_IMAGE_PAGES_MAX))
        abort();
    log = fuzz_log(&messages);
    source.page = 1;
    source.choice = choice;
    fuzz_check(shw_image_format_tiff.settle(&source, &choice), &messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    choose(data, size);
    return fuzz_decoder(shw_image_format_tiff.decode, data, size);
}
