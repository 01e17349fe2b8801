#include "inspect/inspect.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/log.h"
#include "label/classes.h"

const uint8_t view_inspect_colours[2][3] = {{230, 159, 0}, {86, 180, 233}};

static void forget(struct view_inspect *inspect)
{
    shw_explanation_free(&inspect->explanation);
    view_shared_forest_release(&inspect->forest);
    view_smoothed_forget(&inspect->smoothed);
}

void view_inspect_destroy(struct view_inspect *inspect)
{
    forget(inspect);
    view_smoothed_destroy(&inspect->smoothed);
}

void view_inspect_pin(struct view_inspect *inspect, uint32_t x, uint32_t y)
{
    inspect->stale = inspect->stale || inspect->x != x || inspect->y != y;
    inspect->on = inspect->pinned = inspect->pointed = true;
    inspect->x = x;
    inspect->y = y;
}

static void follow(struct view_inspect *inspect, const struct view_scene *scene, const struct view_cursor *cursor)
{
    double across, down;

    if (!inspect->pinned && cursor->on_picture && !scene->instead.on) {
        inspect->pointed = view_scene_find_place(scene, cursor->x, cursor->y, &across, &down);
        if (inspect->pointed && ((uint32_t)across != inspect->x || (uint32_t)down != inspect->y)) {
            inspect->x = (uint32_t)across;
            inspect->y = (uint32_t)down;
            inspect->stale = true;
        }
    }
    inspect->pointed = inspect->pointed && scene->picture != NULL && inspect->x < scene->picture->image.width &&
                       inspect->y < scene->picture->image.height;
}

void view_inspect_update(struct view_inspect *inspect, struct view_channels *channels, const struct view_scene *scene,
                         const struct view_cursor *cursor)
{
    struct shw_channel_reader *reader;

    if (inspect->on)
        follow(inspect, scene, cursor);
    if (!inspect->on || !inspect->pointed || scene->forest == NULL) {
        forget(inspect);
        return;
    }
    if (!inspect->stale && inspect->picture == scene->picture_count && inspect->forest == scene->forest) {
        view_smoothed_poll(&inspect->smoothed, scene, false);
        return;
    }
    forget(inspect);
    inspect->forest = view_shared_forest_share(scene->forest);
    inspect->stale = false;
    inspect->picture = scene->picture_count;
    if (view_channels_reader(channels, scene, shw_forest_get_info(scene->forest->forest)->channel_list, &reader) ==
        SHW_OK)
        shw_explain(scene->forest->forest, reader, inspect->x, inspect->y, &inspect->explanation);
    if (inspect->explanation != NULL && inspect->explanation->argmax != SHW_LABEL_VOID &&
        view_shared_forest_smoothing(scene->forest).radius != SHW_SMOOTHING_NONE)
        view_smoothed_want(&inspect->smoothed, scene, inspect->x, inspect->y);
    view_smoothed_poll(&inspect->smoothed, scene, false);
}

const struct shw_explained_tree *view_inspect_tree(const struct view_inspect *inspect)
{
    uint32_t count = inspect->explanation != NULL ? inspect->explanation->tree_count : 0;

    return count > 0 ? &inspect->explanation->trees[inspect->tree < count ? inspect->tree : count - 1] : NULL;
}

uint32_t view_likeliest(const uint16_t *distribution, uint32_t count)
{
    uint32_t best = 0;

    for (uint32_t c = 1; c < count; c++)
        best = distribution[c] > distribution[best] ? c : best;
    return best;
}

static void add_mark(struct view_inspect *inspect, uint32_t *count, struct shw_image_rectangle rectangle,
                     const uint8_t colour[3])
{
    inspect->marks[(*count)++] = (struct view_mark){rectangle, {colour[0], colour[1], colour[2]}};
}

