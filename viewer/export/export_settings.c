#include "export/export_settings.h"

#include <string.h>

const char *const view_export_content_names[VIEW_EXPORT_CONTENTS] = {"labels",  "masks",  "probabilities", "overlays",
                                                                     "strokes", "forest", "videos",        "objects"};
const char *const view_export_picture_names[VIEW_EXPORT_PICTURES] = {"all", "shown", "project", "source", "list"};
const char *const view_export_existing_names[VIEW_EXPORT_EXISTING] = {"check", "replace", "missing"};

unsigned view_export_parse_content(const char *text, size_t length)
{
    const char *end = text + length;
    unsigned content = 0;

    while (text <= end) {
        const char *comma = memchr(text, ',', (size_t)(end - text)), *stop = comma != NULL ? comma : end;
        uint32_t k = 0;

        while (k < VIEW_EXPORT_CONTENTS && (strlen(view_export_content_names[k]) != (size_t)(stop - text) ||
                                            memcmp(view_export_content_names[k], text, (size_t)(stop - text)) != 0))
            k++;
        if (k == VIEW_EXPORT_CONTENTS)
            return 0;
        content |= 1u << k;
        text = stop + 1;
    }
    return content;
}
