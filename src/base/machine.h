/* The machine that the program runs on: memory, processors and priorities. */
#ifndef SHW_BASE_MACHINE_H
#define SHW_BASE_MACHINE_H

#include <stdint.h>

/* The memory of the machine. */

/* Bytes that this process can have: all memory of the machine, or less if a control group limits it (version 1 or 2).
 * Free or not. */
uint64_t shw_machine_memory(void);

/* Bytes of memory that this process occupies; 0 if unknown. */
uint64_t shw_process_memory(void);

/* The least limit among the control groups listed in `groups`, in the format of /proc/self/cgroup, and those that
 * contain them; their files are below `root`. UINT64_MAX: no limit. */
uint64_t shw_memory_limit(const char *groups, const char *root);

/* Threads that must not slow down others. */

/* What people wait for comes before what they do not. Nice values below the window's thread. */
enum shw_priority {
    SHW_PRIORITY_SHOWN = 5,       /* labels, and the training that makes them */
    SHW_PRIORITY_RECORDING = 10,  /* what is lost if it comes too late */
    SHW_PRIORITY_BACKGROUND = 15, /* what will be useful later */
    SHW_PRIORITY_LAST = 19
};

/* Lowers the priority of the calling thread, and of those that it creates from now on; has no effect where the
 * system has no priorities of threads. */
void shw_low_priority(enum shw_priority lower);

/* The number of processors that this process may use: at least 1. */
uint32_t shw_processor_count(void);

/* The number of processors for such threads, which leaves one for the rest: at least 1. */
uint32_t shw_spare_processors(void);

#endif
