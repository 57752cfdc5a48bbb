/* The constants of C's header; NVIDIA's run-time compiler has its functions without one. */
#pragma once

#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
