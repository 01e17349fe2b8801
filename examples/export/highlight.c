/* A forest in an engine that knows nothing of Shadewood: Vulkan, what `shadewood export --to glsl` wrote, and a shader
 * of the engine's own. Part of Shadewood; MIT licence, see LICENSE.
 *
 *     highlight FOLDER IMAGE.ppm PICTURE.ppm LABELS.pgm
 *
 * FOLDER has forest.json and forest.rgba32ui, and as SPIR-V the passes forest-1.spv and so on, and highlight.spv
 * (highlight.sh compiles them). The forest reads colours and integral images. */
#include <jansson.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vulkan/vulkan.h>

#define IMAGES 16
#define OUT    5 /* binding */

struct image {
    char name[32];
    VkImage handle;
    VkImageView view;
    uint32_t width, height, layers;
};

static VkPhysicalDevice physical;
static VkDevice device;
static VkQueue queue;
static VkCommandBuffer commands;
static VkDescriptorSetLayout set_layout, picture_layout;
static VkDescriptorPool pool;
static VkPipelineLayout layout;
static struct image images[IMAGES];
static uint32_t image_count;
static const char *folder;

static _Noreturn void fail(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

static void check(VkResult result, const char *what)
{
    if (result != VK_SUCCESS)
        fail("%s: VkResult %d", what, result);
}

static void *read_file(const char *name, const char *ending, size_t *size)
{
    char path[1024];
    FILE *stream;
    void *bytes;

    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    stream = fopen(path, "rb");
    if (stream == NULL)
        fail("cannot open %s", path);
    fseek(stream, 0, SEEK_END);
    *size = (size_t)ftell(stream);
    rewind(stream);
    bytes = malloc(*size);
    if (bytes == NULL || fread(bytes, 1, *size, stream) != *size)
        fail("cannot read %s", path);
    fclose(stream);
    return bytes;
}

static void open_device(void)
{
    static const float priority = 1;
    const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                           .apiVersion = VK_API_VERSION_1_1};
    const VkInstanceCreateInfo instance_info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                                .pApplicationInfo = &application};
    const VkDeviceQueueCreateInfo queue_info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &priority};
    const VkPhysicalDeviceFeatures features = {.shaderStorageImageExtendedFormats = VK_TRUE};
    const VkDeviceCreateInfo device_info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                                            .queueCreateInfoCount = 1,
                                            .pQueueCreateInfos = &queue_info,
                                            .pEnabledFeatures = &features};
    const VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                               .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 1};
    uint32_t count = 1;
    VkInstance instance;

    check(vkCreateInstance(&instance_info, NULL, &instance), "vkCreateInstance");
    if (vkEnumeratePhysicalDevices(instance, &count, &physical) < VK_SUCCESS || count == 0) {
        fprintf(stderr, "no Vulkan device\n");
        exit(77);
    }
    check(vkCreateDevice(physical, &device_info, NULL, &device), "vkCreateDevice");
    vkGetDeviceQueue(device, 0, 0, &queue);
    check(vkCreateCommandPool(device, &pool_info, NULL, &allocate.commandPool), "vkCreateCommandPool");
    check(vkAllocateCommandBuffers(device, &allocate, &commands), "vkAllocateCommandBuffers");
}

static void begin(void)
{
    const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};

    check(vkBeginCommandBuffer(commands, &info), "vkBeginCommandBuffer");
}

/* Everything before is done before everything after. */
static void wait_for_all(void)
{
    const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
                                     .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                     .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};

    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1,
                         &barrier, 0, NULL, 0, NULL);
}

static void end(void)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &commands};

    check(vkEndCommandBuffer(commands), "vkEndCommandBuffer");
    check(vkQueueSubmit(queue, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
}

static VkDeviceMemory allocate(VkMemoryRequirements needs, VkMemoryPropertyFlags flags)
{
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, .allocationSize = needs.size};
    VkPhysicalDeviceMemoryProperties properties;
    VkDeviceMemory memory;

    vkGetPhysicalDeviceMemoryProperties(physical, &properties);
    while ((needs.memoryTypeBits >> info.memoryTypeIndex & 1) == 0 ||
           (properties.memoryTypes[info.memoryTypeIndex].propertyFlags & flags) != flags)
        info.memoryTypeIndex++;
    check(vkAllocateMemory(device, &info, NULL, &memory), "vkAllocateMemory");
    return memory;
}

