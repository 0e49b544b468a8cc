# What every target of this repository is compiled with. Nothing of it is exported: a user of etude::etude chooses
# their own warnings. There is no -march and no -ffast-math, and no fused multiply-add that the source does not ask
# for, so that every machine computes the same bits.
function(etude_target_options target)
  target_compile_options(${target} PRIVATE
    -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wno-sign-conversion -Wshadow
    $<$<BOOL:${ETUDE_WERROR}>:-Werror>)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
endfunction()
