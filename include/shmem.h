/* OpenSHMEM 1.5, and what older programs still call.  oshcc compiles with it; oshcc(1), shmem(3).
 *
 * Every function shmem_X is there as pshmem_X too, of which it is a weak name: a tool may take its
 * place.  Typed functions are listed by type: SHMEM_RMA_TYPES(X) and the like call X(NAME, TYPE).
 * In C11 a call without a type's name, shmem_put(...), takes that of its arguments. */
#ifndef SHMEM_H
#define SHMEM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)    /* what is declared here is what the library exports */

/* -- constants */

#define SHMEM_MAJOR_VERSION 1
#define SHMEM_MINOR_VERSION 5
#define SHMEM_MAX_NAME_LEN 64
#define SHMEM_VENDOR_STRING "libmpi-lite"

enum { SHMEM_THREAD_SINGLE, SHMEM_THREAD_FUNNELED, SHMEM_THREAD_SERIALIZED,
       SHMEM_THREAD_MULTIPLE };
enum { SHMEM_CMP_EQ = 1, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_LE, SHMEM_CMP_LT, SHMEM_CMP_GE };
enum { SHMEM_SIGNAL_SET = 1, SHMEM_SIGNAL_ADD };
enum { SHMEM_CTX_SERIALIZED = 1, SHMEM_CTX_PRIVATE = 2, SHMEM_CTX_NOSTORE = 4 };
enum { SHMEM_MALLOC_ATOMICS_REMOTE = 1, SHMEM_MALLOC_SIGNAL_REMOTE = 2 };
enum { SHMEM_TEAM_NUM_CONTEXTS = 1 };

/* Of the deprecated collectives, which take sets of PEs; the library does not use the arrays. */
enum { SHMEM_SYNC_VALUE = 0, SHMEM_SYNC_SIZE = 8, SHMEM_BCAST_SYNC_SIZE = SHMEM_SYNC_SIZE,
       SHMEM_BARRIER_SYNC_SIZE = SHMEM_SYNC_SIZE, SHMEM_COLLECT_SYNC_SIZE = SHMEM_SYNC_SIZE,
       SHMEM_REDUCE_SYNC_SIZE = SHMEM_SYNC_SIZE, SHMEM_ALLTOALL_SYNC_SIZE = SHMEM_SYNC_SIZE,
       SHMEM_ALLTOALLS_SYNC_SIZE = SHMEM_SYNC_SIZE, SHMEM_REDUCE_MIN_WRKDATA_SIZE = 8 };

/* Deprecated. */
#define _SHMEM_MAJOR_VERSION SHMEM_MAJOR_VERSION
#define _SHMEM_MINOR_VERSION SHMEM_MINOR_VERSION
#define _SHMEM_MAX_NAME_LEN SHMEM_MAX_NAME_LEN
#define _SHMEM_VENDOR_STRING SHMEM_VENDOR_STRING
#define _SHMEM_SYNC_VALUE SHMEM_SYNC_VALUE
#define _SHMEM_SYNC_SIZE SHMEM_SYNC_SIZE
#define _SHMEM_BCAST_SYNC_SIZE SHMEM_BCAST_SYNC_SIZE
#define _SHMEM_BARRIER_SYNC_SIZE SHMEM_BARRIER_SYNC_SIZE
#define _SHMEM_COLLECT_SYNC_SIZE SHMEM_COLLECT_SYNC_SIZE
#define _SHMEM_REDUCE_SYNC_SIZE SHMEM_REDUCE_SYNC_SIZE
#define _SHMEM_REDUCE_MIN_WRKDATA_SIZE SHMEM_REDUCE_MIN_WRKDATA_SIZE
#define _SHMEM_CMP_EQ SHMEM_CMP_EQ
#define _SHMEM_CMP_NE SHMEM_CMP_NE
#define _SHMEM_CMP_GT SHMEM_CMP_GT
#define _SHMEM_CMP_LE SHMEM_CMP_LE
#define _SHMEM_CMP_LT SHMEM_CMP_LT
#define _SHMEM_CMP_GE SHMEM_CMP_GE

typedef struct shmem_team *shmem_team_t;
typedef struct shmem_context *shmem_ctx_t;
typedef struct { int num_contexts; } shmem_team_config_t;

#define SHMEM_TEAM_INVALID ((shmem_team_t)0)
#define SHMEM_TEAM_WORLD ((shmem_team_t)1)
#define SHMEM_TEAM_SHARED ((shmem_team_t)2)
#define SHMEM_CTX_INVALID ((shmem_ctx_t)0)
#define SHMEM_CTX_DEFAULT ((shmem_ctx_t)1)

