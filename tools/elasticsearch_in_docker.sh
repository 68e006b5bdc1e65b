#!/usr/bin/env bash
# Test the exports for Elasticsearch on a real server, where there is Docker: no package repository has its server.
# The image's version can be given: tools/elasticsearch_in_docker.sh 9.2.0
set -euo pipefail
cd "$(dirname "$0")/.."
version=${1:-9.2.0}  # weighted rrf came with 9.2
container=$(docker run --detach --rm --publish 127.0.0.1::9200 --memory 2g \
  --env discovery.type=single-node --env xpack.security.enabled=false --env xpack.license.self_generated.type=trial \
  --env ES_JAVA_OPTS=-Xmx700m "docker.elastic.co/elasticsearch/elasticsearch:$version")
trap 'docker stop "$container" > /dev/null' EXIT
RANKMAX_ELASTICSEARCH="http://$(docker port "$container" 9200/tcp | head -1)"
export RANKMAX_ELASTICSEARCH
curl --silent --fail --output /dev/null --retry 60 --retry-delay 2 --retry-all-errors \
  "$RANKMAX_ELASTICSEARCH/_cluster/health?wait_for_status=yellow"
.venv/bin/python -m pytest tests/engines/real/test_elasticsearch.py -p no:cacheprovider -rs
.venv/bin/python tools/engine_table.py elasticsearch
