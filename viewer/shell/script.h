/* Scripts: files with one action per line. Empty lines and lines that begin with # are ignored. */
#ifndef VIEW_SHELL_SCRIPT_H
#define VIEW_SHELL_SCRIPT_H

#include "shell/app.h"

struct view_script {
    char *path, *text;
    const char *next; /* the next line; NULL after the last */
    unsigned number;  /* of that line, from 1 */
    char *waiting;    /* a line that has begun something whose end was waited for; NULL: none */
    bool imports;     /* it is an import, not an export */
};

/* Reads a script whole. Errors: IO, MEMORY. */
enum shw_result view_script_open(const char *path, const struct shw_log *log, struct view_script *script);

/* Runs lines until one waits for a picture of the source, another size or an export, or ends the program, or until the
 * end. To be called once more after the last line. Errors: those of the actions, and of exports that were waited for,
 * after a message that names the line. */
enum shw_result view_script_step(struct view_script *script, struct view_app *app);

/* Accepts zero-initialised and closed ones. */
void view_script_close(struct view_script *script);

#endif
