/* The letters of panels: those of European languages are there from the beginning, others are looked for in the fonts
 * of the system when they occur. Texts are written from left to right, one character after the other: what a script
 * joins or reorders is not. For the files that wrap Dear ImGui. */
#ifndef VIEW_UI_FONTS_H
#define VIEW_UI_FONTS_H

/* Fills the atlas of the current context, with all characters that have occurred. */
void view_fonts_add(float scale);

/* Adds the icons (bars.cpp), while the atlas is filled. */
void view_ui_icons_load(float scale);

/* Notes the characters of a text, and returns how it is shown: characters beyond the 65536 that Dear ImGui knows are in
 * places for private use there. The text itself, or a copy that is valid until the third call from now. */
const char *view_ui_letters(const char *text);

/* Whether characters have been noted that the atlas lacks. */
bool view_fonts_are_wanted(void);

#endif
