/* Fuzz target: files of record forests. What is accepted must be one, evaluate records, and be the same one again after
 * saving. */
#include <stdlib.h>

#include "fuzz/messages.h"
#include "fuzz/target.h"
#include "fuzz/use_record_forest.h"
#include "testing/forest_seal.h"

void fuzz_seal(uint8_t *bytes, size_t size)
{
    testing_forest_seal(bytes, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    const struct shw_log log = fuzz_log(&messages);
    struct shw_record_forest *forest = NULL;
    enum shw_result result = shw_record_forest_load_memory(data, size, FUZZ_NAME, &log, &forest);

    fuzz_check(result, &messages);
    if ((result == SHW_OK) != (forest != NULL))
        abort();
    if (result == SHW_OK)
        fuzz_use_record_forest(forest);
    shw_record_forest_destroy(&forest);
    return 0;
}
