/** <46>: facility 5 (syslog) × 8 + severity 6 (informational), version 1 (RFC 5424 section 6.2). */
const PRIORITY_AND_VERSION = "<46>1 ";
const APP_NAME = "gwc";
/** Empty MSGID and structured data. */
const REST = "- - ";
const NIL = "-";
/** RFC 5424 section 6: HOSTNAME is 1 to 255 characters of printable US-ASCII without blank. */
const HOSTNAME = /^[!-~]{1,255}$/;

/** Byte string without framing. */
export type MessageMaker = (host: string, record: string) => string;

/**
 * `<46>1 <UTC time with milliseconds>Z <host> gwc <pid> - - <record>` (spec: "The syslog message has the
 * shape …"). `host` is the machine's unless the configuration sets another; "-" if it is empty. Characters
 * that a HOSTNAME must not contain become "?".
 */
export function messageMaker(pid: number, now: () => number = Date.now): MessageMaker {
  const tail = ` ${APP_NAME} ${pid} ${REST}`;
  const timestamp = timestamps(now);
  let lastHost = "";
  let between = ` ${NIL}${tail}`;
  return (host, record) => {
    // The host rarely changes: the last check is cached.
    if (host !== lastHost) {
      lastHost = host;
      between = ` ${safeHostname(host)}${tail}`;
    }
    return PRIORITY_AND_VERSION + timestamp() + between + record;
  };
}

/** Cut at the maximum length; an IPv6 address has no brackets (RFC 5424 section 6.2.4). */
export function safeHostname(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/s, "$1");
  if (bare === "") return NIL;
  return HOSTNAME.test(bare) ? bare : bare.slice(0, 255).replace(/[^!-~]/g, "?");
}

/** `toISOString` costs 0.3 µs; within one second only the milliseconds change. */
function timestamps(now: () => number): () => string {
  let lastMs = -1;
  let lastSecond = -1;
  let second = "";
  let text = "";
  return () => {
    const ms = now();
    if (ms === lastMs) return text;
    lastMs = ms;
    const wholeSecond = Math.floor(ms / 1000);
    if (wholeSecond !== lastSecond) {
      lastSecond = wholeSecond;
      second = new Date(wholeSecond * 1000).toISOString().slice(0, 20);
    }
    text = `${second}${String(ms - wholeSecond * 1000).padStart(3, "0")}Z`;
    return text;
  };
}
