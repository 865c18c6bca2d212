/* near_case.h - for tests only: numbers that are equal but for rounding. That of
 * cmocka, assert_float_equal, takes NaN for any number: what is not known would pass
 * for right.
 */
#ifndef BASE_NEAR_CASE_H
#define BASE_NEAR_CASE_H

#define assert_near(got, want, by)                                                     \
    do {                                                                               \
        double got_ = (got), want_ = (want), by_ = (by);                               \
        if (!(got_ >= want_ - by_ && got_ <= want_ + by_))                             \
            fail_msg("got %.9g, want %.9g", got_, want_);                              \
    } while (0)

#endif
