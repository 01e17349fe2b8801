/* libFuzzer's mutations and ours in turn, with checksums that are mostly right. */
#include "fuzz/mutate.h"
#include "fuzz/target.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
    struct testing_random random = {seed};

    size = testing_random_below(&random, 2) == 0 ? LLVMFuzzerMutate(data, size, room)
                                                 : fuzz_mutate(&random, data, size, room, data, size);
    if (fuzz_seal != NULL && testing_random_below(&random, 4) > 0)
        fuzz_seal(data, size);
    return size;
}
