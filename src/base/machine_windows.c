#include "base/machine.h"

#include "base/windows/wide.h"

#include <psapi.h>

uint64_t shw_machine_memory(void)
{
    MEMORYSTATUSEX status = {.dwLength = sizeof status};

    return GlobalMemoryStatusEx(&status) ? status.ullTotalPhys : (uint64_t)1 << 32;
}

uint64_t shw_process_memory(void)
{
    PROCESS_MEMORY_COUNTERS counters = {.cb = sizeof counters};

    return GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters) ? counters.WorkingSetSize : 0;
}

/* Windows has fewer steps than nice values, and threads do not inherit theirs. */
void shw_low_priority(enum shw_priority lower)
{
    SetThreadPriority(GetCurrentThread(),
                      lower < SHW_PRIORITY_BACKGROUND ? THREAD_PRIORITY_BELOW_NORMAL : THREAD_PRIORITY_LOWEST);
}

uint32_t shw_processor_count(void)
{
    DWORD_PTR own = 0, all = 0;

    if (!GetProcessAffinityMask(GetCurrentProcess(), &own, &all) || own == 0)
        return 1;
    return (uint32_t)__builtin_popcountll(own);
}

uint32_t shw_spare_processors(void)
{
    const DWORD processors = GetActiveProcessorCount(ALL_PROCESSOR_GROUPS);

    return processors > 2 ? (uint32_t)processors - 1 : 1;
}