uint32_t view_inspect_mark(struct view_inspect *inspect)
{
    const struct shw_explained_tree *tree = view_inspect_tree(inspect);
    const uint8_t white[3] = {255, 255, 255};
    uint32_t count = 0;

    for (uint32_t i = 0; tree != NULL && i < tree->test_count; i++) {
        if (inspect->test != VIEW_ALL_TESTS && inspect->test != i)
            continue;
        for (uint32_t r = tree->tests[i].region_count; r > 0; r--) {
            const struct shw_explained_region *region = &tree->tests[i].regions[r - 1];
            add_mark(inspect, &count, region->rectangle, view_inspect_colours[region->region.subtracted]);
        }
    }
    if (inspect->on && inspect->pointed)
        add_mark(inspect, &count, (struct shw_image_rectangle){inspect->x, inspect->y, inspect->x + 1, inspect->y + 1},
                 white);
    return count;
}

uint32_t view_inspect_samples(const struct shw_image *image, uint32_t x, uint32_t y, uint16_t samples[3])
{
    const void *pixel = shw_image_part(image, x, y, 1, 1).pixels;
    bool wide = shw_pixel_is_wide(image->format);
    uint32_t count = shw_pixel_size(image->format) == (wide ? 2u : 1u) ? 1 : 3;

    for (uint32_t s = 0; s < count; s++)
        samples[s] = wide ? ((const uint16_t *)pixel)[s] : ((const uint8_t *)pixel)[s];
    return count;
}

static void print_smoothed(const struct view_inspect *inspect, FILE *file)
{
    const struct view_smoothed *smoothed = &inspect->smoothed;
    const struct shw_class *classes = shw_forest_get_info(inspect->forest->forest)->classes;

    if (smoothed->distribution == NULL)
        return;
    fprintf(file, "smoothed with radius %u: %s\n", smoothed->smoothing.radius, classes[smoothed->argmax].name);
    for (uint32_t c = 0; c < smoothed->classes; c++)
        fprintf(file, "smoothed class %s: %u\n", classes[c].name, smoothed->distribution[c]);
}

void view_inspect_print(struct view_inspect *inspect, const struct view_scene *scene, FILE *file)
{
    const struct shw_explanation *explanation = inspect->explanation;
    uint16_t samples[3];

    if (!inspect->on || !inspect->pointed || scene->picture == NULL)
        return;
    fprintf(file, "pixel %u %u:", inspect->x, inspect->y);
    for (uint32_t s = 0, count = view_inspect_samples(&scene->picture->image, inspect->x, inspect->y, samples);
         s < count; s++)
        fprintf(file, " %u", samples[s]);
    fputc('\n', file);
    if (explanation == NULL)
        return;
    for (uint32_t c = 0; c < explanation->class_count; c++)
        fprintf(file, "class %s: %u\n", shw_forest_get_info(inspect->forest->forest)->classes[c].name,
                explanation->distribution[c]);
    view_smoothed_poll(&inspect->smoothed, scene, true);
    print_smoothed(inspect, file);
    for (uint32_t t = 0; t < explanation->tree_count; t++)
        fprintf(file, "tree %u: leaf %u after %u tests\n", t, explanation->trees[t].leaf,
                explanation->trees[t].test_count);
}

static void forget_texture(const struct view_gpu *gpu, struct view_texture *texture)
{
    view_picture_free(texture->picture);
    texture->picture = NULL;
    texture->pointed = false;
    view_shown_destroy(gpu, &texture->shown);
    view_shared_forest_release(&texture->forest);
}

void view_texture_destroy(const struct view_gpu *gpu, struct view_texture *texture)
{
    forget_texture(gpu, texture);
}

static void swap_places(struct view_texture *texture, struct view_scene *scene)
{
    struct view_place place = scene->place;
    bool fitted = scene->fitted;

    scene->place = texture->place;
    scene->fitted = texture->fitted;
    texture->place = place;
    texture->fitted = fitted;
}

void view_texture_switch(struct view_texture *texture, struct view_scene *scene, bool on)
{
    if (on == scene->instead.on)
        return;
    scene->instead.on = on;
    if (texture->place.zoom == 0) {
        texture->place.zoom = VIEW_ZOOM_ONE;
        texture->fitted = true;
    }
    swap_places(texture, scene);
    if (scene->fitted)
        view_scene_fit(scene);
}

