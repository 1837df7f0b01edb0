/* width_end.h: undefines the macros of x86/width32.h and x86/width64.h. */
#undef WIDTH
#undef ELEMENTS
#undef REGISTERS
#undef PARTS
#undef word
#undef lane
#undef ulane
#undef floats
#undef NAME
#undef OF
#undef FN
