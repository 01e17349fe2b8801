/* Tables for shaders: levels, positions and tiles, and the trees. */
#include "detection/detect/device.h"

#include <string.h>

#include "base/integers.h"
#include "detection/cascade/cascade.h"
#include "detection/detect/plan.h"

_Static_assert(SHW_DETECT_TURNS == SHW_DETECT_ANGLES, "tables have an entry for each angle");
_Static_assert(SHW_DETECT_TILE == 1u << SHW_DETECT_TILE_SHIFT && SHW_DETECT_TILE == SHW_DETECT_GROUP,
               "an invocation for each window of a tile");
_Static_assert(SHW_DETECT_LEVEL_TILE_WIDTH / 2 * SHW_DETECT_LEVEL_TILE_HEIGHT == SHW_DETECT_GROUP,
               "an invocation for each two values of a part of a level");

static uint32_t divide_up(uint32_t a, uint32_t b)
{
    return (a + b - 1) / b;
}

uint32_t shw_device_tables_tiles(const struct shw_detect_level *level, uint32_t angle)
{
    return divide_up(shw_detect_level_columns(level, angle).count, SHW_DETECT_TILE_WIDTH) *
           divide_up(shw_detect_level_rows(level, angle).count, SHW_DETECT_TILE_HEIGHT);
}

uint32_t shw_device_tables_level_tiles(const struct shw_detect_level *level)
{
    return divide_up(level->width, SHW_DETECT_LEVEL_TILE_WIDTH) *
           divide_up(level->height, SHW_DETECT_LEVEL_TILE_HEIGHT);
}

uint32_t shw_device_integrals(const struct shw_cascade_info *info)
{
    enum shw_cascade_test test = shw_cascade_get_traits(info->kind)->test;

    if (test != SHW_CASCADE_TEST_SUM)
        return test == SHW_CASCADE_TEST_PATTERN ? 1 : 0;
    for (uint32_t f = 0; f < info->feature_count; f++)
        if (info->features[f].tilted)
            return 3;
    return 2;
}

/* Rows and lines of HAAR and LBP; lines are columns or tilted. */
static void measure_integrals(const struct shw_cascade_info *info, const struct shw_detect_plan *plan,
                              struct shw_device_tables *tables)
{
    for (uint32_t l = 0; l < plan->level_count && shw_device_integrals(info) > 0; l++) {
        const struct shw_detect_level *level = &plan->levels[l];
        tables->row_tiles += level->height;
        tables->line_tiles += divide_up(level->width + level->height, SHW_DETECT_GROUP);
        tables->integral_words += (uint64_t)level->width * level->height;
    }
    tables->level_tiles += tables->row_tiles + tables->line_tiles;
    tables->plane_words += tables->integral_words * shw_device_integrals(info);
}

/* Of values from one row of a level to the next: whole words. */
static uint32_t stride_of(bool has_pyramid, uint32_t width)
{
    return has_pyramid ? (width + 1) & ~1u : (width + 3) & ~3u;
}

/* What is on shelves: the windows of each level, or its pixels. */
struct part {
    uint32_t width, height;
};

static struct part windows_of(const struct shw_detect_level *level)
{
    return (struct part){level->columns, level->rows};
}

static struct part pixels_of(const struct shw_detect_level *level)
{
    return (struct part){level->width, level->height};
}

/* Where the next part goes, and the next shelf. */
struct packing {
    uint32_t x, y, next;
};

/* Puts a part on the last shelf, or begins another. Levels become smaller, so that those of a smaller image take fewer
 * or lower shelves of the same length. */
static void put(struct packing *packing, struct part part, struct shw_device_shelves *shelves, uint32_t *x, uint32_t *y)
{
    if (shelves->length == 0)
        shelves->length = 2 * part.width;
    if (packing->x + part.width > shelves->length) {
        packing->x = 0;
        packing->y = packing->next;
    }
    *x = packing->x;
    *y = packing->y;
    packing->x += part.width;
    packing->next = shw_max_u32(packing->next, packing->y + part.height);
    shelves->width = shelves->length; /* a shelf of smaller parts may be fuller */
    shelves->height = packing->next;
}

void shw_device_tables_measure(const struct shw_cascade *cascade, const struct shw_scan *scan,
                               const struct shw_detect_plan *plan, const struct shw_device_tables *most,
                               struct shw_device_tables *tables)
{
    bool has_pyramid = shw_cascade_get_traits(shw_cascade_get_info(cascade)->kind)->has_pyramid;
    struct packing atlas = {0}, mipmap = {0};
    uint32_t x, y;

