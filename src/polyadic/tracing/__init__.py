"""OpenTelemetry spans for the work that Polyadic does; without a tracer, spans do nothing.

Other packages use :mod:`polyadic.tracing.spans`; :mod:`polyadic.tracing.exporter` exports spans where the environment
variables say. Span attributes hold names, counts and kinds, never questions, answers, document text or keys.
"""
