/* Fuzz target: documents of the bench, compared with themselves. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/compare.h"
#include "bench/document.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_bench_comparison comparison = {0};
    json_t *document;
    enum shw_result result = shw_bench_decode(data, size, FUZZ_NAME, &log, &document);
    FILE *nowhere = fopen("/dev/null", "w");

    fuzz_check(result, &messages);
    if (nowhere == NULL || (result == SHW_OK) != (document != NULL))
        abort();
    if (result == SHW_OK) {
        if (shw_bench_compare(document, document, 0.1, &log, &comparison) != SHW_OK ||
            shw_bench_regressed(&comparison) ||
            comparison.change_count != json_array_size(json_object_get(document, "rows")))
            abort();
        shw_bench_print_comparison(&comparison, "a", "b", nowhere);
        shw_bench_comparison_free(&comparison);
    }
    fclose(nowhere);
    json_decref(document);
    return 0;
}
