/* The process: its arguments, its program and its terminal. */
#ifndef SHW_BASE_PROCESS_H
#define SHW_BASE_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

/* What every program begins with: *argv becomes the arguments in UTF-8, with paths that have `/` between folders, and
 * standard input and output pass bytes unchanged. Nothing has to be done for that but on Windows. */
void shw_process_begin(int *argc, char ***argv);

/* A path that the system or the user has given becomes one with `/` between folders. Nothing has to be done for that
 * but on Windows. */
void shw_process_take_path(char *path);

/* Writes the path of the program; false, and "", if it is unknown. */
bool shw_process_path(char *path, size_t size);

/* Whether the descriptor of an open pipe is of one without a name in a folder, which somebody writes to. Reading it
 * waits from then on. */
bool shw_process_waits_for(int descriptor);

/* Another descriptor of the same file, which children do not inherit; -1: there is none. */
int shw_process_copy_descriptor(int descriptor);

/* For programs that have opened a window: closes the console that Windows opens beside a program that is not started
 * from one. Elsewhere there is nothing to close. */
void shw_process_leave_own_console(void);

/* The columns of the terminal that standard error is; 0: unknown. */
int shw_terminal_columns(void);

#endif
