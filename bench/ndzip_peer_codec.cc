// ndzip_peer_codec.cc: one type and rank of ndzip's coder, which is made to be compiled like this.
#include <cassert>
#include <cstring>
#include <memory>

#include "src/ndzip/cpu_codec.inl"
