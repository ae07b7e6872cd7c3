# A small image for CI, without git and without a compiler:
#   docker build -t rubric .
#   docker run --rm -v "$PWD:/work" rubric check evals
FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b AS build
# For example "[mcp]".
ARG EXTRAS=""
COPY pyproject.toml README.md LICENSE /src/
COPY rubric_core /src/rubric_core
COPY rubric_lsp /src/rubric_lsp
RUN python3 -I -m venv /opt/rubric \
    && /opt/rubric/bin/python -I -m pip install --quiet --no-cache-dir --disable-pip-version-check "/src${EXTRAS}" \
    && rm -rf /opt/rubric/lib/python3*/site-packages/pip /opt/rubric/lib/python3*/site-packages/pip-* /opt/rubric/bin/pip*

FROM python:3.13-slim@sha256:7c61056e61ac89e852de05f3dc6fa51a6dd2181797bceed46aa725dd7cb2cd3b
COPY --from=build /opt/rubric /opt/rubric
# Caches and trust go to the home, which every user may write: `docker run --user "$(id -u)"` works as well.
RUN useradd --uid 1000 --no-create-home --home-dir /home/rubric rubric \
    && mkdir -m 1777 /home/rubric
ENV HOME=/home/rubric PATH=/opt/rubric/bin:$PATH PYTHONUNBUFFERED=1
USER 1000
WORKDIR /work
ENTRYPOINT ["rubric"]
CMD ["check"]
