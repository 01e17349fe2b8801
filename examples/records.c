/* Records of an engine, evaluated in its frame.
 *
 * The engine keeps 1,000 particles in a buffer on the device: four attributes and then four numbers of its own. A
 * forest tells what becomes of a particle, and shw_record_evaluator_record() writes that for all of them into another
 * buffer, in the engine's command buffer: nothing goes to the host and back. (Here it is read afterwards, to be printed
 * and compared with the technique `serial`.)
 *
 * Everything with `vk` is the engine's. It needs the Vulkan loader at run time and is not linked with it. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/shadewood.h>

enum { PARTICLES = 1000, ATTRIBUTES = 4, WIDTH = 8, CLASSES = 3, SKIPPED = 77 };

static const char *const attribute_names[ATTRIBUTES] = {"height", "speed", "age", "temperature"};
static const char *const class_names[CLASSES] = {"keep", "freeze", "remove"};

/* --- The forest --- */

/* if age <= 8: if height <= 0.5 and speed <= 0.1: freeze, otherwise keep; otherwise remove. What is missing goes left.
 */
static struct shw_record_forest *make_forest(void)
{
    const struct shw_record_tree tree = {.node_count = 7};
    const struct shw_record_node nodes[] = {
        {.is_split = true, .attribute = 2, .threshold = shw_record_threshold_at_most(8.0), .left = 1, .source = 0},
        {.is_split = true, .attribute = 0, .threshold = shw_record_threshold_at_most(0.5), .left = 3, .source = 1},
        {.left = 2, .leaf = 0, .source = 2},
        {.is_split = true, .attribute = 1, .threshold = shw_record_threshold_at_most(0.1), .left = 5, .source = 3},
        {.left = 4, .leaf = 1, .source = 4},
        {.left = 5, .leaf = 2, .source = 5},
        {.left = 6, .leaf = 3, .source = 6},
    };
    /* Of each leaf, a number for each class. */
    const int32_t values[] = {0, 0, 1, 1, 0, 0, 0, 1, 0, 1, 0, 0};
    const struct shw_record_forest_info info = {.task = SHW_RECORD_CLASSES,
                                                .attribute_count = ATTRIBUTES,
                                                .output_count = CLASSES,
                                                .class_count = CLASSES,
                                                .attribute_names = attribute_names,
                                                .class_names = class_names,
                                                .values_per_leaf = CLASSES,
                                                .tree_count = 1,
                                                .node_count = 7,
                                                .leaf_count = 4,
                                                .trees = &tree,
                                                .nodes = nodes,
                                                .leaf_values = values};
    struct shw_record_forest *forest = NULL;

    return shw_record_forest_create(&info, NULL, &forest) == SHW_OK ? forest : NULL;
}

/* --- The engine --- */

#define VULKAN_VERSION VK_API_VERSION_1_3 /* where the device has no more than 1.1, that is what is used */

#define FUNCTIONS(X)                                                                                                   \
    X(AllocateCommandBuffers)                                                                                          \
    X(AllocateMemory)                                                                                                  \
    X(BeginCommandBuffer)                                                                                              \
    X(BindBufferMemory)                                                                                                \
    X(CmdPipelineBarrier)                                                                                              \
    X(CreateBuffer)                                                                                                    \
    X(CreateCommandPool)                                                                                               \
    X(DestroyBuffer)                                                                                                   \
    X(DestroyCommandPool)                                                                                              \
    X(DestroyDevice)                                                                                                   \
    X(EndCommandBuffer)                                                                                                \
    X(FreeMemory)                                                                                                      \
    X(GetBufferMemoryRequirements)                                                                                     \
    X(GetDeviceQueue)                                                                                                  \
    X(MapMemory)                                                                                                       \
    X(QueueSubmit)                                                                                                     \
    X(QueueWaitIdle)

struct engine {
    PFN_vkGetInstanceProcAddr get;
    VkInstance instance;
    VkPhysicalDevice physical;
    VkDevice device;
    uint32_t family;
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands;
#define MEMBER(name) PFN_vk##name name;
    FUNCTIONS(MEMBER)
#undef MEMBER
};

/* A buffer that host and device see. */
struct buffer {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *mapped;
};

static PFN_vkVoidFunction find(const struct engine *engine, const char *name)
{
    return engine->get(engine->instance, name);
}

