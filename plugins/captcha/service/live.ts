import type { CaptchaConfiguration, LiveConfiguration } from "./contract.js";

/** @param url used if the settings have none */
export function liveConfiguration(
  { settings, customers, siteKeys, apiKeys, secrets, adminKeys = [] }: CaptchaConfiguration,
  url: string,
): LiveConfiguration {
  const byId = <Item extends { id: string }>(items: readonly Item[]) =>
    new Map(items.map((item) => [item.id, item]));
  const key = (name: keyof typeof secrets) => Buffer.from(secrets[name], "base64");
  return {
    settings: settings.url === "" ? { ...settings, url } : settings,
    customers: byId(customers),
    siteKeys: byId(siteKeys),
    apiKeys: byId(apiKeys),
    secrets: {
      "api-key": key("api-key"),
      "ip-binding": key("ip-binding"),
      address: key("address"),
      "key-ring": key("key-ring"),
      program: key("program"),
    },
    adminKeys: new Set(adminKeys),
  };
}
