# The server for one team, on a machine of theirs; docs/team.md says how to run it. It is built from this directory:
#
#   docker build --tag basecamp-mcp .
ARG GO=golang:1.26
FROM --platform=${BUILDPLATFORM:-linux/amd64} $GO AS build
WORKDIR /src
COPY . .
ARG VERSION=dev TARGETARCH
RUN CGO_ENABLED=0 GOARCH=$TARGETARCH go build -trimpath -buildvcs=false -ldflags "-s -w -X basecamp-mcp/internal/config/version.tag=$VERSION" \
    -o /out/basecamp-mcp ./functions/local && mkdir /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build --chown=65532:65532 /out/data /data
COPY --from=build /out/basecamp-mcp /basecamp-mcp
USER 65532:65532
# The program keeps its file below the user's configuration directory. All else may be read-only.
ENV XDG_CONFIG_HOME=/data
VOLUME /data
EXPOSE 8787
HEALTHCHECK --start-period=10s CMD ["/basecamp-mcp", "health"]
ENTRYPOINT ["/basecamp-mcp"]
# In a container, 127.0.0.1 cannot be reached from outside.
CMD ["-addr", "0.0.0.0:8787", "-upstream", "live"]
