#include "ui/fonts.h"

extern "C" {
#include "base/file_bytes.h"
}

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include <imgui.h>
#include <imgui_internal.h>

#ifdef SHADEWOOD_FONTCONFIG
#include <fontconfig/fontconfig.h>
#endif

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wold-style-cast"
#pragma GCC diagnostic ignored "-Wcast-qual"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wdouble-promotion"
#pragma GCC diagnostic ignored "-Wcast-align"
#define STBTT_STATIC
#define STB_TRUETYPE_IMPLEMENTATION
#include <imstb_truetype.h>
#pragma GCC diagnostic pop

#define LETTERS_MAX    4096u /* that are looked for; those beyond are boxes */
#define PRIVATE_FIRST  0xe000u
#define PRIVATE_LAST   0xf8ffu
#define BOX            0x25a1 /* in the place of what no font has */
#define FONT_BYTES_MAX (UINT64_C(128) << 20)

namespace
{
struct face {
    std::string path;
    int index; /* in a collection */
};

/* A font file in memory, which stays there. */
struct font {
    shw_file_bytes file;
    stbtt_fontinfo info;
};

struct letter {
    ImWchar shown; /* as */
    int rect;      /* in the atlas that is being made; -1: none */
};

std::map<uint32_t, letter> letters; /* that the first font lacks, by code point */
ImWchar next_private = PRIVATE_FIRST;
bool wanted;
float first_ascent; /* of the first font, pixels */

/* By path and index; never destroyed, since the atlas reads them for as long as it likes. */
std::map<std::string, font> &fonts = *new std::map<std::string, font>;

#ifdef _WIN32
/* Files of the system's folder of fonts. */
const char *const first_paths[] = {"segoeui.ttf", "tahoma.ttf", "arial.ttf"};
const char *const other_paths[] = {"msyh.ttc",    "msgothic.ttc", "malgun.ttf",   "msjh.ttc",
                                   "Nirmala.ttf", "LeelawUI.ttf", "seguisym.ttf", "simsun.ttc"};

std::string font_path(const char *name)
{
    const char *folder = getenv("WINDIR");

    return std::string(folder != nullptr ? folder : "C:\\Windows") + "\\Fonts\\" + name;
}
#else
const char *const first_paths[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                   "/usr/share/fonts/dejavu/DejaVuSans.ttf",
                                   "/usr/share/fonts/TTF/DejaVuSans.ttf",
                                   "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf",
                                   "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
                                   "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
                                   "/usr/share/fonts/truetype/freefont/FreeSans.ttf"};
#ifndef SHADEWOOD_FONTCONFIG
const char *const other_paths[] = {"/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
                                   "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
                                   "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
                                   "/usr/share/fonts/truetype/noto/NotoSansArabic-Regular.ttf",
                                   "/usr/share/fonts/truetype/ancient-scripts/Symbola_hint.ttf"};
#endif

std::string font_path(const char *name)
{
    return name;
}
#endif

/* Reads a font file; NULL: it cannot be read. */
const font *open_font(const face &face)
{
    const std::string key = face.path + "#" + std::to_string(face.index);
    const auto known = fonts.find(key);
    font made = {};
    int offset = -1;

    if (known != fonts.end())
        return known->second.file.bytes != nullptr ? &known->second : nullptr;
    if (shw_file_bytes_read(face.path.c_str(), FONT_BYTES_MAX, nullptr, &made.file) == SHW_OK && made.file.size > 12)
        offset = stbtt_GetFontOffsetForIndex(made.file.bytes, face.index);
    if (offset < 0 || !stbtt_InitFont(&made.info, made.file.bytes, offset)) {
        shw_file_bytes_free(&made.file);
        made.file = {};
    }
    font &kept = fonts[key] = made;
    return kept.file.bytes != nullptr ? &kept : nullptr;
}

#ifdef SHADEWOOD_FONTCONFIG
/* The system's fonts, the best first, as long as the program runs. NULL: there are none. */
FcFontSet *system_fonts()
{
    static FcFontSet *sorted;
    static bool sought;
    FcResult result;

    if (sought)
        return sorted;
    sought = true;
    FcPattern *pattern = FcInit() ? FcPatternCreate() : nullptr;
    if (pattern == nullptr)
        return nullptr;
    FcPatternAddString(pattern, FC_FAMILY, reinterpret_cast<const FcChar8 *>("sans-serif"));
    FcConfigSubstitute(nullptr, pattern, FcMatchPattern);
    FcDefaultSubstitute(pattern);
    sorted = FcFontSort(nullptr, pattern, FcFalse, nullptr, &result);
    FcPatternDestroy(pattern);
    return sorted;
}

/* Whether it is a font with outlines, of the two kinds that are read here. */
bool has_outlines(const FcPattern *pattern)
{
    FcChar8 *format;
    FcBool outline = FcFalse, colour = FcFalse;

    FcPatternGetBool(pattern, FC_OUTLINE, 0, &outline);
    FcPatternGetBool(pattern, FC_COLOR, 0, &colour);
    if (!outline || colour || FcPatternGetString(pattern, FC_FONTFORMAT, 0, &format) != FcResultMatch)
        return false;
    const char *name = reinterpret_cast<const char *>(format);
    return strcmp(name, "TrueType") == 0 || strcmp(name, "CFF") == 0;
}

std::vector<face> faces_of(uint32_t code)
{
    const FcFontSet *sorted = system_fonts();
    std::vector<face> found;
    FcCharSet *set;
    FcChar8 *path;
    int index = 0;

    for (int i = 0; sorted != nullptr && i < sorted->nfont && found.empty(); i++)
        if (FcPatternGetCharSet(sorted->fonts[i], FC_CHARSET, 0, &set) == FcResultMatch &&
            FcCharSetHasChar(set, code) && has_outlines(sorted->fonts[i]) &&
            FcPatternGetString(sorted->fonts[i], FC_FILE, 0, &path) == FcResultMatch) {
            FcPatternGetInteger(sorted->fonts[i], FC_INDEX, 0, &index);
            found.push_back({reinterpret_cast<const char *>(path), index & 0xffff});
        }
    return found;
}
#else
/* Where usual fonts are. */
std::vector<face> faces_of(uint32_t)
{
    std::vector<face> found;

    for (const char *path : first_paths)
        found.push_back({font_path(path), 0});
    for (const char *path : other_paths)
        found.push_back({font_path(path), 0});
    return found;
}
#endif

/* The font that draws a character, and its glyph there; NULL: none. */
const font *find_glyph(uint32_t code, int *glyph)
{
    for (const face &face : faces_of(code)) {
        const font *font = open_font(face);
        *glyph = font != nullptr ? stbtt_FindGlyphIndex(&font->info, int(code)) : 0;
        if (*glyph != 0)
            return font;
    }
    return nullptr;
}

/* Where a letter's pixels are to be, in relation to the pen. */
struct box {
    int x0, y0, x1, y1, advance;
    float scale;
};

box box_of(const font *font, int glyph, float size)
{
    box box = {};
    int bearing;

    box.scale = stbtt_ScaleForPixelHeight(&font->info, size);
    stbtt_GetGlyphBitmapBox(&font->info, glyph, box.scale, box.scale, &box.x0, &box.y0, &box.x1, &box.y1);
    stbtt_GetGlyphHMetrics(&font->info, glyph, &box.advance, &bearing);
    return box;
}

/* Reserves room for the letters that have occurred. */
void reserve(ImFontAtlas *atlas, ImFont *first, float size)
{
    for (auto &[code, letter] : letters) {
        int glyph;
        const font *font = find_glyph(code, &glyph);
        letter.rect = -1;
        if (font == nullptr)
            continue;
        const box box = box_of(font, glyph, size);
        if (box.x1 > box.x0 && box.y1 > box.y0)
            letter.rect = atlas->AddCustomRectFontGlyph(first, letter.shown, box.x1 - box.x0, box.y1 - box.y0,
                                                        std::round(float(box.advance) * box.scale),
                                                        ImVec2(float(box.x0), float(box.y0) + first_ascent));
    }
}

void draw(ImFontAtlas *atlas, float size)
{
    unsigned char *pixels;
    int width, height, glyph;

    atlas->GetTexDataAsAlpha8(&pixels, &width, &height);
    for (const auto &[code, letter] : letters) {
        if (letter.rect < 0)
            continue;
        const ImFontAtlasCustomRect *rect = atlas->GetCustomRectByIndex(letter.rect);
        const font *font = find_glyph(code, &glyph);
        if (!rect->IsPacked() || font == nullptr)
            continue;
        stbtt_MakeGlyphBitmap(&font->info, pixels + rect->Y * width + rect->X, rect->Width, rect->Height, width,
                              box_of(font, glyph, size).scale, box_of(font, glyph, size).scale, glyph);
    }
}

/* Adds the font of most letters from a file; nullptr: it cannot be read. */
ImFont *add_file(ImFontAtlas *atlas, const face &face, float size)
{
    /* Latin, Greek and Cyrillic letters of European languages, and symbols */
    static const ImWchar ranges[] = {0x20,   0xff,   0x100,  0x24f,  0x370,  0x3ff,  0x400,
                                     0x4ff,  0x1e00, 0x1eff, 0x2010, 0x205e, 0x20a0, 0x20bf,
                                     0x2190, 0x21ff, 0x2200, 0x22ff, 0x25a0, 0x25ff, 0};
    const font *font = open_font(face);
    ImFontConfig config;
    int ascent, descent, gap;

    if (font == nullptr)
        return nullptr;
    config.FontNo = face.index;
    config.FontDataOwnedByAtlas = false;
    stbtt_GetFontVMetrics(&font->info, &ascent, &descent, &gap);
    first_ascent = std::round(float(ascent) * stbtt_ScaleForPixelHeight(&font->info, size));
    return atlas->AddFontFromMemoryTTF(font->file.bytes, int(font->file.size), size, &config, ranges);
}

ImFont *add_first(ImFontAtlas *atlas, float size)
{
    ImFont *added = nullptr;
    ImFontConfig plain;

    for (size_t i = 0; added == nullptr && i < sizeof first_paths / sizeof *first_paths; i++)
        added = add_file(atlas, {font_path(first_paths[i]), 0}, size);
    if (added != nullptr)
        return added;
    for (const face &face : faces_of('A'))
        added = added != nullptr ? added : add_file(atlas, face, size);
    if (added != nullptr)
        return added;
    plain.SizePixels = std::floor(size * 13.0f / 14.0f + 0.5f);
    first_ascent = std::round(0.8f * plain.SizePixels);
    return atlas->AddFontDefault(&plain);
}

/* Takes the next character of a text; malformed bytes are one each. */
uint32_t next_character(const char **text)
{
    const unsigned char *bytes = reinterpret_cast<const unsigned char *>(*text);
    const int length = bytes[0] < 0x80 ? 1 : (bytes[0] & 0xe0) == 0xc0 ? 2 : (bytes[0] & 0xf0) == 0xe0 ? 3 : 4;
    uint32_t code = length == 1 ? bytes[0] : bytes[0] & (0x7fu >> length);

    for (int i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80) {
            *text += 1;
            return 0xfffd;
        }
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    *text += length;
    return code <= 0x10ffff ? code : 0xfffd;
}

void append(std::string *text, unsigned code)
{
    *text += char(0xe0 | code >> 12);
    *text += char(0x80 | (code >> 6 & 0x3f));
    *text += char(0x80 | (code & 0x3f));
}

/* How a character is shown; notes those that the atlas may lack. */
ImWchar show(uint32_t code)
{
    const auto known = letters.find(code);

    if (known != letters.end())
        return known->second.shown;
    if (code <= 0xffff) {
        const ImFont *first = ImGui::GetIO().Fonts->Fonts[0];
        if (first->FindGlyphNoFallback(ImWchar(code)) != nullptr || letters.size() == LETTERS_MAX)
            return ImWchar(code);
        letters[code] = {ImWchar(code), -1};
    } else {
        if (next_private > PRIVATE_LAST || letters.size() == LETTERS_MAX)
            return BOX;
        letters[code] = {next_private++, -1};
    }
    wanted = true;
    return letters[code].shown;
}
} // namespace

void view_fonts_add(float scale)
{
    const float size = float(int(14.0f * scale + 0.5f));
    ImFontAtlas *atlas = ImGui::GetIO().Fonts;

    atlas->Clear();
    ImFont *first = add_first(atlas, size);
    first->FallbackChar = BOX;
    view_ui_icons_load(scale);
    reserve(atlas, first, size);
    draw(atlas, size);
    wanted = false;
}

bool view_fonts_are_wanted(void)
{
    return wanted;
}

const char *view_ui_letters(const char *text)
{
    static std::string copies[3];
    static unsigned turn;
    bool changed = false;

    for (const char *at = text; *at != '\0';) {
        if ((*at & 0x80) == 0) {
            at++;
            continue;
        }
        const uint32_t code = next_character(&at);
        changed = show(code) != code || changed;
    }
    if (!changed)
        return text;
    std::string &copy = copies[turn++ % 3];
    copy.clear();
    for (const char *at = text; *at != '\0';) {
        const char *from = at;
        const uint32_t code = next_character(&at);
        if (code > 0xffff)
            append(&copy, show(code));
        else
            copy.append(from, at);
    }
    return copy.c_str();
}
