/* Fuzz target: organised point clouds in all three encodings. What is read has a depth, a colour and a label for every
 * point. */
#include <stdlib.h>

#include "files/convert/pcd.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"

/* LZF makes up to 88 bytes of one, and of each point, which has at least 4, up to 13 are kept. */
size_t fuzz_memory_bound(size_t size)
{
    return ((size_t)16 << 20) + 512 * size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_frame frame;
    enum shw_result result = shw_pcd_decode(data, size, FUZZ_NAME, &log, &frame);

    fuzz_check(result, &messages);
    if ((result == SHW_OK) != (frame.depth != NULL) || (frame.depth != NULL) != (frame.colours != NULL))
        abort();
    for (size_t i = 0; result == SHW_OK && i < (size_t)frame.width * frame.height; i++)
        if (frame.labels != NULL && frame.labels[i] >= SHW_VALUE_COLOUR && frame.labels[i] != SHW_VALUE_VOID)
            abort();
    shw_frame_free(&frame);
    return 0;
}
