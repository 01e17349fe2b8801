/* Fuzz target: files of calibrations. One is ignored with a warning, or it decides. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dense/pipeline/choice.h"
#include "files/output/calibration_file.h"
#include "fuzz/messages.h"
#include "fuzz/scratch.h"
#include "fuzz/target.h"
#include "testing/testing.h"

/* That of the files in the corpus. */
static const struct shw_device_description device = {.name = "a device",
                                                     .driver = "a driver 1.2",
                                                     .vendor_id = 0x10de,
                                                     .device_id = 0x2335,
                                                     .driver_version = 7,
                                                     .pipeline_cache_uuid = {1, 2, 3, 0xff}};

static const char *prepare(void)
{
    static char path[4096], folder[4096];

    if (path[0] != '\0')
        return path;
    setenv("XDG_CACHE_HOME", testing_path(FUZZ_NAME), 1);
    if (!shw_calibration_file_folder(folder, sizeof folder) || !shw_calibration_file_path(&device, path, sizeof path))
        abort();
    for (char *slash = strchr(folder + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash != NULL)
            *slash = '\0';
        mkdir(folder, 0700);
        if (slash == NULL)
            return path;
        *slash = '/';
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_stored_calibration stored;
    const uint32_t allowed[SHW_STAGE_COUNT] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    enum shw_technique techniques[SHW_STAGE_COUNT];

    fuzz_write(prepare(), data, size);
    if (shw_calibration_file_load(&device, &log, &stored)) {
        if (messages.errors + messages.nameless > 0)
            abort();
        if (shw_calibration_choose(&stored.calibration, &stored.calibration.work, allowed, techniques))
            for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
                if (techniques[s] < SHW_TECHNIQUE_CPU || techniques[s] > SHW_TECHNIQUE_COMPUTE)
                    abort();
        json_decref(shw_calibration_file_json(&stored));
        fuzz_accepted++;
    } else if (messages.errors + messages.nameless > 0) {
        abort();
    }
    return 0;
}
