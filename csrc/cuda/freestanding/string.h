/* NVIDIA's run-time compiler has memcpy and memset without a header. */
#pragma once
