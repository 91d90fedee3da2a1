import { messageOf } from "./error-message.js";

export interface AdminCall {
  /** URL of the admin API. */
  admin: string;
  /** Below /gw/admin. */
  path: string;
  key: string | undefined;
  method?: string;
  /** JSON. */
  body?: string;
  /** How long it may take; without one as long as it takes. */
  ms?: number;
  /** Bytes that an answer may have. */
  mostBytes?: number;
}

/** Nobody gave an answer of an admin API. The message is for the operator, and holds nothing of the key. */
export class NoAdminReplyError extends Error {
  /** Asking again will not help. */
  readonly isFinal: boolean;

  constructor(message: string, isFinal: boolean) {
    super(message);
    this.isFinal = isFinal;
  }
}

/** Below what one string of V8 can hold; lists of 20,000 routes have 60 MB. */
const MAX_BYTES = 268_435_456;

/**
 * One call of a gateway's admin API, by a command. The key goes to the address that was given and nowhere else: `fetch` would take it
 * along wherever a redirect leads.
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
        `${admin} answers ${status} and leads elsewhere, where the key is not sent: give the address of the admin API itself`,
        true,
      );
    }
    return { status, isOk: ok, text: await textOf(response, admin, mostBytes) };
  } catch (error) {
    if (error instanceof NoAdminReplyError) throw error;
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw new NoAdminReplyError(`no gateway answers at ${admin}: ${messageOf(cause)}`, false);
  }
}

function headersOf({ key, body }: AdminCall): Headers {
  const headers = new Headers();
  if (body !== undefined) headers.set("Content-Type", "application/json");
  if (key === undefined) return headers;
  try {
    headers.set("X-API-KEY", key);
  } catch {
    // What is thrown repeats the key.
    throw new NoAdminReplyError(
      "the key holds characters that no header can carry, such as a line break",
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
        `the answer of ${admin} is longer than ${Math.round(most / 1e6)} MB, as that of no gateway is`,
        true,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
