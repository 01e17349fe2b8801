/* The classes of a converted set, and which of them each label of the source becomes. */
#ifndef SHW_FILES_CONVERT_CLASSES_H
#define SHW_FILES_CONVERT_CLASSES_H

#include "files/convert/class_rules.h"
#include "files/convert/source.h"
#include "files/dataset/palette.h"

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
