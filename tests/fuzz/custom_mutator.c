/* libFuzzer's mutations and ours in turn, with checksums that are mostly right. */
#include <stdlib.h>
#include <string.h>

#include "fuzz/mutate.h"
#include "fuzz/target.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

/* Splices a file with itself, as it was before. */
static size_t mutate(struct testing_random *random, uint8_t *data, size_t size, size_t room)
{
    uint8_t *before = malloc(size + 1);

    if (before == NULL)
        abort();
    memcpy(before, data, size);
    size = fuzz_mutate(random, data, size, room, before, size);
    free(before);
    return size;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    struct testing_random random = {seed};

    size =
        testing_random_below(&random, 2) == 0 ? LLVMFuzzerMutate(data, size, room) : mutate(&random, data, size, room);
    if (fuzz_seal != NULL && testing_random_below(&random, 4) > 0)
        fuzz_seal(data, size);
    return size;
}
