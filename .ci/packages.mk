# The only list of Debian packages: what the build needs, then what the tests need.
PACKAGES := gcc make pkg-config libc6-dev libcjson-dev zlib1g-dev libcmark-dev libpng-dev \
	libcairo2-dev libfreetype-dev fonts-dejavu-core libminizip-dev \
	liblua5.4-dev nettle-dev libisal-dev libsqlite3-dev libzstd-dev
TEST_PACKAGES := libcmocka-dev python3 gzip unzip zstd cmark-gfm python3-jsonschema libxml2-utils
# What the browser tests need, as COMMAND:PACKAGE: installed if the command is missing. The rest
# comes from npm. Tests that cannot have these say so and are skipped.
SITE_PACKAGES := chromium-headless-shell:chromium-headless-shell node:nodejs npm:npm java:default-jre-headless
# What `make deb` needs besides; the last only checks the package.
DEB_PACKAGES := dpkg-dev lintian
FUZZ_PACKAGES := clang libclang-rt-14-dev
# What ARCH=arm64 needs besides on another processor.
CROSS_PACKAGES := gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user-static