    *tables = (struct shw_device_tables){0};
    tables->atlas.length = most != NULL ? most->atlas.length : 0;
    tables->mipmap.length = most != NULL ? most->mipmap.length : 0;
    if (!has_pyramid)
        tables->mipmap = (struct shw_device_shelves){0, plan->width, plan->height};
    for (uint32_t l = 0; l < plan->level_count; l++) {
        const struct shw_detect_level *level = &plan->levels[l];
        for (uint32_t a = 0; a < scan->angle_count; a++)
            tables->tiles += shw_device_tables_tiles(level, scan->angles[a]);
        put(&atlas, windows_of(level), &tables->atlas, &x, &y);
        if (has_pyramid) {
            put(&mipmap, pixels_of(level), &tables->mipmap, &x, &y);
            tables->level_tiles += shw_device_tables_level_tiles(level);
            tables->value_words += (uint64_t)stride_of(true, level->width) * level->height / 2;
        }
    }
    if (has_pyramid)
        for (uint32_t o = 0; o <= plan->octave_count; o++)
            tables->plane_words += shw_detect_plane_words(plan->width >> o, plan->height >> o);
    else
        tables->value_words = (uint64_t)stride_of(false, plan->width) * plan->height / 4;
    measure_integrals(shw_cascade_get_info(cascade), plan, tables);
    tables->first_tile = SHW_DETECT_TURNS + plan->position_count;
    tables->pairs = tables->first_tile + tables->tiles + tables->level_tiles;
    tables->first_level_tile = (uint32_t)(tables->first_tile + tables->tiles);
}

static void write_level(const struct shw_detect_plan *plan, const struct shw_detect_level *level, bool has_pyramid,
                        uint32_t first, struct shw_detect_level_entry *entry)
{
    uint32_t octave_first = 0;

    for (uint32_t o = 0; o < level->octave; o++)
        octave_first += shw_detect_plane_words(plan->width >> o, plan->height >> o);
    *entry = (struct shw_detect_level_entry){
        .octave_first = octave_first,
        .octave_width = plan->width >> level->octave,
        .octave_height = plan->height >> level->octave,
        .scaled_width = level->scaled_width,
        .scaled_height = level->scaled_height,
        .width = level->width,
        .height = level->height,
        .first = first,
        .stride = stride_of(has_pyramid, level->width),
        .size = level->size,
        .first_column = SHW_DETECT_TURNS + level->first_column,
        .first_row = SHW_DETECT_TURNS + level->first_row,
        .out_width = level->out_width,
        .out_height = level->out_height,
        .number = level->number,
    };
}

static uint32_t *write_pair(uint32_t *pairs, uint32_t x, uint32_t y)
{
    pairs[0] = x;
    pairs[1] = y;
    return pairs + 2;
}

static uint32_t *write_tiles(const struct shw_detect_level *level, uint32_t number, uint32_t angle,
                             uint32_t angle_number, uint32_t *pairs)
{
    struct shw_detect_range columns = shw_detect_level_columns(level, angle);
    struct shw_detect_range rows = shw_detect_level_rows(level, angle);

    for (uint32_t y = 0; y < rows.count && columns.count > 0; y += SHW_DETECT_TILE_HEIGHT)
        for (uint32_t x = 0; x < columns.count; x += SHW_DETECT_TILE_WIDTH) {
            uint32_t width = shw_min_u32(SHW_DETECT_TILE_WIDTH, columns.count - x);
            uint32_t height = shw_min_u32(SHW_DETECT_TILE_HEIGHT, rows.count - y);
            pairs = write_pair(pairs,
                               number | angle << SHW_DETECT_ANGLE_SHIFT | angle_number << SHW_DETECT_NUMBER_SHIFT |
                                   (width - 1) << SHW_DETECT_WIDTH_SHIFT | (height - 1) << SHW_DETECT_HEIGHT_SHIFT,
                               (columns.first + x) | (rows.first + y) << 16);
        }
    return pairs;
}

static uint32_t *write_level_tiles(const struct shw_detect_level *level, uint32_t number, uint32_t *pairs)
{
    for (uint32_t y = 0; y < level->height; y += SHW_DETECT_LEVEL_TILE_HEIGHT)
        for (uint32_t x = 0; x < level->width; x += SHW_DETECT_LEVEL_TILE_WIDTH)
            pairs = write_pair(pairs, number, x | y << 16);
    return pairs;
}

