/* Counts the library's own host allocations; for programs linked with --wrap=malloc,--wrap=calloc,--wrap=realloc. */
#ifndef SHW_EMBED_HOST_ALLOCATIONS_H
#define SHW_EMBED_HOST_ALLOCATIONS_H

/* Allocations so far by anything that is linked statically: neither the driver nor the layers. */
unsigned host_allocations(void);

#endif
