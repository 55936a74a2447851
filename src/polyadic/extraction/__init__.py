"""Extract n-ary facts from chunks, with a language model or without one."""
