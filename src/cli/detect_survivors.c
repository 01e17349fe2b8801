#include <stdlib.h>

#include "base/log.h"
#include "cli/detecting.h"

void cli_survivors_take_options(struct cli_detecting *detecting)
{
    enum shw_technique *technique = &detecting->options.params.technique;

    if (detecting->survivors != NULL && *technique == SHW_TECHNIQUE_AUTO)
        *technique = SHW_TECHNIQUE_CPU;
}

static enum shw_result save(const struct cli_detecting *detecting, const uint64_t *survivors, const struct shw_log *log)
{
    struct shw_cascade_info info = *detecting->info;
    struct shw_cascade *cascade = NULL;
    enum shw_result result;

    if (survivors[0] == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_CASCADE,
                        "%s is not written: no window was tested in these images", detecting->survivors);
    info.survivors = survivors;
    result = shw_cascade_create(&info, log, &cascade);
    if (result == SHW_OK)
        result = shw_output_files_look_again(&detecting->outputs, detecting->survivors);
    if (result == SHW_OK)
        result = shw_cascade_save(cascade, detecting->survivors, log);
    shw_cascade_destroy(&cascade);
    return result;
}

int cli_survivors_save(struct cli_detecting *detecting)
{
    const struct shw_log log = cli_log(&detecting->report);
    uint32_t count = detecting->info->stage_count + 1;
    uint64_t *survivors = calloc(count, sizeof *survivors);
    enum shw_result result = survivors != NULL ? SHW_OK : shw_fail_memory(&log, "the survivors of stages");

    if (result == SHW_OK)
        result = shw_detector_get_survivors(detecting->detector, survivors, count);
    if (result == SHW_OK)
        result = save(detecting, survivors, &log);
    free(survivors);
    return shw_exit_code(result);
}
