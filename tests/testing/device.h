/* A Vulkan device for tests. */
#ifndef SHW_TESTING_DEVICE_H
#define SHW_TESTING_DEVICE_H

#include "testing/testing.h"

/* The device of index SHADEWOOD_DEVICE (0 if unset), with validation layers where they are installed, but not in builds
 * with sanitizers; made at the first call and kept. Skips the test where there is none. */
struct shw_device *testing_device(void);

/* The same device without validation layers, for many cases: they take half of the time. */
struct shw_device *testing_device_plain(void);

/* Fails the test if the validation layers have said anything since the last call. */
void testing_device_check(void);

/* For cmocka_run_group_tests(): ends the devices, and fails the group on any validation message. */
int testing_device_teardown(void **state);

#endif
