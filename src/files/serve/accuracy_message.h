/* The contents of ACCURACY. */
#ifndef SHW_FILES_SERVE_ACCURACY_MESSAGE_H
#define SHW_FILES_SERVE_ACCURACY_MESSAGE_H

#include "files/project/held_out.h"
#include "files/serve/pack.h"

void shw_accuracy_pack(const struct shw_held_out *held_out, struct shw_pack *pack);

/* To be freed with shw_held_out_free(). Errors, not logged: FORMAT, MEMORY. */
enum shw_result shw_accuracy_unpack(struct shw_unpack *unpack, struct shw_held_out *held_out);

#endif
