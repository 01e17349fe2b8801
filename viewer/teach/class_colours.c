#include "teach/class_colours.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define WORD_MAX 64u

const struct view_class_meaning view_class_meanings[] = {
    {"sky air heaven himmel ciel cielo", 1},                                /* light blue */
    {"water river sea lake ocean pond wasser eau agua", 4},                 /* blue */
    {"grass lawn meadow field plant leaf vegetation gras wiese herbe", 28}, /* green */
    {"tree forest bush foliage baum wald arbre", 16},                       /* dark green */
    {"soil earth ground mud dirt wood door holz boden erde terre", 26},     /* brown */
    {"road street asphalt pavement concrete straße route", 7},              /* grey */
    {"rock stone gravel mountain fels stein", 17},                          /* dark grey */
    {"sand beach desert skin face haut", 30},                               /* pale orange */
    {"building house wall facade gebäude haus mur", 35},                    /* tan */
    {"floor carpet table furniture", 32},                                   /* ochre */
    {"roof brick dach toit", 41},                                           /* red */
    {"person people human body man woman mensch personne", 6},              /* pink */
    {"car vehicle bus truck train auto voiture", 13},                       /* strong blue */
    {"sun light lamp flower yellow sonne", 3},                              /* yellow */
    {"fire orange feuer", 0},                                               /* orange */
    {"blood vessel red blut sang", 19},                                     /* dark red */
    {"nucleus nuclei cell zelle kern", 18},                                 /* lavender */
    {"snow ice cloud paper ceiling schnee eis wolke", 39},                  /* pale blue */
    {"shadow dark background hintergrund fond", 44},                        /* nearly black */
    {NULL, 0}};

static bool has_word(const char *words, const char *word, size_t length)
{
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool find(const char *word, size_t length, uint32_t *number)
{
    for (const struct view_class_meaning *meaning = view_class_meanings; length > 0 && meaning->words != NULL;
         meaning++)
        if (has_word(meaning->words, word, length)) {
            *number = meaning->number;
            return true;
        }
    return false;
}

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* The word, in lower case; and without the s of a plural if it is not known with it. */
static bool look_up(const char *begin, size_t length, uint32_t *number)
{
    char word[WORD_MAX];

    if (length >= sizeof word)
        return false;
    for (size_t i = 0; i < length; i++)
        word[i] = (char)tolower((unsigned char)begin[i]);
    word[length] = '\0';
    if (find(word, length, number))
        return true;
    if (length < 3 || word[length - 1] != 's')
        return false;
    word[length - 1] = '\0';
    return find(word, length - 1, number);
}

bool view_class_colour_of(const char *name, uint32_t *number)
{
    size_t end = strlen(name);

    while (end > 0) {
        size_t begin;
        while (end > 0 && !is_letter(name[end - 1]))
            end--;
        for (begin = end; begin > 0 && is_letter(name[begin - 1]); begin--)
            continue;
        if (end > begin && look_up(name + begin, end - begin, number))
            return true;
        end = begin;
    }
    return false;
}
