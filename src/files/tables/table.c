#include "files/tables/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/tables/format.h"
#include "files/tables/labels.h"

struct shw_table {
    struct shw_table_params params;
    struct shw_byte_source source;
    const struct shw_table_format *format;
    void *state;
    struct shw_table_info info;
    struct shw_table_labels *labels; /* NULL: none */
};

static const struct shw_table_format *const formats[] = {&shw_table_npy, &shw_table_libsvm,
                                                         &shw_table_csv}; /* text is the last */

static const struct shw_table_format *recognise(const struct shw_byte_source *source)
{
    size_t i = 0;

    while (!formats[i]->recognise(source))
        i++;
    return formats[i];
}

/* Known by their first bytes. As text they would be told to lack columns. */
static enum shw_result refuse_others(const struct shw_byte_source *source)
{
    static const struct {
        const char *begin, *what;
    } others[] = {{"\x1f\x8b", "packed by gzip: unpack it first, or write it to a pipe with gzip -dc"},
                  {"BZh91AY&SY", "packed by bzip2: unpack it first, or write it to a pipe with bzip2 -dc"},
                  {"\xfd\x37zXZ", "packed by xz: unpack it first, or write it to a pipe with xz -dc"},
                  {"\x28\xb5\x2f\xfd", "packed by zstd: unpack it first, or write it to a pipe with zstd -dc"},
                  {"PK\3\4", "a ZIP archive, as .npz and .xlsx are: write the table as CSV or NPY"},
                  {"\xabKTX", "a texture, as forests are, and no table"}};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (source->start_size >= strlen(others[i].begin) &&
            memcmp(source->start, others[i].begin, strlen(others[i].begin)) == 0)
            return shw_fail(&source->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is %s", source->name, others[i].what);
    return SHW_OK;
}

static void take_info(struct shw_table *table)
{
    const struct shw_table_columns *columns = table->format->get_columns(table->state);
    const bool has_column = columns->truth != SHW_COLUMN_NONE;

    table->info = (struct shw_table_info){.attribute_count = columns->attribute_count,
                                          .attribute_names = (const char *const *)columns->attribute_names,
                                          .has_truth = has_column || table->labels != NULL,
                                          .truth_path = table->source.name,
                                          .doubtful_line = columns->doubtful_line};
    if (table->labels != NULL) {
        const struct shw_table_info *labels = shw_table_labels_get_info(table->labels);

        table->info.truth_path = labels->truth_path;
        table->info.doubtful_line = labels->doubtful_line;
    }
    if (has_column) {
        table->info.class_number = columns->truth + 1;
        table->info.class_is_guess = columns->truth_is_guess;
    }
    if (has_column && columns->names != NULL && columns->names[columns->truth][0] != '\0')
        table->info.class_column = columns->names[columns->truth];
}

enum shw_result shw_table_open(const char *path, const struct shw_table_params *params, struct shw_table **opened)
{
    struct shw_table *table = calloc(1, sizeof *table);
    enum shw_result result;

    if (table == NULL)
        return shw_fail_memory(&params->log, path);
    table->params = *params;
    SHW_TRY(shw_byte_source_open(&table->source, path, &params->log));
    SHW_TRY(refuse_others(&table->source));
    table->format = recognise(&table->source);
    if (params->first_index_is_0 && !table->format->has_indices)
        shw_log_message(&params->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: --first-index changes nothing, since this is no file of libsvm", table->source.name);
    SHW_TRY(table->format->open(&table->source, &table->params, &table->state));
    if (params->labels != NULL)
        SHW_TRY(shw_table_labels_open(params, &table->labels));
    take_info(table);
    *opened = table;
    return SHW_OK;

fail:
    shw_table_close(&table);
    return result;
}

const struct shw_table_info *shw_table_get_info(const struct shw_table *table)
{
    return &table->info;
}

enum shw_result shw_table_read(struct shw_table *table, struct shw_table_block *block)
{
    SHW_PROPAGATE(table->format->read(table->state, block));
    return table->labels != NULL ? shw_table_labels_read(table->labels, table->source.name, block) : SHW_OK;
}

double shw_table_get_fraction(const struct shw_table *table)
{
    return table->source.size > 0 ? (double)table->source.taken / (double)table->source.size : 0;
}

void shw_table_close(struct shw_table **table)
{
    if (table == NULL || *table == NULL)
        return;
    shw_table_labels_close(&(*table)->labels);
    if ((*table)->state != NULL)
        (*table)->format->close((*table)->state);
    shw_byte_source_close(&(*table)->source);
    free(*table);
    *table = NULL;
}
