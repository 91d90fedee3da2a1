import { KINDS, type Kind } from "../api/resources";

/** Resource named by "routes/shop", or by a location in the store. */
export function resourceIn(text: string): { kind: Kind; id: string } | undefined {
  const [, kind = "", id = ""] = /^(?:[A-Z]+ \/gw\/admin\/|admin )?([a-z_]+)\/([^:/\s]+)/.exec(text) ?? [];
  return KINDS.some((one) => one === kind) && id !== "" ? { kind: kind as Kind, id } : undefined;
}
