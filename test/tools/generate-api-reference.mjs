// Writes docs/reference/: the API of the doors for packages, from their types. With --print it prints the pages as JSON, by path.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { format, resolveConfig } from "prettier";
import { Node, Project } from "ts-morph";

const root = fileURLToPath(new URL("../../", import.meta.url));
const project = new Project({ tsConfigFilePath: `${root}tsconfig.json`, skipAddingFilesFromTsConfig: true });

const DOORS = [
  { page: "plugin", name: "gwc/plugin", file: "compiler/plugin-api.ts" },
  { page: "logger", name: "gwc/logger", file: "compiler/logger-api.ts" },
  { page: "logger-runtime", name: "gwc/logger/runtime", file: "runtime/logging/index.ts" },
];

const options = await resolveConfig(join(root, "README.md"));
const formatted = (text, parser) => format(text, { ...options, parser });

async function pageOf({ name, file }) {
  const door = project.addSourceFileAtPath(root + file);
  const comments = commentsOf(door);
  const exported = [...door.getExportedDeclarations()];
  const entries = (
    await Promise.all(exported.map(([one, [declaration]]) => entryOf(one, declaration, comments.get(one))))
  ).sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1));
  const section = (title, words, isType) =>
    [
      `## ${title}`,
      words,
      ...entries.filter((entry) => entry.isType === isType).map(({ text }) => text),
    ].join("\n\n");
  return [
    `# ${name}`,
    "<!-- Generated from the types by `npm run types`. Change those, not this page. -->",
    sentences(door.getFullText().match(/^\/\*\*(.*?)\*\//s)?.[1] ?? ""),
    section("Values", "Functions, classes and constants.", false),
    section("Types", "Interfaces and aliases, which modules import as types.", true),
  ].join("\n\n");
}

/** Comments of the door, which stand in front of its exports, by exported name. */
function commentsOf(door) {
  const comments = new Map();
  for (const declaration of door.getExportDeclarations()) {
    const comment = declaration.getLeadingCommentRanges().at(-1)?.getText() ?? "";
    const isOfDoor = declaration.getPos() === 0;
    for (const one of declaration.getNamedExports())
      if (comment.startsWith("/**") && !isOfDoor)
        comments.set(one.getAliasNode()?.getText() ?? one.getName(), sentences(comment.slice(3, -2)));
  }
  return comments;
}

async function entryOf(name, declaration, comment) {
  const documented = Node.isVariableDeclaration(declaration)
    ? declaration.getVariableStatementOrThrow()
    : declaration;
  const docs = documented.getJsDocs?.() ?? [];
  const own = docs.map((doc) => sentences(doc.getCommentText() ?? "")).join("\n\n");
  const tags = docs.flatMap((doc) => doc.getTags()).map(tagText);
  const signature = await formatted(signatureOf(name, declaration), "typescript");
  const text = [
    `### ${name}`,
    own || comment || "",
    tags.join("\n"),
    `\`\`\`ts\n${signature.trim()}\n\`\`\``,
  ];
  return {
    name,
    isType: Node.isInterfaceDeclaration(declaration) || Node.isTypeAliasDeclaration(declaration),
    text: text.filter((part) => part !== "").join("\n\n"),
  };
}

function tagText(tag) {
  const name = tag.getTagName() === "param" ? `\`${tag.getName?.() ?? ""}\`` : tag.getTagName();
  return `- ${name}: ${sentences(tag.getCommentText() ?? "")}`;
}

function signatureOf(name, declaration) {
  if (Node.isFunctionDeclaration(declaration)) return functionText(name, declaration);
  if (Node.isVariableDeclaration(declaration)) return `const ${name}: ${typeText(declaration)};`;
  if (Node.isClassDeclaration(declaration)) return classText(name, declaration);
  return declaration.getText().replace(/^export /, "");
}

const functionText = (name, declaration) => {
  const generics = declaration.getTypeParameters().map((one) => one.getText());
  const parameters = declaration.getParameters().map(parameterText);
  const result =
    declaration.getReturnTypeNode()?.getText() ?? typeOf(declaration.getReturnType(), declaration);
  return `function ${name}${generics.length > 0 ? `<${generics.join(", ")}>` : ""}(${parameters.join(", ")}): ${result};`;
};

/** Names of a destructured parameter are no part of the API. */
function parameterText(parameter) {
  const type = parameter.getTypeNode()?.getText() ?? typeOf(parameter.getType(), parameter);
  const isPlain = Node.isIdentifier(parameter.getNameNode());
  const mark = parameter.isOptional() && !parameter.isRestParameter() ? "?" : "";
  return `${parameter.isRestParameter() ? "..." : ""}${isPlain ? parameter.getName() : "options"}${mark}: ${type}`;
}

const typeText = (declaration) => {
  const written = declaration.getTypeNode?.()?.getText();
  return written ?? typeOf(declaration.getType(), declaration);
};

const typeOf = (type, node) => type.getText(node).replace(/import\("[^"]*"\)\./g, "");

function classText(name, declaration) {
  const isPublic = (member) =>
    !member.getName?.()?.startsWith("#") &&
    !["private", "protected"].includes(member.getScope?.() ?? "public");
  const parent = declaration.getExtends()?.getText();
  const constructors = declaration
    .getConstructors()
    .map((one) => `  constructor(${one.getParameters().map(parameterText).join(", ")});`);
  const properties = declaration
    .getInstanceProperties()
    .filter(isPublic)
    .map((one) => `  ${one.isReadonly?.() ? "readonly " : ""}${one.getName()}: ${typeText(one)};`);
  const methods = declaration
    .getInstanceMethods()
    .filter(isPublic)
    .map((one) => `  ${functionText(one.getName(), one).replace(/^function /, "")}`);
  const members = [...properties, ...constructors, ...methods];
  return [`class ${name}${parent ? ` extends ${parent}` : ""} {`, ...members, "}"].join("\n");
}

/** Text of a comment without its stars. */
const sentences = (comment) => comment.replace(/^ *\*? ?/gm, "").trim();

const pages = Object.fromEntries(
  await Promise.all(
    DOORS.map(async (door) => [
      `docs/reference/${door.page}.md`,
      await formatted(await pageOf(door), "markdown"),
    ]),
  ),
);
if (process.argv.includes("--print")) process.stdout.write(JSON.stringify(pages));
else for (const [path, text] of Object.entries(pages)) writeFileSync(join(root, path), text);
