// Nothing is called by name: the linker finds what `GlibcFloor.c` defines.
