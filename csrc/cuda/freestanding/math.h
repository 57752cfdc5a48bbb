/* The constants of the C header; NVRTC has its functions built in. */
#pragma once

#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