static bool open_instance(struct engine *engine)
{
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VULKAN_VERSION};
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .pApplicationInfo = &application};
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    PFN_vkCreateInstance create;
    uint32_t count = 1;

    if (library == NULL)
        return false;
    *(void **)&engine->get = dlsym(library, "vkGetInstanceProcAddr");
    create = (PFN_vkCreateInstance)find(engine, "vkCreateInstance");
    return create != NULL && create(&info, NULL, &engine->instance) == VK_SUCCESS &&
           ((PFN_vkEnumeratePhysicalDevices)find(engine, "vkEnumeratePhysicalDevices"))(
               engine->instance, &count, &engine->physical) >= VK_SUCCESS &&
           count > 0;
}

static bool open_device(struct engine *engine)
{
    static const float priority = 1.0f;
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, .queueCreateInfoCount = 1, .pQueueCreateInfos = &queue};
    PFN_vkGetDeviceProcAddr get = (PFN_vkGetDeviceProcAddr)find(engine, "vkGetDeviceProcAddr");

    ((PFN_vkGetPhysicalDeviceQueueFamilyProperties)find(engine, "vkGetPhysicalDeviceQueueFamilyProperties"))(
        engine->physical, &count, families);
    while (engine->family < count && (families[engine->family].queueFlags & VK_QUEUE_COMPUTE_BIT) == 0)
        engine->family++;
    queue.queueFamilyIndex = engine->family;
    if (engine->family == count || ((PFN_vkCreateDevice)find(engine, "vkCreateDevice"))(engine->physical, &info, NULL,
                                                                                        &engine->device) != VK_SUCCESS)
        return false;
#define LOAD(name) engine->name = (PFN_vk##name)get(engine->device, "vk" #name);
    FUNCTIONS(LOAD)
#undef LOAD
    engine->GetDeviceQueue(engine->device, engine->family, 0, &engine->queue);
    return true;
}

static bool open_commands(struct engine *engine)
{
    const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                          .queueFamilyIndex = engine->family};
    VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                        .commandBufferCount = 1};

    if (engine->CreateCommandPool(engine->device, &pool, NULL, &engine->pool) != VK_SUCCESS)
        return false;
    info.commandPool = engine->pool;
    return engine->AllocateCommandBuffers(engine->device, &info, &engine->commands) == VK_SUCCESS;
}

static bool make_buffer(const struct engine *engine, VkDeviceSize size, struct buffer *buffer)
{
    const VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, .size = size, .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT};
    VkPhysicalDeviceMemoryProperties memory;
    VkMemoryRequirements requirements;
    VkMemoryAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};

    ((PFN_vkGetPhysicalDeviceMemoryProperties)find(engine, "vkGetPhysicalDeviceMemoryProperties"))(engine->physical,
                                                                                                   &memory);
    if (engine->CreateBuffer(engine->device, &info, NULL, &buffer->buffer) != VK_SUCCESS)
        return false;
    engine->GetBufferMemoryRequirements(engine->device, buffer->buffer, &requirements);
    allocate.allocationSize = requirements.size;
    while ((requirements.memoryTypeBits >> allocate.memoryTypeIndex & 1) == 0 ||
           (memory.memoryTypes[allocate.memoryTypeIndex].propertyFlags & wanted) != wanted)
        allocate.memoryTypeIndex++; /* Vulkan guarantees that there is one */
    return engine->AllocateMemory(engine->device, &allocate, NULL, &buffer->memory) == VK_SUCCESS &&
           engine->BindBufferMemory(engine->device, buffer->buffer, buffer->memory, 0) == VK_SUCCESS &&
           engine->MapMemory(engine->device, buffer->memory, 0, VK_WHOLE_SIZE, 0, &buffer->mapped) == VK_SUCCESS;
}

static void free_buffer(const struct engine *engine, struct buffer *buffer)
{
    engine->DestroyBuffer(engine->device, buffer->buffer, NULL);
    engine->FreeMemory(engine->device, buffer->memory, NULL);
}

static void fill_particles(float *particles)
{
    for (uint32_t p = 0; p < PARTICLES; p++, particles += WIDTH) {
        particles[0] = (float)(p % 10) / 10.0f;
        particles[1] = (float)(p % 7) / 20.0f;
        particles[2] = (float)(p % 11);
        particles[3] = 293.0f;
        for (uint32_t own = ATTRIBUTES; own < WIDTH; own++)
            particles[own] = -1.0f;
    }
}

/* --- The frame --- */

