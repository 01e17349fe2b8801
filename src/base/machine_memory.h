/* The memory of the machine. */
#ifndef SHW_BASE_MACHINE_MEMORY_H
#define SHW_BASE_MACHINE_MEMORY_H

#include <stdint.h>

/* Bytes that this process can have: all memory of the machine, or less if a control group limits it (version 1 or 2).
 * Free or not. */
uint64_t shw_machine_memory(void);

/* Bytes of memory that this process occupies; 0 if unknown. */
uint64_t shw_process_memory(void);

/* The least limit among the control groups listed in `groups`, in the format of /proc/self/cgroup, and those that
 * contain them; their files are below `root`. UINT64_MAX: no limit. */
uint64_t shw_memory_limit(const char *groups, const char *root);

#endif
