#!/usr/bin/env bash
# Makes a certificate authority, a certificate that it signed for a server, and one for the client "ada".
# usage: make-certificates.sh FOLDER [HOST]   without a host, the server is cluster.internal
set -euo pipefail
cd "$1"

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key" 2>/dev/null; }
leaf() {
  key "$1"
  openssl req -new -key "$1.key" -subj "/CN=$2" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key -CAcreateserial -days 7 -out "$1.pem" \
    -extfile <(echo "subjectAltName=DNS:$2") 2>/dev/null
}

key authority
openssl req -x509 -new -key authority.key -subj "/CN=authority" -days 7 -out authority.pem -addext keyUsage=keyCertSign
leaf server "${2:-cluster.internal}"
leaf client ada
