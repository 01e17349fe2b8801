/* Fuzz target: videos, as the viewer's source opens them. It ends, with pictures or with a message. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/messages.h"
#include "fuzz/scratch.h"
#include "fuzz/target.h"
#include "source/source.h"
#include "testing/testing.h"
#include "viewer/source_wait.h"

enum { PICTURES_MAX = 8 };

/* Decoders allocate rings of frames of the size that the file claims; the source limits that size. */
size_t fuzz_memory_bound(size_t size)
{
    return ((size_t)3 << 30) + size;
}

static void check_picture(const struct view_picture *picture)
{
    static volatile uint64_t sink;

    if (picture->image.width == 0 || picture->image.height == 0)
        abort();
    sink += testing_hash(picture->image.pixels, picture->image.stride * picture->image.height);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[512];
    struct view_source *source = NULL;
    uint32_t pictures = 0;

    if (path[0] == '\0')
        snprintf(path, sizeof path, "%s", testing_path(FUZZ_NAME));
    fuzz_write(path, data, size);
    if (view_source_open(&(struct view_source_params){.spec = path, .log = source_log()}, &source) != SHW_OK)
        abort();
    if (source_wait_open(source)) {
        struct view_picture *picture = source_wait(source, 0.0);
        while (picture != NULL && pictures < PICTURES_MAX) {
            check_picture(picture);
            view_picture_free(picture);
            pictures++;
            if (view_source_step_forward(source) != SHW_OK)
                abort();
            picture = source_wait(source, 0.0);
        }
        view_picture_free(picture);
    }
    view_source_close(&source);
    fuzz_accepted += pictures > 0;
    if (pictures == 0 && source_log_errors() == 0)
        abort();
    return 0;
}
