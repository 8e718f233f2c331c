# docker build --tag parlance .

# Any image with Node 24.7 or newer and npm.
ARG BASE=node:26-slim

# The package of a release, made from this clone.
FROM ${BASE} AS package
ARG COMMIT
WORKDIR /clone
COPY . .
RUN node scripts/run.mjs stage /package "$COMMIT"

# The same with the packages that it needs, in the versions of its npm-shrinkwrap.json.
FROM ${BASE} AS installed
WORKDIR /app
COPY --from=package /package .
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && find . -type f \( -name '*.map' -o -name '*.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete \
  && chmod +x cli/package/package-program.mjs
# Such as `--build-arg EXTRAS="ocr --languages eng,deu"`: what is not for everybody. The program finds it in its own folder.
ARG EXTRAS=""
RUN if [ -n "$EXTRAS" ]; then DATA_DIR=/app NODE_COMPILE_CACHE=/tmp/cache node cli/package/package-program.mjs add $EXTRAS; fi

FROM ${BASE}
COPY --from=installed /app /app
# `docker exec <container> parlance <command>` runs commands.
RUN ln -s /app/cli/package/package-program.mjs /usr/local/bin/parlance \
  && mkdir /data && chown 1000:1000 /data
# The root file system may be read-only: only /data and /tmp are written.
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data NODE_COMPILE_CACHE=/tmp/node-compile-cache
WORKDIR /data
# By number, so that Kubernetes sees that it is not root.
USER 1000:1000
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# Node is the first process: it gets SIGTERM and finishes the answers in progress.
ENTRYPOINT ["node", "/app/cli/package/package-program.mjs"]
