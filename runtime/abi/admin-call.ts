import { messageOf } from "./error-message.js";
import { isObject } from "./json-object.js";
import { printable } from "./text/unseen.js";

export interface AdminCall {
  admin: string;
  /** Path below /gw/admin. */
  path: string;
  key: string | undefined;
  method?: string;
  body?: string;
  /** Timeout; absent: none. */
  ms?: number;
  mostBytes?: number;
}

/** No response came from an admin API. The message is for the operator, and contains nothing of the key. */
export class NoAdminReplyError extends Error {
  /** Set if a retry will not help. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** Below the maximum length of a string in V8; lists of 20,000 routes have 60 MB. */
const MAX_BYTES = 268_435_456;

/**
 * Sends the key only to the given address: `fetch` would send it along with every redirect.
 * @throws NoAdminReplyError
 */
export async function callAdminApi(
  call: AdminCall,
): Promise<{ status: number; isOk: boolean; text: string }> {
  const { admin, path, method = "GET", body, ms, mostBytes = MAX_BYTES } = call;
  const headers = headersOf(call);
  try {
    const response = await fetch(`${admin.replace(/\/+$/, "")}/gw/admin/${path}`, {
      ...{ method, headers, redirect: "manual" },
      ...(body !== undefined && { body }),
      ...(ms !== undefined && { signal: AbortSignal.timeout(ms) }),
    });
    const { status, ok } = response;
    if (status >= 300 && status < 400) {
      await response.body?.cancel();
      throw new NoAdminReplyError(
        `${admin} redirects (${status}), and the key is not sent to other addresses: give the address of the admin API itself`,
        true,
      );
    }
    return { status, isOk: ok, text: await textOf(response, admin, mostBytes) };
  } catch (error) {
    if (error instanceof NoAdminReplyError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new NoAdminReplyError(`no gateway responds at ${admin}: ${messageOf(cause)}`, false);
  }
}

function headersOf({ key, body }: AdminCall): Headers {
  const headers = new Headers();
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (key === undefined) return headers;
  try {
    headers.set("X-API-KEY", key);
  } catch {
    // The caught error would repeat the key.
    throw new NoAdminReplyError(
      "the key contains characters that a header cannot contain, such as a line break",
      true,
    );
  }
  return headers;
}

async function textOf(response: Response, admin: string, most: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > most)
      throw new NoAdminReplyError(
        `the answer of ${admin} is longer than ${Math.round(most / 1e6)} MB, the maximum for a gateway`,
        true,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

const MAX_SAID = 2_000;

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns "401: failed to check token: wrong apikey" for any server's response: an HTML page becomes its
 * title, and any other body its own text.
 */
export function formatRejection({ status, text }: { status: number; text: string }): string {
  const { error_msg, description, message } = jsonMembers(text);
  const said = [error_msg, description, message].filter(
    (part): part is string => typeof part === "string" && part !== "",
  );
  const [, title] = /<title>(?:\d{3} )?([^<]+)<\/title>/.exec(text) ?? [];
  return `${status}: ${printable(said.length > 0 ? said.join(": ") : (title ?? text.trim()), MAX_SAID)}`;
}

/** @returns the members of a JSON object; none for other texts */
export function jsonMembers(text: string): Members {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Returns the members of an object; none for other values. */
export const membersOf = (value: unknown): Members => (isObject(value) ? value : {});

export const KEY_SOURCES = "GWC_ADMIN_KEY in the environment, or --key-file";

export const KEY_WANTED = `give a key: ${KEY_SOURCES}`;

/** Message instead of an address, which may contain a password. */
export const USER_INFO = `the address of the admin API contains a user or a password, which is not supported: use ${KEY_SOURCES}`;

/** Finds user information (RFC 3986 3.2.1), even if the rest of the URL is invalid. */
export const hasUserInfo = (url: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i.test(url);
