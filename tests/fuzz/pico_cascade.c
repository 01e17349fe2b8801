/* Fuzz target: pico's cascades. */
#include <stdlib.h>

#include "formats/cascade_formats.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"
#include "fuzz/use_cascade.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    const struct shw_log log = fuzz_log(&messages);
    struct shw_cascade *cascade = NULL;
    enum shw_result result =
        shw_pico_cascade_parse(data, size, FUZZ_NAME, &(struct shw_cascade_import){0}, &log, &cascade);

    fuzz_check(result, &messages);
    if (result == SHW_OK)
        fuzz_use_cascade(cascade);
    shw_cascade_destroy(&cascade);
    return 0;
}
