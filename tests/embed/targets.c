/* What targets store: results in other formats, probabilities that can be filtered, overlays. Everything is compared
 * with what the technique `cpu` says, converted here as docs/library.md#targets defines it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense/label/labeller.h"
#include "host_allocations.h"
#include "texture.h"

enum { WIDTH = 45, HEIGHT = 33, SLOTS = 2, TREES = 3, CLASSES = 6, TARGETS = 6 };

#define FORMAT(name) VK_FORMAT_##name

static const struct random_forest_params forest_params = {.seed = 12,
                                                          .channels = "rgb,gauss:1",
                                                          .depth = 6,
                                                          .split_percent = 75,
                                                          .trees = TREES,
                                                          .classes = CLASSES,
                                                          .offset_max = 6,
                                                          .size_max = 5};

/* Formats of targets, in the order of struct shw_target_formats. */
static const VkFormat sets[][TARGETS] = {
    {FORMAT(R8_UINT), FORMAT(R16_UINT), FORMAT(R8_UNORM), FORMAT(R8_UNORM), FORMAT(R8G8B8A8_UNORM),
     FORMAT(R8G8B8A8_UNORM)},
    {FORMAT(R16_UINT), FORMAT(R8_UINT), FORMAT(R32_UINT), FORMAT(R32_UINT), FORMAT(R16G16B16A16_UNORM),
     FORMAT(B8G8R8A8_SRGB)},
    {FORMAT(R32_UINT), FORMAT(R32_UINT), FORMAT(R16_UNORM), FORMAT(R16_UNORM), FORMAT(R16G16B16A16_SFLOAT),
     FORMAT(R16G16B16A16_SFLOAT)},
    {FORMAT(R32_UINT), FORMAT(R16_UINT), FORMAT(R8_UINT), FORMAT(R8_UINT), FORMAT(R16G16B16A16_SFLOAT),
     FORMAT(R16G16B16A16_UNORM)},
    {FORMAT(R8_UINT), FORMAT(R32_UINT), FORMAT(R16_UINT), FORMAT(R16_UINT), FORMAT(R8G8B8A8_UNORM),
     FORMAT(A8B8G8R8_SRGB_PACK32)},
    {FORMAT(R8_UINT), FORMAT(R32_UINT), FORMAT(R16_UINT), FORMAT(R8_UNORM), FORMAT(R8G8B8A8_UNORM),
     FORMAT(B8G8R8A8_UNORM)},
};

enum { SETS = sizeof sets / sizeof *sets };

static struct shw_target_formats formats_of(const VkFormat set[TARGETS])
{
    return (struct shw_target_formats){set[0], set[1], set[2], set[3], set[4], set[5]};
}

/* What a format stores, by its name. */
struct store {
    uint32_t components, bits;
    bool is_half, is_swapped;
};

static struct store store_of(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_R8_UINT:
    case VK_FORMAT_R8_UNORM: return (struct store){1, 8, false, false};
    case VK_FORMAT_R16_UINT:
    case VK_FORMAT_R16_UNORM: return (struct store){1, 16, false, false};
    case VK_FORMAT_R32_UINT: return (struct store){1, 32, false, false};
    case VK_FORMAT_B8G8R8A8_UNORM:
    case VK_FORMAT_B8G8R8A8_SRGB: return (struct store){4, 8, false, true};
    case VK_FORMAT_R16G16B16A16_UNORM: return (struct store){4, 16, false, false};
    case VK_FORMAT_R16G16B16A16_SFLOAT: return (struct store){4, 16, true, false};
    default: return (struct store){4, 8, false, false};
    }
}

static uint32_t bytes_of(VkFormat format)
{
    return store_of(format).components * store_of(format).bits / 8;
}

/* Oracles. */

static double half_value(uint32_t bits)
{
    uint32_t exponent = bits >> 10, fraction = bits & 1023;

    return exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, (int)exponent - 25);
}