static enum shw_result record_frame(const struct engine *engine, struct shw_record_evaluator *evaluator,
                                    const struct buffer *particles, const struct buffer *fates)
{
    const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    const struct shw_record_source source = {.buffer = particles->buffer,
                                             .count = PARTICLES,
                                             .attribute_count = WIDTH,
                                             .record_stride = WIDTH,
                                             .attribute_stride = 1,
                                             .before_stage = VK_PIPELINE_STAGE_HOST_BIT, /* who has written it */
                                             .before_access = VK_ACCESS_HOST_WRITE_BIT};
    const struct shw_record_target target = {.classes = {fates->buffer, 0},
                                             .before_stage = VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, /* nobody */
                                             .after_stage = VK_PIPELINE_STAGE_HOST_BIT,         /* who will read it */
                                             .after_access = VK_ACCESS_HOST_READ_BIT};
    enum shw_result result;

    if (engine->BeginCommandBuffer(engine->commands, &begin) != VK_SUCCESS)
        return SHW_ERROR_MEMORY;
    result = shw_record_evaluator_record(evaluator, engine->commands, 0, &source, &target);
    return engine->EndCommandBuffer(engine->commands) == VK_SUCCESS ? result : SHW_ERROR_MEMORY;
}

static bool submit_frame(const struct engine *engine)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &engine->commands};

    return engine->QueueSubmit(engine->queue, 1, &submit, VK_NULL_HANDLE) == VK_SUCCESS &&
           engine->QueueWaitIdle(engine->queue) == VK_SUCCESS;
}

/* The same on the host. */
static enum shw_result evaluate(const struct shw_record_forest *forest, const float *particles, uint32_t *fates)
{
    const struct shw_record_evaluator_params params = {.forest = forest, .technique = SHW_RECORD_SERIAL};
    const struct shw_records records = {.values = particles,
                                        .count = PARTICLES,
                                        .attribute_count = WIDTH,
                                        .record_stride = WIDTH,
                                        .attribute_stride = 1};
    const struct shw_record_results results = {.classes = fates};
    struct shw_record_evaluator *evaluator = NULL;
    enum shw_result result = shw_record_evaluator_create(&params, &evaluator);

    if (result == SHW_OK)
        result = shw_record_evaluator_run(evaluator, &records, &results);
    shw_record_evaluator_destroy(&evaluator);
    return result;
}

static bool compare(const struct shw_record_forest *forest, const struct buffer *particles, const struct buffer *fates)
{
    static uint32_t expected[PARTICLES];
    const uint32_t *found = fates->mapped;
    uint32_t counts[CLASSES] = {0};

    if (evaluate(forest, particles->mapped, expected) != SHW_OK || memcmp(found, expected, sizeof expected) != 0)
        return false;
    for (uint32_t p = 0; p < PARTICLES; p++)
        counts[found[p]]++;
    for (uint32_t c = 0; c < CLASSES; c++)
        printf("%s: %u particles\n", class_names[c], counts[c]);
    return true;
}

static bool run_frame(struct engine *engine, struct shw_record_evaluator *evaluator,
                      const struct shw_record_forest *forest)
{
    struct buffer particles = {0}, fates = {0};
    bool good = make_buffer(engine, sizeof(float) * WIDTH * PARTICLES, &particles) &&
                make_buffer(engine, sizeof(uint32_t) * PARTICLES, &fates);

    if (good) {
        fill_particles(particles.mapped);
        good = record_frame(engine, evaluator, &particles, &fates) == SHW_OK && submit_frame(engine) &&
               compare(forest, &particles, &fates);
    }
    free_buffer(engine, &particles);
    free_buffer(engine, &fates);
    return good;
}

int main(void)
{
    struct engine engine = {0};
    struct shw_record_forest *forest = make_forest();
    struct shw_device *device = NULL;
    struct shw_record_evaluator *evaluator = NULL;
    bool good = false;

    if (!open_instance(&engine) || !open_device(&engine) || !open_commands(&engine)) {
        fprintf(stderr, "there is no Vulkan device\n");
        return SKIPPED;
    }
    const struct shw_device_import_params import = {.instance = engine.instance,
                                                    .physical_device = engine.physical,
                                                    .device = engine.device,
                                                    .queue_family = engine.family,
                                                    .api_version = VULKAN_VERSION, /* no extension is enabled */
                                                    .get_instance_proc_addr = engine.get};

    if (forest != NULL && shw_device_import(&import, &device) == SHW_OK) {
        const struct shw_record_evaluator_params params = {
            .forest = forest, .device = device, .technique = SHW_RECORD_COMPUTE};
        good = shw_record_evaluator_create(&params, &evaluator) == SHW_OK && run_frame(&engine, evaluator, forest);
    }
    shw_record_evaluator_destroy(&evaluator);
    shw_device_destroy(&device);
    shw_record_forest_destroy(&forest);
    engine.DestroyCommandPool(engine.device, engine.pool, NULL);
    engine.DestroyDevice(engine.device, NULL);
    ((PFN_vkDestroyInstance)find(&engine, "vkDestroyInstance"))(engine.instance, NULL);
    return good ? 0 : 1;
}
