#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/text.h"
#include "files/formats/opencv_build.h"

enum shw_result shw_opencv_child(const struct shw_opencv_build *build, const struct shw_xml_element *element,
                                 const char *name, const struct shw_xml_element **child)
{
    *child = shw_xml_child(&build->xml, element, name);
    if (*child == NULL)
        return SHW_BAD_XML(build, element, "<%s> has no <%s>", build->xml.texts + element->name, name);
    return SHW_OK;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

struct shw_opencv_numbers shw_opencv_numbers(const struct shw_opencv_build *build,
                                             const struct shw_xml_element *element)
{
    return (struct shw_opencv_numbers){.build = build, .element = element, .at = build->xml.texts + element->text};
}

bool shw_opencv_numbers_end(struct shw_opencv_numbers *numbers)
{
    while (is_space(*numbers->at))
        numbers->at++;
    return *numbers->at == '\0';
}

/* Whether a number ended at `end`. */
static bool number_ends(const struct shw_opencv_numbers *numbers, const char *end)
{
    return end != numbers->at && (*end == '\0' || is_space(*end));
}

static enum shw_result refuse_end(const struct shw_opencv_numbers *numbers)
{
    return SHW_BAD_XML(numbers->build, numbers->element, "<%s> has too few numbers",
                       numbers->build->xml.texts + numbers->element->name);
}

static enum shw_result refuse_text(const struct shw_opencv_numbers *numbers, const char *what)
{
    int length = (int)strcspn(numbers->at, " \t\n\r");

    return SHW_BAD_XML(numbers->build, numbers->element, "\"%.*s\" in <%s> is not %s", length < 40 ? length : 40,
                       numbers->at, numbers->build->xml.texts + numbers->element->name, what);
}

enum shw_result shw_opencv_next_integer(struct shw_opencv_numbers *numbers, int32_t low, int32_t high, int32_t *value)
{
    char *end;
    long long number;

    if (shw_opencv_numbers_end(numbers))
        return refuse_end(numbers);
    number = strtoll(numbers->at, &end, 10); /* saturates */
    if (!number_ends(numbers, end))
        return refuse_text(numbers, "a whole number");
    if (number < low || number > high)
        return SHW_BAD_XML(numbers->build, numbers->element, "%lld in <%s> is not in %d..%d", number,
                           numbers->build->xml.texts + numbers->element->name, low, high);
    numbers->at = end;
    *value = (int32_t)number;
    return SHW_OK;
}

enum shw_result shw_opencv_next_real(struct shw_opencv_numbers *numbers, double *value)
{
    char *end;

    if (shw_opencv_numbers_end(numbers))
        return refuse_end(numbers);
    *value = shw_decimal_read(numbers->at, &end);
    if (!number_ends(numbers, end) || !isfinite(*value))
        return refuse_text(numbers, "a number");
    numbers->at = end;
    return SHW_OK;
}

enum shw_result shw_opencv_no_more(struct shw_opencv_numbers *numbers)
{
    return shw_opencv_numbers_end(numbers) ? SHW_OK
                                           : SHW_BAD_XML(numbers->build, numbers->element, "<%s> has too many numbers",
                                                         numbers->build->xml.texts + numbers->element->name);
}

enum shw_result shw_opencv_integer(const struct shw_opencv_build *build, const struct shw_xml_element *element,
                                   const char *name, int32_t low, int32_t high, int32_t *value)
{
    const struct shw_xml_element *child;
    struct shw_opencv_numbers numbers;

    SHW_PROPAGATE(shw_opencv_child(build, element, name, &child));
    numbers = shw_opencv_numbers(build, child);
    SHW_PROPAGATE(shw_opencv_next_integer(&numbers, low, high, value));
    return shw_opencv_no_more(&numbers);
}

enum shw_result shw_opencv_real(const struct shw_opencv_build *build, const struct shw_xml_element *element,
                                const char *name, double *value)
{
    const struct shw_xml_element *child;
    struct shw_opencv_numbers numbers;

    SHW_PROPAGATE(shw_opencv_child(build, element, name, &child));
    numbers = shw_opencv_numbers(build, child);
    SHW_PROPAGATE(shw_opencv_next_real(&numbers, value));
    return shw_opencv_no_more(&numbers);
}
