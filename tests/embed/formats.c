/* The formats of inputs: every code that a format can store, on the device against the technique `cpu`, along with
 * inputs of other formats. The tests' channel kind `stored` shows a plane's values as they are read. */
#include <stdlib.h>
#include <string.h>

#include "channel_rig.h"
#include "dense/channels/pixels.h"
#include "dense/own_kinds.h"
#include "texture.h"

enum { SIDE = 256, COUNT = SIDE * SIDE };

static const struct shw_channel_kind stored = {.version = SHW_CHANNEL_KIND_VERSION,
                                               .name = "stored",
                                               .channel_count = 4,
                                               .channels = own_heat_channels,
                                               .input = "plane",
                                               .code = &shw_channel_code_stored};
static const struct shw_channel_kinds stored_kinds = {{&stored}};

/* Component `c` of texel i: all 65536 values, in another order for each. */
static uint32_t component(uint32_t i, uint32_t c)
{
    return (i * (2 * c + 1) + 257 * c) & 0xffffu;
}

/* Texels of a format, as it stores them. */
static uint8_t *make_texels(const struct shw_source_format *format)
{
    size_t element = shw_pixel_size(format->pixel);
    uint8_t *texels = malloc(COUNT * element), *to = texels;

    assert_non_null(texels);
    for (uint32_t i = 0; i < COUNT; i++, to += element) {
        uint32_t r = component(i, 0), g = component(i, 1), b = component(i, 2), a = component(i, 3);
        const uint8_t bytes[] = {(uint8_t)r, (uint8_t)g, (uint8_t)b, (uint8_t)a};
        const uint16_t words[] = {(uint16_t)r, (uint16_t)g, (uint16_t)b, (uint16_t)a};
        uint32_t packed = (r & 1023) | (g & 1023) << 10 | (b & 1023) << 20 | a << 30;
        memcpy(to,
               format->pixel == SHW_PIXEL_A2B10G10R10 ? (void *)&packed
               : format->bits == 8                    ? (void *)bytes
                                                      : (void *)words,
               element);
    }
    return texels;
}

/* What is read of texels as a plane: the codes of the first component, as 8-bit or 16-bit grey. */
static struct shw_image make_plane(const struct shw_source_format *format, const uint8_t *texels)
{
    size_t element = shw_pixel_size(format->pixel), size = format->bits / 8;
    uint8_t *values = malloc(COUNT * size);

    assert_non_null(values);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t codes[3];
        uint16_t code;
        if (shw_pixel_is_plain(format->pixel)) {
            memcpy(values + i * size, texels + i * element, size);
            continue;
        }
        shw_pixel_codes(format->pixel, texels + i * element, codes);
        code = (uint16_t)codes[0];
        memcpy(values + i * size, &code, size);
    }
    return (struct shw_image){values, SIDE, SIDE, 0, size == 2 ? SHW_PIXEL_GREY16 : SHW_PIXEL_GREY8};
}

/* An input of that format, on the host and on the device. */
struct source {
    const struct shw_source_format *format;
    struct texture texture;
    struct shw_image_use use;
    struct shw_image image, plane; /* as a colour image and as a plane */
};

static void open_source(struct scene *scene, const struct shw_source_format *format, struct source *source)
{
    const struct texture_params params = {.format = format->format,
                                          .aspect = format->aspect,
                                          .element = (uint32_t)shw_pixel_size(format->pixel),
                                          .extent = {SIDE, SIDE},
                                          .layers = 1,
                                          .mips = 1};

    source->format = format;
    source->image = (struct shw_image){make_texels(format), SIDE, SIDE, 0, format->pixel};
    source->plane = make_plane(format, source->image.pixels);
    texture_open(scene, &params, &source->texture);
    texture_write(scene, &source->texture, 0, 0, source->image.pixels);
    source->use = texture_part(scene, &source->texture, 0, 1, 0);
}

static void close_source(struct scene *scene, struct source *source)
{
    scene->engine.vk.DestroyImageView(scene->engine.handle, source->use.view, NULL);
    texture_close(scene, &source->texture);
    free((void *)(uintptr_t)source->image.pixels);
    free((void *)(uintptr_t)source->plane.pixels);
}

static void compare(struct channel_rig *rig, const struct source sources[2], const int16_t *expected)
{
    const struct shw_image_use parts[2] = {sources[0].use, sources[1].use};
    int16_t *got = channel_rig_run(rig, parts, &(const struct shw_depth){0});

    for (uint32_t i = 0; i < rig->list->channel_count * COUNT; i++)
        if (got[i] != expected[i])
            fail_msg("channel %u of %s with %s by %s: pixel %u is %d, not %d", i / COUNT, sources[0].format->name,
                     sources[1].format->name, rig->form == SHW_PLANES_IMAGE ? "fragment" : "compute", i % COUNT, got[i],
                     expected[i]);
    free(got);
}

static struct shw_channel_list parse_channels(void)
{
    struct shw_channel_list list;

    assert_int_equal(shw_channel_list_parse("rgb,stored", &stored_kinds, NULL, &list), SHW_OK);
    assert_int_equal(list.input_count, 2);
    return list;
}

