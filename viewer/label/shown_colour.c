#include "label/shown_colour.h"

#include <string.h>

#include "files/dataset/palette.h"

#define COLOURS 24u

/* By scripts/class-colours.py. */
static const uint8_t safe[COLOURS][3] = {
    {170, 85, 238},  {153, 170, 17}, {0, 136, 119},   {85, 68, 0},    {85, 34, 170},   {119, 238, 170},
    {221, 136, 170}, {119, 119, 17}, {204, 153, 255}, {187, 238, 0},  {136, 0, 68},    {255, 17, 119},
    {255, 187, 238}, {170, 68, 85},  {136, 0, 238},   {153, 85, 153}, {153, 187, 119}, {153, 136, 204},
    {119, 34, 102},  {153, 136, 68}, {34, 102, 51},   {187, 204, 85}, {204, 102, 153}, {51, 187, 187}};

void view_shown_colour(bool colour_blind, const uint8_t stored[3], uint8_t shown[3])
{
    uint8_t usual[3];

    memcpy(shown, stored, 3);
    for (uint32_t number = 0; colour_blind && number < COLOURS; number++) {
        shw_palette_default_colour(number, usual);
        if (memcmp(usual, stored, 3) == 0) {
            memcpy(shown, safe[number], 3);
            return;
        }
    }
}
