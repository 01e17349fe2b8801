/* The examples' own types, compiled with other names for their code, since programs of tests have one folder of SPIR-V.
 */
#define shw_feature_code_sparse_sum shw_feature_code_compiled_sum
#define shw_channel_code_edge       shw_channel_code_compiled_edge
#define check                       check_sum
#define get_info                    get_edge_info
#include "sparse_sum.c"
#undef check
#include "edge.c"
