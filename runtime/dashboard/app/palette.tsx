import { createSpotlight, Spotlight, type SpotlightActionData, useSpotlight } from "@mantine/spotlight";
import { useQueries } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { idOf, KINDS, type Kind, listQuery, type Resource } from "../api/resources";
import { useModKey } from "./keys";
import { PAGES } from "./page-list";

const [store, palette] = createSpotlight();
export const openPalette = (): void => palette.open();

const MAX_LINES = 12;

interface Line {
  /** Title and subtitle in lower case. */
  label: string;
  below: string;
  /** Called for shown lines only: there may be 20,000 lines. */
  action(): SpotlightActionData;
}

/** Command palette of Ctrl K: pages, new resources, and resources by id and name. */
export function Palette() {
  const { opened } = useSpotlight(store);
  const fixed = useFixedLines();
  const found = useFoundLines(opened);
  const lines = useMemo(() => [...fixed, ...found], [fixed, found]);
  const { t } = useTranslation();
  useModKey("k", palette.toggle);
  return (
    <Spotlight
      store={store}
      // Mantine's search copies all lines for each line: 240 ms for 10,000 routes, even while it is closed.
      actions={[]}
      filter={(query) => (opened ? matching(lines, query) : [])}
      shortcut={null}
      limit={MAX_LINES}
      attributes={{ content: { "aria-label": t("palette.open") } }}
      nothingFound={t("palette.nothing")}
      searchProps={{ placeholder: t("palette.placeholder"), "aria-label": t("palette.placeholder") }}
    />
  );
}

const fixedLine = (action: SpotlightActionData): Line => ({
  label: String(action.label).toLowerCase(),
  below: "",
  action: () => action,
});

function useFixedLines(): Line[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  return useMemo(() => {
    const pages = PAGES.map(({ to, params, path, label, icon: Icon }) => ({
      id: `page ${path}`,
      label: t(label),
      leftSection: <Icon size={18} aria-hidden />,
      onClick: () => void navigate({ to, params }),
    }));
    const made = KINDS.map((kind) => ({
      id: `new ${kind}`,
      label: t(`new.${kind}`),
      onClick: () => void navigate({ to: "/new/$kind", params: { kind } }),
    }));
    return [...pages, ...made].map(fixedLine);
  }, [t, navigate]);
}

/** @param opened false: no lines are created */
function useFoundLines(opened: boolean): Line[] {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const lists = useQueries({
    queries: KINDS.map((kind) => ({ ...listQuery(kind), enabled: opened })),
    combine: dataOf,
  });
  return useMemo(() => {
    if (!opened) return [];
    const resource = ({ kind, id, said }: FoundResource) => ({
      id: `${kind} ${id}`,
      label: id,
      description: [t(`kind.${kind}`), ...said].join(" · "),
      onClick: () => void navigate({ to: "/$kind/$id", params: { kind, id } }),
    });
    const [before = "", behind = ""] = t("module.title", { id: "\n" }).toLowerCase().split("\n");
    const modules = linesOf("routes", lists[0] ?? [], ({ id }) => ({
      id: `module ${id}`,
      label: t("module.title", { id }),
      onClick: () => void navigate({ to: "/module/$kind/$id", params: { kind: "routes", id } }),
    })).map((line) => ({ ...line, label: before + line.label + behind, below: "" }));
    return [...lists.flatMap((list, at) => linesOf(KINDS[at] ?? "routes", list ?? [], resource)), ...modules];
  }, [t, navigate, opened, lists]);
}

const dataOf = (results: readonly { data?: Resource[] | undefined }[]) => results.map(({ data }) => data);

interface FoundResource {
  kind: Kind;
  id: string;
  /** Name and path, if present. */
  said: string[];
}

function linesOf(
  kind: Kind,
  list: readonly Resource[],
  action: (found: FoundResource) => SpotlightActionData,
): Line[] {
  return list.map((resource) => {
    const id = idOf(resource);
    const { name, uri } = resource.value;
    const said = [name, uri].filter((one) => typeof one === "string");
    const found = { kind, id, said };
    return { label: id.toLowerCase(), below: said.join("\n").toLowerCase(), action: () => action(found) };
  });
}

/** The first lines that contain a text: matches in the label come before those in the subtitle. */
function matching(lines: readonly Line[], query: string): SpotlightActionData[] {
  const sought = query.trim().toLowerCase();
  const first: Line[] = [];
  const second: Line[] = [];
  for (const line of lines) {
    if (line.label.includes(sought)) first.push(line);
    else if (second.length < MAX_LINES && line.below.includes(sought)) second.push(line);
    if (first.length === MAX_LINES) break;
  }
  return [...first, ...second].slice(0, MAX_LINES).map(({ action }) => action());
}
