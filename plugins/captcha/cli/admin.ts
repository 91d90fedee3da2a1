import { callAdminApi, NoAdminReplyError } from "../../../runtime/abi/admin-call.js";
import { refusalWords } from "../../../runtime/abi/admin-refusal.js";
import { KEY_SOURCES } from "../../../runtime/abi/key-sources.js";
import { hasUserInfo, USER_INFO } from "../../../runtime/abi/user-info.js";

/** Where the admin API is, and the key for it. */
export interface AdminOptions {
  admin: string;
  key?: string;
}

/** The admin API did not do what was asked; the message is for the operator. */
export class AdminCallError extends Error {}

/** One call of a running gateway's admin API. @throws AdminCallError */
export async function callAdmin(
  { admin, key }: AdminOptions,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  if (hasUserInfo(admin)) throw new AdminCallError(USER_INFO);
  const written = body && { body: JSON.stringify(body) };
  const call = { admin, key, method, path, ...written };
  const { status, isOk, text } = await callAdminApi(call).catch((error: unknown) => {
    throw error instanceof NoAdminReplyError ? new AdminCallError(error.message) : error;
  });
  if (status === 401) throw new AdminCallError(`the admin API refuses the key: give it by ${KEY_SOURCES}`);
  if (!isOk) throw new AdminCallError(`${method} ${path}: ${refusalWords({ status, text })}`);
  return JSON.parse(text) as Record<string, unknown>;
}
