/**
 * Makes a web site of README.md, docs/ and the pages of plugins: `npm run docs [directory]`, default `.build/site`. Every page
 * keeps its path with `.html` for `.md`, so that links between pages stay what they are; links to other files of the repository
 * are left as text.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { fileURLToPath } from "node:url";
import Handlebars from "handlebars";
import MarkdownIt from "markdown-it";
import anchor from "markdown-it-anchor";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const HERE = fileURLToPath(new URL(".", import.meta.url));
const read = (path) => readFileSync(join(ROOT, path), "utf8");

/** As GitHub makes it of a heading: links are written for both. */
const slugify = (heading) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

const markdown = new MarkdownIt({ html: true }).use(anchor, { slugify, tabIndex: false });

/** Where the page stands in the site. */
const placeOf = (page) =>
  page === "README.md" ? "index.html" : page.replace(/README\.md$/, "index.html").replace(/\.md$/, ".html");
const titleOf = (text) => /^# (.+)$/m.exec(text)?.[1].replaceAll("`", "") ?? "gwc";

/** The body of a page, with links to pages of the site turned into theirs. */
function bodyOf(page, pages) {
  const tokens = markdown.parse(read(page), {});
  const images = new Set();
  for (const inline of tokens.flatMap(({ children }) => children ?? [])) {
    const name = inline.type === "link_open" ? "href" : inline.type === "image" ? "src" : undefined;
    const target = name === undefined ? undefined : inline.attrGet(name);
    if (!target || /^(?:[a-z]+:|#)/.test(target)) continue;
    const [path, fragment] = target.split("#");
    const file = normalize(join(dirname(page), path)).replace(/\/$/, "");
    const shown = [file, `${file}/README.md`].find((one) => pages.includes(one));
    if (shown !== undefined) {
      const place = relative(dirname(placeOf(page)), placeOf(shown));
      inline.attrSet(name, fragment === undefined ? place : `${place}#${fragment}`);
    } else if (name === "src") images.add(file);
    // Files and folders of the repository that are no pages.
    else inline.attrs = [["title", file]];
  }
  return { html: markdown.renderer.render(tokens, markdown.options, {}), images };
}

function build(output) {
  const navigation = JSON.parse(readFileSync(join(HERE, "navigation.json"), "utf8"));
  const decisions = readdirSync(join(ROOT, "docs/decisions")).sort();
  const listed = { ...navigation, Decisions: decisions.map((file) => `docs/decisions/${file}`) };
  const pages = ["README.md", ...Object.values(listed).flat()];
  const missing = pages.filter((page) => !existsSync(join(ROOT, page)));
  if (missing.length > 0)
    throw new Error(`docs/site/navigation.json names ${missing.join(", ")}, which is not there`);
  const template = Handlebars.compile(readFileSync(join(HERE, "page.hbs"), "utf8"), { strict: true });
  const { version } = JSON.parse(read("package.json"));
  rmSync(output, { recursive: true, force: true });
  for (const page of pages) {
    const place = placeOf(page);
    const groups = Object.entries(listed).map(([name, group]) => ({
      name,
      pages: group.map((other) => ({
        href: relative(dirname(place), placeOf(other)),
        title: titleOf(read(other)),
        current: other === page,
      })),
    }));
    const { html, images } = bodyOf(page, pages);
    const root = relative(dirname(place), ".") === "" ? "" : `${relative(dirname(place), ".")}/`;
    const values = { title: titleOf(read(page)), root, version, groups, body: html };
    mkdirSync(join(output, dirname(place)), { recursive: true });
    writeFileSync(join(output, place), template(values));
    for (const image of images) {
      mkdirSync(join(output, dirname(image)), { recursive: true });
      copyFileSync(join(ROOT, image), join(output, image));
    }
  }
  copyFileSync(join(HERE, "style.css"), join(output, "style.css"));
  return pages.length;
}

const output = process.argv[2] ?? join(ROOT, ".build/site");
process.stdout.write(`${build(output)} pages in ${relative(process.cwd(), output) || "."}\n`);
