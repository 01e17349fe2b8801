/* Compiling the programs of training while the training set is read. */
#ifndef SHW_DENSE_GROW_DEVICE_PROGRAMS_AHEAD_H
#define SHW_DENSE_GROW_DEVICE_PROGRAMS_AHEAD_H

#include <shadewood/train.h>

struct shw_programs_ahead;
struct shw_trainer;

/* Begins to compile them, on threads of its own, for the device's cache of programs. Only for devices that the library
 * created, and if training may use several threads. *ahead stays NULL if that is not possible: they are compiled when
 * they are needed. */
void shw_programs_ahead_begin(struct shw_trainer *trainer, struct shw_programs_ahead **ahead);

/* Waits until they are compiled; accepts NULL in *ahead, which is NULL afterwards. What could not be compiled is tried
 * again when it is needed, and fails then if it is needed. */
void shw_programs_ahead_end(struct shw_programs_ahead **ahead);

#endif
