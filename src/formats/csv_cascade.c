#include "formats/csv_cascade.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <shadewood/cascade.h>

#include "base/array.h"
#include "base/class.h"
#include "base/csv_read.h"
#include "base/file_bytes.h"
#include "base/integers.h"
#include "base/log.h"
#include "base/text.h"
#include "detection/cascade/cascade.h"
#include "formats/cascade_formats.h"
#include "formats/source.h"
#include "shared/detect.h"

/* cascade.csv: the properties of the cascade as a whole. */

struct csv_settings {
    char name[SHW_CLASS_NAME_MAX + 1]; /* "" if the file has none */
    uint32_t window_width, window_height, levels_per_octave;
    struct shw_cascade_planes planes;
    bool has_fraction_bits;
    uint32_t fraction_bits;
    double score_base;
    bool has_min_score;
    double min_score;
};

enum key {
    NAME,
    WINDOW_WIDTH,
    WINDOW_HEIGHT,
    SHRINK,
    LEVELS_PER_OCTAVE,
    BLUR_BEFORE,
    BLUR_AFTER,
    OCTAVES,
    FRACTION_BITS,
    SCORE_BASE,
    MIN_SCORE,
    KEY_COUNT
};

/* The range of a whole number; `most` 0: any number. */
static const struct {
    const char *name;
    bool needed;
    uint32_t least, most;
} keys[KEY_COUNT] = {
    [NAME] = {"name", false, 0, 0},
    [WINDOW_WIDTH] = {"window_width", true, 2, 128},
    [WINDOW_HEIGHT] = {"window_height", true, 2, 128},
    [SHRINK] = {"shrink", true, 1, 16},
    [LEVELS_PER_OCTAVE] = {"levels_per_octave", false, 1, 16},
    [BLUR_BEFORE] = {"blur_before", false, 0, 1},
    [BLUR_AFTER] = {"blur_after", false, 0, 1},
    [OCTAVES] = {"octaves", false, 0, 1},
    [FRACTION_BITS] = {"fraction_bits", false, 0, 30},
    [SCORE_BASE] = {"score_base", false, 0, 0},
    [MIN_SCORE] = {"min_score", false, 0, 0},
};

#define BAD_LINE(line, format, ...)                                                                                    \
    shw_fail((line)->log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "%s, line %u: " format, (line)->name, (line)->line,       \
             __VA_ARGS__)

static enum shw_result read_name(const struct shw_csv_reader *line, const char *text, char *name)
{
    if (strlen(text) > SHW_CLASS_NAME_MAX || !shw_class_name_is_valid(text))
        return BAD_LINE(line, "the name is not 1 to %u bytes of printable UTF-8", SHW_CLASS_NAME_MAX);
    strcpy(name, text);
    return SHW_OK;
}

static enum shw_result read_number(const struct shw_csv_reader *line, const char *text, enum key key, double *number)
{
    char *end;

    *number = shw_decimal_read(text, &end);
    if (end == text || *end != '\0' || !isfinite(*number))
        return BAD_LINE(line, "the value of %s is not a number", keys[key].name);
    if (keys[key].most > 0 && (*number < keys[key].least || *number > keys[key].most || *number != floor(*number)))
        return BAD_LINE(line, "%s is %g instead of a whole number from %u to %u", keys[key].name, *number,
                        keys[key].least, keys[key].most);
    return SHW_OK;
}

static void set(struct csv_settings *settings, enum key key, double number)
{
    switch (key) {
    case WINDOW_WIDTH: settings->window_width = (uint32_t)number; break;
    case WINDOW_HEIGHT: settings->window_height = (uint32_t)number; break;
    case SHRINK: settings->planes.shrink = (uint32_t)number; break;
    case LEVELS_PER_OCTAVE: settings->levels_per_octave = (uint32_t)number; break;
    case BLUR_BEFORE: settings->planes.blur_before = number != 0; break;
    case BLUR_AFTER: settings->planes.blur_after = number != 0; break;
    case OCTAVES: settings->planes.octaves = number != 0; break;
    case FRACTION_BITS:
        settings->has_fraction_bits = true;
        settings->fraction_bits = (uint32_t)number;
        break;
    case SCORE_BASE: settings->score_base = number; break;
    case MIN_SCORE:
        settings->has_min_score = true;
        settings->min_score = number;
        break;
    case NAME:
    case KEY_COUNT: break;
    }
}

