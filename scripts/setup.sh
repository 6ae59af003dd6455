# Sourced by the other scripts. ridge_install SET... installs the Debian packages of
# scripts/packages.txt that are missing, and nothing when none is.

ridge_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

ridge_missing() {
    local set package rest
    while read -r set package rest; do
        [[ " $* " == *" $set "* ]] || continue
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            echo "$package"
    done <"$ridge_root/scripts/packages.txt"
}

ridge_install() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        echo "This script knows Debian packages only. Install what scripts/packages.txt lists, then:" >&2
        echo "  cmake --preset release && cmake --build --preset release" >&2
        return 1
    fi
    local missing
    mapfile -t missing < <(ridge_missing "$@")
    ((${#missing[@]} == 0)) && return 0

    if ((EUID != 0)); then
        echo "Packages are missing. Ask an administrator to run this, then start the script again:" >&2
        echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}" >&2
        return 1
    fi
    echo "Installing ${#missing[@]} Debian packages: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q >/dev/null &&
        apt-get install -y -q --no-install-recommends "${missing[@]}" >/dev/null ||
        { echo "apt-get could not install them; its messages are above." >&2; return 1; }
}

# ridge_build PRESET [-DVARIABLE=VALUE...]: configures and builds with all cores.
ridge_build() {
    (cd "$ridge_root" && cmake --preset "$@" >/dev/null && cmake --build --preset "$1")
}
