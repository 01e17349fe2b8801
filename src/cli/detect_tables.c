#include "cli/detect_tables.h"

#include <stdlib.h>

#include "base/log.h"
#include "cli/report.h"
#include "files/io/image_paths.h"
#include "files/io/json_text.h"

static const char *const names[3] = {"detections.csv", "detections.json", "windows.csv"};

/* In the order of the names. */
static struct cli_detect_table *table_of(struct cli_detect_tables *tables, int number)
{
    return number == 0 ? &tables->csv : number == 1 ? &tables->coco : &tables->windows;
}

enum shw_result cli_detect_tables_name(struct cli_detect_tables *tables, const char *prefix,
                                       struct cli_detect_wanted wanted, struct shw_output_files *files)
{
    const bool is_wanted[3] = {wanted.csv, wanted.coco, wanted.windows};

    for (int i = 0; i < 3; i++) {
        struct cli_detect_table *table = table_of(tables, i);

        if (!is_wanted[i])
            continue;
        table->path = shw_path_join(prefix, names[i], "");
        if (table->path == NULL)
            return shw_fail_memory(&files->log, "the names of files");
        shw_output_files_write(files, table->path, &shw_file_table);
    }
    return SHW_OK;
}

enum shw_result cli_detect_tables_open(struct cli_detect_tables *tables, const struct shw_detection_columns *columns,
                                       const struct shw_log *log)
{
    const struct shw_detection_columns windows = {columns->frames, true, columns->fraction_bits};

    tables->columns = *columns;
    for (int i = 0; i < 3; i++) {
        struct cli_detect_table *table = table_of(tables, i);

        if (table->path != NULL)
            SHW_PROPAGATE(shw_atomic_file_open(&table->file, table->path, log));
    }
    if (tables->csv.path != NULL)
        shw_print_detection_header(tables->csv.file.stream, columns);
    if (tables->windows.path != NULL)
        shw_print_detection_header(tables->windows.file.stream, &windows);
    if (tables->coco.path != NULL)
        fputs("[", tables->coco.file.stream);
    return SHW_OK;
}

static void add_results(struct cli_detect_tables *tables, const char *name, int64_t id, int64_t category,
                        const struct shw_detections *found)
{
    FILE *stream = tables->coco.file.stream;
    json_t *text = shw_json_text(name);

    for (uint32_t i = 0; i < found->count; i++) {
        const struct shw_detection *item = &found->items[i];
        char score[SHW_SCORE_TEXT_SIZE];

        shw_score_text(item->score, tables->columns.fraction_bits, score);
        fprintf(stream,
                "%s\n{\"image_id\": %lld, \"category_id\": %lld, \"bbox\": [%d, %d, %u, %u], \"score\": %s, "
                "\"file_name\": ",
                tables->has_results ? "," : "", (long long)id, (long long)category, item->x, item->y, item->width,
                item->height, score);
        json_dumpf(text, stream, JSON_ENCODE_ANY);
        fputs("}", stream);
        tables->has_results = true;
    }
    json_decref(text);
}

void cli_detect_tables_add(struct cli_detect_tables *tables, const struct shw_detection_place *place, int64_t id,
                           int64_t category, const struct shw_detections *found, const struct shw_detections *windows)
{
    const struct shw_detection_columns raw = {tables->columns.frames, true, tables->columns.fraction_bits};

    for (uint32_t i = 0; tables->csv.path != NULL && i < found->count; i++)
        shw_print_detection_row(tables->csv.file.stream, &tables->columns, place, &found->items[i]);
    for (uint32_t i = 0; tables->windows.path != NULL && i < windows->count; i++)
        shw_print_detection_row(tables->windows.file.stream, &raw, place, &windows->items[i]);
    if (tables->coco.path != NULL)
        add_results(tables, place->name, id, category, found);
}

enum shw_result cli_detect_tables_commit(struct cli_detect_tables *tables, const struct shw_output_files *files,
                                         const struct shw_log *log)
{
    if (tables->coco.path != NULL)
        fputs("\n]\n", tables->coco.file.stream);
    for (int i = 0; i < 3; i++) {
        struct cli_detect_table *table = table_of(tables, i);

        if (table->path == NULL)
            continue;
        SHW_PROPAGATE(shw_output_files_look_again(files, table->path));
        SHW_PROPAGATE(shw_atomic_file_commit(&table->file, log));
    }
    return SHW_OK;
}

void cli_detect_tables_free(struct cli_detect_tables *tables)
{
    for (int i = 0; i < 3; i++) {
        struct cli_detect_table *table = table_of(tables, i);

        shw_atomic_file_abandon(&table->file);
        free(table->path);
    }
    *tables = (struct cli_detect_tables){0};
}
