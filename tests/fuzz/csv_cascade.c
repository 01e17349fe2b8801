/* Fuzz target: cascades as tables in CSV, one after another in a file, with a form feed between them. One that is
 * accepted comes back from what is exported of it. */
#include <stdlib.h>
#include <string.h>

#include "formats/csv_cascade.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"
#include "fuzz/use_cascade.h"

static const struct shw_cascade_import import = {0};

/* Each in memory of its own, so that a read behind its end is seen. */
static char *copy_table(const uint8_t **at, const uint8_t *end, size_t *size)
{
    const uint8_t *stop = *at < end ? memchr(*at, '\f', (size_t)(end - *at)) : NULL;
    char *text;

    *size = (size_t)((stop != NULL ? stop : end) - *at);
    text = malloc(*size + 1);
    if (text == NULL)
        abort();
    memcpy(text, *at, *size);
    text[*size] = '\0';
    *at += *size + (stop != NULL);
    return text;
}

static void check_export(const struct shw_cascade *cascade)
{
    struct shw_csv_text files[SHW_CSV_FILE_COUNT] = {0};
    char *texts[SHW_CSV_WRITTEN_COUNT];
    struct shw_cascade *again = NULL;

    for (int f = 0; f < SHW_CSV_WRITTEN_COUNT; f++) {
        if (shw_csv_cascade_format(cascade, (enum shw_csv_file)f, FUZZ_NAME, NULL, &texts[f]) != SHW_OK)
            abort();
        files[f] = (struct shw_csv_text){.name = shw_csv_files[f], .text = texts[f], .size = strlen(texts[f])};
    }
    if (shw_csv_cascade_parse(files, &import, NULL, &again) != SHW_OK ||
        shw_cascade_hash(again) != shw_cascade_hash(cascade))
        abort();
    shw_cascade_destroy(&again);
    for (int f = 0; f < SHW_CSV_WRITTEN_COUNT; f++)
        free(texts[f]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    const struct shw_log log = fuzz_log(&messages);
    struct shw_csv_text files[SHW_CSV_FILE_COUNT];
    char *texts[SHW_CSV_FILE_COUNT];
    struct shw_cascade *cascade = NULL;
    const uint8_t *at = data;
    enum shw_result result;

    for (int f = 0; f < SHW_CSV_FILE_COUNT; f++) {
        texts[f] = copy_table(&at, data + size, &files[f].size);
        files[f].text = f < SHW_CSV_WRITTEN_COUNT || files[f].size > 0 ? texts[f] : NULL;
        files[f].name = FUZZ_NAME;
    }
    result = shw_csv_cascade_parse(files, &import, &log, &cascade);
    fuzz_check(result, &messages);
    if (result == SHW_OK) {
        fuzz_use_cascade(cascade);
        check_export(cascade);
    }
    shw_cascade_destroy(&cascade);
    for (int f = 0; f < SHW_CSV_FILE_COUNT; f++)
        free(texts[f]);
    return 0;
}
