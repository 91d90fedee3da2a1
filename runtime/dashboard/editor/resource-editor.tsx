import { Grid, Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { lazyPart } from "../api/fetched-code";
import { type Kind, pluginsQuery, schemaOf, schemaQuery, settingsSchema, type Value } from "../api/resources";
import type { EditorSearch } from "../app/router";
import type { FormOptions, Goal, Primary } from "../forms/form-context";
import type { Schema } from "../forms/schema";
import type { FieldSteps } from "../forms/unreadable-fields";
import { AfterFirstFrame, Dimmed, LoadFailed } from "../pages/elements";
import { DestinationChoice, useDestination } from "./destination";
import { type Format, NO_FIELDS, pluginsOf, shownText, typed, withPlugins, withValue } from "./draft";
import { EffectTabs, type EffectTabsProps } from "./effect-tabs";
import { fixedDraft } from "./fixes";
import { diagnosticsInYaml, messagesByField } from "./located-diagnostics";
import { PluginsSection } from "./plugins-section";
import type { SchemaSource } from "./schema-at";
import { Unreadable } from "./unreadable";
import type { EditorMemory } from "./use-editor";

const SchemaForm = lazyPart(async () => (await import("../forms/schema-form")).SchemaForm);
const TextEditor = lazyPart(async () => (await import("./text-editor")).TextEditor);

export interface ResourceEditorProps extends Omit<EffectTabsProps, "onGo"> {
  tab: NonNullable<EditorSearch["tab"]>;
  onTab(tab: NonNullable<EditorSearch["tab"]>): void;
}

const WITH_PLUGINS: ReadonlySet<Kind> = new Set([
  "routes",
  "services",
  "plugin_configs",
  "global_rules",
  "consumers",
]);
/** Fields edited elsewhere: the id in the header, plugins in their section. */
const LEFT = ["id", "plugins", "create_time", "update_time"];

/** Fields that most resources of a kind set; the others are folded below them. */
const UPSTREAM = ["nodes", "type", "scheme", "pass_host", "retries"];
const PRIMARY: Partial<Record<Kind, Primary>> = {
  routes: {
    "": [
      "name",
      "uri",
      "host",
      "methods",
      "vars",
      "destination",
      "service_id",
      "upstream_id",
      "upstream",
      "plugin_config_id",
      "priority",
      "status",
    ],
    upstream: UPSTREAM,
  },
  services: {
    "": ["name", "hosts", "destination", "upstream_id", "upstream", "plugin_config_id"],
    upstream: UPSTREAM,
  },
  upstreams: { "": ["name", ...UPSTREAM, "timeout"] },
  plugin_configs: { "": ["name", "desc"] },
  ssls: { "": ["snis", "cert", "key", "status"] },
};

/** One resource as form, YAML and JSON, which are always in sync, with the effects of the change next to it. */
export function ResourceEditor(props: ResourceEditorProps) {
  const { kind, draft, readOnly, tab, onTab, onChange } = props;
  const { t } = useTranslation();
  const { data: ofKind, error, refetch } = useQuery(schemaQuery(schemaOf(kind)));
  const { data: plugins } = useQuery(pluginsQuery);
  const schema = kind === "plugin_metadata" ? (plugins?.[props.sent.id]?.metadata_schema ?? ofKind) : ofKind;
  const [goal, setGoal] = useState<Goal>();
  const memories = useRef<Record<Format, EditorMemory>>({ yaml: {}, json: {} });
  // A change in another view would drop the incomplete text of this one.
  const isHeld = (view: string) => draft.problem !== undefined && draft.text?.format !== view;
  function go(path: FieldSteps) {
    if (tab !== "form") onTab("form");
    setGoal({ path });
  }
  const source = useMemo((): SchemaSource | undefined => {
    if (!schema || !plugins) return undefined;
    const of = Object.entries(plugins).map(([name, plugin]) => [name, settingsSchema(plugin, kind)]);
    return { root: schema as Schema, plugins: Object.fromEntries(of) };
  }, [schema, plugins, kind]);
  return (
    <Grid gap="xl">
      <Grid.Col span={{ base: 12, lg: 7 }}>
        <Tabs value={tab} onChange={(next) => onTab(next as typeof tab)} keepMounted={false}>
          <Tabs.List>
            <Tabs.Tab value="form">{t("editor.form")}</Tabs.Tab>
            <Tabs.Tab value="yaml">{t("editor.yaml")}</Tabs.Tab>
            <Tabs.Tab value="json">{t("editor.json")}</Tabs.Tab>
          </Tabs.List>
          <Unreadable {...{ draft, tab, onChange }} />
          <Tabs.Panel value="form" pt="md">
            {error && !schema ? <LoadFailed error={error} retry={() => void refetch()} /> : null}
            <FormView
              {...props}
              readOnly={readOnly || isHeld("form")}
              goal={goal}
              schema={schema as Schema | undefined}
              isFailed={error !== null}
            />
          </Tabs.Panel>
          {(["yaml", "json"] as const).map((format) => (
            <Tabs.Panel key={format} value={format} pt="md">
              <TextView
                {...props}
                {...{ format, source }}
                readOnly={readOnly || isHeld(format)}
                memory={memories.current[format]}
              />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Grid.Col>
      <Grid.Col span={{ base: 12, lg: 5 }} className="effect">
        <AfterFirstFrame>
          <EffectTabs {...props} onGo={go} />
        </AfterFirstFrame>
      </Grid.Col>
    </Grid>
  );
}

interface TextViewProps extends ResourceEditorProps {
  format: Format;
  source: SchemaSource | undefined;
  memory: EditorMemory;
}

function TextView({ format, source, memory, draft, checked, readOnly, onChange }: TextViewProps) {
  const { t } = useTranslation();
  const { findings, text } = checked;
  const shown = shownText(draft, format);
  const placed = useMemo(
    () => (format === "yaml" ? diagnosticsInYaml(findings, text, shown) : findings),
    [format, findings, text, shown],
  );
  return (
    <>
      <Suspense fallback={<Skeleton h={242} aria-busy />}>
        <TextEditor
          label={t("editor.text")}
          {...{ format, readOnly, memory }}
          text={shown}
          findings={placed}
          schema={source}
          onChange={(next) => onChange(typed(draft, format, next))}
          onFix={(fix) => onChange(fixedDraft(draft, fix))}
        />
      </Suspense>
      {format === "yaml" && draft.commented !== undefined ? <CommentsNote /> : null}
    </>
  );
}

function CommentsNote() {
  const { t } = useTranslation();
  return (
    <Dimmed size="xs" mt="xs">
      {t("editor.comments")}
    </Dimmed>
  );
}

interface FormViewProps extends ResourceEditorProps {
  schema: Schema | undefined;
  isFailed: boolean;
  goal: Goal | undefined;
}

function FormView(props: FormViewProps) {
  const { kind, draft, checked, sent, readOnly, schema, isFailed, goal, onChange } = props;
  // As high as the fields, so that content below does not move.
  const waiting = <Skeleton h={PRIMARY[kind] ? HEIGHT_OF_FORM : HEIGHT_OF_FIELDS} aria-busy />;
  const said = useMemo(() => messagesByField(checked), [checked]);
  const edit = (value: Value) => onChange(withValue(draft, value, draft.unreadable));
  const destination = useDestination(kind, draft.value, edit);
  const { choices, chosen } = destination;
  const unused = destination.unused.join();
  const left = useMemo(() => [...LEFT, ...(unused === "" ? [] : unused.split(","))], [unused]);
  const between: FormOptions["between"] =
    choices === undefined
      ? {}
      : { destination: <DestinationChoice destination={destination} readOnly={readOnly} /> };
  return (
    <Stack gap="xl">
      <Suspense fallback={waiting}>
        {schema ? (
          <SchemaForm
            id="resource"
            schema={schema}
            left={left}
            primary={PRIMARY[kind] ?? NO_PRIMARY}
            between={between}
            open={chosen === "nodes" ? OWN_NODES : NO_OPEN}
            goal={goal}
            said={said}
            value={draft.value}
            readOnly={readOnly}
            unreadable={draft.unreadable ?? NO_FIELDS}
            onChange={(value, unreadable) => onChange(withValue(draft, value, unreadable))}
          />
        ) : isFailed ? null : (
          waiting
        )}
      </Suspense>
      {WITH_PLUGINS.has(kind) ? (
        <AfterFirstFrame>
          <PluginsSection
            plugins={pluginsOf(draft.value)}
            whole={{ kind, sent, value: draft.value }}
            goal={goal}
            readOnly={readOnly}
            onChange={(next) => edit(withPlugins(draft.value, next))}
          />
        </AfterFirstFrame>
      ) : null}
    </Stack>
  );
}

const HEIGHT_OF_FORM = 720;
const HEIGHT_OF_FIELDS = 160;
const NO_PRIMARY: Primary = {};
const OWN_NODES = ["upstream"];
const NO_OPEN: readonly string[] = [];
