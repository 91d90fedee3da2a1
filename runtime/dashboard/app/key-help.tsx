import { Kbd, Table } from "@mantine/core";
import { modals } from "@mantine/modals";
import i18next from "i18next";
import { PAGES } from "./page-list";

export function openKeyHelp(): void {
  const t = i18next.t;
  const rows: [string[], string][] = [
    [["Ctrl", "K"], t("keys.palette")],
    [["/"], t("keys.search")],
    [["j"], t("keys.next_row")],
    [["k"], t("keys.previous_row")],
    [["Ctrl", "S"], t("keys.save")],
    [["F1"], t("keys.field")],
    [["?"], t("keys.help")],
    ...PAGES.map(({ key, label }): [string[], string] => [["g", key], t("keys.go", { page: t(label) })]),
  ];
  modals.open({
    title: t("keys.title"),
    closeButtonProps: { "aria-label": t("action.close") },
    children: (
      <Table>
        <Table.Tbody>
          {rows.map(([keys, does]) => (
            <Table.Tr key={keys.join(" ")}>
              <Table.Td w={120}>
                {keys.map((key) => (
                  <Kbd key={key} mr={4}>
                    {key}
                  </Kbd>
                ))}
              </Table.Td>
              <Table.Td>{does}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    ),
  });
}
