#include "files/output/cascade_text.h"

#include <math.h>
#include <stdio.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "detection/cascade/cascade.h"
#include "files/output/forest_text.h"

#define BAR 40

static double to_score(const struct shw_cascade_info *info, int32_t value)
{
    return ldexp(value, -(int)info->fraction_bits);
}

/* "24 x 24", or "any size". */
static void format_window(const struct shw_cascade_info *info, char text[static 32])
{
    if (info->window_width > 0)
        snprintf(text, 32, "%u x %u", info->window_width, info->window_height);
    else
        snprintf(text, 32, "any size");
}

void shw_print_cascade_line(const struct shw_cascade *cascade)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    char window[32];

    format_window(info, window);
    printf("%s, kind %s, window %s, %u stages, %u trees, %u nodes (hash %016llx)\n", shw_printable(info->name).text,
           shw_cascade_kind_name(info->kind), window, info->stage_count, info->tree_count, info->node_count,
           (unsigned long long)shw_cascade_hash(cascade));
}

static void print_planes(const struct shw_cascade_info *info)
{
    const struct shw_cascade_planes *planes = &info->planes;

    printf("  planes        blocks of %u x %u%s%s%s\n", planes->shrink, planes->shrink,
           planes->blur_before ? ", blurred before" : "", planes->blur_after ? ", blurred after" : "",
           planes->octaves ? ", by octaves" : "");
    printf("  levels        %u per octave\n", info->levels_per_octave);
}

/* After 0, 1, 2, 4, 8 and so on stages, and after the last one. */
static void print_survivors(const struct shw_cascade_info *info)
{
    uint64_t all = info->survivors[0];

    printf("\nwindows left after stages\n");
    for (uint32_t s = 0; s <= info->stage_count;) {
        double part = all > 0 ? (double)info->survivors[s] / (double)all : 0;
        printf("  %6u  %14llu  %12.6f %%  ", s, (unsigned long long)info->survivors[s], 100 * part);
        for (int i = 0; i < (int)(part * BAR); i++)
            putchar('#');
        putchar('\n');
        s = s == 0 ? 1 : s < info->stage_count && 2 * s > info->stage_count ? info->stage_count : 2 * s;
    }
}

void shw_print_cascade(const struct shw_cascade *cascade, const char *path, long long file_bytes)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    const struct shw_cascade_texture texture = shw_cascade_get_texture(cascade);
    char window[32];

    format_window(info, window);
    printf("%s\n", shw_printable(path).text);
    printf("  file          %lld bytes, texture %u x %u\n", file_bytes, texture.width, texture.height);
    printf("  hash          %016llx\n", (unsigned long long)shw_cascade_hash(cascade));
    printf("  finds         %s\n", shw_printable(info->name).text);
    printf("  kind          %s\n", shw_cascade_kind_name(info->kind));
    printf("  window        %s\n", window);
    printf("  stages        %u with %u trees, %u nodes\n", info->stage_count, info->tree_count, info->node_count);
    printf("  depth         %u tests at most\n", cascade->depth);
    if (info->feature_count > 0)
        printf("  features      %u\n", info->feature_count);
    if (shw_cascade_get_traits(info->kind)->has_pyramid)
        print_planes(info);
    else
        printf("  scale factor  %g\n", info->scale_factor);
    printf("  scores        %u fraction bits; %s; reported less %g\n", info->fraction_bits,
           info->restarts ? "from zero in each stage" : "running on from stage to stage",
           to_score(info, info->score_base));
    if (info->has_min_score)
        printf("  least score   %g\n", to_score(info, info->min_score));
    shw_print_provenance(info->training, NULL);
    if (info->survivors != NULL)
        print_survivors(info);
}

static json_t *describe_stages(const struct shw_cascade_info *info)
{
    json_t *stages = json_array();

    for (uint32_t s = 0; s < info->stage_count; s++)
        json_array_append_new(stages, json_pack("{s:i, s:i, s:f}", "first_tree", (int)info->stages[s].first_tree,
                                                "trees", (int)info->stages[s].tree_count, "threshold",
                                                to_score(info, info->stages[s].threshold)));
    return stages;
}

static json_t *describe_survivors(const struct shw_cascade_info *info)
{
    json_t *survivors = json_array();

    for (uint32_t s = 0; info->survivors != NULL && s <= info->stage_count; s++)
        json_array_append_new(survivors, json_integer((json_int_t)info->survivors[s]));
    return survivors;
}

static json_t *describe_planes(const struct shw_cascade_planes *planes)
{
    return json_pack("{s:i, s:b, s:b, s:b}", "shrink", (int)planes->shrink, "blur_before", (int)planes->blur_before,
                     "blur_after", (int)planes->blur_after, "octaves", (int)planes->octaves);
}

