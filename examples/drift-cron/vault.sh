#!/bin/sh
# Stands for a vault's own program. It is away while there is a file of the name `away`.
[ ! -e away ] && echo example-vault
