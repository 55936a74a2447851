"""OpenTelemetry spans for indexing and queries; without a tracer, they do nothing.

Other packages use :mod:`polyadic.tracing.spans`; :mod:`polyadic.tracing.exporter` exports spans where the environment
variables say. Span attributes hold names, counts and kinds, never questions, answers, document text or keys.
"""
