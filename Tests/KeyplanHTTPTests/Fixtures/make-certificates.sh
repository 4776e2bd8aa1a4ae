#!/usr/bin/env bash
# Makes a certificate authority and what it signs: localhost, service.example, one that has expired; and a second authority.
# usage: make-certificates.sh FOLDER
set -euo pipefail
cd "$1"

key() { openssl ecparam -name prime256v1 -genkey -noout -out "$1.key" 2>/dev/null; }
authority() {
  key "$1"
  openssl req -x509 -new -key "$1.key" -subj "/CN=$1" -days 7 -out "$1.pem" -addext keyUsage=keyCertSign
}
leaf() {
  key "$1"
  openssl req -new -key "$1.key" -subj "/CN=$1" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA authority.pem -CAkey authority.key -CAcreateserial -days "$3" -out "$1.pem" \
    -extfile <(echo "subjectAltName=$2") 2>/dev/null
}

authority authority
authority other
leaf localhost DNS:localhost,IP:127.0.0.1 7
leaf service.example DNS:service.example 7
leaf expired DNS:localhost,IP:127.0.0.1 -1
