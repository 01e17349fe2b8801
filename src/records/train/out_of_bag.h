/* The out-of-bag accuracy of a forest (Breiman 2001, 3.1). */
#ifndef SHW_RECORDS_TRAIN_OUT_OF_BAG_H
#define SHW_RECORDS_TRAIN_OUT_OF_BAG_H

#include "records/train/record_tree.h"

/* `drawn` as in struct shw_record_trees. Errors: MEMORY, CANCELLED. */
enum shw_result shw_record_out_of_bag_measure(const struct shw_trainer *trainer, const struct shw_record_forest *forest,
                                              const struct shw_ranks *ranks, const struct shw_records *records,
                                              const uint64_t *drawn, struct shw_record_out_of_bag *out_of_bag);

#endif
