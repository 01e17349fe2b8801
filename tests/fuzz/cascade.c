/* Fuzz target: cascade files. What is accepted must be a cascade, find, and be the same one again after saving. */
#include <stdlib.h>

#include "fuzz/messages.h"
#include "fuzz/target.h"
#include "fuzz/use_cascade.h"
#include "testing/forest_seal.h"

void fuzz_seal(uint8_t *bytes, size_t size)
{
    testing_forest_seal(bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    const struct shw_log log = fuzz_log(&messages);
    struct shw_cascade *cascade = NULL;
    enum shw_result result = shw_cascade_load_memory(data, size, FUZZ_NAME, &log, &cascade);

    fuzz_check(result, &messages);
    if ((result == SHW_OK) != (cascade != NULL))
        abort();
    if (result == SHW_OK)
        fuzz_use_cascade(cascade);
    shw_cascade_destroy(&cascade);
    return 0;
}
