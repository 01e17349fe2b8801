#include "testing/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/poison.h"

static struct shw_device *device, *plain;
static unsigned messages, reported;

static void receive(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)user;
    if (item == SHW_LOG_VULKAN_VALIDATION) {
        messages++;
        printf("# validation: %s\n", text);
    } else if (level <= SHW_LOG_WARNING) {
        printf("# device: %s\n", text);
    }
    fflush(stdout);
}

static struct shw_device *open_device(bool validation)
{
    const char *index = getenv("SHADEWOOD_DEVICE"), *no_skip = getenv("SHW_NO_SKIP");
    struct shw_device_create_params params = {.index = index != NULL ? (uint32_t)atoi(index) : 0,
                                              .validation = validation,
                                              .log = {.function = receive, .level = SHW_LOG_WARNING}};
    struct shw_device *opened = NULL;
    enum shw_result result = shw_device_create(&params, &opened);

    if (validation && result == SHW_ERROR_UNSUPPORTED && (no_skip == NULL || strcmp(no_skip, "1") != 0)) {
        printf("# without validation layers\n");
        params.validation = false;
        result = shw_device_create(&params, &opened);
    }
    if (result != SHW_OK)
        testing_abandon("no Vulkan device: %s", shw_result_string(result));
    testing_poison(opened);
    return opened;
}

struct shw_device *testing_device(void)
{
    if (device == NULL)
        device = open_device(TESTING_VALIDATION);
    return device;
}

struct shw_device *testing_device_plain(void)
{
    if (plain == NULL)
        plain = open_device(false);
    return plain;
}

void testing_device_check(void)
{
    unsigned fresh = messages - reported;

    reported = messages;
    assert_int_equal(fresh, 0);
}

int testing_device_teardown(void **state)
{
    (void)state;
    shw_device_destroy(&device);
    shw_device_destroy(&plain);
    return messages > 0 ? -1 : 0;
}
