/* Texts for JSON documents. */
#ifndef SHW_BASE_JSON_TEXT_H
#define SHW_BASE_JSON_TEXT_H

#include <jansson.h>

/* A string of a JSON document, such as a file name: each byte that does not belong to a character in UTF-8, which JSON
 * cannot hold, becomes U+FFFD. NULL if memory is exhausted. */
json_t *shw_json_text(const char *text);

#endif
