#!/bin/sh
# Meson's dependency('mpi') finds the library by mpicc in PATH where pkg-config knows no ompi-c,
# which it asks first, and by the .pc files that stand in for those where it does.
# shellcheck disable=SC1091,SC2154 # built-by.inc
. "${srcdir:-.}/tests/built-by.inc"
skip_without "${MESON:=meson}" meson
skip_without ninja ninja-build
skip_without pkg-config pkg-config
install_here
write_sources

cat >"$work/project/meson.build" <<'TEXT'
project('sum', 'c')
executable('sum', 'sum.c', dependencies: dependency('mpi', language: 'c'))
TEXT
if fortran; then
    cat >>"$work/project/meson.build" <<'TEXT'
add_languages('fortran', native: false)
executable('sumf', 'sumf.f90', dependencies: dependency('mpi', language: 'fortran'))
TEXT
fi

# build FOLDER: configures, builds and runs.
build() {
    quietly "$MESON" setup "$work/$1" "$work/project"
    quietly ninja -C "$work/$1"
    expect_sum "$work/$1/sum"
    ! fortran || expect_sum "$work/$1/sumf"
}

mkdir "$work/none"
PKG_CONFIG_LIBDIR=$work/none
export PKG_CONFIG_LIBDIR
build by_wrapper
unset PKG_CONFIG_LIBDIR
stand_in=$(dirname "$(find "$prefix" -name ompi-c.pc)")
PKG_CONFIG_PATH=$stand_in
export PKG_CONFIG_PATH
build by_pkg_config