/* Between an image, in the layout GENERAL, and memory of the host. */
static void copy(const struct image *image, void *bytes, size_t size, VkBool32 back)
{
    const VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                     .size = size,
                                     .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    const VkBufferImageCopy region = {.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, image->layers},
                                      .imageExtent = {image->width, image->height, 1}};
    VkMemoryRequirements needs;
    VkDeviceMemory memory;
    VkBuffer buffer;
    void *mapped;

    check(vkCreateBuffer(device, &info, NULL, &buffer), "vkCreateBuffer");
    vkGetBufferMemoryRequirements(device, buffer, &needs);
    memory = allocate(needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    check(vkBindBufferMemory(device, buffer, memory, 0), "vkBindBufferMemory");
    check(vkMapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), "vkMapMemory");
    if (!back)
        memcpy(mapped, bytes, size);
    begin();
    if (back)
        vkCmdCopyImageToBuffer(commands, image->handle, VK_IMAGE_LAYOUT_GENERAL, buffer, 1, &region);
    else
        vkCmdCopyBufferToImage(commands, buffer, image->handle, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    wait_for_all();
    end();
    if (back)
        memcpy(bytes, mapped, size);
    vkDestroyBuffer(device, buffer, NULL);
    vkFreeMemory(device, memory, NULL);
}

static VkFormat format_of(const char *name)
{
    return strcmp(name, "VK_FORMAT_R16_SINT") == 0            ? VK_FORMAT_R16_SINT
           : strcmp(name, "VK_FORMAT_R32_UINT") == 0          ? VK_FORMAT_R32_UINT
           : strcmp(name, "VK_FORMAT_R16_UINT") == 0          ? VK_FORMAT_R16_UINT
           : strcmp(name, "VK_FORMAT_R32G32B32A32_UINT") == 0 ? VK_FORMAT_R32G32B32A32_UINT
                                                              : VK_FORMAT_R8G8B8A8_UNORM;
}

static struct image *add_image(const char *name, VkFormat format, uint32_t width, uint32_t height, uint32_t layers,
                               VkBool32 is_array, VkImageUsageFlags usage)
{
    struct image *image = &images[image_count++];
    const VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = format,
                                    .extent = {width, height, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = layers,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = usage};
    VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                  .viewType = is_array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D,
                                  .format = format,
                                  .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, layers}};
    VkImageMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
                                    .dstAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
                                    .newLayout = VK_IMAGE_LAYOUT_GENERAL,
                                    .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
                                    .subresourceRange = view.subresourceRange};
    VkMemoryRequirements needs;

    if (image_count == IMAGES)
        fail("too many images");
    *image = (struct image){.width = width, .height = height, .layers = layers};
    snprintf(image->name, sizeof image->name, "%s", name);
    check(vkCreateImage(device, &info, NULL, &image->handle), "vkCreateImage");
    vkGetImageMemoryRequirements(device, image->handle, &needs);
    check(vkBindImageMemory(device, image->handle, allocate(needs, 0), 0), "vkBindImageMemory");
    view.image = barrier.image = image->handle;
    check(vkCreateImageView(device, &view, NULL, &image->view), "vkCreateImageView");
    begin();
    vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
    end();
    return image;
}

static const struct image *find_image(const char *name)
{
    for (uint32_t i = 0; i < image_count; i++)
        if (strcmp(images[i].name, name) == 0)
            return &images[i];
    fail("the forest reads %s, which this program does not have", name);
}

static uint32_t number(const json_t *object, const char *member)
{
    return (uint32_t)json_integer_value(json_object_get(object, member));
}

static const char *text(const json_t *object, const char *member)
{
    const char *found = json_string_value(json_object_get(object, member));

    return found != NULL ? found : "";
}

