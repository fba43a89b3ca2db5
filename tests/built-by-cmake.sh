#!/bin/sh
# CMake's FindMPI finds the library by the wrappers in PATH and nothing else, though other MPIs may
# be installed; its imported targets build programs that run.
# shellcheck disable=SC1091,SC2154 # built-by.inc
. "${srcdir:-.}/tests/built-by.inc"
skip_without cmake cmake
install_here
write_sources

languages=C
command -v c++ >/dev/null && languages="$languages CXX"
fortran && languages="$languages Fortran"
cat >"$work/project/CMakeLists.txt" <<TEXT
cmake_minimum_required(VERSION 3.12)
project(sum LANGUAGES $languages)
find_package(MPI REQUIRED)
foreach(language $languages)
  set(source_C sum.c)
  set(source_CXX sumxx.cc)
  set(source_Fortran sumf.f90)
  add_executable(sum_\${language} \${source_\${language}})
  target_link_libraries(sum_\${language} PRIVATE MPI::MPI_\${language})
endforeach()
enable_testing()
add_test(NAME sum COMMAND \${MPIEXEC_EXECUTABLE} \${MPIEXEC_NUMPROC_FLAG} 3 \$<TARGET_FILE:sum_C>)
TEXT
quietly cmake -S "$work/project" -B "$work/made" -DCMAKE_BUILD_TYPE=Release
grep -q "^MPIEXEC_EXECUTABLE:FILEPATH=$prefix/bin/mpiexec$" "$work/made/CMakeCache.txt" ||
    fail "another mpiexec: $(grep MPIEXEC_EXECUTABLE "$work/made/CMakeCache.txt")"
quietly cmake --build "$work/made"
for language in $languages; do expect_sum "$work/made/sum_$language"; done
quietly cmake --build "$work/made" --target test
