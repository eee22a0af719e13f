#!/bin/sh
# Runs a TypeScript program of this workspace from its source: `sh tools/run.sh [node options] <file> [arguments]`.
exec node --enable-source-maps --conditions=@evenkeel/source --require @swc-node/register "$@"
