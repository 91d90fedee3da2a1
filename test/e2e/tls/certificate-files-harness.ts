import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, onTestFinished } from "vitest";
import type { Issued } from "../../support/certificates.js";
import { exchange } from "../control/admin.js";
import { handshake, mirror, type SecureHarness, secureGateway } from "./harness.js";

let folder: string;

/** Gives each test a folder of its own for certificates. */
export function useCertificateFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gwc-certificates-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  });
}

/** Path of a file of that folder. */
export const at = (name = "."): string => join(folder, name);

/** Writes both files of a pair. */
export const write = ({ cert, key }: Issued, below = "."): void => {
  writeFileSync(at(join(below, "cert.pem")), cert);
  writeFileSync(at(join(below, "key.pem")), key);
};

/** An `ssls` resource of these files, for a.example and second.example. */
export const ssl = (more: object = {}, below = ".") => ({
  id: "shop",
  snis: ["a.example", "second.example"],
  cert_file: at(join(below, "cert.pem")),
  key_file: at(join(below, "key.pem")),
  ...more,
});

export interface FilesHarness extends SecureHarness {
  /** Alternative names of the certificate that a new client receives. */
  names(): Promise<string>;
  warnings(): Promise<{ code: string; message: string }[]>;
  resources: (ssls: object[]) => object;
}

/** A gateway in this process with such resources. @param settings more keys of `gw.ssl` */
export async function filesGateway(ssls: object[] = [ssl()], settings: object = {}): Promise<FilesHarness> {
  const { port } = await mirror();
  const route = { id: "r", uri: "/*", upstream: { nodes: { [`127.0.0.1:${port}`]: 1 } } };
  const resources = (all: object[]) => ({ routes: [route], ssls: all });
  const gateway = await secureGateway(resources(ssls), settings);
  return {
    ...gateway,
    resources,
    async names() {
      const socket = await handshake(gateway.port, { servername: "a.example" });
      socket.end();
      return String(socket.getPeerCertificate().subjectaltname);
    },
    async warnings() {
      const { json } = await exchange(gateway.gateway.addresses.status[0]?.port ?? 0, "GET", "/status/ready");
      return json["warnings"] as { code: string; message: string }[];
    },
  };
}

export const OLD = "DNS:a.example";
export const NEW = "DNS:a.example, DNS:second.example";
