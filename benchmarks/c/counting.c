/* Switches for the profiler that counts instructions (valgrind's callgrind): what runs between
 * them is counted and written to a file under its label. Outside of valgrind they do nothing. */
#include <valgrind/callgrind.h>

void start_counting(void) {
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
}

void stop_counting(const char *label) {
    CALLGRIND_DUMP_STATS_AT(label);
    CALLGRIND_STOP_INSTRUMENTATION;
}