json_t *shw_cascade_json(const struct shw_cascade *cascade, const char *path)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    const struct shw_cascade_texture texture = shw_cascade_get_texture(cascade);
    char hash[20];

    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)shw_cascade_hash(cascade));
    return json_pack("{s:o, s:s, s:s, s:s, s:[i, i], s:o, s:i, s:i, s:i, s:i, s:i, s:b, s:f, s:o, s:i, s:f, s:i, s:i, "
                     "s:o, s:o, s:o}",
                     "cascade", shw_json_text(path), "hash", hash, "name", info->name, "kind",
                     shw_cascade_kind_name(info->kind), "window", (int)info->window_width, (int)info->window_height,
                     "stages", describe_stages(info), "trees", (int)info->tree_count, "nodes", (int)info->node_count,
                     "features", (int)info->feature_count, "depth_max", (int)cascade->depth, "fraction_bits",
                     (int)info->fraction_bits, "restarts", (int)info->restarts, "score_base",
                     to_score(info, info->score_base), "planes", describe_planes(&info->planes), "levels_per_octave",
                     (int)info->levels_per_octave, "scale_factor", info->scale_factor, "texture_width",
                     (int)texture.width, "texture_height", (int)texture.height, "survivors", describe_survivors(info),
                     "training", json_loads(info->training, 0, NULL), "min_score",
                     info->has_min_score ? json_real(to_score(info, info->min_score)) : json_null());
}

static void print_feature(const struct shw_cascade_feature *feature)
{
    for (uint32_t r = 0; r < feature->rectangle_count; r++) {
        const struct shw_cascade_rectangle *rectangle = &feature->rectangles[r];
        if (rectangle->weight != 0)
            printf("%+g ", rectangle->weight / 256.0);
        printf("[%u x %u at (%u, %u)]%s ", rectangle->width, rectangle->height, rectangle->x, rectangle->y,
               feature->tilted ? " tilted" : "");
    }
}

static void print_split(const struct shw_cascade_info *info, const struct shw_cascade_node *node)
{
    switch (shw_cascade_get_traits(info->kind)->test) {
    case SHW_CASCADE_TEST_POINTS:
        printf("(%d, %d) - (%d, %d) > %d\n", node->x1, node->y1, node->x2, node->y2, node->threshold);
        break;
    case SHW_CASCADE_TEST_SUM:
        print_feature(&info->features[node->feature]);
        printf(">= %.8g\n", ldexp(node->threshold, -24));
        break;
    case SHW_CASCADE_TEST_PATTERN:
        printf("the pattern of ");
        print_feature(&info->features[node->feature]);
        printf("is not in");
        for (int i = 0; i < 8; i++)
            printf(" %08x", node->subset[i]);
        putchar('\n');
        break;
    }
}

void shw_print_cascade_tree(const struct shw_cascade *cascade, uint32_t tree)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);

    printf("tree %u\n", tree);
    for (uint32_t n = 0; n < info->trees[tree].node_count; n++) {
        const struct shw_cascade_node *node = &info->nodes[info->trees[tree].first_node + n];
        if (node->is_split) {
            printf("%6u  right to %u, else to %u, if ", n, node->left + 1, node->left);
            print_split(info, node);
        } else {
            printf("%6u  leaf: %g\n", n, to_score(info, node->value));
        }
    }
}

static json_t *describe_feature(const struct shw_cascade_feature *feature)
{
    json_t *rectangles = json_array();

    for (uint32_t r = 0; r < feature->rectangle_count; r++) {
        const struct shw_cascade_rectangle *rectangle = &feature->rectangles[r];
        json_array_append_new(rectangles, json_pack("{s:i, s:i, s:i, s:i, s:f}", "x", rectangle->x, "y", rectangle->y,
                                                    "width", rectangle->width, "height", rectangle->height, "weight",
                                                    rectangle->weight / 256.0));
    }
    return json_pack("{s:b, s:o}", "tilted", (int)feature->tilted, "rectangles", rectangles);
}

static json_t *describe_split(const struct shw_cascade_info *info, const struct shw_cascade_node *node)
{
    json_t *split = json_pack("{s:i, s:i}", "left", (int)node->left, "right", (int)node->left + 1);

    switch (shw_cascade_get_traits(info->kind)->test) {
    case SHW_CASCADE_TEST_POINTS:
        json_object_set_new(split, "points", json_pack("[[i, i], [i, i]]", node->x1, node->y1, node->x2, node->y2));
        json_object_set_new(split, "threshold", json_integer(node->threshold));
        break;
    case SHW_CASCADE_TEST_SUM:
        json_object_set_new(split, "feature", describe_feature(&info->features[node->feature]));
        json_object_set_new(split, "threshold", json_real(ldexp(node->threshold, -24)));
        break;
    case SHW_CASCADE_TEST_PATTERN:
        json_object_set_new(split, "feature", describe_feature(&info->features[node->feature]));
        json_object_set_new(split, "subset", json_array());
        for (int i = 0; i < 8; i++)
            json_array_append_new(json_object_get(split, "subset"), json_integer(node->subset[i]));
        break;
    }
    return split;
}

json_t *shw_cascade_tree_json(const struct shw_cascade *cascade, uint32_t tree)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    json_t *nodes = json_array();

    for (uint32_t n = 0; n < info->trees[tree].node_count; n++) {
        const struct shw_cascade_node *node = &info->nodes[info->trees[tree].first_node + n];
        json_array_append_new(nodes, node->is_split ? describe_split(info, node)
                                                    : json_pack("{s:f}", "value", to_score(info, node->value)));
    }
    return json_pack("{s:i, s:o}", "tree", (int)tree, "nodes", nodes);
}