/* Of those that colours can have, which come first; the others are in depth.c. */
static uint32_t format_count(void)
{
    uint32_t count = 0;

    while (shw_source_format_get(count) != NULL && shw_source_format_get(count)->bits <= 16)
        count++;
    return count;
}

/* Every format once as a colour image and once as a plane, along with all kinds of others. */
TESTING_CASE(every_code_is_read)
{
    struct random_forest_params forest = {.seed = 1, .channels = "rgb", .depth = 1, .trees = 1, .classes = 2};
    struct shw_channel_list list = parse_channels();
    int16_t *expected = malloc(sizeof *expected * list.channel_count * COUNT);
    uint32_t count = format_count();
    struct channel_rig fragment, compute;
    struct scene scene;

    assert_non_null(expected);
    open_scene(&scene, &forest);
    channel_rig_open(&scene, &list, SHW_PLANES_IMAGE, SIDE, SIDE, &fragment);
    channel_rig_open(&scene, &list, SHW_PLANES_BUFFER, SIDE, SIDE, &compute);
    for (uint32_t f = 0; f < count; f++) {
        struct source sources[2];
        open_source(&scene, shw_source_format_get(f), &sources[0]);
        open_source(&scene, shw_source_format_get((5 * f + 3) % count), &sources[1]);
        assert_int_equal(shw_channels_cpu(&list,
                                          &(struct shw_channel_images){.of = {&sources[0].image, &sources[1].plane}},
                                          NULL, expected, NULL),
                         SHW_OK);
        compare(&fragment, sources, expected);
        compare(&compute, sources, expected);
        close_source(&scene, &sources[0]);
        close_source(&scene, &sources[1]);
    }
    free(expected);
    channel_rig_close(&fragment);
    channel_rig_close(&compute);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

/* Their codes are tested in tests/dense/shared.c. */
static bool is_float(enum shw_pixel_format pixel)
{
    return pixel == SHW_PIXEL_RGBA16_FLOAT || pixel == SHW_PIXEL_GREY16_FLOAT || pixel == SHW_PIXEL_B10G11R11_FLOAT;
}

/* What a plane's channels say of the stored codes, as the format promises. */
TESTING_CASE(codes_are_as_documented)
{
    struct shw_channel_list list = parse_channels();
    int16_t *channels = malloc(sizeof *channels * list.channel_count * COUNT);

    assert_non_null(channels);
    for (uint32_t f = 0; f < format_count(); f++) {
        const struct shw_source_format *format = shw_source_format_get(f);
        uint8_t *texels = make_texels(format);
        struct shw_image image = {texels, SIDE, SIDE, 0, format->pixel}, plane = make_plane(format, texels);
        assert_int_equal(
            shw_channels_cpu(&list, &(struct shw_channel_images){.of = {&image, &plane}}, NULL, channels, NULL),
            SHW_OK);
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t first = component(i, format->pixel == SHW_PIXEL_BGRA8 ? 2 : 0);
            uint32_t code = (uint32_t)channels[3 * COUNT + i] << 8 | (uint32_t)channels[4 * COUNT + i];
            if (format->bits == 8)
                assert_int_equal(code, first & 255);
            else if (format->pixel == SHW_PIXEL_A2B10G10R10)
                assert_int_equal(code, ((first & 1023) * 2 * 65535 + 1023) / 2046);
            else if (!is_float(format->pixel))
                assert_int_equal(code, first);
        }
        free(texels);
        free((void *)(uintptr_t)plane.pixels);
    }
    free(channels);
}

TESTING_CASE(formats_are_told)
{
    static const struct {
        VkFormat format;
        uint32_t bits;
    } asked[] = {{VK_FORMAT_R8G8B8A8_UNORM, 8},
                 {VK_FORMAT_R8G8B8A8_SRGB, 8},
                 {VK_FORMAT_B8G8R8A8_UNORM, 8},
                 {VK_FORMAT_B8G8R8A8_SRGB, 8},
                 {VK_FORMAT_A8B8G8R8_UNORM_PACK32, 8},
                 {VK_FORMAT_A8B8G8R8_SRGB_PACK32, 8},
                 {VK_FORMAT_R8_UINT, 8},
                 {VK_FORMAT_R16G16B16A16_UNORM, 16},
                 {VK_FORMAT_R16_UNORM, 16},
                 {VK_FORMAT_R16G16B16A16_SFLOAT, 16},
                 {VK_FORMAT_R16_SFLOAT, 16},
                 {VK_FORMAT_B10G11R11_UFLOAT_PACK32, 16},
                 {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 16},
                 {VK_FORMAT_R32_SFLOAT, 32},
                 {VK_FORMAT_D32_SFLOAT, 32},
                 {VK_FORMAT_D32_SFLOAT_S8_UINT, 32},
                 {VK_FORMAT_X8_D24_UNORM_PACK32, 24},
                 {VK_FORMAT_D24_UNORM_S8_UINT, 24}};

    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        const struct shw_source_format *format = shw_source_format_find(asked[i].format);
        assert_non_null(format);
        assert_int_equal(format->format, asked[i].format);
        assert_int_equal(format->bits, asked[i].bits);
    }
    for (uint32_t f = 0; shw_source_format_get(f) != NULL; f++)
        assert_ptr_equal(shw_source_format_find(shw_source_format_get(f)->format), shw_source_format_get(f));
    assert_null(shw_source_format_find(VK_FORMAT_R8G8B8A8_SNORM));
    assert_null(shw_source_format_find(VK_FORMAT_S8_UINT));
    assert_null(shw_source_format_get(UINT32_MAX));
}

