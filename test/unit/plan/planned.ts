import "../../../plugins/index.js";
import "../../../plugins/runtime.js";
import { compileFunction } from "node:vm";
import { emitModule } from "../../../compiler/5-emit/module.js";
import { compile } from "../../../compiler/index.js";
import type { PlannedPipeline } from "../../../compiler/model/plan.js";
import * as runtime from "../../../runtime/abi/index.js";
import { loadableOf } from "../../../runtime/abi/loadable.js";
import { pluginCalls } from "../../../runtime/abi/plugin-runtime.js";
import type { PipelineModule } from "../../../runtime/abi/route-module.js";

/** Compiles a route with these fields. Returns codes except of notes, and the pipeline if there is no error. */
export function planned(fields: object): { codes: string[]; pipeline: PlannedPipeline | undefined } {
  const route = { id: "r", uri: "/*", upstream: { nodes: { "127.0.0.1:80": 1 } }, ...fields };
  const text = JSON.stringify({ routes: [route] });
  const { diagnostics, plan } = compile({
    sources: [{ name: "r.json", text, format: "json" }],
    environment: {},
  });
  const codes = diagnostics.filter(({ severity }) => severity !== "note").map(({ code }) => code);
  return { codes, pipeline: plan?.routes[0]?.pipeline ?? undefined };
}

/** Loads the module of a pipeline as the host does. */
export function loaded(pipeline: PlannedPipeline): PipelineModule {
  const { typescript } = emitModule(pipeline, { version: "1", planHash: "00000000", source: "r" });
  const module: { exports?: PipelineModule } = {};
  compileFunction(loadableOf(typescript), ["require", "module"])(
    (name: string) => (name === "gwc/runtime" ? runtime : pluginCalls(name)),
    module,
  );
  if (module.exports === undefined) throw new Error("the module exports nothing");
  return module.exports;
}
