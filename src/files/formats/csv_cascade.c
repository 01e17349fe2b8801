#include "files/formats/csv_cascade.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/cascade/cascade.h"
#include "files/formats/cascade_formats.h"
#include "files/formats/csv_settings.h"
#include "files/formats/number_table.h"
#include "files/io/file_bytes.h"
#include "shared/detect.h"

const char *const shw_csv_files[SHW_CSV_FILE_COUNT] = {
    [SHW_CSV_CASCADE] = "cascade.csv", [SHW_CSV_STAGES] = "stages.csv", [SHW_CSV_CHILDREN] = "children.csv",
    [SHW_CSV_PROB] = "prob.csv",       [SHW_CSV_THR] = "thr.csv",       [SHW_CSV_Y1] = "y1.csv",
    [SHW_CSV_X1] = "x1.csv",           [SHW_CSV_Y2] = "y2.csv",         [SHW_CSV_X2] = "x2.csv",
    [SHW_CSV_Z1] = "z1.csv",           [SHW_CSV_Z2] = "z2.csv",
};

/* A cascade that is being made. */
struct building {
    const struct shw_csv_text *files;
    const struct shw_log *log;
    struct shw_csv_settings settings;
    struct shw_number_table tables[SHW_CSV_FILE_COUNT]; /* but of the first */
    uint32_t bits;
    uint32_t *queue; /* [columns of the widest tree] nodes of the file in breadth-first order */
    bool *reached;   /* [likewise] */
    struct shw_cascade_stage *stages;
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
    uint32_t node_count;
};

#define BAD_VALUE(building, file, row, format, ...)                                                                    \
    shw_fail((building)->log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "%s, line %u: " format, (building)->files[file].name, \
             (building)->tables[file].lines[row], __VA_ARGS__)

static uint32_t length_of(const struct shw_number_table *table, uint32_t row)
{
    return table->starts[row + 1] - table->starts[row];
}

/* A field; NaN if it is empty or beyond the end of the row. */
static double value_of(const struct building *building, enum shw_csv_file file, uint32_t row, uint32_t column)
{
    const struct shw_number_table *table = &building->tables[file];

    return column < length_of(table, row) ? table->values[table->starts[row] + column] : NAN;
}

/* A field that must be a whole number. */
static enum shw_result get_whole(const struct building *building, enum shw_csv_file file, uint32_t row, uint32_t column,
                                 int32_t least, int32_t most, int32_t *value)
{
    double number = value_of(building, file, row, column);

    if (!(number >= least && number <= most && number == floor(number)))
        return BAD_VALUE(building, file, row, "column %u is not a whole number from %d to %d", column + 1, least, most);
    *value = (int32_t)number;
    return SHW_OK;
}

static enum shw_result get_number(const struct building *building, enum shw_csv_file file, uint32_t row,
                                  uint32_t column, double *value)
{
    *value = value_of(building, file, row, column);
    return !isnan(*value) ? SHW_OK : BAD_VALUE(building, file, row, "column %u is empty or missing", column + 1);
}

/* What has no counterpart may be there as long as it says nothing. */
static enum shw_result check_layers(const struct building *building, enum shw_csv_file file)
{
    const struct shw_number_table *table = &building->tables[file];

    for (uint32_t row = 0; row < table->row_count; row++)
        for (uint32_t i = table->starts[row]; i < table->starts[row + 1]; i++)
            if (!isnan(table->values[i]) && table->values[i] != 0)
                return BAD_VALUE(building, file, row, "column %u is layer %g of the image; there is only layer 0",
                                 i - table->starts[row] + 1, table->values[i]);
    return SHW_OK;
}

static enum shw_result read_tables(struct building *building)
{
    const struct shw_number_table *children = &building->tables[SHW_CSV_CHILDREN];

    for (int f = SHW_CSV_STAGES; f < SHW_CSV_FILE_COUNT; f++)
        if (building->files[f].text != NULL)
            SHW_PROPAGATE(shw_number_table_parse(building->files[f].text, building->files[f].size,
                                                 building->files[f].name, building->log, &building->tables[f]));
    for (int f = SHW_CSV_PROB; f < SHW_CSV_WRITTEN_COUNT; f++)
        if (building->tables[f].row_count != children->row_count)
            return shw_fail(building->log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE,
                            "%s: %u rows, but %s has %u; there is one per tree", building->files[f].name,
                            building->tables[f].row_count, building->files[SHW_CSV_CHILDREN].name, children->row_count);
    SHW_PROPAGATE(check_layers(building, SHW_CSV_Z1));
    return check_layers(building, SHW_CSV_Z2);
}

