/* Models in JSON or UBJSON: skimming and parsing their text, and checked access to members. */
#ifndef SHW_FORMATS_JSON_MODEL_H
#define SHW_FORMATS_JSON_MODEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

/* Skimming finds parts of JSON text without allocating values: large parts are parsed one by one, after the rest has
 * been checked. */

/* The text of a value, or of a name between its quotation marks. */
struct shw_json_slice {
    const char *text;
    size_t size;
};

/* An array or object that is being skimmed. */
struct shw_json_skim {
    const char *at, *end; /* the next value, and the end of the text */
    char bracket;         /* that opens it: '[' or '{' */
    bool began;
};

enum shw_json_step { SHW_JSON_VALUE, SHW_JSON_END, SHW_JSON_WRONG };

/* False if the value does not begin with the bracket. */
bool shw_json_skim_begin(const struct shw_json_slice *value, char bracket, struct shw_json_skim *skim);

/* The next value and, in an object, its name, unless `name` is NULL. After END, skim->at is behind the closing bracket.
 * Values are skipped unchecked: parsing them finds what is wrong. WRONG: at skim->at, a value, name, comma, colon or
 * bracket is missing. */
enum shw_json_step shw_json_skim_next(struct shw_json_skim *skim, struct shw_json_slice *name,
                                      struct shw_json_slice *value);

/* The number of values of an array or object, `most` + 1 if it is greater; SIZE_MAX if something is wrong. */
size_t shw_json_skim_count(const struct shw_json_slice *value, char bracket, size_t most);

bool shw_json_slice_is(const struct shw_json_slice *slice, const char *text);

/* What readers of models in JSON or UBJSON share. */

/* The most values and member names of a model. Each takes some 50 bytes of memory, which the size of a packed file does
 * not reveal. A GiB of JSON has about as many. */
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

/* Parses untrusted JSON, or UBJSON if it begins so; *root, an object, is to be released. The bare words NaN, Infinity
 * and -Infinity, which programs write although JSON lacks them, are numbers as shw_json_number() reads them. Errors:
 * FORMAT, LIMIT, MEMORY. */
enum shw_result shw_json_model_parse(const uint8_t *bytes, size_t size, const char *name, const struct shw_log *log,
                                     json_t **root);

/* The same for a part of a JSON text, of at most `most` values. `begin`: of the whole text, for the places in messages.
 */
enum shw_result shw_json_part_parse(const char *begin, const struct shw_json_slice *part, size_t most, const char *name,
                                    const struct shw_log *log, json_t **value);

/* An upper bound for the values of JSON text, brackets and member names included. */
size_t shw_json_count_values(const struct shw_json_slice *text);

/* Refuses models unpacked from `packed` bytes that have more values than any trees packed so small: millions of equal
 * values, whose memory the file size does not reveal. Errors: LIMIT. */
enum shw_result shw_json_check_packing(const uint8_t *bytes, size_t size, size_t packed, const char *name,
                                       const struct shw_log *log);

/* A number, true (1) or false (0); the texts "NaN", "Infinity" and "-Infinity"; otherwise NaN. */
double shw_json_number(const json_t *value);

/* The float32 of a number. */
float shw_json_float(const json_t *value);

/* Reports an error in a part: "FILE, WHAT: ...". Returns FORMAT. */
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

/* An array of `count` elements. Errors: FORMAT. */
enum shw_result shw_json_get_array_of(const struct shw_json_part *part, const char *member, size_t count,
                                      const json_t **array);

/* A whole number from `least` to `most`, or its text, as in XGBoost's parameters. A missing member leaves *number
 * unchanged. Errors: FORMAT. */
enum shw_result shw_json_get_whole(const struct shw_json_part *part, const char *member, int64_t least, int64_t most,
                                   int64_t *number);

/* How many numbers of an array are negative, like the children of leaves. */
size_t shw_json_count_negative(const json_t *array);

/* A whole number of an array, as above. */
enum shw_result shw_json_get_element(const struct shw_json_part *part, const char *member, const json_t *array,
                                     size_t index, int64_t least, int64_t most, int64_t *number);

/* An array of names. *names is to be freed, but not the texts, which belong to the array. Errors: FORMAT unless it has
 * `count` texts, MEMORY. */
enum shw_result shw_json_get_names(const struct shw_json_part *part, const char *member, size_t count,
                                   const char *const **names);

/* Universal Binary JSON, draft 12, as values of jansson. */

/* Whether the bytes begin like an object of UBJSON rather than JSON. */
bool shw_ubjson_begins(const uint8_t *bytes, size_t size);

/* Parses `size` untrusted bytes, which must be one value; *value is to be released. Sizes are compared with the rest of
 * the file before anything is allocated; nesting and the number of values are limited. NaN becomes null, and infinities
 * become the finite numbers of the greatest magnitude, as jansson holds neither. `name` appears in messages, with the
 * byte. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_ubjson_parse(const uint8_t *bytes, size_t size, const char *name, const struct shw_log *log,
                                 json_t **value);

#endif
