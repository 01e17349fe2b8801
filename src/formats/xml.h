/* Small XML files as trees of elements. Document types are refused, and with them all entities but XML's own five. */
#ifndef SHW_FORMATS_XML_H
#define SHW_FORMATS_XML_H

#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#define SHW_XML_DEPTH_MAX 32u
#define SHW_XML_SIZE_MAX  ((size_t)1 << 26)

/* Offsets point into the texts, indices into the elements; index 0, the root, means none. */
struct shw_xml_element {
    uint32_t name, text; /* text: what is between the tags without white space at its ends; "" with children */
    uint32_t type_id;    /* the attribute; "" without */
    uint32_t first_child, next;
    uint32_t line; /* of the opening tag, from 1 */
};

struct shw_xml {
    struct shw_xml_element *elements;
    char *texts;
    uint32_t count, capacity, text_size, text_capacity;
};

/* Parses `size` bytes, which are not trusted. `name` appears in messages. Errors: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_xml_parse(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                              struct shw_xml *xml);

/* Accepts a zero-initialised one. */
void shw_xml_free(struct shw_xml *xml);

/* The first child, of that name unless it is NULL; NULL if there is none. */
const struct shw_xml_element *shw_xml_child(const struct shw_xml *xml, const struct shw_xml_element *element,
                                            const char *name);

/* The next child of the same parent; NULL after the last. */
const struct shw_xml_element *shw_xml_next(const struct shw_xml *xml, const struct shw_xml_element *element);

#endif
