/* Tables in the format of libsvm. */
#ifndef SHW_UNIT_TABLE_LIBSVM_H
#define SHW_UNIT_TABLE_LIBSVM_H

void test_sparse_records(void **state);
void test_sparse_records_of_a_known_forest(void **state);
void test_sparse_files_of_many_blocks(void **state);
void test_sparse_records_that_no_machine_holds(void **state);
void test_wrong_sparse_records(void **state);
void test_text_that_is_not_sparse(void **state);

#endif