static uint32_t *write_rows(const struct shw_detect_level *level, uint32_t number, uint32_t *pairs)
{
    for (uint32_t y = 0; y < level->height; y++)
        pairs = write_pair(pairs, number, y);
    return pairs;
}

static uint32_t *write_lines(const struct shw_detect_level *level, uint32_t number, uint32_t *pairs)
{
    for (uint32_t line = 0; line < level->width + level->height; line += SHW_DETECT_GROUP)
        pairs = write_pair(pairs, number, line);
    return pairs;
}

void shw_device_tables_write(const struct shw_cascade *cascade, const struct shw_scan *scan,
                             const struct shw_detect_plan *plan, const struct shw_device_tables *tables,
                             struct shw_detect_level_entry *levels, uint32_t *pairs)
{
    bool has_pyramid = shw_cascade_get_traits(shw_cascade_get_info(cascade)->kind)->has_pyramid;
    bool has_integrals = shw_device_integrals(shw_cascade_get_info(cascade)) > 0;
    struct shw_device_shelves atlas_shelves = tables->atlas, mipmap_shelves = tables->mipmap;
    struct packing atlas = {0}, mipmap = {0};
    uint32_t first = 0;

    for (uint32_t l = 0; l < plan->level_count; l++) {
        write_level(plan, &plan->levels[l], has_pyramid, first, &levels[l]);
        put(&atlas, windows_of(&plan->levels[l]), &atlas_shelves, &levels[l].atlas_x, &levels[l].atlas_y);
        if (has_pyramid)
            put(&mipmap, pixels_of(&plan->levels[l]), &mipmap_shelves, &levels[l].mipmap_x, &levels[l].mipmap_y);
        first += has_pyramid ? stride_of(true, plan->levels[l].width) * plan->levels[l].height : 0;
        if (has_integrals) {
            levels[l].stride = plan->levels[l].width;
            first += plan->levels[l].width * plan->levels[l].height;
        }
    }
    for (uint32_t a = 0; a < SHW_DETECT_TURNS; a++)
        pairs = write_pair(pairs, (uint32_t)shw_detect_cosine(a), (uint32_t)shw_detect_sine(a));
    for (uint32_t p = 0; p < plan->position_count; p++)
        pairs = write_pair(pairs, (uint32_t)plan->positions[p].at, (uint32_t)plan->positions[p].image);
    for (uint32_t a = 0; a < scan->angle_count; a++)
        for (uint32_t l = 0; l < plan->level_count; l++)
            pairs = write_tiles(&plan->levels[l], l, scan->angles[a], a, pairs);
    for (uint32_t l = 0; l < plan->level_count && has_pyramid; l++)
        pairs = write_level_tiles(&plan->levels[l], l, pairs);
    for (uint32_t l = 0; l < plan->level_count && has_integrals; l++)
        pairs = write_rows(&plan->levels[l], l, pairs);
    for (uint32_t l = 0; l < plan->level_count && has_integrals; l++)
        pairs = write_lines(&plan->levels[l], l, pairs);
}

#define COMPLETE_DEPTH_MAX 8u
#define COMPLETE_GROWTH    4u /* times the words of the nodes, at most, that complete trees take */
#define TEST_WORDS         2u
#define NODE_WORDS         4u
#define FEATURE_FOURS      2u

static uint32_t leaves_of(const struct shw_device_trees *trees)
{
    return 1u << trees->depth;
}

/* Points in pixels are turned on the host; shaders turn those that are relative. */
static bool is_turned_here(const struct shw_cascade_info *info)
{
    return !shw_cascade_get_traits(info->kind)->is_relative;
}

static uint32_t copies_of(const struct shw_cascade_info *info, const struct shw_scan *scan)
{
    return is_turned_here(info) ? scan->angle_count : 1;
}

static bool has_turned(const struct shw_scan *scan)
{
    for (uint32_t a = 0; a < scan->angle_count; a++)
        if (scan->angles[a] != 0)
            return true;
    return false;
}

static bool has_subsets(const struct shw_cascade_info *info)
{
    return shw_cascade_get_traits(info->kind)->test == SHW_CASCADE_TEST_PATTERN;
}

/* Fours of a node, with its subset. */
static uint32_t node_fours(const struct shw_cascade_info *info)
{
    return has_subsets(info) ? 3 : 1;
}

static void measure_features(const struct shw_cascade_info *info, struct shw_device_trees *trees)
{
    *trees = (struct shw_device_trees){.leaves_at = info->tree_count,
                                       .tests_at = (2 * info->tree_count + NODE_WORDS - 1) / NODE_WORDS,
                                       .tests = info->node_count};
    trees->words = NODE_WORDS * (trees->tests_at + (uint64_t)node_fours(info) * info->node_count +
                                 (uint64_t)FEATURE_FOURS * info->feature_count);
}

