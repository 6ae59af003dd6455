# One place for how Ridgepoint's targets are compiled.

find_program(RIDGE_CCACHE ccache)
if(RIDGE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RIDGE_CCACHE})
endif()

add_library(ridge_flags INTERFACE)
target_compile_options(ridge_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
# gcc 12 sees overlapping copies in std::string concatenation at -O3 that are not there (its bug
# 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(ridge_flags INTERFACE -Wno-restrict)
endif()
if(RIDGE_WERROR)
  target_compile_options(ridge_flags INTERFACE -Werror)
endif()
if(RIDGE_BUILD_FUZZERS)
  target_compile_options(ridge_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(RIDGE_SANITIZE)
  target_compile_options(ridge_flags INTERFACE -fsanitize=${RIDGE_SANITIZE} -fno-omit-frame-pointer
                                               -fno-sanitize-recover=all)
  target_link_options(ridge_flags INTERFACE -fsanitize=${RIDGE_SANITIZE})
endif()

# ridge_library(NAME SOURCES a.cpp ... USES target ...): a static library of one folder. Headers
# beside the sources are included as "FOLDER/header.hpp" from the source root.
function(ridge_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;USES;PRIVATE_USES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
  target_link_libraries(${name} PUBLIC ridge_headers ${ARG_USES} PRIVATE ridge_flags ${ARG_PRIVATE_USES})
endfunction()

# ridge_tests(FOLDER LABELS smoke ... SOURCES a_test.cpp ... USES target ...): one doctest program
# per folder; each label is a doctest suite of that name and one ctest entry. A label whose suite
# holds no test case fails. BESIDE_OTHERS: nothing in it measures, so that it may run while others
# do (scripts/test.sh runs as many as there are cores).
function(ridge_tests folder)
  cmake_parse_arguments(ARG "BESIDE_OTHERS" "TIMEOUT" "LABELS;SOURCES;USES" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  set(alone TRUE)
  if(ARG_BESIDE_OTHERS)
    set(alone FALSE)
  endif()
  string(REPLACE "/" "_" target "test_${folder}")
  add_executable(${target} ${ARG_SOURCES})
  target_link_libraries(${target} PRIVATE ${ARG_USES} ridge_flags ridge_test_main)
  # What they test is optimised.
  target_compile_options(${target} PRIVATE $<IF:$<CONFIG:Release>,-O1,-O0>)
  foreach(label IN LISTS ARG_LABELS)
    add_test(NAME ${folder}.${label} COMMAND ${target} --test-suite=${label})
    set_tests_properties(${folder}.${label} PROPERTIES
      LABELS ${label} TIMEOUT ${ARG_TIMEOUT} FAIL_REGULAR_EXPRESSION "test cases: +0 "
      SKIP_REGULAR_EXPRESSION "RIDGE-SKIP-ALL"
      RUN_SERIAL ${alone}
      ENVIRONMENT "RIDGE_SHARE_DIR=${PROJECT_SOURCE_DIR}/data;RIDGE_BINARY=$<TARGET_FILE:ridge>;RIDGE_SOURCE_DIR=${PROJECT_SOURCE_DIR}")
  endforeach()
endfunction()
