import { Skeleton, Stack, Tabs } from "@mantine/core";
import { Suspense, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { parse as parseYaml } from "yaml";
import { lazyPart } from "../api/fetched-code";
import { isObject } from "../api/merge-patch";
import type { Value } from "../api/resources";
import type { Goal } from "../forms/form-context";
import type { Schema } from "../forms/schema";
import { Dimmed } from "../pages/elements";
import { type Draft, NO_FIELDS, shownText, typed } from "./draft";
import type { Checked } from "./draft-queries";
import { fixedDraft } from "./fixes";
import { diagnosticsInYaml } from "./located-diagnostics";
import type { EditorMemory } from "./use-editor";

const SchemaForm = lazyPart(async () => (await import("../forms/schema-form")).SchemaForm);
const TextEditor = lazyPart(async () => (await import("./text-editor")).TextEditor);

export interface SettingsTabsProps {
  name: string;
  schema: Schema | undefined;
  draft: Draft;
  readOnly: boolean;
  checked: Checked;
  said: ReadonlyMap<string, string>;
  goal: Goal | undefined;
  tab: string;
  onTab(tab: string): void;
  onChange(draft: Draft): void;
}

export function SettingsTabs(props: SettingsTabsProps) {
  const { name, schema, draft, readOnly, said, goal, tab, onTab, onChange } = props;
  const { t } = useTranslation();
  const memory = useRef<EditorMemory>({});
  return (
    <Tabs value={tab} onChange={(next) => onTab(next ?? "form")} keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="form">{t("plugin.form")}</Tabs.Tab>
        <Tabs.Tab value="json">{t("editor.json_object")}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="form" pt="md">
        <Suspense>
          {schema ? (
            <SchemaForm
              id={`plugin-${name}`}
              schema={schema}
              value={draft.value}
              readOnly={readOnly || draft.problem !== undefined}
              unreadable={draft.unreadable ?? NO_FIELDS}
              said={said}
              goal={goal}
              onChange={(next, fields) => onChange({ value: next, unreadable: fields })}
            />
          ) : null}
        </Suspense>
      </Tabs.Panel>
      <Tabs.Panel value="json" pt="md">
        <ObjectText {...props} memory={memory.current} />
      </Tabs.Panel>
    </Tabs>
  );
}

function ObjectText({
  name,
  schema,
  draft,
  readOnly,
  checked,
  memory,
  onChange,
}: SettingsTabsProps & { memory: EditorMemory }) {
  const { t } = useTranslation();
  const source = useMemo(() => schema && { root: schema, plugins: {} }, [schema]);
  const text = shownText(draft, "json");
  const below = useMemo(() => ["plugins", name], [name]);
  const findings = useMemo(
    () => diagnosticsInYaml(checked.findings, checked.text, text, below),
    [checked, text, below],
  );
  function pasted(copied: string, isOverAll: boolean): boolean {
    const settings = pastedSettings(copied, name);
    if (settings === undefined) return false;
    onChange(
      isOverAll
        ? { value: settings }
        : { value: withSettings(draft.value, settings), unreadable: draft.unreadable },
    );
    return true;
  }
  return (
    <Stack gap="xs">
      <Dimmed size="xs">{t("plugin.paste", { name })}</Dimmed>
      <Suspense fallback={<Skeleton h={242} aria-busy />}>
        <TextEditor
          tabLeaves
          label={t("editor.json_object")}
          format="json"
          {...{ text, readOnly, findings, memory }}
          {...(source && { schema: source })}
          onPaste={pasted}
          onChange={(next) => onChange(typed(draft, "json", next))}
          onFix={(fix) => onChange(fixedDraft(draft, { ...fix, path: fix.path.slice(below.length) }))}
        />
      </Suspense>
    </Stack>
  );
}

/**
 * Finds settings below the plugin's name, as in configuration files and copies of the sandbox. Undefined for
 * another text.
 */
function pastedSettings(text: string, name: string): Value | undefined {
  try {
    const read: unknown = parseYaml(text);
    const plugins = isObject(read) && isObject(read["plugins"]) ? read["plugins"] : read;
    const settings = isObject(plugins) && Object.keys(plugins).length === 1 ? plugins[name] : undefined;
    // An alias of YAML can make a recursive value, which JSON cannot express.
    return isObject(settings) && JSON.stringify(settings) !== "" ? settings : undefined;
  } catch {
    return undefined;
  }
}

/** Merges settings into others: lists are appended, other fields replaced. */
function withSettings(before: Value, added: Value): Value {
  const fields = Object.entries(added).map(([field, value]) => {
    const old = before[field];
    return [field, Array.isArray(old) && Array.isArray(value) ? [...old, ...value] : value] as const;
  });
  return { ...before, ...Object.fromEntries(fields) };
}
