/* width_end.h: ends what x86/width32.h and x86/width64.h define. */
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