/* A grey value for each word that depends on its upper bits, too. */
static uint8_t fold(uint32_t word)
{
    return (uint8_t)(word ^ word >> 8 ^ word >> 16 ^ word >> 24);
}

/* Leaves have the colour of their likeliest class, distributions those of their classes mixed by probability; splits
 * have colours derived from channels and thresholds, darker ones from rectangles. */
static void colour_texel(const struct shw_forest *forest, const uint8_t (*colours)[3], uint32_t index,
                         const uint32_t *words, uint8_t colour[3])
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_texel texel = shw_forest_get_texel(forest, index);
    struct shw_node node = shw_forest_get_node(forest, texel.tree, texel.node);
    const uint16_t *distribution = node.is_split ? NULL : shw_forest_get_distribution(forest, texel.tree, node.leaf);
    bool first = texel.kind == SHW_TEXEL_NODE;

    memset(colour, 16, 3);
    switch (texel.kind) {
    case SHW_TEXEL_NOTHING: break;
    case SHW_TEXEL_HEADER: memset(colour, 255, 3); break;
    case SHW_TEXEL_TREE: memset(colour, 192, 3); break;
    case SHW_TEXEL_NODE:
    case SHW_TEXEL_FEATURE:
        for (uint32_t k = 0; k < 3; k++) {
            uint8_t full =
                node.is_split ? fold(words[k + 1]) : colours[view_likeliest(distribution, info->class_count)][k];
            colour[k] = first ? full : full / 2;
        }
        break;
    case SHW_TEXEL_DISTRIBUTION:
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t sum = 0;
            for (uint32_t c = texel.first_class; c < texel.first_class + 8 && c < info->class_count; c++)
                sum += distribution[c] * (uint32_t)colours[c][k];
            colour[k] = (uint8_t)((sum + 32767) / 65535);
        }
        break;
    }
}

/* Stacks layers vertically, as many as an image has rows for. */
static struct view_picture *paint(const struct shw_forest *forest, const uint8_t (*colours)[3], uint32_t rows_max)
{
    struct shw_forest_texture texture = shw_forest_get_texture(forest);
    uint32_t layers = texture.height * texture.layers <= rows_max ? texture.layers : rows_max / texture.height;
    size_t texels = (size_t)texture.width * texture.height * layers;
    struct view_picture *picture = calloc(1, sizeof *picture);
    uint8_t *pixels = malloc(texels * 3);

    if (picture == NULL || pixels == NULL) {
        free(picture);
        free(pixels);
        return NULL;
    }
    for (size_t i = 0; i < texels; i++)
        colour_texel(forest, colours, (uint32_t)i, texture.texels + 4 * i, pixels + 3 * i);
    picture->image = (struct shw_image){
        .pixels = pixels, .width = texture.width, .height = texture.height * layers, .format = SHW_PIXEL_RGB8};
    return picture;
}

static struct view_picture *paint_in_colours(const struct view_scene *scene, uint32_t rows_max)
{
    const struct shw_forest_info *info = shw_forest_get_info(scene->forest->forest);
    uint8_t(*colours)[3] = malloc(info->class_count * sizeof *colours);
    struct view_picture *picture;

    if (colours == NULL)
        return NULL;
    for (uint32_t c = 0; c < info->class_count; c++)
        view_shown_colour(scene->colour_blind, info->classes[c].colour, colours[c]);
    picture = paint(scene->forest->forest, (const uint8_t(*)[3])colours, rows_max);
    free(colours);
    return picture;
}

/* Without a picture the overlay has no images of its own yet, but it must have one to draw. */
static enum shw_result make(struct view_texture *texture, struct view_scene *scene)
{
    const struct view_gpu *gpu = scene->labelling.params.gpu;
    bool renewed;

