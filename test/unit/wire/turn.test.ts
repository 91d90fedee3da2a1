import { expect, test } from "vitest";
import { TimeSlice } from "../../../runtime/http/time-slice.js";

function spend(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test("the bodies that use up a time slice each run in order, one in each turn of the event loop", async () => {
  const turn = new TimeSlice();
  const ran: number[] = [];
  const rounds = new Set<number>();
  let round = 0;
  for (let body = 0; body < 6; body++)
    turn.next(() => {
      turn.take(() => spend(6));
      ran.push(body);
      rounds.add(round);
    });
  while (ran.length < 6) {
    await new Promise((resolve) => setImmediate(resolve));
    round++;
  }
  expect(ran).toEqual([0, 1, 2, 3, 4, 5]);
  expect(rounds.size).toBe(6);
});
