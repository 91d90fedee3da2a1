/** Types of the compiler, which control starts in a thread and otherwise does not import. */

export type {
  CompiledReload,
  CompiledWhole,
  CompilerThread as ControlCompiler,
} from "../../compiler/thread/compiler-client.js";
export type { CompiledChange as CompiledWrite } from "../../compiler/thread/compiler-rpc.js";
