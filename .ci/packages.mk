# The one list of Debian packages: what the program is built from, then what tests it.
PACKAGES := gcc make pkg-config libc6-dev libcjson-dev zlib1g-dev libcmark-dev libpng-dev \
	libcairo2-dev libfreetype-dev fonts-dejavu-core libxlsxwriter-dev libminizip-dev \
	liblua5.4-dev nettle-dev libisal-dev
TEST_PACKAGES := libcmocka-dev python3 gzip unzip
# What tests the pages in a browser, COMMAND:PACKAGE, for machines without that command; the
# rest comes from npm. Tests that cannot have these say so, and are skipped.
SITE_PACKAGES := chromium:chromium node:nodejs npm:npm java:default-jre-headless
FUZZ_PACKAGES := clang libclang-rt-14-dev
