#include "base/log.h"
#include "bench/bench.h"

enum shw_result shw_bench_viewer(struct shw_bench *bench)
{
    return shw_fail(&bench->log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "the suite viewer runs shadewood-viewer in a process of its own, which it cannot on Windows");
}