    texture->picture = paint_in_colours(scene, gpu->properties.limits.maxImageDimension2D);
    if (texture->picture == NULL)
        return shw_fail_memory(&scene->log, "the forest's texture");
    SHW_PROPAGATE(view_shown_fit_whole(gpu, texture->picture, &texture->shown, &renewed));
    if (scene->picture == NULL)
        SHW_PROPAGATE(view_overlay_fit(gpu, scene->overlay, VIEW_OVERVIEW, texture->shown.shown.extent));
    texture->upload = true;
    return SHW_OK;
}

static void follow_tree(struct view_texture *texture, const struct view_scene *scene, const struct view_cursor *cursor)
{
    double across, down;

    if (!cursor->on_picture)
        return;
    texture->pointed = view_scene_find_place(scene, cursor->x, cursor->y, &across, &down);
    if (texture->pointed) {
        texture->x = (uint32_t)across;
        texture->y = (uint32_t)down;
    }
}

void view_texture_update(struct view_texture *texture, struct view_scene *scene, const struct view_cursor *cursor)
{
    const struct view_gpu *gpu = scene->labelling.params.gpu;
    bool first = texture->picture == NULL;

    if (scene->forest == NULL)
        view_texture_switch(texture, scene, false);
    if (!scene->instead.on)
        return;
    if (texture->forest != scene->forest || texture->colour_blind != scene->colour_blind) {
        if (view_frames_wait(gpu, scene->labelling.params.frames) != SHW_OK)
            return;
        forget_texture(gpu, texture);
        texture->forest = view_shared_forest_share(scene->forest);
        texture->colour_blind = scene->colour_blind;
        if (scene->forest != NULL && make(texture, scene) != SHW_OK) {
            view_shown_destroy(gpu, &texture->shown);
            view_picture_free(texture->picture);
            texture->picture = NULL;
        }
        scene->instead.image = texture->picture != NULL ? &texture->picture->image : NULL;
        if (scene->fitted || first)
            view_scene_fit(scene);
    }
    if (cursor != NULL)
        follow_tree(texture, scene, cursor);
}

/* The two texels of a node are in the same row; node 0 is at the texel stored for its tree. */
static void mark_node(struct view_texture *texture, uint32_t tree, uint32_t node, const uint8_t colour[3],
                      uint32_t *count)
{
    struct shw_forest_texture texels = shw_forest_get_texture(texture->forest->forest);
    uint32_t first = texels.texels[4 * (1 + (size_t)tree)] + 2 * node, x = first % texels.width,
             y = first / texels.width;

    if (y < texture->picture->image.height)
        texture->marks[(*count)++] = (struct view_mark){{x, y, x + 2, y + 1}, {colour[0], colour[1], colour[2]}};
}

uint32_t view_texture_mark(struct view_texture *texture, const struct view_inspect *inspect)
{
    const struct shw_explained_tree *tree = view_inspect_tree(inspect);
    uint32_t count = 0;

    if (texture->picture == NULL)
        return 0;
    if (tree != NULL && inspect->forest == texture->forest) {
        uint32_t number = (uint32_t)(tree - inspect->explanation->trees);
        for (uint32_t i = 0; i < tree->test_count; i++)
            mark_node(texture, number, tree->tests[i].node, view_inspect_colours[i == inspect->test], &count);
        mark_node(texture, number, tree->node, view_inspect_colours[0], &count);
    }
    if (texture->pointed)
        texture->marks[count++] =
            (struct view_mark){{texture->x, texture->y, texture->x + 1, texture->y + 1}, {255, 255, 255}};
    return count;
}

/* Describes texels in words. */

/* Appends to a text like snprintf(), truncating it at its end. */
struct text {
    char *at;
    size_t left;
};

static void add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct text *text, const char *format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text->at, text->left, format, arguments);
    va_end(arguments);
    if (length < 0 || text->left == 0)
        return;
    length = (size_t)length < text->left ? length : (int)text->left - 1;
    text->at += length;
    text->left -= (size_t)length;
}

/* The sign before region `number` of a feature. */
static const char *sign_of(const struct shw_feature_region *region, uint32_t number)
{
    return region->subtracted ? " - " : number > 0 ? " + " : "";
}

