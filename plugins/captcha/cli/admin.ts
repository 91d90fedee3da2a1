import {
  callAdminApi,
  formatRejection,
  hasUserInfo,
  KEY_SOURCES,
  NoAdminReplyError,
  USER_INFO,
} from "../../../runtime/process/contribution-api.js";

export interface AdminOptions {
  admin: string;
  key?: string;
}

/** The message is for the operator. */
export class AdminCallError extends Error {}

/** @throws AdminCallError */
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
  if (status === 401) throw new AdminCallError(`the admin API rejects the key: set it with ${KEY_SOURCES}`);
  if (!isOk) throw new AdminCallError(`${method} ${path}: ${formatRejection({ status, text })}`);
  return JSON.parse(text) as Record<string, unknown>;
}
