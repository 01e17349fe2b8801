/* Replaces read_stream.c in a program that loads it as a module (stream_module.h). */
#include "source/stream_module.h"

#include "base/log.h"

enum shw_result view_read_stream(const struct view_stream_params *params, struct view_reader *reader)
{
    static struct shw_module module = SHW_MODULE(VIEW_STREAM_MODULE, VIEW_STREAM_EXPORTS);
    const struct shw_module_exports *exports;

    SHW_PROPAGATE(shw_module_load(&module, params->name, "opened", params->log, &exports));
    return ((const struct view_stream_exports *)exports)->read_stream(params, reader);
}
