/* Training records as text. */
#ifndef SHW_CLI_TRAINING_TEXT_H
#define SHW_CLI_TRAINING_TEXT_H

/* Prints the members of a record, a JSON object, on standard output, but that of the name `without`; NULL: all. */
void cli_print_training(const char *record, const char *without);

#endif