/* -- types */

__extension__ typedef float _Complex shmem_complexf_t_;
__extension__ typedef double _Complex shmem_complexd_t_;

#define SHMEM_C_TYPES_(X) \
    X(char, char) X(schar, signed char) X(short, short) X(int, int) X(long, long) \
    X(longlong, long long) X(uchar, unsigned char) X(ushort, unsigned short) \
    X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long)
#define SHMEM_FLOAT_TYPES_(X) X(float, float) X(double, double) X(longdouble, long double)
#define SHMEM_WIDTH_TYPES_(X) \
    X(int8, int8_t) X(int16, int16_t) X(int32, int32_t) X(int64, int64_t) \
    X(uint8, uint8_t) X(uint16, uint16_t) X(uint32, uint32_t) X(uint64, uint64_t) \
    X(size, size_t)

#define SHMEM_RMA_TYPES(X) \
    SHMEM_FLOAT_TYPES_(X) SHMEM_C_TYPES_(X) SHMEM_WIDTH_TYPES_(X) X(ptrdiff, ptrdiff_t)
#define SHMEM_RMA_SIZES(X) X(8, 1) X(16, 2) X(32, 4) X(64, 8) X(128, 16)    /* bits, bytes */

/* Atomic operations: fetch, set, swap; those that add and compare; those on bits. */
#define SHMEM_AMO_ADD_TYPES(X) \
    X(int, int) X(long, long) X(longlong, long long) X(uint, unsigned int) \
    X(ulong, unsigned long) X(ulonglong, unsigned long long) X(int32, int32_t) \
    X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t) X(size, size_t) \
    X(ptrdiff, ptrdiff_t)
#define SHMEM_AMO_SWAP_TYPES(X) X(float, float) X(double, double) SHMEM_AMO_ADD_TYPES(X)
#define SHMEM_AMO_BIT_TYPES(X) \
    X(uint, unsigned int) X(ulong, unsigned long) X(ulonglong, unsigned long long) \
    X(int32, int32_t) X(int64, int64_t) X(uint32, uint32_t) X(uint64, uint64_t)

/* Waits and tests; short ones are of old. */
#define SHMEM_SYNC_TYPES(X) SHMEM_AMO_ADD_TYPES(X) X(short, short) X(ushort, unsigned short)

/* Reductions. */
#define SHMEM_REDUCE_BIT_TYPES(X) \
    X(uchar, unsigned char) X(ushort, unsigned short) X(uint, unsigned int) \
    X(ulong, unsigned long) X(ulonglong, unsigned long long) SHMEM_WIDTH_TYPES_(X)
#define SHMEM_REDUCE_ORDER_TYPES(X) SHMEM_RMA_TYPES(X)
#define SHMEM_REDUCE_SUM_TYPES(X) \
    SHMEM_RMA_TYPES(X) X(complexd, shmem_complexd_t_) X(complexf, shmem_complexf_t_)
#define SHMEM_OLD_BIT_TYPES(X) \
    X(short, short) X(int, int) X(long, long) X(longlong, long long)
#define SHMEM_OLD_ORDER_TYPES(X) SHMEM_OLD_BIT_TYPES(X) SHMEM_FLOAT_TYPES_(X)
#define SHMEM_OLD_SUM_TYPES(X) \
    SHMEM_OLD_ORDER_TYPES(X) X(complexd, shmem_complexd_t_) X(complexf, shmem_complexf_t_)

