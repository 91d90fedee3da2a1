import { Anchor, Code, Table, Title, type TitleOrder } from "@mantine/core";
import MarkdownIt, { type Token } from "markdown-it";
import { type ComponentType, Fragment, type ReactNode } from "react";

/** Recognizes raw HTML in order to omit it; HTML is never rendered. */
const parser = new MarkdownIt({ html: true });

export interface MarkdownProps {
  text: string;
  /** Prefix of the ids of headings, so that one page can show several documents. */
  id: string;
  /** Undefined if the file has no page here. @param target "../syslog/README.md" */
  onFile(target: string): (() => void) | undefined;
}

/**
 * Renders Markdown with elements of Mantine. Each element is created from a token, and no text becomes
 * markup, so the source need not be trusted. The first heading, a title, is omitted.
 */
export function Markdown({ text, id, onFile }: MarkdownProps) {
  const tokens = parser.parse(text, {});
  const hasTitle = tokens[0]?.type === "heading_open" && tokens[0].tag === "h1";
  return <>{blocks(hasTitle ? tokens.slice(3) : tokens, { id, onFile })}</>;
}

type Context = Omit<MarkdownProps, "text">;

/** Elements of a list of tokens; the end token of an element has the depth of its start token. */
function blocks(tokens: readonly Token[], context: Context): ReactNode[] {
  const made: ReactNode[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    if (token.nesting !== 1) {
      made.push(<Fragment key={at}>{leaf(token, context)}</Fragment>);
      continue;
    }
    const end = endOf(tokens, at);
    const inner = tokens.slice(at + 1, end);
    made.push(<Fragment key={at}>{element(token, inner, context)}</Fragment>);
    at = end;
  }
  return made;
}

function endOf(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at += 1) {
    depth += tokens[at]?.nesting ?? 0;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/** Markdown elements without attributes. */
const PLAIN: Readonly<Record<string, "p" | "ul" | "li" | "blockquote" | "strong" | "em" | "s">> = {
  paragraph_open: "p",
  bullet_list_open: "ul",
  list_item_open: "li",
  blockquote_open: "blockquote",
  strong_open: "strong",
  em_open: "em",
  s_open: "s",
};
const TABLE: Readonly<Record<string, ComponentType<{ children?: ReactNode }>>> = {
  thead_open: Table.Thead,
  tbody_open: Table.Tbody,
  tr_open: Table.Tr,
  th_open: Table.Th,
  td_open: Table.Td,
};

function element(token: Token, inner: readonly Token[], context: Context): ReactNode {
  const { type, tag, hidden } = token;
  const children = blocks(inner, context);
  if (hidden) return children;
  if (type === "heading_open") return heading(Number(tag.slice(1)), inner, children, context);
  if (type === "ordered_list_open") return <ol start={Number(token.attrGet("start") ?? 1)}>{children}</ol>;
  if (type === "table_open")
    return (
      <Table.ScrollContainer minWidth={420}>
        <Table className="wrapped">{children}</Table>
      </Table.ScrollContainer>
    );
  if (type === "link_open") return link(String(token.attrGet("href") ?? ""), children, context);
  const Cell = TABLE[type];
  if (Cell !== undefined) return <Cell>{children}</Cell>;
  const Plain = PLAIN[type];
  return Plain === undefined ? children : <Plain>{children}</Plain>;
}

/** The drawer's title is a heading of level 2, so those of the document start at level 3. */
function heading(level: number, inner: readonly Token[], children: ReactNode, { id }: Context): ReactNode {
  const order = Math.min(6, level + 1) as TitleOrder;
  const text = inner.map(({ content }) => content).join("");
  return (
    <Title order={order} id={`${id}-${slugOf(text)}`} tabIndex={-1}>
      {children}
    </Title>
  );
}

/** Id of a heading as on GitHub, for which links are written. */
const slugOf = (heading: string) =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

function link(href: string, children: ReactNode, { id, onFile }: Context): ReactNode {
  if (/^https?:\/\//.test(href))
    return (
      <Anchor href={href} target="_blank" rel="noopener noreferrer" inherit>
        {children}
      </Anchor>
    );
  const go = href.startsWith("#")
    ? () => toHeading(`${id}-${decodeURIComponent(href.slice(1))}`)
    : onFile(href);
  if (go === undefined) return <span title={href}>{children}</span>;
  return (
    <Anchor component="button" type="button" inherit onClick={go}>
      {children}
    </Anchor>
  );
}

/** Scrolls without a change of the URL, which names the page. */
function toHeading(id: string): void {
  const heading = document.getElementById(id);
  heading?.scrollIntoView();
  heading?.focus({ preventScroll: true });
}

function leaf(token: Token, context: Context): ReactNode {
  const { type, content, children } = token;
  switch (type) {
    case "inline":
      return blocks(children ?? [], context);
    case "text":
      return content;
    case "code_inline":
      return <Code>{content}</Code>;
    case "fence":
    case "code_block":
      return (
        <Code block tabIndex={0}>
          {content}
        </Code>
      );
    case "softbreak":
      return "\n";
    case "hardbreak":
      return <br />;
    case "hr":
      return <hr />;
    // An image would be loaded from elsewhere, which the policy forbids.
    case "image":
      return content;
    default:
      return null;
  }
}
