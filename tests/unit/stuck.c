/* No test, but what names.sh runs: a suite of which one test never ends. */
#include "suite.h"

enum { STUCK_AT = 2 };

START_TEST(ends) {}
END_TEST

START_TEST(stays)
{
    while (_i == STUCK_AT)
        pause();
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stuck");
    TCase *tcase = tcase_create("stuck");

    tcase_add_test(tcase, ends);
    tcase_add_loop_test(tcase, stays, 0, STUCK_AT + 1);
    suite_add_tcase(suite, tcase);
    return suite_run(suite);
}
