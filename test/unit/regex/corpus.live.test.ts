import { expect, test } from "vitest";
import { expectations } from "../../tools/pcre2-corpus.js";
import { readTopic, topics, writeTopic } from "./corpus.js";

// pcre2test gives the expectations of the corpus. `UPDATE=1` writes them; read the diff.
for (const topic of topics()) {
  test(`pcre2test agrees with the corpus on ${topic}`, () => {
    const cases = readTopic(topic);
    const answers = expectations(cases);
    const answered = cases.map((each, i) => ({ ...each, expected: answers[i] }));
    if (process.env.UPDATE === "1") writeTopic(topic, answered as typeof cases);
    else expect(cases).toEqual(answered);
  });
}
