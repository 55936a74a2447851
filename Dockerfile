# A server of Polyadic. docs/operating.md says how it is set up and run; compose.yaml runs it.
#
# The base is pinned by a tag that takes up corrections of Python and of Debian at each build. For images that are the
# same byte for byte, pin what the tag means today:
#   docker buildx imagetools inspect python:3.11-slim-bookworm    says: Digest: sha256:...
#   docker build --build-arg BASE=python:3.11-slim-bookworm@sha256:... -t polyadic .
ARG BASE=python:3.11-slim-bookworm

FROM ${BASE} AS build
WORKDIR /build
RUN python -m venv /opt/polyadic
# What is installed changes less often than the code, so it comes first: a layer that is there is not made again.
COPY requirements-serve.txt ./
RUN /opt/polyadic/bin/python -m pip install --no-cache-dir --require-hashes -r requirements-serve.txt
COPY pyproject.toml README.md LICENSE ./
COPY src ./src
RUN /opt/polyadic/bin/python -m pip install --no-cache-dir --no-deps --no-build-isolation --no-index .
# The embedding model (90 MB): a container answers its first question without a download.
RUN XDG_CACHE_HOME=/opt/polyadic/cache /opt/polyadic/bin/polyadic models fetch

FROM ${BASE}
# The cache is there to be read; what belongs to people is in /data alone.
ENV PATH=/opt/polyadic/bin:$PATH \
    XDG_CACHE_HOME=/opt/polyadic/cache \
    HOME=/tmp
COPY --from=build /opt/polyadic /opt/polyadic
# By number, so that whoever runs it can see that it is not root.
RUN install -d -m 0750 -o 10001 -g 10001 /data
USER 10001:10001
WORKDIR /data
VOLUME ["/data"]
EXPOSE 8765
# Not by a library that heeds HTTP_PROXY.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import http.client, sys; to = http.client.HTTPConnection('127.0.0.1', 8765, timeout=4); to.request('GET', '/health'); sys.exit(to.getresponse().status != 200)"]
# SIGTERM ends it in order, for which it takes up to 40 seconds: docker stop --timeout 40.
ENTRYPOINT ["polyadic"]
CMD ["serve", "/data", "--host", "0.0.0.0"]