/* The bits of the half float nearest to code / 65535: halves grow with the code. */
static uint32_t half_of(uint32_t code)
{
    static uint16_t table[65536];
    static bool is_made;
    uint32_t bits = 0;

    for (uint32_t c = 0; !is_made && c < 65536; c++) {
        while (fabs(half_value(bits + 1) - c / 65535.0) < fabs(half_value(bits) - c / 65535.0))
            bits++;
        table[c] = (uint16_t)bits;
    }
    is_made = true;
    return table[code];
}

static uint32_t probability_code(uint32_t p, const struct store *store)
{
    if (store->is_half)
        return half_of(p);
    return store->bits == 8 ? (uint32_t)floor(255.0 * p / 65535 + 0.5) : p;
}

static uint32_t number_code(uint32_t number, uint32_t none, const struct store *store)
{
    return number != none ? number : store->bits == 32 ? 0xffffffffu : (1u << store->bits) - 1;
}

/* A component of the source, of 8 or 16 bits. */
static uint32_t picture_code(const struct shw_image *image, uint32_t pixel, uint32_t component, bool *is_wide)
{
    bool is_grey = image->format == SHW_PIXEL_GREY8 || image->format == SHW_PIXEL_GREY16;
    uint32_t index = is_grey ? pixel : 4 * pixel + component;

    *is_wide = image->format == SHW_PIXEL_GREY16 || image->format == SHW_PIXEL_RGBA16;
    return *is_wide ? ((const uint16_t *)image->pixels)[index] : ((const uint8_t *)image->pixels)[index];
}

struct overlay {
    uint32_t opacity;
    bool by_probability;
    const struct shw_class_paint *paints;
};

static uint32_t overlay_code(const struct shw_image *image, const struct testing_labelling *labels,
                             const struct shw_forest_info *info, const struct overlay *overlay, uint32_t pixel,
                             uint32_t component, uint32_t bits)
{
    uint32_t number = labels->out.argmax[pixel], picture, colour;
    uint64_t weight = overlay->opacity == 0 ? 60 : overlay->opacity;
    bool is_wide;

    if (component == 3)
        return (1u << bits) - 1;
    picture = picture_code(image, pixel, component, &is_wide);
    picture = is_wide && bits == 8 ? picture / 256 : !is_wide && bits == 16 ? 257 * picture : picture;
    if (number == SHW_LABEL_VOID)
        return picture;
    colour =
        overlay->paints != NULL ? overlay->paints[number].colour[component] : info->classes[number].colour[component];
    if (overlay->paints != NULL)
        weight = overlay->paints[number].opacity;
    colour = bits == 16 ? 257 * colour : colour;
    if (!overlay->by_probability)
        return (uint32_t)(((100 - weight) * picture + weight * colour + 50) / 100);
    weight = (weight * 256 * labels->out.distribution[number * labels->width * labels->height + pixel] + 32767) / 65535;
    return (uint32_t)(((25600 - weight) * picture + weight * colour + 12800) / 25600);
}

/* The code of a component of a texel of a layer. */
static uint32_t expected_code(uint32_t target, const struct store *store, const struct shw_image *image,
                              const struct testing_labelling *labels, const struct shw_forest_info *info,
                              const struct overlay *overlay, uint32_t layer, uint32_t pixel, uint32_t component)
{
    uint32_t pixels = labels->width * labels->height;

    switch (target) {
    case 0: return number_code(labels->out.tree_leaf[pixel], SHW_LEAF_NONE, store);
    case 1: return number_code(labels->out.forest_leaves[layer * pixels + pixel], SHW_LEAF_NONE, store);
    case 2: return probability_code(labels->out.distribution[layer * pixels + pixel], store);
    case 3: return number_code(labels->out.argmax[pixel], SHW_LABEL_VOID, store);
    case 4:
        return 4 * layer + component < info->class_count
                   ? probability_code(labels->out.distribution[(4 * layer + component) * pixels + pixel], store)
                   : 0;
    default: {
        uint32_t code = overlay_code(image, labels, info, overlay, pixel, component, store->bits);
        return store->is_half ? half_of(code) : code;
    }
    }
}

