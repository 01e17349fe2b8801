#include "bench/warm.h"

#include "bench/roofline_device.h"

#define BYTES     ((uint64_t)256 << 20)
#define RUN_MS    8.0    /* of a dispatch, at least */
#define STEPS_MAX 16384u /* of it */
#define WARM_MS   1500.0 /* what an NVIDIA H200 needs */
#define AGAIN_MS  300.0
#define STILL_MS  100.0 /* shorter idle times need no warming up */

void shw_bench_was_busy(struct shw_bench *bench)
{
    bench->busy_until = shw_bench_now();
}

/* Loads from memory by all processors. */
static enum shw_result load(struct shw_bench *bench, struct shw_roofline_device *roofline, double ms)
{
    struct shw_roofline_case made = {.kernel = &shw_roofline_reads[0]};
    double begun = shw_bench_now(), before;
    uint32_t steps = 1;
    enum shw_result result;

    SHW_TRY(made.kernel->create(roofline, &made));
    while (shw_bench_now() - begun < ms) {
        before = shw_bench_now();
        SHW_TRY(shw_roofline_run(roofline, &made, steps));
        if (shw_bench_now() - before < RUN_MS && steps < STEPS_MAX)
            steps *= 2;
    }

fail:
    shw_roofline_case_destroy(bench->device, &made);
    return result;
}

static enum shw_result warm(struct shw_bench *bench, double ms)
{
    struct shw_roofline_device roofline;
    enum shw_result result;

    if (bench->device == NULL || bench->description.is_cpu)
        return SHW_OK;
    result = shw_roofline_device_create(bench->device, BYTES, NULL, &roofline);
    if (result == SHW_OK)
        result = load(bench, &roofline, ms);
    shw_roofline_device_destroy(&roofline);
    shw_bench_was_busy(bench);
    return result == SHW_ERROR_DEVICE_LOST ? result : SHW_OK; /* without memory for it, work is timed as it is */
}

enum shw_result shw_bench_warm(struct shw_bench *bench)
{
    return shw_bench_now() - bench->busy_until < STILL_MS ? SHW_OK : warm(bench, WARM_MS);
}

enum shw_result shw_bench_warm_again(struct shw_bench *bench)
{
    return warm(bench, AGAIN_MS);
}
