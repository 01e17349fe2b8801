#include "files/tables/csv.h"

#include <stdlib.h>

#include "base/log.h"
#include "files/tables/format.h"

static void close_csv(void *state)
{
    struct shw_csv *csv = state;

    shw_csv_free_rows(csv);
    shw_csv_buffer_free(&csv->buffer);
    shw_table_columns_free(&csv->columns);
    shw_thread_pool_destroy(&csv->pool);
    free(csv);
}

/* What is of no other format is text. */
static bool recognise_csv(const struct shw_byte_source *source)
{
    (void)source;
    return true;
}

static enum shw_result open_csv(struct shw_byte_source *source, const struct shw_table_params *params, void **state)
{
    struct shw_csv *csv = calloc(1, sizeof *csv);
    enum shw_result result;

    if (csv == NULL)
        return shw_fail_memory(&params->log, source->name);
    csv->buffer.source = source;
    csv->params = params;
    csv->name = source->name;
    SHW_TRY(shw_csv_find_layout(csv));
    SHW_TRY(shw_csv_create_parts(csv));
    *state = csv;
    return SHW_OK;

fail:
    close_csv(csv);
    return result;
}

static const struct shw_table_columns *get_columns(const void *state)
{
    return &((const struct shw_csv *)state)->columns;
}

/* Until there are records: all that the buffer has may be comments, or the beginning of a long record. */
static enum shw_result read_csv(void *state, struct shw_table_block *block)
{
    struct shw_csv *csv = state;
    struct shw_csv_buffer *buffer = &csv->buffer;

    for (;;) {
        const size_t begin = buffer->begin;

        SHW_PROPAGATE(shw_csv_read_rows(csv, block));
        if (block->count > 0 || (buffer->at_end && buffer->begin == buffer->end))
            return SHW_OK;
        if (buffer->at_end)
            return shw_fail(&csv->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s, line %llu: quotation marks are not closed", csv->name,
                            (unsigned long long)buffer->lines + 1);
        if (buffer->begin == begin && buffer->begin == 0 && buffer->end == buffer->capacity)
            SHW_PROPAGATE(shw_csv_buffer_grow(buffer));
        else
            SHW_PROPAGATE(shw_csv_buffer_fill(buffer));
    }
}

const struct shw_table_format shw_table_csv = {recognise_csv, open_csv, get_columns, read_csv, close_csv, false};
