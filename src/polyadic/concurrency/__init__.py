"""Run many calls at once, at most N; coroutines from blocking code, and blocking code from coroutines."""
