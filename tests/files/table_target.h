/* Which column has the classes, and whether several tables have the same columns. */
#ifndef SHW_UNIT_TABLE_TARGET_H
#define SHW_UNIT_TABLE_TARGET_H

void test_the_target_of_a_new_forest(void **state);
void test_the_target_of_a_known_forest(void **state);
void test_tables_with_and_without_names(void **state);

#endif
