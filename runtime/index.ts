/** The surface that generated modules may call: `import { … } from "gwc/runtime"`. Nothing else is reachable from them. */
export type { BodyFilter, Exchange, Headers } from "./abi/exchange.js";
export type { PipelineModule } from "./abi/route-module.js";
