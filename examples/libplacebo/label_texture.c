/* Labels a texture of libplacebo on the Vulkan device that libplacebo has made, and renders the overlay. Part of
 * Shadewood; MIT licence, see LICENSE.
 *
 *     label_texture FOREST.ktx2 PICTURE.ppm LABELS.pgm OVERLAY.ppm
 *
 * Picture, labels and overlay are textures like any other, which pl_vulkan_hold() lends to Shadewood and
 * pl_vulkan_release() gives back; a timeline semaphore says when. Labels have the format r16u: a shader of libplacebo's
 * reads them with texelFetch from a usampler2D. The overlay, the picture under the colours of classes, is what
 * libplacebo renders. */
#include <stdio.h>
#include <stdlib.h>

#include <libplacebo/renderer.h>
#include <libplacebo/vulkan.h>

#include "hosts/host.h"

static pl_vulkan vulkan;

/* libplacebo gives its objects names where it finds the function, whether it has enabled the extension or not. */
static const char *const instance_extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
static const struct pl_vk_inst_params instance = {.opt_extensions = instance_extensions, .num_opt_extensions = 1};

static void need(bool good, const char *what)
{
    check(good ? 0 : -1, what);
}

static void open_host(struct host *host, const char *forest)
{
    struct shw_device_import_params params = {.instance = vulkan->instance,
                                              .physical_device = vulkan->phys_device,
                                              .device = vulkan->device,
                                              .queue_family = (uint32_t)vulkan->queues[0].index,
                                              .api_version = vulkan->api_version,
                                              .device_extensions = vulkan->extensions,
                                              .device_extension_count = (uint32_t)vulkan->num_extensions,
                                              .features = &vulkan->features->features,
                                              .get_instance_proc_addr = vkGetInstanceProcAddr};

    host_open(host, &params, forest);
}

static VkSemaphore create_semaphore(void)
{
    const VkSemaphoreTypeCreateInfo timeline = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
                                                .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
    const VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, .pNext = &timeline};
    VkSemaphore semaphore;

    check(vkCreateSemaphore(vulkan->device, &info, NULL, &semaphore), "vkCreateSemaphore");
    return semaphore;
}

/* A texture of the picture's size; pixels, or NULL for one that is written to. */
static pl_tex create_texture(const char *format, int width, int height, const void *pixels)
{
    pl_tex texture = pl_tex_create(
        vulkan->gpu, pl_tex_params(.w = width, .h = height, .sampleable = true, .initial_data = pixels,
                                   .renderable = pixels == NULL, .host_writable = pixels == NULL,
                                   .host_readable = pixels == NULL, .format = pl_find_named_fmt(vulkan->gpu, format)));

    need(texture != NULL, format);
    return texture;
}

/* A binary PPM file of 8 bits, as a texture with alpha. */
static pl_tex load_picture(const char *path)
{
    FILE *stream = fopen(path, "rb");
    int width, height;
    uint8_t *pixels;
    pl_tex texture;

    need(stream != NULL && fscanf(stream, "P6 %d %d 255", &width, &height) == 2 && fgetc(stream) != EOF, path);
    pixels = calloc((size_t)width * (size_t)height, 4);
    for (size_t i = 0; i < (size_t)width * (size_t)height; i++)
        need(fread(pixels + 4 * i, 1, 3, stream) == 3, path);
    fclose(stream);
    texture = create_texture("rgba8", width, height, pixels);
    free(pixels);
    return texture;
}

/* While Shadewood has a texture, libplacebo waits for the texture's semaphore. */
struct lent {
    pl_tex texture;
    VkSemaphore semaphore;
};
enum { LENT = 1, RETURNED };

static struct shw_image_use hold(struct host *host, const struct lent *lent, VkImageLayout layout)
{
    struct host_image image = {.width = (uint32_t)lent->texture->params.w,
                               .height = (uint32_t)lent->texture->params.h,
                               .before = layout,
                               .after = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                               .ready = {lent->semaphore, LENT},
                               .done = RETURNED};

    image.handle = pl_vulkan_unwrap(vulkan->gpu, lent->texture, &image.format, NULL);
    need(pl_vulkan_hold(vulkan->gpu, lent->texture, layout, (pl_vulkan_sem){lent->semaphore, LENT}), "pl_vulkan_hold");
    return host_use(host, &image);
}