static uint32_t layers_of(uint32_t target, const struct shw_forest_info *info)
{
    const uint32_t layers[TARGETS] = {1, info->tree_count, info->class_count, 1, (info->class_count + 3) / 4, 1};

    return layers[target];
}

static void check_texels(const char *what, uint32_t target, VkFormat format, const uint8_t *texels,
                         const struct shw_image *image, const struct testing_labelling *labels,
                         const struct shw_forest_info *info, const struct overlay *overlay)
{
    const struct store store = store_of(format);
    uint32_t pixels = labels->width * labels->height;

    for (uint32_t layer = 0; layer < layers_of(target, info); layer++)
        for (uint32_t pixel = 0; pixel < pixels; pixel++)
            for (uint32_t c = 0; c < store.components; c++) {
                uint32_t component = store.is_swapped && c < 3 ? 2 - c : c, got = 0;
                uint32_t code = expected_code(target, &store, image, labels, info, overlay, layer, pixel, component);
                memcpy(&got, texels + ((layer * pixels + pixel) * store.components + c) * store.bits / 8,
                       store.bits / 8);
                if (got != code)
                    fail_msg("%s: target %u, format %d: component %u of pixel %u of layer %u is %u, not %u", what,
                             target, (int)format, c, pixel, layer, got, code);
            }
}

/* A labelling into all targets of a set of formats. */
struct labelling {
    struct engine_frame work;
    const VkFormat *formats;
    struct shw_image image, depth; /* without pixels: there is no depth */
    struct texture source, depth_source, textures[TARGETS];
    struct shw_image_use source_use, depth_use, uses[TARGETS];
    struct overlay overlay;
};

static void begin(struct scene *scene, const VkFormat *formats, uint32_t kind, uint32_t width, uint32_t height,
                  bool has_depth, struct labelling *labelling)
{
    const struct shw_forest_info *info = shw_forest_get_info(scene->forest);
    struct testing_random random = {17 + kind + width};

    *labelling = (struct labelling){.formats = formats};
    labelling->image = testing_image(&random, width, height, kinds[kind].pixel, 0);
    labelling->source_use = texture_open_image(scene, &kinds[kind], &labelling->image, &labelling->source);
    if (has_depth) {
        labelling->depth = testing_depth(&random, width, height);
        labelling->depth_use = texture_open_image(scene, &depth_kind, &labelling->depth, &labelling->depth_source);
    }
    for (uint32_t t = 0; t < TARGETS; t++) {
        const uint32_t layers = layers_of(t, info);
        const struct texture_params params = {
            formats[t], VK_IMAGE_ASPECT_COLOR_BIT, bytes_of(formats[t]), {width, height}, layers, 1, false, false};
        texture_open(scene, &params, &labelling->textures[t]);
        labelling->uses[t] = texture_part(scene, &labelling->textures[t], 0, layers, 0);
    }
}

static struct shw_label_targets targets_of(const struct labelling *labelling)
{
    const struct shw_image_use *uses = labelling->uses;

    return (struct shw_label_targets){
        .tree_leaf = uses[0],
        .forest_leaves = uses[1],
        .distribution = uses[2],
        .argmax = uses[3],
        .probabilities = uses[4],
        .overlay = {uses[5], labelling->overlay.opacity, labelling->overlay.by_probability, labelling->overlay.paints}};
}

/* `piece`: work at once; 0: everything. */
static void record(struct scene *scene, struct shw_labeller *labeller, uint32_t slot, uint64_t piece,
                   struct labelling *labelling)
{
    const struct shw_input given[2] = {{.use = labelling->source_use},
                                       {.name = SHW_DEPTH, .use = labelling->depth_use}};
    const struct shw_inputs inputs = {labelling->depth.pixels != NULL ? 2 : 1, given};
    const struct shw_label_targets targets = targets_of(labelling);
    unsigned host, device = scene->counts.allocated;

