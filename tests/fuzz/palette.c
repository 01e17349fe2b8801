/* Fuzz target: palette files. */
#include <stdlib.h>

#include "files/dataset/palette.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_palette palette = {0};
    enum shw_result result = shw_palette_decode(data, size, FUZZ_NAME, &log, &palette);

    fuzz_check(result, &messages);
    for (uint32_t i = 0; i < palette.entry_count; i++)
        if (shw_palette_find(&palette, palette.entries[i].colour) == UINT32_MAX)
            abort();
    shw_palette_free(&palette);
    return 0;
}
