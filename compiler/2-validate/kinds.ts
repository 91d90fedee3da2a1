import { findKind, type OwnKind } from "../model/kinds.js";
import type { Kind } from "../model/resource.js";

interface KindSchema {
  file: string;
  word: string;
}

const OWN: Readonly<Record<OwnKind, KindSchema>> = {
  routes: { file: "route.json", word: "route" },
  services: { file: "service.json", word: "service" },
  upstreams: { file: "upstream.json", word: "upstream" },
  plugin_configs: { file: "plugin-config.json", word: "plugin_config" },
  plugin_metadata: { file: "plugin-metadata.json", word: "plugin_metadata" },
  global_rules: { file: "global-rule.json", word: "global_rule" },
  consumers: { file: "consumer.json", word: "consumer" },
  ssls: { file: "ssl.json", word: "ssl" },
};

export function schemaOfKind(kind: Kind): KindSchema {
  const contributed = findKind(kind);
  return contributed ? { file: contributed.schema, word: contributed.singular } : OWN[kind as OwnKind];
}
