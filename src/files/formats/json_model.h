/* Parts of JSON text, found without memory for its values: what is large is parsed in parts, once what is small is
 * known to be right. */
#ifndef SHW_FILES_FORMATS_JSON_MODEL_H
#define SHW_FILES_FORMATS_JSON_MODEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

/* The text of a value, or of a name between its quotation marks. */
struct shw_json_slice {
    const char *text;
    size_t size;
};

/* An array or object that is being skimmed. */
struct shw_json_skim {
    const char *at, *end; /* where the next value is, and the end of the text */
    char bracket;         /* that opens it: '[' or '{' */
    bool began;
};

enum shw_json_step { SHW_JSON_VALUE, SHW_JSON_END, SHW_JSON_WRONG };

/* False: the value does not begin with the bracket. */
bool shw_json_skim_begin(const struct shw_json_slice *value, char bracket, struct shw_json_skim *skim);

/* The next value, and of an object also its name, unless `name` is NULL; after END skim->at is behind the closing
 * bracket. Values themselves are passed over without checks: whoever parses them finds what is wrong. WRONG, at
 * skim->at: there is no value, name, comma, colon or bracket where there must be. */
enum shw_json_step shw_json_skim_next(struct shw_json_skim *skim, struct shw_json_slice *name,
                                      struct shw_json_slice *value);

/* How many values an array or object has, or `most` + 1 if they are more; SIZE_MAX if something is wrong. */
size_t shw_json_skim_count(const struct shw_json_slice *value, char bracket, size_t most);

bool shw_json_slice_is(const struct shw_json_slice *slice, const char *text);

/* Models in JSON or UBJSON: what their readers have in common. */

/* Values, and names of members, that a model may have: each takes some 50 bytes of memory, of which a packed file
 * gives no warning. A GiB of a program's text has about as many. */
#define SHW_JSON_VALUES_MAX (1u << 27)

/* A part of a model. */
struct shw_json_part {
    const char *file;
    const char *what; /* of the file, such as "tree 3"; NULL: the file as a whole */
    const json_t *object;
    const struct shw_log *log;
};

/* Whether text is JSON whose root, an object, has that member. */
bool shw_json_has_member(const uint8_t *text, size_t size, const char *member);

/* Parses JSON, or UBJSON if it begins so, which are not trusted; *root, an object, is to be released. The bare words
 * NaN, Infinity and -Infinity, which JSON does not have, but programs write, are numbers, too: what shw_json_number()
 * says. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_json_model_parse(const uint8_t *bytes, size_t size, const char *name, const struct shw_log *log,
                                     json_t **root);

/* The same for an object, or any value, that is a part of JSON text beginning at `begin`, for the places in messages;
 * `most` values may be in it. */
enum shw_result shw_json_part_parse(const char *begin, const struct shw_json_slice *part, size_t most, const char *name,
                                    const struct shw_log *log, json_t **value);

/* Not fewer values than JSON text has, brackets and names of members included. */
size_t shw_json_count_values(const struct shw_json_slice *text);

/* Refuses models that were unpacked from a file of `packed` bytes and have more values than trees that are told by so
 * few: millions of equal ones, which would take memory that the file gives no warning of. Errors: LIMIT. */
enum shw_result shw_json_check_packing(const uint8_t *bytes, size_t size, size_t packed, const char *name,
                                       const struct shw_log *log);

/* A number, true (1) or false (0); the texts "NaN", "Infinity" and "-Infinity"; otherwise NaN. */
double shw_json_number(const json_t *value);

/* The float32 of a number. */
float shw_json_float(const json_t *value);

/* Sends an error about a part: "FILE, WHAT: ...". Returns FORMAT. */
enum shw_result shw_json_refuse(const struct shw_json_part *part, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

/* The same for text that is not JSON at the place `at`; `begin` is where the file's text begins. */
enum shw_result shw_json_refuse_text(const struct shw_json_part *part, const char *begin, const char *at);

/* Members of a part that must be there. Errors: FORMAT. */
enum shw_result shw_json_get_object(const struct shw_json_part *part, const char *member, struct shw_json_part *inner);
enum shw_result shw_json_get_array(const struct shw_json_part *part, const char *member, const json_t **array);

/* An array of a number for each of `count`. Errors: FORMAT. */
enum shw_result shw_json_get_array_of(const struct shw_json_part *part, const char *member, size_t count,
                                      const json_t **array);

/* A whole number from `least` to `most`, which may also be a text, as in XGBoost's parameters. A member that is missing
 * leaves *number as it is. Errors: FORMAT. */
enum shw_result shw_json_get_whole(const struct shw_json_part *part, const char *member, int64_t least, int64_t most,
                                   int64_t *number);

/* How many numbers of an array are negative, as the children of leaves are. */
size_t shw_json_count_negative(const json_t *array);

/* A whole number of an array, as above. */
enum shw_result shw_json_get_element(const struct shw_json_part *part, const char *member, const json_t *array,
                                     size_t index, int64_t least, int64_t most, int64_t *number);

/* Names that an array has: *names is to be freed, but not the texts, which belong to the array. Errors: FORMAT unless
 * there are `count` texts, MEMORY. */
enum shw_result shw_json_get_names(const struct shw_json_part *part, const char *member, size_t count,
                                   const char *const **names);

/* Universal Binary JSON, draft 12, as values of jansson. */

/* Whether bytes begin as an object of UBJSON does, and no JSON. */
bool shw_ubjson_begins(const uint8_t *bytes, size_t size);

/* Parses `size` bytes, which are not trusted, and which must be one value; *value is to be released. Sizes are compared
 * with what is left of the file before anything is allocated; nesting is limited, and so are values (json_model.h).
 * What jansson cannot hold: NaN becomes null, infinite numbers become those of the greatest magnitude that a double
 * has. `name` appears in messages, which tell the byte. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_ubjson_parse(const uint8_t *bytes, size_t size, const char *name, const struct shw_log *log,
                                 json_t **value);

#endif
