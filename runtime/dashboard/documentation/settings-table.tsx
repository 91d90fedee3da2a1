import { Code, Table } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { resolved, type Schema } from "../forms/schema";
import { ColumnHeads } from "../pages/column-heads";

interface Setting {
  /** "filters[].regex". */
  path: string;
  type: string;
  required: boolean;
  default: unknown;
  says: string;
}

const DEEPEST = 4;

function settingsOf(schema: Schema, root: Schema, above = "", depth = 0): Setting[] {
  const { properties = {}, required = [] } = resolved(schema, root) ?? {};
  return Object.entries(properties).flatMap(([name, field]) => {
    const known = resolved(field, root) ?? field;
    const items = resolved(known.items, root);
    const path = above + name;
    const own: Setting = {
      path,
      type: [known.type ?? "any"].flat().join(" | "),
      required: required.includes(name),
      default: known.default,
      says: known.description ?? "",
    };
    if (depth >= DEEPEST) return [own];
    const below = items?.properties === undefined ? `${path}.` : `${path}[].`;
    return [own, ...settingsOf(items?.properties === undefined ? known : items, root, below, depth + 1)];
  });
}

export function SettingsTable({ schema }: { schema: Schema }) {
  const { t } = useTranslation();
  const settings = settingsOf(schema, schema);
  if (settings.length === 0) return null;
  return (
    <Table.ScrollContainer minWidth={420} type="native" tabIndex={0}>
      <Table className="wrapped">
        <ColumnHeads
          names={(["attribute", "type", "required", "default", "meaning"] as const).map((column) =>
            t(`documentation.${column}`),
          )}
        />
        <Table.Tbody>
          {settings.map(({ path, type, required, default: value, says }) => (
            <Table.Tr key={path}>
              <Table.Td>
                <Code>{path}</Code>
              </Table.Td>
              <Table.Td>{type}</Table.Td>
              <Table.Td>{t(required ? "documentation.yes" : "documentation.no")}</Table.Td>
              <Table.Td>{value === undefined ? null : <Code>{JSON.stringify(value)}</Code>}</Table.Td>
              <Table.Td>{says}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
