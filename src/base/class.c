#include "base/class.h"

#include <jansson.h>
#include <string.h>

#include "base/text.h"

_Static_assert(SHW_CLASS_NAME_MAX == 255, "a message says the number");

static bool is_utf8(const char *name)
{
    json_t *string = json_string(name);

    json_decref(string);
    return string != NULL;
}

const char *shw_class_name_fault(const char *name)
{
    if (name == NULL || *name == '\0')
        return "is empty";
    if (strlen(name) > SHW_CLASS_NAME_MAX)
        return "has more than 255 bytes";
    if (!is_utf8(name))
        return "is not UTF-8";
    for (const char *c = name; *c != '\0'; c++)
        if (shw_control_character(c) != 0)
            return "has control characters";
    return NULL;
}

bool shw_class_name_is_valid(const char *name)
{
    return shw_class_name_fault(name) == NULL;
}

#define COLOURS 64u
#define KEPT    8u /* have always been the same */

/* By scripts/class-colours.py. */
static const uint8_t chosen[COLOURS][3] = {
    {230, 159, 0},   {86, 180, 233},  {0, 158, 115},   {240, 228, 66},  {0, 114, 178},   {213, 94, 0},
    {204, 121, 167}, {153, 153, 153}, {136, 0, 102},   {85, 68, 0},     {0, 255, 0},     {0, 85, 85},
    {102, 255, 255}, {0, 34, 204},    {255, 170, 153}, {136, 136, 51},  {0, 102, 17},    {85, 85, 102},
    {153, 136, 255}, {153, 0, 34},    {255, 34, 68},   {238, 204, 255}, {204, 0, 238},   {170, 204, 153},
    {136, 102, 85},  {102, 119, 102}, {119, 51, 0},    {0, 255, 187},   {68, 170, 0},    {0, 136, 153},
    {255, 221, 170}, {221, 0, 119},   {153, 102, 0},   {119, 102, 170}, {136, 187, 187}, {187, 153, 119},
    {136, 85, 102},  {255, 102, 255}, {0, 68, 119},    {187, 204, 238}, {68, 85, 255},   {204, 17, 0},
    {170, 153, 187}, {187, 119, 119}, {68, 68, 51},    {187, 170, 17},  {255, 153, 85},  {85, 51, 119},
    {187, 238, 255}, {255, 221, 221}, {204, 204, 187}, {153, 204, 0},   {255, 170, 204}, {68, 136, 255},
    {136, 0, 187},   {136, 153, 119}, {136, 119, 136}, {0, 119, 85},    {255, 102, 136}, {102, 102, 51},
    {85, 136, 68},   {204, 238, 221}, {68, 204, 119},  {170, 68, 153}};

static void spread_bits(uint32_t number, uint8_t colour[3])
{
    memset(colour, 0, 3);
    for (uint32_t bit = 0; bit < 16; bit++)
        colour[bit % 3] = (uint8_t)(colour[bit % 3] | ((number + 1) >> bit & 1u) << (7 - bit / 3));
}

void shw_class_colour(uint32_t number, uint8_t colour[3])
{
    if (number < COLOURS)
        memcpy(colour, chosen[number], 3);
    else
        spread_bits(number, colour);
}

bool shw_class_colour_was(const uint8_t then[3], const uint8_t now[3])
{
    uint8_t colour[3];

    for (uint32_t number = KEPT; number < COLOURS; number++) {
        spread_bits(number, colour);
        if (memcmp(now, chosen[number], 3) == 0 && memcmp(then, colour, 3) == 0)
            return true;
    }
    return false;
}
