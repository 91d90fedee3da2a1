import type { ControlCompiler } from "../compiler.js";

/** Kind of compile: a full one at start, a change, or a reload. */
export type CompileWork = "load" | "write" | "reload";

/** Wraps a compiler to time its three kinds of compile, also if they are rejected or fail. */
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
