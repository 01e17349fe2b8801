#include "cli/import_records.h"

#include <stdio.h>

#include <shadewood/record_forest.h>

#include "base/counted.h"
#include "base/integers.h"
#include "base/printable.h"
#include "files/formats/record_open.h"
#include "files/io/json_text.h"
#include "records/model/doubles.h"

static uint32_t depth_of(const struct shw_record_forest_info *info)
{
    uint32_t depth = 0;

    for (uint32_t t = 0; t < info->tree_count; t++)
        depth = shw_max_u32(depth, info->trees[t].depth);
    return depth;
}

static int tell(const struct cli_record_import *import, const struct shw_record_forest *forest)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    bool classes = info->task == SHW_RECORD_CLASSES;
    const uint32_t doubles = shw_record_forest_count_double_thresholds(forest);
    char hash[20];

    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)shw_record_forest_hash(forest));
    if (import->report->json)
        return cli_print_json(import->report,
                              json_pack("{s:o, s:s, s:i, s:i, s:i, s:i, s:i, s:s, s:i, s:s, s:I}", "forest",
                                        shw_json_text(import->output), "hash", hash, "trees", (int)info->tree_count,
                                        "nodes", (int)info->node_count, "depth", (int)depth_of(info), "attributes",
                                        (int)info->attribute_count, "outputs", (int)info->output_count, "task",
                                        classes ? "classes" : "values", "classes", (int)info->class_count, "link",
                                        shw_record_link_name(info->link), "double_thresholds", (json_int_t)doubles));
    if (!import->report->quiet)
        printf("%s: %s, %s, depth %u, %s, %s (hash %s)\n", shw_printable(import->output).text,
               shw_counted(info->tree_count, "tree", "trees").text, shw_counted(info->node_count, "node", "nodes").text,
               depth_of(info), shw_counted(info->attribute_count, "attribute", "attributes").text,
               classes ? shw_counted(info->class_count, "class", "classes").text
                       : shw_counted(info->output_count, "value", "values").text,
               hash);
    if (!import->report->quiet && doubles > 0)
        printf("%s in double precision, which the forest has in float32: numbers that are no float32 may reach other "
               "leaves than in the model, unless 'shadewood records --double' is given the model itself\n",
               shw_counted(doubles, "threshold is", "thresholds are").text);
    return SHW_EXIT_SUCCESS;
}

int cli_import_records(const struct cli_record_import *import)
{
    const struct shw_log log = cli_log(import->report);
    struct shw_record_forest *forest = NULL;
    enum shw_result result;
    int code;

    shw_output_files_read(import->files, import->path);
    shw_output_files_write(import->files, import->output, &shw_file_record_forest);
    code = cli_check_outputs(import->report, import->files);
    if (code != SHW_CONTINUE)
        return code;
    result = shw_record_model_read(import->path, import->format, &log, &forest);
    if (result == SHW_OK)
        result = shw_output_files_look_again(import->files, import->output);
    if (result == SHW_OK)
        result = shw_record_forest_save(forest, import->output, &log);
    code = result == SHW_OK ? tell(import, forest) : shw_exit_code(result);
    shw_record_forest_destroy(&forest);
    return code;
}
