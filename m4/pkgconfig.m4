# MPILITE_PKGCONFIG: what the .pc files say of folders: from where they are themselves, so that an
# installation that is moved as a whole is still found.  Sets pc_prefix, pc_libdir, pc_includedir, and
# pc_standin_prefix for those that stand in for another MPI's, in a folder of their own.
AC_DEFUN([MPILITE_PKGCONFIG], [
  AC_REQUIRE([PKG_INSTALLDIR])
  pc_root=$prefix
  AS_IF([test "x$pc_root" = xNONE], [pc_root=$ac_default_prefix])
  MPILITE_UP([pc_prefix], [$pkgconfigdir])
  MPILITE_UP([pc_standin_prefix], [$datadir/$PACKAGE_TARNAME/pkgconfig])
  MPILITE_BELOW_PREFIX([pc_libdir], [$libdir])
  MPILITE_BELOW_PREFIX([pc_includedir], [$includedir])
])

# MPILITE_EXPANDED(VARIABLE, FOLDER): the folder without variables in it.
AC_DEFUN([MPILITE_EXPANDED], [
  $1=`prefix=$pc_root; test "x$exec_prefix" = xNONE && exec_prefix=$prefix
      eval folder=\"$2\"; eval folder=\"$folder\"; AS_ECHO(["$folder"])`
])

# MPILITE_BELOW_PREFIX(VARIABLE, FOLDER): the same, beginning with ${prefix} where it is below.
AC_DEFUN([MPILITE_BELOW_PREFIX], [
  MPILITE_EXPANDED([$1], [$2])
  AS_CASE([$[]$1], ["$pc_root"/*], [$1='${prefix}'${$1@%:@"$pc_root"}])
  AC_SUBST([$1])
])

# MPILITE_UP(VARIABLE, FOLDER): the prefix, seen from a file in this folder.
AC_DEFUN([MPILITE_UP], [
  MPILITE_EXPANDED([pc_folder], [$2])
  AS_CASE([$pc_folder], ["$pc_root"/*],
    [pc_up=`AS_ECHO(["${pc_folder@%:@"$pc_root"/}"]) | sed 's,@<:@^/@:>@@<:@^/@:>@*,..,g'`
     $1='${pcfiledir}/'$pc_up],
    [$1=$pc_root])
  AC_SUBST([$1])
])
