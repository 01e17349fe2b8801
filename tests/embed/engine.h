/* A small engine that is not ours: its own instance, device, queue and command buffers, made by Vulkan calls alone,
 * under the validation layers where they are installed. */
#ifndef SHW_EMBED_ENGINE_H
#define SHW_EMBED_ENGINE_H

#include "testing/testing.h"

#include "vulkan/memory.h"

#define ENGINE_VERSION VK_API_VERSION_1_3

struct engine {
    void *library;
    PFN_vkGetInstanceProcAddr get;
    VkInstance instance;
    const char *extensions[2];        /* of the instance */
    const char *device_extensions[4]; /* none unless asked for */
    uint32_t extension_count, device_extension_count;
    bool synchronization2;
    VkDebugUtilsMessengerEXT messenger;
    VkDebugReportCallbackEXT callback; /* without debug utils */
    VkPhysicalDevice physical;
    VkDevice handle;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    struct shw_vk vk;
    unsigned messages; /* of the validation layers */
};

/* Skips the test where there is no device. */
void engine_open(struct engine *engine);

/* The same without VK_EXT_debug_utils: messages arrive through the older VK_EXT_debug_report. */
void engine_open_without_names(struct engine *engine);

/* With features of the device. */
void engine_open_with(struct engine *engine, const VkPhysicalDeviceFeatures *features);

/* With those of up to four extensions that the device has: engine->device_extensions. */
void engine_open_extended(struct engine *engine, const char *const *extensions, uint32_t count);

/* With the feature synchronization2, where the device has it. */
void engine_open_synchronized(struct engine *engine);

/* Fails the test if the validation layers have said anything. */
void engine_close(struct engine *engine);

/* One frame's commands and their fence. */
struct engine_frame {
    VkCommandBuffer commands;
    VkFence fence;
};
void engine_begin(struct engine *engine, struct engine_frame *frame);
void engine_submit(struct engine *engine, struct engine_frame *frame);
void engine_wait(struct engine *engine, struct engine_frame *frame); /* and ends the frame */

#endif
