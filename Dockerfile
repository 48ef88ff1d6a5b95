# The local server as a container image. make container and GoReleaser make the directory that this
# file copies from: the program of each platform, and what .ci/image writes.
#
#   docker run --read-only -p 127.0.0.1:8787:8787 -v basecamp-mcp:/data basecamp-mcp
FROM scratch
ARG TARGETPLATFORM
COPY .tools/image/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --chown=65532:65532 .tools/image/data /data
COPY $TARGETPLATFORM/basecamp-mcp /basecamp-mcp
USER 65532:65532
# The program keeps its data below the user's configuration directory.
ENV XDG_CONFIG_HOME=/data
VOLUME /data
EXPOSE 8787
ENTRYPOINT ["/basecamp-mcp"]
# In a container, 127.0.0.1 cannot be reached from outside. Publish the port on 127.0.0.1 instead.
CMD ["-addr", "0.0.0.0:8787"]
