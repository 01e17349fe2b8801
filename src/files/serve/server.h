/* The trainer of `shadewood serve` (docs/serve.md). */
#ifndef SHW_FILES_SERVE_SERVER_H
#define SHW_FILES_SERVE_SERVER_H

#include <stdbool.h>

#include <shadewood/train.h>

struct shw_server_params {
    int in, out;                  /* descriptors */
    struct shw_device *device;    /* borrowed; NULL: `cpu` */
    const char *name;             /* what trains, for people: the device's; or "cpu" */
    enum shw_technique technique; /* with a device */
    uint64_t memory;              /* bytes of the host's */
    uint32_t threads;             /* 0: one per processor */
    bool trusts_code;
    bool (*interrupted)(void); /* asked every few milliseconds: true ends it */
    struct shw_log log;
};

/* Trains for the peer until it ends the connection. Errors: CANCELLED (interrupted), IO (the connection has ended in
 * another way), FORMAT (what has come is not the protocol), LIMIT, MEMORY, DEVICE_LOST, UNSUPPORTED (on Windows). If
 * what is in progress has not ended a minute after the connection, the process ends by SIGALRM. */
enum shw_result shw_serve(const struct shw_server_params *params);

#endif