static void label(struct host *host, const struct lent *picture, const struct lent *labels, const struct lent *overlay)
{
    const struct lent *const lent[] = {picture, labels, overlay};
    struct shw_label_targets targets = {0};
    struct shw_image_use colours;

    host_begin(host);
    colours = hold(host, picture, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
    targets.argmax = hold(host, labels, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    targets.overlay.use = hold(host, overlay, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    check(shw_labeller_record(host->labeller, host->commands, 0, SHW_COLOUR_USE(colours), &targets), "labelling");
    vulkan->lock_queue(vulkan, (int)vulkan->queues[0].index, 0);
    host_submit(host);
    vulkan->unlock_queue(vulkan, (int)vulkan->queues[0].index, 0);
    for (int t = 0; t < 3; t++)
        pl_vulkan_release(vulkan->gpu, lent[t]->texture, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                          (pl_vulkan_sem){lent[t]->semaphore, RETURNED});
}

/* Renders the overlay as libplacebo renders any picture. */
static pl_tex render(pl_log log, pl_tex overlay)
{
    pl_renderer renderer = pl_renderer_create(log, vulkan->gpu);
    pl_tex screen = create_texture("rgba8", overlay->params.w, overlay->params.h, NULL);
    struct pl_frame frame = {.num_planes = 1,
                             .planes = {{.texture = overlay, .components = 4, .component_mapping = {0, 1, 2, 3}}},
                             .repr = pl_color_repr_rgb,
                             .color = pl_color_space_srgb};
    struct pl_frame target = frame;

    target.planes[0].texture = screen;
    need(pl_render_image(renderer, &frame, &target, &pl_render_fast_params), "pl_render_image");
    pl_renderer_destroy(&renderer);
    return screen;
}

static void *download(pl_tex texture)
{
    void *pixels = calloc((size_t)texture->params.w * (size_t)texture->params.h, texture->params.format->texel_size);

    need(pl_tex_download(vulkan->gpu, pl_tex_transfer_params(.tex = texture, .ptr = pixels)), "pl_tex_download");
    return pixels;
}

static void write_picture(const char *path, pl_tex texture)
{
    uint8_t *pixels = download(texture);
    FILE *stream = fopen(path, "wb");

    need(stream != NULL, path);
    fprintf(stream, "P6\n%d %d\n255\n", texture->params.w, texture->params.h);
    for (size_t i = 0; i < (size_t)texture->params.w * (size_t)texture->params.h; i++)
        fwrite(pixels + 4 * i, 1, 3, stream);
    check(fclose(stream), path);
    free(pixels);
}

static void write_labels(const char *path, pl_tex texture)
{
    void *labels = download(texture);

    host_write_labels(path, labels, (uint32_t)texture->params.w, (uint32_t)texture->params.h,
                      sizeof(uint16_t) * (size_t)texture->params.w);
    free(labels);
}

int main(int argc, char **argv)
{
    struct lent picture, labels, overlay;
    struct lent *const lent[] = {&picture, &labels, &overlay};
    struct host host;
    pl_tex screen;
    pl_log log;
    int width, height;

    if (argc != 5) {
        fprintf(stderr, "usage: label_texture FOREST.ktx2 PICTURE.ppm LABELS.pgm OVERLAY.ppm\n");
        return 2;
    }
    log = pl_log_create(PL_API_VER, pl_log_params(.log_cb = pl_log_simple, .log_level = PL_LOG_ERR));
    vulkan = pl_vulkan_create(log, pl_vulkan_params(.allow_software = true, .instance_params = &instance));
    if (vulkan == NULL)
        return 77; /* no device */
    picture.texture = load_picture(argv[2]);
    width = picture.texture->params.w;
    height = picture.texture->params.h;
    labels.texture = create_texture("r16u", width, height, NULL);
    overlay.texture = create_texture("rgba8", width, height, NULL);
    for (int t = 0; t < 3; t++)
        lent[t]->semaphore = create_semaphore();

    open_host(&host, argv[1]);
    host_create_labeller(&host, (uint32_t)width, (uint32_t)height);
    label(&host, &picture, &labels, &overlay);
    screen = render(log, overlay.texture);
    write_labels(argv[3], labels.texture);
    write_picture(argv[4], screen);

    host_close(&host);
    pl_tex_destroy(vulkan->gpu, &screen);
    for (int t = 0; t < 3; t++)
        pl_tex_destroy(vulkan->gpu, &lent[t]->texture);
    vkDeviceWaitIdle(vulkan->device); /* libplacebo's commands have waited for the semaphores */
    for (int t = 0; t < 3; t++)
        vkDestroySemaphore(vulkan->device, lent[t]->semaphore, NULL);
    pl_vulkan_destroy(&vulkan);
    pl_log_destroy(&log);
    return 0;
}
