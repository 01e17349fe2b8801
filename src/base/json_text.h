/* Texts for JSON documents. */
#ifndef SHW_BASE_JSON_TEXT_H
#define SHW_BASE_JSON_TEXT_H

#include <jansson.h>

/* A string of a JSON document, such as a file name: each byte that does not belong to a character in UTF-8, which JSON
 * cannot hold, becomes U+FFFD. NULL if memory is exhausted. */
json_t *shw_json_text(const char *text);

/* A name as a string from which all its bytes can be read again: each byte that does not belong to a character, and
 * those of U+FFFD itself, become U+FFFD and two hexadecimal digits. NULL if memory is exhausted. */
json_t *shw_json_name(const char *name);

/* The bytes of such a string, to be freed with free(); NULL if there is none, or memory is exhausted. */
char *shw_json_name_read(const json_t *string);

#endif
