import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePort } from "../../support/ports.js";

/** Upstream whose body names the part of its tree that responds: "private", "pub" or "other". */
export interface Peer {
  port: number;
  stop(): Promise<void>;
}

const AREAS = ["private", "pub"] as const;

async function started(
  command: string,
  args: readonly string[],
  port: number,
  directory: string,
): Promise<Peer> {
  // httpd ends its whole process group at its stop, so it gets one of its own.
  const child: ChildProcess = spawn(command, args, {
    stdio: ["ignore", "ignore", "inherit"],
    detached: true,
  });
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    rmSync(directory, { recursive: true, force: true });
  };
  for (let tries = 0; tries < 400 && child.exitCode === null; tries++) {
    const accepted = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).once("error", () => resolve(false));
      socket.once("connect", () => socket.destroy());
    });
    if (accepted) return { port, stop };
    await wait(25);
  }
  await stop();
  throw new Error(`${command} accepts nothing on port ${port}`);
}

/** nginx decodes, resolves dot segments and merges slashes before it chooses a location. */
export async function nginx(): Promise<Peer> {
  const directory = mkdtempSync(join(tmpdir(), "gwc-paths-nginx-"));
  const port = await freePort();
  const temp = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
    (name) => `${name}_temp_path "${directory}";`,
  );
  const areas = AREAS.map((area) => `location /${area}/ { return 200 ${area}; }`);
  writeFileSync(
    join(directory, "nginx.conf"),
    `user root; worker_processes 1; daemon off; master_process off; pid "${directory}/pid";
events { worker_connections 256; }
http { access_log off; ${temp.join(" ")}
  server { listen 127.0.0.1:${port}; location / { return 200 other; } ${areas.join(" ")} } }`,
  );
  const args = ["-p", directory, "-c", join(directory, "nginx.conf"), "-e", "stderr"];
  return started("/usr/sbin/nginx", args, port, directory);
}

/**
 * Apache httpd, with CGI programs that get the rest of the path in PATH_INFO, or with files below the
 * document root.
 */
export async function apache(kind: "cgi" | "files"): Promise<Peer> {
  const directory = mkdtempSync(join(tmpdir(), "gwc-paths-apache-"));
  const port = await freePort();
  const modules = ["mpm_prefork", "authz_core", "alias", "dir", "cgi"].map(
    (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
  );
  mkdirSync(join(directory, "root"));
  writeFileSync(join(directory, "root/index.html"), "other");
  for (const area of AREAS) {
    mkdirSync(join(directory, "root", area));
    writeFileSync(join(directory, "root", area, "index.html"), area);
    writeFileSync(
      join(directory, `${area}.cgi`),
      `#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\n${area}'\n`,
    );
    chmodSync(join(directory, `${area}.cgi`), 0o755);
  }
  // A CGI program responds to every path below it; so does the index of a directory.
  const answers =
    kind === "cgi"
      ? AREAS.map((area) => `ScriptAlias /${area}/ ${directory}/${area}.cgi/`)
      : AREAS.map(
          (area) =>
            `<Directory ${directory}/root/${area}>\nFallbackResource /${area}/index.html\n</Directory>`,
        );
  writeFileSync(
    join(directory, "httpd.conf"),
    `ServerRoot ${directory}
ServerName localhost
Listen 127.0.0.1:${port}
PidFile ${directory}/pid
ErrorLog /dev/null
${modules.join("\n")}
User www-data
Group www-data
StartServers 4
KeepAlive Off
DocumentRoot ${directory}/root
AllowEncodedSlashes On
<Directory />
Require all granted
</Directory>
${answers.join("\n")}
`,
  );
  chmodSync(directory, 0o755);
  return started(
    "/usr/sbin/apache2",
    ["-D", "FOREGROUND", "-f", join(directory, "httpd.conf")],
    port,
    directory,
  );
}

/** Ways to read the target of a request, each as in some framework or container. */
export const READERS = {
  /** Node with the platform's URL, which also treats "\\" as "/". */
  url: (target: string) =>
    URL.canParse(target, "http://upstream") ? new URL(target, "http://upstream").pathname : "/",
  /** File server: decodes once, then normalizes. */
  decoding: (target: string) => posix.normalize(decoded(pathOf(target))),
  /** Servlet container: cuts parameters, decodes, treats "\\" as "/", then normalizes. */
  servlet: (target: string) =>
    posix.normalize(decoded(pathOf(target).replace(/;[^/]*/g, "")).replaceAll("\\", "/")),
  /** CGI-like: decodes, cuts parameters, then normalizes. */
  cgi: (target: string) =>
    posix.normalize(
      decoded(pathOf(target))
        .replaceAll("\\", "/")
        .replace(/;[^/]*/g, ""),
    ),
  /** Proxy in front of a program, both of which decode. */
  twice: (target: string) => posix.normalize(decoded(decoded(pathOf(target))).replaceAll("\\", "/")),
} as const;

const pathOf = (target: string) => target.split("?", 1)[0] ?? "";
const decoded = (path: string) =>
  path.replace(/%([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

/** node:http with one of these readers. */
export async function node(reader: keyof typeof READERS): Promise<Peer> {
  const server = createServer((request, response) => {
    const path = READERS[reader](request.url ?? "/");
    response.end(AREAS.find((area) => path.startsWith(`/${area}/`)) ?? "other");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port, stop };
}
