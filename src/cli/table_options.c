#include "cli/table_options.h"

#include <string.h>

const char *const cli_table_headers[] = {"auto", "yes", "no", NULL};
const char *const cli_first_indices[] = {"1", "0", NULL};

int cli_take_table_options(const struct shw_command *command, const struct cli_table_options *options,
                           struct shw_table_params *params)
{
    const char *delimiter = options->delimiter;

    params->header = (enum shw_table_header)options->header;
    params->class_column = options->class_column;
    params->labels = options->labels;
    params->first_index_is_0 = options->first_index == 1;
    params->by_position = options->by_position;
    params->ignored = options->ignored.items;
    params->ignored_count = options->ignored.count;
    if (delimiter == NULL)
        return SHW_CONTINUE;
    if (strcmp(delimiter, ",") == 0 || strcmp(delimiter, ";") == 0 || strcmp(delimiter, "\t") == 0)
        params->delimiter = *delimiter;
    else if (strcmp(delimiter, "tab") == 0)
        params->delimiter = '\t';
    else
        return shw_usage_error(command, "--delimiter is ',', ';' or tab, not '%s'", delimiter);
    return SHW_CONTINUE;
}

int cli_check_tables(const struct shw_command *command, const struct cli_table_options *options, char **tables,
                     int count)
{
    int standard = options->labels != NULL && strcmp(options->labels, "-") == 0;

    for (int i = 0; i < count; i++)
        standard += strcmp(tables[i], "-") == 0;
    if (standard > 1)
        return shw_usage_error(command, "standard input can be read once only");
    if (options->labels != NULL && count > 1)
        return shw_usage_error(command, "--labels is for one table, not %d", count);
    return SHW_CONTINUE;
}
