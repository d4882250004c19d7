// Two functions that jumps.c needs: Emscripten's JavaScript has them, a standalone program of this version hasn't.
static int upper;

void setTempRet0(int value) { upper = value; }
int getTempRet0(void) { return upper; }
