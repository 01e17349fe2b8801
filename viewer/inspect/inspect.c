#include "inspect/inspect.h"

#include "base/image.h"

const uint8_t view_inspect_colours[2][3] = {{230, 159, 0}, {86, 180, 233}};

static void forget(struct view_inspect *inspect)
{
    shw_explanation_free(&inspect->explanation);
    view_shared_forest_release(&inspect->forest);
}

void view_inspect_destroy(struct view_inspect *inspect)
{
    forget(inspect);
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
    if (!inspect->stale && inspect->picture == scene->picture_count && inspect->forest == scene->forest)
        return;
    forget(inspect);
    inspect->forest = view_shared_forest_share(scene->forest);
    inspect->stale = false;
    inspect->picture = scene->picture_count;
    if (view_channels_reader(channels, scene, &reader) == SHW_OK)
        shw_explain(scene->forest->forest, reader, inspect->x, inspect->y, &inspect->explanation);
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

void view_inspect_print(const struct view_inspect *inspect, const struct view_scene *scene, FILE *file)
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
    for (uint32_t t = 0; t < explanation->tree_count; t++)
        fprintf(file, "tree %u: leaf %u after %u tests\n", t, explanation->trees[t].leaf,
                explanation->trees[t].test_count);
}
