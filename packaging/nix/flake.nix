{
  description = "keyplan: declarative provisioning of API keys and OAuth accounts";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  # release.json is written by `make dist`: the version, and the address and digest of each archive.
  outputs = { self, nixpkgs }:
    let
      release = builtins.fromJSON (builtins.readFile ./release.json);
      package = system: archive:
        let pkgs = nixpkgs.legacyPackages.${system};
        in pkgs.stdenv.mkDerivation {
          pname = "keyplan";
          inherit (release) version;
          src = pkgs.fetchurl { inherit (archive) url sha256; };
          nativeBuildInputs = [ pkgs.autoPatchelfHook ];
          dontConfigure = true;
          dontBuild = true;
          # The program is stripped already.
          dontStrip = true;
          installPhase = ''
            runHook preInstall
            mkdir -p $out
            cp -R bin share $out/
            runHook postInstall
          '';
          # Libraries that are loaded on first use: patched into the program, so that its children inherit nothing.
          runtimeDependencies = map pkgs.lib.getLib [ pkgs.curl pkgs.expat pkgs.libpq pkgs.openssl pkgs.systemdLibs ];
          meta = {
            description = "Declarative provisioning of API keys and OAuth accounts";
            homepage = "https://github.com/keyplan/keyplan";
            license = pkgs.lib.licenses.asl20;
            mainProgram = "keyplan";
            platforms = builtins.attrNames release.archives;
          };
        };
    in {
      packages = builtins.mapAttrs (system: archive: { default = package system archive; }) release.archives;
    };
}
