import type { Random } from "../../tasks/random.js";
import { numberOf } from "../digest.js";
import { boxes, type MakeRow, type Part, px } from "../row.js";

/** One container above the width of a query and one below it (CSS Conditional 5). */
export const containerQuery: MakeRow = (random, name) => {
  const least = random.int(60, 120);
  const [plain, wide] = [random.int(3, 12), random.int(20, 50)];
  const [holder, held] = [name(), name()];
  const container = (width: number): [Part, Part] => {
    const of: Part = { attributes: { class: held } };
    return [{ attributes: { class: holder }, css: { width: px(width) }, parts: [of] }, of];
  };
  const [large, inLarge] = container(least + random.int(2, 30));
  const [small, inSmall] = container(least - random.int(2, 30));
  const root: Part = { css: { width: px(200) }, parts: random.shuffled([large, small]) };
  return {
    root,
    reads: boxes(root, "w", inLarge, inSmall),
    answer: [wide, plain],
    rules:
      `.${holder}{container-type:inline-size}.${held}{height:4px;width:${plain}px}` +
      `@container (min-width:${least}px){.${held}{width:${wide}px}}`,
  };
};

/** A variable is inherited through a shadow root and used in a sum. */
export const inheritedVariable: MakeRow = (random, name) => {
  const [given, more] = [random.int(20, 70), random.int(3, 19)];
  const variable = `--${name()}`;
  const of: Part = { css: { width: `calc(var(${variable}) + ${more}px)`, height: px(5) } };
  const root: Part = { css: { [variable]: px(given), width: px(200) }, shadow: [of] };
  return {
    root,
    reads: [{ op: "computed", of, property: "width" }],
    answer: [given + more],
  };
};

export const generatedBox: MakeRow = (random, name) => {
  const width = 4 * random.int(10, 40);
  const [share, height] = [random.pick([25, 50, 75]), random.int(8, 30)];
  const host = name();
  const of: Part = { attributes: { class: host }, css: { width: px(width) } };
  return {
    root: of,
    reads: [
      { op: "computed", of, pseudo: "::before", property: "width" },
      { op: "computed", of, pseudo: "::before", property: "height" },
    ],
    answer: [(width * share) / 100, height],
    rules: `.${host}::before{content:"";display:block;width:${share}%;height:${height}px}`,
    length: { of, property: "width", px: width },
  };
};

/**
 * Collapsed, in capitals, without hidden ones, a block on a line of its own (HTML section 3.2.7). No
 * paragraph: WebKit sets one line break before it, the other engines two.
 */
export const shownWords: MakeRow = (random) => {
  const [first, second, hidden, last] = [word(random), word(random), word(random), word(random)];
  const parts: Part[] = [
    { tag: "span", css: { "text-transform": "uppercase" }, text: `${first}   ${second}` },
    { tag: "span", css: { display: "none" }, text: hidden },
    { text: last },
  ];
  const root: Part = { css: { width: px(400) }, parts };
  const shown = `${first} ${second}`.toUpperCase();
  return {
    root,
    reads: [{ op: "words", of: root }],
    answer: [numberOf(`${shown}\n${last}`)],
    isExact: true,
  };
};

function word(random: Random): string {
  const letters = "abcdefghkmnopqrstuvwxyz";
  return Array.from({ length: random.int(2, 5) }, () => letters[random.int(0, letters.length - 1)]).join("");
}

/** One length in steps, one in proportion (Web Animations 1). */
export const pausedAnimation: MakeRow = (random) => {
  const [steps, step, from] = [random.int(2, 5), random.int(8, 25), random.int(5, 30)];
  const duration = steps * 100;
  const time = random.int(0, steps - 1) * 100 + random.int(20, 80);
  const passed = Math.floor(time / 100);
  const of: Part = { css: { height: px(4), width: px(1) } };
  const to = from + steps * step;
  const animate = (property: string, ends: [string, string], easing: string) =>
    ({ op: "animate", of, property, ends, easing, duration, time }) as const;
  return {
    root: of,
    reads: [
      animate("width", [px(from), px(to)], `steps(${steps})`),
      { op: "computed", of, property: "width" },
      animate("marginLeft", ["0px", px(duration)], "linear"),
      { op: "computed", of, property: "margin-left" },
    ],
    answer: [from + passed * step, time],
  };
};
