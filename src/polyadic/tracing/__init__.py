"""What is done, and how long it takes, told as spans of OpenTelemetry to whoever asks for them; else to nobody.

:mod:`polyadic.tracing.spans` is what other rooms speak to, :mod:`polyadic.tracing.exporter` sends spans where the
environment says. No attribute of a span holds what was asked, answered or read, nor a key: names, counts and kinds do.
"""
