/* C11: SHMEM's calls without the name of a type.  Part of shmem.h.
 *
 * The function is that of the type of what the first address points to, behind the context or team
 * if there is one.  Whether there is a context the number of arguments tells. */
#ifndef SHMEM_GENERIC_H
#define SHMEM_GENERIC_H

/* -- by type.  P: what the functions' names begin with, OP: what they end with.  Types of a fixed
 * width are other names of these. */

#define SHMEM_FLOATS_(P, OP) float: P##float_##OP, double: P##double_##OP
#define SHMEM_SHORTS_(P, OP) short: P##short_##OP, unsigned short: P##ushort_##OP
#define SHMEM_UNSIGNED_(P, OP) \
    unsigned int: P##uint_##OP, unsigned long: P##ulong_##OP, \
    unsigned long long: P##ulonglong_##OP
#define SHMEM_INTS_(P, OP) \
    int: P##int_##OP, long: P##long_##OP, long long: P##longlong_##OP, SHMEM_UNSIGNED_(P, OP)
#define SHMEM_ALL_(P, OP) \
    long double: P##longdouble_##OP, char: P##char_##OP, signed char: P##schar_##OP, \
    unsigned char: P##uchar_##OP, SHMEM_FLOATS_(P, OP), SHMEM_SHORTS_(P, OP), SHMEM_INTS_(P, OP)

#define SHMEM_OF_RMA_(at, P, OP) _Generic(*(at), SHMEM_ALL_(P, OP))
#define SHMEM_OF_SWAP_(at, P, OP) \
    _Generic(*(at), SHMEM_FLOATS_(P, OP), SHMEM_INTS_(P, OP))
