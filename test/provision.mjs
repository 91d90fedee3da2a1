// Installs the programs that the tests run as real peers. Needs root and apt; anywhere else it says what is missing.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fetchKafka, isFetched } from "./provision-kafka.mjs";
import { fetchOpenSearch, isOpenSearchFetched } from "./provision-opensearch.mjs";
import { isUnpacked, unpackSyslogNg } from "./provision-syslog-ng.mjs";

const NEEDED = [
  { program: "nginx", package: "nginx" },
  { program: "curl", package: "curl" },
  { program: "wrk", package: "wrk" },
  { program: "pcre2test", package: "pcre2-utils" },
  { program: "apache2", package: "apache2" },
  { program: "haproxy", package: "haproxy" },
  { program: "zstd", package: "zstd" },
  { program: "tini", package: "tini" },
  { program: "openssl", package: "openssl" },
  { program: "java", package: "openjdk-17-jre-headless" },
  { program: "mvn", package: "maven" },
  { program: "kcat", package: "kcat" },
  { program: "chromium", package: "chromium" },
  { program: "firefox-esr", package: "firefox-esr" },
  { program: "redis-server", package: "redis-server" },
  { program: "php", package: "php-cli" },
  { program: "prometheus", package: "prometheus" },
  { program: "promtool", package: "prometheus" },
  { program: "rsyslogd", package: "rsyslog" },
  { library: "rsyslog/lmnsd_ossl.so", package: "rsyslog-openssl" },
  // Of `npm run test:webkit` alone.
  ...(process.env.GWC_WEBKIT === undefined
    ? []
    : [
        { program: "WebKitWebDriver", package: "webkit2gtk-driver" },
        { program: "Xvfb", package: "xvfb" },
      ]),
  { file: "/usr/lib/nginx/modules/ngx_http_lua_module.so", package: "libnginx-mod-http-lua" },
];

const SEARCH = [...(process.env.PATH ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"];
const LIBRARIES = ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu"];
const present = ({ program, library, file }) => {
  if (file) return existsSync(file);
  if (library) return LIBRARIES.some((directory) => existsSync(`${directory}/${library}`));
  return SEARCH.some((directory) => existsSync(`${directory}/${program}`));
};

const hasJavaTools = ["mvn", "javac"].every((program) => present({ program }));
if (hasJavaTools && !isOpenSearchFetched()) fetchOpenSearch();

const missing = [...new Set(NEEDED.filter((need) => !present(need)).map((need) => need.package))];
if (missing.length === 0 && isUnpacked() && isFetched()) process.exit(0);

if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
  if (missing.length > 0) {
    console.error(`The tests need these Debian packages: ${missing.join(" ")}`);
    console.error(`Install them, for example: sudo apt-get install ${missing.join(" ")}`);
    process.exit(2);
  }
  if (!isUnpacked())
    console.error(
      "syslog-ng is not unpacked: as root with apt, node test/provision.mjs does it; its tests are left out",
    );
  process.exit(isFetched() || fetchKafka() ? 0 : 1);
}

// RUNLEVEL=1 keeps the packages' own services from starting: the tests start what they need on free loopback ports.
const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", RUNLEVEL: "1" };
const apt = (...args) =>
  spawnSync("apt-get", ["-qq", ...args], { stdio: ["ignore", "ignore", "inherit"], env });
if (missing.length > 0 || !isUnpacked()) apt("update");
if (missing.length > 0) {
  console.log(`Installing ${missing.join(" ")} for the tests`);
  // apt-get refuses to work on what an interrupted installation has left.
  spawnSync("dpkg", ["--configure", "-a"], { stdio: ["ignore", "ignore", "inherit"], env });
  const installed = apt("install", "-y", "--no-install-recommends", ...missing);
  if (installed.status !== 0 || NEEDED.some((need) => !present(need))) {
    console.error(`apt-get could not install: ${missing.join(" ")}`);
    process.exit(1);
  }
}
if (!isUnpacked() && !unpackSyslogNg()) {
  console.error("syslog-ng could not be unpacked");
  process.exit(1);
}
if (!isFetched() && !fetchKafka()) process.exit(1);