    engine_begin(&scene->engine, &labelling->work);
    host = host_allocations();
    record_labelling(labeller, labelling->work.commands, slot, &inputs, &targets, piece);
    assert_int_equal(host_allocations(), host);
    assert_int_equal(scene->counts.allocated, device);
    engine_submit(&scene->engine, &labelling->work);
}

/* The same targets in memory, by the technique `cpu`: rows and planes with bytes between them, at odd addresses. */
static void check_memory(struct shw_labeller *cpu, const struct shw_inputs *inputs, const char *what,
                         const struct labelling *labelling, const struct testing_labelling *expected,
                         const struct shw_forest_info *info)
{
    struct shw_memory_use uses[TARGETS];
    uint8_t *bytes[TARGETS];
    size_t row[TARGETS], size[TARGETS];

    for (uint32_t t = 0; t < TARGETS; t++) {
        row[t] = (size_t)expected->width * bytes_of(labelling->formats[t]);
        uses[t] = (struct shw_memory_use){.format = labelling->formats[t], .row_stride = row[t] + t};
        uses[t].plane_stride = uses[t].row_stride * expected->height + 3 * t;
        size[t] = 1 + layers_of(t, info) * uses[t].plane_stride;
        bytes[t] = malloc(size[t]);
        assert_non_null(bytes[t]);
        memset(bytes[t], 0xa5, size[t]);
        uses[t].elements = bytes[t] + 1;
    }
    assert_int_equal(
        shw_labeller_run_targets(cpu, inputs,
                                 &(struct shw_memory_targets){uses[0], uses[1], uses[2], uses[3], uses[4], uses[5],
                                                              .opacity = labelling->overlay.opacity,
                                                              .by_probability = labelling->overlay.by_probability,
                                                              .paints = labelling->overlay.paints}),
        SHW_OK);
    for (uint32_t t = 0; t < TARGETS; t++) {
        uint8_t *texels = malloc(layers_of(t, info) * expected->height * row[t]), *to = texels;
        for (size_t layer = 0; layer < layers_of(t, info); layer++)
            for (size_t y = 0; y < expected->height; y++, to += row[t]) {
                uint8_t *from = bytes[t] + 1 + layer * uses[t].plane_stride + y * uses[t].row_stride;
                memcpy(to, from, row[t]);
                memset(from, 0xa5, row[t]);
            }
        for (size_t b = 0; b < size[t]; b++)
            assert_int_equal(bytes[t][b], 0xa5); /* nothing between the rows and the planes was written */
        check_texels(what, t, labelling->formats[t], texels, &labelling->image, expected, info, &labelling->overlay);
        free(texels);
        free(bytes[t]);
    }
}

static void check(struct scene *scene, const struct shw_forest *forest, const char *what, struct labelling *labelling)
{
    const struct shw_labeller_params params = {
        .forest = forest, .outputs = TESTING_ALL_OUTPUTS, .threads = 1, .log = testing_log(&scene->memory)};
    const struct shw_input given[2] = {{.image = labelling->image}, {.name = SHW_DEPTH, .image = labelling->depth}};
    const struct shw_inputs inputs = {labelling->depth.pixels != NULL ? 2 : 1, given};
    struct testing_labelling expected = testing_labelling(forest, labelling->image.width, labelling->image.height);
    struct shw_labeller *cpu = NULL;

    engine_wait(&scene->engine, &labelling->work);
    assert_int_equal(shw_labeller_create(&params, &cpu), SHW_OK);
    assert_int_equal(shw_labeller_run(cpu, &inputs, &expected.out), SHW_OK);
    check_memory(cpu, &inputs, what, labelling, &expected, shw_forest_get_info(forest));
    shw_labeller_destroy(&cpu);
    for (uint32_t t = 0; t < TARGETS; t++) {
        uint8_t *texels = texture_read(scene, &labelling->textures[t], &labelling->uses[t], 1);
        check_texels(what, t, labelling->formats[t], texels, &labelling->image, &expected, shw_forest_get_info(forest),
                     &labelling->overlay);
        free(texels);
    }
    testing_labelling_free(&expected);
}

