import { type HttpDestination, settingsOf } from "./destination.js";
import { clickhouse } from "./formats/clickhouse.js";
import { elasticsearch } from "./formats/elasticsearch.js";
import type { BodyFormat } from "./formats/format.js";
import { json, ndjson } from "./formats/json.js";
import { loki } from "./formats/loki.js";
import { otlp } from "./formats/otlp.js";

export function bodyFormat(destination: HttpDestination): BodyFormat {
  switch (destination.format) {
    case "json":
      return json(destination.records === 1);
    case "ndjson":
      return ndjson;
    case "loki":
      return loki;
    case "elasticsearch":
      return elasticsearch(settingsOf(destination, "elasticsearch").index);
    case "clickhouse":
      return clickhouse(settingsOf(destination, "clickhouse"));
    case "otlp":
      return otlp(settingsOf(destination, "otlp").resource);
  }
}
