/* Fuzz target: project files. What is read must write and read back as the same. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/decoder.h"
#include "fuzz/target.h"
#include "project/project.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned errors;
    struct shw_log log = fuzz_log(&errors);
    struct shw_project *project = NULL, *again = NULL;
    enum shw_result result = shw_project_decode(data, size, "input", &log, &project);

    fuzz_check(result, errors);
    if (result == SHW_OK) {
        char *first = shw_project_encode(project), *second;

        if (first == NULL || shw_project_decode(first, strlen(first), "again", &log, &again) != SHW_OK)
            abort();
        second = shw_project_encode(again);
        if (second == NULL || strcmp(first, second) != 0)
            abort();
        free(first);
        free(second);
    }
    shw_project_destroy(&again);
    shw_project_destroy(&project);
    return 0;
}
