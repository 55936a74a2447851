"""Bounded concurrency, and bridges between synchronous and asynchronous code."""
