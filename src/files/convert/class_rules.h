/* Which class each label becomes: a list by the user. */
#ifndef SHW_FILES_CONVERT_CLASS_RULES_H
#define SHW_FILES_CONVERT_CLASS_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

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

/* The rule for a label, or NULL. */
struct shw_class_rule *shw_class_rules_find(const struct shw_class_rules *rules, const char *label);

/* Accepts zero-initialised and freed ones. */
void shw_class_rules_free(struct shw_class_rules *rules);

#endif