static void end(struct scene *scene, struct labelling *labelling)
{
    for (uint32_t t = 0; t < TARGETS; t++) {
        scene->engine.vk.DestroyImageView(scene->engine.handle, labelling->uses[t].view, NULL);
        texture_close(scene, &labelling->textures[t]);
    }
    scene->engine.vk.DestroyImageView(scene->engine.handle, labelling->source_use.view, NULL);
    texture_close(scene, &labelling->source);
    if (labelling->depth.pixels != NULL) {
        scene->engine.vk.DestroyImageView(scene->engine.handle, labelling->depth_use.view, NULL);
        texture_close(scene, &labelling->depth_source);
    }
    free((void *)(uintptr_t)labelling->image.pixels);
    free((void *)(uintptr_t)labelling->depth.pixels);
}

static const enum shw_technique techniques[][SHW_STAGE_COUNT] = {
    {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_FRAGMENT},
    {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE},
    {SHW_TECHNIQUE_FRAGMENT, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE},
    {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_FRAGMENT}};

enum { MIXTURES = sizeof techniques / sizeof *techniques };

static struct shw_labeller_params params_of(struct scene *scene, uint32_t mixture, const VkFormat *formats)
{
    const enum shw_technique *of = techniques[mixture];

    return (struct shw_labeller_params){.forest = scene->forest,
                                        .device = scene->device,
                                        .outputs = TESTING_ALL_OUTPUTS,
                                        .channels = of[0],
                                        .integrate = of[1],
                                        .evaluate = of[2],
                                        .width = WIDTH,
                                        .height = HEIGHT,
                                        .slots = SLOTS,
                                        .formats = formats_of(formats),
                                        .log = testing_log(&scene->memory)};
}

/* A labeller that takes the memory that was said. */
static struct shw_labeller *open_labeller(struct scene *scene, const struct shw_labeller_params *params)
{
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_memory memory;
    const struct counts before = scene->counts;

    assert_int_equal(shw_labeller_get_memory(params, &memory), SHW_OK);
    assert_int_equal(shw_labeller_create(params, &labeller), SHW_OK);
    assert_int_equal(scene->counts.bytes - before.bytes, memory.bytes);
    assert_int_equal(scene->counts.mapped_bytes - before.mapped_bytes, memory.mapped_bytes);
    assert_int_equal(scene->counts.allocated - before.allocated, memory.allocations);
    return labeller;
}

static const struct shw_class_paint paints[CLASSES] = {{{255, 0, 1}, 100}, {{0, 255, 17}, 0},  {{3, 4, 5}, 1},
                                                       {{99, 200, 7}, 99}, {{128, 0, 77}, 50}, {{1, 1, 1}, 33}};

/* The overlays of two labellings that are in flight at the same time have other colours. */
static void check_set(struct scene *scene, uint32_t mixture, uint32_t set, uint64_t piece)
{
    static const uint32_t sizes[SLOTS][2] = {{WIDTH, HEIGHT}, {37, 5}};
    const struct shw_labeller_params params = params_of(scene, mixture, sets[set]);
    struct shw_labeller *labeller = open_labeller(scene, &params);
    struct labelling labellings[SLOTS];

    for (uint32_t s = 0; s < SLOTS; s++) {
        begin(scene, sets[set], (set + 2 * s + mixture) % 5, sizes[s][0], sizes[s][1], false, &labellings[s]);
        labellings[s].overlay = (struct overlay){.opacity = 7 * set + 30 * s};
        if (s == set % 2)
            labellings[s].overlay.paints = paints;
    }
    labellings[0].overlay.by_probability = set < 4;
    for (uint32_t s = 0; s < SLOTS; s++)
        record(scene, labeller, s, piece, &labellings[s]);
    for (uint32_t s = 0; s < SLOTS; s++) {
        check(scene, scene->forest, "recorded", &labellings[s]);
        end(scene, &labellings[s]);
    }
    shw_labeller_destroy(&labeller);
}

