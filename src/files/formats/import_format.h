/* A format of another program, as `shadewood import` lists it. */
#ifndef SHW_FILES_FORMATS_IMPORT_FORMAT_H
#define SHW_FILES_FORMATS_IMPORT_FORMAT_H

struct shw_import_format {
    const char *name;        /* a word */
    const char *description; /* for the help: "a model in text" */
};

#endif
