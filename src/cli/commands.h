/* The commands, one file each. */
#ifndef SHW_CLI_COMMANDS_H
#define SHW_CLI_COMMANDS_H

#include "base/options.h"

extern const struct shw_command cli_devices, cli_synth, cli_convert, cli_depth, cli_train, cli_train_cascade,
    cli_train_records, cli_label, cli_detect, cli_records, cli_evaluate, cli_explain, cli_inspect, cli_import,
    cli_export, cli_bench, cli_bench_compare;

#endif