static enum shw_result get_stage(const struct building *building, uint32_t s, uint32_t first,
                                 struct shw_cascade_stage *stage)
{
    uint32_t trees = building->tables[SHW_CSV_CHILDREN].row_count;
    int32_t start = 0, end = 0;

    if (length_of(&building->tables[SHW_CSV_STAGES], s) != 3)
        return BAD_VALUE(building, SHW_CSV_STAGES, s, "%u fields instead of 3: first tree, last tree, threshold",
                         length_of(&building->tables[SHW_CSV_STAGES], s));
    SHW_PROPAGATE(get_whole(building, SHW_CSV_STAGES, s, 0, 0, (int32_t)trees - 1, &start));
    SHW_PROPAGATE(get_whole(building, SHW_CSV_STAGES, s, 1, start, (int32_t)trees - 1, &end));
    if ((uint32_t)start != first)
        return BAD_VALUE(building, SHW_CSV_STAGES, s,
                         "the first tree is %d instead of %u, after that of the stage "
                         "before",
                         start, first);
    *stage = (struct shw_cascade_stage){.first_tree = first, .tree_count = (uint32_t)(end - start) + 1};
    return SHW_OK;
}

static enum shw_result read_stages(struct building *building)
{
    const struct shw_number_table *table = &building->tables[SHW_CSV_STAGES];
    uint32_t trees = building->tables[SHW_CSV_CHILDREN].row_count, first = 0;

    building->stages = calloc(table->row_count, sizeof *building->stages);
    building->trees = calloc(trees, sizeof *building->trees);
    if (building->stages == NULL || building->trees == NULL)
        return shw_fail_memory(building->log, "a cascade");
    for (uint32_t s = 0; s < table->row_count; s++) {
        SHW_PROPAGATE(get_stage(building, s, first, &building->stages[s]));
        first += building->stages[s].tree_count;
    }
    if (first < trees)
        return shw_fail(building->log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "%s: the trees from %u on belong to no stage",
                        table->name, first);
    return SHW_OK;
}

/* The largest magnitude of scores, and how many values are added to them. */
static enum shw_result find_bits(struct building *building)
{
    const struct shw_number_table *prob = &building->tables[SHW_CSV_PROB];
    double bound = fabs(building->settings.score_base);

    for (uint32_t s = 0; s < building->tables[SHW_CSV_STAGES].row_count; s++) {
        const struct shw_cascade_stage *stage = &building->stages[s];
        for (uint32_t t = stage->first_tree; t < stage->first_tree + stage->tree_count; t++) {
            double largest = 0;
            for (uint32_t i = prob->starts[t]; i < prob->starts[t + 1]; i++)
                largest = fmax(largest, fabs(prob->values[i])); /* which leaves out NaN */
            bound += largest / stage->tree_count;
        }
    }
    if (building->settings.has_fraction_bits)
        building->bits = building->settings.fraction_bits;
    else if (!shw_score_bits(bound, prob->row_count + 1, &building->bits))
        return shw_fail(building->log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE,
                        "%s: scores of up to %g do not fit into 32 bits", prob->name, bound);
    return SHW_OK;
}

/* Thresholds are in units of white, summed over the pixels of a block; values and so responses are 65280 for a white
 * block's mean. A whole number is greater than a threshold if it is greater than that rounded down. */
static int32_t to_values(const struct building *building, double threshold)
{
    double area = (double)building->settings.planes.shrink * building->settings.planes.shrink;

    return shw_score_floor(threshold * SHW_DETECT_ONE / area, 0);
}

static enum shw_result get_split(const struct building *building, uint32_t row, uint32_t column,
                                 struct shw_cascade_node *node)
{
    int32_t right = (int32_t)building->settings.window_width - 1;
    int32_t bottom = (int32_t)building->settings.window_height - 1;
    int32_t x1 = 0, y1 = 0, x2 = 0, y2 = 0;
    double threshold = 0;

