/* Names of inputs that are borrowed by pictures, whoever made them: they stay until the program ends. */
#ifndef SHW_FILES_DATASET_INPUT_NAMES_H
#define SHW_FILES_DATASET_INPUT_NAMES_H

/* The same text, for good; NULL if memory is exhausted. Any thread. */
const char *shw_input_name_keep(const char *name);

#endif