void shw_device_trees_measure(const struct shw_cascade *cascade, const struct shw_scan *scan,
                              struct shw_device_trees *trees)
{
    const struct shw_cascade_info *info = &cascade->info;
    uint64_t leaves, before;

    if (info->features != NULL) {
        measure_features(info, trees);
        return;
    }
    *trees = (struct shw_device_trees){.depth = cascade->depth, .leaves_at = info->tree_count};
    if (has_turned(scan))
        trees->margin = is_turned_here(info) ? shw_detect_turn_margin(info->window_width) : 1;
    leaves = (uint64_t)info->tree_count << trees->depth;
    trees->complete = trees->depth <= COMPLETE_DEPTH_MAX &&
                      (1 + TEST_WORDS) * leaves <= (uint64_t)COMPLETE_GROWTH * NODE_WORDS * info->node_count;
    before = trees->leaves_at + (trees->complete ? leaves : info->tree_count);
    if (trees->complete) {
        trees->tests = (uint32_t)(leaves - info->tree_count);
        trees->tests_at = (uint32_t)((before + TEST_WORDS - 1) / TEST_WORDS);
        trees->words = TEST_WORDS * (trees->tests_at + (uint64_t)trees->tests * copies_of(info, scan));
    } else {
        trees->tests = info->node_count;
        trees->tests_at = (uint32_t)((before + NODE_WORDS - 1) / NODE_WORDS);
        trees->words = NODE_WORDS * (trees->tests_at + (uint64_t)trees->tests * copies_of(info, scan));
    }
}

/* The lowest score with which windows pass each tree. */
static void write_limits(const struct shw_cascade_info *info, int32_t *limits)
{
    for (uint32_t s = 0; s < info->stage_count; s++) {
        const struct shw_cascade_stage *stage = &info->stages[s];
        for (uint32_t t = 0; t < stage->tree_count; t++)
            limits[stage->first_tree + t] = INT32_MIN;
        /* INT32_MIN marks trees that are not the last one; no score is as low */
        limits[stage->first_tree + stage->tree_count - 1] = shw_max_i32(stage->threshold, INT32_MIN + 1);
    }
}

static uint32_t pack(int32_t x1, int32_t y1, int32_t x2, int32_t y2)
{
    return ((uint32_t)x1 & 0xffu) | ((uint32_t)y1 & 0xffu) << 8 | ((uint32_t)x2 & 0xffu) << 16 | (uint32_t)y2 << 24;
}

static uint32_t pack_points(const struct shw_cascade_info *info, const struct shw_cascade_node *node, uint32_t angle,
                            int32_t margin)
{
    struct shw_detect_point one, other;

    if (!is_turned_here(info) || angle == 0)
        return pack(node->x1, node->y1, node->x2, node->y2);
    one = shw_detect_turn_point(angle, info->window_width, node->x1, node->y1);
    other = shw_detect_turn_point(angle, info->window_width, node->x2, node->y2);
    return pack(one.x + margin, one.y + margin, other.x + margin, other.y + margin);
}

/* What is being written. */
struct writing {
    const struct shw_cascade_info *info;
    const struct shw_device_trees *trees;
    const struct shw_cascade_node *nodes; /* of the tree */
    uint32_t angle;
    uint32_t *tests; /* both of the tree */
    int32_t *leaves;
};

/* `node` as node `slot` of the complete tree, at a depth. A leaf becomes a test that always goes left. */
static void write_complete(const struct writing *writing, uint32_t node, uint32_t slot, uint32_t depth)
{
    const struct shw_cascade_node *from = &writing->nodes[node];
    uint32_t *test = writing->tests + (size_t)TEST_WORDS * slot;

    if (depth == writing->trees->depth) {
        writing->leaves[slot - (leaves_of(writing->trees) - 1)] = from->value;
        return;
    }
    test[0] = from->is_split ? pack_points(writing->info, from, writing->angle, (int32_t)writing->trees->margin) : 0;
    test[1] = (uint32_t)(from->is_split ? from->threshold : INT32_MAX);
    write_complete(writing, from->is_split ? from->left : node, 2 * slot + 1, depth + 1);
    if (from->is_split)
        write_complete(writing, from->left + 1, 2 * slot + 2, depth + 1);
}

