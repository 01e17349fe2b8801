/* Spencer 2021, Procedure 4. */
#include "records/lane_walker.h"

const struct shw_record_way shw_record_way_speculative = SHW_LANE_WAY(SHW_RECORD_SPECULATIVE);
