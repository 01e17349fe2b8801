/* The commands that a device records, and whether barriers order those that use the same memory: of each command, which
 * ranges of which memory it reads and writes, in which pipeline stages, whatever buffer or image is there. */
#ifndef SHW_EMBED_COMMANDS_H
#define SHW_EMBED_COMMANDS_H

#include "engine.h"

/* Puts functions that take notes into the device's table, from which on all its objects must be made, and into the
 * engine's, with which memory is mapped. One device at a time. */
void commands_watch(struct shw_device *device, struct engine *engine);

/* What follows is another part, for example a stage: accesses of one part in one pipeline stage need no order. */
void commands_next_part(void);

/* Everything noted so far has finished and is visible. */
void commands_finished(void);

/* The number of barriers noted, and whether one is a global memory barrier before all accesses of its part. */
uint32_t commands_barriers(void);
bool commands_begins_part(uint32_t barrier);

/* All pipeline stages of all barriers; whether there is a global one before the first dispatch or draw. */
VkPipelineStageFlags commands_stages(void);
bool commands_begin_globally(void);

/* Barriers that commands_conflict() leaves out: one of the numbers below commands_barriers(), or these. */
#define COMMANDS_NONE       UINT32_MAX
#define COMMANDS_BEGINNINGS (UINT32_MAX - 1) /* all those of commands_begins_part() */

/* Two accesses to the same memory that are not in order, in words; NULL: there are none. Static lifetime until the next
 * call. */
const char *commands_conflict(uint32_t without);

#endif
