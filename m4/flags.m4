# MPILITE_CFLAGS(VARIABLE, FLAGS): appends to VARIABLE those of FLAGS that the compiler takes
# without a warning.
AC_DEFUN([MPILITE_CFLAGS], [
  mpilite_saved=$CFLAGS
  for mpilite_flag in m4_normalize([$2]); do
    AC_MSG_CHECKING([whether $CC takes $mpilite_flag])
    CFLAGS="$mpilite_saved -Werror $mpilite_flag"
    AC_COMPILE_IFELSE([AC_LANG_PROGRAM()],
      [AC_MSG_RESULT([yes]); $1="$$1 $mpilite_flag"], [AC_MSG_RESULT([no])])
  done
  CFLAGS=$mpilite_saved
])
