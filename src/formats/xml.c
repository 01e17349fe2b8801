#include "formats/xml.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <expat.h>

#include "base/array.h"
#include "base/log.h"

struct parsing {
    XML_Parser parser;
    struct shw_xml *xml;
    const char *name;
    const struct shw_log *log;
    enum shw_result result;
    uint32_t depth, text_start; /* of the text of the innermost open element */
    uint32_t open[SHW_XML_DEPTH_MAX], last_child[SHW_XML_DEPTH_MAX];
};

static void stop(struct parsing *parsing, enum shw_result result)
{
    parsing->result = result;
    XML_StopParser(parsing->parser, XML_FALSE);
}

static void refuse(struct parsing *parsing, enum shw_result result, const char *reason)
{
    stop(parsing, shw_fail(parsing->log, result, SHW_LOG_FILE_READ, "%s, line %lu: %s", parsing->name,
                           (unsigned long)XML_GetCurrentLineNumber(parsing->parser), reason));
}

static bool append(struct parsing *parsing, const char *text, size_t size)
{
    struct shw_xml *xml = parsing->xml;

    if (!SHW_RESERVE(xml->texts, xml->text_capacity, xml->text_size + size)) {
        stop(parsing, shw_fail_memory(parsing->log, parsing->name));
        return false;
    }
    memcpy(xml->texts + xml->text_size, text, size);
    xml->text_size += (uint32_t)size;
    return true;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Removes white space at both ends of the innermost element's text. */
static void trim(struct parsing *parsing)
{
    struct shw_xml *xml = parsing->xml;
    uint32_t start = parsing->text_start;

    while (xml->text_size > start && is_space(xml->texts[xml->text_size - 1]))
        xml->text_size--;
    while (start < xml->text_size && is_space(xml->texts[start]))
        start++;
    memmove(xml->texts + parsing->text_start, xml->texts + start, xml->text_size - start);
    xml->text_size -= start - parsing->text_start;
}

static bool has_text(struct parsing *parsing)
{
    trim(parsing);
    if (parsing->xml->text_size > parsing->text_start)
        refuse(parsing, SHW_ERROR_FORMAT, "text between elements");
    return parsing->xml->text_size > parsing->text_start;
}

static bool add_element(struct parsing *parsing, const char *name, const char *type_id)
{
    struct shw_xml *xml = parsing->xml;
    struct shw_xml_element *element;

    if (!SHW_RESERVE(xml->elements, xml->capacity, (size_t)xml->count + 1)) {
        stop(parsing, shw_fail_memory(parsing->log, parsing->name));
        return false;
    }
    element = &xml->elements[xml->count++];
    *element =
        (struct shw_xml_element){.name = xml->text_size, .line = (uint32_t)XML_GetCurrentLineNumber(parsing->parser)};
    if (!append(parsing, name, strlen(name) + 1))
        return false;
    if (type_id != NULL) {
        element->type_id = xml->text_size;
        return append(parsing, type_id, strlen(type_id) + 1);
    }
    return true;
}

static void XMLCALL on_start(void *user, const XML_Char *name, const XML_Char **attributes)
{
    struct parsing *parsing = user;
    struct shw_xml *xml = parsing->xml;
    uint32_t index = xml->count, depth = parsing->depth;
    const char *type_id = NULL;

    if (parsing->result != SHW_OK || (depth > 0 && has_text(parsing)))
        return;
    if (depth == SHW_XML_DEPTH_MAX) {
        refuse(parsing, SHW_ERROR_LIMIT, "elements are nested too deeply");
        return;
    }
    for (; attributes[0] != NULL; attributes += 2)
        if (strcmp(attributes[0], "type_id") == 0)
            type_id = attributes[1];
    if (!add_element(parsing, name, type_id))
        return;
    if (depth > 0 && parsing->last_child[depth - 1] == 0)
        xml->elements[parsing->open[depth - 1]].first_child = index;
    else if (depth > 0)
        xml->elements[parsing->last_child[depth - 1]].next = index;
    if (depth > 0)
        parsing->last_child[depth - 1] = index;
    parsing->open[depth] = index;
    parsing->last_child[depth] = 0;
    parsing->depth++;
    parsing->text_start = xml->text_size;
}

static void XMLCALL on_end(void *user, const XML_Char *name)
{
    struct parsing *parsing = user;
    struct shw_xml *xml = parsing->xml;
    struct shw_xml_element *element;

    (void)name;
    if (parsing->result != SHW_OK)
        return;
    element = &xml->elements[parsing->open[--parsing->depth]];
    if (element->first_child != 0) {
        if (has_text(parsing))
            return;
    } else {
        trim(parsing);
        element->text = parsing->text_start;
        if (!append(parsing, "", 1))
            return;
    }
    parsing->text_start = xml->text_size;
}

static void XMLCALL on_text(void *user, const XML_Char *text, int size)
{
    struct parsing *parsing = user;

    if (parsing->result == SHW_OK)
        append(parsing, text, (size_t)size);
}

static void XMLCALL on_document_type(void *user, const XML_Char *name, const XML_Char *system_id,
                                     const XML_Char *public_id, int has_internal)
{
    (void)name;
    (void)system_id;
    (void)public_id;
    (void)has_internal;
    refuse(user, SHW_ERROR_FORMAT, "a document type is declared, which is not supported");
}

static enum shw_result parse(struct parsing *parsing, const void *bytes, size_t size)
{
    XML_SetUserData(parsing->parser, parsing);
    XML_SetElementHandler(parsing->parser, on_start, on_end);
    XML_SetCharacterDataHandler(parsing->parser, on_text);
    XML_SetStartDoctypeDeclHandler(parsing->parser, on_document_type);
    if (!append(parsing, "", 1))
        return parsing->result;
    if (XML_Parse(parsing->parser, bytes, (int)size, 1) == XML_STATUS_ERROR && parsing->result == SHW_OK) {
        enum XML_Error error = XML_GetErrorCode(parsing->parser);
        if (error == XML_ERROR_NO_MEMORY)
            return shw_fail_memory(parsing->log, parsing->name);
        refuse(parsing, SHW_ERROR_FORMAT, XML_ErrorString(error));
    }
    return parsing->result;
}

enum shw_result shw_xml_parse(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                              struct shw_xml *xml)
{
    struct parsing parsing = {.xml = xml, .name = name, .log = log};
    enum shw_result result;

    *xml = (struct shw_xml){0};
    if (size > SHW_XML_SIZE_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "%s has %zu bytes; XML files may have %zu", name, size,
                        SHW_XML_SIZE_MAX);
    parsing.parser = XML_ParserCreate(NULL);
    result = parsing.parser != NULL ? parse(&parsing, bytes, size) : shw_fail_memory(log, name);
    if (parsing.parser != NULL)
        XML_ParserFree(parsing.parser);
    if (result != SHW_OK)
        shw_xml_free(xml);
    return result;
}

void shw_xml_free(struct shw_xml *xml)
{
    free(xml->elements);
    free(xml->texts);
    *xml = (struct shw_xml){0};
}

const struct shw_xml_element *shw_xml_child(const struct shw_xml *xml, const struct shw_xml_element *element,
                                            const char *name)
{
    const struct shw_xml_element *child = element->first_child != 0 ? &xml->elements[element->first_child] : NULL;

    while (child != NULL && name != NULL && strcmp(xml->texts + child->name, name) != 0)
        child = shw_xml_next(xml, child);
    return child;
}

const struct shw_xml_element *shw_xml_next(const struct shw_xml *xml, const struct shw_xml_element *element)
{
    return element->next != 0 ? &xml->elements[element->next] : NULL;
}
