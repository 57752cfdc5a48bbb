/* NVIDIA's run-time compiler has size_t without a header. */
#pragma once
