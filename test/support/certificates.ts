import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Issued {
  cert: string;
  key: string;
}

export interface CertificateWish {
  /** Alternative names; the first is also the common name. */
  names: string[];
  kind?: "ecdsa" | "rsa" | "short rsa";
  /** Digest of the signature. Default: sha256. */
  digest?: "sha1" | "sha256";
  /** Valid in 2024 only. */
  expired?: boolean;
  /** Validity, as "20240101000000Z". Default: 30 days from now. Such a certificate is self-signed. */
  dates?: readonly [from: string, until: string] | undefined;
  /** Issuer. Default: self-signed. */
  by?: Issued;
  /** May sign other certificates. */
  authority?: boolean;
}

/** Keys of this kind are the fastest to make; RSA takes 100 ms. */
const KINDS = {
  ecdsa: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"],
  rsa: ["-newkey", "rsa:2048"],
  "short rsa": ["-newkey", "rsa:1024"],
};

/** Only `openssl ca` issues a certificate whose validity starts at another time than now. */
const AUTHORITY = `[ca]
default_ca = own
[own]
database = issued
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
[any]
commonName = supplied
`;

/** Issues a certificate with openssl for one test. */
export function issue({
  names,
  kind = "ecdsa",
  digest = "sha256",
  expired = false,
  dates = expired ? ["20240101000000Z", "20250101000000Z"] : undefined,
  by,
  authority = false,
}: CertificateWish): Issued {
  const directory = mkdtempSync(join(tmpdir(), "gwc-certificate-"));
  const at = (name: string) => join(directory, name);
  const openssl = (...args: string[]) => execFileSync("openssl", args, { cwd: directory, stdio: "pipe" });
  const alternative = names.map((name) => (/^[0-9.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`)).join(",");
  const usage = authority ? "basicConstraints=critical,CA:TRUE" : "basicConstraints=CA:FALSE";
  writeFileSync(at("extensions"), `subjectAltName=${alternative}\n${usage}\n`);
  try {
    const subject = `/CN=${names[0]}`;
    openssl("req", "-new", ...KINDS[kind], "-nodes", "-keyout", "key", "-out", "request", "-subj", subject);
    if (by !== undefined) {
      writeFileSync(at("ca"), by.cert);
      writeFileSync(at("ca-key"), by.key);
    }
    const common = ["-in", "request", "-out", "cert", "-extfile", "extensions"];
    if (dates !== undefined) {
      writeFileSync(at("authority"), AUTHORITY);
      writeFileSync(at("issued"), "");
      writeFileSync(at("serial"), "01\n");
      const time = ["-startdate", dates[0], "-enddate", dates[1]];
      const how = ["-batch", "-config", "authority", "-selfsign", "-keyfile", "key", "-notext"];
      openssl("ca", ...how, ...common, ...time);
    } else {
      const own = ["-signkey", "key"];
      const other = ["-CA", "ca", "-CAkey", "ca-key", "-CAcreateserial"];
      openssl("x509", "-req", `-${digest}`, "-days", "30", ...common, ...(by === undefined ? own : other));
    }
    return { cert: readFileSync(at("cert"), "utf8"), key: readFileSync(at("key"), "utf8") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
