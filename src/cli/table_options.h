/* The options by which tables of records are read. */
#ifndef SHW_CLI_TABLE_OPTIONS_H
#define SHW_CLI_TABLE_OPTIONS_H

#include "base/options.h"
#include "files/tables/table.h"

struct cli_table_options {
    const char *class_column, *labels, *delimiter;
    bool by_position;
    int header; /* enum shw_table_header */
    int first_index;
    struct shw_option_list ignored;
};

extern const char *const cli_table_headers[], *const cli_first_indices[];

#define CLI_TABLE_OPTIONS(options)                                                                                     \
    SHW_OPTION(SHW_VALUE_TEXT, "target", 0, "COLUMN", &(options).class_column,                                         \
               "the column of classes, or of values to compare with: a\nname, a number from 1, or none (that called "  \
               "class, label\nor target, otherwise the last one)"),                                                    \
        SHW_OPTION(SHW_VALUE_TEXT, "class-column", 0, "COLUMN", &(options).class_column,                               \
                   "the former name of --target"),                                                                     \
        SHW_OPTION(SHW_VALUE_TEXT, "labels", 0, "FILE", &(options).labels,                                             \
                   "another table, of one column, that has the classes of\nthe one table"),                            \
        SHW_OPTION(SHW_VALUE_LIST, "ignore", 0, "COLUMN", &(options).ignored,                                          \
                   "leave out a column: its name or number; may be repeated"),                                         \
        SHW_OPTION(SHW_VALUE_TEXT, "delimiter", 0, "CHAR", &(options).delimiter,                                       \
                   "between fields of text: ',' ';' or tab (recognised)"),                                             \
        SHW_OPTION_FLAG("by-position", 0, &(options).by_position, "match columns by position, not by name"),           \
        SHW_OPTION_CHOICE("first-index", 0, "N", &(options).first_index, cli_first_indices,                            \
                          "with which the indices of libsvm begin: 0 or 1 (1)"),                                       \
        SHW_OPTION_CHOICE("header", 0, "WHICH", &(options).header, cli_table_headers,                                  \
                          "whether the first record names the columns, of labels, too:\nauto, yes, no (auto)")

/* Checks the options and takes them over; members that they do not concern stay. Returns SHW_CONTINUE or the exit
 * code. */
int cli_take_table_options(const struct shw_command *command, const struct cli_table_options *options,
                           struct shw_table_params *params);

/* Checks them with the tables that the command names. Returns SHW_CONTINUE or the exit code. */
int cli_check_tables(const struct shw_command *command, const struct cli_table_options *options, char **tables,
                     int count);

#endif
