#include "base/provenance.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

#define LENGTH_MAX (1u << 20)

enum shw_result shw_provenance_read(const char *text, const char *name, enum shw_log_item item,
                                    const struct shw_log *log, char **out)
{
    json_error_t error;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    char *record;
    enum shw_result result = SHW_OK;

    if (object == NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, item, "%s: the provenance is not a JSON object: %s", name, error.text);
    record = json_dumps(object, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(object);
    if (record == NULL)
        return shw_fail_memory(log, "the provenance");
    if (record[0] != '{')
        result = shw_fail(log, SHW_ERROR_FORMAT, item, "%s: the provenance is not a JSON object", name);
    else if (strlen(record) > LENGTH_MAX)
        result = shw_fail(log, SHW_ERROR_LIMIT, item, "%s: the provenance is longer than %u bytes", name, LENGTH_MAX);
    if (result == SHW_OK)
        *out = record;
    else
        free(record);
    return result;
}