    SHW_PROPAGATE(get_whole(building, SHW_CSV_X1, row, column, 0, right, &x1));
    SHW_PROPAGATE(get_whole(building, SHW_CSV_Y1, row, column, 0, bottom, &y1));
    SHW_PROPAGATE(get_whole(building, SHW_CSV_X2, row, column, 0, right, &x2));
    SHW_PROPAGATE(get_whole(building, SHW_CSV_Y2, row, column, 0, bottom, &y2));
    SHW_PROPAGATE(get_number(building, SHW_CSV_THR, row, column, &threshold));
    node->is_split = true;
    node->x1 = (int16_t)x1;
    node->y1 = (int16_t)y1;
    node->x2 = (int16_t)x2;
    node->y2 = (int16_t)y2;
    node->threshold = to_values(building, threshold);
    return SHW_OK;
}

/* Adds the left child of a split, and the right one, which follows it. */
static enum shw_result reach(struct building *building, uint32_t row, int32_t left, uint32_t *count)
{
    for (uint32_t child = (uint32_t)left; child < (uint32_t)left + 2; child++) {
        if (building->reached[child])
            return BAD_VALUE(building, SHW_CSV_CHILDREN, row, "node %u is the child of two nodes, or the root", child);
        building->reached[child] = true;
        building->queue[(*count)++] = child;
    }
    return SHW_OK;
}

static enum shw_result make_node(struct building *building, uint32_t row, uint32_t tree_count, uint32_t number,
                                 uint32_t *count, struct shw_cascade_node *node)
{
    uint32_t column = building->queue[number];
    int32_t left = -1, last = (int32_t)length_of(&building->tables[SHW_CSV_CHILDREN], row) - 2;
    double value = 0;

    SHW_PROPAGATE(get_whole(building, SHW_CSV_CHILDREN, row, column, -1, last, &left));
    if (left >= 0) {
        SHW_PROPAGATE(get_split(building, row, column, node));
        node->left = *count;
        return reach(building, row, left, count);
    }
    SHW_PROPAGATE(get_number(building, SHW_CSV_PROB, row, column, &value));
    *node = (struct shw_cascade_node){.left = number, .value = shw_score_round(value / tree_count, building->bits)};
    return SHW_OK;
}

/* Follows the children from the root, so that nodes may stand in any order, and what is not reached is left out. */
static enum shw_result make_tree(struct building *building, uint32_t row, uint32_t tree_count)
{
    uint32_t count = 1, length = length_of(&building->tables[SHW_CSV_CHILDREN], row);

    memset(building->reached, 0, length * sizeof *building->reached);
    building->queue[0] = 0;
    building->reached[0] = true;
    building->trees[row].first_node = building->node_count;
    for (uint32_t number = 0; number < count; number++, building->node_count++) {
        if (building->node_count == SHW_CASCADE_NODES_MAX)
            return shw_fail(building->log, SHW_ERROR_LIMIT, SHW_LOG_CASCADE, "%s: more than %u nodes",
                            building->files[SHW_CSV_CHILDREN].name, SHW_CASCADE_NODES_MAX);
        SHW_PROPAGATE(make_node(building, row, tree_count, number, &count, &building->nodes[building->node_count]));
    }
    building->trees[row].node_count = count;
    return SHW_OK;
}

static enum shw_result make_trees(struct building *building)
{
    const struct shw_number_table *children = &building->tables[SHW_CSV_CHILDREN];
    uint32_t widest = 0, all = children->starts[children->row_count];

    for (uint32_t t = 0; t < children->row_count; t++)
        widest = shw_max_u32(widest, length_of(children, t));
    building->queue = calloc(widest, sizeof *building->queue);
    building->reached = calloc(widest, sizeof *building->reached);
    building->nodes = calloc(shw_min_u32(all, SHW_CASCADE_NODES_MAX), sizeof *building->nodes);
    if (building->queue == NULL || building->reached == NULL || building->nodes == NULL)
        return shw_fail_memory(building->log, "a cascade");
    for (uint32_t s = 0; s < building->tables[SHW_CSV_STAGES].row_count; s++) {
        struct shw_cascade_stage *stage = &building->stages[s];
        double threshold = 0;
        for (uint32_t t = 0; t < stage->tree_count; t++)
            SHW_PROPAGATE(make_tree(building, stage->first_tree + t, stage->tree_count));
        SHW_PROPAGATE(get_number(building, SHW_CSV_STAGES, s, 2, &threshold));
        stage->threshold = shw_score_floor(threshold, building->bits); /* what is not greater is rejected */
        stage->threshold += stage->threshold < INT32_MAX;
    }
    return SHW_OK;
}

