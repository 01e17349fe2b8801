/* Fuzz target: OpenCV's cascades, in XML. */
#include "formats/cascade_formats.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_opencv_cascade read;
    enum shw_result result = shw_opencv_cascade_parse(data, size, FUZZ_NAME, &log, &read);

    fuzz_check(result, &messages);
    if (result == SHW_OK) {
        struct shw_cascade *cascade = NULL;
        if (shw_cascade_create(&read.info, NULL, &cascade) == SHW_OK)
            shw_cascade_destroy(&cascade);
        shw_opencv_cascade_free(&read);
    }
    return 0;
}
