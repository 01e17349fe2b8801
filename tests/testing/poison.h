/* Device memory that is not zero when it is allocated, as on most devices, so that reading what nobody wrote shows. */
#ifndef SHW_TESTING_POISON_H
#define SHW_TESTING_POISON_H

#include "vulkan/device.h"

/* From now on, for what this device allocates in memory that the host can map. At most four devices. */
void testing_poison(struct shw_device *device);

#endif
