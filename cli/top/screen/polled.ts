import { useEffect, useState } from "react";
import type { NoAdminReplyError } from "../../../runtime/abi/admin-call.js";
import { messageOf } from "../../../runtime/abi/error-message.js";
import type { Node, OverviewAnswer, TopSource, View } from "../source.js";
import type { Shown } from "./keys.js";

/** The last response, and the reason if a newer one failed. */
export interface Answers {
  answer: OverviewAnswer | undefined;
  fault: { message: string; isFinal: boolean } | undefined;
  /** Time of the response: "14:03:22"; "" before the first. */
  at: string;
}

/** Polls one request at a time, so that a gateway under pressure receives no more than it can serve. */
export function useAnswers(source: TopSource, { seconds, isPaused }: Shown, every: number): Answers {
  const [answers, setAnswers] = useState<Answers>({ answer: undefined, fault: undefined, at: "" });
  useEffect(() => {
    if (isPaused) return;
    return repeated(every, async (isGone) => {
      try {
        const answer = await source.overview(seconds);
        const at = new Date().toTimeString().slice(0, 8);
        if (!isGone()) setAnswers({ answer, fault: undefined, at });
      } catch (error) {
        // Not `instanceof`: the source belongs to the program, and this bundle has another copy of the class.
        const isFinal = (error as Partial<NoAdminReplyError>).isFinal === true;
        const fault = { message: messageOf(error), isFinal };
        if (!isGone()) setAnswers((before) => ({ ...before, fault }));
      }
    });
  }, [source, seconds, isPaused, every]);
  return answers;
}

const NODES_MS = 3_000;

/** Nodes of the open row; undefined until known. */
export function useNodes(source: TopSource, view: View, id: string): Node[] | undefined {
  const [nodes, setNodes] = useState<Node[]>();
  useEffect(
    () =>
      repeated(NODES_MS, async (isGone) => {
        const found = await source.nodes(view, id);
        if (!isGone()) setNodes(found);
      }),
    [source, view, id],
  );
  return nodes;
}

/** Returns a function that stops the repetition. */
function repeated(every: number, work: (isGone: () => boolean) => Promise<void>): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  const again = async () => {
    await work(() => isOver);
    if (!isOver) timer = setTimeout(() => void again(), every);
  };
  void again();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
