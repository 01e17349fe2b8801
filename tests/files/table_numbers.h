/* Tests of numbers in text. */
#ifndef SHW_TESTS_UNIT_TABLE_NUMBERS_H
#define SHW_TESTS_UNIT_TABLE_NUMBERS_H

void test_numbers_are_rounded_once(void **state);
void test_written_numbers_come_back(void **state);

#endif
