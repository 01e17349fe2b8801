#include "files/image/row_writer.h"

#include "base/log.h"

void shw_row_writer_abandon(struct shw_row_writer **handle)
{
    struct shw_row_writer *writer = *handle;

    *handle = NULL;
    if (writer != NULL)
        writer->abandon(writer);
}

enum shw_result shw_row_writer_commit(struct shw_row_writer **handle)
{
    struct shw_row_writer *writer = *handle;

    *handle = NULL;
    return writer->commit(writer);
}

enum shw_result shw_row_writer_finish(enum shw_result opened, struct shw_row_writer *writer, const void *values,
                                      size_t plane, uint32_t rows)
{
    enum shw_result result = opened;

    if (result != SHW_OK)
        return result;
    result = writer->put(writer, values, plane, rows);
    if (result == SHW_OK)
        return writer->commit(writer);
    writer->abandon(writer);
    return result;
}
