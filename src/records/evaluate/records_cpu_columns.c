#include <stdlib.h>

#include "base/log.h"
#include "records/evaluate/records_cpu.h"

#define VARIANTS 4u /* of an attribute: either side of what is missing, with or without zero */

static uint32_t variant_of(const struct shw_record_node *node)
{
    return node->attribute * VARIANTS + (node->is_set ? 0 : node->missing_right * 2u + node->zero_missing);
}

uint32_t shw_record_column_of(const struct shw_record_columns *columns, const struct shw_record_node *node)
{
    return node->is_split ? columns->numbers[variant_of(node)] : 0;
}

/* Numbers the variants that nodes test, from 1 on. Others have 0. */
static void number_columns(const struct shw_record_forest_info *info, struct shw_record_columns *columns)
{
    columns->count = 1;
    for (uint32_t n = 0; n < info->node_count; n++)
        if (info->nodes[n].is_split)
            columns->numbers[variant_of(&info->nodes[n])] = 1;
    for (uint32_t v = 0; v < info->attribute_count * VARIANTS; v++)
        if (columns->numbers[v] > 0)
            columns->numbers[v] = columns->count++;
}

enum shw_result shw_record_columns_make(const struct shw_record_forest_info *info, const struct shw_log *log,
                                        struct shw_record_columns *columns)
{
    columns->numbers = calloc((size_t)info->attribute_count * VARIANTS, sizeof *columns->numbers);
    if (columns->numbers != NULL) {
        number_columns(info, columns);
        columns->items = calloc(columns->count, sizeof *columns->items);
    }
    if (columns->items == NULL)
        return shw_fail_memory(log, "columns of records");
    for (uint32_t v = 0; v < info->attribute_count * VARIANTS; v++)
        if (columns->numbers[v] > 0)
            columns->items[columns->numbers[v]] = (struct shw_record_column){v / VARIANTS, v / 2 % 2, v % 2};
    return SHW_OK;
}

void shw_record_columns_free(struct shw_record_columns *columns)
{
    free(columns->items);
    free(columns->numbers);
}