static void create_layouts(void)
{
    VkDescriptorSetLayoutBinding bindings[8],
        picture = {0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 1, VK_SHADER_STAGE_ALL, NULL};
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, .bindingCount = 8, .pBindings = bindings};
    const VkDescriptorPoolSize sizes[] = {{VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 128},
                                          {VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, 32}};
    const VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO, .maxSets = 16, .poolSizeCount = 2, .pPoolSizes = sizes};

    for (uint32_t b = 0; b < 8; b++)
        bindings[b] = (VkDescriptorSetLayoutBinding){
            b, b == OUT ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, 1, VK_SHADER_STAGE_ALL,
            NULL};
    check(vkCreateDescriptorSetLayout(device, &info, NULL, &set_layout), "vkCreateDescriptorSetLayout");
    info.bindingCount = 1;
    info.pBindings = &picture;
    check(vkCreateDescriptorSetLayout(device, &info, NULL, &picture_layout), "vkCreateDescriptorSetLayout");
    check(vkCreateDescriptorPool(device, &pool_info, NULL, &pool), "vkCreateDescriptorPool");
}

static VkPipeline create_pipeline(const char *name, uint32_t set_count, const VkDescriptorSetLayout *sets)
{
    const VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = set_count, .pSetLayouts = sets};
    VkShaderModuleCreateInfo module = {.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    VkComputePipelineCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                                  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                                                  .pName = "main"}};
    void *words = read_file(name, ".spv", &module.codeSize);
    VkPipeline pipeline;

    module.pCode = words;
    check(vkCreateShaderModule(device, &module, NULL, &info.stage.module), "vkCreateShaderModule");
    check(vkCreatePipelineLayout(device, &layout_info, NULL, &layout), "vkCreatePipelineLayout");
    info.layout = layout;
    check(vkCreateComputePipelines(device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline), "vkCreateComputePipelines");
    free(words);
    return pipeline;
}

static VkDescriptorSet make_set(VkDescriptorSetLayout of)
{
    const VkDescriptorSetAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                              .descriptorPool = pool,
                                              .descriptorSetCount = 1,
                                              .pSetLayouts = &of};
    VkDescriptorSet set;

    check(vkAllocateDescriptorSets(device, &info, &set), "vkAllocateDescriptorSets");
    return set;
}

static void write_set(VkDescriptorSet set, uint32_t binding, VkDescriptorType type, const struct image *image)
{
    const VkDescriptorImageInfo info = {VK_NULL_HANDLE, image->view, VK_IMAGE_LAYOUT_GENERAL};
    const VkWriteDescriptorSet write = {.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
                                        .dstSet = set,
                                        .dstBinding = binding,
                                        .descriptorCount = 1,
                                        .descriptorType = type,
                                        .pImageInfo = &info};

    vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
}

static VkDescriptorSet set_of(const json_t *pass)
{
    VkDescriptorSet set = make_set(set_layout);
    const json_t *read;
    size_t i;

    json_array_foreach(json_object_get(pass, "reads"), i, read)
        write_set(set, number(read, "binding"), VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE, find_image(text(read, "image")));
    return set;
}

/* A pass of the description. */
static void run_pass(const json_t *pass, uint32_t width, uint32_t height)
{
    const struct image *out = find_image(text(pass, "writes"));
    const uint32_t which = number(pass, "pass");
    VkDescriptorSet set = set_of(pass);
    char name[32];
    VkPipeline pipeline;

    snprintf(name, sizeof name, "forest-%u", which);
    pipeline = create_pipeline(name, 1, &set_layout);
    write_set(set, OUT, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, out);
    begin();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, NULL);
    if (which == 5 || which == 6)
        vkCmdDispatch(commands, which == 5 ? out->height : out->width, out->layers, 1);
    else
        vkCmdDispatch(commands, (width + 7) / 8, (height + 7) / 8, number(pass, "groups"));
    wait_for_all();
    end();
}

