/* Threads that shall not slow down others. */
#ifndef SHW_BASE_LOW_PRIORITY_H
#define SHW_BASE_LOW_PRIORITY_H

/* Lowers the priority of the calling thread, and of those that it creates from now on; without effect where the system
 * does not have that. */
void shw_low_priority(void);

#endif
