import i18next from "i18next";

/** "connection refused (ECONNREFUSED)", "status 503". Without a translation it is the gateway's text. */
export function errorWords(error: string): string {
  const [, status] = /^status_(\d+)$/.exec(error) ?? [];
  if (status !== undefined) return i18next.t("error.status", { status });
  const code = /^e[a-z]+$/.test(error) ? error.toUpperCase() : error;
  const key = `error.${code}`;
  return i18next.exists(key) ? i18next.t(key as "error.ECONNREFUSED") : code;
}