#define SHMEM_OF_ADD_(at, P, OP) _Generic(*(at), SHMEM_INTS_(P, OP))
#define SHMEM_OF_BIT_(at, P, OP) \
    _Generic(*(at), int: P##int32_##OP, long: P##int64_##OP, SHMEM_UNSIGNED_(P, OP))
#define SHMEM_OF_SYNC_(at, P, OP) _Generic(*(at), SHMEM_SHORTS_(P, OP), SHMEM_INTS_(P, OP))
#define SHMEM_OF_SUM_(at, P, OP) \
    _Generic(*(at), float _Complex: P##complexf_##OP, double _Complex: P##complexd_##OP, \
             SHMEM_ALL_(P, OP))
#define SHMEM_OF_BITS_(at, P, OP) \
    _Generic(*(at), signed char: P##int8_##OP, unsigned char: P##uchar_##OP, \
             short: P##int16_##OP, unsigned short: P##ushort_##OP, int: P##int32_##OP, \
             long: P##int64_##OP, SHMEM_UNSIGNED_(P, OP))

/* -- by number of arguments: P plain, C with a context */

#define SHMEM_NINTH_(a, b, c, d, e, f, g, h, i, ...) i
#define SHMEM_COUNT_(...) SHMEM_NINTH_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define SHMEM_JOIN_(a, b) a##b
#define SHMEM_PASTE_(a, b) SHMEM_JOIN_(a, b)

#define SHMEM_FORM_2_2 P_
#define SHMEM_FORM_2_3 C_
#define SHMEM_FORM_3_3 P_
#define SHMEM_FORM_3_4 C_
#define SHMEM_FORM_4_4 P_
#define SHMEM_FORM_4_5 C_
#define SHMEM_FORM_5_5 P_
#define SHMEM_FORM_5_6 C_
#define SHMEM_FORM_6_6 P_
#define SHMEM_FORM_6_7 C_
#define SHMEM_FORM_7_7 P_
#define SHMEM_FORM_7_8 C_

#define SHMEM_RMA_P_(OP, at, ...) SHMEM_OF_RMA_(at, shmem_, OP)(at, __VA_ARGS__)
#define SHMEM_RMA_C_(OP, ctx, at, ...) SHMEM_OF_RMA_(at, shmem_ctx_, OP)(ctx, at, __VA_ARGS__)
#define SHMEM_SWAP_P_(OP, at, ...) SHMEM_OF_SWAP_(at, shmem_, OP)(at, __VA_ARGS__)
#define SHMEM_SWAP_C_(OP, ctx, at, ...) SHMEM_OF_SWAP_(at, shmem_ctx_, OP)(ctx, at, __VA_ARGS__)
#define SHMEM_ADD_P_(OP, at, ...) SHMEM_OF_ADD_(at, shmem_, OP)(at, __VA_ARGS__)
#define SHMEM_ADD_C_(OP, ctx, at, ...) SHMEM_OF_ADD_(at, shmem_ctx_, OP)(ctx, at, __VA_ARGS__)
#define SHMEM_BIT_P_(OP, at, ...) SHMEM_OF_BIT_(at, shmem_, OP)(at, __VA_ARGS__)
#define SHMEM_BIT_C_(OP, ctx, at, ...) SHMEM_OF_BIT_(at, shmem_ctx_, OP)(ctx, at, __VA_ARGS__)

/* A call that has so many arguments without a context. */
#define SHMEM_GENERIC_(FAMILY, OP, PLAIN, ...) \
    SHMEM_PASTE_(SHMEM_##FAMILY##_, SHMEM_PASTE_(SHMEM_FORM_##PLAIN##_, \
                 SHMEM_COUNT_(__VA_ARGS__)))(OP, __VA_ARGS__)

/* -- the calls */

#define shmem_put(...) SHMEM_GENERIC_(RMA, put, 4, __VA_ARGS__)
#define shmem_get(...) SHMEM_GENERIC_(RMA, get, 4, __VA_ARGS__)
#define shmem_put_nbi(...) SHMEM_GENERIC_(RMA, put_nbi, 4, __VA_ARGS__)
#define shmem_get_nbi(...) SHMEM_GENERIC_(RMA, get_nbi, 4, __VA_ARGS__)
#define shmem_p(...) SHMEM_GENERIC_(RMA, p, 3, __VA_ARGS__)
#define shmem_g(...) SHMEM_GENERIC_(RMA, g, 2, __VA_ARGS__)
#define shmem_iput(...) SHMEM_GENERIC_(RMA, iput, 6, __VA_ARGS__)
#define shmem_iget(...) SHMEM_GENERIC_(RMA, iget, 6, __VA_ARGS__)
#define shmem_put_signal(...) SHMEM_GENERIC_(RMA, put_signal, 7, __VA_ARGS__)
#define shmem_put_signal_nbi(...) SHMEM_GENERIC_(RMA, put_signal_nbi, 7, __VA_ARGS__)

#define shmem_atomic_fetch(...) SHMEM_GENERIC_(SWAP, atomic_fetch, 2, __VA_ARGS__)
#define shmem_atomic_set(...) SHMEM_GENERIC_(SWAP, atomic_set, 3, __VA_ARGS__)
#define shmem_atomic_swap(...) SHMEM_GENERIC_(SWAP, atomic_swap, 3, __VA_ARGS__)
#define shmem_atomic_compare_swap(...) SHMEM_GENERIC_(ADD, atomic_compare_swap, 4, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...) SHMEM_GENERIC_(ADD, atomic_fetch_inc, 2, __VA_ARGS__)
#define shmem_atomic_inc(...) SHMEM_GENERIC_(ADD, atomic_inc, 2, __VA_ARGS__)
#define shmem_atomic_fetch_add(...) SHMEM_GENERIC_(ADD, atomic_fetch_add, 3, __VA_ARGS__)
#define shmem_atomic_add(...) SHMEM_GENERIC_(ADD, atomic_add, 3, __VA_ARGS__)
#define shmem_atomic_fetch_and(...) SHMEM_GENERIC_(BIT, atomic_fetch_and, 3, __VA_ARGS__)
#define shmem_atomic_and(...) SHMEM_GENERIC_(BIT, atomic_and, 3, __VA_ARGS__)
#define shmem_atomic_fetch_or(...) SHMEM_GENERIC_(BIT, atomic_fetch_or, 3, __VA_ARGS__)
#define shmem_atomic_or(...) SHMEM_GENERIC_(BIT, atomic_or, 3, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...) SHMEM_GENERIC_(BIT, atomic_fetch_xor, 3, __VA_ARGS__)
#define shmem_atomic_xor(...) SHMEM_GENERIC_(BIT, atomic_xor, 3, __VA_ARGS__)
#define shmem_atomic_fetch_nbi(...) SHMEM_GENERIC_(SWAP, atomic_fetch_nbi, 3, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...) SHMEM_GENERIC_(SWAP, atomic_swap_nbi, 4, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) \
    SHMEM_GENERIC_(ADD, atomic_compare_swap_nbi, 5, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...) SHMEM_GENERIC_(ADD, atomic_fetch_inc_nbi, 3, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...) SHMEM_GENERIC_(ADD, atomic_fetch_add_nbi, 4, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...) SHMEM_GENERIC_(BIT, atomic_fetch_and_nbi, 4, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...) SHMEM_GENERIC_(BIT, atomic_fetch_or_nbi, 4, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...) SHMEM_GENERIC_(BIT, atomic_fetch_xor_nbi, 4, __VA_ARGS__)

#define SHMEM_SYNC_GENERIC_(OP, at, ...) SHMEM_OF_SYNC_(at, shmem_, OP)(at, __VA_ARGS__)
#define shmem_wait_until(...) SHMEM_SYNC_GENERIC_(wait_until, __VA_ARGS__)
#define shmem_wait_until_all(...) SHMEM_SYNC_GENERIC_(wait_until_all, __VA_ARGS__)
#define shmem_wait_until_any(...) SHMEM_SYNC_GENERIC_(wait_until_any, __VA_ARGS__)
#define shmem_wait_until_some(...) SHMEM_SYNC_GENERIC_(wait_until_some, __VA_ARGS__)
#define shmem_wait_until_all_vector(...) SHMEM_SYNC_GENERIC_(wait_until_all_vector, __VA_ARGS__)
#define shmem_wait_until_any_vector(...) SHMEM_SYNC_GENERIC_(wait_until_any_vector, __VA_ARGS__)
#define shmem_wait_until_some_vector(...) SHMEM_SYNC_GENERIC_(wait_until_some_vector, __VA_ARGS__)
#define shmem_test(...) SHMEM_SYNC_GENERIC_(test, __VA_ARGS__)
#define shmem_test_all(...) SHMEM_SYNC_GENERIC_(test_all, __VA_ARGS__)
#define shmem_test_any(...) SHMEM_SYNC_GENERIC_(test_any, __VA_ARGS__)
#define shmem_test_some(...) SHMEM_SYNC_GENERIC_(test_some, __VA_ARGS__)
#define shmem_test_all_vector(...) SHMEM_SYNC_GENERIC_(test_all_vector, __VA_ARGS__)
#define shmem_test_any_vector(...) SHMEM_SYNC_GENERIC_(test_any_vector, __VA_ARGS__)
#define shmem_test_some_vector(...) SHMEM_SYNC_GENERIC_(test_some_vector, __VA_ARGS__)

#define SHMEM_COLL_GENERIC_(OF, OP, team, at, ...) \
    SHMEM_OF_##OF##_(at, shmem_, OP)(team, at, __VA_ARGS__)
#define shmem_broadcast(...) SHMEM_COLL_GENERIC_(RMA, broadcast, __VA_ARGS__)
#define shmem_collect(...) SHMEM_COLL_GENERIC_(RMA, collect, __VA_ARGS__)
#define shmem_fcollect(...) SHMEM_COLL_GENERIC_(RMA, fcollect, __VA_ARGS__)
#define shmem_alltoall(...) SHMEM_COLL_GENERIC_(RMA, alltoall, __VA_ARGS__)
#define shmem_alltoalls(...) SHMEM_COLL_GENERIC_(RMA, alltoalls, __VA_ARGS__)
#define shmem_and_reduce(...) SHMEM_COLL_GENERIC_(BITS, and_reduce, __VA_ARGS__)
#define shmem_or_reduce(...) SHMEM_COLL_GENERIC_(BITS, or_reduce, __VA_ARGS__)
#define shmem_xor_reduce(...) SHMEM_COLL_GENERIC_(BITS, xor_reduce, __VA_ARGS__)
#define shmem_max_reduce(...) SHMEM_COLL_GENERIC_(RMA, max_reduce, __VA_ARGS__)
#define shmem_min_reduce(...) SHMEM_COLL_GENERIC_(RMA, min_reduce, __VA_ARGS__)
#define shmem_sum_reduce(...) SHMEM_COLL_GENERIC_(SUM, sum_reduce, __VA_ARGS__)
#define shmem_prod_reduce(...) SHMEM_COLL_GENERIC_(SUM, prod_reduce, __VA_ARGS__)

/* Of a team, or of old of a set of PEs. */
#define shmem_sync(...) SHMEM_PASTE_(SHMEM_SYNC_FORM_, SHMEM_COUNT_(__VA_ARGS__))(__VA_ARGS__)
#define SHMEM_SYNC_FORM_1(team) shmem_team_sync(team)
#define SHMEM_SYNC_FORM_4(start, log_stride, size, sync) \
    (shmem_sync)(start, log_stride, size, sync)

/* Deprecated. */
#define SHMEM_OF_OLD_SWAP_(at, OP) \
    _Generic(*(at), SHMEM_FLOATS_(shmem_, OP), int: shmem_int_##OP, long: shmem_long_##OP, \
             long long: shmem_longlong_##OP)
#define SHMEM_OF_OLD_ADD_(at, OP) \
    _Generic(*(at), int: shmem_int_##OP, long: shmem_long_##OP, \
             long long: shmem_longlong_##OP)
#define shmem_fetch(at, pe) SHMEM_OF_OLD_SWAP_(at, fetch)(at, pe)
#define shmem_set(at, value, pe) SHMEM_OF_OLD_SWAP_(at, set)(at, value, pe)
#define shmem_swap(at, value, pe) SHMEM_OF_OLD_SWAP_(at, swap)(at, value, pe)
#define shmem_cswap(at, cond, value, pe) SHMEM_OF_OLD_ADD_(at, cswap)(at, cond, value, pe)
#define shmem_finc(at, pe) SHMEM_OF_OLD_ADD_(at, finc)(at, pe)
#define shmem_inc(at, pe) SHMEM_OF_OLD_ADD_(at, inc)(at, pe)
#define shmem_fadd(at, value, pe) SHMEM_OF_OLD_ADD_(at, fadd)(at, value, pe)
#define shmem_add(at, value, pe) SHMEM_OF_OLD_ADD_(at, add)(at, value, pe)

#endif
