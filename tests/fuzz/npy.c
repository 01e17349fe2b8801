/* Fuzz target: patches and images in files of NumPy. */
#include "files/image/npy.h"
#include "files/image/image_file.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"

static void read_image(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_image_file file = {.pixels = NULL};

    fuzz_check(shw_image_file_decode(data, size, FUZZ_NAME, NULL, &log, &file), &messages);
    shw_image_file_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_npy_patches patches = {0};
    enum shw_result result = shw_npy_decode(data, size, FUZZ_NAME, &log, &patches);
    volatile uint8_t sum = 0;

    fuzz_check(result, &messages);
    for (size_t i = 0; i < (size_t)patches.count * patches.width * patches.height; i++)
        sum = (uint8_t)(sum + patches.values[i]);
    shw_npy_free(&patches);
    read_image(data, size);
    return 0;
}
