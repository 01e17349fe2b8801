#include "files/tables/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"

struct shw_table_labels {
    const char *path;
    struct shw_log log;
    struct shw_table *table;
    struct shw_table_block block; /* of which `taken` belong to records before */
    uint32_t taken;
    uint32_t *words; /* classes or the bits of targets, of a block of the other table */
    uint32_t capacity;
    bool is_classes;
};

enum shw_result shw_table_labels_open(const struct shw_table_params *params, struct shw_table_labels **opened)
{
    struct shw_table_labels *labels = calloc(1, sizeof *labels);
    const struct shw_table_params own = {.delimiter = params->delimiter,
                                         .header = params->header,
                                         .truth = params->truth,
                                         .class_column = "1",
                                         .classes = params->classes,
                                         .threads = params->threads,
                                         .log = params->log};
    enum shw_result result;

    if (labels == NULL)
        return shw_fail_memory(&params->log, params->labels);
    labels->path = params->labels;
    labels->log = params->log;
    labels->is_classes = params->truth == SHW_TABLE_CLASSES;
    result = shw_table_open(params->labels, &own, &labels->table);
    if (result == SHW_OK && shw_table_get_info(labels->table)->attribute_count > 0)
        result = shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has %u columns; labels have one",
                          params->labels, shw_table_get_info(labels->table)->attribute_count + 1);
    if (result != SHW_OK)
        shw_table_labels_close(&labels);
    *opened = labels;
    return result;
}

const struct shw_table_info *shw_table_labels_get_info(const struct shw_table_labels *labels)
{
    return shw_table_get_info(labels->table);
}

/* The next block, when all of this one was taken. *ended: there is none. */
static enum shw_result look_ahead(struct shw_table_labels *labels, bool *ended)
{
    if (labels->taken == labels->block.count) {
        SHW_PROPAGATE(shw_table_read(labels->table, &labels->block));
        labels->taken = 0;
    }
    *ended = labels->block.count == 0;
    return SHW_OK;
}

static enum shw_result reserve(struct shw_table_labels *labels, uint32_t count)
{
    if (count <= labels->capacity)
        return SHW_OK;
    free(labels->words);
    labels->words = malloc(count * sizeof *labels->words);
    labels->capacity = labels->words != NULL ? count : 0;
    return labels->words != NULL ? SHW_OK : shw_fail_memory(&labels->log, labels->path);
}

enum shw_result shw_table_labels_read(struct shw_table_labels *labels, const char *name, struct shw_table_block *block)
{
    bool ended;

    SHW_PROPAGATE(reserve(labels, block->count));
    for (uint32_t done = 0; done < block->count;) {
        uint32_t some;
        const void *from;

        SHW_PROPAGATE(look_ahead(labels, &ended));
        if (ended)
            return shw_fail(&labels->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has %s, and %s more records",
                            labels->path, shw_counted(block->first + done, "label", "labels").text, name);
        some = labels->block.count - labels->taken;
        some = some < block->count - done ? some : block->count - done;
        from = labels->is_classes ? (const void *)(labels->block.classes + labels->taken)
                                  : (const void *)(labels->block.targets + labels->taken);
        memcpy(labels->words + done, from, some * sizeof *labels->words);
        labels->taken += some;
        done += some;
    }
    if (labels->is_classes)
        block->classes = labels->words;
    else
        block->targets = (const float *)(const void *)labels->words;
    if (block->count > 0)
        return SHW_OK;
    SHW_PROPAGATE(look_ahead(labels, &ended));
    return ended ? SHW_OK
                 : shw_fail(&labels->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s has labels for more than the %llu records of %s%s", labels->path,
                            (unsigned long long)block->first, name,
                            shw_table_labels_get_info(labels)->doubtful_line > 0
                                ? " (if its first record is a header: --header yes)"
                                : "");
}

void shw_table_labels_close(struct shw_table_labels **labels)
{
    if (labels == NULL || *labels == NULL)
        return;
    shw_table_close(&(*labels)->table);
    free((*labels)->words);
    free(*labels);
    *labels = NULL;
}