/* A function, and its name for tools. */
#define SHMEM_CALL_(ret, name, ...) ret shmem_##name(__VA_ARGS__); ret pshmem_##name(__VA_ARGS__);
/* The same without and with a context in front of its arguments. */
#define SHMEM_CALLS_(ret, name, ...) \
    SHMEM_CALL_(ret, name, __VA_ARGS__) \
    SHMEM_CALL_(ret, ctx_##name, shmem_ctx_t ctx, __VA_ARGS__)

/* -- begin, end, questions */

SHMEM_CALL_(void, init, void)
SHMEM_CALL_(int, init_thread, int requested, int *provided)
SHMEM_CALL_(void, query_thread, int *provided)
SHMEM_CALL_(void, finalize, void)
SHMEM_CALL_(__attribute__((__noreturn__)) void, global_exit, int status)
SHMEM_CALL_(int, my_pe, void)
SHMEM_CALL_(int, n_pes, void)
SHMEM_CALL_(int, pe_accessible, int pe)
SHMEM_CALL_(int, addr_accessible, const void *addr, int pe)
SHMEM_CALL_(void *, ptr, const void *dest, int pe)
SHMEM_CALL_(void, info_get_version, int *major, int *minor)
SHMEM_CALL_(void, info_get_name, char *name)
SHMEM_CALL_(void, pcontrol, int level, ...)

/* -- memory */

SHMEM_CALL_(void *, malloc, size_t size)
SHMEM_CALL_(void *, malloc_with_hints, size_t size, long hints)
SHMEM_CALL_(void *, calloc, size_t count, size_t size)
SHMEM_CALL_(void *, align, size_t alignment, size_t size)
SHMEM_CALL_(void *, realloc, void *ptr, size_t size)
SHMEM_CALL_(void, free, void *ptr)

/* -- teams, contexts */

SHMEM_CALL_(int, team_my_pe, shmem_team_t team)
SHMEM_CALL_(int, team_n_pes, shmem_team_t team)
SHMEM_CALL_(int, team_get_config, shmem_team_t team, long mask, shmem_team_config_t *config)
SHMEM_CALL_(int, team_translate_pe, shmem_team_t source, int pe, shmem_team_t dest)
SHMEM_CALL_(int, team_split_strided, shmem_team_t parent, int start, int stride, int size,
            const shmem_team_config_t *config, long mask, shmem_team_t *team)
SHMEM_CALL_(int, team_split_2d, shmem_team_t parent, int xrange,
            const shmem_team_config_t *xconfig, long xmask, shmem_team_t *xteam,
            const shmem_team_config_t *yconfig, long ymask, shmem_team_t *yteam)
SHMEM_CALL_(void, team_destroy, shmem_team_t team)
SHMEM_CALL_(int, team_sync, shmem_team_t team)
SHMEM_CALL_(int, team_create_ctx, shmem_team_t team, long options, shmem_ctx_t *ctx)
SHMEM_CALL_(int, ctx_create, long options, shmem_ctx_t *ctx)
SHMEM_CALL_(void, ctx_destroy, shmem_ctx_t ctx)
SHMEM_CALL_(int, ctx_get_team, shmem_ctx_t ctx, shmem_team_t *team)

/* -- put and get */

#define SHMEM_RMA_(N, T) \
    SHMEM_CALLS_(void, N##_put, T *dest, const T *source, size_t nelems, int pe) \
    SHMEM_CALLS_(void, N##_get, T *dest, const T *source, size_t nelems, int pe) \
    SHMEM_CALLS_(void, N##_put_nbi, T *dest, const T *source, size_t nelems, int pe) \
    SHMEM_CALLS_(void, N##_get_nbi, T *dest, const T *source, size_t nelems, int pe) \
    SHMEM_CALLS_(void, N##_p, T *dest, T value, int pe) \
    SHMEM_CALLS_(T, N##_g, const T *source, int pe) \
    SHMEM_CALLS_(void, N##_iput, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, \
                 size_t nelems, int pe) \
    SHMEM_CALLS_(void, N##_iget, T *dest, const T *source, ptrdiff_t dst, ptrdiff_t sst, \
                 size_t nelems, int pe) \
    SHMEM_CALLS_(void, N##_put_signal, T *dest, const T *source, size_t nelems, \
                 uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) \
    SHMEM_CALLS_(void, N##_put_signal_nbi, T *dest, const T *source, size_t nelems, \
                 uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
SHMEM_RMA_TYPES(SHMEM_RMA_)

/* Of elements of so many bits, or bytes. */
#define SHMEM_RMA_UNTYPED_(N) \
    SHMEM_CALLS_(void, put##N, void *dest, const void *source, size_t nelems, int pe) \
    SHMEM_CALLS_(void, get##N, void *dest, const void *source, size_t nelems, int pe) \
    SHMEM_CALLS_(void, put##N##_nbi, void *dest, const void *source, size_t nelems, int pe) \
    SHMEM_CALLS_(void, get##N##_nbi, void *dest, const void *source, size_t nelems, int pe) \
    SHMEM_CALLS_(void, put##N##_signal, void *dest, const void *source, size_t nelems, \
                 uint64_t *sig_addr, uint64_t signal, int sig_op, int pe) \
    SHMEM_CALLS_(void, put##N##_signal_nbi, void *dest, const void *source, size_t nelems, \
                 uint64_t *sig_addr, uint64_t signal, int sig_op, int pe)
#define SHMEM_RMA_SIZED_(N, BYTES) \
    SHMEM_RMA_UNTYPED_(N) \
    SHMEM_CALLS_(void, iput##N, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
                 size_t nelems, int pe) \
    SHMEM_CALLS_(void, iget##N, void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, \
                 size_t nelems, int pe)
SHMEM_RMA_SIZES(SHMEM_RMA_SIZED_)
SHMEM_RMA_UNTYPED_(mem)

/* -- atomic operations */

#define SHMEM_AMO_SWAP_(N, T) \
    SHMEM_CALLS_(T, N##_atomic_fetch, const T *source, int pe) \
    SHMEM_CALLS_(void, N##_atomic_set, T *dest, T value, int pe) \
    SHMEM_CALLS_(T, N##_atomic_swap, T *dest, T value, int pe) \
    SHMEM_CALLS_(void, N##_atomic_fetch_nbi, T *fetch, const T *source, int pe) \
    SHMEM_CALLS_(void, N##_atomic_swap_nbi, T *fetch, T *dest, T value, int pe)
SHMEM_AMO_SWAP_TYPES(SHMEM_AMO_SWAP_)

#define SHMEM_AMO_ADD_(N, T) \
    SHMEM_CALLS_(T, N##_atomic_compare_swap, T *dest, T cond, T value, int pe) \
    SHMEM_CALLS_(T, N##_atomic_fetch_inc, T *dest, int pe) \
    SHMEM_CALLS_(void, N##_atomic_inc, T *dest, int pe) \
    SHMEM_CALLS_(T, N##_atomic_fetch_add, T *dest, T value, int pe) \
    SHMEM_CALLS_(void, N##_atomic_add, T *dest, T value, int pe) \
    SHMEM_CALLS_(void, N##_atomic_compare_swap_nbi, T *fetch, T *dest, T cond, T value, int pe) \
    SHMEM_CALLS_(void, N##_atomic_fetch_inc_nbi, T *fetch, T *dest, int pe) \
    SHMEM_CALLS_(void, N##_atomic_fetch_add_nbi, T *fetch, T *dest, T value, int pe)
SHMEM_AMO_ADD_TYPES(SHMEM_AMO_ADD_)

#define SHMEM_AMO_BIT_(N, T, OP) \
    SHMEM_CALLS_(T, N##_atomic_fetch_##OP, T *dest, T value, int pe) \
    SHMEM_CALLS_(void, N##_atomic_##OP, T *dest, T value, int pe) \
    SHMEM_CALLS_(void, N##_atomic_fetch_##OP##_nbi, T *fetch, T *dest, T value, int pe)
#define SHMEM_AMO_BITS_(N, T) \
    SHMEM_AMO_BIT_(N, T, and) SHMEM_AMO_BIT_(N, T, or) SHMEM_AMO_BIT_(N, T, xor)
SHMEM_AMO_BIT_TYPES(SHMEM_AMO_BITS_)

/* -- waiting, order */

#define SHMEM_SYNC_(N, T) \
    SHMEM_CALL_(void, N##_wait_until, T *ivar, int cmp, T value) \
    SHMEM_CALL_(void, N##_wait_until_all, T *ivars, size_t nelems, const int *status, int cmp, \
                T value) \
    SHMEM_CALL_(size_t, N##_wait_until_any, T *ivars, size_t nelems, const int *status, int cmp, \
                T value) \
    SHMEM_CALL_(size_t, N##_wait_until_some, T *ivars, size_t nelems, size_t *indices, \
                const int *status, int cmp, T value) \
    SHMEM_CALL_(void, N##_wait_until_all_vector, T *ivars, size_t nelems, const int *status, \
                int cmp, T *values) \
    SHMEM_CALL_(size_t, N##_wait_until_any_vector, T *ivars, size_t nelems, const int *status, \
                int cmp, T *values) \
    SHMEM_CALL_(size_t, N##_wait_until_some_vector, T *ivars, size_t nelems, size_t *indices, \
                const int *status, int cmp, T *values) \
    SHMEM_CALL_(int, N##_test, T *ivar, int cmp, T value) \
    SHMEM_CALL_(int, N##_test_all, T *ivars, size_t nelems, const int *status, int cmp, T value) \
    SHMEM_CALL_(size_t, N##_test_any, T *ivars, size_t nelems, const int *status, int cmp, \
                T value) \
    SHMEM_CALL_(size_t, N##_test_some, T *ivars, size_t nelems, size_t *indices, \
                const int *status, int cmp, T value) \
    SHMEM_CALL_(int, N##_test_all_vector, T *ivars, size_t nelems, const int *status, int cmp, \
                T *values) \
    SHMEM_CALL_(size_t, N##_test_any_vector, T *ivars, size_t nelems, const int *status, \
                int cmp, T *values) \
    SHMEM_CALL_(size_t, N##_test_some_vector, T *ivars, size_t nelems, size_t *indices, \
                const int *status, int cmp, T *values)
SHMEM_SYNC_TYPES(SHMEM_SYNC_)

SHMEM_CALL_(uint64_t, signal_fetch, const uint64_t *sig_addr)
SHMEM_CALL_(uint64_t, signal_wait_until, uint64_t *sig_addr, int cmp, uint64_t value)
SHMEM_CALL_(void, fence, void)
SHMEM_CALL_(void, quiet, void)
SHMEM_CALL_(void, ctx_fence, shmem_ctx_t ctx)
SHMEM_CALL_(void, ctx_quiet, shmem_ctx_t ctx)

/* -- locks */

SHMEM_CALL_(void, set_lock, long *lock)
SHMEM_CALL_(void, clear_lock, long *lock)
SHMEM_CALL_(int, test_lock, long *lock)

/* -- collectives */

SHMEM_CALL_(void, barrier_all, void)
SHMEM_CALL_(void, sync_all, void)

#define SHMEM_COLL_(N, T) \
    SHMEM_CALL_(int, N##_broadcast, shmem_team_t team, T *dest, const T *source, size_t nelems, \
                int root) \
    SHMEM_CALL_(int, N##_collect, shmem_team_t team, T *dest, const T *source, size_t nelems) \
    SHMEM_CALL_(int, N##_fcollect, shmem_team_t team, T *dest, const T *source, size_t nelems) \
    SHMEM_CALL_(int, N##_alltoall, shmem_team_t team, T *dest, const T *source, size_t nelems) \
    SHMEM_CALL_(int, N##_alltoalls, shmem_team_t team, T *dest, const T *source, ptrdiff_t dst, \
                ptrdiff_t sst, size_t nelems)
SHMEM_RMA_TYPES(SHMEM_COLL_)
SHMEM_CALL_(int, broadcastmem, shmem_team_t team, void *dest, const void *source, size_t nelems,
            int root)
SHMEM_CALL_(int, collectmem, shmem_team_t team, void *dest, const void *source, size_t nelems)
SHMEM_CALL_(int, fcollectmem, shmem_team_t team, void *dest, const void *source, size_t nelems)
SHMEM_CALL_(int, alltoallmem, shmem_team_t team, void *dest, const void *source, size_t nelems)
SHMEM_CALL_(int, alltoallsmem, shmem_team_t team, void *dest, const void *source, ptrdiff_t dst,
            ptrdiff_t sst, size_t nelems)

#define SHMEM_REDUCE_(N, T, OP) \
    SHMEM_CALL_(int, N##_##OP##_reduce, shmem_team_t team, T *dest, const T *source, \
                size_t nreduce)
#define SHMEM_REDUCE_BITS_(N, T) \
    SHMEM_REDUCE_(N, T, and) SHMEM_REDUCE_(N, T, or) SHMEM_REDUCE_(N, T, xor)
#define SHMEM_REDUCE_ORDER_(N, T) SHMEM_REDUCE_(N, T, max) SHMEM_REDUCE_(N, T, min)
#define SHMEM_REDUCE_SUM_(N, T) SHMEM_REDUCE_(N, T, sum) SHMEM_REDUCE_(N, T, prod)
SHMEM_REDUCE_BIT_TYPES(SHMEM_REDUCE_BITS_)
SHMEM_REDUCE_ORDER_TYPES(SHMEM_REDUCE_ORDER_)
SHMEM_REDUCE_SUM_TYPES(SHMEM_REDUCE_SUM_)

/* -- deprecated: sets of PEs (the first, the logarithm of the distance from one to the next, how
 * many), in place of teams */

SHMEM_CALL_(void, barrier, int start, int log_stride, int size, long *sync)
SHMEM_CALL_(void, sync, int start, int log_stride, int size, long *sync)

#define SHMEM_OLD_COLL_(N, BYTES) \
    SHMEM_CALL_(void, broadcast##N, void *dest, const void *source, size_t nelems, int root, \
                int start, int log_stride, int size, long *sync) \
    SHMEM_CALL_(void, collect##N, void *dest, const void *source, size_t nelems, int start, \
                int log_stride, int size, long *sync) \
    SHMEM_CALL_(void, fcollect##N, void *dest, const void *source, size_t nelems, int start, \
                int log_stride, int size, long *sync) \
    SHMEM_CALL_(void, alltoall##N, void *dest, const void *source, size_t nelems, int start, \
                int log_stride, int size, long *sync) \
    SHMEM_CALL_(void, alltoalls##N, void *dest, const void *source, ptrdiff_t dst, \
                ptrdiff_t sst, size_t nelems, int start, int log_stride, int size, long *sync)
SHMEM_OLD_COLL_(32, 4)
SHMEM_OLD_COLL_(64, 8)

#define SHMEM_TO_ALL_(N, T, OP) \
    SHMEM_CALL_(void, N##_##OP##_to_all, T *dest, const T *source, int nreduce, int start, \
                int log_stride, int size, T *work, long *sync)
#define SHMEM_TO_ALL_BITS_(N, T) \
    SHMEM_TO_ALL_(N, T, and) SHMEM_TO_ALL_(N, T, or) SHMEM_TO_ALL_(N, T, xor)
#define SHMEM_TO_ALL_ORDER_(N, T) SHMEM_TO_ALL_(N, T, max) SHMEM_TO_ALL_(N, T, min)
#define SHMEM_TO_ALL_SUM_(N, T) SHMEM_TO_ALL_(N, T, sum) SHMEM_TO_ALL_(N, T, prod)
SHMEM_OLD_BIT_TYPES(SHMEM_TO_ALL_BITS_)
SHMEM_OLD_ORDER_TYPES(SHMEM_TO_ALL_ORDER_)
SHMEM_OLD_SUM_TYPES(SHMEM_TO_ALL_SUM_)

/* -- deprecated: other names, and caches that need no care */

#define SHMEM_OLD_SWAP_(N, T) \
    SHMEM_CALL_(T, N##_fetch, const T *source, int pe) \
    SHMEM_CALL_(void, N##_set, T *dest, T value, int pe) \
    SHMEM_CALL_(T, N##_swap, T *dest, T value, int pe)
#define SHMEM_OLD_ADD_(N, T) \
    SHMEM_CALL_(T, N##_cswap, T *dest, T cond, T value, int pe) \
    SHMEM_CALL_(T, N##_finc, T *dest, int pe) \
    SHMEM_CALL_(void, N##_inc, T *dest, int pe) \
    SHMEM_CALL_(T, N##_fadd, T *dest, T value, int pe) \
    SHMEM_CALL_(void, N##_add, T *dest, T value, int pe)
#define SHMEM_OLD_ADD_TYPES(X) X(int, int) X(long, long) X(longlong, long long)
#define SHMEM_OLD_SWAP_TYPES(X) X(float, float) X(double, double) SHMEM_OLD_ADD_TYPES(X)
#define SHMEM_OLD_WAIT_TYPES(X) X(short, short) SHMEM_OLD_ADD_TYPES(X)
#define SHMEM_OLD_WAIT_(N, T) SHMEM_CALL_(void, N##_wait, T *ivar, T value)
SHMEM_OLD_SWAP_TYPES(SHMEM_OLD_SWAP_)
SHMEM_OLD_ADD_TYPES(SHMEM_OLD_ADD_)
SHMEM_OLD_WAIT_TYPES(SHMEM_OLD_WAIT_)
SHMEM_CALL_(void, wait, long *ivar, long value)
SHMEM_CALL_(void, wait_until, long *ivar, int cmp, long value)
SHMEM_CALL_(long, swap, long *dest, long value, int pe)

SHMEM_CALL_(void, clear_cache_inv, void)
SHMEM_CALL_(void, set_cache_inv, void)
SHMEM_CALL_(void, clear_cache_line_inv, void *dest)
SHMEM_CALL_(void, set_cache_line_inv, void *dest)
SHMEM_CALL_(void, udcflush, void)
SHMEM_CALL_(void, udcflush_line, void *dest)

void start_pes(int npes);
int _my_pe(void);
int _num_pes(void);
void *shmalloc(size_t size);
void *shmemalign(size_t alignment, size_t size);
void *shrealloc(void *ptr, size_t size);
void shfree(void *ptr);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#if defined __STDC_VERSION__ && __STDC_VERSION__ >= 201112L && !defined __cplusplus
#include <shmem_generic.h>
#endif

#endif