static void tell_node(const struct shw_forest *forest, const struct shw_texel *texel, struct text *text)
{
    const struct shw_channel_list *set = shw_forest_get_info(forest)->channel_list;
    struct shw_node node = shw_forest_get_node(forest, texel->tree, texel->node);
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    uint32_t count;

    add(text, "tree %u, node %u: ", texel->tree, texel->node);
    if (!node.is_split) {
        add(text, "leaf %u", node.leaf);
        return;
    }
    count = shw_forest_get_info(forest)->feature->get_regions(&node.feature, regions);
    for (uint32_t i = 0; i < count; i++)
        add(text, "%s%s", sign_of(&regions[i], i), set->channels[regions[i].channel].name);
    add(text, ", right to %u if ", node.left + 1);
    if (node.t0 > INT32_MIN)
        add(text, "%d <= ", node.t0);
    add(text, "it");
    if (node.t1 < INT32_MAX)
        add(text, " < %d", node.t1);
    add(text, ", else left to %u", node.left);
}

static void tell_regions(const struct shw_forest *forest, const struct shw_texel *texel, struct text *text)
{
    struct shw_node node = shw_forest_get_node(forest, texel->tree, texel->node);
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    uint32_t count;

    add(text, "tree %u, node %u: ", texel->tree, texel->node);
    if (!node.is_split) {
        add(text, "no rectangles, it is a leaf");
        return;
    }
    count = shw_forest_get_info(forest)->feature->get_regions(&node.feature, regions);
    for (uint32_t i = 0; i < count; i++) {
        struct shw_rectangle rect = regions[i].rectangle;
        add(text, "%s[%d..%d, %d..%d]", sign_of(&regions[i], i), rect.x0, rect.x1 - 1, rect.y0, rect.y1 - 1);
    }
}

static void tell_distribution(const struct shw_forest *forest, const struct shw_texel *texel, struct text *text)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const uint16_t *distribution = shw_forest_get_distribution(forest, texel->tree, texel->leaf);
    uint32_t described = 0;

    add(text, "tree %u, leaf %u, node %u:", texel->tree, texel->leaf, texel->node);
    for (uint32_t c = texel->first_class; c < texel->first_class + 8 && c < info->class_count; c++)
        if (distribution[c] > 0)
            add(text, "%s %s %.1f %%", described++ > 0 ? "," : "", info->classes[c].name,
                100.0 * distribution[c] / 65535);
    if (described == 0)
        add(text, " none of the classes from %s on", info->classes[texel->first_class].name);
}

void view_texture_tell(const struct shw_forest *forest, uint32_t x, uint32_t y, char *buffer, size_t size)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_texel texel = shw_forest_get_texel(forest, y * shw_forest_get_texture(forest).width + x);
    struct shw_tree_info tree = shw_forest_get_tree(forest, texel.tree);
    struct text text = {buffer, size};

    switch (texel.kind) {
    case SHW_TEXEL_NOTHING: add(&text, "nothing"); break;
    case SHW_TEXEL_HEADER: add(&text, "header: %u trees, %u classes", info->tree_count, info->class_count); break;
    case SHW_TEXEL_TREE:
        add(&text, "tree %u: %u nodes, %u leaves, ", texel.tree, tree.node_count, tree.node_count / 2 + 1);
        if (tree.leaf_count < tree.node_count / 2 + 1)
            add(&text, "%u distributions, ", tree.leaf_count);
        add(&text, "depth %u", tree.depth);
        break;
    case SHW_TEXEL_NODE: tell_node(forest, &texel, &text); break;
    case SHW_TEXEL_FEATURE: tell_regions(forest, &texel, &text); break;
    case SHW_TEXEL_DISTRIBUTION: tell_distribution(forest, &texel, &text); break;
    }
}

void view_texture_print(const struct view_texture *texture, FILE *file)
{
    char text[512];

    if (texture->picture == NULL || !texture->pointed)
        return;
    view_texture_tell(texture->forest->forest, texture->x, texture->y, text, sizeof text);
    fprintf(file, "texel %u %u: %s\n", texture->x, texture->y, text);
}