static enum key find_key(const char *text)
{
    for (int k = 0; k < KEY_COUNT; k++)
        if (strcmp(keys[k].name, text) == 0)
            return (enum key)k;
    return KEY_COUNT;
}

static void trim_end(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && (text[length - 1] == ' ' || text[length - 1] == '\r'))
        length--;
    text[length] = '\0';
}

static enum shw_result read_setting(const struct shw_csv_reader *line, bool seen[KEY_COUNT],
                                    struct csv_settings *settings)
{
    const enum key key = find_key(line->fields[0]);
    double number;

    if (key == KEY_COUNT || line->count < 2)
        return BAD_LINE(line, "\"%.40s\" is not a setting; lines are KEY,VALUE", line->fields[0]);
    if (seen[key])
        return BAD_LINE(line, "a second %s", keys[key].name);
    seen[key] = true;
    trim_end(line->fields[1]);
    if (key == NAME)
        return read_name(line, line->fields[1], settings->name);
    SHW_PROPAGATE(read_number(line, line->fields[1], key, &number));
    set(settings, key, number);
    return SHW_OK;
}

/* Lines KEY,VALUE; commas and quotation marks after the first comma belong to the value. */
static enum shw_result read_settings(const struct shw_csv_text *file, const struct shw_log *log,
                                     struct csv_settings *settings)
{
    struct shw_csv_reader csv = {.name = file->name,
                                 .log = log,
                                 .item = SHW_LOG_CASCADE,
                                 .comment = "#",
                                 .fields_max = 1,
                                 .keeps_blanks = true,
                                 .is_plain = true};
    bool seen[KEY_COUNT] = {0};
    enum shw_result result;

    *settings = (struct csv_settings){.levels_per_octave = 4, .planes = {.blur_before = true, .blur_after = true}};
    SHW_TRY(shw_csv_begin(&csv, file->text, file->size));
    do {
        SHW_TRY(shw_csv_next(&csv));
        if (csv.count > 0)
            SHW_TRY(read_setting(&csv, seen, settings));
    } while (csv.count > 0);
    for (int k = 0; k < KEY_COUNT; k++)
        if (keys[k].needed && !seen[k])
            SHW_TRY(shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "%s: there is no %s", file->name, keys[k].name));
fail:
    shw_csv_end(&csv);
    return result;
}

/* Rows of numbers, which may have different lengths. */
struct number_table {
    const char *name; /* for messages; borrowed */
    uint32_t row_count;
    uint32_t *starts; /* [row_count + 1]: of each row in `values`, and the end */
    uint32_t *lines;  /* [row_count] in the text, from 1 */
    double *values;   /* finite, or NaN where a field is empty */
};

#define VALUES_MAX (1u << 21)
#define BLANKS     " \t\r"

struct table_capacity {
    uint32_t values, starts, lines;
};

static enum shw_result wrong_field(const struct shw_csv_reader *csv, const char *field, const char *what)
{
    return shw_fail(csv->log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "%s, line %u: \"%.40s\" %s", csv->name, csv->line,
                    field, what);
}

/* NaN if the field is empty. */
static enum shw_result read_number_field(const struct shw_csv_reader *csv, const char *field, double *value)
{
    char *end;

    *value = NAN;
    field += strspn(field, BLANKS);
    if (*field == '\0')
        return SHW_OK;
    *value = shw_decimal_read(field, &end);
    if (end == field || !isfinite(*value))
        return wrong_field(csv, field, "is not a number");
    end += strspn(end, BLANKS);
    return *end == '\0' ? SHW_OK : wrong_field(csv, end, "follows a number");
}

static enum shw_result add_table_row(const struct shw_csv_reader *csv, struct number_table *table,
                                     struct table_capacity *capacity)
{
    const uint32_t first = table->row_count > 0 ? table->starts[table->row_count] : 0, end = first + csv->count;

    if (csv->count > VALUES_MAX - first)
        return shw_fail(csv->log, SHW_ERROR_LIMIT, SHW_LOG_CASCADE, "%s, line %u: more than %u numbers", csv->name,
                        csv->line, VALUES_MAX);
    if (!SHW_RESERVE(table->values, capacity->values, end) ||
        !SHW_RESERVE(table->starts, capacity->starts, table->row_count + (size_t)2) ||
        !SHW_RESERVE(table->lines, capacity->lines, table->row_count + (size_t)1))
        return shw_fail_memory(csv->log, csv->name);
    for (uint32_t i = 0; i < csv->count; i++)
        SHW_PROPAGATE(read_number_field(csv, csv->fields[i], &table->values[first + i]));
    table->starts[0] = 0;
    table->lines[table->row_count++] = csv->line;
    table->starts[table->row_count] = end;
    return SHW_OK;
}

