#include "files/output/result_tables.h"

#include <stdlib.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "files/io/image_paths.h"

enum shw_result shw_result_tables_begin(struct shw_result_tables *tables, const char *folder, const json_t *columns)
{
    const char *names[SHW_RESULT_TABLES_MAX];

    tables->count = tables->kind->list(columns, names);
    for (uint32_t i = 0; i < tables->count; i++) {
        tables->paths[i] = shw_path_in(folder, names[i]);
        if (tables->paths[i] == NULL)
            return shw_fail_memory(tables->log, "the names of tables");
    }
    return tables->kind->begin(tables, columns);
}

enum shw_result shw_result_tables_add(struct shw_result_tables *tables, const char *path, const char *place,
                                      const json_t *entry)
{
    return tables->kind->add(tables, path, place, entry);
}

enum shw_result shw_result_tables_commit(struct shw_result_tables *tables)
{
    return tables->kind->commit(tables);
}

void shw_result_tables_free(struct shw_result_tables *tables)
{
    if (tables->state != NULL)
        tables->kind->free(tables);
    free(tables->state);
    tables->state = NULL;
    for (uint32_t i = 0; i < tables->count; i++)
        free(tables->paths[i]);
    tables->count = 0;
}

enum shw_result shw_result_table_announce(const struct shw_result_tables *tables, const char *path, FILE *stream)
{
    struct shw_digest digest;

    SHW_PROPAGATE(shw_output_files_look_again(tables->outputs, path));
    if (!shw_digest_stream(stream, &digest))
        return shw_fail(tables->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                        "cannot write %s: what was written cannot be read back", path);
    return shw_result_journal_note(tables->journal, path, &digest);
}

enum shw_result shw_result_tables_list(const struct shw_result_tables_kind *kind, const json_t *columns,
                                       const char *folder, bool (*owns)(const void *user, const char *path),
                                       const void *user, struct shw_output_files *outputs)
{
    const char *names[SHW_RESULT_TABLES_MAX];
    const uint32_t count = kind->list(columns, names);

    for (uint32_t i = 0; i < count; i++) {
        char *path = shw_path_in(folder, names[i]);

        if (path == NULL)
            return shw_fail_memory(&outputs->log, "the names of tables");
        if (owns(user, path))
            shw_output_files_replace(outputs, path, &shw_file_table);
        else
            shw_output_files_write(outputs, path, &shw_file_table);
        free(path);
    }
    return SHW_OK;
}
