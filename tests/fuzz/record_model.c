/* Fuzz target: models of other programs, of the format that the target is called after, that become record forests.
 * What is accepted must evaluate records, and come back from its export. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/record_formats.h"
#include "formats/tree_arrays.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"
#include "fuzz/use_record_forest.h"
#include "testing/testing.h"

#ifdef FUZZ_ALONE
#define RECORD_FORMAT (&FUZZ_ALONE[sizeof "record_" - 1])
#else
#define RECORD_FORMAT (&testing_group[sizeof "fuzz_record_" - 1])
#endif
#define EXPORT_NODES_MAX 2000u

/* What is exported of it must be the same one. */
static void check_export(const struct shw_record_forest *forest)
{
    struct shw_record_forest *again = NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);

    if (stream == NULL || shw_tree_arrays_print(forest, FUZZ_NAME, stream, NULL) != SHW_OK || fclose(stream) != 0)
        abort();
    if (shw_record_model_read(&(const struct shw_import_source){.bytes = text, .size = size, .name = FUZZ_NAME},
                              "trees", NULL, &again) != SHW_OK ||
        shw_record_forest_hash(again) != shw_record_forest_hash(forest))
        abort();
    free(text);
    shw_record_forest_destroy(&again);
}

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
    result = shw_record_model_read(&(const struct shw_import_source){.bytes = copy, .size = size, .name = FUZZ_NAME},
                                   RECORD_FORMAT, &log, &forest);
    free(copy);
    fuzz_check(result, &messages);
    if ((result == SHW_OK) != (forest != NULL))
        abort();
    if (result == SHW_OK) {
        fuzz_use_record_forest(forest);
        if (shw_record_forest_get_info(forest)->node_count < EXPORT_NODES_MAX)
            check_export(forest);
    }
    shw_record_forest_destroy(&forest);
    return 0;
}