static enum shw_result create(const struct building *building, const struct shw_cascade_import *import,
                              struct shw_cascade **cascade)
{
    const struct shw_csv_settings *settings = &building->settings;
    const struct shw_cascade_info info = {
        .kind = SHW_CASCADE_PIXELS,
        .name = import->object != NULL ? import->object : settings->name,
        .window_width = settings->window_width,
        .window_height = settings->window_height,
        .fraction_bits = building->bits,
        .score_base = shw_score_round(settings->score_base, building->bits),
        .min_score = settings->has_min_score ? shw_score_round(settings->min_score, building->bits) : 0,
        .has_min_score = settings->has_min_score,
        .planes = settings->planes,
        .levels_per_octave = settings->levels_per_octave,
        .stage_count = building->tables[SHW_CSV_STAGES].row_count,
        .tree_count = building->tables[SHW_CSV_CHILDREN].row_count,
        .node_count = building->node_count,
        .stages = building->stages,
        .trees = building->trees,
        .nodes = building->nodes,
        .training = import->training,
    };

    return shw_cascade_make(
        &info, &(struct shw_cascade_source){.name = building->files[SHW_CSV_CASCADE].name, .log = building->log},
        cascade);
}

static enum shw_result build(struct building *building)
{
    SHW_PROPAGATE(shw_csv_settings_parse(&building->files[SHW_CSV_CASCADE], building->log, &building->settings));
    SHW_PROPAGATE(read_tables(building));
    SHW_PROPAGATE(read_stages(building));
    SHW_PROPAGATE(find_bits(building));
    return make_trees(building);
}

enum shw_result shw_csv_cascade_parse(const struct shw_csv_text files[SHW_CSV_FILE_COUNT],
                                      const struct shw_cascade_import *import, const struct shw_log *log,
                                      struct shw_cascade **cascade)
{
    struct building building = {.files = files, .log = log};
    enum shw_result result = build(&building);

    if (result == SHW_OK)
        result = create(&building, import, cascade);
    for (int f = 0; f < SHW_CSV_FILE_COUNT; f++)
        shw_number_table_free(&building.tables[f]);
    free(building.queue);
    free(building.reached);
    free(building.nodes);
    free(building.trees);
    free(building.stages);
    return result;
}

char *shw_csv_path(const char *folder, enum shw_csv_file file)
{
    size_t size = strlen(folder) + strlen(shw_csv_files[file]) + 2;
    char *path = malloc(size);

    if (path != NULL)
        snprintf(path, size, "%s/%s", folder, shw_csv_files[file]);
    return path;
}

/* A file that may be missing, and is, is one without text. */
static enum shw_result read_file(const char *path, enum shw_csv_file file, const struct shw_log *log,
                                 struct shw_file_bytes *bytes, struct shw_csv_text *text)
{
    *text = (struct shw_csv_text){.name = path};
    if (file >= SHW_CSV_WRITTEN_COUNT && access(path, F_OK) != 0)
        return SHW_OK;
    SHW_PROPAGATE(shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, log, bytes));
    text->size = bytes->size;
    text->text = shw_skip_byte_order_mark(bytes->bytes, &text->size);
    return SHW_OK;
}

enum shw_result shw_csv_cascade_read(const char *folder, const struct shw_cascade_import *import,
                                     const struct shw_log *log, struct shw_cascade **cascade)
{
    struct shw_file_bytes bytes[SHW_CSV_FILE_COUNT] = {0};
    char *paths[SHW_CSV_FILE_COUNT] = {0};
    struct shw_csv_text files[SHW_CSV_FILE_COUNT];
    enum shw_result result = SHW_OK;

    for (int f = 0; f < SHW_CSV_FILE_COUNT && result == SHW_OK; f++) {
        paths[f] = shw_csv_path(folder, (enum shw_csv_file)f);
        result = paths[f] != NULL ? read_file(paths[f], (enum shw_csv_file)f, log, &bytes[f], &files[f])
                                  : shw_fail_memory(log, folder);
    }
    if (result == SHW_OK)
        result = shw_csv_cascade_parse(files, import, log, cascade);
    for (int f = 0; f < SHW_CSV_FILE_COUNT; f++) {
        shw_file_bytes_free(&bytes[f]);
        free(paths[f]);
    }
    return result;
}
