/* Threads that shall not slow down others. */
#ifndef SHW_BASE_LOW_PRIORITY_H
#define SHW_BASE_LOW_PRIORITY_H

#include <stdint.h>

/* What people wait for comes before what they do not. Nice values below the window's thread. */
enum shw_priority {
    SHW_PRIORITY_SHOWN = 5,       /* labels, and the training that makes them */
    SHW_PRIORITY_RECORDING = 10,  /* what is lost if it comes too late */
    SHW_PRIORITY_BACKGROUND = 15, /* what will be useful later */
    SHW_PRIORITY_LAST = 19
};

/* Lowers the priority of the calling thread, and of those that it creates from now on; without effect where the system
 * does not have that. */
void shw_low_priority(enum shw_priority lower);

/* How many processors there are for such threads beside one for the rest: at least 1. */
uint32_t shw_spare_processors(void);

#endif
