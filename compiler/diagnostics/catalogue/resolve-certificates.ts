import type { Catalogue } from "../../model/diagnostic.js";

/** GW306x and GW307x: certificates and their server names. */
export const certificates: Catalogue = {
  GW3060: {
    severity: "error",
    summary: "certificates without keys, or keys without certificates",
    message: 'ssl "{id}" has different numbers of "keys" and "certs"',
    help: 'give each certificate of "certs" its key at the same index of "keys"',
    explain: `\`certs\` and \`keys\` contain further certificates for the same server names, with keys of other kinds. They are paired by their index.`,
  },
  GW3061: {
    severity: "error",
    summary: "a certificate that cannot be read",
    message: 'ssl "{id}": the certificate cannot be read',
    help: "write the whole text of the PEM file, with the server's certificate first",
    explain: `The text begins like a certificate in PEM format but is not one: a line is missing or damaged. To check it, run \`openssl x509 -in FILE -noout -text\`.`,
  },
  GW3069: {
    severity: "error",
    summary: "a private key among certificates",
    message: 'ssl "{id}": the certificates contain a private key',
    help: 'remove it from the text: keys belong in "key" and "keys"',
    explain: `Certificates are public, and the admin API and the web interface show them unmasked. Some tools write a key and its certificates into one file:
only the blocks \`BEGIN CERTIFICATE\` belong here. If a key was exposed, request a certificate for a new one.`,
  },
  GW3062: {
    severity: "error",
    summary: "a private key that cannot be read",
    message: 'ssl "{id}": the private key cannot be read',
    help: "write the whole text of the PEM file; decrypt a key with a passphrase first: openssl pkey -in FILE",
    explain: `The gateway starts unattended, so keys must not have a passphrase. Keep them in an environment variable (\`\${{SHOP_KEY}}\`), or write them
through the admin API, whose store is encrypted.`,
  },
  GW3063: {
    severity: "error",
    summary: "a key that does not fit its certificate",
    message: 'ssl "{id}": the private key does not fit the certificate',
    help: "use the key that the certificate was requested with; the server's certificate must be first in its chain",
    explain: `A server proves with the key that it owns the certificate. Common causes are an older key, or a chain that begins with the certificate of the CA.
A key in an environment variable is compared when the gateway runs (GW6008).`,
  },
  GW3064: {
    severity: "error",
    summary: "a write of an expired certificate",
    message: 'ssl "{id}": the certificate expired on {until}',
    help: "write the renewed certificate",
    explain: `No client accepts a certificate that has expired. The gateway rejects a write with one, and keeps a certificate that expires while it is in use (GW3065).`,
  },
  GW3065: {
    severity: "warning",
    summary: "a certificate in use that has expired",
    message: 'ssl "{id}": the certificate expired on {until}',
    help: "renew the certificate",
    explain: `No client accepts a certificate that has expired. The gateway continues to run with it, because its other certificates and routes work.`,
  },
  GW3068: {
    severity: "warning",
    summary: "a certificate that expires soon",
    message: 'ssl "{id}": the certificate expires on {until}',
    help: "renew the certificate, and check why it was not renewed automatically",
    explain: `The certificate expires in less than 14 days. For an alert, use the metric \`gw_ssl_expiry_timestamp_seconds\` of a running gateway.`,
  },
  GW3070: {
    severity: "warning",
    summary: "a certificate that is not valid yet",
    message: 'ssl "{id}": the certificate is not valid before {from}',
    help: "wait until then, or check the clock of this machine",
    explain: `No client accepts a certificate before this date, but the gateway presents it nevertheless. If a renewed \`cert_file\` contains such a
certificate, the gateway uses the last good one until then.`,
  },
  GW3066: {
    severity: "warning",
    summary: "a server name that the certificate does not cover",
    message: 'ssl "{id}": the certificate does not cover "{name}"',
    help: "list only names of the certificate, or request one that covers this name too",
    explain: `Clients accept a certificate only if its alternative names contain the requested name. A wildcard in a certificate matches one label:
\`*.example.com\` covers a.example.com, but not example.com or a.b.example.com.`,
  },
  GW3067: {
    severity: "error",
    summary: "a server name with two ssl resources",
    message: 'ssl "{id}": server name "{name}" belongs to ssl "{other}" already',
    help: 'put the certificates of one name into one resource: one in "cert" and "key", the others in "certs" and "keys"',
    explain: `A server name belongs to one resource, so that the presented certificate is unambiguous. Put RSA and ECDSA certificates of one name into one resource:

\`\`\`yaml
ssls:
  - id: shop
    snis: [shop.example.com]
    cert: "…"        # ECDSA
    key: "\${{SHOP_ECDSA_KEY}}"
    certs: ["…"]     # RSA
    keys: ["\${{SHOP_RSA_KEY}}"]
\`\`\``,
  },
  GW3072: {
    severity: "note",
    summary: "a certificate whose environment variable is not set here",
    message: "the environment variable {name} is not set here, and {place} needs it for a build or a run",
    explain: `\`gwc check\` needs no certificates, so this is not a mistake, even with \`--strict\`. \`gwc build\` writes certificates into the build, and a gateway
that runs the files presents them: both need the variable (GW1020). Keys of certificates are needed only when the gateway runs (GW3017).`,
  },
  GW3074: {
    severity: "note",
    summary: "files of a certificate that cannot be used here",
    message:
      'ssl "{id}": "{field}" {path} cannot be used here, and is needed when the gateway runs: {reason}',
    explain: `The gateway reads \`cert_file\` and \`key_file\` when it runs, relative to its working directory; \`gwc build\` does not. \`gwc check\` tests if
they can be used here. If not, this is not a mistake, even with \`--strict\`, but a gateway does not start without them (GW6008).`,
  },
  GW3075: {
    severity: "error",
    summary: "a resource of the admin API that refers to files",
    message: 'ssl "{id}": a resource of the admin API cannot refer to files',
    help: 'write the PEM texts into "cert" and "key", or move the resource to a configuration file',
    explain: `Otherwise every user of the admin API could make the gateway read any file of its machine. Only configuration files may refer to files.`,
  },
  GW3076: {
    severity: "error",
    summary: "two certificates with keys of the same kind",
    message: 'ssl "{id}": another of its certificates has a key of the same kind ({kind})',
    help: "keep one of each kind, or move one to a resource with other server names",
    explain: `The certificates of one resource serve the same server names, and OpenSSL picks one by the kinds of keys that the client supports. It
stores one key of each kind (all ECDSA curves are one kind), so a second one of the same kind cannot be presented.`,
  },
};