static void write_others(const struct shw_cascade_info *info, const struct shw_device_trees *trees, uint32_t angle,
                         uint32_t first, uint32_t *words)
{
    for (uint32_t t = 0; t < info->tree_count; t++) {
        const struct shw_cascade_tree *tree = &info->trees[t];
        for (uint32_t n = 0; n < tree->node_count; n++) {
            const struct shw_cascade_node *node = &info->nodes[tree->first_node + n];
            uint32_t *to = words + NODE_WORDS * ((size_t)first + tree->first_node + n);
            to[0] = node->is_split ? pack_points(info, node, angle, (int32_t)trees->margin) : 0;
            to[1] = (uint32_t)(node->is_split ? node->threshold : INT32_MAX);
            to[2] = tree->first_node + (node->is_split ? node->left : n);
            to[3] = (uint32_t)node->value;
        }
    }
}

static void write_angle(const struct shw_cascade_info *info, const struct shw_device_trees *trees, uint32_t angle,
                        uint32_t number, int32_t *words)
{
    struct writing writing = {.info = info, .trees = trees, .angle = angle};
    uint32_t first = trees->tests_at + number * trees->tests, splits = leaves_of(trees) - 1;

    if (!trees->complete) {
        write_others(info, trees, angle, first, (uint32_t *)words);
        return;
    }
    for (uint32_t t = 0; t < info->tree_count; t++) {
        writing.nodes = info->nodes + info->trees[t].first_node;
        writing.tests = (uint32_t *)words + TEST_WORDS * ((size_t)first + (size_t)t * splits);
        writing.leaves = words + trees->leaves_at + (size_t)t * leaves_of(trees);
        write_complete(&writing, 0, 0, 0);
    }
}

static void write_node(const struct shw_cascade_node *node, uint32_t first_node, uint32_t *to)
{
    to[0] = node->is_split ? node->feature : UINT32_MAX;
    to[1] = (uint32_t)node->threshold;
    to[2] = first_node + node->left;
    to[3] = (uint32_t)node->value;
}

static void write_feature(const struct shw_cascade_feature *feature, uint32_t *to)
{
    for (uint32_t r = 0; r < feature->rectangle_count; r++) {
        const struct shw_cascade_rectangle *rectangle = &feature->rectangles[r];
        to[2 * r] = rectangle->x | (uint32_t)rectangle->y << 8 | (uint32_t)rectangle->width << 16 |
                    (uint32_t)rectangle->height << 24;
        to[2 * r + 1] = (uint32_t)rectangle->weight;
    }
    to[6] = feature->rectangle_count;
    to[7] = feature->tilted;
}

static void write_features(const struct shw_cascade_info *info, const struct shw_device_trees *trees, uint32_t *words)
{
    uint32_t *nodes = words + NODE_WORDS * (size_t)trees->tests_at,
             *subsets = nodes + NODE_WORDS * (size_t)trees->tests;
    uint32_t *features = nodes + NODE_WORDS * (size_t)node_fours(info) * info->node_count;

    for (uint32_t t = 0; t < info->tree_count; t++) {
        uint32_t first = info->trees[t].first_node;
        words[trees->leaves_at + t] = first;
        for (uint32_t n = first; n < first + info->trees[t].node_count; n++)
            write_node(&info->nodes[n], first, nodes + NODE_WORDS * (size_t)n);
    }
    for (uint32_t n = 0; n < info->node_count && has_subsets(info); n++)
        memcpy(subsets + sizeof info->nodes[n].subset / sizeof *subsets * n, info->nodes[n].subset,
               sizeof info->nodes[n].subset);
    for (uint32_t f = 0; f < info->feature_count; f++)
        write_feature(&info->features[f], features + NODE_WORDS * FEATURE_FOURS * (size_t)f);
}

void shw_device_trees_write(const struct shw_cascade *cascade, const struct shw_scan *scan,
                            const struct shw_device_trees *trees, int32_t *words)
{
    const struct shw_cascade_info *info = &cascade->info;

    for (uint64_t i = 0; i < trees->words; i++)
        words[i] = 0;
    write_limits(info, words);
    if (info->features != NULL) {
        write_features(info, trees, (uint32_t *)words);
        return;
    }
    for (uint32_t t = 0; t < info->tree_count && !trees->complete; t++)
        words[trees->leaves_at + t] = (int32_t)info->trees[t].first_node;
    for (uint32_t c = 0; c < copies_of(info, scan); c++)
        write_angle(info, trees, is_turned_here(info) ? scan->angles[c] : 0, c, words);
}
