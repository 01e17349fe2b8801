/* Parts of JSON text, found without memory for its values: what is large is parsed in parts, once what is small is
 * known to be right. */
#ifndef SHW_FILES_FORMATS_JSON_SKIM_H
#define SHW_FILES_FORMATS_JSON_SKIM_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
