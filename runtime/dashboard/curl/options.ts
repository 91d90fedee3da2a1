export interface CurlOption {
  /** Long name without dashes. */
  name: string;
  /** "" for an option without a value. */
  value: string;
  /** The option as written: "-d". */
  written: string;
}

export interface CurlArguments {
  options: CurlOption[];
  addresses: string[];
  unknown: string[];
  /** Another request follows after `--next`. */
  hasNext: boolean;
}

/** Sorts the words after the program's name as curl does. */
export function curlArguments(words: readonly string[]): CurlArguments {
  const given: CurlArguments = { options: [], addresses: [], unknown: [], hasNext: false };
  const rest = [...words];
  let areOver = false;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (areOver || !word.startsWith("-") || word === "-") given.addresses.push(word);
    else if (word === "--") areOver = true;
    else if (word.startsWith("--")) long(word, rest, given);
    else short(word, rest, given);
    if (given.hasNext) break;
  }
  return given;
}

function take({ name }: KnownOption, value: string, written: string, given: CurlArguments): void {
  if (name === "url") given.addresses.push(value);
  else if (name === "next") given.hasNext = true;
  else given.options.push({ name, value, written });
}

function long(word: string, rest: string[], given: CurlArguments): void {
  // curl rejects "--url=a"; its author means "--url a".
  const [, written = "", glued] = /^--([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const option = ofName(written);
  if (option?.isValued) take(option, glued ?? rest.shift() ?? "", `--${written}`, given);
  else if (option !== undefined) take(option, "", `--${written}`, given);
  else unknown(`--${written}`, glued === undefined ? rest : [], given);
}

/** Parses letters in a row: flags, and possibly a final option with the rest or the next word as its value. */
function short(word: string, rest: string[], given: CurlArguments): void {
  const letters = [...word.slice(1)];
  for (let letter = letters.shift(); letter !== undefined; letter = letters.shift()) {
    const option = ofLetter(letter);
    const glued = letters.join("");
    if (option === undefined) unknown(`-${letter}`, glued === "" ? rest : [], given);
    else if (option.isValued) take(option, glued === "" ? (rest.shift() ?? "") : glued, `-${letter}`, given);
    else take(option, "", `-${letter}`, given);
    // The rest is its value, not more short options.
    if (option?.isValued !== false) return;
  }
}

/** Takes the next word as the value of an unknown option, unless it must be the URL or another option. */
function unknown(written: string, rest: string[], given: CurlArguments): void {
  given.unknown.push(written);
  const [next = "-"] = rest;
  if (!next.startsWith("-") && !/^https?:\/\//i.test(next)) rest.shift();
}

/** Options in `curl --help all` of 7.88, and those added until 8.14. */

const list = (text: string): string[] => text.trim().split(/\s+/);

const FLAGS = new Set(
  list(`
  anyauth append basic buffer ca-native cert-status clobber compressed compressed-ssh create-dirs crlf digest disable
  disable-eprt disable-epsv disallow-username-in-url doh-cert-status doh-insecure dump-ca-embed eprt epsv fail fail-early
  fail-with-body false-start follow form-escape ftp-create-dirs ftp-pasv ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc
  ftp-ssl-control get globoff haproxy-protocol head help http0.9 http1.0 http1.1 http2 http2-prior-knowledge http3
  http3-only ignore-content-length include insecure ipv4 ipv6 junk-session-cookies keepalive list-only location
  location-trusted mail-rcpt-allowfails manual metalink mptcp negotiate netrc netrc-optional next no-alpn no-buffer
  no-clobber no-keepalive no-npn no-progress-meter no-sessionid ntlm ntlm-wb out-null parallel parallel-immediate
  path-as-is post301 post302 post303 progress-bar progress-meter proxy-anyauth proxy-basic proxy-ca-native proxy-digest
  proxy-http2 proxy-insecure proxy-negotiate proxy-ntlm proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxy-tlsv1
  proxytunnel raw remote-header-name remote-name remote-name-all remote-time remove-on-error retry-all-errors
  retry-connrefused sasl-ir sessionid show-error show-headers silent skip-existing socks5-basic socks5-gssapi
  socks5-gssapi-nec ssl ssl-allow-beast ssl-auto-client-cert ssl-no-revoke ssl-reqd ssl-revoke-best-effort
  ssl-sessions sslv2 sslv3 styled-output suppress-connect-headers tcp-fastopen tcp-nodelay tftp-no-options tls-earlydata
  tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace-ids trace-time use-ascii verbose version xattr
`),
);

const VALUED = new Set(
  list(`
  abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to
  continue-at cookie cookie-jar create-file-mode crlfile curves data data-ascii data-binary data-raw data-urlencode
  delegation dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-header ech egd-file engine etag-compare
  etag-save expect100-timeout form form-string ftp-account ftp-alternative-to-user ftp-method ftp-port
  ftp-ssl-ccc-mode happy-eyeballs-timeout-ms haproxy-clientip header hostpubmd5 hostpubsha256 hsts interface ip-tos
  ipfs-gateway json keepalive-cnt keepalive-time key key-type krb libcurl limit-rate local-port login-options mail-auth
  mail-from mail-rcpt max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output output-dir parallel-max
  pass pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-cacert proxy-capath proxy-cert proxy-cert-type
  proxy-ciphers proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name
  proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey quote random-file
  range rate referer request request-target resolve retry retry-delay retry-max-time sasl-authzid service-name sigalgs
  socks4 socks4a socks5 socks5-gssapi-service socks5-hostname speed-limit speed-time stderr telnet-option
  tftp-blksize time-cond tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii trace-config
  unix-socket upload-file upload-flags url url-query user user-agent variable vlan-priority write-out
`),
);

/** Short options with their long names. */
const LETTERS = new Map(
  list(`
  0=http1.0 1=tlsv1 2=sslv2 3=sslv3 4=ipv4 6=ipv6 #=progress-bar :=next a=append A=user-agent b=cookie B=use-ascii
  c=cookie-jar C=continue-at d=data D=dump-header e=referer E=cert f=fail F=form g=globoff G=get h=help H=header
  i=include I=head j=junk-session-cookies J=remote-header-name k=insecure K=config l=list-only L=location m=max-time
  M=manual n=netrc N=no-buffer o=output O=remote-name p=proxytunnel P=ftp-port q=disable Q=quote r=range R=remote-time
  s=silent S=show-error t=telnet-option T=upload-file u=user U=proxy-user v=verbose V=version w=write-out x=proxy
  X=request y=speed-time Y=speed-limit z=time-cond Z=parallel
`).map((pair) => [pair.slice(0, 1), pair.slice(2)] as const),
);

interface KnownOption {
  /** Long name without dashes. */
  name: string;
  isValued: boolean;
}

const known = (name: string): KnownOption | undefined =>
  VALUED.has(name) ? { name, isValued: true } : FLAGS.has(name) ? { name, isValued: false } : undefined;

const ofLetter = (letter: string): KnownOption | undefined => known(LETTERS.get(letter) ?? "");

/** Finds an option by its long name, or by an unambiguous prefix; `--no-` disables a flag. */
function ofName(written: string): KnownOption | undefined {
  const exact = known(written);
  if (exact !== undefined) return exact;
  if (written.startsWith("no-") && FLAGS.has(written.slice(3))) return { name: written, isValued: false };
  const [only, ...others] = [...FLAGS, ...VALUED].filter((name) => name.startsWith(written));
  return only !== undefined && others.length === 0 ? known(only) : undefined;
}
