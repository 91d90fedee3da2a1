// Unpacks syslog-ng beside rsyslog: Debian's packages of the two exclude each other, their files do not.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const DIRECTORY = fileURLToPath(new URL("../node_modules/.cache/gwc/syslog-ng", import.meta.url));
/** The program, and the libraries of it that rsyslog's own packages do not bring. */
const PACKAGES = ["syslog-ng-core", "libivykis0", "libnet1", "libwrap0"];

export const isUnpacked = () => existsSync(`${DIRECTORY}/usr/sbin/syslog-ng`);

/** Downloads and unpacks it into node_modules/.cache. True when it is there afterwards. */
export function unpackSyslogNg() {
  // Renamed when it is whole: the program comes before its library, so that an interrupted run would leave what looks complete.
  const part = `${DIRECTORY}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  console.log(`Unpacking ${PACKAGES.join(" ")} into ${DIRECTORY} for the tests`);
  const run = (program, ...args) =>
    spawnSync(program, args, { cwd: part, stdio: ["ignore", "ignore", "inherit"] }).status === 0;
  // Downloads as root: apt's own user may not write below node_modules.
  if (!run("apt-get", "-qq", "-o", "APT::Sandbox::User=root", "download", ...PACKAGES)) return false;
  const archives = readdirSync(part).filter((name) => name.endsWith(".deb"));
  if (!archives.every((archive) => run("dpkg", "-x", archive, part))) return false;
  rmSync(DIRECTORY, { recursive: true, force: true });
  renameSync(part, DIRECTORY);
  return isUnpacked();
}