static enum shw_result read_number_table(const struct shw_csv_text *file, const struct shw_log *log,
                                         struct number_table *table)
{
    struct shw_csv_reader csv = {
        .name = file->name, .log = log, .item = SHW_LOG_CASCADE, .comment = "#", .fields_max = VALUES_MAX};
    struct table_capacity capacity = {0};
    enum shw_result result;

    table->name = file->name;
    SHW_TRY(shw_csv_begin(&csv, file->text, file->size));
    do {
        SHW_TRY(shw_csv_next(&csv));
        if (csv.count > 0)
            SHW_TRY(add_table_row(&csv, table, &capacity));
    } while (csv.count > 0);
    if (table->row_count == 0)
        SHW_TRY(shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "%s: there are no rows", file->name));
fail:
    shw_csv_end(&csv);
    return result;
}

static void number_table_free(struct number_table *table)
{
    free(table->starts);
    free(table->lines);
    free(table->values);
}

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
    struct csv_settings settings;
    struct number_table tables[SHW_CSV_FILE_COUNT]; /* but of the first */
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

static uint32_t length_of(const struct number_table *table, uint32_t row)
{
    return table->starts[row + 1] - table->starts[row];
}

/* A field; NaN if it is empty or beyond the end of the row. */
static double value_of(const struct building *building, enum shw_csv_file file, uint32_t row, uint32_t column)
{
    const struct number_table *table = &building->tables[file];

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

/* Columns without a counterpart are accepted if they are all 0 or empty. */
static enum shw_result check_layers(const struct building *building, enum shw_csv_file file)
{
    const struct number_table *table = &building->tables[file];

    for (uint32_t row = 0; row < table->row_count; row++)
        for (uint32_t i = table->starts[row]; i < table->starts[row + 1]; i++)
            if (!isnan(table->values[i]) && table->values[i] != 0)
                return BAD_VALUE(building, file, row, "column %u is layer %g of the image; there is only layer 0",
                                 i - table->starts[row] + 1, table->values[i]);
    return SHW_OK;
}

static enum shw_result read_tables(struct building *building)
{
    const struct number_table *children = &building->tables[SHW_CSV_CHILDREN];

    for (int f = SHW_CSV_STAGES; f < SHW_CSV_FILE_COUNT; f++)
        if (building->files[f].text != NULL)
            SHW_PROPAGATE(read_number_table(&building->files[f], building->log, &building->tables[f]));
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
    const struct number_table *table = &building->tables[SHW_CSV_STAGES];
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

/* Chooses the fraction bits by the largest possible magnitude of a score. */
static enum shw_result find_bits(struct building *building)
{
    const struct number_table *prob = &building->tables[SHW_CSV_PROB];
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

/* Thresholds in the file are sums over the pixels of a block, 1 for white; responses are 65280 for the mean of a white
 * block. A whole number exceeds a threshold if it exceeds its floor. */
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

/* Adds the children of a split; the right one follows the left. */
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

/* Follows the children from the root: nodes may be in any order, and unreachable ones are left out. */
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
    const struct number_table *children = &building->tables[SHW_CSV_CHILDREN];
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
    const struct csv_settings *settings = &building->settings;
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

    return shw_cascade_make(&info, building->files[SHW_CSV_CASCADE].name, building->log, cascade);
}

static enum shw_result build(struct building *building)
{
    SHW_PROPAGATE(read_settings(&building->files[SHW_CSV_CASCADE], building->log, &building->settings));
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
        number_table_free(&building.tables[f]);
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

/* An optional file that is missing has no text. */
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

enum shw_result shw_csv_cascade_read(const struct shw_import_source *source, const struct shw_cascade_import *import,
                                     const struct shw_log *log, struct shw_cascade **cascade)
{
    struct shw_file_bytes bytes[SHW_CSV_FILE_COUNT] = {0};
    char *paths[SHW_CSV_FILE_COUNT] = {0};
    struct shw_csv_text files[SHW_CSV_FILE_COUNT];
    const char *folder = source->path;
    enum shw_result result = SHW_OK;

    if (folder == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: a cascade of the format csv is a folder, not bytes in memory", shw_source_name(source));
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

/* Enough digits to read back every 32-bit integer, and every half between two. */
#define NUMBER "%.12g"

static void write_settings(FILE *stream, const struct shw_cascade_info *info)
{
    fprintf(stream,
            "name,%s\nwindow_width,%u\nwindow_height,%u\nshrink,%u\nlevels_per_octave,%u\nblur_before,%d\n"
            "blur_after,%d\noctaves,%d\nfraction_bits,%u\nscore_base," NUMBER "\n",
            info->name, info->window_width, info->window_height, info->planes.shrink, info->levels_per_octave,
            info->planes.blur_before, info->planes.blur_after, info->planes.octaves, info->fraction_bits,
            ldexp(info->score_base, -(int)info->fraction_bits));
    if (info->has_min_score)
        fprintf(stream, "min_score," NUMBER "\n", ldexp(info->min_score, -(int)info->fraction_bits));
}

/* A score passes if it is greater: thresholds lie halfway between the greatest rejected and the least passing score. */
static void write_stages(FILE *stream, const struct shw_cascade_info *info)
{
    fprintf(stream, "# first tree, last tree, threshold\n");
    for (uint32_t s = 0; s < info->stage_count; s++) {
        const struct shw_cascade_stage *stage = &info->stages[s];
        fprintf(stream, "%u,%u," NUMBER "\n", stage->first_tree, stage->first_tree + stage->tree_count - 1,
                ldexp(stage->threshold - 0.5, -(int)info->fraction_bits));
    }
}

/* 0 for a leaf's test and for a split's value. */
static double field_of(const struct shw_cascade_info *info, const struct shw_cascade_node *node, uint32_t tree_count,
                       enum shw_csv_file file)
{
    double area = (double)info->planes.shrink * info->planes.shrink;

    switch (file) {
    case SHW_CSV_CHILDREN: return node->is_split ? node->left : -1.0;
    case SHW_CSV_PROB: return ldexp((double)node->value * tree_count, -(int)info->fraction_bits);
    case SHW_CSV_THR: return node->is_split ? (node->threshold + 0.5) * area / SHW_DETECT_ONE : 0;
    case SHW_CSV_Y1: return node->y1;
    case SHW_CSV_X1: return node->x1;
    case SHW_CSV_Y2: return node->y2;
    case SHW_CSV_X2: return node->x2;
    case SHW_CSV_CASCADE:
    case SHW_CSV_STAGES:
    case SHW_CSV_Z1:
    case SHW_CSV_Z2:
    case SHW_CSV_FILE_COUNT: break;
    }
    return 0;
}

static void write_field(FILE *stream, const struct shw_cascade_info *info, enum shw_csv_file file)
{
    for (uint32_t s = 0; s < info->stage_count; s++)
        for (uint32_t t = 0; t < info->stages[s].tree_count; t++) {
            const struct shw_cascade_tree *tree = &info->trees[info->stages[s].first_tree + t];
            for (uint32_t n = 0; n < tree->node_count; n++)
                fprintf(stream, "%s" NUMBER, n > 0 ? "," : "",
                        field_of(info, &info->nodes[tree->first_node + n], info->stages[s].tree_count, file));
            putc('\n', stream);
        }
}

static enum shw_result check(const struct shw_cascade_info *info, const char *name, const struct shw_log *log)
{
    if (info->kind != SHW_CASCADE_PIXELS)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE,
                        "%s: a cascade of the kind %s; CSV files hold those of the kind %s", name,
                        shw_cascade_kind_name(info->kind), shw_cascade_kind_name(SHW_CASCADE_PIXELS));
    if (info->restarts)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE,
                        "%s: its scores restart in each stage; those of CSV files run on", name);
    return SHW_OK;
}

enum shw_result shw_csv_cascade_format(const struct shw_cascade *cascade, enum shw_csv_file file, const char *name,
                                       const struct shw_log *log, char **text)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    char *bytes = NULL;
    size_t size;
    FILE *stream;
    bool failed;

    SHW_PROPAGATE(check(info, name, log));
    stream = open_memstream(&bytes, &size);
    if (stream == NULL)
        return shw_fail_memory(log, name);
    if (file == SHW_CSV_CASCADE)
        write_settings(stream, info);
    else if (file == SHW_CSV_STAGES)
        write_stages(stream, info);
    else
        write_field(stream, info, file);
    failed = ferror(stream) != 0;
    if (fclose(stream) != 0 || failed) {
        free(bytes);
        return shw_fail_memory(log, name);
    }
    *text = bytes;
    return SHW_OK;
}
