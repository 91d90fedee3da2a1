import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate authority for one test, and its certificate for "localhost" and 127.0.0.1, as PEM files. */
export class Authority {
  readonly directory = mkdtempSync(join(tmpdir(), "gwc-authority-"));
  readonly ca = join(this.directory, "ca.pem");
  readonly cert = join(this.directory, "server.pem");
  readonly key = join(this.directory, "server.key");

  /** @param names Subject alternative names of the server's certificate */
  constructor(names = "DNS:localhost,IP:127.0.0.1") {
    const newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
    const caKey = join(this.directory, "ca.key");
    const request = join(this.directory, "server.csr");
    const extensions = join(this.directory, "extensions");
    writeFileSync(extensions, `subjectAltName=${names}\n`);
    this.#openssl(
      "req",
      "-x509",
      ...newKey,
      "-keyout",
      caKey,
      "-out",
      this.ca,
      "-subj",
      "/CN=test authority",
    );
    this.#openssl("req", ...newKey, "-keyout", this.key, "-out", request, "-subj", "/CN=syslog server");
    this.#openssl(
      ...["x509", "-req", "-in", request, "-CA", this.ca, "-CAkey", caKey, "-CAcreateserial"],
      ...["-extfile", extensions, "-days", "2", "-out", this.cert],
    );
  }

  get caText(): string {
    return readFileSync(this.ca, "utf8");
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  #openssl(...args: string[]): void {
    execFileSync("openssl", args, { stdio: ["ignore", "ignore", "pipe"] });
  }
}
