"""Run blocking code from async code and async code from blocking code."""
