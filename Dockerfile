# keyplan with the libraries that it loads on first use. Built from the package that `make dist` makes:
#   make dist && docker build -t keyplan .
ARG BASE=debian:12-slim
FROM ${BASE}
ARG TARGETARCH
# Versions are those of the base's release, which brings security updates.
# hadolint ignore=DL3008
RUN --mount=type=bind,source=dist,target=/dist \
    apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates libcurl4 libexpat1 libpq5 libssl3 \
        "$(find /dist -name "keyplan_*_${TARGETARCH}.deb")" \
    && rm -rf /var/lib/apt/lists/* /var/cache/apt /var/log/apt /var/log/dpkg.log \
    && groupadd --gid 65532 keyplan \
    && useradd --uid 65532 --gid 65532 --create-home --shell /usr/sbin/nologin keyplan \
    && mkdir /work && chown 65532:65532 /work
USER 65532:65532
ENV HOME=/home/keyplan
# Where the manifest is to be mounted; the home directory is outside of it, as keyplan requires in CI.
WORKDIR /work
ENTRYPOINT ["keyplan"]
CMD ["--help"]
