import type { Catalogue } from "../diagnostic.js";

/** GW305x: certificates and their server names. */
export const certificates: Catalogue = {
  GW3060: {
    severity: "error",
    summary: "certificates without keys, or keys without certificates",
    message: 'ssl "{id}" has not as many "keys" as "certs"',
    help: 'give each certificate of "certs" its key at the same place of "keys"',
    explain: `\`certs\` and \`keys\` hold further certificates for the same server names, of other kinds of keys. They belong together by their places.`,
  },
  GW3061: {
    severity: "error",
    summary: "a certificate that cannot be read",
    message: 'ssl "{id}": the certificate cannot be read',
    help: "write the whole text of the PEM file, the server's certificate first",
    explain: `The text begins like a certificate in PEM form, and is none: a line is missing or damaged. \`openssl x509 -in FILE -noout -text\` reads a right one.`,
  },
  GW3069: {
    severity: "error",
    summary: "a private key among certificates",
    message: 'ssl "{id}": a private key stands among the certificates',
    help: 'take it out of the text: keys belong into "key" and "keys"',
    explain: `Certificates are public, and answers of the admin API and the web interface show them as they are. Some tools write a key and its certificates into one file:
only the blocks \`BEGIN CERTIFICATE\` belong here. A key that has been shown is no longer one: request a certificate for another.`,
  },
  GW3062: {
    severity: "error",
    summary: "a private key that cannot be read",
    message: 'ssl "{id}": the private key cannot be read',
    help: "write the whole text of the PEM file; decrypt a key with a passphrase first: openssl pkey -in FILE",
    explain: `The gateway starts without anybody at a keyboard, so keys have no passphrase: keep them in an environment variable (\`\${{SHOP_KEY}}\`) or write them
through the admin API, whose store is encrypted.`,
  },
  GW3063: {
    severity: "error",
    summary: "a key that does not fit its certificate",
    message: 'ssl "{id}": the private key does not fit the certificate',
    help: "take the key that the certificate was requested with; the server's certificate comes first in its chain",
    explain: `A server proves with its key that the certificate is its own. Often the key is an older one, or a chain begins with the certificate of the authority.
Keys that an environment variable holds are compared where the gateway runs (GW6008).`,
  },
  GW3064: {
    severity: "error",
    summary: "a certificate that is written when it has expired",
    message: 'ssl "{id}": the certificate has expired on {until}',
    help: "write the renewed certificate",
    explain: `No client accepts a certificate that has expired. A write with one is refused; one that expires while it is in use stays in use (GW3065).`,
  },
  GW3065: {
    severity: "warning",
    summary: "a certificate in use that has expired",
    message: 'ssl "{id}": the certificate has expired on {until}',
    help: "renew it",
    explain: `No client accepts a certificate that has expired. The gateway goes on with it, since its other certificates and routes are in order.`,
  },
  GW3068: {
    severity: "warning",
    summary: "a certificate that expires soon",
    message: 'ssl "{id}": the certificate expires on {until}',
    help: "renew it, and look why that has not happened by itself",
    explain: `Less than 14 days are left. The metric \`gw_ssl_expiry_timestamp_seconds\` tells the same of a running gateway, for an alert.`,
  },
  GW3070: {
    severity: "warning",
    summary: "a certificate that is not valid yet",
    message: 'ssl "{id}": the certificate is not valid before {from}',
    help: "wait until then, or look at the clock of this machine",
    explain: `No client accepts a certificate before its first moment. It is presented all the same. A \`cert_file\` that is renewed to such a one takes
the place of the last good certificate at that moment.`,
  },
  GW3066: {
    severity: "warning",
    summary: "a server name that the certificate is not for",
    message: 'ssl "{id}": the certificate is not for "{name}"',
    help: "name what the certificate names, or request one for this name too",
    explain: `Clients compare the name that they asked for with those in the certificate (its alternative names) and refuse another. A wildcard in a certificate stands for
one label: \`*.example.com\` is for a.example.com, not for example.com and not for a.b.example.com.`,
  },
  GW3067: {
    severity: "error",
    summary: "a server name with two ssl resources",
    message: 'ssl "{id}": server name "{name}" belongs to ssl "{other}" already',
    help: 'put certificates of one name into one resource: "cert" and "key", the others in "certs" and "keys"',
    explain: `A server name has one resource, so that it is plain which certificate is presented. RSA and ECDSA for one name stand in one resource:

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
    message: "the environment variable {name} is not set here, and {place} needs it where it is built or run",
    explain: `\`gwc check\` needs no certificates, so this is no mistake, not even with \`--strict\`. \`gwc build\` puts certificates into the build, and a gateway
that runs the files presents them: both need the variable (GW1020). Keys of certificates are needed only where the gateway runs (GW3017).`,
  },
  GW3074: {
    severity: "note",
    summary: "files of a certificate that cannot be presented here",
    message:
      'ssl "{id}": "{field}" {path} cannot be used here, and is needed where the gateway runs: {reason}',
    explain: `\`cert_file\` and \`key_file\` are read where the gateway runs, from its working directory on, and not by \`gwc build\`. \`gwc check\` looks
whether they can be used here; that they cannot is no mistake, not even with \`--strict\`. A gateway does not start without them (GW6008).`,
  },
  GW3075: {
    severity: "error",
    summary: "a resource of the admin API that names files",
    message: 'ssl "{id}": a resource of the admin API names no files',
    help: 'write the texts into "cert" and "key", or put the resource into a configuration file',
    explain: `Whoever may write through the admin API could have the gateway read any file of its machine. Only configuration files name files.`,
  },
  GW3076: {
    severity: "error",
    summary: "two certificates with keys of one kind",
    message: 'ssl "{id}": another of its certificates has a key of the same kind ({kind})',
    help: "leave one of each kind, or put each into a resource with server names of its own",
    explain: `The certificates of one resource are for the same server names, and the client's abilities decide between RSA, ECDSA and others. OpenSSL
holds one key of each kind (all curves of ECDSA are one), so that of two it could present none.`,
  },
};
