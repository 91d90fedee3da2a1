import { messageOf } from "./error-message.js";

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