/* A labeller's recording: depth in 16 bits along with a colour image of 8, and what cannot be mixed. */
static void check_mixture(struct scene *scene, VkFormat colour, VkFormat depth, enum shw_result expected,
                          const char *message)
{
    static const struct shw_channel_kind deep = {.version = SHW_CHANNEL_KIND_VERSION,
                                                 .name = "deep",
                                                 .channel_count = 4,
                                                 .channels = own_heat_channels,
                                                 .input = SHW_DEPTH,
                                                 .code = &shw_channel_code_stored};
    const struct random_forest_params forest_params = {.seed = 5,
                                                       .channels = "rgb,deep",
                                                       .kinds = {{&deep}},
                                                       .depth = 6,
                                                       .split_percent = 80,
                                                       .trees = 2,
                                                       .classes = 3};
    struct shw_forest *forest = random_forest(&forest_params);
    struct shw_labeller *labeller = NULL, *cpu = NULL;
    const struct shw_labeller_params params = {.forest = forest,
                                               .device = scene->device,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .width = SIDE,
                                               .height = SIDE,
                                               .slots = 1,
                                               .log = testing_log(&scene->memory)};
    const struct texture_params target = {.format = VK_FORMAT_R16_UINT,
                                          .aspect = VK_IMAGE_ASPECT_COLOR_BIT,
                                          .element = 2,
                                          .extent = {SIDE, SIDE},
                                          .layers = 1,
                                          .mips = 1};
    uint16_t *labels = malloc(sizeof *labels * COUNT), *got;
    struct shw_label_targets targets = {0};
    struct source sources[2];
    struct texture texture;
    struct engine_frame frame;
    enum shw_result result;

    assert_non_null(labels);
    open_source(scene, shw_source_format_find(colour), &sources[0]);
    open_source(scene, shw_source_format_find(depth), &sources[1]);
    sources[0].use.aspect = sources[1].use.aspect = 0; /* that of the format */
    texture_open(scene, &target, &texture);
    targets.argmax = texture_part(scene, &texture, 0, 1, 0);
    const struct shw_input input[2] = {{.image = sources[0].image, .use = sources[0].use},
                                       {.name = SHW_DEPTH, .image = sources[1].image, .use = sources[1].use}};
    const struct shw_inputs inputs = {2, input};

    assert_int_equal(shw_labeller_create(&params, &labeller), SHW_OK);
    engine_begin(&scene->engine, &frame);
    result = shw_labeller_record(labeller, frame.commands, 0, &inputs, &targets);
    engine_submit(&scene->engine, &frame);
    engine_wait(&scene->engine, &frame);
    assert_int_equal(result, expected);
    if (expected == SHW_OK) {
        assert_int_equal(
            shw_labeller_create(&(struct shw_labeller_params){.forest = forest, .outputs = SHW_OUTPUT_ARGMAX}, &cpu),
            SHW_OK);
        assert_int_equal(shw_labeller_run(cpu, &inputs, &(struct shw_labelling){.argmax = labels}), SHW_OK);
        got = texture_read(scene, &texture, &targets.argmax, 1);
        assert_memory_equal(got, labels, sizeof *labels * COUNT);
        free(got);
    } else if (strstr(scene->memory.last, message) == NULL) {
        fail_msg("\"%s\" does not contain \"%s\"", scene->memory.last, message);
    }
    shw_labeller_destroy(&cpu);
    shw_labeller_destroy(&labeller);
    scene->engine.vk.DestroyImageView(scene->engine.handle, targets.argmax.view, NULL);
    texture_close(scene, &texture);
    close_source(scene, &sources[0]);
    close_source(scene, &sources[1]);
    free(labels);
    shw_forest_destroy(&forest);
}

TESTING_CASE(inputs_have_formats_of_their_own)
{
    struct random_forest_params forest = {.seed = 1, .channels = "rgb", .depth = 1, .trees = 1, .classes = 2};
    struct scene scene;

    open_scene(&scene, &forest);
    check_mixture(&scene, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R16_UINT, SHW_OK, NULL);
    check_mixture(&scene, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_D16_UNORM, SHW_OK, NULL);
    check_mixture(&scene, VK_FORMAT_R16_UINT, VK_FORMAT_R16_UNORM, SHW_OK, NULL);
    check_mixture(&scene, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8_UNORM, SHW_ERROR_ARGUMENT,
                  "the input depth must have 16 bits");
    close_scene(&scene);
}
