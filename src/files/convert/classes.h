/* Which class each label becomes: a list by the user. */
#ifndef SHW_FILES_CONVERT_CLASSES_H
#define SHW_FILES_CONVERT_CLASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "files/convert/source.h"
#include "files/dataset/palette.h"

struct shw_class_rule {
    char *label; /* its name, its number, #rrggbb, or "*" for all others */
    uint32_t class_number;
    bool used; /* by a label of the source */
};

struct shw_rule_class {
    char *name; /* "" for void */
    bool has_colour;
    uint8_t colour[3];
};

/* Classes in the order in which they occur first. */
struct shw_class_rules {
    struct shw_class_rule *rules;
    uint32_t count, capacity;
    struct shw_rule_class *classes;
    uint32_t class_count, class_capacity;
    const char *name; /* of the file, borrowed */
};

/* Reads a CSV file with rows LABEL,CLASS or LABEL,CLASS,#rrggbb. A field with commas is in quotation marks, in which a
 * quotation mark is doubled. The class "void", or an empty one, is none. A class has the colour that one of its rows
 * states. Empty lines, those that begin with "# ", and a first line "label,class" or "label,class,colour" are ignored.
 * Errors: FORMAT (also for a label that occurs twice), LIMIT, MEMORY. `name` is for messages. */
enum shw_result shw_class_rules_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                       struct shw_class_rules *rules);
/* The same from a file. Errors: also IO. */
enum shw_result shw_class_rules_read(const char *path, const struct shw_log *log, struct shw_class_rules *rules);

/* Accepts zero-initialised and freed ones. */
void shw_class_rules_free(struct shw_class_rules *rules);

/* The classes of a converted set, and which of them each label of the source becomes. */

#define SHW_VOID_VALUES_MAX 64u

/* Label numbers that are void. */
struct shw_void_values {
    uint32_t list[SHW_VOID_VALUES_MAX], count;
};

/* A label of the source. */
struct shw_class_of_value {
    uint32_t value, entry; /* of the palette */
};

struct shw_converted_classes {
    struct shw_palette palette; /* entry 0 is void */
    struct shw_class_of_value *values;
    uint32_t count;
};

/* Finds the labels that occur in every so-manieth frame of a source, the first included, with names for them: "class
 * 7", and "#rrggbb" for colours. `progress` is called before each frame; NULL: not. Errors: those of reading frames,
 * LIMIT, MEMORY. */
enum shw_result shw_label_names_find(const struct shw_source_kind *kind, void *source, uint32_t every, const char *path,
                                     const struct shw_log *log,
                                     void (*progress)(void *user, uint32_t done, uint32_t count), void *user,
                                     struct shw_label_names *names);

/* Makes the classes of these labels: by the rules, where a label that no rule is for is void; without rules (NULL)
 * one per name, in order of the numbers. Black, as a colour, is void. Warns of labels without a rule and, if the names
 * are `known` by the source, of rules without a label. `path` is the source's, for messages. Errors: FORMAT, LIMIT,
 * MEMORY. */
enum shw_result shw_converted_classes_make(const struct shw_label_names *names, bool known,
                                           const struct shw_void_values *voids, struct shw_class_rules *rules,
                                           const char *path, const struct shw_log *log,
                                           struct shw_converted_classes *classes);

/* The colours of a frame's labels: width * height * 3, in new memory. Errors: FORMAT for a label that is not known,
 * which names the frame, the pixel and the label; MEMORY. */
enum shw_result shw_converted_classes_paint(const struct shw_converted_classes *classes, const struct shw_frame *frame,
                                            const char *name, const struct shw_log *log, uint8_t **colours);

/* Accepts zero-initialised and freed ones. */
void shw_converted_classes_free(struct shw_converted_classes *classes);

#endif
