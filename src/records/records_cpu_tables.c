#include <stdlib.h>

#include "base/log.h"
#include "records/records_cpu.h"

#define VARIANTS 4u /* of an attribute: either side of what is missing, with or without zero */

static uint32_t variant_of(const struct shw_record_node *node)
{
    return node->attribute * VARIANTS + node->missing_right * 2u + node->zero_missing;
}

/* Numbers the variants that nodes test in the order of attributes, from 1 on. Others have 0. */
static uint32_t number_columns(const struct shw_record_forest_info *info, uint32_t *numbers)
{
    uint32_t count = 1;

    for (uint32_t n = 0; n < info->node_count; n++)
        if (info->nodes[n].is_split)
            numbers[variant_of(&info->nodes[n])] = 1;
    for (uint32_t v = 0; v < info->attribute_count * VARIANTS; v++)
        if (numbers[v] > 0)
            numbers[v] = count++;
    return count;
}

static void fill_columns(const struct shw_record_forest_info *info, const uint32_t *numbers,
                         struct shw_record_column *columns)
{
    for (uint32_t v = 0; v < info->attribute_count * VARIANTS; v++)
        if (numbers[v] > 0)
            columns[numbers[v]] = (struct shw_record_column){v / VARIANTS, v / 2 % 2, v % 2};
}

static void fill_nodes(const struct shw_record_forest_info *info, const uint32_t *numbers,
                       struct shw_record_walk_node *nodes)
{
    for (uint32_t n = 0; n < info->node_count; n++) {
        const struct shw_record_node *node = &info->nodes[n];
        nodes[n] = node->is_split ? (struct shw_record_walk_node){node->threshold - (int32_t)node->missing_right,
                                                                  numbers[variant_of(node)], node->left}
                                  : (struct shw_record_walk_node){(int32_t)node->leaf, 0, node->left};
    }
}

enum shw_result shw_record_tables_make(const struct shw_record_forest *forest, const struct shw_log *log,
                                       struct shw_record_tables *tables)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    uint32_t *numbers = calloc((size_t)info->attribute_count * VARIANTS, sizeof *numbers);

    *tables = (struct shw_record_tables){.info = info};
    if (numbers != NULL) {
        tables->column_count = number_columns(info, numbers);
        tables->columns = calloc(tables->column_count, sizeof *tables->columns);
        tables->nodes = calloc(info->node_count, sizeof *tables->nodes);
    }
    if (tables->columns == NULL || tables->nodes == NULL) {
        free(numbers);
        shw_record_tables_free(tables);
        return shw_fail_memory(log, "tables of a record forest");
    }
    fill_columns(info, numbers, tables->columns);
    fill_nodes(info, numbers, tables->nodes);
    free(numbers);
    return SHW_OK;
}

void shw_record_tables_free(struct shw_record_tables *tables)
{
    free(tables->columns);
    free(tables->nodes);
    *tables = (struct shw_record_tables){0};
}
