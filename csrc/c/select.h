/* One of several functions, by the type of a number: GN_REAL(floorf, floor, gn_same_int64, x)(x).
 *
 * In C this is _Generic.  The kernels of CUDA, which are C++, take the same expressions from the same tables. */
#ifndef GN_SELECT_H
#define GN_SELECT_H

#include "kernel.h"

#ifndef __cplusplus

#define GN_FLOATING(function32, function64, x) _Generic((x), float: function32, double: function64)
#define GN_REAL(function32, function64, integer_function, x) \
    _Generic((x), float: function32, double: function64, default: integer_function)
#if GN_HAS_COMPLEX
#define GN_FRACTIONAL(function32, function64, complex64_function, complex128_function, x) \
    _Generic((x), float: function32, double: function64, gn_complex64: complex64_function, \
             gn_complex128: complex128_function)
#define GN_ANY(function32, function64, complex64_function, complex128_function, integer_function, x) \
    _Generic((x), float: function32, double: function64, gn_complex64: complex64_function, \
             gn_complex128: complex128_function, default: integer_function)
#endif

#else

template <class T> struct gn_plain_of { typedef T type; };
template <class T> struct gn_plain_of<const T> { typedef T type; };
template <class T> struct gn_plain_of<T &> { typedef T type; };
template <class T> struct gn_plain_of<const T &> { typedef T type; };
template <class T> using gn_plain = typename gn_plain_of<T>::type;
template <class A, class B> constexpr bool gn_is_same = false;
template <class A> constexpr bool gn_is_same<A, A> = true;
/* A call of one of the functions; of the others only the names need to exist. */
#define GN_ANY(function32, function64, complex64_function, complex128_function, integer_function, x) \
    [](auto... numbers) {                                                                            \
        if constexpr (gn_is_same<gn_plain<decltype(x)>, float>) {                                    \
            return function32(numbers...);                                                           \
        } else if constexpr (gn_is_same<gn_plain<decltype(x)>, double>) {                            \
            return function64(numbers...);                                                           \
        } else if constexpr (gn_is_same<gn_plain<decltype(x)>, gn_complex64>) {                      \
            return complex64_function(numbers...);                                                   \
        } else if constexpr (gn_is_same<gn_plain<decltype(x)>, gn_complex128>) {                     \
            return complex128_function(numbers...);                                                  \
        } else {                                                                                     \
            return integer_function(numbers...);                                                     \
        }                                                                                            \
    }
#define GN_REAL(function32, function64, integer_function, x) \
    GN_ANY(function32, function64, gn_no_function, gn_no_function, integer_function, x)
#define GN_FRACTIONAL(function32, function64, complex64_function, complex128_function, x) \
    GN_ANY(function32, function64, complex64_function, complex128_function, gn_no_function, x)
#define GN_FLOATING(function32, function64, x) GN_REAL(function32, function64, gn_no_function, x)

#endif

#if !GN_HAS_COMPLEX
#define GN_FRACTIONAL(function32, function64, complex64_function, complex128_function, x) \
    GN_FLOATING(function32, function64, x)
#define GN_ANY(function32, function64, complex64_function, complex128_function, integer_function, x) \
    GN_REAL(function32, function64, integer_function, x)
#endif

#endif
