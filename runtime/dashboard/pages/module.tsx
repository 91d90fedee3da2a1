import { Alert, Group, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { AdminError } from "../api/client";
import { MODULE_KINDS, type ModuleAnswer, moduleQuery } from "../api/module";
import type { Kind } from "../api/resources";
import { AnchorLink } from "../app/links";
import { moduleRoute } from "../app/router";
import {
  type AddressKey,
  configurationPane,
  linesOf,
  modulePane,
  outwards,
  type Pane,
  planPane,
  readAddress,
  shownAddress,
} from "../editor/config-path-key";
import { editable, textOf } from "../editor/draft";
import { JoinedText } from "../editor/joined-text";
import { Dimmed, Pending } from "./elements";

/** A resource as configuration, plan and TypeScript; a selection in one marks the others. */
export function ModulePage() {
  const { t } = useTranslation();
  const { kind, id } = moduleRoute.useParams();
  return (
    <Stack gap="lg">
      <Stack gap={2}>
        <Dimmed>
          <AnchorLink inherit to="/$kind/$id" params={{ kind, id }}>
            {t(`kind.${kind}`)} {id}
          </AnchorLink>
        </Dimmed>
        <Title order={1}>{t("module.title", { id })}</Title>
      </Stack>
      {MODULE_KINDS.has(kind) ? (
        <Asked kind={kind} id={id} />
      ) : (
        <Alert color="gray">{t("module.part_of_others")}</Alert>
      )}
    </Stack>
  );
}

function Asked({ kind, id }: { kind: Kind; id: string }) {
  const { t } = useTranslation();
  const query = useQuery({ ...moduleQuery(kind, id), refetchOnWindowFocus: false });
  const { data, error } = query;
  if (error instanceof AdminError && error.status === 404)
    return (
      <Alert color="gray" title={t("module.none")}>
        {error.message}
      </Alert>
    );
  if (!data) return <Pending query={query} h={320} />;
  return <Joined answer={data} />;
}

const written = ({ address, place, value }: ModuleAnswer["configuration"][number]) => ({
  name: address,
  note: place === "store" ? "" : `, ${place}`,
  yaml: textOf(editable(value), "yaml"),
});

type PaneName = "configuration" | "plan" | "module";
const LANGUAGES = { configuration: "yaml", plan: "json", module: "typescript" } as const;

function Joined({ answer }: { answer: ModuleAnswer }) {
  const { t } = useTranslation();
  const [at, setAt] = useState<{ pane: PaneName; line: number }>();
  const { module, plan, more } = answer;
  const configuration = useMemo(() => configurationPane(answer.configuration.map(written)), [answer]);
  const row = useMemo(() => rowAddresses(answer.configuration), [answer]);
  const ofPlan = useMemo(() => planPane(plan, row), [plan, row]);
  const ofModule = useMemo(
    () => module && modulePane(module.code, module.lines, titleAddresses(row)),
    [module, row],
  );
  const panes: [PaneName, Pane][] = [
    ["configuration", configuration],
    ["plan", ofPlan],
    ...(ofModule ? [["module", ofModule] satisfies [PaneName, Pane]] : []),
  ];
  const looked = panes.find(([name]) => name === at?.pane)?.[1];
  const { at: asked } = moduleRoute.useSearch();
  // A link to a part selects it at once.
  const key = at ? looked?.owners[at.line - 1] : readAddress(asked ?? "");
  return (
    <Stack gap="sm">
      {module === null ? <Alert color="gray">{t("module.forwards")}</Alert> : null}
      {more > 0 ? <Text c="dimmed">{t("module.left", { count: more })}</Text> : null}
      <Where at={key} places={answer.places} />
      <SimpleGrid cols={{ base: 1, lg: panes.length }} spacing="sm">
        {panes.map(([name, pane]) => (
          <OnePane
            key={name}
            {...{ name, pane, at: key }}
            follows={at?.pane !== name}
            file={name === "module" ? module?.file : undefined}
            onLine={(line) =>
              setAt((before) => {
                if (line !== undefined) return { pane: name, line };
                return before?.pane === name ? undefined : before;
              })
            }
          />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

function Where({ at, places }: { at: AddressKey | undefined; places: ModuleAnswer["places"] }) {
  const { t } = useTranslation();
  const byKey = useMemo(
    () => new Map(places.map(({ address, place }) => [readAddress(address), place])),
    [places],
  );
  const place = at && outwards(at).flatMap((key) => byKey.get(key) ?? [])[0];
  const shown = place === "store" ? t("status.store") : place;
  return (
    <Dimmed aria-live="polite">
      {at === undefined ? t("module.hint") : [shownAddress(at), shown].filter(Boolean).join(" · ")}
    </Dimmed>
  );
}

interface OnePaneProps {
  name: PaneName;
  pane: Pane;
  at: AddressKey | undefined;
  follows: boolean;
  file: string | undefined;
  onLine(line: number | undefined): void;
}

const NONE: readonly number[] = [];

function OnePane({ name, pane, at, follows, file, onLine }: OnePaneProps) {
  const { t } = useTranslation();
  const marked = useMemo(() => (at === undefined ? NONE : linesOf(pane, at)), [pane, at]);
  const title = t(`module.${name}`);
  return (
    <Stack gap="xs" className="effect" component="section" aria-label={title}>
      <Group gap="sm">
        <Title order={2}>{title}</Title>
        {file === undefined ? null : (
          <Text c="dimmed" className="code">
            {file}
          </Text>
        )}
      </Group>
      <JoinedText
        label={title}
        language={LANGUAGES[name]}
        text={pane.text}
        {...{ marked, follows, onLine }}
      />
    </Stack>
  );
}

/** Fields of a route or its service from which each field of the plan's row is made; the first present one counts. */
const MADE_OF: Readonly<Record<string, readonly string[]>> = {
  ...{ name: ["name"], hosts: ["host", "hosts"], uris: ["uri", "uris"], methods: ["methods"] },
  ...{ remoteAddrs: ["remote_addr", "remote_addrs"], priority: ["priority"], timeout: ["timeout"] },
  ...{ serviceId: ["service_id"], hasMatch: ["vars"], enableWebsocket: ["enable_websocket"] },
  upstream: ["upstream", "upstream_id", "service_id"],
};

/** Fields that the first line of a module shows. */
const IN_TITLE = ["methods", "uris", "hosts", "upstream"];

/** Config paths of the fields of a plan's row: "routes/shop uri" for "uris". */
export function rowAddresses(configuration: ModuleAnswer["configuration"]): ReadonlyMap<string, string> {
  const found = Object.entries(MADE_OF).flatMap(([field, names]): [string, string][] => {
    for (const { address, value } of configuration) {
      const name = /^(?:routes|services)\//.test(address) ? names.find((one) => has(value, one)) : undefined;
      if (name !== undefined) return [[field, `${address} ${name}`]];
    }
    return [];
  });
  return new Map(found);
}

export const titleAddresses = (row: ReadonlyMap<string, string>): string[] =>
  IN_TITLE.flatMap((field) => row.get(field) ?? []);

const has = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name);
