import type { ControlCompiler } from "../compiler.js";

/** Kind of compile: the whole at a start, one change, the files again. */
export type CompileWork = "load" | "write" | "reload";

/** The compiler with each of its three works timed, also where they are refused or fail. */
export function timedCompiler(
  compiler: ControlCompiler,
  took: (work: CompileWork, seconds: number) => void,
): ControlCompiler {
  const timed = async <Answer>(work: CompileWork, answer: Promise<Answer>): Promise<Answer> => {
    const started = performance.now();
    try {
      return await answer;
    } finally {
      took(work, (performance.now() - started) / 1_000);
    }
  };
  return {
    ...compiler,
    load: (...given) => timed("load", compiler.load(...given)),
    write: (...given) => timed("write", compiler.write(...given)),
    reload: (...given) => timed("reload", compiler.reload(...given)),
  };
}
