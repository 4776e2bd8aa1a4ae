#!/bin/sh
# Stands for a vault's own program. It is away while there is a file of the name `vault-away` in the home directory.
[ ! -e "$HOME/vault-away" ] && echo example-vault
