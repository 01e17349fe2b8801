/* What a search for settings has found: as text, as a page, as JSON, and as a preset. */
#ifndef SHW_FILES_TUNE_TUNE_REPORT_H
#define SHW_FILES_TUNE_TUNE_REPORT_H

#include "files/io/file_kind.h"
#include "files/tune/tuner.h"

struct shw_tune_report {
    const struct shw_journal *journal;
    const struct shw_space *space;
    enum shw_tune_objective objective;
    uint32_t folds;
    const char *data; /* where it comes from */
    const struct shw_class *classes;
    uint32_t class_count;
};

extern const struct shw_file_kind shw_file_tuning_report;

/* Prints it. False if memory is exhausted. A trial has finished. */
bool shw_tune_report_print(const struct shw_tune_report *report);

/* The same as JSON. NULL if memory is exhausted. */
json_t *shw_tune_report_pack(const struct shw_tune_report *report);

/* The best setting as a preset of that name (files/tune/preset.h), with a mark. NULL if memory is exhausted. */
json_t *shw_tune_report_preset(const struct shw_tune_report *report, const char *name);

/* Writes a page of HTML that needs no other file: the loss over the trials, the importance of the settings, the best
 * ones, and the confusion matrix. Errors: IO, MEMORY. */
enum shw_result shw_tune_report_write(const struct shw_tune_report *report, const char *path,
                                      const struct shw_log *log);

#endif