TESTING_CASE(every_format_stores_what_is_defined)
{
    struct scene scene;

    open_scene(&scene, &forest_params);
    for (uint32_t mixture = 0; mixture < 2; mixture++)
        for (uint32_t set = 0; set < SETS; set++)
            check_set(&scene, mixture, set, 0);
    for (uint32_t mixture = 2; mixture < MIXTURES; mixture++)
        check_set(&scene, mixture, mixture, 0);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

TESTING_CASE(pieces_store_the_same)
{
    struct scene scene;

    open_scene(&scene, &forest_params);
    check_set(&scene, 0, 1, 20000);
    check_set(&scene, 1, 3, 20000);
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

/* Smoothing, levels, tiles, and pixels that are void. */
static void check_forest(const struct random_forest_params *forest, uint32_t set, uint32_t range, bool has_depth)
{
    struct scene scene;

    open_scene(&scene, forest);
    if (range > 0)
        scene.device->properties.limits.maxStorageBufferRange = range;
    for (uint32_t mixture = 0; mixture < 2; mixture++) {
        const struct shw_labeller_params params = params_of(&scene, mixture, sets[set]);
        struct shw_labeller *labeller = open_labeller(&scene, &params);
        struct labelling labelling;

        assert_int_equal(shw_labeller_tiles_recordings(labeller), range > 0 && mixture == 1);
        begin(&scene, sets[set], set % 5, WIDTH, HEIGHT, has_depth, &labelling);
        labelling.overlay = (struct overlay){.opacity = 45, .by_probability = true};
        record(&scene, labeller, 1, 0, &labelling);
        check(&scene, scene.forest, "recorded", &labelling);
        end(&scene, &labelling);
        shw_labeller_destroy(&labeller);
    }
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

TESTING_CASE(smoothed_results_are_stored)
{
    struct random_forest_params forest = forest_params;

    forest.smoothing.radius = 5;
    check_forest(&forest, 0, 0, false);
}

TESTING_CASE(the_uppermost_level_is_stored)
{
    struct random_forest_params forest = forest_params;

    forest.levels = 2;
    check_forest(&forest, 1, 0, false);
}

TESTING_CASE(tiles_are_stored)
{
    struct random_forest_params forest = forest_params;

    forest.offset_max = 3;
    forest.size_max = 3;
    check_forest(&forest, 2, 4 * 6 * 1100, false);
}

TESTING_CASE(void_pixels_are_stored)
{
    const struct random_forest_params forest = {.seed = 2,
                                                .channels = "depth,rgb",
                                                .feature = &shw_feature_depth_mean_difference,
                                                .depth = 5,
                                                .split_percent = 80,
                                                .trees = TREES,
                                                .classes = CLASSES};

    check_forest(&forest, 1, 0, true);
    check_forest(&forest, 0, 0, true);
}

/* A labeller stores results as they are, too, and every other format of the same size. */
TESTING_CASE(formats_of_a_size_are_exchangeable)
{
    static const VkFormat asked[TARGETS] = {FORMAT(R32_UINT),           FORMAT(R32_UINT),
                                            FORMAT(R16_UNORM),          FORMAT(R8_UNORM),
                                            FORMAT(R16G16B16A16_UNORM), FORMAT(A8B8G8R8_UNORM_PACK32)};
    static const VkFormat stated[TARGETS] = {
        FORMAT(R8_UINT),      FORMAT(R16_UINT), FORMAT(R32_UINT), FORMAT(R8_UINT), FORMAT(R16G16B16A16_SFLOAT),
        FORMAT(B8G8R8A8_SRGB)};
    struct scene scene;

    open_scene(&scene, &forest_params);
    for (uint32_t mixture = 0; mixture < 2; mixture++) {
        const struct shw_labeller_params params = params_of(&scene, mixture, stated);
        struct shw_labeller *labeller = open_labeller(&scene, &params);
        struct labelling labelling;

        begin(&scene, asked, 0, WIDTH, HEIGHT, false, &labelling);
        record(&scene, labeller, 0, 0, &labelling);
        check(&scene, scene.forest, "recorded", &labelling);
        end(&scene, &labelling);
        shw_labeller_destroy(&labeller);
    }
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

/* Another forest with fewer classes, in the room of the first. */
TESTING_CASE(forests_are_replaced)
{
    struct random_forest_params other = forest_params;
    struct shw_forest *first;
    struct scene scene;

    other.seed = 5;
    other.classes = 3;
    other.trees = 2;
    open_scene(&scene, &forest_params);
    first = scene.forest;
    for (uint32_t mixture = 0; mixture < 2; mixture++) {
        struct shw_labeller_params params = params_of(&scene, mixture, sets[0]);
        struct shw_forest *second = random_forest(&other);
        struct shw_labeller *labeller;
        struct labelling labelling;

        params.room = (struct shw_forest_room){TREES, CLASSES, 10000};
        labeller = open_labeller(&scene, &params);
        assert_true(shw_labeller_has_room(labeller, second));
        assert_int_equal(shw_labeller_set_forest(labeller, second), SHW_OK);
        scene.forest = second;
        begin(&scene, sets[0], 1, WIDTH, HEIGHT, false, &labelling);
        record(&scene, labeller, 0, 0, &labelling);
        check(&scene, second, "another forest", &labelling);
        end(&scene, &labelling);
        shw_labeller_destroy(&labeller);
        shw_forest_destroy(&second);
        scene.forest = first;
    }
    assert_int_equal(scene.memory.errors, 0);
    close_scene(&scene);
}

TESTING_CASE(formats_are_told)
{
    uint32_t count = 0;

    for (const struct shw_target_format *format; (format = shw_target_format_get(count)) != NULL; count++) {
        assert_int_equal(format->bytes, bytes_of(format->format));
        assert_true(format->targets != 0 && (format->results & ~format->targets) == 0);
    }
    assert_int_equal(count, 13);
    assert_null(shw_target_format_get(UINT32_MAX));
}

static void refused_labeller(struct scene *scene, const struct shw_labeller_params *params, const char *message)
{
    struct shw_labeller *labeller = NULL;
    struct shw_labeller_memory memory;

    assert_int_equal(shw_labeller_create(params, &labeller), SHW_ERROR_ARGUMENT);
    if (strstr(scene->memory.last, message) == NULL)
        fail_msg("\"%s\" does not contain \"%s\"", scene->memory.last, message);
    assert_int_equal(shw_labeller_get_memory(params, &memory), SHW_ERROR_ARGUMENT);
}

TESTING_CASE(wrong_formats_are_refused)
{
    struct random_forest_params many = {.seed = 1, .channels = "rgb", .depth = 3, .classes = 256};
    struct shw_labeller_params params;
    struct scene scene;

    open_scene(&scene, &forest_params);
    params = params_of(&scene, 0, sets[0]);
    params.formats.argmax = VK_FORMAT_R8G8B8A8_UNORM;
    refused_labeller(&scene, &params,
                     "argmax cannot have VK_FORMAT_R8G8B8A8_UNORM: it has R8_UINT, R8_UNORM, R16_UINT, R16_UNORM or "
                     "R32_UINT");
    params = params_of(&scene, 0, sets[0]);
    params.formats.overlay = VK_FORMAT_R8_UNORM;
    refused_labeller(&scene, &params, "overlay cannot have VK_FORMAT_R8_UNORM");
    params = params_of(&scene, 0, sets[0]);
    params.outputs = SHW_OUTPUT_ARGMAX | SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_FOREST_LEAVES;
    refused_labeller(&scene, &params, "a format of distribution is given, but not the output");
    params = params_of(&scene, 0, sets[0]);
    params.width = params.height = 0;
    refused_labeller(&scene, &params, "");
    params = params_of(&scene, 0, sets[0]);
    params.forest = random_forest(&many);
    refused_labeller(&scene, &params, "argmax in R8_UNORM has numbers below 255, and the forest has 256");
    shw_forest_destroy((struct shw_forest **)(uintptr_t)&params.forest);
    close_scene(&scene);
}

static void refused(struct scene *scene, struct shw_labeller *labeller, const struct labelling *labelling,
                    struct shw_label_targets targets, const char *message)
{
    struct engine_frame frame;

    engine_begin(&scene->engine, &frame);
    assert_int_equal(shw_labeller_record(labeller, frame.commands, 0, SHW_COLOUR_USE(labelling->source_use), &targets),
                     SHW_ERROR_ARGUMENT);
    if (strstr(scene->memory.last, message) == NULL)
        fail_msg("\"%s\" does not contain \"%s\"", scene->memory.last, message);
    engine_submit(&scene->engine, &frame);
    engine_wait(&scene->engine, &frame);
}

TESTING_CASE(wrong_targets_are_refused)
{
    const struct shw_class_paint loud[CLASSES] = {[CLASSES - 1] = {{0}, 101}};
    struct shw_labeller_params params;
    struct shw_label_targets targets;
    struct shw_labeller *labeller;
    struct labelling labelling;
    struct scene scene;

    open_scene(&scene, &forest_params);
    params = params_of(&scene, 0, sets[0]);
    labeller = open_labeller(&scene, &params);
    begin(&scene, sets[0], 0, WIDTH, HEIGHT, false, &labelling);
    targets = targets_of(&labelling);
    targets.argmax.format = VK_FORMAT_R32_UINT;
    refused(&scene, labeller, &labelling, targets, "argmax has VK_FORMAT_R32_UINT, but the labeller was not created");
    targets = targets_of(&labelling);
    targets.probabilities.format = VK_FORMAT_R8_UNORM;
    refused(&scene, labeller, &labelling, targets, "probabilities cannot have VK_FORMAT_R8_UNORM");
    targets = targets_of(&labelling);
    targets.probabilities.layers = 3;
    refused(&scene, labeller, &labelling, targets, "probabilities must have 2 layers");
    targets = targets_of(&labelling);
    targets.overlay.use.extent.width--;
    refused(&scene, labeller, &labelling, targets, "overlay must have 1 layer and be as large as the source");
    targets = targets_of(&labelling);
    targets.overlay.opacity = 101;
    refused(&scene, labeller, &labelling, targets, "an opacity is at most 100 percent");
    targets.overlay.opacity = 0;
    targets.overlay.paints = loud;
    refused(&scene, labeller, &labelling, targets, "an opacity is at most 100 percent");
    targets = targets_of(&labelling);
    targets.overlay.use = labelling.source_use;
    refused(&scene, labeller, &labelling, targets, "colour and overlay are the same subresource");
    shw_labeller_destroy(&labeller);
    params.outputs = SHW_OUTPUT_ARGMAX;
    params.formats = (struct shw_target_formats){.overlay = VK_FORMAT_R8G8B8A8_UNORM};
    labeller = open_labeller(&scene, &params);
    targets = (struct shw_label_targets){.overlay = {.use = labelling.uses[5], .by_probability = true}};
    refused(&scene, labeller, &labelling, targets, "needs SHW_OUTPUT_DISTRIBUTION");
    shw_labeller_destroy(&labeller);
    end(&scene, &labelling);
    close_scene(&scene);
}
