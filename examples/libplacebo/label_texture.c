/* Labels a texture of libplacebo on the Vulkan device that libplacebo has made. Part of Shadewood; MIT licence, see
 * LICENSE.
 *
 *     label_texture FOREST.ktx2 PICTURE.ppm LABELS.pgm
 *
 * Picture and labels are textures like any other, which pl_vulkan_hold() lends to Shadewood and pl_vulkan_release()
 * gives back; a timeline semaphore says when. Labels have the format r16u: a shader of libplacebo's reads them with
 * texelFetch from a usampler2D. */
#include <stdio.h>
#include <stdlib.h>

#include <libplacebo/vulkan.h>
#include <vulkan/vulkan.h>

#include <shadewood/shadewood.h>

static pl_vulkan vulkan;

/* libplacebo gives its objects names where it finds the function, whether it has enabled the extension or not. */
static const char *const instance_extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
static const struct pl_vk_inst_params instance = {.opt_extensions = instance_extensions, .num_opt_extensions = 1};

static void check(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "%s: failed\n", what);
        exit(1);
    }
}

static void print_message(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)user, (void)level, (void)item;
    fprintf(stderr, "%s\n", text);
}

static struct shw_device *import_device(void)
{
    const struct shw_device_import_params params = {.instance = vulkan->instance,
                                                    .physical_device = vulkan->phys_device,
                                                    .device = vulkan->device,
                                                    .queue_family = (uint32_t)vulkan->queues[0].index,
                                                    .api_version = vulkan->api_version,
                                                    .device_extensions = vulkan->extensions,
                                                    .device_extension_count = (uint32_t)vulkan->num_extensions,
                                                    .features = &vulkan->features->features,
                                                    .get_instance_proc_addr = vkGetInstanceProcAddr,
                                                    .log = {.function = print_message}};
    struct shw_device *device;

    check(shw_device_import(&params, &device) == SHW_OK, "the device");
    return device;
}

/* A binary PPM file of 8 bits, as a texture with alpha. */
static pl_tex load_picture(const char *path)
{
    FILE *stream = fopen(path, "rb");
    int width, height;
    uint8_t *pixels;
    pl_tex texture;

    check(stream != NULL && fscanf(stream, "P6 %d %d 255", &width, &height) == 2 && fgetc(stream) != EOF, path);
    pixels = calloc((size_t)width * (size_t)height, 4);
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
        check(fread(pixels + 4 * i, 1, 3, stream) == 3, path);
    fclose(stream);
    texture = pl_tex_create(vulkan->gpu,
                            pl_tex_params(.w = width, .h = height, .sampleable = true,
                                          .format = pl_find_named_fmt(vulkan->gpu, "rgba8"), .initial_data = pixels));
    check(texture != NULL, "the picture's texture");
    free(pixels);
    return texture;
}

static VkSemaphore create_semaphore(void)
{
    const VkSemaphoreTypeCreateInfo timeline = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                                .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &timeline};
    VkSemaphore semaphore;

    check(vkCreateSemaphore(vulkan->device, &info, NULL, &semaphore) == VK_SUCCESS, "vkCreateSemaphore");
    return semaphore;
}

/* A texture as libplacebo hands it over, in the layout `held`, and takes it back. What comes before and after is in
 * other submissions, for which semaphores wait. */
static struct shw_image_use use_of(pl_tex texture, VkImageLayout held, VkImageLayout after)
{
    struct shw_image_use use = {.extent = {(uint32_t)texture->params.w, (uint32_t)texture->params.h},
                                .before = {.layout = held, .stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT},
                                .after = {.layout = after, .stages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT}};

    use.image = pl_vulkan_unwrap(vulkan->gpu, texture, &use.format, NULL);
    return use;
}

static VkImageView create_view(const struct shw_image_use *use)
{
    const VkImageViewCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                                        .image = use->image,
                                        .viewType = VK_IMAGE_VIEW_TYPE_2D,
                                        .format = use->format,
                                        .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
    VkImageView view;

    check(vkCreateImageView(vulkan->device, &info, NULL, &view) == VK_SUCCESS, "vkCreateImageView");
    return view;
}

/* Submits the commands when the semaphore has the value `ready`; it then gets the next one. */
static void submit(VkCommandBuffer commands, VkSemaphore semaphore, uint64_t ready)
{
    static const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const uint64_t done = ready + 1;
    const VkTimelineSemaphoreSubmitInfo values = {.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
                                                  .waitSemaphoreValueCount = 1,
                                                  .pWaitSemaphoreValues = &ready,
                                                  .signalSemaphoreValueCount = 1,
                                                  .pSignalSemaphoreValues = &done};
    const VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                               .pNext = &values,
                               .waitSemaphoreCount = 1,
                               .pWaitSemaphores = &semaphore,
                               .pWaitDstStageMask = &all,
                               .commandBufferCount = 1,
                               .pCommandBuffers = &commands,
                               .signalSemaphoreCount = 1,
                               .pSignalSemaphores = &semaphore};
    VkQueue queue;

    vkGetDeviceQueue(vulkan->device, (uint32_t)vulkan->queues[0].index, 0, &queue);
    vulkan->lock_queue(vulkan, (int)vulkan->queues[0].index, 0);
    check(vkQueueSubmit(queue, 1, &info, VK_NULL_HANDLE) == VK_SUCCESS, "vkQueueSubmit");
    vulkan->unlock_queue(vulkan, (int)vulkan->queues[0].index, 0);
}

