/* Fuzz target: CURFIL's trees. One that is a forest comes back from what is exported of it. */
#include <stdlib.h>
#include <string.h>

#include "formats/curfil.h"
#include "formats/source.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"

#define UNPACKED_MAX ((size_t)1 << 20)

static void check_export(const struct shw_forest *forest)
{
    static const char *const name = FUZZ_NAME;
    struct shw_curfil_tree tree;
    struct shw_forest *again;
    char *text;

    if (shw_curfil_tree_format(forest, name, 0, NULL, &text) != SHW_OK)
        abort();
    if (shw_curfil_tree_parse(text, strlen(text), FUZZ_NAME, NULL, &tree) != SHW_OK)
        abort();
    if (shw_curfil_forest_make(&tree, &name, 1, &(struct shw_curfil_settings){0}, "{}", NULL, &again) != SHW_OK ||
        shw_forest_hash(again) != shw_forest_hash(forest))
        abort();
    shw_forest_destroy(&again);
    shw_curfil_tree_free(&tree);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const name = FUZZ_NAME;
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_file_bytes text;
    struct shw_curfil_tree tree;
    struct shw_forest *forest = NULL;
    enum shw_result result =
        shw_source_unpack(&(const struct shw_import_source){.bytes = data, .size = size, .name = FUZZ_NAME},
                          UNPACKED_MAX, &log, &text, NULL);

    if (result == SHW_OK) {
        result = shw_curfil_tree_parse((const char *)text.bytes, text.size, FUZZ_NAME, &log, &tree);
        shw_file_bytes_free(&text);
    }
    fuzz_check(result, &messages);
    if (result != SHW_OK)
        return 0;
    if (shw_curfil_forest_make(&tree, &name, 1, &(struct shw_curfil_settings){0}, "{}", NULL, &forest) == SHW_OK)
        check_export(forest);
    shw_forest_destroy(&forest);
    shw_curfil_tree_free(&tree);
    return 0;
}
