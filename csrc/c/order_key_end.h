/* Undefines what order_key.h has defined. */

#undef KEY
#undef KEY_BITS
#undef KEY_MASK
#undef KEY_SIGN
#undef ELEMENT
#undef ORDER
#undef PLACE_OF
#undef KEY_OF
