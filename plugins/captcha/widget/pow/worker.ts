/** Receives a challenge, sends the solution. It has the DOM's types only, hence the narrow view of its scope. */
import type { PowAnswer, PowChallenge } from "../../service/protocol.js";
import { solve } from "./solve.js";

interface Scope {
  onmessage: ((event: { data: PowChallenge }) => void) | null;
  postMessage(answer: PowAnswer): void;
}
const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data }) => {
  const start = performance.now();
  const answers = solve(data);
  scope.postMessage({ id: data.id, answers, ms: Math.round(performance.now() - start) });
};
