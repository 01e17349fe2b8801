/* Fuzz target: lists of names, with and without sequences (split files, sequences.txt). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/dataset/examples.h"
#include "fuzz/messages.h"
#include "fuzz/scratch.h"
#include "fuzz/target.h"
#include "testing/testing.h"

static char images[512], split[512];

static void prepare(void)
{
    char path[600];
    const char *folder = testing_path("");

    if (images[0] != '\0')
        return;
    snprintf(images, sizeof images, "%s{}.png", folder);
    snprintf(split, sizeof split, "%s%s", folder, FUZZ_NAME);
    for (char name[] = "a"; name[0] <= 'f'; name[0]++) { /* those of the corpus */
        snprintf(path, sizeof path, "%s%s.png", folder, name);
        fuzz_write(path, "", 0);
    }
}

/* Whether the previous frame, if there is one, is of the sequence and listed before. */
static bool is_after(const struct shw_names *names, const struct shw_name *name)
{
    const struct shw_name *previous = name->previous != SHW_NO_NAME ? &names->names[name->previous] : NULL;

    return previous == NULL ||
           (names->has_sequences && previous->sequence == name->sequence && previous->line < name->line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct shw_example_patterns patterns = {.images = images};
    const char *const splits[] = {split};
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_names names = {0};
    enum shw_result result;

    prepare();
    fuzz_write(split, data, size);
    result = shw_names_read_splits(&patterns, splits, 1, &log, &names);
    fuzz_check(result, &messages);
    if ((result == SHW_OK) != (names.count > 0))
        abort();
    for (size_t i = 0; i < names.count; i++)
        if (names.names[i].text[0] == '\0' || (i > 0 && strcmp(names.names[i - 1].text, names.names[i].text) >= 0) ||
            names.order[names.names[i].place] != i || !is_after(&names, &names.names[i]))
            abort();
    shw_names_free(&names);
    return 0;
}