static void label(struct shw_labeller *labeller, VkCommandBuffer commands, pl_tex picture, pl_tex labels,
                  VkSemaphore semaphore)
{
    static const VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    static const uint64_t done = 3;
    const VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                      .semaphoreCount = 1,
                                      .pSemaphores = &semaphore,
                                      .pValues = &done};
    struct shw_image_use colours =
        use_of(picture, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    const struct shw_label_targets targets = {
        .argmax = use_of(labels, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL)};

    colours.view = create_view(&colours);
    check(vkBeginCommandBuffer(commands, &begin) == VK_SUCCESS, "vkBeginCommandBuffer");
    check(shw_labeller_record(labeller, commands, 0, SHW_COLOUR_USE(colours), &targets) == SHW_OK, "labelling");
    check(vkEndCommandBuffer(commands) == VK_SUCCESS, "vkEndCommandBuffer");

    check(pl_vulkan_hold(vulkan->gpu, picture, colours.before.layout, (pl_vulkan_sem){semaphore, 1}), "pl_vulkan_hold");
    check(pl_vulkan_hold(vulkan->gpu, labels, targets.argmax.before.layout, (pl_vulkan_sem){semaphore, 2}),
          "pl_vulkan_hold");
    submit(commands, semaphore, 2);
    pl_vulkan_release(vulkan->gpu, picture, colours.after.layout, (pl_vulkan_sem){semaphore, done});
    pl_vulkan_release(vulkan->gpu, labels, targets.argmax.after.layout, (pl_vulkan_sem){semaphore, done});
    /* libplacebo may already go on; the view is needed until the commands have run */
    check(vkWaitSemaphores(vulkan->device, &wait, UINT64_MAX) == VK_SUCCESS, "vkWaitSemaphores");
    vkDestroyImageView(vulkan->device, colours.view, NULL);
}

static void write_labels(pl_tex labels, const char *path)
{
    const size_t count = (size_t)labels->params.w * (size_t)labels->params.h;
    uint16_t *classes = malloc(count * sizeof *classes);
    FILE *stream = fopen(path, "wb");

    check(pl_tex_download(vulkan->gpu, pl_tex_transfer_params(.tex = labels, .ptr = classes)), "pl_tex_download");
    check(stream != NULL, path);
    fprintf(stream, "P5\n%d %d\n255\n", labels->params.w, labels->params.h);
    for (size_t i = 0; i < count; i++)
        fputc(classes[i], stream);
    check(fclose(stream) == 0, path);
    free(classes);
}

int main(int argc, char **argv)
{
    VkCommandPoolCreateInfo pool_info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandBufferCount = 1};
    struct shw_labeller_params params = {.outputs = SHW_OUTPUT_ARGMAX, .log = {.function = print_message}};
    const struct shw_forest_load_params load = {.log = params.log};
    struct shw_forest *forest;
    struct shw_labeller *labeller;
    VkCommandBuffer commands;
    VkSemaphore semaphore;
    pl_tex picture, labels;
    pl_log log;

    if (argc != 4) {
        fprintf(stderr, "usage: label_texture FOREST.ktx2 PICTURE.ppm LABELS.pgm\n");
        return 2;
    }
    log = pl_log_create(PL_API_VER, pl_log_params(.log_cb = pl_log_simple, .log_level = PL_LOG_ERR));
    vulkan = pl_vulkan_create(log, pl_vulkan_params(.allow_software = true, .instance_params = &instance));
    if (vulkan == NULL)
        return 77; /* no device */
    picture = load_picture(argv[2]);
    labels =
        pl_tex_create(vulkan->gpu, pl_tex_params(.w = picture->params.w, .h = picture->params.h, .sampleable = true,
                                                 .renderable = true, .host_writable = true, .host_readable = true,
                                                 .format = pl_find_named_fmt(vulkan->gpu, "r16u")));
    check(labels != NULL, "the texture of labels");

    check(shw_forest_load(argv[1], &load, &forest) == SHW_OK, "the forest");
    params.device = import_device();
    params.forest = forest;
    params.width = (uint32_t)picture->params.w;
    params.height = (uint32_t)picture->params.h;
    check(shw_labeller_create(&params, &labeller) == SHW_OK, "the labeller");
    pool_info.queueFamilyIndex = (uint32_t)vulkan->queues[0].index;
    check(vkCreateCommandPool(vulkan->device, &pool_info, NULL, &allocate.commandPool) == VK_SUCCESS,
          "vkCreateCommandPool");
    check(vkAllocateCommandBuffers(vulkan->device, &allocate, &commands) == VK_SUCCESS, "vkAllocateCommandBuffers");
    semaphore = create_semaphore();

    label(labeller, commands, picture, labels, semaphore);
    write_labels(labels, argv[3]);

    shw_labeller_destroy(&labeller);
    shw_forest_destroy(&forest);
    shw_device_destroy(&params.device);
    pl_tex_destroy(vulkan->gpu, &picture);
    pl_tex_destroy(vulkan->gpu, &labels);
    vkDeviceWaitIdle(vulkan->device); /* libplacebo's commands have waited for the semaphore */
    vkDestroySemaphore(vulkan->device, semaphore, NULL);
    vkDestroyCommandPool(vulkan->device, allocate.commandPool, NULL);
    pl_vulkan_destroy(&vulkan);
    pl_log_destroy(&log);
    return 0;
}