/* The engine's own shader: the forest is its set 1. */
static void run_own(const json_t *label_pass, const struct image *picture)
{
    const VkDescriptorSetLayout layouts[] = {picture_layout, set_layout};
    const VkDescriptorSet sets[] = {make_set(picture_layout), set_of(label_pass)};
    VkPipeline pipeline = create_pipeline("highlight", 2, layouts);

    write_set(sets[0], 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, picture);
    begin();
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 2, sets, 0, NULL);
    vkCmdDispatch(commands, (picture->width + 7) / 8, (picture->height + 7) / 8, 1);
    wait_for_all();
    end();
}

/* A binary PPM file of 8 bits as R8G8B8A8. */
static uint8_t *read_picture(const char *path, uint32_t *width, uint32_t *height)
{
    FILE *stream = fopen(path, "rb");
    uint8_t *texels;

    if (stream == NULL || fscanf(stream, "P6 %u %u 255", width, height) != 2 || fgetc(stream) == EOF)
        fail("%s is no PPM file of 8 bits", path);
    texels = calloc(4, (size_t)*width * *height);
    for (size_t i = 0; texels != NULL && i < (size_t)*width * *height; i++)
        if (fread(texels + 4 * i, 1, 3, stream) != 3)
            fail("%s is too short", path);
    fclose(stream);
    return texels;
}

/* The colours, or the labels, which are in alpha. */
static void write_picture(const char *path, const uint8_t *texels, uint32_t width, uint32_t height, VkBool32 labels)
{
    FILE *stream = fopen(path, "wb");

    if (stream == NULL)
        fail("cannot write %s", path);
    fprintf(stream, "P%d\n%u %u\n255\n", labels ? 5 : 6, width, height);
    for (size_t i = 0; i < (size_t)width * height; i++)
        fwrite(texels + 4 * i + (labels ? 3 : 0), 1, labels ? 1 : 3, stream);
    if (fclose(stream) != 0)
        fail("cannot write %s", path);
}

int main(int argc, char **argv)
{
    const VkImageUsageFlags sampled = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const VkImageUsageFlags written =
        VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    uint32_t width, height;
    const json_t *entry, *table;
    json_t *forest;
    uint8_t *texels;
    size_t i, size;
    void *bytes;

    if (argc != 5)
        fail("usage: highlight FOLDER IMAGE.ppm PICTURE.ppm LABELS.pgm");
    folder = argv[1];
    bytes = read_file("forest", ".json", &size);
    forest = json_loadb(bytes, size, 0, NULL);
    free(bytes);
    table = json_object_get(forest, "table");
    texels = read_picture(argv[2], &width, &height);
    open_device();
    create_layouts();

    copy(add_image("colour", VK_FORMAT_R8G8B8A8_UNORM, width, height, 1, VK_FALSE, sampled), texels,
         (size_t)4 * width * height, VK_FALSE);
    bytes = read_file("forest", ".rgba32ui", &size);
    copy(add_image("table", VK_FORMAT_R32G32B32A32_UINT, number(table, "width"), number(table, "height"),
                   number(table, "layers"), number(table, "layers") > 1, sampled),
         bytes, size, VK_FALSE);
    free(bytes);
    json_array_foreach(json_object_get(forest, "images"), i, entry)
        add_image(text(entry, "name"), format_of(text(entry, "format")), width + number(entry, "larger"),
                  height + number(entry, "larger"), number(entry, "layers"), VK_TRUE, written);
    add_image("picture", VK_FORMAT_R8G8B8A8_UNORM, width, height, 1, VK_FALSE, written);

    json_array_foreach(json_object_get(forest, "passes"), i, entry) if (number(entry, "pass") == 7)
        run_own(entry, find_image("picture"));
    else run_pass(entry, width, height);
    copy(find_image("picture"), texels, (size_t)4 * width * height, VK_TRUE);
    write_picture(argv[3], texels, width, height, VK_FALSE);
    write_picture(argv[4], texels, width, height, VK_TRUE);
    free(texels);
    json_decref(forest);
    return 0; /* the device's objects end with the process */
}
