/* Fuzz target: models of other programs, of the format RECORD_FORMAT, that become record forests. What is accepted must
 * evaluate records. */
#include <stdlib.h>
#include <string.h>

#include "exchange/record_open.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"
#include "fuzz/use_record_forest.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    const struct shw_log log = fuzz_log(&messages);
    struct shw_record_forest *forest = NULL;
    uint8_t *copy = calloc(size + 1, 1); /* a zero byte follows */
    enum shw_result result;

    if (copy == NULL)
        abort();
    memcpy(copy, data, size);
    result = shw_record_model_parse(copy, size, FUZZ_NAME, RECORD_FORMAT, &log, &forest);
    free(copy);
    fuzz_check(result, &messages);
    if ((result == SHW_OK) != (forest != NULL))
        abort();
    if (result == SHW_OK)
        fuzz_use_record_forest(forest);
    shw_record_forest_destroy(&forest);
    return 0;
}
