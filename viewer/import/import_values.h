/* The values or colours of masks and label images, and what each of them means. */
#ifndef VIEW_IMPORT_IMPORT_VALUES_H
#define VIEW_IMPORT_IMPORT_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "files/dataset/palette.h"
#include "files/image/image_file.h"
#include "files/project/project.h"

#define VIEW_IMPORT_VALUES_MAX 1024u

struct view_import_value {
    bool is_colour;
    uint16_t number;   /* the value, unless it is a colour */
    uint8_t colour[3]; /* otherwise */
    uint64_t pixels;
    const char *file; /* the first one that has it, as it was given; borrowed */
    char *class_name; /* "": none */
    bool chosen;      /* by the user */
    bool proposed;    /* a guess, which is asked about */
};

struct view_import_values {
    struct view_import_value *list; /* in order of number or colour */
    uint32_t count;
};

/* Adds the values of a file, whose name is kept. Errors: LIMIT (it has too many, or all files together), MEMORY. Any
 * thread. */
enum shw_result view_import_values_add(struct view_import_values *values, const struct shw_label_file *file,
                                       const char *name, const struct shw_log *log);

/* Reads 255 or #RRGGBB. False: it is neither. */
bool view_import_value_parse(const char *text, struct view_import_value *value);
/* And writes it. */
void view_import_value_print(const struct view_import_value *value, char text[16]);

/* Sets what a value means; adds it if it is missing. The name is copied. Errors: MEMORY, not logged. */
enum shw_result view_import_values_choose(struct view_import_values *values, const struct view_import_value *value,
                                          const char *class_name);

/* What each value means: as `chosen` says (which may have others, too). If all are in the list of classes, what
 * they are called there, whatever numbers the project's classes have; without a list, if all are numbers or colours of
 * classes of the project, those; nothing for the number after the last class, for SHW_LABEL_VOID, and for black if no
 * class has it. Otherwise there are proposals for all of them. Where somebody `asks`, also if there are two values, one
 * of them 0, unless the files are label images of this program with their list; of these the other one is proposed to
 * be `class_name`; and for classes that the project does not have. If it is `unsure` what the files are, there are
 * proposals in any case. Errors: MEMORY, not logged. */
struct view_import_rules {
    const struct shw_project *project;
    const struct view_import_values *chosen;
    const struct shw_palette *list; /* without entries: there is none */
    bool unsure, ours, asks;
    const char *class_name;
};
enum shw_result view_import_values_interpret(struct view_import_values *values, const struct view_import_rules *rules);

/* Whether a meaning is only proposed. */
bool view_import_values_are_open(const struct view_import_values *values);

/* The labels of a file, width * height, to be freed: class numbers of the project, which has all classes that the
 * values mean. Errors: FORMAT (a value that was not there before), MEMORY. */
enum shw_result view_import_values_apply(const struct view_import_values *values, const struct shw_label_file *file,
                                         const uint16_t *numbers, const char *name, const struct shw_log *log,
                                         uint16_t **labels);

/* Accepts zero-initialised ones. */
void view_import_values_free(struct view_import_values *values);

#endif
