/* Labelling in pieces in somebody else's frames. */
#ifndef SHW_DIFFERENTIAL_PIECES_H
#define SHW_DIFFERENTIAL_PIECES_H

/* A cmocka test: pieces of any size, in any slots, give what `cpu` gives. */
void pieces_agree(void **state);

#endif
